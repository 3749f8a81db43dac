"""Iteratively reweighted recursive least squares: the paper's exact baseline."""

from __future__ import annotations

from typing import Any

import numpy as np

from .inverse import InverseClassifier, weighted_step


class IRRLSClassifier(InverseClassifier):
    r"""Exactly reweighted recursive least squares that stores every row: a baseline.

    When a row of class c arrives, each stored row of that class is moved from its old weight to the
    new one by a recursive step of its own, and the new row follows with weight $1/n_c$:

    $$\beta_i = \frac{1}{n_c} - \frac{1}{n_c - 1} \; (i < n_c), \quad \beta_{n_c} = \frac{1}{n_c},
    \quad g_i = \frac{\beta_i}{1 + \beta_i\, x_i \cdot P x_i}$$

    The weights are those of the batch solution, and of `NRRLSClassifier` with
    `learn_intercept=False`, but a step costs $O(n_c d^2)$ and memory grows with every row.

    Use it for nothing but comparison: the other learners of this package store no rows.

    Parameters
    ----------
    l2
        Ridge, above 0; it stands beside class means, as in `NRRLSClassifier`.
    learn_intercept
        Whether each row gets a constant feature 1; its weight is penalised like any other.

    Attributes
    ----------
    weights
        Coefficients by feature.
    intercept
        The constant of the score.
    n_updates
        Rows learnt, all of which are stored.

    Notes
    -----
    A sample weight is a number of repetitions: the row's weight is $w / n_c$ with $n_c$ the sum of
    the weights.

    Examples
    --------

    >>> from river import evaluate, metrics
    >>> import river_nrrls as rn

    >>> model = rn.IRRLSClassifier(l2=0.1)
    >>> dataset = rn.datasets.load("monks-2")
    >>> evaluate.progressive_val_score(dataset, model, metrics.GeometricMean())
    GeometricMean: 52.54%

    References
    ----------
    [^1]: Jang, S.-I., Tan, G.-C., Toh, K.-A. and Teoh, A. B. J. (2017). Online heterogeneous face
        recognition based on total error rate minimization. IEEE Transactions on Systems, Man, and
        Cybernetics: Systems.
    [^2]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230),
        section 3.2

    """

    _state_attributes = ("_stored", "_stored_y", "_stored_w")

    def __init__(self, l2: float = 1e-4, learn_intercept: bool = True) -> None:
        super().__init__(l2, learn_intercept)

    def _reset(self) -> None:
        super()._reset()
        self._stored = np.zeros((0, self._columns.size))
        self._stored_y = np.zeros(0)
        self._stored_w = np.zeros(0)

    def _grow(self, size: int) -> None:
        super()._grow(size)
        stored = np.zeros((len(self._stored), size))
        stored[:, : self._stored.shape[1]] = self._stored
        self._stored = stored

    def _step(self, row: np.ndarray, code: Any, w: float) -> float:
        c = int(code > 0.0)
        before = self._n.item(c)
        n = self._n[c] = before + w
        old = np.flatnonzero(self._stored_y == code)
        self._stored = np.vstack([self._stored, row])
        self._stored_y = np.append(self._stored_y, code)
        self._stored_w = np.append(self._stored_w, w)
        change = 1.0 / n - 1.0 / before if before else 0.0
        betas = [*(self._stored_w[old] * change).tolist(), w / n]
        for i, beta in zip([*old.tolist(), -1], betas, strict=True):
            if not weighted_step(self._P, self._w, self._stored[i], code, beta):
                self._afresh()
                break
        return 1.0

    def _afresh(self) -> None:
        """The batch solution of the stored rows, where rounding has spoilt the inverse."""
        weights = self._stored_w / self._n[(self._stored_y > 0.0).astype(int)]
        weighted = self._stored * weights[:, None]
        R = self._stored.T @ weighted + self.l2 * np.eye(len(self._w))
        self._P = np.asfortranarray(np.linalg.pinv(R, hermitian=True))
        self._w = self._P @ (weighted.T @ self._stored_y)
