"""Solutions kept exact at O(d^2) a row: conjugate gradients that start from the last solution.

The system is R u = z with R = sum_j k_j A_j + diag(ridge), the A_j given by their lower triangles
in Fortran order. Residuals are those of R itself, so that the answer does not depend on what the
preconditioner has been told; only the number of iterations does.

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
from scipy.linalg.blas import daxpy, dcopy, ddot, dscal, dsymv, dsyr
from scipy.linalg.lapack import dpotrf, dpotri

Terms = Sequence[tuple[float, np.ndarray]]

# Relative error, in the norm of R, at which the iterations stop: that of the scores, root mean
# square over the classes' means.
TOLERANCE = 1e-11

# An inverse costs as much as three more factorisations. Bought no sooner than this many solutions
# after the last one, it never doubles the bill of a factorisation for each solution.
PRICE = 4

# Solutions between fresh products A_j u, lest the rounding of many small steps add up in them.
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
        # For each right-hand side u and the products A_j u; p and A_j p, which move them.
        self.age = 0
        self.state = np.zeros((n_right, 1 + n_terms, size))
        self.step = np.empty((1 + n_terms, size))
        self.moved = [(list(block), block.ravel()) for block in self.state]
        self.moving = list(self.step), self.step.ravel()
        self.r, self.q, self.Rp = np.empty((3, size))

    def learn(self, x: np.ndarray, k: float, mass: float, entries: Sequence[float]) -> None:
        """Follow a row x that has entered R with the weight k, A_j with the weight entries_j."""
        P = self.P
        rest = mass - k
        if P is None or not (rest > 0.0 and self.s < 1e100):
            self.P = None
            return
        size = len(x)
        s = self.s = self.s * (self.mass / rest)
        self.mass = mass
        v = self.q
        dsymv(s, P, x, 0.0, v, 0, 1, 0, 1, 1, 1)
        dsyr(-k / (s * (1.0 + k * ddot(x, v))), v, 1, 1, 0, size, P, 1)
        for (u, *products), _ in self.moved:
            score = ddot(x, u)
            for entry, Au in zip(entries, products, strict=False):
                if entry:
                    daxpy(x, Au, size, entry * score)

    def solve(
        self, terms: Terms, ridge: np.ndarray, Z: np.ndarray, known: bool
    ) -> np.ndarray | None:
        """R^-1 z for each row z of Z; None where a factorisation is the better way.

        `known` says whether `learn` was told of all that has entered the A_j.
        """
        self.credit += 1
        if self.worn > self.wear:
            self.P = None
        if self.P is None and not (self.credit >= PRICE and self._buy(terms, ridge)):
            return None
        self.age += 1
        if self.age > REFRESH or not known:
            self.age = 0
            for (u, *products), _ in self.moved:
                for (_, A), Au in zip(terms, products, strict=True):
                    dsymv(1.0, A, u, 0.0, Au, 0, 1, 0, 1, 1, 1)
        U = np.empty_like(Z)
        most = 0
        for (state, flat), z, u in zip(self.moved, Z, U, strict=True):
            iterations = self._iterate(terms, ridge, state, flat, z, u)
            if iterations is None:
                self.P = None
                return None
            most = max(most, iterations)
        self.worn += max(0, most - 2)
        return U

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

    def _iterate(
        self,
        terms: Terms,
        ridge: np.ndarray,
        state: list[np.ndarray],
        flat: np.ndarray,
        z: np.ndarray,
        result: np.ndarray,
    ) -> int | None:
        """Write R^-1 z to result; the number of iterations, or None where they lead nowhere."""
        P, s, size = self.P, self.s, len(z)
        r, q, Rp = self.r, self.q, self.Rp
        (p, *steps), step = self.moving
        u, *products = state
        np.multiply(ridge, u, Rp)
        for (k, _), Au in zip(terms, products, strict=True):
            daxpy(Au, Rp, size, k)
        dcopy(z, r)
        daxpy(Rp, r, size, -1.0)
        dsymv(s, P, r, 0.0, p, 0, 1, 0, 1, 1, 1)
        rho = ddot(r, p)
        energy = max(ddot(u, Rp), rho)
        stop = TOLERANCE * TOLERANCE * energy
        dcopy(p, q)
        iterations, a = 0, 1.0
        while rho > stop and iterations < self.reach:
            np.multiply(ridge, p, Rp)
            for (k, A), Ap in zip(terms, steps, strict=True):
                dsymv(1.0, A, p, 0.0, Ap, 0, 1, 0, 1, 1, 1)
                daxpy(Ap, Rp, size, k)
            curvature = ddot(p, Rp)
            if not curvature > 0.0:
                break
            iterations += 1
            a = rho / curvature
            daxpy(step, flat, len(step), a)
            daxpy(Rp, r, size, -a)
            dsymv(s, P, r, 0.0, q, 0, 1, 0, 1, 1, 1)
            last, rho = rho, ddot(r, q)
            if rho > stop:
                dscal(rho / last, p)
                daxpy(q, p)
        self.effort.iterations += iterations
        self.effort.residual = math.sqrt(rho / energy) if 0.0 < rho <= energy else 0.0
        # One more step, along q, costs no product; it is right as far as M is R, which a says.
        dcopy(u, result)
        if 0.5 < a < 2.0:
            daxpy(q, result, size, a)
        return iterations if 0.0 <= rho <= stop else None
