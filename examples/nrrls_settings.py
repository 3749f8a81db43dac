"""What the NR-RLS paper does not tell, tried out on its Table 3: ridges, scaling, folds, codings.

    python -m examples.nrrls_settings                # the bundled sets
    python -m examples.nrrls_settings --data DIR     # and the three large ones

Every figure is a mean over ten runs of two-fold cross-validation, order 1, of the batch solutions,
which the online learners equal. First one setting at a time over all sets: on how many of them the
G-mean comes out within one printed standard deviation (or 0.01) of the paper's. Then the two sets
that do not come out: musk-clean-1 by its ridge, votes by how a missing vote is coded.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from river_nrrls import datasets, evaluate
from river_nrrls.evaluate.nrrls_paper import LARGE, MISSING, paper_table

LEARNERS = ("NR-RLS", "AR-RLS", "RLS")
RUNS = 10

# A ridge may depend on the number of training rows n: l2 stands beside a sum over the rows in RLS
# and AR-RLS, and beside the two class means in NR-RLS, where it weighs n / 2 times as much.
SETTINGS: dict[str, dict[str, Any]] = {
    "as in Table 3": {},
    "the constant term has a ridge as well": {"penalised": True},
    "min-max over the training half": {"scaling": "half"},
    "features from -1 to 1": {"scaling": "symmetric"},
    "rows of norm 1 after the min-max": {"scaling": "rows"},
    "halves not stratified": {"stratified": False},
    "l2 = 1e-5": {"l2": 1e-5},
    "l2 = 1e-3": {"l2": 1e-3},
    "l2 = 3e-3": {"l2": 3e-3},
    "NR-RLS: 2 l2 / n, the ridge of RLS": {"factors": {"NR-RLS": lambda n: 2.0 / n}},
    "RLS: l2 n / 2, the ridge of NR-RLS": {"factors": {"RLS": lambda n: n / 2.0}},
    "AR-RLS: rows weigh 1 / count": {"counts": True},
}

# What "no", "missing" and "yes" are taken for; the data set has -1, 0 and 1.
CODINGS = {
    "no, missing, yes": (0.0, 0.5, 1.0),
    "missing, no, yes": (0.5, 0.0, 1.0),
    "no, yes, missing": (0.0, 1.0, 0.5),
    "no or missing, yes": (0.0, 0.0, 1.0),
    "no, yes or missing": (0.0, 1.0, 1.0),
}


def minmaxed(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Features from 0 to 1 over some of the rows."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    return np.asarray((X - low) / np.where(high > low, high - low, 1.0))


def row_weights(name: str, y: np.ndarray, counts: bool) -> np.ndarray:
    """By the class's count for NR-RLS, by its count or share so far for AR-RLS, 1 for RLS."""
    if name == "NR-RLS":
        return np.asarray(np.where(y, 1.0 / y.sum(), 1.0 / (~y).sum()))
    if name == "AR-RLS":
        so_far = np.where(y, np.cumsum(y), np.cumsum(~y))
        return np.asarray((1.0 if counts else np.arange(1, len(y) + 1)) / so_far)
    return np.ones(len(y))


def solution(
    X: np.ndarray, y: np.ndarray, omega: np.ndarray, l2: float, penalised: bool
) -> np.ndarray:
    """Weights of least squares on -1 and +1, the constant's first."""
    Z = np.c_[np.ones(len(X)), X]
    ridge = np.full(Z.shape[1], l2)
    ridge[0] *= penalised
    R = (Z.T * omega) @ Z + np.diag(ridge)
    return np.linalg.solve(R, Z.T @ (omega * np.where(y, 1.0, -1.0)))


def splits(y: np.ndarray, stratified: bool) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for run in range(1, RUNS + 1):
        if stratified:
            first, second = map(np.array, evaluate.halves(y.tolist(), run))
        else:
            order = np.random.default_rng(run).permutation(len(y))
            first, second = order[: len(y) // 2], order[len(y) // 2 :]
        yield first, second
        yield second, first


def gmeans(
    X: np.ndarray,
    y: np.ndarray,
    l2: float = 1e-4,
    penalised: bool = False,
    scaling: str = "all",
    stratified: bool = True,
    factors: Mapping[str, Callable[[int], float]] | None = None,
    counts: bool = False,
) -> dict[str, float]:
    """Mean G-mean of each learner."""
    found: dict[str, list[float]] = {name: [] for name in LEARNERS}
    for train, test in splits(y, stratified):
        Z = minmaxed(X, X[train] if scaling == "half" else X)
        if scaling == "symmetric":
            Z = 2.0 * Z - 1.0
        elif scaling == "rows":
            Z /= np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-12)
        for name, values in found.items():
            ridge = l2 * factors[name](len(train)) if factors and name in factors else l2
            omega = row_weights(name, y[train], counts)
            # The constant of AR-RLS is a feature like any other.
            whole = penalised or name == "AR-RLS"
            w = solution(Z[train], y[train], omega, ridge, whole)
            values.append(evaluate.gmean(y[test], Z[test] @ w[1:] + w[0] >= 0.0))
    return {name: statistics.fmean(values) for name, values in found.items()}


def agrees(ours: float, cells: Mapping[str, str], name: str) -> bool:
    margin = max(float(cells[f"{name} std"]), 0.01)
    return abs(ours - float(cells[f"{name} mean"])) <= margin + 5e-4


def one_setting_at_a_time(names: list[str], data: str | None) -> None:
    printed = paper_table(3)
    arrays = {n: datasets.load(n, data if n in LARGE else None).to_arrays() for n in names}
    print(f"| {len(names)} sets | " + " | ".join(f"{n}, mean | agree" for n in LEARNERS) + " |")
    print("| :--- |" + " ---: |" * (2 * len(LEARNERS)))
    for setting, options in SETTINGS.items():
        found = {name: gmeans(*arrays[name], **options) for name in names}
        cells = []
        for learner in LEARNERS:
            mean = statistics.fmean(own[learner] for own in found.values())
            count = sum(agrees(own[learner], printed[n], learner) for n, own in found.items())
            cells += [f"{mean:.3f}", str(count)]
        print(f"| {setting} | " + " | ".join(cells) + " |", flush=True)
    means = [statistics.fmean(float(printed[n][f"{k} mean"]) for n in names) for k in LEARNERS]
    print("| the paper's | " + " | | ".join(f"{mean:.3f}" for mean in means) + " | |\n")


def line(title: str, own: Mapping[str, float]) -> None:
    print(f"| {title} | " + " | ".join(f"{own[name]:.3f}" for name in LEARNERS) + " |")


def table_of(name: str, trials: Mapping[str, dict[str, float]]) -> None:
    cells = paper_table(3)[name]
    print(f"| {name} | " + " | ".join(LEARNERS) + " |")
    print("| :--- |" + " ---: |" * len(LEARNERS))
    for title, own in trials.items():
        line(title, own)
    line("the paper's", {learner: float(cells[f"{learner} mean"]) for learner in LEARNERS})
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder with the three large sets, as <name>.csv.gz")
    args = parser.parse_args()
    names = [n for n in paper_table(3) if n not in MISSING and (args.data or n not in LARGE)]
    one_setting_at_a_time(names, args.data)
    for name in ("musk-clean-1", "sonar", "spambase"):
        X, y = datasets.load(name).to_arrays()
        ridges = (1e-4, 1e-3, 3e-3, 1e-2)
        table_of(name, {f"l2 = {l2:g}": gmeans(X, y, l2=l2) for l2 in ridges})
    X, y = datasets.load("votes").to_arrays()
    coded = {name: np.array(values)[X.astype(int) + 1] for name, values in CODINGS.items()}
    table_of("votes", {name: gmeans(Z, y) for name, Z in coded.items()})


if __name__ == "__main__":
    main()
