"""CPU time of m updates an instance over that of one.

    python examples/benchmarks/mtwu_cpu.py

Two streams: the paper's svmguide3 with its settings, and 22 Gaussian features with one row in ten
positive. Process time, rounds of all models in turn, medians; set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence
from typing import Any

import river_nrrls as rn
from river_nrrls import datasets, evaluate
from river_nrrls.evaluate.paper_learners import paper_cells

MS = (1, 2, 4, 8, 16, 32)
ROUNDS = 5
LEARNERS = ("Perceptron", "PA", "PA1", "OGD", "CW", "AROW", "NHERD", "SCW")


def gaussian(n: int, d: int = 22) -> list[tuple[dict[str, float], bool]]:
    rng = random.Random(1)
    names = [f"x{j}" for j in range(d)]
    rows = []
    for _ in range(n):
        y = rng.random() < 0.1
        rows.append(({name: rng.gauss(0.5 if y else 0.0, 1.0) for name in names}, y))
    return rows


def seconds(learner: Any, rows: Sequence[Any], m: int) -> float:
    model = rn.MTWUClassifier(learner, m)
    start = time.process_time()
    for x, y in rows:
        model.learn_one(x, y)
    return time.process_time() - start


def table(title: str, rows: Sequence[Any], of_paper: bool) -> None:
    times: dict[tuple[str, int], list[float]] = {}
    for _ in range(ROUNDS):
        for name in LEARNERS:
            for m in MS:
                learner = evaluate.paper_learner(name, 2 if of_paper else None, m)
                times.setdefault((name, m), []).append(seconds(learner, rows, m))
    others = " | ".join(f"m = {m}" for m in MS[1:])
    print(f"**{title}**\n")
    print(f"| learner | µs a row, m = 1 | {others} | paper, m = 32 |")
    print("|" + " --- |" * (len(MS) + 2))
    for name in LEARNERS:
        median = {m: statistics.median(times[name, m]) for m in MS}
        ratios = " | ".join(f"{median[m] / median[1]:.2f}" for m in MS[1:])
        one = median[1] / len(rows) * 1e6
        cells = paper_cells(2)
        paper = float(cells[name, 32].cpu) / float(cells[name, 1].cpu)
        print(f"| {name} | {one:.1f} | {ratios} | {paper:.1f} |")
    print(flush=True)


def main() -> None:
    pairs = list(datasets.load("svmguide3"))
    order = evaluate.paper_order(len(pairs), 1)
    table("svmguide3, the settings behind the paper's cells", [pairs[i] for i in order], True)
    table("22 Gaussian features, LIBOL's defaults", gaussian(5000), False)


if __name__ == "__main__":
    main()
