"""Multiclass soft confidence-weighted learning."""

from __future__ import annotations

import math

import numpy as np
from river.base.typing import ClfTarget

from ..binary.covariance import quantile
from ..binary.cw import certain
from ..dense import Parameter, checks
from .covariance import SecondOrderClassifier, learn
from .cw import ROOT_HALF, standardised


def soft_confidence_weighted(
    W: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    y: int,
    variant: str,
    phi: float,
    C: float,
    w: float,
) -> float:
    """CW with its step bounded by C (I) or its constraint softened by a square (II).

    As in `cw` x is divided by √v: v = 1, C becomes C√v for I and Cv for II, and n = 2 + 1/(2Cv).
    Returns φ√v - m.
    """
    s, m, f, deviation = standardised(W, S, x, y)
    l = phi - m
    if not l > 0.0:
        return 0.0
    phi2 = phi * phi
    if variant == "I":
        psi = 1.0 + 0.5 * phi2
        root = math.sqrt(m * m * psi * (psi - 1.0) + 2.0 * phi2 * psi)
        alpha = max(0.0, min((root - m * psi) / (2.0 * psi), C * deviation))
    else:
        n = 2.0 + 0.5 / C / deviation / deviation
        root = math.sqrt(phi2 * phi2 * m * m + 8.0 * n * phi2 * (n + phi2))
        alpha = max(0.0, (root - (2.0 * n + phi2) * m) / (2.0 * n * (n + phi2)))
    if alpha < math.inf:
        beta, rest = certain(alpha, phi * ROOT_HALF)
        learn(W, S, x, f, y, s, alpha, beta, rest, w)
    return l * deviation


class MulticlassSCWClassifier(SecondOrderClassifier):
    r"""Multiclass soft confidence-weighted learning.

    CW that forgives: a row that contradicts what is known moves the distribution by a bounded step
    (SCW-I) or pays for its violation by the square (SCW-II), so noisy labels do no lasting harm.
    With $m$, $v$, $\phi$, $\psi$, $u$, $\beta$ and the update as in `MulticlassCWClassifier`:

    $$\alpha = \min\Big(C, \max\Big(0,
    \frac{-m\psi + \sqrt{m^2\psi^2 - m^2\psi + 2v\phi^2\psi}}{2v\psi}\Big)\Big) \quad (\text{I})$$

    $$\alpha = \max\Big(0, \frac{-(2mn + \phi^2mv) + \sqrt{\phi^4m^2v^2 + 8nv\phi^2(n + v\phi^2)}}
    {2(n^2 + nv\phi^2)}\Big), \quad n = 2v + \frac{1}{2C} \quad (\text{II})$$

    Use it as the first choice among the learners for many classes.

    Parameters
    ----------
    variant
        "I" or "II".
    eta
        Probability with which the newest row should be classed rightly; in (0.5, 1).
    C
        The larger, the nearer to CW.
    a
        The covariance starts as a·I.
    covariance
        "full", or "diagonal" for O(d) state and steps: of each step on Σ the diagonal is kept.
    learn_intercept
        Whether each row gets a constant feature 1.
    classes
        The labels and their order, if they are known: all are rivals from the start, as LIBOL has
        it. By default a label becomes one when it first appears.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.
    covariance_matrix
        Σ, its diagonal for `covariance="diagonal"`; the intercept comes first.

    Notes
    -----
    A sample weight multiplies α; β takes a weight below 1, and stays as it is above 1.

    The trigger is that of `MulticlassCWClassifier`.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.MulticlassSCWClassifier()
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 90.47%

    References
    ----------
    [^1]: [Wang, J., Zhao, P. and Hoi, S.C.H., 2012. Exact soft confidence-weighted learning. In
        Proceedings of the 29th International Conference on Machine Learning.](https://icml.cc/2012/papers/86.pdf)

    """

    variant = Parameter(checks.choice("I", "II"))
    eta = Parameter(checks.interval(0.5, 1.0, "neither"))
    C = Parameter(checks.positive)

    _mutable = frozenset({"variant", "eta", "C"})

    def __init__(
        self,
        variant: str = "I",
        eta: float = 0.75,
        C: float = 1.0,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
        classes: tuple[ClfTarget, ...] | None = None,
    ) -> None:
        self.variant = variant
        self.eta = eta
        self.C = C
        super().__init__(a, covariance, learn_intercept, classes)

    def _step(self, row: np.ndarray, r: int, w: float) -> float:
        phi = quantile(self.eta)
        return soft_confidence_weighted(self._W, self._sigma, row, r, self.variant, phi, self.C, w)
