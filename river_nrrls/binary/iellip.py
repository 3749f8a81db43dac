"""The improved ellipsoid method (Yang, Jin and Ye 2009)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import Parameter, checks
from .covariance import SecondOrderClassifier, move, spread
from .cw import FLAT, VAST

# Where the product of the factors 1/(1 - c_t) ends.
GROWN = 1e300


def iellip(
    w: np.ndarray, S: np.ndarray, x: np.ndarray, y: float, c_t: float, weight: float = 1.0
) -> float:
    """On a mistake, cut the ellipsoid Σ around w by the row's half-space. Returns 1 or 0.

    Without the factor 1/(1 - c_t): neither scores nor steps depend on the scale of Σ.
    """
    if (ddot(w, x) >= 0.0) == (y > 0.0):
        return 0.0
    f, v = spread(S, x)
    if FLAT < v < VAST:
        alpha = (1.0 - y * ddot(w, x)) / v
        move(w, S, x, f, v, y * alpha, c_t / v, 1.0 - c_t, weight)
    return 1.0


class IELLIPClassifier(SecondOrderClassifier):
    r"""Improved ellipsoid method.

    The weight vectors that class all rows rightly lie in an ellipsoid around $w$ with shape Σ; a
    mistake cuts it, the less the later it comes, so that it also copes with classes that overlap.

    $$\hat y \neq y: \qquad v = x^\top\Sigma x, \qquad
    w \leftarrow w + \frac{1 - y\,w^\top x}{v}\,y\,\Sigma x, \qquad
    \Sigma \leftarrow \frac{1}{1 - c_t}\Big(\Sigma - \frac{c_t}{v}\,\Sigma x\,x^\top\Sigma\Big)$$

    with $c_t = c\,b^{t-1}$ on row $t$, mistaken or not: with the defaults Σ rests after some thirty
    rows and the learner is a PA that only moves on mistakes.

    Use it on short, nearly separable streams; with a `b` near 1 on longer ones.

    Parameters
    ----------
    b
        Decay of the cuts; in (0, 1).
    c
        Depth of the first cut; in (0, 1).
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
    A sample weight multiplies the step of w; c_t takes a weight below 1, and stays as it is above.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.IELLIPClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 82.88%

    References
    ----------
    [^1]: [Yang, L., Jin, R. and Ye, J. (2009). Online Learning by Ellipsoid Method.
        ICML](https://doi.org/10.1145/1553374.1553521)

    """

    b = Parameter(checks.open_unit)
    c = Parameter(checks.open_unit)

    _state_attributes = ("_t", "_growth")
    _mutable = frozenset({"b", "c"})
    _clocked = True

    def __init__(
        self,
        b: float = 0.3,
        c: float = 0.1,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.b = b
        self.c = c
        super().__init__(a, covariance, learn_intercept)

    def _reset(self) -> None:
        super()._reset()
        self._t = 0
        self._growth = 1.0

    def _advance(self, row: np.ndarray, w: float) -> None:
        self._t += 1

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        c_t = self.c * self.b ** (self._t - 1)
        l = iellip(self._w, self._sigma, row, code, c_t, w)
        # A row of zeros is counted and cuts nothing.
        if l > 0.0 and row.any():
            self._growth = min(self._growth / (1.0 - min(w, 1.0) * c_t), GROWN)
        return l

    @property
    def covariance_matrix(self) -> np.ndarray:
        return super().covariance_matrix * self._growth
