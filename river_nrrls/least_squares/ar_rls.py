"""Approximately reweighted recursive least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from .inverse import InverseClassifier, weighted_step


class ARRLSClassifier(InverseClassifier):
    r"""Recursive least squares that weighs a row once, by its class's count on arrival.

    The k-th row of class c enters with weight $\beta = 1/n_c = 1/k$ and keeps it for good:

    $$v = P x, \quad g = \frac{\beta}{1 + \beta\, x \cdot v}, \quad w \leftarrow w + g\, v\,
    (y - x \cdot w), \quad P \leftarrow P - g\, v v^T, \quad P_0 = I / l_2$$

    A step costs $O(d^2)$, as much as one of recursive least squares. Both classes end up with about
    the same total weight, $\ln n_c$, but early rows count more than late ones, so the solution
    depends on their order and is not that of `NRRLSClassifier`, which every row of a class enters
    with the same weight at any time, and which is no dearer to learn.

    Use it to compare with the NR-RLS paper, whose AR-RLS column it stands for. The original text
    was not at hand: this reading is the one that has the cost and the results printed there.

    Parameters
    ----------
    l2
        Ridge, above 0. It stands beside a sum of weights that grows like $\ln n$.
    learn_intercept
        Whether each row gets a constant feature 1; its weight is penalised like any other.

    Attributes
    ----------
    weights
        Coefficients by feature.
    intercept
        The constant of the score.
    n_updates
        Rows learnt.

    Notes
    -----
    A sample weight counts towards $n_c$ and multiplies $\beta$, which is then $w / n_c$.

    Examples
    --------

    >>> from river import evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.ARRLSClassifier(l2=0.1)
    >>> dataset = rn.datasets.load("ozone-eight")
    >>> evaluate.progressive_val_score(dataset, model, metrics.GeometricMean())
    GeometricMean: 75.87%

    References
    ----------
    [^1]: Kim, Y., Toh, K.-A., Teoh, A. B. J., Eng, H.-L. and Yau, W.-Y. (2013). An online learning
        network for biometric scores fusion. Neurocomputing, 102:65-77.
    [^2]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230)

    """

    def __init__(self, l2: float = 1e-4, learn_intercept: bool = True) -> None:
        super().__init__(l2, learn_intercept)

    def _step(self, row: np.ndarray, code: Any, w: float) -> float:
        c = int(code > 0.0)
        self._n[c] += w
        weighted_step(self._P, self._w, row, code, w / self._n.item(c))
        return 1.0
