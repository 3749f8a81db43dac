"""Adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import Parameter, checks
from .covariance import CLEAR, LOOPED, GaussianClassifier, hinge_step, move, spread


def arow(m: float, v: float, r: float) -> tuple[float, float, float]:
    """α, β and 1 - βv of w ← w + α y Σx, Σ ← Σ - β Σx xᵀΣ, where l = 1 - m > 0."""
    beta = 1.0 / (v + r)
    return (1.0 - m) * beta, beta, r * beta


def arow_times(w: np.ndarray, S: np.ndarray, x: np.ndarray, y: float, r: float, times: int) -> bool:
    """`times` steps of `arow` on the same row in one; False where only the loop will do.

    A step leaves the part r/(r + v) of l and of v, and so k steps leave r/(r + kv). They are one
    step with r/k.
    """
    l = 1.0 - y * ddot(w, x)
    f, v = spread(S, x)
    beta = 1.0 / (v + r / times)
    rest = r / times * beta
    if not min(l, 1.0) * rest > CLEAR:
        return False
    move(w, S, x, f, v, l * beta * y, beta, rest, 1.0)
    return True


class AROWClassifier(GaussianClassifier):
    r"""Adaptive regularisation of weight vectors.

    Keeps a normal distribution N(w, Σ) over weight vectors like CW, but asks no row to be classed
    rightly: it weighs the squared hinge loss, the confidence and the distance from the old
    distribution against each other. That makes it robust to noisy labels.

    $$l = \max(0, 1 - y\,w^\top x) > 0: \quad \beta = \frac{1}{x^\top\Sigma x + r}, \quad
    w \leftarrow w + l\,\beta\,y\,\Sigma x, \quad
    \Sigma \leftarrow \Sigma - \beta\,\Sigma x\,x^\top\Sigma$$

    Use it as a second-order default: correlated features, different scales, noise.

    Parameters
    ----------
    r
        Regularisation: the larger, the smaller the steps.
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
    A sample weight multiplies the step of w; β takes a weight below 1, and stays as it is above 1.
    P(True) = Φ(wᵀx / √(xᵀΣx)).

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.AROWClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 88.80%

    References
    ----------
    [^1]: [Crammer, K., Kulesza, A. and Dredze, M. (2009). Adaptive Regularization of Weight
        Vectors. NIPS
        22](https://papers.nips.cc/paper/3848-adaptive-regularization-of-weight-vectors)

    """

    r = Parameter(checks.positive)

    _mutable = frozenset({"r"})

    def __init__(
        self,
        r: float = 1.0,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.r = r
        super().__init__(a, covariance, learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        return hinge_step(self._w, self._sigma, row, code, arow, self.r, w, self._scratch)

    def _steps(self, row: np.ndarray, code: float, w: float, times: int) -> int:
        if times > LOOPED and w == 1.0 and self.covariance == "full":
            if arow_times(self._w, self._sigma, row, code, self.r, times):
                return times
        return super()._steps(row, code, w, times)
