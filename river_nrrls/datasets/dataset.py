"""One gzipped CSV file as a river data set."""

from __future__ import annotations

import copy
import csv
import functools
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river.base.typing import FeatureName
from river.datasets import base

from .catalogue import Card, PaperRow
from .order import shuffled_order

__all__ = ["CSVDataset"]

Label = bool | int | str

_TARGET = "target"
_BLOCK = 1024


class CSVDataset(base.FileDataset):
    """A classification data set in one gzipped CSV file, as a stream of `(x, y)`.

    The file has a header of feature names, all cells are numbers, and the last column is called
    `target`: `0` and `1` for a binary set, whose labels are then `False` and `True`, and anything
    else for a multiclass set, whose labels are integers where they look so and text otherwise.

    It can be iterated any number of times; each pass yields fresh dictionaries of floats. The file
    is read on the first pass and kept as one array of 64-bit floats.

    Parameters
    ----------
    path
        The file, `<name>.csv.gz`.
    card
        What is known of the set. Without one it has neither title nor source.

    Attributes
    ----------
    name
        The name of the file without `.csv.gz`.
    title
        What the set is called where it was published.
    source
        Who published it, and where this copy was taken from.
    description
        Title, meaning of the target and notes in one paragraph.
    positive
        What `True` stands for; `None` if that is not known or the set is multiclass.
    papers
        The set as the papers print it.
    feature_names
        The names of the features, in the order of the columns.
    class_counts
        Label to number of rows.
    sorted_by_class
        Whether all rows of a class follow each other in the file, so that it must be shuffled
        before it makes a sensible stream.
    seed
        The seed of the shuffle; `None` in the order of the file.

    Examples
    --------

    >>> from river_nrrls import datasets

    >>> dataset = datasets.load("blood-transfusion")
    >>> x, y = next(iter(dataset))
    >>> x
    {'recency': 2.0, 'frequency': 50.0, 'monetary': 12500.0, 'time': 98.0}
    >>> y
    True
    >>> dataset.class_counts
    {False: 570, True: 178}
    >>> round(dataset.class_ratio, 4)
    0.3123

    """

    def __init__(self, path: str | Path, card: Card | None = None) -> None:
        path = Path(path)
        features, texts, n_runs = _scan(path)
        binary = card.positive is not None if card else texts.keys() <= {"0", "1"}
        self._labels = _binary_labels(path, texts) if binary else _labels(texts)
        super().__init__(  # type: ignore[no-untyped-call]
            filename=path.name,
            directory=str(path.parent),
            task=base.BINARY_CLF if binary else base.MULTI_CLF,
            n_features=len(features),
            n_samples=sum(texts.values()),
            n_classes=len(self._labels),
        )
        self.name = path.name.removesuffix(".csv.gz")
        self.title = card.title if card else self.name
        self.source = card.source if card else str(path)
        self.description = card.description if card else f"{self.name}, read from {path}."
        self.positive = card.positive if card else None
        self.papers: tuple[PaperRow, ...] = card.papers if card else ()
        self.feature_names = features
        self.class_counts: dict[Label, int] = {
            label: texts.get(text, 0) for text, label in self._labels.items()
        }
        self.sorted_by_class = n_runs == len(texts)
        self.seed: int | None = None

    @property
    def class_ratio(self) -> float | None:
        """Number of positive rows over number of negative ones; `None` for a multiclass set."""
        if self.task != base.BINARY_CLF:
            return None
        n_negative, n_positive = self.class_counts[False], self.class_counts[True]
        return n_positive / n_negative if n_negative else float("inf")

    @property
    def desc(self) -> str:
        return self.description

    @property
    def _repr_content(self) -> dict[str, str]:
        content: dict[str, str] = super()._repr_content
        content["Name"] = self.name
        if self.class_ratio is not None:
            content["Class ratio"] = f"{self.class_ratio:.4f}"
        content["Source"] = self.source
        if self.seed is not None:
            content["Order"] = f"shuffled, seed {self.seed}"
        elif self.sorted_by_class:
            content["Order"] = "sorted by class"
        return content

    def __repr__(self) -> str:
        content = self._repr_content
        width = max(map(len, content))
        lines = (f"{key.rjust(width)}  {value}" for key, value in content.items())
        return "\n".join((self.description, "", *lines))

    def __iter__(self) -> Iterator[tuple[dict[FeatureName, Any], Label]]:
        X, y = self._arrays
        for start in range(0, len(y), _BLOCK):
            block = slice(start, start + _BLOCK)
            for row, label in zip(X[block].tolist(), y[block].tolist(), strict=True):
                yield dict(zip(self.feature_names, row, strict=True)), label

    def to_arrays(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The whole set as a matrix of features and a vector of labels.

        Both are read-only, since they are what the stream is made from: copy to change them.

        Examples
        --------

        >>> from river_nrrls import datasets

        >>> X, y = datasets.load("glass").to_arrays()
        >>> X.shape
        (214, 9)
        >>> y[:8].tolist()
        [1, 3, 1, 5, 2, 2, 3, 1]

        """
        return self._arrays

    def shuffled(self, seed: int) -> CSVDataset:
        """The same set in an order drawn from the seed.

        The order is the same on every system and under every version of Python and numpy.

        Parameters
        ----------
        seed
            Any integer.

        Examples
        --------

        >>> from river_nrrls import datasets

        >>> dataset = datasets.load("spambase").shuffled(seed=42)
        >>> [y for _, y in dataset.take(8)]
        [False, False, False, True, False, False, False, True]

        """
        X, y = self._arrays
        order = shuffled_order(len(y), seed)
        shuffled = copy.copy(self)
        shuffled.seed = seed
        shuffled._arrays = _read_only(X[order], y[order])
        return shuffled

    @functools.cached_property
    def _arrays(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        X, texts = _read(Path(self.path), len(self.feature_names))
        return _read_only(X, np.array([self._labels[text] for text in texts]))


def _scan(path: Path) -> tuple[tuple[str, ...], dict[str, int], int]:
    """Feature names, rows of each label as it is written, and number of runs of equal labels."""
    counts: dict[str, int] = {}
    n_runs, last = 0, None
    with _open(path) as lines:
        features = _features(path, lines.readline())
        for line in lines:
            if not line.isspace():
                text = line[line.rfind(",") + 1 :].strip()
                counts[text] = counts.get(text, 0) + 1
                n_runs += text != last
                last = text
    if not counts:
        raise ValueError(f"{path} has a header but no rows")
    return features, counts, n_runs


def _open(path: Path) -> Any:
    return gzip.open(path, "rt", encoding="utf-8")


def _features(path: Path, header: str) -> tuple[str, ...]:
    names = next(csv.reader([header.strip()]), [])
    if len(names) < 2 or names[-1] != _TARGET:
        raise ValueError(
            f"the header of {path} must name at least one feature and end in {_TARGET!r}, "
            f"it is {header.strip()!r}: put a line of names first and the label last"
        )
    *features, _ = names
    if len(set(features)) < len(features):
        twice = sorted({name for name in features if features.count(name) > 1})
        raise ValueError(f"{path} has more than one column called {twice}: rename them")
    return tuple(features)


def _binary_labels(path: Path, texts: dict[str, int]) -> dict[str, Label]:
    if others := sorted(texts.keys() - {"0", "1"}):
        raise ValueError(
            f"the target of {path} must be 0 or 1, it is also {others[0]!r}: "
            "write 1 for the positive class and 0 for the other"
        )
    return {"0": False, "1": True}


def _labels(texts: dict[str, int]) -> dict[str, Label]:
    try:
        return {text: int(text) for text in sorted(texts, key=int)}
    except ValueError:
        return {text: text for text in sorted(texts)}


def _read(path: Path, n_features: int) -> tuple[NDArray[np.float64], list[str]]:
    texts: list[str] = []

    def cells(lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            if not line.isspace():
                left, _, text = line.rpartition(",")
                texts.append(text.strip())
                yield left

    with _open(path) as lines:
        lines.readline()
        try:
            X = np.loadtxt(cells(lines), delimiter=",", ndmin=2, comments=None)
        except ValueError as error:
            raise ValueError(
                f"row {len(texts)} of {path} cannot be read ({error}): "
                f"it must hold {n_features} numbers and the label"
            ) from error
    if X.shape[1] != n_features:
        raise ValueError(
            f"the rows of {path} hold {X.shape[1]} numbers, its header names {n_features} features"
        )
    return X, texts


def _read_only(X: NDArray[np.float64], y: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[Any]]:
    X.flags.writeable = False
    y.flags.writeable = False
    return X, y
