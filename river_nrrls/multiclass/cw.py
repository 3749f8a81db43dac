"""Multiclass confidence-weighted learning."""

from __future__ import annotations

import math

import numpy as np
from river.base.typing import ClfTarget
from scipy.linalg.blas import dnrm2, dscal

from ..binary.covariance import quantile, spread
from ..binary.cw import FAR, FLAT, certain
from ..dense import Parameter, checks
from .covariance import SecondOrderClassifier, learn
from .rivals import rival

# The deviation along a row is neither taken nor made smaller than this part of its first value.
# Where classes overlap the rule asks for ever less, and answers a mistake by ever longer steps.
NARROWEST = 1e-10
ROOT_HALF = math.sqrt(0.5)


def standardised(
    W: np.ndarray, S: np.ndarray, x: np.ndarray, y: int, least: float = 0.0
) -> tuple[int, float, np.ndarray, float]:
    """The rival s, the margin m/√v over it, the f of x/√v, for which v = 1, and √v itself."""
    s, m = rival(np.vecdot(W, x), y)
    f, v = spread(S, x)
    deviation = max(dnrm2(f) if S.ndim == 2 else math.sqrt(v), least)
    if deviation < FLAT:
        return s, math.inf, f, deviation
    return s, max(m / deviation, FAR), dscal(1.0 / deviation, f), deviation


def confidence_weighted(
    W: np.ndarray, S: np.ndarray, x: np.ndarray, y: int, phi: float, a: float, w: float
) -> float:
    """W_y += αΣx, W_s -= αΣx, Σ -= βΣx xᵀΣ; returns φ√v - m.

    The step does not change when x is divided by √v, so v = 1 below. β is the binary one of φ/√2:
    a margin has the variance 2v.
    """
    least = NARROWEST * math.sqrt(a) * dnrm2(x)
    s, m, f, deviation = standardised(W, S, x, y, least)
    l = phi - m
    if not l > 0.0:
        return 0.0
    psi = 1.0 + 0.5 * phi * phi
    root = math.sqrt(m * m * psi * (psi - 1.0) + 2.0 * phi * phi * psi)
    alpha = max(0.0, (root - m * psi) / (2.0 * psi))
    beta, rest = certain(alpha, phi * ROOT_HALF)
    floor = (least / deviation) ** 2
    if rest < floor:
        beta, rest = 1.0 - floor, floor
    learn(W, S, x, f, y, s, alpha, beta, rest, w)
    return l * deviation


class MulticlassCWClassifier(SecondOrderClassifier):
    r"""Multiclass confidence-weighted learning.

    One weight vector a class and one covariance for all. The right class $y$ is made to beat its
    best rival $s$ with probability `eta`; features seen often become certain and move little.

    $$m = F_y - F_s, \quad v = x^\top \Sigma x, \quad \phi = \Phi^{-1}(\eta), \quad
    \psi = 1 + \tfrac12 \phi^2$$

    $$m < \phi \sqrt v: \quad W_y \leftarrow W_y + \alpha\, \Sigma x, \quad
    W_s \leftarrow W_s - \alpha\, \Sigma x, \quad
    \Sigma \leftarrow \Sigma - \beta\, \Sigma x\, x^\top \Sigma$$

    $$\alpha = \max\Big(0, \frac{-m\psi + \sqrt{m^2\psi^2 - m^2\psi + 2v\phi^2\psi}}{2v\psi}\Big),
    \quad
    \sqrt{2u} = \tfrac12 \big(\sqrt{\alpha^2v^2\phi^2 + 8v} - \alpha v\phi\big), \quad
    \beta = \frac{\alpha\phi}{\sqrt{2u} + \alpha\phi v}$$

    Use it for many features and clean labels. Every row is believed: where classes overlap, the
    variance goes to nothing and the weights lurch; take SCW or AROW.

    Parameters
    ----------
    eta
        Probability with which the newest row must be classed rightly; in (0.5, 1).
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

    LIBOL's Σ ceases to be positive definite where classes overlap, and its weights to be numbers.
    Here the covariance is kept as a square root, and the variance along a row never falls below
    1e-20 of its first value, $a \lVert x \rVert^2$.

    The trigger has the variance $v$ of $x$ where the step has the $2v$ of a difference, as in
    LIBOL: a margin between $\phi\sqrt v$ and $\phi\sqrt{2v}$ is left alone.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.MulticlassCWClassifier(eta=0.65)
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 88.18%

    References
    ----------
    [^1]: [Crammer, K., Dredze, M. and Kulesza, A., 2009. Multi-class confidence weighted
        algorithms. In Proceedings of the 2009 Conference on Empirical Methods in Natural Language
        Processing, pp. 496-504.](https://aclanthology.org/D09-1052/)

    """

    eta = Parameter(checks.interval(0.5, 1.0, "neither"))

    _mutable = frozenset({"eta"})

    def __init__(
        self,
        eta: float = 0.75,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
        classes: tuple[ClfTarget, ...] | None = None,
    ) -> None:
        self.eta = eta
        super().__init__(a, covariance, learn_intercept, classes)

    def _step(self, row: np.ndarray, r: int, w: float) -> float:
        return confidence_weighted(self._W, self._sigma, row, r, quantile(self.eta), self.a, w)
