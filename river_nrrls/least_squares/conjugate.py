"""Solutions kept exact at O(d^2) a row: conjugate gradients that start from the last solution.

The system is R u = z with R = sum_j k_j A_j + diag(ridge) and z = sum_j k_j b_j, the A_j given by
their lower triangles in Fortran order. Residuals are those of R itself, so that the answer does not
depend on what the preconditioner has been told; only the number of iterations does.

The preconditioner s P is the inverse of a matrix M that was R when it was bought and follows the
rows: when a row x enters R with the weight k and the mass m = sum_j k_j n_j becomes m', M becomes
((m' - k) / m) M + k x x^T. For means of two classes m stays 2 and k is 1 / n_c: the class of the
row decays by 1 - 1 / n_c, and M, as a whole, by half of that, which is right for both classes as
long as their ratio is stable. The decay is a scalar, so a row costs one product and one update.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import daxpy, ddot, dscal, dsymv, dsyr
from scipy.linalg.lapack import dpotrf, dpotri

# (t_j, s_j) that make b_j = t_j s_j.
Target = Sequence[tuple[float, np.ndarray]]

# Relative error of a solution in the norm of R, which is that of its scores, root mean square over
# the classes. Iterations go on to a tenth of it, or to where one step more would get there even if
# it did only a three-hundredth of what the last one did: that step costs no product, and is taken.
TOLERANCE = 1e-11
DOUBT = 1e5

# An inverse costs as much as three more factorisations. Bought no sooner than this many solutions
# after the last one, it never doubles the bill of a factorisation for each solution.
PRICE = 4

# Solutions between fresh gradients A_j u - b_j, lest the rounding of many steps add up in them.
REFRESH = 64


@dataclass
class Effort:
    """What solving has taken so far."""

    iterations: int = 0
    factorizations: int = 0
    residual: float = 0.0


def inverse(
    k: Sequence[float], matrices: Sequence[np.ndarray], ridge: np.ndarray, held: bool
) -> np.ndarray | None:
    """The lower triangle of R^-1; `held` leaves out the first row and column, which become 0."""
    size = len(ridge)
    R = np.asfortranarray(np.diag(ridge))
    flat = R.ravel(order="K")
    for kj, A in zip(k, matrices, strict=True):
        daxpy(A.ravel(order="K"), flat, size * size, kj)
    if held:
        flat[:size] = 0.0
        flat[0] = 1.0
    L, failed = dpotrf(R, 1, 0, 1)
    if failed:
        return None
    P, failed = dpotri(L, 1, 1)
    if failed:
        return None
    if held:
        P[0, 0] = 0.0
    return np.asarray(P)


class Conjugate:
    """One matrix, solved for one or several right-hand sides again and again while rows enter it.

    With `held` the first entry of each solution stays what it is in `start`: the preconditioner is
    0 there, and no step moves it.
    """

    def __init__(
        self, start: np.ndarray, matrices: Sequence[np.ndarray], held: bool, effort: Effort
    ) -> None:
        n_right, self.size = start.shape
        self.start = start
        self.matrices = matrices
        self.held = held
        self.effort = effort
        self.P: np.ndarray | None = None
        self.s = 1.0
        self.mass = 0.0
        self.credit = 0
        # Iterations beyond two a solution that wear an inverse out, and iterations of one solution
        # that cost as much as the factorisation they avoid.
        self.worn = 0
        self.wear = max(4, self.size // 6)
        self.reach = max(6, self.size // 24)
        # For each right-hand side u, the gradients A_j u - b_j and g = R u - z; and what a step
        # adds to them: p, A_j p and R p.
        self.age = 0
        self.energy = 0.0
        self.state = np.zeros((n_right, len(matrices) + 2, self.size))
        self.states = [views(block) for block in self.state]
        self.step = views(np.empty((len(matrices) + 2, self.size)))
        self.q = np.empty(self.size)

    def learn(self, x: np.ndarray, k: float, mass: float) -> None:
        """Follow a row x that has entered R with the weight k."""
        P, s = self.P, self.s
        rest = mass - k
        if P is None or not (rest > 0.0 and s < 1e100):
            self.P = None
            return
        self.s = s = s * (self.mass / rest)
        self.mass = mass
        v = self.q
        dsymv(s, P, x, 0.0, v, 0, 1, 0, 1, 1, 1)
        dsyr(-k / (s * (1.0 + k * ddot(x, v))), v, 1, 1, 0, self.size, P, 1)

    def enter(self, x: np.ndarray, j: int, w: float, t: float) -> None:
        """Follow a row x that has entered A_j with the weight w, and b_j with the weight w t."""
        for u, gradients, _, _ in self.states:
            daxpy(x, gradients[j], self.size, w * (ddot(x, u) - t))

    def solve(
        self, k: Sequence[float], targets: Sequence[Target], ridge: np.ndarray, known: bool
    ) -> list[np.ndarray] | None:
        """A solution for each target; None where a factorisation is the better way.

        `known` says whether `enter` was told of all that has entered the A_j and b_j.
        """
        self.credit += 1
        if self.worn > self.wear:
            self.P = None
        if self.P is None and not (self.credit >= PRICE and self._buy(k, ridge)):
            return None
        self.age += 1
        fresh = self.age > REFRESH or not known
        if fresh:
            self.age = 0
        solutions = []
        most = 2
        for i, target in enumerate(targets):
            if fresh:
                self._refresh(i, k, target)
            iterations, u = self._iterate(i, k, ridge)
            if u is None:
                self.P = None
                return None
            solutions.append(u)
            if iterations > most:
                most = iterations
        self.worn += most - 2
        return solutions

    def _buy(self, k: Sequence[float], ridge: np.ndarray) -> bool:
        self.credit = 0
        self.effort.factorizations += 1
        self.P = inverse(k, self.matrices, ridge, self.held)
        self.s = 1.0
        self.mass = sum(kj * A.item(0) for kj, A in zip(k, self.matrices, strict=True))
        self.worn = 0
        self.age = REFRESH
        self.state[:, 0] = self.start
        return self.P is not None

    def _refresh(self, i: int, k: Sequence[float], target: Target) -> None:
        """Gradients from the A_j and b_j, and the energy u.R u that errors are relative to."""
        u, gradients, _, _ = self.states[i]
        energy = 0.0
        for kj, A, (t, s), gradient in zip(k, self.matrices, target, gradients, strict=True):
            dsymv(1.0, A, u, 0.0, gradient, 0, 1, 0, 1, 1, 1)
            energy += kj * ddot(u, gradient)
            daxpy(s, gradient, self.size, -t)
        self.energy = energy

    def _iterate(
        self, i: int, k: Sequence[float], ridge: np.ndarray
    ) -> tuple[int, np.ndarray | None]:
        """The number of iterations and R^-1 z; None where they lead nowhere."""
        P, size = self.P, self.size
        s = -self.s
        u, gradients, g, state = self.states[i]
        p, products, Rp, step = self.step
        length = len(step)
        np.multiply(ridge, u, g)
        for kj, gradient in zip(k, gradients, strict=True):
            daxpy(gradient, g, size, kj)
        parts = list(zip(k, self.matrices, products, strict=True))
        q = p
        dsymv(s, P, g, 0.0, q, 0, 1, 0, 1, 1, 1)
        rho = -ddot(g, q)
        energy = self.energy
        if rho > energy:
            self.energy = energy = rho
        stop = (0.1 * TOLERANCE) ** 2 * energy
        iterations, a, last = 0, 1.0, math.inf
        while rho > stop and iterations < self.reach:
            np.multiply(ridge, p, Rp)
            for kj, A, Ap in parts:
                dsymv(1.0, A, p, 0.0, Ap, 0, 1, 0, 1, 1, 1)
                daxpy(Ap, Rp, size, kj)
            curvature = ddot(p, Rp)
            if not curvature > 0.0:
                break
            a = rho / curvature
            daxpy(step, state, length, a)
            iterations += 1
            q = self.q
            dsymv(s, P, g, 0.0, q, 0, 1, 0, 1, 1, 1)
            last, rho = rho, -ddot(g, q)
            if DOUBT * rho * rho <= stop * last:
                break
            dscal(rho / last, p)
            daxpy(q, p)
        effort = self.effort
        effort.iterations += iterations
        if not (0.0 <= rho and (rho <= stop or DOUBT * rho * rho <= stop * last)):
            return iterations, None
        effort.residual = math.sqrt(rho / energy) if rho else 0.0
        result = u.copy()
        # The step along q is right as far as M is R, of which a is the measure.
        if 0.5 < a < 2.0:
            daxpy(q, result, size, a)
        return iterations, result


def views(block: np.ndarray) -> tuple[np.ndarray, list[np.ndarray], np.ndarray, np.ndarray]:
    """The first row, those in the middle, the last, and all of a matrix in one."""
    first, *middle, last = block
    return first, middle, last, block.ravel()
