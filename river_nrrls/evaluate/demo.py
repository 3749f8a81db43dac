"""`river-nrrls demo`: NR-RLS beside river's own linear learners on bundled streams.

Each learner is tested on a row and then trained on it, by river's `progressive_val_score`. The
metrics are river's as well, but for the area under the ROC curve, which river approximates by ten
thresholds and which is exact here.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base, evaluate, imblearn, linear_model, metrics, multiclass, preprocessing
from river.datasets import synth
from river.datasets.base import MULTI_CLF

from ..datasets import CSVDataset, load
from ..least_squares import NRRLSClassifier
from .runner import run_cells

__all__ = ["add_arguments", "run"]

# The order of the rows in words, and the seed of the shuffle; None keeps the order of the file.
STREAMS: dict[str, tuple[str, int | None]] = {
    "ozone-eight": ("in time order", None),
    "ozone-one": ("in time order", None),
    "blood-transfusion": ("shuffled with seed 42", 42),
    "pima-diabetes": ("shuffled with seed 42", 42),
    "spambase": ("shuffled with seed 42", 42),
    "segment": ("in the order of the file", None),
}


def _one_vs_rest(classifier: base.Classifier, dataset: CSVDataset) -> base.Classifier:
    """The classifier itself, or one for each class where there are more than two."""
    if dataset.task == MULTI_CLF:
        return multiclass.OneVsRestClassifier(classifier)
    return classifier


def _logistic_regression(dataset: CSVDataset, seed: int) -> base.Classifier:
    return _one_vs_rest(linear_model.LogisticRegression(), dataset)


def _oversampled(dataset: CSVDataset, seed: int) -> base.Classifier:
    return imblearn.RandomOverSampler(
        _logistic_regression(dataset, seed),
        desired_dist=dict.fromkeys(dataset.class_counts, 1 / len(dataset.class_counts)),
        seed=seed,
    )


@dataclass(frozen=True)
class Contender:
    """A learner of the table, behind a `StandardScaler`.

    Parameters
    ----------
    make
        The learner for a data set and a seed.
    random
        Whether the seed matters: what is shown is then the median over five seeds, with the least
        and the greatest below.

    """

    make: Callable[[CSVDataset, int], base.Classifier]
    random: bool = False

    @property
    def seeds(self) -> range:
        return range(1, 6) if self.random else range(1)


OURS, OVERSAMPLED = "NR-RLS, l2=0.1", "LogisticRegression, oversampled"

CONTENDERS = {
    OURS: Contender(lambda dataset, seed: NRRLSClassifier(l2=0.1)),
    "NR-RLS, l2=1e-4": Contender(lambda dataset, seed: NRRLSClassifier(l2=1e-4)),
    "LogisticRegression": Contender(_logistic_regression),
    "PAClassifier": Contender(
        lambda dataset, seed: _one_vs_rest(linear_model.PAClassifier(), dataset)
    ),
    OVERSAMPLED: Contender(_oversampled, random=True),
}

# Column to figure, for one learner on one stream.
Figures = dict[str, float]
# Stream to learner to the figures of each run.
Runs = dict[str, dict[str, list[Figures]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command.

    Parameters
    ----------
    parser
        The parser to add them to.

    """
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="number of processes (default: one for every core, %(default)s here)",
    )


def run(args: argparse.Namespace) -> int:
    """Measure, and print one table a stream, the G-means of all and what to look at.

    Parameters
    ----------
    args
        The parsed arguments.

    """
    cells = {
        f"{stream}, {name}, {seed}": (stream, name, seed)
        for stream in STREAMS
        for name, contender in CONTENDERS.items()
        for seed in contender.seeds
    }
    figures = run_cells(measure, cells, n_jobs=args.jobs, what="demo")
    runs = {
        stream: {
            name: [figures[f"{stream}, {name}, {seed}"] for seed in contender.seeds]
            for name, contender in CONTENDERS.items()
        }
        for stream in STREAMS
    }
    for stream in STREAMS:
        print(_table(stream, runs[stream]), end="\n\n")
    print("µs/row: processor time of predict_one and learn_one, the scaler's share included.\n")
    print(_drift(), end="\n\n")
    print(summary(runs), end="\n\n")
    print(_what_to_look_at(runs))
    return 0


def drift(n: int = 3000) -> dict[str, float]:
    """G-means on a stream that drifts, a hyperplane that turns: what forgetting is worth.

    Parameters
    ----------
    n
        Number of rows.

    """
    options: dict[str, Any] = {"l2": 0.1, "scaling": "standard", "classes": (False, True)}
    models: dict[str, Any] = {
        "NR-RLS, all rows": NRRLSClassifier(**options),
        'NR-RLS, forgetting="auto"': NRRLSClassifier(forgetting="auto", **options),
        "LogisticRegression": (preprocessing.StandardScaler() | linear_model.LogisticRegression()),
    }
    matrices = {name: metrics.ConfusionMatrix() for name in models}
    stream = synth.Hyperplane(seed=1, n_features=10, n_drift_features=10, mag_change=0.05)
    for x, y in stream.take(n):
        for name, model in models.items():
            matrices[name].update(bool(y), model.predict_one(x))
            model.learn_one(x, bool(y))
    return {name: metrics.GeometricMean(cm=cm).get() for name, cm in matrices.items()}


def _drift(n: int = 3000) -> str:
    found = ", ".join(f"{name} {g_mean:.3f}" for name, g_mean in drift(n).items())
    return f"A stream that drifts (a hyperplane that turns, {n:,} rows), G-mean: {found}."


def measure(stream: str, name: str, seed: int) -> Figures:
    """One pass of one learner over one stream.

    Parameters
    ----------
    stream
        One of the streams of the demo.
    name
        One of its learners.
    seed
        Seed of the learner.

    """
    # The seeds of the others are repetitions enough.
    passes = 1 if CONTENDERS[name].random else 3
    seconds = statistics.median(
        _validate(stream, name, seed, _Record(labels=True)) for _ in range(passes)
    )
    return {**scores(stream, name, seed), "µs/row": 1e6 * seconds / load(stream).n_samples}


def scores(stream: str, name: str, seed: int) -> Figures:
    """What `measure` says save the time.

    Parameters
    ----------
    stream
        One of the streams of the demo.
    name
        One of its learners.
    seed
        Seed of the learner.

    """
    record = _Record(labels=False)
    _validate(stream, name, seed, record)
    return _scores(record.rows, list(_dataset(stream).class_counts))


def _validate(stream: str, name: str, seed: int, record: _Record) -> float:
    """Seconds of a pass that tests on each row and then trains on it."""
    dataset = _dataset(stream)
    rows: list[tuple[dict[Any, Any], Any]] = list(dataset)
    model = preprocessing.StandardScaler() | CONTENDERS[name].make(dataset, seed)
    start = time.process_time()
    evaluate.progressive_val_score(rows, model, record)
    return time.process_time() - start


class _Record(metrics.base.ClassificationMetric):
    """Keeps what is predicted, so that the time of a pass holds no metric.

    Parameters
    ----------
    labels
        Whether labels are predicted, or probabilities.

    """

    def __init__(self, labels: bool) -> None:
        super().__init__()
        self.labels = labels
        self.rows: list[tuple[Any, Any]] = []

    @property
    def requires_labels(self) -> bool:
        return self.labels

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        self.rows.append((y_true, y_pred))

    def get(self) -> float:
        return len(self.rows)


def _dataset(stream: str) -> CSVDataset:
    dataset, (_, seed) = load(stream), STREAMS[stream]
    return dataset if seed is None else dataset.shuffled(seed)


def _scores(rows: list[tuple[Any, dict[Any, float]]], labels: list[Any]) -> Figures:
    cm = metrics.ConfusionMatrix()
    for y, p in rows:
        cm.update(y, max(p, key=p.__getitem__))
    scores = {
        "G-mean": metrics.GeometricMean(cm=cm).get(),
        "bal. acc.": metrics.BalancedAccuracy(cm=cm).get(),
    }
    for label in labels:
        scores[f"recall {label}"] = metrics.Recall(cm=cm, pos_val=label).get()
    # The area for True, or the mean of those of each class against the rest.
    positive = [True] if set(labels) == {False, True} else labels
    areas = [
        roc_auc(
            np.array([y == label for y, _ in rows]),
            np.array([p.get(label, 0.0) for _, p in rows]),
        )
        for label in positive
    ]
    return {**scores, "ROC AUC": statistics.fmean(areas)}


def roc_auc(positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """The share of pairs of a positive and a negative row in which the positive scores higher.

    Parameters
    ----------
    positive
        Whether each row is positive. Both kinds must be there.
    scores
        What is ranked. A tie counts one half.

    Examples
    --------

    >>> import numpy as np
    >>> from river_nrrls.evaluate.demo import roc_auc

    >>> roc_auc(np.array([True, False, True, False]), np.array([.9, .2, .5, .5]))
    0.875

    """
    negatives = np.sort(scores[~positive])
    below = np.searchsorted(negatives, scores[positive], side="left")
    not_above = np.searchsorted(negatives, scores[positive], side="right")
    return float((below + not_above).mean() / 2 / len(negatives))


def _table(stream: str, runs: dict[str, list[Figures]]) -> str:
    dataset = _dataset(stream)
    share = dataset.class_counts.get(True, 0) / dataset.n_samples
    classes = (
        f"{dataset.n_classes} classes"
        if dataset.positive is None
        else f"{share:.0%} True ({dataset.positive})"
    )
    lines: list[tuple[str, Figures]] = []
    for name, figures in runs.items():
        lines.append((name, _over(statistics.median, figures)))
        if CONTENDERS[name].random:
            lines.append((f"  least of {len(figures)} seeds", _over(min, figures)))
            lines.append((f"  greatest of {len(figures)} seeds", _over(max, figures)))
    columns = list(lines[0][1])
    # "recall 1", "recall 2", …: the word once is enough where there are many.
    many = dataset.n_classes > 2
    heads = [
        head.removeprefix("recall ") if many and i > 2 else head for i, head in enumerate(columns)
    ]
    widths = [max(len(head), 5) for head in heads]
    first = max(len(name) for name, _ in lines)
    out = [
        f"{stream}: {dataset.n_samples:,} rows {STREAMS[stream][0]}, "
        f"{dataset.n_features} features, {classes}",
        " ".join([" " * first, *(h.rjust(w) for h, w in zip(heads, widths, strict=True))]),
    ]
    for name, figure in lines:
        cells = (
            f"{figure[column]:{width}.{1 if column == 'µs/row' else 3}f}"
            for column, width in zip(columns, widths, strict=True)
        )
        out.append(" ".join([name.ljust(first), *cells]))
    return "\n".join(out)


def _over(statistic: Callable[[Iterable[float]], float], figures: list[Figures]) -> Figures:
    return {column: statistic([figure[column] for figure in figures]) for column in figures[0]}


def summary(runs: Runs) -> str:
    """The G-mean of each learner on each stream; over the seeds: median, least and greatest.

    Parameters
    ----------
    runs
        Stream to learner to the figures of each run.

    """
    rows = [("G-mean", *CONTENDERS)]
    for stream, by_name in runs.items():
        cells = [stream]
        for figures in by_name.values():
            g_means = [figure["G-mean"] for figure in figures]
            cell = f"{statistics.median(g_means):.3f}"
            if len(g_means) > 1:
                cell += f" ({min(g_means):.3f} to {max(g_means):.3f})"
            cells.append(cell)
        rows.append(tuple(cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _what_to_look_at(runs: Runs) -> str:
    ahead = [
        stream
        for stream, by_name in runs.items()
        if by_name[OURS][0]["G-mean"] > max(f["G-mean"] for f in by_name[OVERSAMPLED])
    ]
    behind = [stream for stream in runs if stream not in ahead]
    return (
        f"Look at G-mean and µs/row: {OURS}, is ahead of every seed of the oversampler on "
        f"{', '.join(ahead) or 'no stream'}; not on {', '.join(behind) or 'none'}."
    )
