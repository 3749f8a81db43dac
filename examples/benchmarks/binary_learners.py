"""What a row costs the binary learners, as ratios to river's own.

    OPENBLAS_NUM_THREADS=1 python examples/benchmarks/binary_learners.py

Process time of `learn_one` on a Gaussian stream with overlapping classes, three rows in ten
positive; fresh models, rounds of all of them in shuffled order, medians. The second table is about
the diagonal forms: their cost over PA's, and the bytes of their state.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from typing import Any

import numpy as np
from river import linear_model, optim

import river_nrrls as rn

FIRST_ORDER: dict[str, Any] = {
    "Perceptron": rn.PerceptronClassifier(),
    "ALMA": rn.ALMAClassifier(),
    "ROMMA": rn.ROMMAClassifier(),
    "PA": rn.PAClassifier(),
    "PA-I": rn.PAClassifier("PA-I"),
    "OGD": rn.OGDClassifier(),
}
SECOND_ORDER: dict[str, Any] = {
    "SOP": rn.SOPClassifier(),
    "CW": rn.CWClassifier(),
    "IELLIP": rn.IELLIPClassifier(),
    "AROW": rn.AROWClassifier(),
    "NAROW": rn.NAROWClassifier(),
    "NHERD": rn.NHERDClassifier(),
    "SCW-I": rn.SCWClassifier("I"),
    "SCW-II": rn.SCWClassifier("II"),
    "ACOG": rn.ACOGClassifier(),
    "ONS": rn.ONSClassifier(),
}
DIAGONAL = {
    f"{name}, diagonal": learner.clone({"covariance": "diagonal"})
    for name, learner in SECOND_ORDER.items()
}
PEERS: dict[str, Any] = {
    "PAClassifier": linear_model.PAClassifier(),
    "Perceptron": linear_model.Perceptron(),
    "ALMAClassifier": linear_model.ALMAClassifier(),
    "Newton": linear_model.LogisticRegression(optim.Newton()),
}
Stream = list[tuple[dict[str, float], bool]]


def gaussian(n: int, d: int) -> Stream:
    rng = random.Random(1)
    names = [f"x{j}" for j in range(d)]
    normal = [rng.gauss(0.0, 1.0) / d**0.5 for _ in names]
    rows = []
    for _ in range(n):
        values = [rng.gauss(0.0, 1.0) for _ in names]
        score = sum(a * v for a, v in zip(normal, values, strict=True)) + 0.5 * rng.gauss(0.0, 1.0)
        rows.append((dict(zip(names, values, strict=True)), score > 0.6))
    return rows


def microseconds(models: dict[str, Any], rows: Stream, rounds: int) -> dict[str, float]:
    """Median over the rounds of the process time of a row."""
    times: dict[str, list[float]] = {name: [] for name in models}
    order = list(models)
    for k in range(rounds):
        random.Random(k).shuffle(order)
        for name in order:
            learn_one = models[name].clone().learn_one
            start = time.process_time()
            for x, y in rows:
                learn_one(x, y)
            times[name].append((time.process_time() - start) / len(rows) * 1e6)
    return {name: statistics.median(values) for name, values in times.items()}


def against_river(d: int, n: int, rounds: int) -> None:
    models = {**FIRST_ORDER, **SECOND_ORDER, **{f"river {k}": m for k, m in PEERS.items()}}
    cost = microseconds(models, gaussian(n, d), rounds)
    print(f"**`learn_one`, {d} features**\n")
    print("| learner | µs a row | " + " | ".join(f"/ river {k}" for k in PEERS) + " |")
    print("|---|" + "---|" * (len(PEERS) + 1))
    for name in models:
        ratios = " | ".join(f"{cost[name] / cost[f'river {k}']:.2f}" for k in PEERS)
        print(f"| {name} | {cost[name]:.2f} | {ratios} |")
    print(flush=True)


def state_bytes(model: Any) -> int:
    return sum(v.nbytes for v in model._get_state().values() if isinstance(v, np.ndarray))


def diagonal_forms(sizes: list[int], rounds: int) -> None:
    print("**Diagonal forms: `learn_one` over that of PA, and bytes of state**\n")
    print(
        "| learner | " + " | ".join(f"d = {d:,}" for d in sizes) + f" | bytes, d = {sizes[-1]:,} |"
    )
    print("|---|" + "---|" * (len(sizes) + 1))
    models = {"PA": FIRST_ORDER["PA"], **DIAGONAL}
    costs = []
    for d in sizes:
        rows = gaussian(max(100, min(5000, 400_000 // d)), d)
        costs.append(microseconds(models, rows, rounds))
    for name, model in models.items():
        ratios = " | ".join(f"{cost[name] / cost['PA']:.2f}" for cost in costs)
        trained = model.clone()
        trained.learn_one(*rows[0])
        print(f"| {name} | {ratios} | {state_bytes(trained):,} |")
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=int, nargs="+", default=[8, 22, 60])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    for d in args.features:
        against_river(d, args.rows, args.rounds)
    diagonal_forms([22, 100, 1000, 10_000], args.rounds)


if __name__ == "__main__":
    main()
