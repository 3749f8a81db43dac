"""The scores of least squares as log-odds of Gaussian classes."""

from __future__ import annotations

import math

import numpy as np

from ..dense import probability

# Log-odds beyond which 1 - p is below the rounding of p: what lies there is noise.
CERTAIN = 36.0


def lda_link(
    scores: np.ndarray,
    seen: np.ndarray,
    shares: np.ndarray,
    rest: np.ndarray,
    log_prior_odds: np.ndarray | None,
    n: float,
) -> tuple[float, np.ndarray]:
    r"""Slope and offsets by label of the log-odds of a label against the rest.

    For Gaussian classes of one covariance, shares p and q = 1 - p of a label and the rest in the
    objective and targets -1 and +1, the score f satisfies
    logit = (f - (p - q)(1 - rho)) / (2 p q (1 - rho)) + log(pi / (1 - pi)), where rho is half the
    distance of the classes' mean scores. To agree with the decision all labels get one slope, and
    two labels no offset.

    `scores[j, i]` is the mean score of label i over class j, `rest` what labels weigh in a rest.
    """
    labels = np.flatnonzero(seen)
    rho = []
    for i in labels:
        others = labels[labels != i]
        far = np.average(scores[others, i], weights=rest[others])
        rho.append((scores[i, i] - far) / 2.0)
    p = shares[labels]
    q = 1.0 - p
    pq = 2.0 * p * q
    # n rows cannot tell that classes are further apart than that one of them might be wrong.
    least = max(1e-6, 1.0 / (2.0 + n))
    slope = float(np.mean(1.0 / (pq * np.clip(1.0 - np.array(rho), least, 1.0))))
    offsets = np.full(len(seen), -np.inf)
    if log_prior_odds is not None:
        offsets[labels] = (q - p) / pq + log_prior_odds[labels]
    elif len(labels) == 2:
        offsets[labels] = 0.0
    else:
        offsets[labels] = float(np.mean((q - p) / pq)) - math.log(len(labels) - 1)
    return slope, offsets


def seen_only(n: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Probabilities before there is a second class: the classes seen, or all of them, alike."""
    seen = n > 0.0 if n.any() else n == 0.0
    return np.asarray(np.broadcast_to(seen / seen.sum(), shape))


def pair(score: float, slope: float, offset: float) -> tuple[float, float]:
    """Probabilities of False and True."""
    return probability.logistic_pair(min(max(slope * score + offset, -CERTAIN), CERTAIN))


def pairs(scores: np.ndarray, slope: float, offset: float) -> np.ndarray:
    """`pair` of each score, (n, 2)."""
    return probability.logistic_pairs(np.clip(slope * scores + offset, -CERTAIN, CERTAIN))


def proba(scores: np.ndarray, slope: float, offsets: np.ndarray) -> np.ndarray:
    """Probabilities by label in proportion to one-vs-rest ones; (n, K)."""
    odds = np.clip(slope * scores + offsets, -CERTAIN, CERTAIN)
    odds[..., np.isneginf(offsets)] = -np.inf
    return probability.softmax(-np.logaddexp(0.0, -odds))
