"""Online gradient descent (Zinkevich 2003)."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import ddot, dnrm2, dscal

from ..dense import BinaryClassifier, Parameter, checks
from .steps import add


def logistic(m: float) -> tuple[float, float]:
    """ln(1 + e⁻ᵐ) and 1/(1 + eᵐ); the loss is 0 in double precision from m ≈ 37 on."""
    if m < -700.0:
        return -m, 1.0
    e = math.exp(-m)
    return math.log(1.0 + e), e / (1.0 + e)


def ogd(
    w: np.ndarray, x: np.ndarray, y: float, eta: float, loss: str, weight: float = 1.0
) -> float:
    """w ← w - η ∇l(w); returns l."""
    f: float = ddot(w, x)
    if loss == "hinge":
        l, g = 1.0 - y * f, y
    elif loss == "logistic":
        l, g = logistic(y * f)
        g *= y
    elif loss == "squared":
        g = y - f
        l = 0.5 * g * g
    else:
        l, g = float((f >= 0.0) != (y > 0.0)), y
    if not l > 0.0:
        return 0.0
    add(w, x, weight * eta * g)
    return l


class OGDClassifier(BinaryClassifier):
    r"""Online gradient descent.

    A gradient step on the newest loss, with a step size that falls with the number of rows $t$.

    $$\eta_t = \frac{C}{\sqrt t}, \qquad w \leftarrow \Pi_D\big(w - \eta_t\,\nabla l(w)\big)$$

    | loss | $l$ | $-\nabla l$ |
    |---|---|---|
    | hinge | $\max(0, 1 - y f)$ | $y\,x$ |
    | logistic | $\ln(1 + e^{-y f})$ | $y\,x / (1 + e^{y f})$ |
    | squared | $\frac12 (y - f)^2$ | $(y - f)\,x$ |
    | zero_one | $[\hat y \ne y]$ | $y\,x$ |

    Use it on long stationary streams. $\sqrt t$ counts rows, updated or not, so that it forgets
    slowly how to learn: prefer PA or AROW under drift.

    Parameters
    ----------
    loss
        "hinge", "logistic", "squared" or "zero_one".
    C
        Step size of the first row.
    D
        Diameter of the ball around 0 that the weights are projected to; None for the whole space,
        as LIBOL has it.
    learn_intercept
        Whether each row gets a constant feature 1.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.

    Notes
    -----
    A sample weight multiplies η. A squared-loss step that diverges past 1e152, as rows in
    thousands make it, is left out.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.OGDClassifier(loss="logistic")
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 89.20%

    References
    ----------
    [^1]: [Zinkevich, M. (2003). Online Convex Programming and Generalized Infinitesimal Gradient
        Ascent. ICML](https://www.aaai.org/Papers/ICML/2003/ICML03-120.pdf)

    """

    loss = Parameter(checks.choice("hinge", "logistic", "squared", "zero_one"))
    C = Parameter(checks.positive)
    D = Parameter(checks.either(None, checks.positive))

    _state_attributes = ("_t",)
    _mutable = frozenset({"loss", "C", "D"})
    _clocked = True

    def __init__(
        self,
        loss: str = "hinge",
        C: float = 1.0,
        D: float | None = None,
        learn_intercept: bool = True,
    ) -> None:
        self.loss = loss
        self.C = C
        self.D = D
        super().__init__(learn_intercept)

    def _reset(self) -> None:
        super()._reset()
        self._t = 0

    def _advance(self, row: np.ndarray, w: float) -> None:
        self._t += 1

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        l = ogd(self._w, row, code, self.C / math.sqrt(self._t), self.loss, w)
        if self.D is not None and l > 0.0 and (size := dnrm2(self._w)) > 0.5 * self.D:
            dscal(0.5 * self.D / size, self._w)
        return l
