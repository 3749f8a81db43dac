"""What the recursive forms share: the inverse of a second moment, and one weighted step on it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.linalg.blas import daxpy, ddot, dsymv, dsyr

from ..dense import BinaryClassifier, Parameter, checks, probability


def weighted_step(P: np.ndarray, w: np.ndarray, x: np.ndarray, y: float, beta: float) -> bool:
    r"""One row enters least squares with weight $\beta$, or loses it where $\beta < 0$, in place.

    $v = P x, \quad g = \beta / (1 + \beta\, x \cdot v), \quad w \leftarrow w + g\, v\, (y - x \cdot
    w), \quad P \leftarrow P - g\, v v^T$: recursive least squares (equations 5 and 6) for
    $\beta = 1$. The lower triangle of P is used. Returns False, with nothing changed, where
    rounding has left P not positive definite or the numbers overflow.
    """
    size = len(x)
    v = dsymv(1.0, P, x, 0.0, None, 0, 1, 0, 1, 1)
    q = ddot(x, v)
    r = 1.0 + beta * q
    if not (0.0 <= q < checks.HUGE and r > 0.0):
        return False
    daxpy(v, w, size, beta / r * (y - ddot(x, w)))
    dsyr(-beta / r, v, 1, 1, 0, size, P, 1)
    return True


class InverseClassifier(BinaryClassifier):
    """A binary rule that carries an inverse `_P`, I / l2 at the start, and class counts `_n`.

    The intercept is the weight of a constant feature, penalised like any other: an inverse that
    starts at I / l2 leaves no choice. A feature that comes late brings 1 / l2 on the diagonal and
    zeros elsewhere, as if it had been 0 before.
    """

    l2 = Parameter(checks.positive)

    _state_attributes: ClassVar[tuple[str, ...]] = ("_P", "_n")

    def __init__(self, l2: float, learn_intercept: bool) -> None:
        self.l2 = l2
        super().__init__(learn_intercept)

    def _reset(self) -> None:
        super()._reset()
        self._P = np.asfortranarray(np.eye(self._columns.size) / self.l2)
        self._n = np.zeros(2)

    def _grow(self, size: int) -> None:
        super()._grow(size)
        P = np.asfortranarray(np.eye(size) / self.l2)
        P[: len(self._P), : len(self._P)] = self._P
        self._P = P

    def _state_bytes(self, size: int, n_labels: int) -> int:
        return super()._state_bytes(size, n_labels) + 8 * size * size

    def _pair(self, score: float, row: np.ndarray) -> tuple[float, float]:
        # Least squares on targets -1 and +1 estimates 2 p - 1; a logistic of twice the score has
        # the same slope where it decides, and stays inside (0, 1).
        return probability.logistic_pair(2.0 * score)

    def _pairs(self, scores: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return probability.logistic_pairs(2.0 * scores)
