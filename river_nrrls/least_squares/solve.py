"""Solutions of T u = z for a symmetric T, given by its lower triangle."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpotrs, dpstrf


def cholesky(T: np.ndarray, z: np.ndarray) -> np.ndarray | None:
    """The solution by Cholesky in place of T, or None where T is not positive definite.

    Neither equilibration by powers of two nor a step of refinement in double precision buys a
    digit: Cholesky's error does not depend on the scale of the features.
    """
    L, info = dpotrf(T, 1, 0, 1)
    if info:
        return None
    u, _ = dpotrs(L, z, 1)
    return np.asarray(u) if np.isfinite(u).all() else None


def minimum_norm(T: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The least-norm solution in equilibrated coordinates, for a T that is singular in floats."""
    full = np.tril(T) + np.tril(T, -1).T
    diagonal = full.diagonal()
    d = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)
    values, vectors = np.linalg.eigh(d[:, None] * full * d)
    kept = values > len(T) * np.finfo(float).eps * max(float(values[-1]), 0.0)
    V = vectors[:, kept]
    shape = (-1,) + (1,) * (z.ndim - 1)
    scaled = d.reshape(shape) * z
    return np.asarray(d.reshape(shape) * (V @ ((V.T @ scaled) / values[kept].reshape(shape))))


def few_rows(S: np.ndarray, z: np.ndarray, ridge: np.ndarray) -> np.ndarray | None:
    """(S + diag(ridge))^-1 z for z in the range of S, while there are fewer rows than features.

    A Cholesky of the whole divides the rounding of S outside its range by the ridge. With a pivoted
    Cholesky S = L L^T of S alone and z = L c, the solution L (L^T L + I)^-1 c, in coordinates where
    the ridge is I, never leaves the range: at l2 = 1e-8 this gives back some three digits.
    """
    d = np.sqrt(ridge)
    if not d.all():
        d = np.ones(len(ridge))
        tiny = 0.0
    else:
        tiny = 1.0
    scaled = S / d / d[:, None]
    tolerance = 10.0 * len(S) * np.finfo(float).eps * scaled.diagonal().max(initial=0.0)
    L, pivots, rank, _ = dpstrf(scaled, tolerance, 1)
    order = pivots - 1
    L = np.tril(L)[:, :rank]
    c = dtrsm(1.0, L[:rank], (z / d[:, None])[order[:rank]], 0, 1)
    v = cholesky(np.array(L.T @ L + tiny * np.eye(rank), order="F"), c) if rank else c
    if v is None:
        return None
    u = np.empty_like(z)
    u[order] = L @ v
    return np.asarray(u / d[:, None])
