"""One model from rows that lie in many places: moments add up, exactly and in any order."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterable, Iterator
from typing import Any

import narwhals.stable.v2 as nw
from river.utils import dataframe

__all__ = ["learn_dask", "learn_partition", "merge_all"]

# Rows are learnt in chunks of this size, whatever a partition holds: some copies of one are made.
CHUNK_BYTES = 1 << 24

# Models that one task merges. All of them lie in the memory of one worker meanwhile.
FAN_IN = 8


def merge_all(models: Iterable[Any]) -> Any:
    """A new model that has learnt all that the given ones have learnt.

    Models may have seen other features and labels; columns follow their first appearance. The
    parameters are those of the first. One model at a time is taken from an iterator.

    Parameters
    ----------
    models
        Models of one class with a `merge`, at least one; they are left as they are.

    Examples
    --------
    >>> import river_nrrls as rn

    >>> rows = list(rn.datasets.load("ozone-eight"))
    >>> parts = [rn.NRRLSClassifier(scaling="standard") for _ in range(3)]
    >>> for i, (x, y) in enumerate(rows):
    ...     parts[i % 3].learn_one(x, y)

    >>> merged = rn.distributed.merge_all(parts)
    >>> merged.class_counts
    {False: 1719.0, True: 128.0}

    >>> model = rn.NRRLSClassifier(scaling="standard")
    >>> for x, y in rows:
    ...     model.learn_one(x, y)
    >>> abs(model.decision_function_one(x) - merged.decision_function_one(x)) < 1e-9
    True

    """
    iterator = iter(models)
    try:
        first = next(iterator)
    except StopIteration:
        raise ValueError("models must be at least one model, got none") from None
    _check_mergeable(first)
    # A copy: an engine may hand out the same object again, when it repeats what a dead worker did.
    total = copy.deepcopy(first)
    for model in iterator:
        total.merge(model)
    return total


def learn_partition(model: Any, frames: Any, target: str, weight: str | None = None) -> Any:
    """A new model with the parameters of `model` that has learnt the given rows and nothing else.

    This is what each part of the data asks for, in any engine: `merge_all` makes one model of the
    results. Rows are learnt in chunks, so that beside the frame itself little memory is needed.

    Parameters
    ----------
    model
        The model whose parameters count; it is left as it is.
    frames
        A dataframe (pandas, polars, pyarrow …), or an iterable of them.
    target
        The column of labels.
    weight
        The column of sample weights; 1 for all rows by default. All other columns are features.

    Examples
    --------
    >>> import pandas as pd
    >>> import river_nrrls as rn

    >>> frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "day": [False, True, True], "times": [1, 3, 1]})
    >>> part = rn.distributed.learn_partition(rn.NRRLSClassifier(), frame, "day", "times")
    >>> part.class_counts
    {False: 1.0, True: 4.0}

    """
    _check_mergeable(model)
    part = model.clone()
    for frame in _frames(frames):
        for start, chunk in _chunks(frame):
            X, y, w = _columns(chunk, target, weight)
            try:
                part.learn_many(X, y, w)
            except (TypeError, ValueError) as error:
                if not start:
                    raise
                raise type(error)(f"counted from row {start} of the frame, {error}") from error
    return part


def learn_dask(
    model: Any, ddf: Any, target: str, weight: str | None = None, progress: bool = False
) -> Any:
    """Learn a Dask dataframe: each partition where it lies, and the models merged in a tree.

    The result is that of `learn_many` on all rows, for any number of partitions and workers, to
    rounding. Only models travel. A partition is loaded and learnt in one task, so that a worker
    holds one a thread, however large the whole is; what a dead worker had done is done again by
    others. If a row is refused, the model stays as it was.

    It runs on the `dask.distributed` client that is active, or else on threads.

    Parameters
    ----------
    model
        The model that learns, in place: one with a `merge`. What it has learnt before stays.
    ddf
        A Dask dataframe.
    target
        The column of labels.
    weight
        The column of sample weights; 1 for all rows by default. All other columns are features.
    progress
        Whether to show a progress bar.

    Returns
    -------
    The model.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import river_nrrls as rn
    >>> import pandas as pd

    >>> rows = list(rn.datasets.load("ozone-eight"))
    >>> frame = pd.DataFrame([x for x, _ in rows]).assign(ozone=[y for _, y in rows])
    >>> ddf = dd.from_pandas(frame, npartitions=4)
    >>> model = rn.NRRLSClassifier(scaling="standard")
    >>> rn.distributed.learn_dask(model, ddf, "ozone").class_counts
    {False: 1719.0, True: 128.0}

    """
    dask = _dask()
    import pandas as pd

    if not hasattr(ddf, "map_partitions") or not hasattr(ddf, "columns"):
        raise TypeError(
            f"ddf must be a Dask dataframe, got {type(ddf).__name__}; wrap a pandas one as "
            "dask.dataframe.from_pandas(ddf, npartitions=…), or use learn_many"
        )
    _check_mergeable(model)
    _check_columns(list(ddf.columns), target, weight)
    blank = pickle.dumps(model.clone())
    meta = pd.Series(dtype=object)
    parts = ddf.map_partitions(
        _learn_dask_partition, blank, target, weight, meta=meta, enforce_metadata=False
    ).to_delayed()
    merge = dask.delayed(merge_all, pure=False)
    while len(parts) > 1:
        parts = [merge(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
    model.merge(_compute(dask, parts[0], progress))
    return model


def _learn_dask_partition(frame: Any, blank: bytes, target: str, weight: str | None) -> Any:
    return learn_partition(pickle.loads(blank), frame, target, weight)


def _compute(dask: Any, result: Any, progress: bool) -> Any:
    if not progress:
        return result.compute()
    client = _client()
    if client is None:
        with dask.diagnostics.ProgressBar():
            return result.compute()
    import distributed

    show: Any = distributed.progress
    future = client.compute(result)
    show(future)
    return future.result()


def _client() -> Any:
    """The active client of dask.distributed, if there is one."""
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


def _dask() -> Any:
    try:
        import dask
        import dask.dataframe
        import dask.diagnostics
    except ImportError as error:
        raise ImportError(
            f"learn_dask needs Dask with its dataframes ({error}); "
            "install it with `pip install 'river-nrrls[dask]'`"
        ) from error
    return dask


def _check_mergeable(model: Any) -> None:
    """Refuse a model whose parts could not be merged, before any is learnt."""
    if isinstance(model, type) or not hasattr(model, "merge"):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"only models that can be merged learn in parts, got {name}; use an instance of "
            "NRRLSClassifier or RLSClassifier"
        )
    model.clone().merge(model.clone())


def _check_columns(names: list[Any], target: str, weight: str | None) -> None:
    for what, name in (("target", target), ("weight", weight)):
        if name not in names and (name is not None or what == "target"):
            raise ValueError(f"{what}={name!r} is no column; there are {names}")


def _frames(frames: Any) -> Iterator[Any]:
    """Frames as narwhals has them."""
    try:
        whole = dataframe.into_frame(frames)
    except TypeError:
        if not isinstance(frames, Iterable) or isinstance(frames, str | bytes | dict):
            raise
        yield from map(dataframe.into_frame, frames)
    else:
        yield whole


def _chunks(frame: Any) -> Iterator[tuple[int, Any]]:
    """Slices of a frame, and where each starts."""
    n = max(1, CHUNK_BYTES // (8 * max(1, len(frame.columns))))
    for start in range(0, len(frame), n):
        yield start, frame[start : start + n]


def _columns(frame: Any, target: str, weight: str | None) -> tuple[Any, Any, Any]:
    names = list(frame.columns)
    _check_columns(names, target, weight)
    X = frame.select([nw.col(name) for name in names if name not in (target, weight)])
    y, w = (
        None if name is None else frame.get_column(name).to_native() for name in (target, weight)
    )
    return X.to_native(), y, w
