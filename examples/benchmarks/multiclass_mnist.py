"""The multiclass learners on MNIST (60,000 rows of 780 pixels, 0 to 255): two questions.

    OPENBLAS_NUM_THREADS=1 python examples/benchmarks/multiclass_mnist.py --data DIR

`DIR` holds `mnist.csv.gz`: a header, 780 pixels and a last column `target`. It is not bundled.

1. `cells`: mistakes in one pass over raw pixels, in the orders of the MTWU paper's runs, beside the
   cells of its Table 4. `--runs 20` takes all of them.
2. `speed`: process time of `learn_one` a row on raw pixels, against river's SoftmaxRegression and
   OneVsRestClassifier(PAClassifier()); medians over interleaved rounds, ratios in one run.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

from river import linear_model, multiclass

import river_nrrls as rn
from river_nrrls.evaluate.paper_learners import paper_cells

# The learners of Table 4 without settings, or whose C has no effect on rows as long as these.
CELLS = "M_PA M_PA1 M_PA2 M_PerceptronM M_PerceptronU M_PerceptronS M_ROMMA M_aROMMA".split()

OURS: dict[str, Callable[[], Any]] = {
    "Perceptron": rn.MulticlassPerceptronClassifier,
    "PA": rn.MulticlassPAClassifier,
    "OGD": rn.MulticlassOGDClassifier,
    "ROMMA": rn.MulticlassROMMAClassifier,
    "AROW, diagonal": lambda: rn.MulticlassAROWClassifier(covariance="diagonal"),
    "AROW": rn.MulticlassAROWClassifier,
}

PEERS: dict[str, Callable[[], Any]] = {
    "SoftmaxRegression": linear_model.SoftmaxRegression,
    "OneVsRest(PA)": lambda: multiclass.OneVsRestClassifier(linear_model.PAClassifier()),
}


def cells(folder: str, runs: int) -> None:
    print(f"One pass over raw pixels, runs 1 to {runs} of the paper: mean ± standard deviation\n")
    study = rn.evaluate.mtwu_study("mnist", CELLS, ms=(1,), runs=runs, directory=folder, n_jobs=2)
    paper = paper_cells(4)
    print("| learner | mistake rate | the paper's | updates | the paper's |\n|---|---|---|---|---|")
    for row in study:
        cell = paper[row["learner"], 1]
        print(
            f"| {row['learner']} "
            f"| {row['progressive_rate']:.4f} ± {row['progressive_rate_std'] or math.nan:.4f} "
            f"| {cell.rate} ± {cell.rate_std} "
            f"| {row['updates']:.2f} ± {row['updates_std'] or math.nan:.2f} "
            f"| {cell.updates} ± {cell.updates_std} |"
        )
    print()


def speed(folder: str, rounds: int, rows_a_round: int) -> None:
    dataset = rn.datasets.load("mnist", folder)
    makers = {**OURS, **PEERS}
    for kind in ("all 780 pixels", "inked pixels only"):
        rows = list(dataset.take(500 + rounds * rows_a_round))
        if kind.startswith("inked"):
            rows = [({pixel: v for pixel, v in x.items() if v}, y) for x, y in rows]
        models = {name: make() for name, make in makers.items()}
        # Features and classes are known beforehand.
        for model in models.values():
            for x, y in rows[:500]:
                model.learn_one(x, y)
        times: dict[str, list[float]] = {name: [] for name in makers}
        for i in range(rounds):
            part = rows[500 + i * rows_a_round : 500 + (i + 1) * rows_a_round]
            for name, model in models.items():
                start = time.process_time()
                for x, y in part:
                    model.learn_one(x, y)
                times[name].append((time.process_time() - start) / len(part) * 1e6)
        medians = {name: statistics.median(values) for name, values in times.items()}
        mean = statistics.mean(len(x) for x, _ in rows)
        print(f"learn_one, microseconds a row, {kind} ({mean:.0f} a row): median (min … max)\n")
        print("| learner | µs | " + " | ".join(f"× faster than {p}" for p in PEERS) + " |")
        print("|---" * (2 + len(PEERS)) + "|")
        for name, values in times.items():
            ratios = " | ".join(f"{medians[peer] / medians[name]:.1f}" for peer in PEERS)
            line = f"{medians[name]:.1f} ({min(values):.1f} … {max(values):.1f})"
            print(f"| {name} | {line} | {ratios} |")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="folder that holds mnist.csv.gz")
    parser.add_argument("--runs", type=int, default=3, help="runs of the paper, up to 20")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of the timing")
    parser.add_argument("--rows", type=int, default=50, help="rows in a round of the timing")
    parser.add_argument("--only", choices=["cells", "speed"], help="one question of the two")
    args = parser.parse_args()
    questions: dict[str, Callable[[], None]] = {
        "speed": lambda: speed(args.data, args.rounds, args.rows),
        "cells": lambda: cells(args.data, args.runs),
    }
    for name, ask in questions.items():
        if args.only in (None, name):
            ask()


if __name__ == "__main__":
    main()
