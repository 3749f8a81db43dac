"""Mini-batches: any eager dataframe that narwhals knows, in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from river.base.typing import FeatureName
from river.utils import dataframe
from scipy.linalg.blas import ddot

from . import checks

NUMERIC_KINDS = "fiub"


# The last pandas Index and its names: batches of one frame share it, and listing it is slow.
_last: tuple[Any, list[Any]] = (None, [])


def _names(index: Any) -> list[Any]:
    global _last
    known, names = _last
    if known is not index:
        names = index.tolist()
        _last = index, names
    return names


# How plain frames and series are read without the wrapping of narwhals, which takes longer than all
# that is done with a batch of 1,000 rows. By the package and the name of a type: a library that the
# caller has not loaded is not loaded here either.
FRAMES: dict[tuple[str, str], Callable[[Any], tuple[list[Any], np.ndarray]]] = {
    ("pandas", "DataFrame"): lambda X: (_names(X.columns), X.to_numpy()),
    ("polars", "DataFrame"): lambda X: (X.columns, X.to_numpy()),
    ("pyarrow", "Table"): lambda X: (
        X.column_names,
        np.column_stack([column.to_numpy() for column in X.columns]),
    ),
}
SERIES = frozenset({("pandas", "Series"), ("polars", "Series"), ("pyarrow", "ChunkedArray")})


def _kind(value: Any) -> tuple[str, str]:
    return type(value).__module__.partition(".")[0], type(value).__name__


def features(X: Any) -> tuple[list[FeatureName], np.ndarray]:
    """Column names and the (n, d) matrix of float64 of a frame, checked value by value."""
    read = FRAMES.get(_kind(X))
    if read is not None and X.shape[1]:
        names, M = read(X)
        if M.dtype.kind in NUMERIC_KINDS and len(set(names)) == len(names):
            M = M.astype(np.float64, copy=False)
            _check_finite(names, M)
            return names, M
    try:
        frame = dataframe.into_frame(X)
    except TypeError:
        raise TypeError(
            f"X must be a dataframe (pandas, polars, pyarrow …), got {type(X).__name__}; "
            "wrap an array as pandas.DataFrame(X, columns=names)"
        ) from None
    names = list(frame.columns)
    if not names:
        return names, np.empty((len(frame), 0))
    M = frame.to_numpy()
    if M.dtype.kind not in NUMERIC_KINDS:
        for name, dtype in frame.schema.items():
            if not (dtype.is_numeric() or dtype == nw.Boolean):
                for i, value in enumerate(frame.get_column(name).to_list()):
                    _cell(name, i, value)
        # A column of Python numbers is as good as any, once each has been looked at.
        M = dataframe.to_numpy(frame)
    M = M.astype(np.float64, copy=False)
    _check_finite(names, M)
    return names, M


def _cell(name: FeatureName, i: int, value: Any) -> None:
    try:
        checks.number(name, value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"row {i}: {error}") from None


def _check_finite(names: list[FeatureName], M: np.ndarray) -> None:
    flat = M.ravel(order="K")
    if flat.size == 0 or ddot(flat, flat) < checks.HUGE:
        return
    bad = ~(np.abs(M) <= checks.LARGEST)
    if bad.any():
        i, j = np.argwhere(bad)[0].tolist()
        _cell(names[j], i, float(M[i, j]))


def series(y: Any, n: int, what: str) -> np.ndarray:
    """The n values of a series as a numpy array."""
    if _kind(y) in SERIES:
        values: np.ndarray = y.to_numpy()
    else:
        try:
            values = np.asarray(dataframe.into_series(y).to_numpy())
        except TypeError:
            raise TypeError(
                f"{what} must be a series of the same library as X, got {type(y).__name__}; "
                "take the column of a one-column frame, or wrap an array as pandas.Series"
            ) from None
    if len(values) != n:
        raise ValueError(f"{what} has {len(values)} values for {n} rows of X")
    return values


def weights(w: Any, n: int) -> np.ndarray | None:
    """The n sample weights of a batch: None, one number, or a series of them."""
    if w is None:
        return None
    if np.ndim(w) == 0:
        return np.full(n, checks.weight(w))
    values = w if isinstance(w, np.ndarray | list | tuple) else series(w, n, "w")
    if len(values) != n:
        raise ValueError(f"w has {len(values)} values for {n} rows of X")
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    checked = np.empty(n)
    for i, value in enumerate(listed):
        try:
            checked[i] = checks.weight(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"row {i}: {error}") from None
    return checked


def to_series(values: Iterable[Any], like: Any) -> Any:
    """A series of the library (and pandas index) of `like`."""
    frame = dataframe.into_frame(like)
    name = None if frame.implementation.is_pandas_like() else ""
    return dataframe.to_native_series(
        values if isinstance(values, np.ndarray) else list(values), name=name, like=frame
    )


def to_frame(columns: Mapping[Any, np.ndarray], like: Any) -> Any:
    """A frame of the library (and pandas index) of `like`."""
    frame = dataframe.into_frame(like)
    if not frame.implementation.is_pandas_like():
        return dataframe.to_native_frame(columns, like=frame)
    # pandas would take tuples for the levels of a MultiIndex.
    native: Any = dataframe.to_native_frame(dict(enumerate(columns.values())), like=frame)
    if columns:
        index = frame.implementation.to_native_namespace().Index
        native.columns = index(list(columns), tupleize_cols=False)
    return native
