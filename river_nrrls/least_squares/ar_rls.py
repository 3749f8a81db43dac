"""Approximately reweighted recursive least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dense import Parameter, checks
from .inverse import InverseClassifier, weighted_step


class ARRLSClassifier(InverseClassifier):
    r"""Recursive least squares that weighs a row once, by its class's count on arrival.

    The t-th row of all, the $n_c$-th of its class c, enters with weight $\beta$ and keeps it:

    $$\beta = \frac{1}{n_c} \;\text{or}\; \frac{t}{n_c}, \quad v = P x, \quad g =
    \frac{\beta}{1 + \beta\, x \cdot v}, \quad w \leftarrow w + g\, v\, (y - x \cdot w), \quad
    P \leftarrow P - g\, v v^T, \quad P_0 = I / l_2$$

    A step costs $O(d^2)$, as much as one of recursive least squares. Both classes end up with about
    the same total weight, but the weights within a class differ, so the solution depends on the
    order of the rows and is not that of `NRRLSClassifier`, which weighs the rows of a class alike
    at any time and is no dearer to learn.

    Use it to compare with the NR-RLS paper, whose AR-RLS column it stands for. The original text
    was not at hand. Of the two readings, `weighting="share"` agrees with that column where
    `"count"`, which is the older one, is too far from the exact solution.

    Parameters
    ----------
    l2
        Ridge, above 0. It stands beside a sum of weights, which grows like $\ln n$ ("count") or n
        ("share").
    weighting
        "count" for $\beta = 1/n_c$: the early rows of a class weigh more than the late ones.
        "share" for $\beta = t/n_c$, one over the running share of the class: under a stable class
        ratio all rows of a class weigh about the same.
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
    A sample weight w counts towards t and $n_c$ and multiplies $\beta$.

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

    weighting = Parameter(checks.choice("count", "share"))

    def __init__(
        self, l2: float = 1e-4, weighting: str = "count", learn_intercept: bool = True
    ) -> None:
        self.weighting = weighting
        super().__init__(l2, learn_intercept)

    def _step(self, row: np.ndarray, code: Any, w: float) -> float:
        n = self._n
        c = int(code > 0.0)
        n[c] += w
        beta = w / n.item(c)
        if self.weighting == "share":
            beta *= n.item(0) + n.item(1)
        weighted_step(self._P, self._w, row, code, beta)
        return 1.0
