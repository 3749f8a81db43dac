"""Adaptive cost-sensitive online gradient descent (Zhao, Zhang, Wu, Hoi and Tan 2018)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import Parameter, checks
from .covariance import SecondOrderClassifier, move, spread


def acog(
    w: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    y: float,
    rho: float,
    loss: str,
    eta: float,
    gamma: float,
    weight: float = 1.0,
) -> float:
    """Σ ← Σ - Σx xᵀΣ/(γ + v), then w ← w - η Σ ∇l; rho is the cost of the row's class.

    Loss I asks for a margin of rho, loss II scales the hinge by it. Returns l.
    """
    m: float = y * ddot(w, x)
    l = rho - m if loss == "I" else rho * (1.0 - m)
    if not l > 0.0:
        return 0.0
    f, v = spread(S, x)
    beta = 1.0 / (gamma + v)
    rest = gamma * beta
    scale = eta if loss == "I" else eta * rho
    move(w, S, x, f, v, scale * rest * y, beta, rest, weight)
    return l


class ACOGClassifier(SecondOrderClassifier):
    r"""Adaptive cost-sensitive online gradient descent.

    A second-order learner for imbalanced streams: each class has a cost, so that the learner
    maximises the weighted sum of sensitivity and specificity, or minimises the misclassification
    cost, instead of the error rate.

    $$\rho = \frac{\alpha_p\,n_n}{\alpha_n\,n_p} \;(\text{sum}) \quad\text{or}\quad
    \frac{c_p}{c_n} \;(\text{cost}) \quad \text{for } y = 1, \qquad \rho = 1 \text{ for } y = -1$$

    $$l = \max(0, \rho - y\,w^\top x) \;(\text{I}) \quad\text{or}\quad
    \rho\,\max(0, 1 - y\,w^\top x) \;(\text{II}), \qquad l > 0:$$

    $$\Sigma \leftarrow \Sigma - \frac{\Sigma x\,x^\top\Sigma}{\gamma + x^\top\Sigma x}, \qquad
    w \leftarrow w - \eta\,\Sigma\,\nabla l(w)$$

    The paper takes the numbers of rows $n_p$ and $n_n$ of the whole stream beforehand; here they
    are those seen so far (ρ = 1 until both classes are).

    Use it with loss II; loss I fails where one class is rare. Compare it with NRRLSClassifier,
    which needs no tuning for the same aim.

    Parameters
    ----------
    metric
        "sum" for the weighted sum of sensitivity and specificity, "cost" for the cost.
    loss
        "I" or "II".
    eta
        Step size.
    gamma
        Regularisation: the larger, the slower Σ shrinks.
    alpha_p
        Weight of the sensitivity, with α_n = 1 - α_p; for "sum".
    c_p
        Cost of a missed positive, with c_n = 1 - c_p; for "cost".
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
    A sample weight multiplies η, and counts in n_p and n_n; the step of Σ takes a weight below 1,
    and stays as it is above 1.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.ACOGClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 87.76%

    References
    ----------
    [^1]: [Zhao, P., Zhang, Y., Wu, M., Hoi, S. C. H., Tan, M. and Huang, J. (2018). Adaptive
        Cost-Sensitive Online Classification. IEEE TKDE](https://arxiv.org/abs/1804.02246)

    """

    metric = Parameter(checks.choice("sum", "cost"))
    loss = Parameter(checks.choice("I", "II"))
    eta = Parameter(checks.positive)
    gamma = Parameter(checks.positive)
    alpha_p = Parameter(checks.open_unit)
    c_p = Parameter(checks.open_unit)

    _state_attributes = ("_n_p", "_n_n")
    _mutable = frozenset({"metric", "loss", "eta", "gamma", "alpha_p", "c_p"})
    _clocked = True

    def __init__(
        self,
        metric: str = "sum",
        loss: str = "II",
        eta: float = 1.0,
        gamma: float = 1.0,
        alpha_p: float = 0.5,
        c_p: float = 0.9,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.metric = metric
        self.loss = loss
        self.eta = eta
        self.gamma = gamma
        self.alpha_p = alpha_p
        self.c_p = c_p
        super().__init__(a, covariance, learn_intercept)

    def _reset(self) -> None:
        super()._reset()
        self._n_p = self._n_n = 0.0
        self._uncounted = 0.0

    def _advance(self, row: np.ndarray, w: float) -> None:
        # The label comes with the first step of the instance, which is when it is counted.
        self._uncounted = w

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        if code > 0.0:
            self._n_p += self._uncounted
        else:
            self._n_n += self._uncounted
        self._uncounted = 0.0
        rho = self._rho() if code > 0.0 else 1.0
        return acog(self._w, self._sigma, row, code, rho, self.loss, self.eta, self.gamma, w)

    def _rho(self) -> float:
        rho: float = 1.0
        if self.metric == "cost":
            rho = self.c_p / (1.0 - self.c_p)
        elif self._n_n:
            rho = self.alpha_p / (1.0 - self.alpha_p) * self._n_n / self._n_p
        return rho
