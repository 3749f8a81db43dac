"""Feature names and the columns they own."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from itertools import repeat
from operator import itemgetter
from typing import Any

import numpy as np
from river.base.typing import FeatureName

# What gathering an unusual row raises: a missing or unknown name, text, None, a huge integer, an
# array instead of a dict …
UNUSUAL = (LookupError, TypeError, ValueError, OverflowError, struct.error)


class Columns:
    """Feature names in order of first appearance, and the gather of a row into a vector.

    `pack(row, start, *get(x))` writes the features of `x` behind the intercept's slot. It raises
    one of `UNUSUAL` where the slow path must take over; the caller compares `len(x)` with `n`.

    `struct` refuses text and None, which numpy would turn into numbers, and is faster than a numpy
    assignment; its bound methods do not pickle, so only the names are kept.
    """

    __slots__ = ("get", "n", "names", "offset", "pack", "start")

    names: dict[FeatureName, int]
    get: Callable[[Any], Iterable[Any]]
    # numpy's arrays are buffers, which its annotations say from Python 3.12 on only.
    pack: Callable[..., None]

    def __init__(self, names: Iterable[FeatureName] = (), offset: int = 0) -> None:
        self.offset = offset
        self.start = 8 * offset
        self.names = {}
        self.add(names)

    def add(self, names: Iterable[FeatureName]) -> None:
        for name in names:
            self.names.setdefault(name, len(self.names))
        self.n = len(self.names)
        self.pack = struct.Struct(f"{self.n}d").pack_into
        if self.n > 1:
            self.get = itemgetter(*self.names)
        elif self.n == 1:
            (name,) = self.names
            self.get = lambda x: (x[name],)
        else:
            self.get = _no_columns

    @property
    def size(self) -> int:
        """Length of a row vector; never 0, which BLAS refuses."""
        return max(1, self.offset + self.n)

    def gather(self, x: dict[FeatureName, Any], row: np.ndarray) -> None:
        """Write the known features of `x` to `row`, 0 where absent."""
        self.pack(row, self.start, *map(x.get, self.names, repeat(0.0)))

    def __reduce__(self) -> tuple[type, tuple[list[FeatureName], int]]:
        return (Columns, (list(self.names), self.offset))


def _no_columns(x: Any) -> tuple[()]:
    raise KeyError
