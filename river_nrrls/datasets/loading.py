"""Find a data set by its name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from .catalogue import CATALOGUE
from .dataset import CSVDataset

__all__ = ["load", "names"]

_FILES = Path(__file__).parent / "files"
_SUFFIX = ".csv.gz"


def names() -> list[str]:
    """The names of the bundled data sets, in alphabetical order.

    Examples
    --------

    >>> from river_nrrls import datasets

    >>> len(datasets.names())
    30
    >>> datasets.names()[:3]
    ['blood-transfusion', 'breast-cancer-w', 'bupa-liver']

    """
    return sorted(name for name, card in CATALOGUE.items() if card.bundled)


def load(name: str, directory: str | Path | None = None) -> CSVDataset:
    """A data set by its name, as a stream.

    Parameters
    ----------
    name
        One of `names()`; with a directory, the name of any file in it without `.csv.gz`.
    directory
        Folder to read `<name>.csv.gz` from instead of the package: for the sets that are too large
        to bundle (`cod-rna`, `covtype`, `ijcnn1`, `mnist`, `skin-nonskin`) and for your own. The
        file has a header of feature names, numbers only, and a last column called `target`.

    Examples
    --------

    >>> from river_nrrls import datasets

    >>> dataset = datasets.load("ozone-eight")
    >>> dataset.n_samples, dataset.n_features, dataset.task
    (1847, 72, 'Binary classification')
    >>> dataset.description
    'Ozone level detection, eight-hour peak. True = ozone day. One row a day in time order, the
    date left out; days with missing values are left out.'

    """
    card = CATALOGUE.get(name)
    if directory is not None:
        return CSVDataset(_file_in(Path(directory), name), card)
    if card is None:
        raise ValueError(
            f"there is no data set {name!r}{_near(name, CATALOGUE)}: names() lists the bundled "
            "ones; for a file of your own pass directory="
        )
    if not card.bundled:
        raise FileNotFoundError(
            f"{name!r} is too large to be bundled: put {name}{_SUFFIX} into a folder and pass "
            f"directory= (source: {card.source})"
        )
    return CSVDataset(_FILES / f"{name}{_SUFFIX}", card)


def _file_in(directory: Path, name: str) -> Path:
    path = directory / f"{name}{_SUFFIX}"
    if path.is_file():
        return path
    if not directory.is_dir():
        raise FileNotFoundError(f"directory={str(directory)!r} is not a folder")
    found = sorted(file.name.removesuffix(_SUFFIX) for file in directory.glob(f"*{_SUFFIX}"))
    holds = f"it holds {', '.join(found[:10])}" if found else f"it holds no *{_SUFFIX} at all"
    more = f" and {len(found) - 10} more" if len(found) > 10 else ""
    raise FileNotFoundError(
        f"there is no {path.name} in {directory}{_near(name, found)}; {holds}{more}: "
        "put the file there or pass another directory="
    )


def _near(name: str, known: Iterable[str]) -> str:
    """`", did you mean …?"` for the names that look like the one given."""
    wanted = str(name).lower().replace("_", "-").replace(" ", "-")
    known = list(known)
    alike = difflib.get_close_matches(wanted, known, n=3, cutoff=0.6)
    alike += [k for k in known if wanted and wanted in k and k not in alike][:3]
    return f" (did you mean {' or '.join(map(repr, alike))}?)" if alike else ""
