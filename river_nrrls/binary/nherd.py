"""Normal herd: learning by velocity constraints (Crammer and Lee 2010)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import Parameter, checks
from .covariance import CLEAR, LOOPED, GaussianClassifier, hinge_step, move, spread


def nherd(m: float, v: float, C: float) -> tuple[float, float, float]:
    """The α of w ← w + α y Σx, where l = 1 - m > 0, and the β and 1 - βv of Σ ← Σ - β Σx xᵀΣ.

    With δ = 1/(v + 1/C) the paper's step is α = lδ, Σ ← AΣAᵀ with A = I - δ Σx xᵀ. That is
    β = δ²(v + 2/C), which leaves the part (δ/C)² of v.
    """
    gamma = 1.0 / C
    delta = 1.0 / (v + gamma)
    rest = gamma * delta
    return (1.0 - m) * delta, delta * (1.0 + rest), rest * rest


def nherd_times(
    w: np.ndarray, S: np.ndarray, x: np.ndarray, y: float, C: float, times: int
) -> bool:
    """`times` steps of `nherd` on the same row in one; False where only the loop will do.

    A step leaves the part p = γ/(v + γ) of l, γ = 1/C, and p² of v. Σx stays in its direction: it
    is `left` times what it was, and so is v.
    """
    l = 1.0 - y * ddot(w, x)
    f, v = spread(S, x)
    gamma = 1.0 / C
    step, part, left = 0.0, 1.0, 1.0
    for _ in range(times):
        beta = 1.0 / (left * v + gamma)
        step += part * beta * left
        part *= gamma * beta
        left = part * part
    if not (min(l, 1.0) * part > CLEAR and left > CLEAR and v > 0.0):
        return False
    move(w, S, x, f, v, l * step * y, (1.0 - left) / v, left, 1.0)
    return True


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

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.
    covariance_matrix
        Σ, or its diagonal, in the order of `[intercept, *weights]`.

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
        return hinge_step(self._w, self._sigma, row, code, nherd, self.C, w, self._scratch)

    def _steps(self, row: np.ndarray, code: float, w: float, times: int) -> int:
        if times > LOOPED and w == 1.0 and self.covariance == "full":
            if nherd_times(self._w, self._sigma, row, code, self.C, times):
                return times
        return super()._steps(row, code, w, times)
