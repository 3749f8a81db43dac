"""Batch solutions, written as in the paper: the references for the online learners."""

from __future__ import annotations

import numpy as np


def least_squares_weights(X: np.ndarray, y: np.ndarray, l2: float) -> np.ndarray:
    r"""Ridge regression on labels, $w = (X^T X + b I)^{-1} X^T y$.

    The ridge stands beside a *sum* over the rows.

    Parameters
    ----------
    X
        Features, (n, d); add a column of ones for an intercept, which is then penalised.
    y
        Labels in {-1, +1}, (n,).
    l2
        The ridge b, at least 0.

    Returns
    -------
    Weights, (d,).

    Examples
    --------

    >>> import numpy as np
    >>> from river_nrrls.least_squares import batch

    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> batch.least_squares_weights(X, np.array([-1, -1, 1]), l2=0.1)
    array([-1.18942731,  0.89574156])

    References
    ----------
    [^1]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230),
        equation 2

    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    return np.linalg.solve(X.T @ X + l2 * np.eye(X.shape[1]), X.T @ y)


def total_error_rate_weights(
    X: np.ndarray, y: np.ndarray, l2: float, tau: float = 0.0, eta: float = 1.0
) -> np.ndarray:
    r"""Minimiser of the total error rate, each class counted by its mean.

    $w = (S^- + S^+ + b I)^{-1} ((\tau - \eta)\, m^-/n^- + (\tau + \eta)\, m^+/n^+)$ with
    $S^c = \sum_c x x^T / n^c$ and $m^c = \sum_c x$. The ridge stands beside *means*: it weighs n/2
    times as much as the same number in `least_squares_weights`.

    Parameters
    ----------
    X
        Features, (n, d); add a column of ones for an intercept, which is then penalised.
    y
        Labels in {-1, +1}, (n,); both must occur.
    l2
        The ridge b, at least 0.
    tau
        Threshold: the targets are tau - eta and tau + eta.
    eta
        Offset of the targets.

    Returns
    -------
    Weights, (d,).

    Examples
    --------

    >>> import numpy as np
    >>> from river_nrrls.least_squares import batch

    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> batch.total_error_rate_weights(X, np.array([-1, -1, 1]), l2=0.1)
    array([-1.09970674,  0.92375367])

    References
    ----------
    [^1]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230),
        equations 3 and 4

    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    low, high = X[y < 0], X[y > 0]
    if not len(low) or not len(high):
        raise ValueError("y must hold both -1 and +1: the mean over an empty class is undefined")
    R = low.T @ low / len(low) + high.T @ high / len(high) + l2 * np.eye(X.shape[1])
    z = (tau - eta) * low.mean(axis=0) + (tau + eta) * high.mean(axis=0)
    return np.linalg.solve(R, z)
