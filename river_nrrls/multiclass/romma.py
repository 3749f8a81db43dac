"""Multiclass relaxed online maximum margin."""

from __future__ import annotations

import math

import numpy as np
from river.base.typing import ClfTarget
from scipy.linalg.blas import daxpy, ddot

from ..binary.steps import LONGEST
from ..dense import MulticlassClassifier, Parameter, checks
from .rivals import SHORTEST, mistaken, move, rival

# Squared sine of the angle between W and Z below which it is rounding and no direction.
COLLINEAR = 1e-12
HUGE = 1e300


def relaxed_margin(
    W: np.ndarray, x: np.ndarray, y: int, aggressive: bool, form: str, w: float
) -> float:
    """W <- cW + eZ with Z = x⊗(e_y - e_s); LIBOL scales the rows y and s only."""
    s, m = rival(np.vecdot(W, x), y)
    l = 1.0 - m if aggressive else float(mistaken(y, s, m))
    if not l > 0.0:
        return 0.0
    flat = W.ravel()
    norm_W, norm_x = math.sqrt(ddot(flat, flat)), math.sqrt(max(ddot(x, x), SHORTEST))
    W2, Z2 = norm_W * norm_W, 2.0 * norm_x * norm_x
    if W2 == 0.0:
        move(W, x, y, s, w / Z2 if form == "paper" else w)
        return l
    c, e = (solution if form == "paper" else libol_solution)(m, W2, Z2)
    # An overflow along the way ends in a length that is no number.
    if w * (abs(c - 1.0) * norm_W + abs(e) * norm_x) <= LONGEST:
        if w != 1.0:
            c = 1.0 + w * (c - 1.0)
        if form == "paper":
            W *= c
        else:
            W[y] *= c
            W[s] *= c
        n = len(x)
        daxpy(x, W[y], n, w * e)
        daxpy(x, W[s], n, -w * e)
    return l


def solution(m: float, W2: float, Z2: float) -> tuple[float, float]:
    """c = (Q - m)/D and e = |W|²(1 - m)/D with Q = |W|²|Z|² and D = Q - m², all in units of Q.

    For m >= Q the shortest of all is Z/|Z|²; with Z on the line of W, D = 0, there is none else.
    """
    p = m / Z2 / W2
    if p >= 1.0:
        return 0.0, 1.0 / Z2
    D = 1.0 - p * m
    return ((1.0 - p) / D, (1.0 - m) / Z2 / D) if D > COLLINEAR else (1.0, 0.0)


def libol_solution(m: float, W2: float, Z2: float) -> tuple[float, float]:
    """The same in LIBOL's order of operations, which shows where D is rounding; D = 0 is void."""
    Q = Z2 * W2
    if Q > HUGE:
        return solution(m, W2, Z2)
    D = Q - m * m
    return ((Q - m) / D, W2 * (1.0 - m) / D) if D != 0.0 else (1.0, 0.0)


class MulticlassROMMAClassifier(MulticlassClassifier):
    r"""Multiclass Relaxed Online Maximum Margin Algorithm.

    The maximum margin problem over all rows so far, with all constraints but the newest relaxed to
    one half-space: no parameter at all. With $Z = x \otimes (e_y - e_s)$, which takes the margin
    $m = \langle W, Z \rangle = F_y - F_s$ of the right class over its best rival, the update is the
    shortest $W$ with

    $$\langle W, W_t \rangle \geq \lVert W_t \rVert^2, \qquad \langle W, Z \rangle \geq 1 .$$

    With norms over all rows, $Q = \lVert W_t \rVert^2 \lVert Z \rVert^2$ and $D = Q - m^2$ that is

    $$W \leftarrow \frac{Q - m}{D} W + \frac{\lVert W \rVert^2 (1 - m)}{D} Z, \qquad
    W \leftarrow \frac{Z}{\lVert Z \rVert^2} \;\text{ for } W = 0 \text{ or } m \geq Q .$$

    Use it where classes are separable and nothing can be tuned.

    Parameters
    ----------
    aggressive
        Whether rows with a margin below 1 update too (aROMMA), not only mistakes.
    form
        "paper": as above. "libol": only the rows $y$ and $s$ are scaled (the norms are over all),
        the first step is $Z$, and the case $m \geq Q$ takes the first formula.
    learn_intercept
        Whether each row gets a constant feature 1.
    classes
        The labels and their order, if they are known: all are rivals from the start, as LIBOL has
        it. By default a label becomes one when it first appears.

    Attributes
    ----------
    n_updates
        Rounds with a mistake, or with a margin below 1 if `aggressive`.

    Notes
    -----
    A sample weight multiplies the step from the old weights to the new ones. A row on the line of
    the weights may have no solution (D = 0); it is counted and moves nothing. LIBOL divides by
    what rounding makes of D, and so does "libol" here, unless that is 0.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.MulticlassROMMAClassifier(aggressive=True)
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 87.05%

    References
    ----------
    [^1]: [Li, Y. and Long, P.M., 2002. The relaxed online maximum margin algorithm. Machine
        Learning, 46, pp. 361-387.](https://doi.org/10.1023/A:1012435301888)

    """

    aggressive = Parameter(checks.boolean)
    form = Parameter(checks.choice("paper", "libol"))
    _mutable = frozenset({"aggressive"})

    def __init__(
        self,
        aggressive: bool = False,
        form: str = "paper",
        learn_intercept: bool = True,
        classes: tuple[ClfTarget, ...] | None = None,
    ) -> None:
        self.aggressive = aggressive
        self.form = form
        super().__init__(learn_intercept, classes)

    def _step(self, row: np.ndarray, r: int, w: float) -> float:
        return relaxed_margin(self._W, row, r, self.aggressive, self.form, w)
