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

# (k_j, A_j), and (t_j, s_j) that make b_j = t_j s_j.
Terms = Sequence[tuple[float, np.ndarray]]
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


def inverse(terms: Terms, ridge: np.ndarray, held: bool) -> np.ndarray | None:
    """The lower triangle of R^-1; `held` leaves out the first row and column, which become 0."""
    size = len(ridge)
    R = np.asfortranarray(np.diag(ridge))
    flat = R.ravel(order="K")
    for k, A in terms:
        daxpy(A.ravel(order="K"), flat, size * size, k)
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

    def __init__(self, start: np.ndarray, n_terms: int, held: bool, effort: Effort) -> None:
        n_right, size = start.shape
        self.start = start
        self.held = held
        self.effort = effort
        self.P: np.ndarray | None = None
        self.s = 1.0
        self.mass = 0.0
        self.credit = 0
        # Iterations beyond two a solution that wear an inverse out, and iterations of one solution
        # that cost as much as the factorisation they avoid.
        self.worn = 0
        self.wear = max(4, size // 6)
        self.reach = max(6, size // 24)
        # For each right-hand side u, the gradients A_j u - b_j and g = R u - z; and what a step
        # adds to them: p, A_j p and R p.
        self.age = 0
        self.energy = 0.0
        self.state = np.zeros((n_right, n_terms + 2, size))
        self.states = [views(block) for block in self.state]
        self.step = views(np.empty((n_terms + 2, size)))
        self.q = np.empty(size)

    def learn(self, x: np.ndarray, k: float, mass: float) -> None:
        """Follow a row x that has entered R with the weight k."""
        P = self.P
        rest = mass - k
        if P is None or not (rest > 0.0 and self.s < 1e100):
            self.P = None
            return
        s = self.s = self.s * (self.mass / rest)
        self.mass = mass
        v = self.q
        dsymv(s, P, x, 0.0, v, 0, 1, 0, 1, 1, 1)
        dsyr(-k / (s * (1.0 + k * ddot(x, v))), v, 1, 1, 0, len(x), P, 1)

    def enter(self, x: np.ndarray, j: int, w: float, t: float) -> None:
        """Follow a row x that has entered A_j with the weight w, and b_j with the weight w t."""
        for u, gradients, _, _ in self.states:
            daxpy(x, gradients[j], len(x), w * (ddot(x, u) - t))

    def solve(
        self, terms: Terms, targets: Sequence[Target], ridge: np.ndarray, known: bool
    ) -> list[np.ndarray] | None:
        """A solution for each target; None where a factorisation is the better way.

        `known` says whether `enter` was told of all that has entered the A_j and b_j.
        """
        self.credit += 1
        if self.worn > self.wear:
            self.P = None
        if self.P is None and not (self.credit >= PRICE and self._buy(terms, ridge)):
            return None
        self.age += 1
        fresh = self.age > REFRESH or not known
        if fresh:
            self.age = 0
        solutions = []
        most = 2
        for i, target in enumerate(targets):
            if fresh:
                self._refresh(i, terms, target)
            iterations, u = self._iterate(i, terms, ridge)
            if u is None:
                self.P = None
                return None
            solutions.append(u)
            if iterations > most:
                most = iterations
        self.worn += most - 2
        return solutions

    def _buy(self, terms: Terms, ridge: np.ndarray) -> bool:
        self.credit = 0
        self.effort.factorizations += 1
        self.P = inverse(terms, ridge, self.held)
        self.s = 1.0
        self.mass = sum(k * A.item(0) for k, A in terms)
        self.worn = 0
        self.age = REFRESH
        self.state[:, 0] = self.start
        return self.P is not None

    def _refresh(self, i: int, terms: Terms, target: Target) -> None:
        """Gradients from the A_j and b_j, and the energy u.R u that errors are relative to."""
        u, gradients, _, _ = self.states[i]
        energy = 0.0
        for (k, A), (t, s), gradient in zip(terms, target, gradients, strict=True):
            dsymv(1.0, A, u, 0.0, gradient, 0, 1, 0, 1, 1, 1)
            energy += k * ddot(u, gradient)
            daxpy(s, gradient, len(u), -t)
        self.energy = energy

    def _iterate(self, i: int, terms: Terms, ridge: np.ndarray) -> tuple[int, np.ndarray | None]:
        """The number of iterations and R^-1 z; None where they lead nowhere."""
        P, s, size = self.P, self.s, len(ridge)
        u, gradients, g, state = self.states[i]
        p, products, Rp, step = self.step
        np.multiply(ridge, u, g)
        parts = []
        for (k, A), gradient, Ap in zip(terms, gradients, products, strict=True):
            daxpy(gradient, g, size, k)
            parts.append((k, A, Ap))
        q = p
        dsymv(-s, P, g, 0.0, q, 0, 1, 0, 1, 1, 1)
        rho = -ddot(g, q)
        if rho > self.energy:
            self.energy = rho
        stop = (0.1 * TOLERANCE) ** 2 * self.energy
        iterations, a, last = 0, 1.0, math.inf
        while rho > stop and iterations < self.reach:
            np.multiply(ridge, p, Rp)
            for k, A, Ap in parts:
                dsymv(1.0, A, p, 0.0, Ap, 0, 1, 0, 1, 1, 1)
                daxpy(Ap, Rp, size, k)
            curvature = ddot(p, Rp)
            if not curvature > 0.0:
                break
            a = rho / curvature
            daxpy(step, state, len(step), a)
            iterations += 1
            q = self.q
            dsymv(-s, P, g, 0.0, q, 0, 1, 0, 1, 1, 1)
            last, rho = rho, -ddot(g, q)
            if DOUBT * rho * rho <= stop * last:
                break
            dscal(rho / last, p)
            daxpy(q, p)
        effort = self.effort
        effort.iterations += iterations
        if not (0.0 <= rho and (rho <= stop or DOUBT * rho * rho <= stop * last)):
            return iterations, None
        effort.residual = math.sqrt(rho / self.energy) if rho else 0.0
        result = u.copy()
        # The step along q is right as far as M is R, of which a is the measure.
        if 0.5 < a < 2.0:
            daxpy(q, result, size, a)
        return iterations, result


def views(block: np.ndarray) -> tuple[np.ndarray, list[np.ndarray], np.ndarray, np.ndarray]:
    """The first row, those in the middle, the last, and all of a matrix in one."""
    first, *middle, last = block
    return first, middle, last, block.ravel()
