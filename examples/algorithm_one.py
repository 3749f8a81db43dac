"""What the NR-RLS paper's Algorithm 1 does in floats, on the paper's own polynomial features.

    python -m examples.algorithm_one

pima-diabetes, features min-maxed to [0, 1], the reduced polynomial with its constant, l2 = 1e-4 on
every weight, one pass; scores on all rows against the solution from the class moments. Then, at
order 1, the algorithm to the letter: 0/0 before both classes are seen, and "n = 1 gives LS".
"""

from __future__ import annotations

import time

import numpy as np

import river_nrrls as rn
from river_nrrls.feature_extraction import ReducedPolynomialExtender
from river_nrrls.least_squares import batch
from river_nrrls.least_squares.recursive_nrrls import algorithm_1

L2 = 1e-4


def rows_of(order: int) -> tuple[list[dict[str, float]], list[bool]]:
    X, y = rn.datasets.load("pima-diabetes").to_arrays()
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    names = [f"x{j}" for j in range(X.shape[1])]
    extender = ReducedPolynomialExtender(order, include_bias=True)
    rows = [extender.transform_one(dict(zip(names, x, strict=True))) for x in X.tolist()]
    return rows, y.tolist()


def to_the_letter(X: np.ndarray, y: np.ndarray, count: bool) -> tuple[np.ndarray, np.ndarray, int]:
    """Weights and class moments at the end, and the rows after which a weight is not a number.

    No guard for a class without rows; with count=False n+ = n- = 1 all along, as in section 4.1.
    """
    d = X.shape[1]
    R_inv, S, z = np.eye(d) / L2, np.zeros((2, d, d)), np.zeros((2, d))
    n = np.zeros(2) if count else np.ones(2)
    w, lost = np.zeros(d), 0
    for x, t in zip(X, y, strict=True):
        own = np.array([1.0 - t, 1.0 + t]) / 2.0
        n += own * count
        beta = own / n
        R_inv = algorithm_1(R_inv, np.tensordot(own, S, 1), x, float(beta.sum()))
        S += beta[:, None, None] * (np.outer(x, x) - S)
        z += beta[:, None] * (t * x - z)
        w = R_inv @ z.sum(axis=0)
        lost += not np.isfinite(w).all()
    return w, S, lost


def section_4_1() -> None:
    rows, labels = rows_of(1)
    X = np.array([list(row.values()) for row in rows])
    y = np.where(labels, 1.0, -1.0)
    with np.errstate(invalid="ignore"):
        _, _, lost = to_the_letter(X, y, count=True)
    print(f"\n0/0: the weights are not numbers after {lost} of {len(y)} rows")
    w, S, _ = to_the_letter(X, y, count=False)
    ls = batch.least_squares_weights(X, y, L2)
    off = np.linalg.norm(w - ls) / np.linalg.norm(ls)
    flipped = ((X @ w >= 0.0) != (X @ ls >= 0.0)).mean()
    print(
        f"n = 1: the moments have rank {np.linalg.matrix_rank(S.sum(axis=0))} after {len(y)} rows; "
        f"the weights are {off:.0%} off those of LS and {flipped:.1%} of the decisions differ"
    )


def main() -> None:
    print(
        "| order | terms | largest score error | decisions that differ | µs a row, ours / theirs |"
    )
    print("| ---: | ---: | ---: | ---: | ---: |")
    for order in (1, 2, 3, 4, 5, 6):
        rows, labels = rows_of(order)
        exact = rn.NRRLSClassifier(l2=L2, learn_intercept=False)
        literal = rn.RecursiveNRRLSClassifier(l2=L2, learn_intercept=False)
        times = []
        for model in (exact, literal):
            start = time.process_time()
            for x, y in zip(rows, labels, strict=True):
                model.learn_one(x, y)
            times.append((time.process_time() - start) / len(rows) * 1e6)
        f = np.array([exact.decision_function_one(x) for x in rows])
        g = np.array([literal.decision_function_one(x) for x in rows])
        error = np.abs(f - g).max() / np.abs(f).max()
        flipped = ((f >= 0) != (g >= 0)).mean()
        print(
            f"| {order} | {len(rows[0])} | {error:.1e} | {flipped:.1%} | "
            f"{times[0]:.1f} / {times[1]:.0f} |"
        )
    section_4_1()


if __name__ == "__main__":
    main()
