"""The multiclass Perceptron: three members of Crammer and Singer's ultraconservative family."""

from __future__ import annotations

import math

import numpy as np
from river.base.typing import ClfTarget
from scipy.linalg.blas import daxpy, dnrm2

from ..binary.steps import LONGEST
from ..dense import MulticlassClassifier, Parameter, checks
from .rivals import mistaken, move, rival


def perceptron(W: np.ndarray, x: np.ndarray, y: int, allocation: str, form: str, w: float) -> float:
    """W_y += x, and W_r -= τ_r x for the classes r of the error set E that share the blame."""
    F = np.vecdot(W, x)
    F_y = F.item(y)
    s, m = rival(F, y)
    if m > 0.0 or (form == "libol" and not mistaken(y, s, m)):
        return 0.0
    if allocation == "max":
        move(W, x, y, s, w)
        return 1.0
    if w * dnrm2(x) <= LONGEST:
        n = len(x)
        daxpy(x, W[y], n, w)
        E = np.flatnonzero(F >= F_y if form == "paper" else F > F_y)
        for r, tau in zip(E.tolist(), shares(F[E] - F_y, allocation), strict=True):
            daxpy(x, W[r], n, -w * tau)
    return 1.0


def shares(excess: np.ndarray, allocation: str) -> list[float]:
    """τ_r = 1/|E|, or the part of r in the sum of F_r - F_y over E; equal parts of a sum of 0."""
    total = float(excess.sum())
    if allocation == "proportional" and 0.0 < total < math.inf:
        return (excess / total).tolist()  # type: ignore[no-any-return]
    return [1.0 / max(1, len(excess))] * len(excess)


class MulticlassPerceptronClassifier(MulticlassClassifier):
    r"""Multiclass Perceptron.

    One weight vector a class; the highest of the scores $F = Wx$ is predicted. Where other classes
    do as well as the right class $y$ or better, their error set being
    $E = \{r \neq y : F_r \geq F_y\}$, the row is added to the vector of $y$ and in all once taken
    from theirs:

    $$W_y \leftarrow W_y + x, \qquad W_r \leftarrow W_r - \tau_r x \quad (r \in E), \qquad
    \sum_{r \in E} \tau_r = 1$$

    Use it as the baseline that everything else has to beat, or where nothing may be tuned. It
    never settles on classes that overlap.

    Parameters
    ----------
    allocation
        How the blame is shared: "max" puts all of it on the best wrong class, "uniform" is
        $\tau_r = 1/|E|$, "proportional" is $\tau_r = (F_r - F_y) / \sum_{s \in E} (F_s - F_y)$.
    form
        "paper": as above. "libol": a round counts if the prediction, the lowest index among equal
        scores, is not $y$, and $E = \{r : F_r > F_y\}$, strictly. So where $y$ ties at the top, as
        in the first row, LIBOL does nothing if $y$ comes first and gives $y$ the row without taking
        it from others if not ("max" takes it from the first).
    learn_intercept
        Whether each row gets a constant feature 1.
    classes
        The labels and their order, if they are known: all are rivals from the start, as LIBOL has
        it. By default a label becomes one when it first appears.

    Attributes
    ----------
    n_updates
        Rounds with an update.

    Notes
    -----
    A sample weight multiplies the step.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.MulticlassPerceptronClassifier()
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 83.37%

    References
    ----------
    [^1]: [Crammer, K. and Singer, Y., 2003. Ultraconservative online algorithms for multiclass
        problems. Journal of Machine Learning Research, 3, pp. 951-991.](https://www.jmlr.org/papers/v3/crammer03a.html)

    """

    allocation = Parameter(checks.choice("max", "uniform", "proportional"))
    form = Parameter(checks.choice("paper", "libol"))
    _mutable = frozenset({"allocation"})

    def __init__(
        self,
        allocation: str = "max",
        form: str = "paper",
        learn_intercept: bool = True,
        classes: tuple[ClfTarget, ...] | None = None,
    ) -> None:
        self.allocation = allocation
        self.form = form
        super().__init__(learn_intercept, classes)

    def _step(self, row: np.ndarray, r: int, w: float) -> float:
        return perceptron(self._W, row, r, self.allocation, self.form, w)
