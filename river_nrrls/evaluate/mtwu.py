"""What repeated updates do to the mistake rate, honestly counted and as the paper counts it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from river import base

from ..dense import BinaryClassifier, RuleClassifier, checks
from ..mtwu import MTWUClassifier, accepted_keywords, keep, last_step, replace_last_step

__all__ = ["MTWUCounts", "count_rows", "mtwu_counts"]

# Rows that are put in order at a time: a copy of a large matrix would not fit the caches.
BLOCK = 4096


@dataclass(frozen=True)
class MTWUCounts:
    """The counts of one pass with `m` updates an instance, under both protocols.

    Parameters
    ----------
    n
        Number of instances.
    m
        Number of updates on each.
    clock
        When step counters advanced, at each `"instance"` or `"update"`.
    progressive_mistakes
        Instances whose label was not what the classifier predicted before it learnt them: the
        mistakes of test-then-train, as `river.evaluate.progressive_val_score` has them.
    post_update_mistakes
        Instances whose label was not what the classifier predicted in front of the last of their
        `m` updates, that is after `m - 1` updates on that very instance and label. This is what the
        MTWU paper counts. It says how well a classifier fits the row it has just been shown, and
        nothing about rows to come.
    updates
        Instances whose last update was made (its loss was above 0), as the paper counts them; None
        for a classifier that does not tell.
    total_updates
        Updates made, over all instances and all `m`; None for a classifier that does not tell.
    seconds
        CPU time of the pass, predictions included.

    """

    n: int
    m: int
    clock: str
    progressive_mistakes: int
    post_update_mistakes: int
    updates: int | None
    total_updates: int | None
    seconds: float

    @property
    def progressive_rate(self) -> float:
        """`progressive_mistakes` by instance."""
        return self.progressive_mistakes / self.n

    @property
    def post_update_rate(self) -> float:
        """`post_update_mistakes` by instance."""
        return self.post_update_mistakes / self.n


def _binary_wrong(score: float, code: float) -> bool:
    return (score >= 0.0) != (code > 0.0)


def _multiclass_wrong(score: np.ndarray, code: int) -> bool:
    return int(score.argmax()) != code


def _wrong(learner: RuleClassifier) -> Callable[[Any, Any], bool]:
    return _binary_wrong if isinstance(learner, BinaryClassifier) else _multiclass_wrong


def _learn(
    learner: RuleClassifier, row: np.ndarray, code: Any, w: float, m: int, clock: str
) -> tuple[Any, bool]:
    """Learn an encoded instance by `m` updates.

    Returns the score in front of the last update (None where that is the first) and whether the
    last update was made.
    """
    if learner._clocked and clock == "update":
        for _ in range(m - 1):
            learner._update(row, code, w)
        learner._advance(row, w)
    else:
        if learner._clocked:
            learner._advance(row, w)
        if m > 1:
            made = learner._steps(row, code, w, m - 1)
            learner.n_updates += made
            if made < m - 1:
                # A void update leaves the state as it is, so all that follow are void.
                return learner._score(row), False
    score = learner._score(row) if m > 1 else None
    last = learner._step(row, code, w) > 0.0
    learner.n_updates += last
    return score, last


class _Watched(base.Classifier):
    """Learns for a classifier, `m` times an instance, and notes what the last update saw."""

    def __init__(self, classifier: base.Classifier, m: int, clock: str) -> None:
        self.classifier = classifier
        self.m = m
        self.clock = clock
        # Of the latest instance: whether the prediction before its last update was wrong (None
        # where that is the first prediction), and whether that update was made.
        self.wrong: bool | None = None
        self.updated = False
        self._rule = classifier if isinstance(classifier, RuleClassifier) else None
        self._accepted = accepted_keywords(classifier, "learn_one")

    @property
    def _multiclass(self) -> bool:
        return self.classifier._multiclass

    def learn_one(self, x: Any, y: Any, **kwargs: Any) -> None:
        if self._rule is not None:
            encoded = self._rule._encode(x, y, kwargs.get("w", 1.0))
            if encoded is not None:
                row, code, w = encoded
                score, self.updated = _learn(self._rule, row, code, w, self.m, self.clock)
                self.wrong = None if score is None else _wrong(self._rule)(score, code)
            return
        kwargs = keep(kwargs, self._accepted)
        for _ in range(self.m - 1):
            self.classifier.learn_one(x, y, **kwargs)
        if self.m > 1:
            self.wrong = bool(self.classifier.predict_one(x) != y)
        before = getattr(self.classifier, "n_updates", 0)
        self.classifier.learn_one(x, y, **kwargs)
        self.updated = getattr(self.classifier, "n_updates", 0) > before


def mtwu_counts(
    classifier: base.Classifier, stream: Iterable[Any], m: int, clock: str = "instance"
) -> MTWUCounts:
    """Count the mistakes of `m` updates an instance in one pass, honestly and as the paper does.

    Each instance is predicted, learnt by `m - 1` updates, predicted again, and updated once more.
    The first prediction is the honest one, the second is what the MTWU paper counts.

    Parameters
    ----------
    classifier
        Any river classifier, or a pipeline that ends in one. It is trained, as by
        `river.evaluate.progressive_val_score`; in a pipeline the transformers learn once an
        instance.
    stream
        Pairs of features and label; a third item holds keywords such as the weight `w`.
    m
        Number of updates on each instance.
    clock
        When a learner's step counter advances, as in `MTWUClassifier`.

    Examples
    --------
    What the paper counts falls to nothing; the mistakes that matter do not.

    >>> import river_nrrls as rn
    >>> from river_nrrls import datasets, evaluate

    >>> for m in (1, 4, 16):
    ...     learner = rn.MulticlassOGDClassifier()
    ...     counts = evaluate.mtwu_counts(learner, datasets.load("segment_libsvm"), m)
    ...     print(m, counts.post_update_mistakes, counts.progressive_mistakes)
    1 378 378
    4 34 408
    16 0 423

    """
    checks.positive_integer("m", m)
    checks.choice("instance", "update")("clock", clock)
    if isinstance(last_step(classifier), MTWUClassifier):
        raise ValueError(
            "classifier is an MTWUClassifier already; pass the classifier inside it, since "
            "mtwu_counts makes the m updates itself"
        )
    last = last_step(classifier)
    watched = _Watched(last, m, clock)
    learner = replace_last_step(classifier, lambda _: watched)
    accepted = accepted_keywords(classifier, "predict_one")
    tells = hasattr(last, "n_updates")
    n = progressive = post_update = updates = 0
    before = last.n_updates if tells else 0
    start = time.process_time()
    for x, y, *extra in stream:
        kwargs = dict(extra[0]) if extra else {}
        known = {name: value for name, value in kwargs.items() if name != "w"}
        wrong = bool(classifier.predict_one(x, **keep(known, accepted)) != y)
        watched.wrong, watched.updated = None, False
        learner.learn_one(x, y, **kwargs)
        n += 1
        progressive += wrong
        post_update += wrong if watched.wrong is None else watched.wrong
        updates += watched.updated
    seconds = time.process_time() - start
    return MTWUCounts(
        n=n,
        m=m,
        clock=clock,
        progressive_mistakes=progressive,
        post_update_mistakes=post_update,
        updates=updates if tells else None,
        total_updates=last.n_updates - before if tells else None,
        seconds=seconds,
    )


def count_rows(
    learner: RuleClassifier,
    names: Sequence[Any],
    X: np.ndarray,
    y: np.ndarray,
    order: np.ndarray,
    m: int,
    clock: str = "instance",
) -> MTWUCounts:
    """`mtwu_counts` of a learner of this package over a matrix, without a dict for every row."""
    wrong_of = _wrong(learner)
    score_of = learner._score
    progressive = post_update = updates = 0
    before = learner.n_updates
    known = len(learner._labels)
    start = time.process_time()
    for begin in range(0, len(order), BLOCK):
        block = order[begin : begin + BLOCK]
        for rows, codes, _ in learner._encode_rows(list(names), X[block], y[block].tolist(), None):
            # A label that the learner has never seen is not what it would have predicted.
            new, known = len(learner._labels) > known, len(learner._labels)
            for row, code in zip(rows, codes.tolist(), strict=True):
                wrong = new or wrong_of(score_of(row), code)
                new = False
                score, updated = _learn(learner, row, code, 1.0, m, clock)
                progressive += wrong
                post_update += wrong if score is None else wrong_of(score, code)
                updates += updated
    return MTWUCounts(
        n=len(order),
        m=m,
        clock=clock,
        progressive_mistakes=progressive,
        post_update_mistakes=post_update,
        updates=updates,
        total_updates=learner.n_updates - before,
        seconds=time.process_time() - start,
    )
