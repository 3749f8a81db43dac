"""Passive-Aggressive learning (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import daxpy, ddot

from ..dense import BinaryClassifier, Parameter, checks
from .steps import LONGEST_SQUARED

# Below this norm² (|x| of 1e-145) l / ‖x‖² overflows; LIBOL guards 0 only.
SMALLEST = 1e-290


def pa(
    w: np.ndarray, x: np.ndarray, y: float, variant: str, C: float, weight: float = 1.0
) -> float:
    """w ← w + τ y x with the least τ (PA), a bounded (PA-I) or a damped one (PA-II); returns l."""
    l: float = 1.0 - y * ddot(w, x)
    if not l > 0.0:
        return 0.0
    q = ddot(x, x)
    if variant == "PA-II":
        tau = l / (q + 0.5 / C)
    else:
        tau = l / q if q > SMALLEST else 0.0
        if variant == "PA-I" and tau > C:
            tau = C
    step = weight * tau * y
    if step * step * q <= LONGEST_SQUARED:
        daxpy(x, w, len(w), step)
    return l


class PAClassifier(BinaryClassifier):
    r"""Passive-Aggressive learning.

    A row with a positive hinge loss moves the weights just as far as it takes to class it with a
    margin of 1 (PA), but no further than `C` lets it (PA-I), or damped by `C` (PA-II).

    $$l = \max(0, 1 - y\,w^\top x), \qquad w \leftarrow w + \tau\,y\,x$$

    $$\tau = \frac{l}{\|x\|^2} \;(\text{PA}), \quad \min\Big(C, \frac{l}{\|x\|^2}\Big)
    \;(\text{PA-I}), \quad \frac{l}{\|x\|^2 + \frac{1}{2C}} \;(\text{PA-II})$$

    Use PA-I or PA-II with a small `C` where labels are noisy; PA assumes that they are right.

    Parameters
    ----------
    variant
        "PA", "PA-I" or "PA-II".
    C
        Aggressiveness of PA-I and PA-II; PA does without.
    learn_intercept
        Whether each row gets a constant feature 1, which counts in ‖x‖.

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

    >>> model = preprocessing.StandardScaler() | rn.PAClassifier(variant="PA-I", C=0.01)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 89.68%

    References
    ----------
    [^1]: [Crammer, K., Dekel, O., Keshet, J., Shalev-Shwartz, S. and Singer, Y. (2006). Online
        Passive-Aggressive Algorithms. JMLR 7](https://www.jmlr.org/papers/v7/crammer06a.html)

    """

    variant = Parameter(checks.choice("PA", "PA-I", "PA-II"))
    C = Parameter(checks.positive)

    _mutable = frozenset({"variant", "C"})

    def __init__(self, variant: str = "PA", C: float = 1.0, learn_intercept: bool = True) -> None:
        self.variant = variant
        self.C = C
        super().__init__(learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        return pa(self._w, row, code, self.variant, self.C, w)
