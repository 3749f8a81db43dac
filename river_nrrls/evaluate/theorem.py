"""Theorem 1 of the MTWU paper, checked on the steps of real runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dense import BinaryClassifier, RuleClassifier, checks
from ..mtwu import is_pipeline

__all__ = ["MTWUBound", "mtwu_bound"]


@dataclass(frozen=True)
class MTWUBound:
    r"""How the bound of Theorem 1 fared on the instances of a run.

    Parameters
    ----------
    n
        Number of instances.
    m
        Number of updates on each, the theorem's $M$.
    violations
        Instances with $\|w^*\|$ above the bound, by more than rounding (1e-12 of it).
    tightness
        Mean and greatest $\|w^*\|$ over the bound, over the instances with a step.
    step_tightness
        Mean and greatest $\|w^* - w^0\|$ over the bound's second term, over the same instances: 1
        where all $M$ steps are equal, and at most $1/\sqrt M$ where one step does it all.

    """

    n: int
    m: int
    violations: int
    tightness: tuple[float, float]
    step_tightness: tuple[float, float]


def mtwu_bound(learner: RuleClassifier, stream: Iterable[Any], m: int) -> MTWUBound:
    r"""Check Theorem 1 of the MTWU paper on the steps that a learner makes.

    The theorem bounds the weights after $M$ updates on one instance by

    $$0 \le \|w^*\| \le \|w^0\| + \sqrt M \Big(\sum_{j=1}^M \|\Delta w^j\|^2\Big)^{1/2}.$$

    It is the triangle inequality followed by Cauchy and Schwarz', so it holds for any $M$ vectors
    whatever. It says neither that the loop converges nor that $w^*$ is optimal.

    Parameters
    ----------
    learner
        A learner of this package with an update rule. It is trained.
    stream
        Pairs of features and label.
    m
        Number of updates on each instance.

    Examples
    --------
    >>> import river_nrrls as rn
    >>> from river_nrrls import datasets, evaluate

    >>> learner = rn.MulticlassOGDClassifier()
    >>> bound = evaluate.mtwu_bound(learner, datasets.load("glass_libsvm"), m=8)
    >>> bound.violations
    0
    >>> bound.tightness
    (0.5650251703633219, 0.7327578070319198)

    """
    checks.positive_integer("m", m)
    if is_pipeline(learner) or not isinstance(learner, RuleClassifier):
        raise TypeError(
            f"learner must be a learner of this package with an update rule, got {learner!r}"
        )
    attribute = "_w" if isinstance(learner, BinaryClassifier) else "_W"
    n = violations = 0
    ratios: list[float] = []
    step_ratios: list[float] = []
    for x, y in stream:
        n += 1
        encoded = learner._encode(x, y, 1.0)
        assert encoded is not None
        row, code, w = encoded
        if learner._clocked:
            learner._advance(row, w)
        start = last = getattr(learner, attribute).copy()
        squares = 0.0
        for _ in range(m):
            made = learner._step(row, code, w) > 0.0
            learner.n_updates += made
            if not made:
                break
            now = getattr(learner, attribute).copy()
            squares += float(np.sum((now - last) ** 2))
            last = now
        if squares == 0.0:
            continue
        second = math.sqrt(m * squares)
        bound = float(np.linalg.norm(start)) + second
        reached = float(np.linalg.norm(last))
        violations += reached > bound * (1.0 + 1e-12)
        ratios.append(reached / bound)
        step_ratios.append(float(np.linalg.norm(last - start)) / second)
    return MTWUBound(n, m, violations, _mean_and_max(ratios), _mean_and_max(step_ratios))


def _mean_and_max(values: list[float]) -> tuple[float, float]:
    return (sum(values) / len(values), max(values)) if values else (0.0, 0.0)
