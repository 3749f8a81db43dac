"""Friedman's test and Nemenyi's critical difference: do learners differ over data sets?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from ..dense import checks

__all__ = ["FriedmanNemenyi", "friedman_nemenyi", "ranks"]


@dataclass(frozen=True, slots=True)
class FriedmanNemenyi:
    """What `friedman_nemenyi` finds.

    Parameters
    ----------
    n_datasets
        Number of data sets N.
    average_ranks
        Learner to its mean rank over the data sets, 1 being the best; best first.
    statistic
        Friedman's chi-squared, with the correction for ties.
    p_value
        Its probability, were all learners alike.
    critical_difference
        Mean ranks that differ by more are different at `alpha`.
    p_values
        Nemenyi's probability for each pair of learners, were they alike.
    groups
        The largest groups of learners within one critical difference; best first.
    alpha
        The level of `critical_difference` and `groups`.

    """

    n_datasets: int
    average_ranks: dict[str, float]
    statistic: float
    p_value: float
    critical_difference: float
    p_values: dict[tuple[str, str], float] = field(repr=False)
    groups: list[tuple[str, ...]]
    alpha: float

    @property
    def rejected(self) -> bool:
        """Whether Friedman's test finds the learners different at `alpha`."""
        return self.p_value < self.alpha

    def differ(self, first: str, second: str) -> bool:
        """Whether the mean ranks of two learners are more than one critical difference apart.

        Parameters
        ----------
        first
            One learner.
        second
            Another one.

        """
        distance = abs(self.average_ranks[first] - self.average_ranks[second])
        return distance > self.critical_difference


def ranks(values: Sequence[float], higher_is_better: bool = True) -> list[float]:
    """Ranks from 1 for the best; equal values share the mean of their ranks.

    Parameters
    ----------
    values
        One value a learner.
    higher_is_better
        Whether the highest value is the best.

    Examples
    --------

    >>> from river_nrrls import evaluate

    >>> evaluate.ranks([0.9, 0.7, 0.9, 0.8])
    [1.5, 4.0, 1.5, 3.0]

    """
    signed = -np.asarray(values, dtype=float) if higher_is_better else values
    return [float(rank) for rank in stats.rankdata(signed)]


def friedman_nemenyi(
    scores: Mapping[str, Sequence[float]], higher_is_better: bool = True, alpha: float = 0.05
) -> FriedmanNemenyi:
    r"""Compare k learners over N data sets by their ranks.

    Friedman's test asks whether the mean ranks $R_j$ differ at all; Nemenyi's which of them do. Two
    mean ranks differ at $\alpha$ if they are further apart than the critical difference

    $$CD = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}$$

    with $q_\alpha$ the quantile of the studentised range over $\sqrt 2$.

    Parameters
    ----------
    scores
        Learner to its scores, one a data set, in the same order for all learners.
    higher_is_better
        Whether a high score is a good one (G-mean), or a low one (seconds).
    alpha
        Level, in (0, 1).

    Examples
    --------

    >>> from river_nrrls import evaluate

    >>> result = evaluate.friedman_nemenyi({
    ...     "a": [0.9, 0.8, 0.7, 0.9, 0.8],
    ...     "b": [0.8, 0.7, 0.6, 0.8, 0.7],
    ...     "c": [0.5, 0.6, 0.4, 0.3, 0.6],
    ... })
    >>> result.average_ranks
    {'a': 1.0, 'b': 2.0, 'c': 3.0}
    >>> round(result.statistic, 4), round(result.p_value, 4), round(result.critical_difference, 4)
    (10.0, 0.0067, 1.4823)
    >>> result.groups
    [('a', 'b'), ('b', 'c')]

    References
    ----------
    [^1]: [Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets.
        Journal of Machine Learning Research, 7:1-30](https://jmlr.org/papers/v7/demsar06a.html)

    """
    checks.open_unit("alpha", alpha)
    names = list(scores)
    table = np.array([list(scores[name]) for name in names], dtype=float)
    if len(names) < 3 or table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            f"scores must hold at least 3 learners with a score for each of at least 2 data sets, "
            f"got {len(names)} learners"
        )
    if not np.isfinite(table).all():
        bad = names[int(np.argwhere(~np.isfinite(table))[0, 0])]
        raise ValueError(f"scores[{bad!r}] holds a value that is not finite; leave its set out")
    k, n = table.shape
    ranked = np.array([ranks(column.tolist(), higher_is_better) for column in table.T])
    mean = ranked.mean(axis=0)
    statistic, p_value = stats.friedmanchisquare(*table)
    standard_error = math.sqrt(k * (k + 1) / (6.0 * n))
    critical = float(stats.studentized_range.ppf(1.0 - alpha, k, np.inf)) / math.sqrt(2.0)
    order = np.argsort(mean, kind="stable").tolist()
    pairs = {}
    for i, j in itertools.combinations(order, 2):
        distance = abs(mean[i] - mean[j]) / standard_error * math.sqrt(2.0)
        pairs[names[i], names[j]] = float(stats.studentized_range.sf(distance, k, np.inf))
    best_first = [names[i] for i in order]
    sorted_means = mean[order].tolist()
    return FriedmanNemenyi(
        n_datasets=n,
        average_ranks=dict(zip(best_first, sorted_means, strict=True)),
        statistic=float(statistic),
        p_value=float(p_value),
        critical_difference=critical * standard_error,
        p_values=pairs,
        groups=_groups(best_first, sorted_means, critical * standard_error),
        alpha=alpha,
    )


def _groups(names: list[str], means: list[float], width: float) -> list[tuple[str, ...]]:
    """Runs of sorted means within one width, without those that lie in another."""
    runs: list[tuple[int, int]] = []
    for start, mean in enumerate(means):
        stop = max(i for i in range(start, len(means)) if means[i] - mean <= width) + 1
        if not runs or stop > runs[-1][1]:
            runs.append((start, stop))
    return [tuple(names[start:stop]) for start, stop in runs]
