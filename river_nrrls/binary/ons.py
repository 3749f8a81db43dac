"""The Online Newton Step (Hazan, Agarwal and Kale 2007)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot, dnrm2

from ..dense import Parameter, checks
from .covariance import SecondOrderClassifier, move, spread
from .ogd import logistic


def ons(
    w: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    y: float,
    beta: float,
    loss: str,
    weight: float = 1.0,
) -> float:
    """A ← A + ∇∇ᵀ, w ← w - A⁻¹∇/β with ∇ = -g y x and Σ = A⁻¹; returns l."""
    m = y * ddot(w, x)
    l, g = (1.0 - m, 1.0) if loss == "hinge" else logistic(m)
    if not l > 0.0:
        return 0.0
    f, v = spread(S, x)
    rest = 1.0 / (1.0 + g * g * v)
    move(w, S, x, f, v, g * rest * y / beta, g * g * rest, rest, weight)
    return l


def project(w: np.ndarray, S: np.ndarray, radius: float) -> None:
    """w ← argmin (z - w)ᵀA(z - w) over ‖z‖ ≤ radius, with A = Σ⁻¹.

    z = (I + λΣ)⁻¹w, with λ from ‖z‖ = radius: Newton's method on 1/‖z‖, which is concave in λ and
    so is approached from below.
    """
    if dnrm2(w) <= radius:
        return
    if S.ndim == 2:
        U, root, _ = np.linalg.svd(S)
        c = U.T @ w / radius
        variances = (root / root[0]) ** 2
    else:
        c = w / radius
        variances = S / S.max()
    # Also where they span the whole range of doubles, λ does not overflow.
    variances = np.maximum(variances, 1e-100)
    lam = 0.0
    for _ in range(100):
        z = c / (1.0 + lam * variances)
        size = dnrm2(z)
        if size <= 1.0 + 1e-12:
            break
        slope = float(z @ (z * variances / (1.0 + lam * variances)))
        lam += (size - 1.0) * (size * size / slope)
    z *= radius / max(1.0, size)
    w[:] = U @ z if S.ndim == 2 else z


class ONSClassifier(SecondOrderClassifier):
    r"""Online Newton Step.

    Newton's method on the losses of a stream, with the sum of outer products of the gradients in
    place of the Hessian; its regret on exp-concave losses grows with log t only.

    $$A_t = A_{t-1} + \nabla_t\nabla_t^\top, \qquad
    w_{t+1} = \Pi_D^{A_t}\Big(w_t - \frac1\beta\,A_t^{-1}\nabla_t\Big)$$

    with $\nabla = -y\,x$ where $1 - y\,w^\top x > 0$ (hinge) or $-y\,x / (1 + e^{y w^\top x})$
    (logistic), $A_0 = I/a$, and $\Pi_D^A$ the projection onto the ball of diameter D around 0 in
    the norm of A, solved exactly. $A_t^{-1}$ is kept as the covariance Σ.

    Use it for calibrated log loss on stationary streams. A step costs O(d²), and O(d³) where it
    leaves the ball: keep D so large that this is rare.

    Parameters
    ----------
    loss
        "hinge" or "logistic".
    beta
        The step is 1/beta of Newton's.
    D
        Diameter of the ball that the weights stay in.
    a
        1/a·I is the first A; the covariance starts as a·I.
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
    is above 1.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.ONSClassifier(loss="logistic")
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 88.40%

    References
    ----------
    [^1]: [Hazan, E., Agarwal, A. and Kale, S. (2007). Logarithmic regret algorithms for online
        convex optimization. Machine Learning 69](https://doi.org/10.1007/s10994-007-5016-8)

    """

    loss = Parameter(checks.choice("hinge", "logistic"))
    beta = Parameter(checks.positive)
    D = Parameter(checks.positive)

    _mutable = frozenset({"loss", "beta", "D"})

    def __init__(
        self,
        loss: str = "hinge",
        beta: float = 0.5,
        D: float = 20.0,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.loss = loss
        self.beta = beta
        self.D = D
        super().__init__(a, covariance, learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        l = ons(self._w, self._sigma, row, code, self.beta, self.loss, w)
        if l > 0.0:
            project(self._w, self._sigma, 0.5 * self.D)
        return l
