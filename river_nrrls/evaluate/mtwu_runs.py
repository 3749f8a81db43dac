"""Mistake rates against the number of updates an instance: learners, settings, runs."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from river import base

from ..datasets import CSVDataset, load
from ..dense import RuleClassifier, checks
from ..mtwu import is_pipeline
from .mtwu import MTWUCounts, count_rows, mtwu_counts
from .paper_learners import VOID_LOOPS, grid_of, paper_learner
from .paper_runs import paper_order
from .runner import run_cells

__all__ = ["mtwu_study"]

FIGURES = ("progressive_rate", "post_update_rate", "updates", "total_updates", "seconds")

Stream = Iterable[Any]


@dataclass
class Rows:
    """A data set that can be gone through in any order.

    Parameters
    ----------
    name
        What the set is called in results.
    features
        Names of the columns of `X`; empty where there are only `pairs`.
    X
        Matrix of features, if the set has one.
    y
        Labels of the rows of `X`.
    pairs
        Features and label of each row, for sets that are no matrix.

    """

    name: str
    features: tuple[str, ...] = ()
    X: np.ndarray | None = None
    y: np.ndarray | None = None
    pairs: list[Any] | None = None

    def __len__(self) -> int:
        return len(self.pairs) if self.X is None else len(self.X)  # type: ignore[arg-type]

    def fingerprint(self) -> str:
        """What tells this set from another in a file of results."""
        if self.X is not None and self.y is not None:
            content = self.X.tobytes() + self.y.tobytes()
        else:
            content = repr(self.pairs).encode()
        return f"{self.name}:{hashlib.sha1(content).hexdigest()[:12]}"

    def count(self, learner: base.Classifier, order: np.ndarray, m: int, clock: str) -> MTWUCounts:
        """The counts of one pass in the order given."""
        if self.X is None or self.y is None:
            assert self.pairs is not None
            return mtwu_counts(learner, (self.pairs[i] for i in order.tolist()), m, clock)
        if isinstance(learner, RuleClassifier) and not is_pipeline(learner):
            return count_rows(learner, self.features, self.X, self.y, order, m, clock)
        X, labels = self.X[order], self.y[order].tolist()
        dicts = (dict(zip(self.features, row.tolist(), strict=True)) for row in X)
        return mtwu_counts(learner, zip(dicts, labels, strict=True), m, clock)


def as_rows(dataset: str | Stream, directory: str | Path | None = None) -> Rows:
    """A data set by its name, a river data set, or a list of features and labels, as `Rows`."""
    if isinstance(dataset, str):
        dataset = load(dataset, directory)
    if isinstance(dataset, CSVDataset):
        X, y = dataset.to_arrays()
        return Rows(dataset.name, tuple(dataset.feature_names), X, y)
    pairs = list(dataset)
    if not pairs:
        raise ValueError("dataset has no rows")
    return Rows(type(dataset).__name__, pairs=pairs)


# The data set of a process, so that it is sent to it once and not with every cell.
_rows: Rows | None = None


def _begin(dataset: Rows | tuple[str, str | None]) -> None:
    global _rows
    _rows = dataset if isinstance(dataset, Rows) else as_rows(*dataset)


@lru_cache(maxsize=32)
def _order(n: int, run: int) -> np.ndarray:
    return np.array(paper_order(n, run), dtype=np.int32)


def _run(learner: base.Classifier, m: int, clock: str, run: int) -> dict[str, Any]:
    assert _rows is not None
    return asdict(_rows.count(learner.clone(), _order(len(_rows), run), m, clock))


def _tune(
    learner: base.Classifier,
    grid: Mapping[str, Sequence[Any]],
    m: int,
    clock: str,
    protocol: str,
) -> dict[str, Any]:
    """LIBOL's tuning: one parameter after the other, fewest mistakes in a pass, the later wins."""
    assert _rows is not None
    order = _order(len(_rows), 0)
    best: dict[str, Any] = {}
    for name, values in grid.items():
        mistakes = {}
        for value in values:
            counts = _rows.count(learner.clone({**best, name: value}), order, m, clock)
            mistakes[value] = getattr(counts, f"{protocol}_mistakes")
        fewest = min(mistakes.values())
        best[name] = [value for value, count in mistakes.items() if count == fewest][-1]
    return best


def mtwu_study(
    dataset: str | Stream,
    learners: Mapping[str, base.Classifier | str] | Iterable[base.Classifier | str],
    ms: Sequence[int] = (1, 2, 4, 8, 16, 32),
    runs: int | Sequence[int] = 20,
    tuning: str | None = None,
    *,
    clock: str = "instance",
    paper_quirks: bool = False,
    grids: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
    directory: str | Path | None = None,
    path: str | Path | None = None,
    n_jobs: int = 1,
    progress: bool = True,
) -> list[dict[str, Any]]:
    """Mistake rates of learners against the number of updates an instance.

    Every learner goes through the data set in the paper's run orders, once for each `m`, and both
    protocols are counted in the same pass: the honest `progressive_rate` and the paper's
    `post_update_rate` (see `mtwu_counts`).

    Parameters
    ----------
    dataset
        Name of a data set of `river_nrrls.datasets`, a river data set, or a list of `(x, y)`.
    learners
        Classifiers by name; or a list of classifiers and of names that the paper uses
        (see `paper_learner`). They are cloned, not trained.
    ms
        Numbers of updates an instance.
    runs
        Number of runs, the paper's 1, 2, …; or the numbers of the runs.
    tuning
        None takes the learners as they are. `"progressive"` and `"post_update"` choose their
        parameters anew for each `m` as LIBOL does, by the fewest honest mistakes, or by the fewest
        of the paper's, in one pass over the rows in an order of its own (order 0, which is none of
        the runs).
    clock
        When step counters advance, as in `MTWUClassifier`.
    paper_quirks
        Whether learners named `"Perceptron"`, `"ROMMA"`, `"aROMMA"` and `"PA"` make one update
        whatever `m` is. In the paper's Table 2 their loop is void: it computes the same single step
        over and over. Their rows are marked `"void_loop": True`.
    grids
        What to tune: parameters and values by learner's name. The default is LIBOL's grid.
    directory
        Folder of data sets that are not bundled.
    path
        File that keeps the result of each run, so that an interrupted study goes on where it
        stopped.
    n_jobs
        Number of processes.
    progress
        Whether to show a progress bar on standard error.

    Returns
    -------
    A dict for each learner and `m`: `dataset`, `learner`, `m`, `runs`, `clock`, `tuning`,
    `settings`, `void_loop`, and mean and standard deviation (of n - 1) over the runs of
    `progressive_rate`, `post_update_rate`, `updates`, `total_updates` and `seconds`, such as
    `progressive_rate` and `progressive_rate_std`.

    Examples
    --------
    >>> from river_nrrls import evaluate

    >>> rows = evaluate.mtwu_study("glass_libsvm", ["M_OGD"], ms=(1, 8), runs=3, progress=False)
    >>> for row in rows:
    ...     print(row["m"], round(row["post_update_rate"], 4), round(row["progressive_rate"], 4))
    1 0.5639 0.5639
    8 0.0016 0.5685

    """
    checks.choice(None, "progressive", "post_update")("tuning", tuning)
    checks.choice("instance", "update")("clock", clock)
    checks.boolean("paper_quirks", paper_quirks)
    for m in ms:
        checks.positive_integer("m", m)
    numbers = list(range(1, runs + 1)) if isinstance(runs, int) else list(runs)
    study = Study(dataset, clock, directory, path, n_jobs, progress)
    named = _named(learners, study.rows)
    void = {name for name in named if paper_quirks and name in VOID_LOOPS[2]}
    cells = [(name, m, 1 if name in void else m) for name in named for m in ms]
    settings: list[dict[str, Any]] = [{} for _ in cells]
    if tuning is not None:
        grid = {
            name: (grids or {}).get(name) or grid_of(learner) for name, learner in named.items()
        }
        settings = study.tune([(named[name], m, grid[name]) for name, _, m in cells], tuning)
    passes = [
        (named[name].clone(chosen), steps)
        for (name, _, steps), chosen in zip(cells, settings, strict=True)
    ]
    results = study.count(passes, numbers)
    return [
        {
            "dataset": study.rows.name,
            "learner": name,
            "m": m,
            "runs": len(numbers),
            "clock": clock,
            "tuning": tuning,
            "settings": chosen,
            "void_loop": name in void,
            **summary(counts),
        }
        for (name, m, _), chosen, counts in zip(cells, settings, results, strict=True)
    ]


class Study:
    """A data set, and how passes over it are run: in how many processes, kept in which file."""

    def __init__(
        self,
        dataset: str | Stream,
        clock: str = "instance",
        directory: str | Path | None = None,
        path: str | Path | None = None,
        n_jobs: int = 1,
        progress: bool = True,
    ) -> None:
        self.rows = as_rows(dataset, directory)
        self.clock = clock
        self._where = self.rows.fingerprint()
        # Other processes read a named set by themselves.
        begin: Rows | tuple[str, str | None] = self.rows
        if isinstance(dataset, str) and n_jobs > 1:
            begin = (dataset, None if directory is None else str(directory))
        self._how: dict[str, Any] = {"path": path, "n_jobs": n_jobs, "progress": progress}
        self._how |= {"initializer": _begin, "initargs": (begin,)}

    def tune(
        self,
        cells: Sequence[tuple[base.Classifier, int, Mapping[str, Sequence[Any]]]],
        protocol: str,
    ) -> list[dict[str, Any]]:
        """The best settings on a grid of a learner with `m` updates, for each cell."""
        keys = [
            f"{self._where} {_describe(learner)} m={m} {self.clock} {protocol} on {grid}"
            for learner, m, grid in cells
        ]
        todo = {
            key: (learner, grid, m, self.clock, protocol)
            for key, (learner, m, grid) in zip(keys, cells, strict=True)
        }
        results = run_cells(_tune, todo, what=f"{self.rows.name}: tuning", **self._how)
        return [results[key] for key in keys]

    def count(
        self, passes: Sequence[tuple[base.Classifier, int]], runs: Sequence[int]
    ) -> list[list[MTWUCounts]]:
        """The counts of each run, for each learner and its number of updates an instance."""
        todo: dict[str, tuple[Any, ...]] = {}
        keys = []
        for learner, m in passes:
            about = f"{self._where} {_describe(learner)} m={m} {self.clock} run"
            keys.append([f"{about} {run}" for run in runs])
            for key, run in zip(keys[-1], runs, strict=True):
                todo[key] = (learner, m, self.clock, run)
        results = run_cells(_run, todo, what=f"{self.rows.name}: runs", **self._how)
        return [[MTWUCounts(**results[key]) for key in of_pass] for of_pass in keys]


def _named(
    learners: Mapping[str, base.Classifier | str] | Iterable[base.Classifier | str], rows: Rows
) -> dict[str, base.Classifier]:
    """Learners by name, the paper's names looked up."""
    if isinstance(learners, str | base.Classifier):
        learners = [learners]
    named = learners if isinstance(learners, Mapping) else {str(item): item for item in learners}
    labels = None if rows.y is None else tuple(np.unique(rows.y).tolist())
    result: dict[str, base.Classifier] = {}
    for name, learner in named.items():
        if isinstance(learner, str):
            classes = labels if learner.startswith("M_") else None
            learner = paper_learner(learner, classes=classes)
        result[name] = learner
    return result


def _describe(learner: base.Classifier) -> str:
    """Class and parameters, nested ones too, as text."""
    return f"{type(learner).__module__}.{type(learner).__name__} {learner._get_params()}"


def summary(counts: Sequence[MTWUCounts]) -> dict[str, float | None]:
    """Mean and standard deviation over runs of each figure."""
    result: dict[str, float | None] = {}
    for figure in FIGURES:
        values = [getattr(count, figure) for count in counts]
        told = None not in values
        result[figure] = statistics.fmean(values) if told else None
        result[f"{figure}_std"] = statistics.stdev(values) if told and len(values) > 1 else None
    return result
