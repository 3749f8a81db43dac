r"""The scores of least squares as log-odds: pure functions of the class moments.

A label is taken against the rest. A_1 and A_0 are their moments of [1, x], p and q = 1 - p their
shares in the objective, u the solution, so that u.[1, x] is the score f with targets +1 and -1, and
P = (p A_1 / A_1[0, 0] + q A_0 / A_0[0, 0] + diag(ridge))^-1. Matrices are lower triangles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.blas import daxpy, ddot, dscal, dsymv
from scipy.linalg.lapack import dpotrf, dpotri

from ..dense import probability
from . import moments

# Log-odds beyond which 1 - p is below the rounding of p: what lies there is noise.
CERTAIN = 36.0

# The least slope of a link: it keeps the order of the scores where nothing is known of their size.
FLAT = 0.25

# Log-odds that still differ from 0 as probabilities.
TIE = 1e-15

# Below this share of lost degrees of freedom an upper bound serves in place of an inverse.
FEW = 1.0 / 16.0


@dataclass(slots=True)
class Spread:
    """Scores of a label and of the rest on rows that were not learnt.

    `low` and `high` are their means, `middle` is half-way between the means on the rows learnt.
    Divided by `kept` the variances, which are those on the rows learnt, are those on new rows; it
    is 0 where there are no rows to tell, and `free` are the degrees of freedom of each variance.
    """

    low: float
    high: float
    middle: float
    variance_low: float
    variance_high: float
    free_low: float
    free_high: float
    kept: float
    share: float
    n: float

    @property
    def most(self) -> float:
        """The slope of odds from even to n + 1 in half the way between the means."""
        gap = self.high - self.low
        return max(2.0 * math.log(self.n + 1.0) / gap, FLAT) if gap > 0.0 else FLAT

    @property
    def variance(self) -> float:
        return self.share * self.variance_high + (1.0 - self.share) * self.variance_low


def rests(
    A: list[np.ndarray], weight: np.ndarray, n: list[float]
) -> Iterator[tuple[np.ndarray, float]]:
    """For each label the moments of all others taken as one, which weigh something in it, and how
    many rows of one weight they are worth. The matrix is one and the same, written anew."""
    k = [w / Aj.item(0) for w, Aj in zip(weight.tolist(), A, strict=True)]
    left = moments.others(weight)
    shares = (1.0 - np.eye(len(A))) * weight / left[:, None]
    worth = 1.0 / (shares**2 / n).sum(axis=1)
    total, rest = np.empty_like(A[0]), np.empty_like(A[0])
    moments.weighted_sum(k, A, total)
    for i in range(len(A)):
        moments.own_and_rest(i, 0.0, 1.0 / left[i], k, A, total, rest)
        yield rest, float(worth[i])


def spread(
    A1: np.ndarray,
    A0: np.ndarray,
    u: np.ndarray,
    p: float,
    n1: float,
    n0: float,
    ridge: np.ndarray,
    centred: bool,
) -> Spread:
    r"""What scores do on new rows, from those of the n_1 and n_0 rows learnt.

    With $\Sigma_c$ the covariance of class c, $\nu_c = n_c - 1$ and the mean leverage
    $h_c = p_c \, \mathrm{tr}(P \Sigma_c) / \nu_c$, a row left out would have had, in the mean of
    its class, the score $(\mu_c - h_c t_c) / (1 - h_c)$. For Gaussian classes the pooled covariance
    has $1 / \nu = p^2 / \nu_1 + q^2 / \nu_0$ degrees of freedom, of which $\nu h$ are used up,
    $h = p h_1 + q h_0$, and the variance of scores on new rows is that on the rows learnt times
    $(1 - 1/\nu) / ((1 - h)(1 - h - 3/\nu))$, by the moments of the inverse Wishart law.
    """
    q = 1.0 - p
    mean_1, variance_1 = _score_moments(A1, u)
    mean_0, variance_0 = _score_moments(A0, u)
    middle = (mean_1 + mean_0) / 2.0
    nu_1, nu_0 = n1 - 1.0, n0 - 1.0
    if nu_1 <= 0.0 or nu_0 <= 0.0:
        return Spread(-1.0, 1.0, middle, variance_0, variance_1, 0.0, 0.0, 0.0, p, n1 + n0)
    trace_1, trace_0 = _traces(A1, A0, p, ridge, centred, max(p / nu_1, q / nu_0))
    h1, h0 = p * trace_1 / nu_1, q * trace_0 / nu_0
    h = p * h1 + q * h0
    nu = 1.0 / (p * p / nu_1 + q * q / nu_0)
    kept = (1.0 - h) * (1.0 - h - 3.0 / nu) / (1.0 - 1.0 / nu) if 1.0 - h > 3.0 / nu else 0.0
    return Spread(
        low=min((mean_0 + h0) / (1.0 - h0), 1.0) if h0 < 1.0 else 1.0,
        high=max((mean_1 - h1) / (1.0 - h1), -1.0) if h1 < 1.0 else -1.0,
        middle=middle,
        variance_low=variance_0 * n0 / nu_0,
        variance_high=variance_1 * n1 / nu_1,
        free_low=max(nu_0 * (1.0 - h0) - 3.0, 0.0),
        free_high=max(nu_1 * (1.0 - h1) - 3.0, 0.0),
        kept=kept,
        share=p,
        n=n1 + n0,
    )


def _score_moments(A: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Mean and variance of u.[1, x]."""
    Au = dsymv(1.0 / A.item(0), A, u, 0.0, None, 0, 1, 0, 1, 1)
    mean = Au.item(0)
    return mean, max(float(ddot(u, Au)) - mean * mean, 0.0)


def _traces(
    A1: np.ndarray, A0: np.ndarray, p: float, ridge: np.ndarray, centred: bool, most: float
) -> tuple[float, float]:
    r"""$\mathrm{tr}(P \Sigma_1)$ and $\mathrm{tr}(P \Sigma_0)$.

    The diagonal gives the upper bound $\sum_j s_{jj} / (s_{jj} + r_j)$ on $p$ and $q$ times them;
    where even that is little, it serves for both.
    """
    size = len(A1)
    w1, w0 = A1.item(0), A0.item(0)
    a1, a0 = p / w1, (1.0 - p) / w0
    m1, m0 = A1.T[0], A0.T[0]
    diagonal = A1.diagonal() * a1
    daxpy(A0.diagonal(), diagonal, size, a0)
    s = diagonal.copy()
    daxpy(m1 * m1, s, size, -a1 / w1)
    daxpy(m0 * m0, s, size, -a0 / w0)
    np.maximum(s, 0.0, out=s)
    bound = float(np.add.reduce(s / (s + ridge + 1e-300)))
    if bound * most < FEW:
        return bound, bound
    R = np.array(A1, order="F")
    flat = R.ravel(order="K")
    dscal(a1, flat)
    daxpy(A0.ravel(order="K"), flat, size * size, a0)
    if not centred:
        R[1:, 0] = 0.0
    # So much is lost to rounding anyway; without it a singular R would leave noise alone.
    flat[:: size + 1] += ridge + 1e-10 * diagonal + 1e-300
    L, info = dpotrf(R, 1, 0, 1)
    if info:
        return math.inf, math.inf
    P, _ = dpotri(L, 1, 1)
    return _trace(P, A1), _trace(P, A0)


def _trace(P: np.ndarray, A: np.ndarray) -> float:
    """tr(P Sigma) from the lower triangles of P and of the moments A."""
    n, m = A.item(0), A.T[0]
    both = 2.0 * ddot(P.ravel(order="K"), A.ravel(order="K")) - ddot(P.diagonal(), A.diagonal())
    mean = ddot(m, dsymv(1.0 / n, P, m, 0.0, None, 0, 1, 0, 1, 1))
    return max(float((both - mean) / n), 0.0)


# Links: log-odds as a strictly increasing function of the score, a number or an array. Their fields
# are numbers where all labels share one link, and arrays of one entry a label else.


@dataclass(slots=True)
class Line:
    """slope f + offset."""

    slope: Any
    offset: Any

    def __call__(self, f: Any) -> Any:
        return self.slope * f + self.offset


@dataclass(slots=True)
class Bend:
    """The integral of `slope + bend (f - start)`, held between `least` and `most`, plus `value`.

    Without the bounds it is the log-ratio of two normal densities. That turns back where the
    narrower class lies in the midst of the wider one; held at `least` it does not.
    """

    start: Any
    value: Any
    slope: Any
    bend: Any
    most: Any

    def __call__(self, f: Any) -> Any:
        run = f - self.start
        level = abs(self.bend) < 1e-6
        bend = self.bend + level
        area = (self._area(self.slope + bend * run) - self._area(self.slope)) / bend
        return self.value + area + level * (self._held(self.slope) * run - area)

    def _area(self, g: Any) -> Any:
        """The integral of the held slope over the slope."""
        held = self._held(g)
        return held * (g - held / 2.0)

    def _held(self, g: Any) -> Any:
        if isinstance(g, float):
            return min(max(g, FLAT), self.most)
        return np.clip(g, FLAT, self.most)


@dataclass(slots=True)
class Clip:
    """log((1 + f) / (1 - f)) + offset: Appendix A of the paper.

    The score of a linear function leaves [-1, 1]. It is held where the odds are `n + 1`, by the
    rule of succession, but for a hundredth that keeps the order.
    """

    n: Any
    offset: Any

    def __call__(self, f: Any) -> Any:
        least = 1.0 / (self.n + 2.0)
        size = np.abs(f)
        beyond = np.maximum(size - (1.0 - 2.0 * least), 0.0)
        tail = least * (0.99 + 0.01 / (1.0 + beyond))
        small = np.where(beyond > 0.0, tail, (1.0 - size) / 2.0)
        return np.copysign(np.log1p(-small) - np.log(small), f) + self.offset


def line(s: Spread) -> tuple[float, float]:
    r"""Slope and middle of the log-odds of two normal classes of one variance.

    $$\text{logit} = \frac{\mu_1 - \mu_0}{v} \left(f - \frac{\mu_1 + \mu_0}{2}\right)$$

    For many rows, equal shares and no ridge this is $2 f / (1 - \rho)$ with
    $\rho = (\mu_1 - \mu_0) / 2$. At a class's mean n rows cannot vouch for odds above n + 1.
    """
    gap = (s.high - s.low) * s.kept
    own = gap / max(s.variance, gap / s.most) if gap > 1e-100 else 0.0
    return max(own, FLAT), s.middle


def bend(s: Spread) -> tuple[float, float, float, float, float]:
    r"""Start, value and slope there, bend and largest slope of the log-odds of two normal classes.

    The start is where the odds are even, if that is between the classes' means: held slopes then
    hold the odds at both means. Each variance is drawn towards the pooled one, as its logarithm has
    itself a variance of 2 over its degrees of freedom, and the true ones differ by some 1/4.
    """
    gap = s.high - s.low
    if gap <= 0.0 or s.kept == 0.0:
        return s.middle, 0.0, 0.0, 0.0, FLAT
    precision = []
    for variance, free in ((s.variance_low, s.free_low), (s.variance_high, s.free_high)):
        own = s.variance + free / (free + 8.0) * (variance - s.variance)
        precision.append(s.kept / max(own, 1e-12))
    low, high = precision
    value = gap * gap / 8.0 * (low - high) + math.log(high / low) / 2.0
    slope, turn = gap / 2.0 * (low + high), low - high
    square = slope * slope - 2.0 * turn * value
    run = -2.0 * value / (slope + math.sqrt(square)) if square > 0.0 else math.copysign(gap, -value)
    run = min(max(run, -gap / 2.0), gap / 2.0)
    value += run * (slope + turn * run / 2.0)
    return (s.low + s.high) / 2.0 + run, value, slope + turn * run, turn, s.most


Link = Line | Bend | Clip


def alone(n: float, log_prior_odds: list[float] | None) -> Link:
    """The link of two labels of which at most one has been seen; its score is -1, 0 or 1.

    What is known of the other one is that n rows were none of it.
    """
    if log_prior_odds is None:
        return Line(FLAT, 0.0)
    odds = log_prior_odds[1]
    return Line(FLAT, odds) if math.isfinite(odds) else Line(math.log(n + 1.0), 0.0)


def link(calibration: str, spreads: list[Spread], log_prior_odds: list[float] | None) -> Link:
    """The link of the second of two labels, from one spread, or of more labels against the rest.

    Without prior odds it agrees with the decision: for two labels it is 0 where the score is, and
    more labels share one link, the mean of theirs.
    """
    agrees, two = log_prior_odds is None, len(spreads) == 1
    n = spreads[0].n
    odds: Any
    if log_prior_odds is None:
        odds = 0.0 if two else -math.log(len(spreads) - 1.0)
    else:
        odds = log_prior_odds[1] if two else np.array(log_prior_odds)
    if calibration == "lda":
        slope, middle = _fields([line(s) for s in spreads], agrees)
        return Line(slope, odds - slope * (0.0 if agrees and two else middle))
    if calibration == "gaussian":
        middle, value, slope, turn, most = _fields([bend(s) for s in spreads], agrees)
        if agrees and two:
            middle, value, slope = 0.0, 0.0, slope - turn * middle
        return Bend(middle, value + odds, slope, turn, most)
    (against,) = _fields([(math.log((1.0 - s.share) / s.share),) for s in spreads], agrees)
    return Clip(n, odds if agrees and two else odds + against)


def _fields(rows: list[tuple[float, ...]], agrees: bool) -> Any:
    """Each field as a number, or as an array of one entry a label."""
    if len(rows) == 1:
        return rows[0]
    table = np.array(rows)
    return table.mean(axis=0).tolist() if agrees else table.T


# From log-odds to probabilities, and back.


def log_odds(own: float, rest: float) -> float:
    """log(own / rest), infinite where one of them is 0."""
    if own > 0.0 and rest > 0.0:
        return math.log(own) - math.log(rest)
    return -math.inf if rest > 0.0 else math.inf


def pair(odds: float, score: float, agrees: bool) -> tuple[float, float]:
    """Probabilities of False and True."""
    if agrees and score and abs(odds) < TIE:
        odds = math.copysign(TIE, score)
    return probability.logistic_pair(min(max(odds, -CERTAIN), CERTAIN))


def pairs(odds: np.ndarray, scores: np.ndarray, agrees: bool) -> np.ndarray:
    """`pair` of each score, (n, 2)."""
    if agrees:
        lost = (np.abs(odds) < TIE) & (scores != 0.0)
        odds = np.where(lost, np.copysign(TIE, scores), odds)
    return probability.logistic_pairs(np.clip(odds, -CERTAIN, CERTAIN))


def seen_only(n: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Probabilities before there is a second class: the classes seen, or all of them, alike."""
    seen = n > 0.0 if n.any() else n == 0.0
    return np.asarray(np.broadcast_to(seen / seen.sum(), shape))


def shares(odds: np.ndarray, scores: np.ndarray, agrees: bool) -> np.ndarray:
    """Probabilities by label in proportion to one-vs-rest ones, (n, K)."""
    odds = np.clip(odds, -CERTAIN, CERTAIN)
    proba = probability.softmax(-np.logaddexp(0.0, -odds))
    if agrees:
        rows = np.arange(len(proba))
        chosen = scores.argmax(axis=1)
        lost = proba.argmax(axis=1) != chosen
        proba[rows[lost], chosen[lost]] = np.nextafter(proba[lost].max(axis=1), 1.0)
    return proba
