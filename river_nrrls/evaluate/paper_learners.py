"""The MTWU paper's algorithms by their names there, with LIBOL's options and tuning grids."""

from __future__ import annotations

import csv
import importlib
import inspect
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from river import base
from river.base.typing import ClfTarget

__all__ = ["PAPER_DATA", "PaperCell", "grid_of", "paper_cells", "paper_learner", "paper_settings"]

TABLES = Path(__file__).parent / "tables"

# LIBOL's CV_algorithm.m.
C = tuple(2.0**k for k in range(-4, 5))
ETA = tuple(round(0.55 + 0.05 * k, 2) for k in range(9))
P = (2, 4, 6, 8, 10)
B = tuple(round(0.1 * k, 1) for k in range(1, 10))


@dataclass(frozen=True)
class Algorithm:
    """An algorithm as LIBOL has it.

    Parameters
    ----------
    learner
        Module and class of this package.
    fixed
        Parameters that make the class this algorithm.
    options
        LIBOL's tuned options, in the order in which it tunes them: our parameter and the grid.

    """

    learner: str
    fixed: dict[str, Any] = field(default_factory=dict)
    options: dict[str, tuple[str, tuple[float, ...]]] = field(default_factory=dict)


_C = {"C": ("C", C)}
_R = {"C": ("r", C)}
_ETA = {"eta": ("eta", ETA)}

ALGORITHMS: dict[str, Algorithm] = {
    "SOP": Algorithm("binary.SOPClassifier"),
    "SCW": Algorithm("binary.SCWClassifier", {"variant": "I", "eta": 0.75}, {**_C, **_ETA}),
    "ROMMA": Algorithm("binary.ROMMAClassifier", {"aggressive": False}),
    "Perceptron": Algorithm("binary.PerceptronClassifier"),
    "PA2": Algorithm("binary.PAClassifier", {"variant": "PA-II"}, _C),
    "PA1": Algorithm("binary.PAClassifier", {"variant": "PA-I"}, _C),
    "PA": Algorithm("binary.PAClassifier", {"variant": "PA"}),
    "OGD": Algorithm("binary.OGDClassifier", {"loss": "hinge"}, _C),
    "NHERD": Algorithm("binary.NHERDClassifier", {}, _C),
    "NAROW": Algorithm("binary.NAROWClassifier", {}, {"C": ("b", C)}),
    "CW": Algorithm("binary.CWClassifier", {"eta": 0.7}, _ETA),
    "AROW": Algorithm("binary.AROWClassifier", {}, _R),
    "SCW2": Algorithm("binary.SCWClassifier", {"variant": "II", "eta": 0.9}, {**_C, **_ETA}),
    "ALMA": Algorithm(
        "binary.ALMAClassifier",
        {"alpha": 0.9, "p": 2, "C": 2**0.5},
        {"C": ("C", C), "eta": ("alpha", ETA), "p": ("p", P)},
    ),
    "aROMMA": Algorithm("binary.ROMMAClassifier", {"aggressive": True}),
    "IELLIP": Algorithm("binary.IELLIPClassifier", {"b": 0.3, "c": 0.1}, {"b": ("b", B)}),
    "M_PA": Algorithm("multiclass.MulticlassPAClassifier", {"variant": "PA"}),
    "M_PA1": Algorithm("multiclass.MulticlassPAClassifier", {"variant": "PA-I"}, _C),
    "M_PA2": Algorithm("multiclass.MulticlassPAClassifier", {"variant": "PA-II"}, _C),
    "M_OGD": Algorithm("multiclass.MulticlassOGDClassifier", {}, _C),
    "M_ROMMA": Algorithm("multiclass.MulticlassROMMAClassifier", {"aggressive": False}),
    "M_aROMMA": Algorithm("multiclass.MulticlassROMMAClassifier", {"aggressive": True}),
    "M_PerceptronM": Algorithm("multiclass.MulticlassPerceptronClassifier", {"allocation": "max"}),
    "M_PerceptronS": Algorithm(
        "multiclass.MulticlassPerceptronClassifier", {"allocation": "proportional"}
    ),
    "M_PerceptronU": Algorithm(
        "multiclass.MulticlassPerceptronClassifier", {"allocation": "uniform"}
    ),
    # LIBOL never tunes M_SCW1: CV_algorithm.m asks for an M_SCW that does not exist.
    "M_SCW1": Algorithm("multiclass.MulticlassSCWClassifier", {"variant": "I", "eta": 0.75}),
    "M_SCW2": Algorithm(
        "multiclass.MulticlassSCWClassifier", {"variant": "II", "eta": 0.75}, {**_C, **_ETA}
    ),
    "M_CW": Algorithm("multiclass.MulticlassCWClassifier", {"eta": 0.75}, _ETA),
    "M_AROW": Algorithm("multiclass.MulticlassAROWClassifier", {}, _R),
}

# Data set and labels of each table.
PAPER_DATA: dict[int, tuple[str, tuple[ClfTarget, ...] | None]] = {
    2: ("svmguide3", None),
    3: ("covtype", None),
    4: ("mnist", tuple(range(10))),
    5: ("glass_libsvm", tuple(range(1, 7))),
    6: ("segment_libsvm", tuple(range(1, 8))),
}

# Where the loop of the authors' edited files is void: the body reads the model once in front of it
# and so computes one and the same step over and over. Inferred from the constant rows of the
# tables; in the files for covtype PA and aROMMA were put right.
VOID_LOOPS = {2: ("Perceptron", "ROMMA", "aROMMA", "PA"), 3: ("Perceptron", "ROMMA")}


@dataclass(frozen=True)
class PaperCell:
    """A cell of the paper's tables, as printed."""

    rate: str
    rate_std: str
    updates: str
    updates_std: str
    cpu: str
    cpu_std: str


@cache
def paper_cells(table: int) -> dict[tuple[str, int], PaperCell]:
    """The cells of one of the paper's tables by algorithm and m."""
    with (TABLES / f"mtwu-table{_table(table)}.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["algorithm"], row["figure"]): row for row in csv.DictReader(file)}
    figures = ("Mistake Rate", "NB of Updates", "Cpu Time")
    return {
        (algorithm, m): PaperCell(
            *(
                rows[algorithm, figure][f"m={m} {part}"]
                for figure in figures
                for part in ("mean", "std")
            )
        )
        for algorithm in dict.fromkeys(algorithm for algorithm, _ in rows)
        for m in (1, 2, 4, 8, 16, 32)
    }


@cache
def _settings() -> dict[tuple[int, str, int], tuple[dict[str, float], int]]:
    with (TABLES / "mtwu-settings.csv").open(encoding="utf-8", newline="") as file:
        return {
            (int(row["table"]), row["algorithm"], int(row["m"])): (
                {name: float(row[name]) for name in ("C", "eta", "p", "b") if row[name]},
                int(row["matches"]),
            )
            for row in csv.DictReader(file)
        }


def paper_settings(table: int, name: str, m: int) -> tuple[dict[str, float], int | None]:
    """LIBOL's options behind a cell of the paper, and how many points of the grid give that cell.

    The paper tuned every cell and does not print what came out. These are the points of LIBOL's
    grid whose figures equal the printed ones: with one match the setting is identified; with
    several (cells of zeros) one of them is taken as an example; with none (updates that are
    rounding dust, or a misprint) the nearest. Where only a few of the twenty runs were made (most
    of Table 3) a point matches if their mean is within 2 std/√runs of the printed one.

    Parameters
    ----------
    table
        Number of the table, 2 to 6.
    name
        The paper's name of the algorithm.
    m
        Number of updates an instance.

    Returns
    -------
    Options that differ from LIBOL's defaults, and the number of matches; `({}, None)` for an
    algorithm without anything to tune, `({}, 0)` for cells that were not searched for (some of
    Table 3, and Table 4).

    """
    options = ALGORITHMS[_algorithm_name(name)].options
    return _settings().get((_table(table), name, int(m)), ({}, 0 if options else None))


def _table(table: int) -> int:
    if table not in PAPER_DATA:
        raise ValueError(f"table must be one of {', '.join(map(str, PAPER_DATA))}, got {table!r}")
    return int(table)


def _algorithm_name(name: str) -> str:
    if name not in ALGORITHMS:
        raise ValueError(
            f"there is no algorithm {name!r} in the paper; it has {', '.join(ALGORITHMS)}"
        )
    return name


def _class_of(algorithm: Algorithm) -> type:
    module, name = algorithm.learner.split(".")
    return getattr(importlib.import_module(f"river_nrrls.{module}"), name)  # type: ignore[no-any-return]


def paper_learner(
    name: str,
    table: int | None = None,
    m: int = 1,
    classes: tuple[ClfTarget, ...] | None = None,
    **options: float,
) -> base.Classifier:
    """A learner as the MTWU paper used it: LIBOL's rule and options, and no intercept.

    Parameters
    ----------
    name
        The paper's name of the algorithm: `"PA1"`, `"aROMMA"`, `"M_PerceptronS"` ….
    table
        Number of a table of the paper, for the settings behind its cells; None for LIBOL's
        defaults.
    m
        Number of updates an instance, with `table`: the paper tuned each one by itself.
    classes
        Labels of a multiclass learner. LIBOL knows all of them, and their order, from the start;
        with `table` they are those of its data set.
    options
        Options that override these, by LIBOL's letter (`C`, `eta`, `p`, `b`) or by the name of the
        learner's parameter.

    Examples
    --------
    >>> from river_nrrls import evaluate

    >>> evaluate.paper_learner("M_PA2", table=5, m=4)
    MulticlassPAClassifier (
      variant="PA-II"
      C=16.
      learn_intercept=False
      classes=(1, 2, 3, 4, 5, 6)
    )

    """
    algorithm = ALGORITHMS[_algorithm_name(name)]
    learner = _class_of(algorithm)
    known = inspect.signature(learner).parameters
    params: dict[str, Any] = {**algorithm.fixed, "learn_intercept": False}
    if "form" in known:
        params["form"] = "libol"
    if name.startswith("M_"):
        if classes is None and table is not None:
            classes = PAPER_DATA[_table(table)][1]
        params["classes"] = classes
    elif classes is not None:
        raise ValueError(f"{name} is binary and takes no classes, got {classes!r}")
    settings = {} if table is None else paper_settings(table, name, m)[0]
    for option, value in {**settings, **options}.items():
        parameter = algorithm.options[option][0] if option in algorithm.options else option
        if parameter not in known:
            takes = [*algorithm.options, *(p for p in known if p not in algorithm.options)]
            raise ValueError(f"{name} has no option {option!r}; it has {', '.join(takes)}")
        params[parameter] = value
    return learner(**params)  # type: ignore[no-any-return]


def grid_of(learner: base.Classifier) -> dict[str, tuple[float, ...]]:
    """What LIBOL tunes of a learner, in its order: parameters and the values it tries."""
    for algorithm in ALGORITHMS.values():
        if type(learner) is _class_of(algorithm) and all(
            getattr(learner, name) == algorithm.fixed[name]
            for name in ("variant", "aggressive", "loss")
            if name in algorithm.fixed
        ):
            return dict(algorithm.options.values())
    raise ValueError(
        f"LIBOL has no tuning grid for {type(learner).__name__}; pass grids={{name: {{parameter: "
        "values}}}}"
    )
