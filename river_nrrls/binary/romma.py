"""ROMMA, the relaxed online maximum margin algorithm (Li and Long 2002)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot, dnrm2, dscal

from ..dense import BinaryClassifier, Parameter, checks
from .steps import LONGEST, add

# Below this sin² of the angle between x and w, the step is rounding error; LIBOL guards 0 only.
COLLINEAR = 1e-14


def romma(
    w: np.ndarray, x: np.ndarray, y: float, aggressive: bool, form: str, weight: float = 1.0
) -> float:
    """w ← the shortest vector with y wᵀx ≥ 1 beyond the half-space of the old w; returns l.

    The paper's c w + d x is written as a step from w, with lengths taken out of it:
    h = (y - f) / (‖x‖ sin²) along x/‖x‖, and -h cos along w/‖w‖.
    """
    f = ddot(w, x)
    l = 1.0 - y * f if aggressive else float((f >= 0.0) != (y > 0.0))
    if not l > 0.0:
        return 0.0
    n = dnrm2(x)
    size = dnrm2(w)
    if n == 0.0:
        return l
    if size == 0.0:
        add(w, x, weight * y if form == "libol" else weight * y / n / n)
        return l
    cos = f / n / size
    sin2 = (1.0 - cos) * (1.0 + cos)
    if form == "paper" and y * cos >= n * size:
        h = weight * y / n
        back = -weight
    elif sin2 > COLLINEAR:
        h = weight * (y / n - f / n) / sin2
        back = -h * cos / size
    else:
        return l
    if abs(h) <= LONGEST and abs(back) * size <= LONGEST:
        dscal(1.0 + back, w)
        add(w, x, h / n)
    return l


class ROMMAClassifier(BinaryClassifier):
    r"""Relaxed Online Maximum Margin Algorithm.

    The maximum margin problem over all rows so far, with all constraints but the newest relaxed to
    one half-space: no parameter at all. The update is the shortest $w$ with

    $$w^\top w_t \ge \|w_t\|^2, \qquad y\,w^\top x \ge 1 .$$

    With $f = w_t^\top x$ and $q = \|x\|^2\|w_t\|^2$ that is

    $$w \leftarrow \frac{q - y f}{q - f^2}\,w + \frac{\|w\|^2\,(y - f)}{q - f^2}\,x, \qquad
    w \leftarrow \frac{y}{\|x\|^2}\,x \;\text{ for } w = 0 \text{ or } y f \ge q .$$

    Use it where classes are separable and nothing can be tuned.

    Parameters
    ----------
    aggressive
        Whether rows with a margin below 1 update too (aROMMA), not only mistakes.
    form
        "paper": as above. "libol": the first step is y x, and the case y f ≥ q, which the
        aggressive rule meets, takes the first formula.
    learn_intercept
        Whether each row gets a constant feature 1.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.

    Notes
    -----
    A sample weight multiplies the step from the old weights to the new ones. A row on the line of
    the weights has no solution (q = f²); it is counted and moves nothing.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.ROMMAClassifier(aggressive=True)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 85.92%

    References
    ----------
    [^1]: [Li, Y. and Long, P. M. (2002). The Relaxed Online Maximum Margin Algorithm. Machine
        Learning 46](https://doi.org/10.1023/A:1012435301888)

    """

    aggressive = Parameter(checks.boolean)
    form = Parameter(checks.choice("paper", "libol"))

    _mutable = frozenset({"aggressive"})

    def __init__(
        self, aggressive: bool = False, form: str = "paper", learn_intercept: bool = True
    ) -> None:
        self.aggressive = aggressive
        self.form = form
        super().__init__(learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        return romma(self._w, row, code, self.aggressive, self.form, w)
