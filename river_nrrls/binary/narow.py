"""Narrow adaptive regularisation of weights (Orabona and Crammer 2010)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import Parameter, checks
from .covariance import SecondOrderClassifier, move, shrink, spread
from .steps import add


def narow(
    w: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    y: float,
    b: float,
    form: str,
    weight: float = 1.0,
) -> float:
    """AROW with the r that brings xᵀΣx down to 1/b, and none where it is there; returns l.

    With w = Σθ the paper's θ ← θ + y x is w ← w + (1 - βv - βm) y Σx for a full Σ, and Σ'(θ + y x)
    with the next Σ' for a diagonal one.
    """
    m: float = y * ddot(w, x)
    l = 1.0 - m
    if not l > 0.0:
        return 0.0
    f, v = spread(S, x)
    if v > 1.0 / b:
        rest = 1.0 / b / v
        beta = (1.0 - rest) / v
        alpha = rest - beta * m if form == "paper" else l * beta
    elif form == "paper":
        alpha, beta, rest = 1.0, 0.0, 1.0
    else:
        return l
    if form == "paper" and S.ndim == 1:
        whole = S.copy()
        shrink(whole, x, f, f.copy(), beta, rest, 1.0)
        step = w * (whole / S - 1.0) + whole * (y * x)
        shrink(S, x, f, f, beta, rest, weight)
        add(w, step, weight)
    else:
        move(w, S, x, f, v, alpha * y, beta, rest, weight)
    return l


class NAROWClassifier(SecondOrderClassifier):
    r"""Narrow adaptive regularisation of weights.

    Where AROW lets the covariance shrink for ever, NAROW stops at a variance of 1/b along a row:
    it keeps learning at a constant rate in directions that it knows.

    $$l = \max(0, 1 - y\,w^\top x) > 0: \qquad v = x^\top\Sigma x, \qquad
    \beta = \frac1v - \frac{1}{b\,v^2} \;\text{ for } v > \frac1b, \text{ else } 0$$

    $$\Sigma \leftarrow \Sigma - \beta\,\Sigma x\,x^\top\Sigma, \qquad
    \theta \leftarrow \theta + y\,x, \qquad w = \Sigma\,\theta$$

    Use it for streams that drift; mind the scale of the features, which 1/b is compared with.

    Parameters
    ----------
    b
        The variance along a row stays at or above 1/b.
    form
        "paper": as above. "libol": the primal step $w \leftarrow w + l\,\beta\,y\,\Sigma x$
        (with the old Σ), which freezes w, and still counts the row, where v ≤ 1/b: with `b` = 1,
        `a` = 1 and rows shorter than 1 it never learns.
    a
        The covariance starts as a·I.
    covariance
        "full", or "diagonal" for O(d) state and steps: of each step on Σ the diagonal is kept.
    learn_intercept
        Whether each row gets a constant feature 1.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.
    covariance_matrix
        Σ, or its diagonal, in the order of `[intercept, *weights]`.

    Notes
    -----
    A sample weight multiplies the step of w; β takes a weight below 1, and stays as it is above 1.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.NAROWClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 88.00%

    References
    ----------
    [^1]: [Orabona, F. and Crammer, K. (2010). New Adaptive Algorithms for Online Classification.
        NIPS
        23](https://papers.nips.cc/paper/3946-new-adaptive-algorithms-for-online-classification)

    """

    b = Parameter(checks.positive)
    form = Parameter(checks.choice("paper", "libol"))

    _mutable = frozenset({"b"})

    def __init__(
        self,
        b: float = 1.0,
        form: str = "paper",
        a: float = 1.0,
        covariance: str = "full",
        learn_intercept: bool = True,
    ) -> None:
        self.b = b
        self.form = form
        super().__init__(a, covariance, learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        return narow(self._w, self._sigma, row, code, self.b, self.form, w)
