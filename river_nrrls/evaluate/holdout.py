"""Runs of two-fold cross-validation over many data sets and learners, as in the NR-RLS paper."""

from __future__ import annotations

import functools
import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from river import base
from river.base.typing import FeatureName

from ..datasets import load, names, shuffled_order
from ..dense import checks
from .ranks import ranks
from .runner import run_cells

__all__ = ["gmean", "halves", "holdout_study"]

Rows = list[dict[FeatureName, float]]
Fit = Callable[[Rows, list[bool]], base.Classifier]

# Rows turned into dicts at a time, outside of what is timed.
_BLOCK = 1024


def gmean(y: Iterable[Any], predicted: Iterable[Any]) -> float:
    r"""Geometric mean of the two classes' hit rates.

    $$G = \sqrt{\frac{TP}{TP + FN} \cdot \frac{TN}{TN + FP}}$$

    Parameters
    ----------
    y
        Labels, False or True; both must occur.
    predicted
        Predictions.

    Examples
    --------

    >>> from river_nrrls import evaluate

    >>> evaluate.gmean([True, True, False, False], [True, False, False, False])
    0.7071

    """
    y, hits = np.asarray(list(y), dtype=bool), np.asarray(list(predicted), dtype=bool)
    hits = hits == y
    if y.all() or not y.any():
        raise ValueError("y must hold both False and True: a class without rows has no hit rate")
    return math.sqrt(hits[y].mean() * hits[~y].mean())


def halves(y: Iterable[Any], run: int) -> tuple[list[int], list[int]]:
    """The rows of a run's two halves, each in the order in which it is learnt.

    The rows are shuffled with the number of the run as the seed, and each class is dealt to the two
    halves in turn: their class counts differ by one at most.

    Parameters
    ----------
    y
        Labels.
    run
        Number of the run.

    Examples
    --------

    >>> from river_nrrls import evaluate

    >>> evaluate.halves([False, False, True, True, False, False], run=1)
    ([1, 3, 4], [2, 5, 0])

    """
    labels = [bool(label) for label in y]
    parts: tuple[list[int], list[int]] = ([], [])
    turn = {False: 0, True: 1}
    for i in shuffled_order(len(labels), run):
        parts[turn[labels[i]]].append(i)
        turn[labels[i]] ^= 1
    return parts


def holdout_study(
    datasets: Iterable[str],
    learners: Mapping[str, base.Classifier | Fit],
    runs: int = 10,
    *,
    scaling: str | None = "minmax",
    directory: str | Path | None = None,
    path: str | Path | None = None,
    n_jobs: int = 1,
    progress: bool = True,
) -> list[dict[str, Any]]:
    """G-means on unseen halves of data sets: runs of two-fold cross-validation.

    In each run a fresh learner goes once through one half of the rows, in random order, and is
    tested on the other; then the halves change places. All learners see the same halves in the same
    order. Unlike `river.evaluate.progressive_val_score` this says what has been learnt at the end,
    not on the way.

    Parameters
    ----------
    datasets
        Names of binary data sets, as for `datasets.load`.
    learners
        Name to learner: any river classifier or pipeline, or a function of the training rows (a
        list of dicts) and their labels that returns a trained classifier. With several processes
        functions must stand at the top of a module.
    runs
        Number of runs; each gives two halves.
    scaling
        "minmax" maps every feature to [0, 1] over all rows beforehand, as the paper does; that is a
        look at the features, not at the labels, of the rows tested on. None leaves them alone.
    directory
        Folder of the data sets that are not bundled.
    path
        File that keeps each result, so that an interrupted study goes on where it stopped.
    n_jobs
        Number of processes.
    progress
        Whether to show a progress bar on standard error.

    Returns
    -------
    A dict for each data set and learner: `dataset`, `learner`, `gmean`, `gmean_std` (n-1, over the
    2 · runs halves), `rank` (among the learners on that set; G-means that are equal to three digits
    share one), `seconds` (mean CPU time of training on a half) and `gmeans`, one for each half.

    Examples
    --------

    >>> import river_nrrls as rn
    >>> from river_nrrls import evaluate

    >>> rows = evaluate.holdout_study(
    ...     ["monks-3", "pima-diabetes"],
    ...     {"NR-RLS": rn.NRRLSClassifier(), "RLS": rn.RLSClassifier()},
    ...     runs=2, progress=False,
    ... )
    >>> for row in rows:
    ...     print(row["dataset"], row["learner"], round(row["gmean"], 3), row["rank"])
    monks-3 NR-RLS 0.778 1.5
    monks-3 RLS 0.778 1.5
    pima-diabetes NR-RLS 0.746 1.0
    pima-diabetes RLS 0.695 2.0

    """
    checks.positive_integer("runs", runs)
    checks.choice(None, "minmax")("scaling", scaling)
    datasets = list(datasets)
    cells = {
        f"{dataset} | {name} | run {run} | {scaling} | {_described(learner)}": (
            dataset,
            learner,
            run,
            scaling,
            directory,
        )
        for dataset in datasets
        for name, learner in learners.items()
        for run in range(1, runs + 1)
    }
    results = iter(
        run_cells(
            _cell, cells, path=path, n_jobs=n_jobs, progress=progress, what="holdout"
        ).values()
    )
    rows = []
    for dataset in datasets:
        own = []
        for name in learners:
            of_runs = [next(results) for _ in range(runs)]
            gmeans = [g for result in of_runs for g in result["gmeans"]]
            seconds = [s for result in of_runs for s in result["seconds"]]
            own.append(
                {
                    "dataset": dataset,
                    "learner": name,
                    "gmean": statistics.fmean(gmeans),
                    "gmean_std": statistics.stdev(gmeans),
                    "seconds": statistics.fmean(seconds),
                    "gmeans": gmeans,
                }
            )
        printed = ranks([round(row["gmean"], 3) for row in own])
        rows += [{**row, "rank": rank} for row, rank in zip(own, printed, strict=True)]
    return rows


def _described(learner: base.Classifier | Fit) -> str:
    """What names a learner in the file of results: it must not change from run to run."""
    if isinstance(learner, functools.partial):
        return f"{_described(learner.func)} {learner.args} {learner.keywords}"
    if isinstance(learner, base.Estimator):
        return " ".join(repr(learner).split())
    return f"{learner.__module__}.{learner.__qualname__}"


@functools.lru_cache(maxsize=1)
def prepared(
    dataset: str, scaling: str | None, directory: str | Path | None
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Feature names, scaled features and labels of a binary data set."""
    data = load(dataset, None if dataset in names() else directory)
    X, y = data.to_arrays()
    if y.dtype != bool:
        raise ValueError(f"data set {dataset!r} has {data.n_classes} classes, not False and True")
    if scaling == "minmax":
        low, high = X.min(axis=0), X.max(axis=0)
        X = (X - low) / np.where(high > low, high - low, 1.0)
    return data.feature_names, X, y


def _cell(
    dataset: str,
    learner: base.Classifier | Fit,
    run: int,
    scaling: str | None,
    directory: str | Path | None,
) -> dict[str, list[float]]:
    """G-mean and training time on each half of one run."""
    features, X, y = prepared(dataset, scaling, directory)
    parts = halves(y.tolist(), run)
    gmeans, seconds = [], []
    for train, test in (parts, parts[::-1]):
        model, spent = _trained(learner, features, X[train], y[train])
        predicted = [
            bool(model.predict_one(x)) for block in _blocks(features, X[test]) for x in block
        ]
        gmeans.append(gmean(y[test], predicted))
        seconds.append(spent)
    return {"gmeans": gmeans, "seconds": seconds}


def _blocks(features: tuple[str, ...], X: np.ndarray) -> Iterable[Rows]:
    for start in range(0, len(X), _BLOCK):
        rows = X[start : start + _BLOCK].tolist()
        yield [dict(zip(features, row, strict=True)) for row in rows]


def _trained(
    learner: base.Classifier | Fit, features: tuple[str, ...], X: np.ndarray, y: np.ndarray
) -> tuple[base.Classifier, float]:
    """A learner trained on the rows in order, and the CPU time that took."""
    labels = y.tolist()
    if not isinstance(learner, base.Estimator):
        rows = [x for block in _blocks(features, X) for x in block]
        start = time.process_time()
        model = learner(rows, labels)
        return model, time.process_time() - start
    model = learner.clone()
    spent = 0.0
    for i, block in enumerate(_blocks(features, X)):
        learn_one = model.learn_one
        block_labels = labels[i * _BLOCK : (i + 1) * _BLOCK]
        start = time.process_time()
        for x, label in zip(block, block_labels, strict=True):
            learn_one(x, label)
        spent += time.process_time() - start
    # What is solved when it is first asked for belongs to training.
    start = time.process_time()
    model.predict_one(dict.fromkeys(features, 0.0))
    return model, spent + time.process_time() - start
