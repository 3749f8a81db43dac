"""Multiclass adaptive regularisation of weights."""

from __future__ import annotations

import numpy as np
from river.base.typing import ClfTarget

from ..binary.covariance import spread
from ..dense import Parameter, checks
from .covariance import SecondOrderClassifier, learn
from .rivals import rival


def adaptive_regularization(
    W: np.ndarray, S: np.ndarray, x: np.ndarray, y: int, r: float, w: float
) -> float:
    """W_y += lβΣx, W_s -= lβΣx, Σ -= βΣx xᵀΣ with β = 1/(xᵀΣx + r); returns the hinge loss l."""
    s, m = rival(np.vecdot(W, x), y)
    l = 1.0 - m
    if not l > 0.0:
        return 0.0
    f, v = spread(S, x)
    beta = 1.0 / (v + r)
    learn(W, S, x, f, y, s, l * beta, beta, r * beta, w)
    return l


class MulticlassAROWClassifier(SecondOrderClassifier):
    r"""Multiclass adaptive regularisation of weight vectors.

    One weight vector a class and one covariance for all. Where the right class $y$ does not beat
    its best rival $s$ by 1,

    $$l = \max(0, 1 - F_y + F_s) > 0: \quad v = x^\top \Sigma x, \quad \beta = \frac{1}{v + r}$$

    $$W_y \leftarrow W_y + l \beta\, \Sigma x, \quad W_s \leftarrow W_s - l \beta\, \Sigma x, \quad
    \Sigma \leftarrow \Sigma - \beta\, \Sigma x\, x^\top \Sigma .$$

    Use it as a second-order default: correlated features, different scales, noisy labels. It
    costs O(Kd + d²) a row, O(Kd) with `covariance="diagonal"`.

    Parameters
    ----------
    r
        Regularisation: the larger, the smaller the steps. LIBOL calls it C.
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
    A sample weight multiplies the step of W; β takes a weight below 1, and stays as it is above 1.

    The variance is that of $x$, as LIBOL has it, and not the $2v$ of the margin's direction
    $x \otimes (e_y - e_s)$.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.MulticlassAROWClassifier()
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 87.61%

    References
    ----------
    [^1]: [Crammer, K., Kulesza, A. and Dredze, M., 2013. Adaptive regularization of weight vectors.
        Machine Learning, 91, pp. 155-187.](https://doi.org/10.1007/s10994-013-5327-x)

    """

    r = Parameter(checks.positive)

    _mutable = frozenset({"r"})

    def __init__(
        self,
        r: float = 1.0,
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
        classes: tuple[ClfTarget, ...] | None = None,
    ) -> None:
        self.r = r
        super().__init__(a, covariance, learn_intercept, classes)

    def _step(self, row: np.ndarray, r: int, w: float) -> float:
        return adaptive_regularization(self._W, self._sigma, row, r, self.r, w)
