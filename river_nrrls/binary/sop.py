"""The second-order Perceptron (Cesa-Bianchi, Conconi and Gentile 2005)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import Parameter, checks
from .covariance import SecondOrderClassifier, direction, shrink, spread
from .steps import add


def whiten(S: np.ndarray, x: np.ndarray, weight: float = 1.0) -> None:
    """Σ ← Σ - Σx xᵀΣ / (1 + xᵀΣx), so that Σ⁻¹ grows by x xᵀ."""
    f, v = spread(S, x)
    beta = 1.0 / (1.0 + v)
    shrink(S, x, f, direction(S, f), beta, beta, weight)


def sop(
    w: np.ndarray, S: np.ndarray, x: np.ndarray, y: float, form: str, weight: float = 1.0
) -> float:
    """On a mistake of sign(wᵀΣx) w ← w + y x, and (form "paper") x joins Σ. Returns 1 or 0."""
    f, v = spread(S, x)
    s = direction(S, f)
    if (ddot(w, s) >= 0.0) == (y > 0.0):
        return 0.0
    if form == "paper":
        beta = 1.0 / (1.0 + v)
        shrink(S, x, f, s, beta, beta, weight)
    add(w, x, weight * y)
    return 1.0


class SOPClassifier(SecondOrderClassifier):
    r"""Second-order Perceptron.

    A Perceptron on rows that are whitened by the correlation matrix of the rows that have entered
    it: directions in which the data vary much count less.

    $$\hat y = \mathrm{sign}(w^\top \Sigma\,x), \qquad
    \hat y \ne y: \quad w \leftarrow w + y\,x, \quad
    \Sigma \leftarrow \Sigma - \frac{\Sigma x\,x^\top\Sigma}{1 + x^\top\Sigma x}$$

    The paper predicts with x itself in Σ; that divides the score by $1 + x^\top\Sigma x$ and
    changes no sign.

    Use it for correlated features on different scales, with few mistakes to learn from.

    Parameters
    ----------
    form
        "paper": only mistaken rows enter Σ. "libol": every row does.
    a
        The covariance Σ starts as a·I: the paper's a is 1/a.
    covariance
        "full", or "diagonal" for O(d) state and steps.
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
    A sample weight multiplies the step of w; a weight below 1 also the share that the row takes of
    Σ, a weight above 1 does not.

    `weights` and `intercept` are the linear form behind the score, Σw, which `contributions_one`
    takes apart; with `form="libol"` they are w itself, as in LIBOL.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.SOPClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 84.88%

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Conconi, A. and Gentile, C. (2005). A Second-Order Perceptron
        Algorithm. SIAM Journal on Computing 34(3)](https://doi.org/10.1137/S0097539703432542)

    """

    form = Parameter(checks.choice("paper", "libol"))

    _clocked = True

    def __init__(
        self,
        form: str = "paper",
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.form = form
        super().__init__(a, covariance, learn_intercept)

    def _advance(self, row: np.ndarray, w: float) -> None:
        if self.form == "libol":
            whiten(self._sigma, row, w)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        return sop(self._w, self._sigma, row, code, self.form, w)

    def _coefficients(self) -> np.ndarray:
        S = self._sigma
        return np.asarray(direction(S, spread(S, self._w)[0]))

    def _reported(self) -> np.ndarray:
        return self._w if self.form == "libol" else self._coefficients()

    def _score(self, row: np.ndarray) -> float:
        return ddot(self._coefficients(), row)  # type: ignore[no-any-return]
