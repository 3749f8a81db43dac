r"""How far weights would have come out otherwise, had other rows been drawn: from moments alone.

Weights solve $R u = \sum_c K_c \, \mathrm{mean}_c(x t)$ with x = [1, x] and
$R = \sum_c K_c \, \mathrm{mean}_c(x x^T) + \mathrm{ridge}$. A row of class c moves them by
$K_c / n_c \, R^{-1} (x r - g_c)$, r = t - u.x, $g_c = \mathrm{mean}_c(x r)$, so that

$$\mathrm{Var}(u) = R^{-1} \left( \sum_c \frac{K_c^2}{n_c} \mathrm{Cov}_c(x r) \right) R^{-1}$$

the sandwich. Its middle takes moments of the fourth order; for normal classes they are functions of
the mean m and the covariance $\Sigma$: with $\rho = t - u \cdot m$, $s = \Sigma w$ and
$v = w \cdot s$

$$\mathrm{Cov}_c(x r) = (\rho^2 + v) \Sigma - \rho (s m^T + m s^T) + v m m^T + s s^T$$
"""

from __future__ import annotations

import numpy as np

from . import solve


def residual_moments(B: np.ndarray, u: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of x r for a normal class with the moments B of [1, x], B[0, 0] = 1."""
    m = B[:, 0]
    sigma = B - np.outer(m, m)
    s = sigma @ u
    rho, v = t - u @ m, u @ s
    cross = np.outer(s, m)
    covariance = (rho**2 + v) * sigma - rho * (cross + cross.T)
    return rho * m - s, covariance + v * np.outer(m, m) + np.outer(s, s)


def middle(
    B: dict[int, np.ndarray],
    u: np.ndarray,
    own: int,
    K: dict[int, float],
    n: list[float],
    groups: list[list[int]],
) -> np.ndarray:
    r"""The middle of the sandwich; t = 1 for the label `own`, -1 for all others.

    The classes of a group share one normaliser: their x r vary about one mean.
    """
    total = np.zeros_like(B[own])
    for group in groups:
        parts = {c: residual_moments(B[c], u, 1.0 if c == own else -1.0) for c in group}
        mass = sum(K[c] for c in group)
        if mass == 0.0:
            continue
        mean = sum((K[c] / mass * parts[c][0] for c in group), start=np.zeros(len(u)))
        for c in group:
            g, covariance = parts[c]
            apart = g - mean
            total += K[c] ** 2 / (n[c] - 1.0) * (covariance + np.outer(apart, apart))
    return total


def standard_errors(R: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Square roots of the diagonal of R^-1 M R^-1, for whole symmetric matrices."""
    if not len(R):
        return np.zeros(0)
    half = _solved(R, M)
    variance = _solved(R, half.T).diagonal()
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _solved(R: np.ndarray, Z: np.ndarray) -> np.ndarray:
    solution = solve.cholesky(np.array(R, order="F"), Z)
    return solve.minimum_norm(R, Z) if solution is None else solution


def rows_worth(n: float, total: float, forgetting: float) -> float:
    r"""How many rows of one weight a decayed weight of n is worth, $(\sum w)^2 / \sum w^2$.

    After N rows the decayed weight of all is $(1 - \lambda^N) / (1 - \lambda)$, that of a class a
    part of it, and $\sum \lambda^{2 a} = \sum \lambda^a \, (1 + \lambda^N) / (1 + \lambda)$.
    """
    if forgetting == 1.0:
        return n
    left = min(max(1.0 - total * (1.0 - forgetting), 0.0), 1.0)
    return n * (1.0 + forgetting) / (1.0 + left)
