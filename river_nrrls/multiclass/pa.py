"""Multiclass Passive-Aggressive."""

from __future__ import annotations

import numpy as np
from river.base.typing import ClfTarget
from scipy.linalg.blas import ddot

from ..dense import MulticlassClassifier, Parameter, checks
from .rivals import SHORTEST, move, rival


def passive_aggressive(
    W: np.ndarray, x: np.ndarray, y: int, variant: str, C: float, w: float
) -> float:
    """W_y += τx and W_s -= τx, the smallest change that reaches a margin of 1."""
    s, m = rival(np.vecdot(W, x), y)
    l = 1.0 - m
    if not l > 0.0:
        return 0.0
    q = 2.0 * max(ddot(x, x), SHORTEST)
    if variant == "PA":
        tau = l / q
    elif variant == "PA-I":
        tau = min(C, l / q)
    else:
        tau = l / (q + 1.0 / (2.0 * C))
    move(W, x, y, s, w * tau)
    return l


class MulticlassPAClassifier(MulticlassClassifier):
    r"""Multiclass Passive-Aggressive learner.

    Where the right class $y$ does not beat its best rival $s$ by 1, the two are moved apart:

    $$\ell = \max(0, 1 - F_y + F_s), \qquad W_y \leftarrow W_y + \tau x, \quad
    W_s \leftarrow W_s - \tau x$$

    $$\tau = \frac{\ell}{2 \lVert x \rVert^2} \text{ (PA)}, \qquad
    \min\Big(C, \frac{\ell}{2 \lVert x \rVert^2}\Big) \text{ (PA-I)}, \qquad
    \frac{\ell}{2 \lVert x \rVert^2 + \frac{1}{2C}} \text{ (PA-II)}$$

    Use PA-I or PA-II with a small `C` where labels are noisy; PA assumes that they are right.

    Parameters
    ----------
    variant
        "PA", "PA-I" or "PA-II".
    C
        Aggressiveness of PA-I and PA-II; PA does without.
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
    A sample weight multiplies τ, after the bound by `C`.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.MulticlassPAClassifier("PA-II", C=0.01)
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 86.96%

    References
    ----------
    [^1]: [Crammer, K., Dekel, O., Keshet, J., Shalev-Shwartz, S. and Singer, Y., 2006. Online
        passive-aggressive algorithms. Journal of Machine Learning Research, 7, pp. 551-585.](https://www.jmlr.org/papers/v7/crammer06a.html)
        Section 7.

    """

    variant = Parameter(checks.choice("PA", "PA-I", "PA-II"))
    C = Parameter(checks.positive)
    _mutable = frozenset({"variant", "C"})

    def __init__(
        self,
        variant: str = "PA",
        C: float = 1.0,
        learn_intercept: bool = True,
        classes: tuple[ClfTarget, ...] | None = None,
    ) -> None:
        self.variant = variant
        self.C = C
        super().__init__(learn_intercept, classes)

    def _step(self, row: np.ndarray, r: int, w: float) -> float:
        return passive_aggressive(self._W, row, r, self.variant, self.C, w)
