"""The covariance that all classes share, stored as S with Σ = S Sᵀ, or as its diagonal.

Subtracted from Σ itself, Σ ← Σ - β Σx xᵀΣ loses all digits where the variance along a row falls by
1e16, and Σ its definiteness. The root takes the step as (Potter's update)

    f = Sᵀx,   S ← S (I - (1 - √ρ) f fᵀ / fᵀf),   ρ = 1 - β xᵀΣx,

which cannot: xᵀΣx = fᵀf is a sum of squares, and the factor along f is √ρ > 0.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from river.base.typing import ClfTarget
from scipy.linalg.blas import ddot, dgemv, dger

from ..dense import MulticlassClassifier, SecondOrder
from .rivals import move

# The least part of the variance along a row that one step leaves: 1 - √ρ has 16 digits.
LEAST = 1e-20


def spread(S: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, float]:
    """f and v = xᵀΣx, where f = Sᵀx for a root S and f = Σx for variances S."""
    if S.ndim == 2:
        f = dgemv(1.0, S, x, 0.0, x, 0, 1, 0, 1, 1)
        return f, ddot(f, f)
    f = S * x
    return f, ddot(f, x)


def shrink(S: np.ndarray, f: np.ndarray, g: np.ndarray, v: float, rho: float, w: float) -> None:
    """Σ -= min(w, 1)·β g gᵀ with g = Σx and ρ = 1 - βv; of variances the diagonal of the step."""
    if w < 1.0:
        rho = 1.0 - w * (1.0 - rho)
    rho = max(rho, LEAST)
    if S.ndim == 2:
        dger((math.sqrt(rho) - 1.0) / v, g, f, 1, 1, S, 1, 1, 1)
    else:
        np.maximum(S - (1.0 - rho) / v * (g * g), rho * S, out=S)


def learn(
    W: np.ndarray,
    S: np.ndarray,
    f: np.ndarray,
    v: float,
    y: int,
    s: int,
    alpha: float,
    rho: float,
    w: float,
) -> None:
    """W_y += wαΣx, W_s -= wαΣx, Σ -= min(w, 1)·β Σx xᵀΣ with β = (1 - ρ)/v; f and v of `spread`."""
    g = dgemv(1.0, S, f) if S.ndim == 2 else f
    move(W, g, y, s, w * alpha)
    shrink(S, f, g, v, rho, w)


@functools.lru_cache
def quantile(eta: float) -> float:
    """φ = Φ⁻¹(η) of the standard normal distribution."""
    # Imported where needed: slow to load.
    from statistics import NormalDist

    return NormalDist().inv_cdf(eta)


class SecondOrderClassifier(SecondOrder, MulticlassClassifier):
    """A rule with a covariance that all classes share: `_sigma` is S.

    Parameters
    ----------
    a
        The covariance starts as a·I.
    covariance
        Whether to keep the full covariance, or only its diagonal.
    learn_intercept
        Whether each row gets a constant feature 1.
    classes
        The labels and their order, if they are known.

    """

    def __init__(
        self,
        a: float,
        covariance: str,
        learn_intercept: bool,
        classes: tuple[ClfTarget, ...] | None,
    ) -> None:
        self.a = a
        self.covariance = covariance
        super().__init__(learn_intercept, classes)

    def _initial(self) -> float:
        return math.sqrt(self.a) if self.covariance == "full" else float(self.a)

    @property
    def covariance_matrix(self) -> np.ndarray:
        """Σ (its diagonal for `covariance="diagonal"`), in the order of `[intercept, *weights]`."""
        S = self._sigma
        return S @ S.T if S.ndim == 2 else S.copy()
