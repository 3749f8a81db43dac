"""The covariance of a second-order learner, kept so that it cannot stop being positive definite.

Every rule here ends in Σ ← Σ - β Σx xᵀΣ with 0 ≤ β xᵀΣx < 1. Subtracted from Σ itself this loses
all digits as soon as the variance along a row falls by 1e16 (raw features in thousands, a high
confidence), and what is left may be negative. So a full covariance is stored as a square root,
Σ = S Sᵀ, which Potter's update takes along (Battin, Astronautical Guidance, 1964):

    f = Sᵀx,   S ← S (I - κ f fᵀ),   κ = β / (1 + √(1 - β fᵀf)).

xᵀΣx = fᵀf is a sum of squares, and S keeps its rank: the factor along f is √(1 - β fᵀf) > 0.
A diagonal covariance is stored as its variances; of the rule's step on Σ it takes the diagonal.

A sample weight multiplies the step of w. Σ takes β times a weight below 1, and β itself for one
above, since a multiple of β could take away more than there is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.linalg.blas import daxpy, ddot, dgemv, dger, dnrm2, dscal

from ..dense import BinaryClassifier, SecondOrder
from .steps import LONGEST_SQUARED

# A row that leaves less than STEEP of the standard deviation along it (AROW: ‖x‖ > 1e6 √r) is
# looked at twice: what is left must stay above DIGITS of ‖S‖, or rounding would cost S its rank.
STEEP, DIGITS = 1e-6, 1e-14
# A smaller variance would lose digits, and then vanish.
VANISHING = 1e-305

# More steps than this on the same row are taken in one where a rule can. Fewer cost little as a
# loop, which is what a user would write, to the last bit.
LOOPED = 8
# They must end in a loss this clear of 0: nearer to it rounding may make one of the loop's void.
CLEAR = 1e-9

# Φ(-37) = 6e-300: beyond it the smaller probability would underflow.
FARTHEST = 37.0


def spread(
    S: np.ndarray, x: np.ndarray, scratch: np.ndarray | None = None
) -> tuple[np.ndarray, float]:
    """f and v = xᵀΣx, where f = Sᵀx for a root S and f = Σx for variances S.

    With a scratch vector f is written there, for less than what room for it costs.
    """
    if S.ndim == 2:
        if scratch is None:
            scratch = np.zeros(len(x))
        f = dgemv(1.0, S, x, 0.0, scratch, 0, 1, 0, 1, 1, 1)
        return f, ddot(f, f)
    f = S * x
    return f, ddot(f, x)


def direction(S: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Σx, from the f of `spread`."""
    return dgemv(1.0, S, f) if S.ndim == 2 else f


def shrink(
    S: np.ndarray,
    x: np.ndarray,
    f: np.ndarray,
    s: np.ndarray,
    beta: float,
    rest: float,
    weight: float,
) -> None:
    """Σ ← Σ - min(weight, 1) β s sᵀ, with s = Σx and rest = 1 - βv; f and s are used up."""
    if weight < 1.0:
        beta *= weight
        rest = 1.0 - weight * (1.0 - rest)
    if not beta > 0.0:
        return
    root = math.sqrt(rest)
    if S.ndim == 2:
        if root < STEEP:
            beta, root = _gentle(S, x, f, root)
        dger(-beta / (1.0 + root), s, f, 1, 1, S, 1, 1, 1)
    else:
        s = dscal(math.sqrt(beta), s)
        s *= s
        if root > STEEP:
            daxpy(s, S, len(S), -1.0)
        else:
            np.maximum(S - s, np.maximum(rest * S, VANISHING), out=S)


def _gentle(S: np.ndarray, x: np.ndarray, f: np.ndarray, root: float) -> tuple[float, float]:
    """β, and √(1 - β fᵀf) that leaves S its rank; f may be that of a multiple of x."""
    deviation = dnrm2(spread(S, x)[0])
    least = DIGITS * float(np.linalg.norm(S)) * dnrm2(x)
    if deviation <= least:
        return 0.0, 1.0
    root = max(root, least / deviation)
    size = dnrm2(f)
    return (1.0 - root * root) / size / size, root


def move(
    w: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    f: np.ndarray,
    v: float,
    alpha: float,
    beta: float,
    rest: float,
    weight: float,
) -> None:
    """w ← w + weight α Σx and Σ ← Σ - min(weight, 1) β Σx xᵀΣ, with v = xᵀΣx and rest = 1 - βv.

    A step of w longer than LONGEST is left out; α√v bounds its length, but for a factor √a.
    """
    s = dgemv(1.0, S, f) if S.ndim == 2 else f
    step = weight * alpha
    if step * step * v <= LONGEST_SQUARED:
        daxpy(s, w, len(w), step)
    shrink(S, x, f, s, beta, rest, weight)


def hinge_step(
    w: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    y: float,
    rule: Callable[[float, float, float], tuple[float, float, float]],
    parameter: float,
    weight: float,
    scratch: np.ndarray,
) -> float:
    """One step where l = 1 - m > 0, with α, β and 1 - βv of `rule(m, v, parameter)`; returns l.

    It is `spread` and `move` in one, with room for f: two calls and an allocation are a tenth of
    what a row costs.
    """
    m: float = y * ddot(w, x)
    if not m < 1.0:
        return 0.0
    full = S.ndim == 2
    if full:
        f = dgemv(1.0, S, x, 0.0, scratch, 0, 1, 0, 1, 1, 1)
        v = ddot(f, f)
        s = dgemv(1.0, S, f)
    else:
        s = f = S * x
        v = ddot(f, x)
    alpha, beta, rest = rule(m, v, parameter)
    step = weight * y * alpha
    if step * step * v <= LONGEST_SQUARED:
        daxpy(s, w, len(w), step)
    if full and weight >= 1.0 and rest > STEEP:
        dger(-beta / (1.0 + math.sqrt(rest)), s, f, 1, 1, S, 1, 1, 1)
    else:
        shrink(S, x, f, s, beta, rest, weight)
    return 1.0 - m


@lru_cache
def quantile(eta: float) -> float:
    """φ = Φ⁻¹(η) of the standard normal distribution."""
    # Imported where needed: it is slow to load, and most learners have no use for it.
    from statistics import NormalDist

    return NormalDist().inv_cdf(eta)


def normal_pair(z: float) -> tuple[float, float]:
    """Φ(-z) and Φ(z), each by itself: 1 - p loses the small one."""
    z = min(max(z, -FARTHEST), FARTHEST) * math.sqrt(0.5)
    return 0.5 * math.erfc(z), 0.5 * math.erfc(-z)


class CovarianceRoot(SecondOrder):
    """A rule with a covariance: `_sigma` is S, the root of Σ, or the diagonal's variances."""

    def _initial(self) -> float:
        return math.sqrt(self.a) if self.covariance == "full" else float(self.a)

    @property
    def covariance_matrix(self) -> np.ndarray:
        """Σ (its diagonal for `covariance="diagonal"`), in the order of `[intercept, *weights]`."""
        S = self._sigma
        return S @ S.T if S.ndim == 2 else S.copy()


class SecondOrderClassifier(CovarianceRoot, BinaryClassifier):
    """A binary rule with a covariance.

    Parameters
    ----------
    a
        The covariance starts as a·I.
    covariance
        Whether to keep the full covariance, or only its diagonal.
    learn_intercept
        Whether each row gets a constant feature 1.

    """

    def __init__(self, a: float, covariance: str, learn_intercept: bool) -> None:
        self.a = a
        self.covariance = covariance
        super().__init__(learn_intercept)


class GaussianClassifier(SecondOrderClassifier):
    """A rule whose state is a normal distribution over weight vectors, N(w, Σ).

    P(True) = Φ(wᵀx / √(xᵀΣx)): the probability that a weight vector drawn from it says True.
    """

    def _new_row(self) -> None:
        super()._new_row()
        self._scratch = np.zeros_like(self._row)

    def _pair(self, score: float, row: np.ndarray) -> tuple[float, float]:
        S = self._sigma
        f = spread(S, row)[0] if S.ndim == 2 else np.sqrt(S) * row
        deviation = dnrm2(f)
        return normal_pair(score / deviation if deviation > 0.0 else 0.0)

    def _pairs(self, scores: np.ndarray, rows: np.ndarray) -> np.ndarray:
        S = self._sigma
        # Rows of 1e-200 have squares of 0.
        scale = np.abs(rows).max(axis=1, initial=1e-307)
        f = (rows / scale[:, None]) @ S if S.ndim == 2 else rows / scale[:, None] * np.sqrt(S)
        deviation = np.linalg.norm(f, axis=1) * scale
        z = np.divide(scores, deviation, out=np.zeros(len(rows)), where=deviation > 0.0)
        return np.array([normal_pair(value) for value in z.tolist()]).reshape(-1, 2)
