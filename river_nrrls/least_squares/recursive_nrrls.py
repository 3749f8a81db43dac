"""Algorithm 1 of the NR-RLS paper as printed: an inverse carried from row to row."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .inverse import InverseClassifier


def algorithm_1(R_inv: np.ndarray, S: np.ndarray, x: np.ndarray, beta: float) -> np.ndarray:
    r"""$R_t^{-1}$ from $R_{t-1}^{-1}$, the second moment of the row's class, the row and its beta.

    Equation 16, first $G_t^{-1}$, where the old rows of the class lose weight, and then
    $R_t^{-1}$, where the new one comes in.
    """
    I = np.eye(len(x))
    B = beta * S @ R_inv
    G_inv = R_inv + R_inv @ np.linalg.inv(I - B) @ B
    C = beta * np.outer(x, x) @ G_inv
    return np.asarray(G_inv - G_inv @ np.linalg.inv(I + C) @ C)


class RecursiveNRRLSClassifier(InverseClassifier):
    r"""The NR-RLS paper's Algorithm 1, line by line: a reference, not the learner to use.

    With the class counts $n^\pm$, $\beta = 1/n^c$ for the class c of the row and the moments
    $S^\pm$, $z^\pm$,

    $$G_t^{-1} = R_{t-1}^{-1} + R_{t-1}^{-1} (I - \beta S^c_{t-1} R_{t-1}^{-1})^{-1}
    \beta S^c_{t-1} R_{t-1}^{-1}$$

    $$R_t^{-1} = G_t^{-1} - G_t^{-1} (I + \beta x x^T G_t^{-1})^{-1} \beta x x^T G_t^{-1}$$

    $$S^c_t = S^c_{t-1} + \beta (x x^T - S^c_{t-1}), \quad z^c_t = z^c_{t-1} + \beta (x y -
    z^c_{t-1}), \quad w_t = R_t^{-1} (z^-_t + z^+_t)$$

    In exact arithmetic that is the batch solution at every row, as the paper proves, and what
    `NRRLSClassifier` gives with `learn_intercept=False`. In floating point a step inverts two full
    matrices, which costs $O(d^3)$ and not the $O(2 d^2)$ of the paper, and the digits that
    $R_0^{-1} = I / l_2$ costs at the start never come back: the error of the scores is about
    $10^{-16} (\lVert S \rVert / l_2)^2$. Polynomial features of order 3 and more are beyond it.

    Use it to see what the recursion does; to classify, use `NRRLSClassifier`.

    Parameters
    ----------
    l2
        Ridge, above 0: the paper's b. It stands beside class means.
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
    Two things are not in the paper. $\beta^\pm = (1 \pm y) / 2 n^\pm$ is 0/0 for a class that has
    not been seen, and is taken as 0. Where rounding makes a matrix singular, $R_t^{-1}$ is computed
    afresh from the moments, with a warning. A sample weight is a number of repetitions: $n^c$ is a
    sum of weights, and $\beta = w / n^c$.

    Examples
    --------

    >>> from river import evaluate, metrics
    >>> import river_nrrls as rn

    >>> model = rn.RecursiveNRRLSClassifier(l2=0.1)
    >>> dataset = rn.datasets.load("monks-2")
    >>> evaluate.progressive_val_score(dataset, model, metrics.GeometricMean())
    GeometricMean: 52.54%

    References
    ----------
    [^1]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230),
        Algorithm 1

    """

    _state_attributes = ("_S", "_z")

    def __init__(self, l2: float = 1e-4, learn_intercept: bool = True) -> None:
        self._warned = False
        super().__init__(l2, learn_intercept)

    def _reset(self) -> None:
        super()._reset()
        self._S = np.zeros((2, self._columns.size, self._columns.size))
        self._z = np.zeros((2, self._columns.size))

    def _grow(self, size: int) -> None:
        super()._grow(size)
        old = self._z.shape[1]
        S, z = np.zeros((2, size, size)), np.zeros((2, size))
        S[:, :old, :old], z[:, :old] = self._S, self._z
        self._S, self._z = S, z

    def _state_bytes(self, size: int, n_labels: int) -> int:
        return super()._state_bytes(size, n_labels) + 16 * size * (size + 1)

    def _step(self, row: np.ndarray, code: Any, w: float) -> float:
        c = int(code > 0.0)
        self._n[c] += w
        beta = w / self._n.item(c)
        S, z = self._S[c], self._z[c]
        try:
            with np.errstate(all="ignore"):
                R_inv = algorithm_1(self._P, S, row, beta)
        except np.linalg.LinAlgError:
            R_inv = np.full_like(self._P, np.nan)
        S += beta * (np.outer(row, row) - S)
        z += beta * (row * code - z)
        w_t = R_inv @ self._z.sum(axis=0)
        if not np.isfinite(w_t).all():
            R_inv = self._afresh()
            w_t = R_inv @ self._z.sum(axis=0)
        self._P, self._w = R_inv, w_t
        return 1.0

    def _unit_test_skips(self) -> set[str]:
        # Rounding, which depends on the order of the columns, is what this learner shows.
        return {"check_shuffle_features_no_impact"}

    def _afresh(self) -> np.ndarray:
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"Algorithm 1 met a singular matrix at l2={self.l2:g} and was started afresh from "
                "the moments; scale the features, raise l2 or use NRRLSClassifier",
                RuntimeWarning,
                stacklevel=2,
            )
        R = self._S.sum(axis=0) + self.l2 * np.eye(len(self._w))
        return np.linalg.pinv(R, hermitian=True)
