"""Confidence-weighted learning (Dredze, Crammer and Pereira 2008)."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import Parameter, checks
from .covariance import GaussianClassifier, move, quantile, spread

# A margin beyond FAR has a square that overflows; a variance outside of FLAT and VAST an inverse
# that does, or none.
FAR, FLAT, VAST = -1e150, 1e-290, 1e305

# Rows that contradict each other would shrink Σ without end, in their direction alone. The variance
# xᵀΣx / xᵀx stays above LEAST of the trace of Σ, about what a matrix in double precision holds, and
# above LEAST_OF_ALL where all of Σ shrinks.
LEAST, LEAST_OF_ALL = 1e-14, 1e-250


def standardised(
    w: np.ndarray, S: np.ndarray, x: np.ndarray, y: float, scratch: np.ndarray | None
) -> tuple[float, np.ndarray, float]:
    """The margin m/√v, the f of `spread`, and v; a row without a variance has an endless margin."""
    f, v = spread(S, x, scratch)
    if not FLAT < v < VAST:
        return math.inf, f, v
    return max(y * ddot(w, x) / math.sqrt(v), FAR), f, v


def certain(alpha: float, phi: float) -> tuple[float, float]:
    """β and 1 - β of the paper for a step α on a row with v = 1.

    u = ¼(√(α²φ² + 4) - αφ)² and β = αφ/(√u + αφ), with the root of u rationalised.
    """
    c = alpha * phi
    root = 2.0 / (math.sqrt(c * c + 4.0) + c)
    return c / (root + c), root / (root + c)


def bounded(
    S: np.ndarray, x: np.ndarray, v: float, beta: float, rest: float, part: float
) -> tuple[float, float]:
    """β and 1 - β that leave xᵀΣx / xᵀx at or above this part of the trace of Σ."""
    trace = float((S * S).sum() if S.ndim == 2 else S.sum())
    least = max(part * trace, LEAST_OF_ALL)
    rest = max(rest, min(1.0, least * ddot(x, x) / v))
    return min(beta, 1.0 - rest), rest


def cw(
    w: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    y: float,
    phi: float,
    a: float,
    weight: float = 1.0,
    scratch: np.ndarray | None = None,
) -> float:
    """The least change of N(w, Σ), in relative entropy, that classes x with probability η.

    The step is that on x/√v, for which v = 1: α and β below are α√v and βv. Returns φ√v - m.
    """
    m, f, v = standardised(w, S, x, y, scratch)
    l = phi - m
    if not l > 0.0:
        return 0.0
    psi = 1.0 + 0.5 * phi * phi
    xi = 1.0 + phi * phi
    alpha = max(0.0, (-m * psi + math.sqrt(0.25 * m * m * phi**4 + phi * phi * xi)) / xi)
    beta, rest = certain(alpha, phi)
    # The trace is never above a d, and only summed up where it may matter.
    if rest * v < LEAST * a * len(w) * ddot(x, x):
        beta, rest = bounded(S, x, v, beta, rest, LEAST)
    deviation = math.sqrt(v)
    move(w, S, x, f, v, y * alpha / deviation, beta / v, rest, weight)
    return l * deviation


class CWClassifier(GaussianClassifier):
    r"""Confidence-weighted learning, the exact ("stdev") form.

    Keeps a normal distribution N(w, Σ) over weight vectors. Each row is made to be classed rightly
    with probability `eta`, by the least change of the distribution; features seen often become
    certain and move little.

    $$m = y\,w^\top x, \quad v = x^\top\Sigma x, \quad \phi = \Phi^{-1}(\eta), \quad
    \psi = 1 + \tfrac12\phi^2, \quad \xi = 1 + \phi^2$$

    $$m < \phi\sqrt v: \quad w \leftarrow w + \alpha\,y\,\Sigma x, \quad
    \Sigma \leftarrow \Sigma - \beta\,\Sigma x\,x^\top\Sigma$$

    $$\alpha = \max\Big(0, \frac{-m\psi + \sqrt{m^2\phi^4/4 + v\phi^2\xi}}{v\,\xi}\Big), \quad
    \sqrt u = \tfrac12\big(\sqrt{\alpha^2v^2\phi^2 + 4v} - \alpha v\phi\big), \quad
    \beta = \frac{\alpha\phi}{\sqrt u + \alpha\phi v}$$

    The covariance is kept as a square root, so it stays positive definite where the plain
    recursion turns negative (raw features in thousands, `eta` = 0.9) and stops learning.

    Use it for many features and clean labels. Every row is believed: with noise take SCW or AROW.

    Parameters
    ----------
    eta
        Probability with which the newest row must be classed rightly; in (0.5, 1).
    a
        The covariance starts as a·I.
    covariance
        "full", or "diagonal" for O(d) state and steps: of each step on Σ the diagonal is kept.
    learn_intercept
        Whether each row gets a constant feature 1.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.
    covariance_matrix
        Σ, or its diagonal, in the order of `[intercept, *weights]`.

    Notes
    -----
    A sample weight multiplies α; β takes a weight below 1, and stays as it is above 1.
    P(True) = Φ(wᵀx / √v).

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.CWClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 83.28%

    References
    ----------
    [^1]: [Dredze, M., Crammer, K. and Pereira, F. (2008). Confidence-Weighted Linear
        Classification. ICML](https://doi.org/10.1145/1390156.1390190)
    [^2]: [Crammer, K., Dredze, M. and Pereira, F. (2008). Exact Convex Confidence-Weighted
        Learning. NIPS
        21](https://papers.nips.cc/paper/3437-exact-convex-confidence-weighted-learning)

    """

    eta = Parameter(checks.interval(0.5, 1.0, "neither"))

    _mutable = frozenset({"eta"})

    def __init__(
        self,
        eta: float = 0.7,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.eta = eta
        super().__init__(a, covariance, learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        phi = quantile(self.eta)
        return cw(self._w, self._sigma, row, code, phi, self.a, w, self._scratch)
