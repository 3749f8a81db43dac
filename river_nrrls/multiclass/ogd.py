"""Online gradient descent on the multiclass hinge loss."""

from __future__ import annotations

import math

import numpy as np
from river.base.typing import ClfTarget

from ..dense import MulticlassClassifier, Parameter, checks
from .rivals import move, rival


def gradient_descent(W: np.ndarray, x: np.ndarray, y: int, eta: float, w: float) -> float:
    """W_y += ηx and W_s -= ηx, a step against the gradient of the hinge."""
    s, m = rival(np.vecdot(W, x), y)
    l = 1.0 - m
    if not l > 0.0:
        return 0.0
    move(W, x, y, s, w * eta)
    return l


class MulticlassOGDClassifier(MulticlassClassifier):
    r"""Online gradient descent on the multiclass hinge loss.

    Where the right class $y$ does not beat its best rival $s$ by 1, both move by a step that
    falls with the number $t$ of rows seen:

    $$\ell = \max(0, 1 - F_y + F_s), \qquad W_y \leftarrow W_y + \frac{C}{\sqrt{t}} x, \quad
    W_s \leftarrow W_s - \frac{C}{\sqrt{t}} x$$

    Use it on long stationary streams of scaled features: the step does not know the length of a
    row, and $t$ counts rows, updated or not. There is no projection, as in LIBOL.

    Parameters
    ----------
    C
        The first step.
    learn_intercept
        Whether each row gets a constant feature 1.
    classes
        The labels and their order, if they are known: all are rivals from the start, as LIBOL has
        it. By default a label becomes one when it first appears.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.

    Notes
    -----
    A sample weight multiplies the step.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.MulticlassOGDClassifier()
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 89.26%

    References
    ----------
    [^1]: Zinkevich, M., 2003. Online convex programming and generalized infinitesimal gradient
        ascent. In Proceedings of the 20th International Conference on Machine Learning,
        pp. 928-936.

    """

    C = Parameter(checks.positive)
    _mutable = frozenset({"C"})
    _clocked = True
    _state_attributes = ("_t",)

    def __init__(
        self,
        C: float = 1.0,
        learn_intercept: bool = True,
        classes: tuple[ClfTarget, ...] | None = None,
    ) -> None:
        self.C = C
        super().__init__(learn_intercept, classes)

    def _reset(self) -> None:
        super()._reset()
        self._t = 0

    def _advance(self, row: np.ndarray, w: float) -> None:
        self._t += 1

    def _step(self, row: np.ndarray, r: int, w: float) -> float:
        return gradient_descent(self._W, row, r, self.C / math.sqrt(self._t), w)
