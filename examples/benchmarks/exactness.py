"""How exact the solutions are: conjugate gradients and Cholesky against extended precision.

    OPENBLAS_NUM_THREADS=1 python -m examples.benchmarks.exactness [--quick]

The reference is the batch solution in 64-bit mantissas from the rows themselves. Errors are the
largest of any score, relative to the largest score.
"""

from __future__ import annotations

import argparse
import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

import river_nrrls as rn  # noqa: E402

from .common import Result, alternate, arrays  # noqa: E402

L2 = 1e-4


def reference(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Exact weights (b, w) about the first row, to the rounding of 64-bit mantissas."""
    Z = np.column_stack([np.ones(len(X)), X - X[0]])
    R = np.zeros((Z.shape[1],) * 2, dtype=np.longdouble)
    z = np.zeros(Z.shape[1], dtype=np.longdouble)
    for own, t in ((y, 1), (~y, -1)):
        A = gram(Z[own])
        R += A / A[0, 0]
        z += t * A[0] / A[0, 0]
    R[np.arange(1, len(R)), np.arange(1, len(R))] += np.longdouble(L2)
    return cholesky(R, z)


def gram(Z: np.ndarray) -> np.ndarray:
    """Z^T Z without rounding where the entries have few enough bits, else in long double."""
    scale = 2.0**14
    if (np.round(Z * scale) != Z * scale).any():
        long = Z.astype(np.longdouble)
        return np.asarray(long.T @ long)
    bits = 2 * int(np.ceil(np.log2(np.abs(Z).max() * scale))) + 1
    block = 1 << max(0, 53 - bits)
    total = np.zeros((Z.shape[1],) * 2, dtype=np.longdouble)
    for i in range(0, len(Z), block):
        part = Z[i : i + block]
        total += part.T @ part
    return total


def cholesky(R: np.ndarray, z: np.ndarray) -> np.ndarray:
    d = 1.0 / np.sqrt(R.diagonal())
    L, b = R * d * d[:, None], z * d
    for j in range(len(L)):
        L[j:, j] /= np.sqrt(L[j, j])
        L[j + 1 :, j + 1 :] -= np.outer(L[j + 1 :, j], L[j + 1 :, j])
        b[j] /= L[j, j]
        b[j + 1 :] -= L[j + 1 :, j] * b[j]
    for j in reversed(range(len(L))):
        b[j] = (b[j] - L[j + 1 :, j] @ b[j + 1 :]) / L[j, j]
    return b * d


def named(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def error(model: rn.NRRLSClassifier, X: np.ndarray, first: np.ndarray, u: np.ndarray) -> float:
    """The largest error of a score of the rows X against the exact (b, w) about `first`."""
    wanted = u[0] + (X - first).astype(np.longdouble) @ u[1:]
    found = model.decision_function_many(named(X)).to_numpy()
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def many_features(quick: bool) -> list[Result]:
    """After 20,000 rows, each row predicted and learnt."""
    results = []
    n = 5000 if quick else 20_000
    for d, steps in ((166, 300),) if quick else ((166, 300), (500, 100), (1000, 50)):
        for kind in ("random", "correlated", "polynomial"):
            X, y = arrays(n + steps, d, seed=7, kind=kind)
            X = np.round(X * 2.0**14) / 2.0**14
            errors = []
            for solver in ("cg", "cholesky"):
                model = rn.NRRLSClassifier(l2=L2, solver=solver)
                for i in range(0, n, 2000):
                    rows = slice(i, min(i + 2000, n))
                    model.learn_many(named(X[rows]), pd.Series(y[rows]))
                alternate(model, zip(named(X[n:]).to_dict("records"), y[n:].tolist(), strict=True))
                if solver == "cg":
                    note = f"{model.n_iterations / steps:.2f} iterations a row"
                    u = reference(X, y)
                errors.append(error(model, X[::41], X[0], u))
            what = f"error of scores, d = {d}, {n:,} rows, {kind}"
            note += f"; {errors[0]:.1e}, Cholesky {errors[1]:.1e}"
            results.append(Result(what, "extended precision", *3 * (errors[0],), 1e-9, note))
    return results


def streams(n: int, d: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Streams made to break a solution that follows the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    half = np.arange(n) >= n // 2
    even = rng.random(n) < 0.5
    rare = rng.random(n) < 0.1
    ordered = np.sort(even)
    alone = np.arange(n) % 5000 == 5
    once = even & ((np.arange(n) < 300) | (np.arange(n) >= n - 300))
    tails = np.exp(np.clip(rng.standard_cauchy(n), -7.0, 7.0))[:, None]
    Z = rng.normal(size=(n, d // 3))
    first, second = rng.normal(size=(2, d // 3, d))
    subspace = np.where(half[:, None], Z @ second, Z @ first) + 1e-3 * X
    found = {
        "stationary": (X, rare),
        "sorted by class": (X, ordered),
        "scale times 1000 halfway": (X * np.where(half, 1000.0, 1.0)[:, None], even),
        "scale over 1000 halfway": (X * np.where(half, 0.001, 1.0)[:, None], even),
        "heavy tails": (X * tails, even),
        "1 positive in 5,000": (X, alone),
        "one class for a long time": (X, once),
        "blocks of 500 of a class": (X, np.arange(n) // 500 % 2 == 1),
        "another subspace halfway": (subspace, even),
        "scales 1e-6 to 1e6": (X * 10.0 ** rng.uniform(-6.0, 6.0, size=d), even),
    }
    shift = rng.normal(size=d) * 0.3
    return {name: (X + y[:, None] * shift * np.std(X, axis=0), y) for name, (X, y) in found.items()}


def nasty_streams(quick: bool) -> list[Result]:
    """The largest error along each stream over that of a factorisation of each step."""
    n, d = (1500, 120) if quick else (6000, 120)
    checkpoints = {*np.geomspace(d + 3, n, 12).astype(int), n // 2 + 2, n // 2 + 20, n // 2 + 200}
    results = []
    for name, (X, y) in streams(n, d).items():
        models = [rn.NRRLSClassifier(l2=L2, solver=solver) for solver in ("cg", "cholesky")]
        worst = [0.0, 0.0]
        rows = zip(named(X).to_dict("records"), y.tolist(), strict=True)
        for i, row in enumerate(rows, start=1):
            alternate(models[0], [row])
            models[1].learn_one(*row)
            if i in checkpoints and 0 < y[:i].sum() < i:
                u = reference(X[:i], y[:i])
                for k, model in enumerate(models):
                    worst[k] = max(worst[k], error(model, X[:i], X[0], u))
        iterated = models[0]
        note = f"{worst[0]:.1e} / {worst[1]:.1e}; {iterated.n_iterations / n:.2f} iterations and "
        note += f"{iterated.n_factorizations / n:.3f} factorisations a row"
        what = f"error of scores, d = {d}, {n:,} rows, {name}"
        results.append(Result(what, "Cholesky each step", *3 * (worst[0] / worst[1],), 3.0, note))
    return results


QUESTIONS = (nasty_streams, many_features)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows and sizes")
    quick = parser.parse_args().quick
    for question in QUESTIONS:
        for r in question(quick):
            print(f"{r.what:62s} / {r.against}: {r.ratio:.2g}, at most {r.target:g} ({r.note})")


if __name__ == "__main__":
    main()
