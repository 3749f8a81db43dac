"""What the NR-RLS paper's Algorithm 1 does in floats, on the paper's own polynomial features.

    python -m examples.algorithm_one

pima-diabetes, features min-maxed to [0, 1], the reduced polynomial with its constant, l2 = 1e-4 on
every weight, one pass; scores on all rows against the solution from the class moments.
"""

from __future__ import annotations

import time

import numpy as np

import river_nrrls as rn
from river_nrrls.feature_extraction import ReducedPolynomialExtender


def rows_of(order: int) -> tuple[list[dict[str, float]], list[bool]]:
    X, y = rn.datasets.load("pima-diabetes").to_arrays()
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    names = [f"x{j}" for j in range(X.shape[1])]
    extender = ReducedPolynomialExtender(order, include_bias=True)
    rows = [extender.transform_one(dict(zip(names, x, strict=True))) for x in X.tolist()]
    return rows, y.tolist()


def main() -> None:
    print(
        "| order | terms | largest score error | decisions that differ | µs a row, ours / theirs |"
    )
    print("| ---: | ---: | ---: | ---: | ---: |")
    for order in (1, 2, 3, 4, 5, 6):
        rows, labels = rows_of(order)
        exact = rn.NRRLSClassifier(l2=1e-4, learn_intercept=False)
        literal = rn.RecursiveNRRLSClassifier(l2=1e-4, learn_intercept=False)
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


if __name__ == "__main__":
    main()
