"""Normal herd: learning by velocity constraints (Crammer and Lee 2010)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import Parameter, checks
from .covariance import GaussianClassifier, move, spread


def nherd(
    w: np.ndarray, S: np.ndarray, x: np.ndarray, y: float, C: float, weight: float = 1.0
) -> float:
    """w ← w + lβ y Σx, Σ ← AΣA with A = I - β Σx xᵀ and β = 1/(v + 1/C); returns l.

    AΣA = Σ - β²(v + 2/C) Σx xᵀΣ, which leaves the part (β/C)² of xᵀΣx.
    """
    l: float = 1.0 - y * ddot(w, x)
    if not l > 0.0:
        return 0.0
    f, v = spread(S, x)
    gamma = 1.0 / C
    beta = 1.0 / (v + gamma)
    rest = gamma * beta
    move(w, S, x, f, v, l * beta * y, beta * (1.0 + rest), rest * rest, weight)
    return l


class NHERDClassifier(GaussianClassifier):
    r"""Normal herd.

    Moves ("herds") a whole normal distribution N(w, Σ) of weight vectors by one linear map, so
    that its members on average meet the PA-II criterion. The covariance shrinks faster than AROW's.

    $$l = \max(0, 1 - y\,w^\top x) > 0: \quad v = x^\top\Sigma x, \quad
    \beta = \frac{1}{v + 1/C}, \quad w \leftarrow w + l\,\beta\,y\,\Sigma x, \quad
    \Sigma \leftarrow \Sigma - \beta^2\Big(v + \frac2C\Big)\,\Sigma x\,x^\top\Sigma$$

    Use it like AROW, with a small `C` where labels are noisy.

    Parameters
    ----------
    C
        The larger, the larger the steps; 1/C is AROW's r.
    a
        The covariance starts as a·I.
    covariance
        "full", or "diagonal" for O(d) state and steps: of each step on Σ the diagonal is kept.
    learn_intercept
        Whether each row gets a constant feature 1.

    Notes
    -----
    A sample weight multiplies the step of w; the step of Σ takes a weight below 1, and stays as it
    is above 1. P(True) = Φ(wᵀx / √v).

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.NHERDClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 86.64%

    References
    ----------
    [^1]: [Crammer, K. and Lee, D. D. (2010). Learning via Gaussian Herding. NIPS
        23](https://papers.nips.cc/paper/4043-learning-via-gaussian-herding)

    """

    C = Parameter(checks.positive)

    _mutable = frozenset({"C"})

    def __init__(
        self,
        C: float = 1.0,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.C = C
        super().__init__(a, covariance, learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        return nherd(self._w, self._sigma, row, code, self.C, w)
