"""The state of the least-squares family: moments of [1, x] by class.

A moment matrix A = sum w [1, x] [1, x]^T holds the count in A[0, 0], the sums in A[1:, 0] and the
second moments in A[1:, 1:]; only its lower triangle, in Fortran order, is used.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.linalg.blas import daxpy, dger


def empty(size: int) -> np.ndarray:
    return np.zeros((size, size), order="F")


def grown(A: np.ndarray, size: int) -> np.ndarray:
    """The moments with features appended that were 0 in every row."""
    result = empty(size)
    old = len(A)
    result[:old, :old] = A
    return result


def about(rows: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """The rows less a shift, in place: what `rows -= shift` does, in two thirds of its time."""
    if len(rows):
        rows = dger(-1.0, shift, np.ones(len(rows)), 1, 1, rows.T, 1, 1, 1).T
    return rows


def gram(rows: np.ndarray, w: np.ndarray | None) -> np.ndarray:
    """Moments of a block of rows [1, x] of weights w."""
    weighted = rows if w is None else rows * w[:, None]
    return np.asarray(rows.T @ weighted)


def weighted_sum(k: Iterable[float], A: Iterable[np.ndarray], out: np.ndarray) -> None:
    """Write sum_c k_c A_c to `out`."""
    flat = out.ravel(order="K")
    flat[:] = 0.0
    for kc, Ac in zip(k, A, strict=True):
        if kc:
            daxpy(Ac.ravel(order="K"), flat, len(flat), kc)


def own_and_rest(
    i: int,
    own: float,
    rest: float,
    k: list[float],
    A: list[np.ndarray],
    total: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write own A_i + rest sum_{j != i} k_j A_j to `out`, where `total` is sum_j k_j A_j."""
    if 2.0 * k[i] * A[i].item(0) > total.item(0):
        # The total less most of it would lose the digits of what is left.
        terms = [rest * kj for kj in k]
        terms[i] = own
        weighted_sum(terms, A, out)
    else:
        weighted_sum((own - rest * k[i], rest), (A[i], total), out)


def others(values: np.ndarray) -> np.ndarray:
    """For each entry the sum of all others, which the sum less the entry would lose."""
    return np.asarray((1.0 - np.eye(len(values))) @ values)


def shifted(A: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Moments of [1, x - delta] from those of [1, x]; delta has a 0 in front."""
    n, s = A[0, 0], A[:, 0]
    result = np.tril(A - np.outer(s, delta) - np.outer(delta, s) + n * np.outer(delta, delta))
    result[1:, 0] = s[1:] - n * delta[1:]
    return np.asfortranarray(result)


def symmetric(A: np.ndarray) -> np.ndarray:
    """The whole matrix from its lower triangle."""
    return np.asarray(np.tril(A) + np.tril(A, -1).T)
