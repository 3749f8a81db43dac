"""ALMA, the approximate large margin algorithm (Gentile 2001)."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from scipy.linalg.blas import daxpy, ddot, dnrm2, dscal

from ..dense import BinaryClassifier, Parameter, checks
from .steps import LONGEST, add


def norm(v: np.ndarray, p: float) -> float:
    """‖v‖ₚ."""
    if p == 2:
        return float(dnrm2(v))
    largest = float(np.abs(v).max())
    if largest == 0.0:
        return 0.0
    return float(largest * ((np.abs(v) / largest) ** p).sum() ** (1.0 / p))


def link(v: np.ndarray, p: float) -> np.ndarray:
    """The gradient of ½‖v‖ₚ²: sign(v) |v|ᵖ⁻¹ / ‖v‖ₚᵖ⁻²; with 1/p + 1/q = 1 that of q inverts it."""
    size = norm(v, p)
    if size == 0.0:
        return v
    result: np.ndarray = size * np.sign(v) * (np.abs(v) / size) ** (p - 1.0)
    return result


def alma(
    w: np.ndarray,
    x: np.ndarray,
    y: float,
    k: int,
    alpha: float,
    p: float,
    C: float,
    form: str,
    weight: float = 1.0,
) -> float:
    """A step on x/‖x‖ₚ through the link of the dual norm q, then back into the unit ball of q.

    LIBOL takes x as it is, and Euclidean step and norm for every p. Returns l; with l > 0 the
    caller counts k on.
    """
    if form == "libol":
        size = 1.0
    else:
        size = dnrm2(x) if p == 2 else norm(x, p)
        if not size:
            return 0.0
    l: float = (1.0 / alpha - 1.0) * sqrt((p - 1.0) / k) - y * ddot(w, x) / size
    if not l > 0.0:
        return 0.0
    step = weight * y * C / sqrt((p - 1.0) * k) / size
    if form == "libol":
        add(w, x, step)
        size = dnrm2(w)
    elif p == 2:
        if -LONGEST < step * size < LONGEST:
            daxpy(x, w, len(w), step)
        size = dnrm2(w)
    else:
        q = p / (p - 1.0)
        theta = link(w, q)
        add(theta, x, step)
        w[:] = link(theta, p)
        size = norm(w, q)
    if size > 1.0:
        dscal(1.0 / size, w)
    return l


class ALMAClassifier(BinaryClassifier):
    r"""Approximate Large Margin Algorithm.

    Comes within a factor $1 - \alpha$ of the largest margin, measured in the p-norm, without
    solving anything: the margin asked for and the step shrink with the number of updates $k$.

    $$\hat x = x / \|x\|_p, \qquad \gamma = \frac{1}{\alpha}\sqrt{\frac{p-1}{k}}, \qquad
    \eta = \frac{C}{\sqrt{(p-1)\,k}}$$

    $$l = (1-\alpha)\,\gamma - y\,w^\top\hat x > 0: \qquad
    w \leftarrow f_p\big(f_q(w) + \eta\,y\,\hat x\big), \quad
    w \leftarrow \frac{w}{\max(1, \|w\|_q)}, \quad k \leftarrow k + 1$$

    with the link $f_q(w)_i = \mathrm{sign}(w_i)\,|w_i|^{q-1} / \|w\|_q^{q-2}$ and
    $1/p + 1/q = 1$; for $p = 2$ it is the identity.

    Use p = 2 in general, a large p (2 ln d) where few of many features matter.

    Parameters
    ----------
    alpha
        Accuracy: the margin reached is at least (1 - alpha) of the largest; in (0, 1).
    p
        The norm, at least 2.
    C
        Step size.
    form
        "paper": as above. "libol": x is not normalised, and step and norm are Euclidean for
        every p, so that p is but a scale; a row of zeros counts as an update.
    learn_intercept
        Whether each row gets a constant feature 1.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.

    Notes
    -----
    A sample weight multiplies η. Gentile's B is 1/α, as in LIBOL.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.ALMAClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 86.64%

    References
    ----------
    [^1]: [Gentile, C. (2001). A New Approximate Maximal Margin Classification Algorithm. JMLR
        2](https://www.jmlr.org/papers/v2/gentile01a.html)

    """

    alpha = Parameter(checks.open_unit)
    p = Parameter(checks.interval(2.0, inf, "left"))
    C = Parameter(checks.positive)
    form = Parameter(checks.choice("paper", "libol"))

    _state_attributes = ("_k",)
    _mutable = frozenset({"alpha", "C"})

    def __init__(
        self,
        alpha: float = 0.9,
        p: float = 2,
        C: float = sqrt(2.0),
        form: str = "paper",
        learn_intercept: bool = True,
    ) -> None:
        self.alpha = alpha
        self.p = p
        self.C = C
        self.form = form
        super().__init__(learn_intercept)

    def _reset(self) -> None:
        super()._reset()
        self._k = 1

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        l = alma(self._w, row, code, self._k, self.alpha, self.p, self.C, self.form, w)
        if l > 0.0:
            self._k += 1
        return l
