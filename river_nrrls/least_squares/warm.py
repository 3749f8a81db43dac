"""The systems of a learner, solved from their last solutions while predictions come often."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.blas import daxpy, dcopy, dscal

from .conjugate import Conjugate

if TYPE_CHECKING:
    from .base import LeastSquaresClassifier

# Above this size of a row, conjugate gradients are faster than a Cholesky factorisation.
CROSSOVER = 80

# The size from which each solver iterates.
STARTS = {"auto": CROSSOVER, "cg": 0, "cholesky": math.inf}


class WarmSolver:
    """One system for two labels or for a shared matrix, else one for each label against the rest.

    It is dropped whenever the moments change otherwise than by a row, and gives way to Cholesky
    while rows between predictions are many: d / 16 products cost as much as a factorisation.
    """

    def __init__(self, learner: LeastSquaresClassifier) -> None:
        n_labels, size = len(learner._A), len(learner._T)
        self.pair = n_labels == 2
        self.shared = self.pair or learner._shared
        held = not learner.learn_intercept
        start = np.zeros((n_labels if self.shared and not self.pair else 1, size))
        if held:
            start[:, 0] = -learner.tau / learner.eta
        n_systems = 1 if self.shared else n_labels
        n_terms = 1 if self.shared and not self.pair else 2
        effort = learner._effort
        self.systems = [Conjugate(start, n_terms, held, effort) for _ in range(n_systems)]
        self.most = max(1, size // 16)
        # Rows since the last solution; before the first they are not known.
        self.gap = self.most + 1
        self.alive = False
        # The counts that the products with the moments belong to.
        self.counts: list[float] = []
        self.Z = np.empty((1, size))

    def learn(self, learner: LeastSquaresClassifier, row: np.ndarray, code: int, w: float) -> None:
        """Follow a row that has entered the moments of a class with the weight w."""
        self.skip(1)
        if not self.alive:
            return
        n = [flat.item(0) for flat in learner._flat]
        if self.pair:
            k0, k1 = learner._pair_multipliers()
            self.counts[code] += w
            entries = (0.0, w) if code else (w, 0.0)
            self.systems[0].learn(row, (k1 if code else k0) * w, k0 * n[0] + k1 * n[1], entries)
            return
        if self.shared:
            k = learner._multipliers()
            mass = sum(kc * nc for kc, nc in zip(k, n, strict=True))
            self.systems[0].learn(row, k[code] * w, mass, ())
            return
        own, pool, rest = (part.tolist() for part in learner._one_vs_rest())
        total = sum(pc * nc for pc, nc in zip(pool, n, strict=True))
        for i, system in enumerate(self.systems):
            k_i = own[i] if i == code else rest[i] * pool[code]
            mass = own[i] * n[i] + rest[i] * (total - pool[i] * n[i])
            system.learn(row, k_i * w, mass, ())

    def skip(self, n_rows: int) -> None:
        """Rows have entered the moments; too many of them to the next solution, and all rests."""
        self.gap += n_rows
        if self.alive and self.gap > self.most:
            self.alive = False
            for system in self.systems:
                system.P = None

    def solve(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        """The solution, or None where a factorisation is the better way."""
        often = self.gap <= self.most
        self.gap = 0
        if not often or learner.n_updates < len(learner._T):
            return None
        if not learner.learn_intercept and learner._plain_moments() is not learner._A:
            return None
        if self.pair:
            u = self._solve_pair(learner)
        elif self.shared:
            u = self._solve_shared(learner)
        else:
            u = self._solve_ovr(learner)
        self.alive = any(system.P is not None for system in self.systems)
        return u

    def _solve_pair(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        """R = k_0 A_0 + k_1 A_1, z = k_1 s_1 - k_0 s_0."""
        k0, k1 = learner._pair_multipliers()
        low, high = learner._first
        z = self.Z[0]
        dcopy(high, z)
        dscal(k1, z)
        daxpy(low, z, len(z), -k0)
        counts = [flat.item(0) for flat in learner._flat]
        known = counts == self.counts
        self.counts = counts
        A0, A1 = learner._A
        U = self.systems[0].solve(((k0, A0), (k1, A1)), learner._ridge(), self.Z, known)
        return None if U is None else U[0]

    def _solve_shared(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        """R = sum_c k_c A_c, z_i = k_i s_i - sum_{j != i} k_j s_j."""
        k = learner._multipliers()
        Z = np.array([kc * first for kc, first in zip(k, learner._first, strict=True)])
        R = self._sum(learner, k)
        return self.systems[0].solve([(1.0, R)], learner._ridge(), 2.0 * Z - Z.sum(axis=0), False)

    def _solve_ovr(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        """R_i = (k_i - p_i r_i) A_i + r_i sum_j p_j A_j, z_i = (k_i + p_i r_i) s_i - r_i s."""
        own, pool, rest = (part.tolist() for part in learner._one_vs_rest())
        total = self._sum(learner, pool)
        ridge = learner._ridge()
        rows: list[np.ndarray] = []
        for i, system in enumerate(self.systems):
            A, s = learner._A[i], learner._first[i]
            terms = [(own[i] - pool[i] * rest[i], A), (rest[i], total)]
            z = (own[i] + pool[i] * rest[i]) * s - rest[i] * total.T[0]
            if (u := system.solve(terms, ridge, z[None], False)) is not None:
                rows.append(u)
        return np.concatenate(rows) if len(rows) == len(self.systems) else None

    def _sum(self, learner: LeastSquaresClassifier, k: list[float]) -> np.ndarray:
        """sum_c k_c A_c in the learner's work matrix."""
        T, flat = learner._T, learner._flat_T
        flat[:] = 0.0
        for kc, A in zip(k, learner._flat, strict=True):
            daxpy(A, flat, len(flat), kc)
        return T
