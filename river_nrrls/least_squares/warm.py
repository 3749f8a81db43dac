"""The systems of a learner, solved from their last solutions while predictions come often."""

from __future__ import annotations

import abc
import math
from typing import TYPE_CHECKING

import numpy as np

from . import moments
from .conjugate import Conjugate

if TYPE_CHECKING:
    from .base import LeastSquaresClassifier

# Above this size of a row, conjugate gradients are faster than a Cholesky factorisation.
CROSSOVER = 90

# The size from which each solver iterates.
STARTS = {"auto": CROSSOVER, "cg": 0, "cholesky": math.inf}

# A label that outweighs all others so many times would cost their digits: its system is the total
# less its own moments.
CANCELS = 1e5


class WarmSolver(abc.ABC):
    """Solutions that start from the last one; a learner drops it when its moments are replaced.

    It gives way to Cholesky while there are many rows between predictions: d / 16 products cost as
    much as a factorisation.
    """

    def __init__(
        self, learner: LeastSquaresClassifier, systems: list[list[np.ndarray]], n_right: int
    ) -> None:
        size = len(learner._T)
        held = not learner.learn_intercept
        start = np.zeros((n_right, size))
        if held:
            start[:, 0] = -learner.tau / learner.eta
        self.systems = [Conjugate(start, A, held, learner._effort) for A in systems]
        self.size = size
        self.most = max(1, size // 16)
        # Rows since the last solution; before the first they are not known.
        self.gap = self.most + 1

    def learn(self, learner: LeastSquaresClassifier, row: np.ndarray, code: int, w: float) -> None:
        """Follow a row that has entered the moments of a class with the weight w."""
        self.gap += 1
        if self.gap <= self.most:
            self._learn(learner, row, code, w)

    def skip(self, n_rows: int) -> None:
        """Take note of rows that have entered the moments unseen."""
        self.gap += n_rows

    def solve(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        """The solution, or None where a factorisation is the better way."""
        gap, self.gap = self.gap, 0
        learner._effort.residual = 0.0
        if gap > self.most:
            for system in self.systems:
                system.P = None
        elif learner.n_updates >= self.size and (learner._centred or learner._at_origin):
            return self._solve(learner)
        return None

    @abc.abstractmethod
    def _learn(self, learner: LeastSquaresClassifier, row: np.ndarray, code: int, w: float) -> None:
        """Follow a row in the preconditioners."""

    @abc.abstractmethod
    def _solve(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        """Solve all systems."""


class Pair(WarmSolver):
    """Two labels: R = k_0 A_0 + k_1 A_1 and z = k_1 s_1 - k_0 s_0."""

    def __init__(self, learner: LeastSquaresClassifier) -> None:
        super().__init__(learner, [learner._A], 1)
        (self.system,) = self.systems
        self.flat = learner._flat
        s0, s1 = learner._first
        self.targets = [((-1.0, s0), (1.0, s1))]
        # The counts that the gradients of the system belong to.
        self.n = [0.0, 0.0]

    def _learn(self, learner: LeastSquaresClassifier, row: np.ndarray, code: int, w: float) -> None:
        k = learner._pair_multipliers()
        low, high = self.flat
        self.n[code] += w
        system = self.system
        system.learn(row, k[code] * w, k[0] * low.item(0) + k[1] * high.item(0))
        system.enter(row, code, w, 1.0 if code else -1.0)

    def _solve(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        low, high = self.flat
        n = [low.item(0), high.item(0)]
        known = n == self.n
        self.n = n
        k = learner._pair_multipliers()
        solutions = self.system.solve(k, self.targets, learner._ridge(), known)
        return None if solutions is None else solutions[0]


class Shared(WarmSolver):
    """One matrix R = sum_c k_c A_c, and z_i = k_i s_i - sum_{j != i} k_j s_j for each label."""

    def __init__(self, learner: LeastSquaresClassifier) -> None:
        super().__init__(learner, [[learner._T]], len(learner._A))

    def _learn(self, learner: LeastSquaresClassifier, row: np.ndarray, code: int, w: float) -> None:
        k = learner._multipliers()
        mass = sum(kc * A.item(0) for kc, A in zip(k, learner._flat, strict=True))
        self.systems[0].learn(row, k[code] * w, mass)

    def _solve(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        k = learner._multipliers()
        S = np.array([kc * first for kc, first in zip(k, learner._first, strict=True)])
        targets = [((1.0, z),) for z in 2.0 * S - S.sum(axis=0)]
        moments.weighted_sum(k, learner._A, learner._T)
        solutions = self.systems[0].solve((1.0,), targets, learner._ridge(), False)
        return None if solutions is None else np.array(solutions)


class OneVsRest(WarmSolver):
    """R_i = k_i A_i + r_i sum_{j != i} p_j A_j for each label i, and z_i likewise."""

    def __init__(self, learner: LeastSquaresClassifier) -> None:
        super().__init__(learner, [[A, learner._T] for A in learner._A], 1)

    def _learn(self, learner: LeastSquaresClassifier, row: np.ndarray, code: int, w: float) -> None:
        own, pool, rest = (part.tolist() for part in learner._one_vs_rest())
        n = [A.item(0) for A in learner._flat]
        total = sum(pc * nc for pc, nc in zip(pool, n, strict=True))
        for i, system in enumerate(self.systems):
            k = own[i] if i == code else rest[i] * pool[code]
            system.learn(row, k * w, own[i] * n[i] + rest[i] * (total - pool[i] * n[i]))

    def _solve(self, learner: LeastSquaresClassifier) -> np.ndarray | None:
        own, pool, rest = (part.tolist() for part in learner._one_vs_rest())
        if any(r * p > CANCELS * k for k, p, r in zip(own, pool, rest, strict=True)):
            return None
        moments.weighted_sum(pool, learner._A, learner._T)
        total = learner._T.T[0]
        ridge = learner._ridge()
        solved: list[np.ndarray] = []
        for i, system in enumerate(self.systems):
            s = learner._first[i]
            target = ((1.0, s), (1.0, 2.0 * pool[i] * s - total))
            k = (own[i] - rest[i] * pool[i], rest[i])
            solved += system.solve(k, [target], ridge, False) or []
        return np.array(solved) if len(solved) == len(self.systems) else None


def warm_solver(learner: LeastSquaresClassifier) -> WarmSolver:
    if len(learner._A) == 2:
        return Pair(learner)
    return Shared(learner) if learner._shared else OneVsRest(learner)
