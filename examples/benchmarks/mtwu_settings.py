"""Which points of LIBOL's tuning grid give the cells of the MTWU paper?

The paper tuned every cell anew and does not print what came out. For each cell this goes through
the grid, in the paper's run orders, and keeps the points whose mean and standard deviation, of
mistakes and of updates, are the printed ones. It prints the lines of
`river_nrrls/evaluate/tables/mtwu-settings.csv`.

    python examples/benchmarks/mtwu_settings.py --table 5
    python examples/benchmarks/mtwu_settings.py --table 3 --data DIR --learners AROW --m 1 2

A point is left as soon as the mean of its runs so far is further from the printed mean than that of
k out of 20 numbers can be. With less than the paper's 20 runs it is kept if that mean is within
2 std/√runs, as in `river-nrrls paper mtwu`. On a large set `--prefix 50000 --best 16` tries only
the 16 points that make the fewest of the paper's mistakes on the first 50,000 rows of run 1: the
paper tuned by that count.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from river_nrrls.evaluate.mtwu_runs import Study
from river_nrrls.evaluate.paper_learners import (
    ALGORITHMS,
    PAPER_DATA,
    VOID_LOOPS,
    PaperCell,
    paper_cells,
    paper_learner,
    paper_settings,
)
from river_nrrls.evaluate.paper_runs import paper_order

ALL_RUNS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=int, required=True, choices=sorted(PAPER_DATA))
    parser.add_argument("--data", help="folder of data sets that are not bundled")
    parser.add_argument("--runs", type=int, default=ALL_RUNS)
    parser.add_argument("--learners", nargs="+")
    parser.add_argument("--m", nargs="+", type=int, default=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--points", action="store_true", help="print every point that is kept")
    parser.add_argument("--prefix", type=int, help="rank the points on so many rows")
    parser.add_argument("--best", type=int, default=16, help="how many of them are tried then")
    parser.add_argument("--path", help="file that keeps the result of each run")
    args = parser.parse_args()
    study = Study(PAPER_DATA[args.table][0], "instance", args.data, args.path, progress=False)
    print("table,algorithm,m,C,eta,p,b,matches")
    for name, algorithm in ALGORITHMS.items():
        if (name, 1) not in paper_cells(args.table) or not algorithm.options:
            continue
        if name in VOID_LOOPS.get(args.table, ()) or name not in (args.learners or [name]):
            continue
        for m in args.m:
            line(study, args, name, m)


def line(study: Study, args: argparse.Namespace, name: str, m: int) -> None:
    cell = paper_cells(args.table)[name, m]
    known = paper_settings(args.table, name, m)[0]
    points: list[tuple[dict[str, float], list[Any]]] = []
    for settings in grid(study, args, name, m):
        counts = consistent(study, args, name, m, settings, cell)
        if counts is not None and (printed if args.runs == ALL_RUNS else within)(counts, cell):
            points.append((settings, counts))
    chosen = next((point for point, _ in points if point == known), None)
    if chosen is None:
        chosen = points[0][0] if points else known
    cells = [f"{chosen[option]:g}" if option in chosen else "" for option in ("C", "eta", "p", "b")]
    print(",".join([str(args.table), name, str(m), *cells, str(len(points))]), flush=True)
    if args.points:
        for point, counts in points:
            rates = [f"{count.post_update_rate:.4f} {count.updates}" for count in counts]
            print("#", point, rates, "paper", cell.rate, cell.updates, file=sys.stderr, flush=True)


def grid(study: Study, args: argparse.Namespace, name: str, m: int) -> list[dict[str, float]]:
    """The points of LIBOL's grid; with `--prefix` the best on the first rows, in their order."""
    options = ALGORITHMS[name].options
    points = [
        dict(zip(options, values, strict=True))
        for values in itertools.product(*(values for _, values in options.values()))
    ]
    if args.prefix is None or len(points) <= args.best:
        return points
    order = np.array(paper_order(len(study.rows), 1)[: args.prefix], dtype=np.int32)
    mistakes = []
    for point in points:
        learner = paper_learner(name, args.table, m, **point)
        mistakes.append(study.rows.count(learner, order, m, "instance").post_update_mistakes)
    kept = sorted(np.argsort(mistakes, kind="stable")[: args.best].tolist())
    return [points[i] for i in kept]


def consistent(
    study: Study, args: argparse.Namespace, name: str, m: int, settings: Any, cell: PaperCell
) -> list[Any] | None:
    """The counts of the runs, or None as soon as their mean is too far from the cell."""
    learner = paper_learner(name, args.table, m, **settings)
    counts: list[Any] = []
    for run in range(1, args.runs + 1):
        [[count]] = study.count([(learner, m)], [run])
        counts.append(count)
        if any(gap > farthest(run) * (std + half) for gap, std, half in gaps(counts, cell)):
            return None
    return counts


def farthest(k: int) -> float:
    """How far the mean of k out of 20 numbers can be from the mean of all, in their std."""
    return math.sqrt((ALL_RUNS - 1) * (ALL_RUNS - k) / (ALL_RUNS * k))


def gaps(counts: list[Any], cell: PaperCell) -> Iterator[tuple[float, float, float]]:
    """Of rate and updates: the distance of the mean to the printed one, but for half of its last
    digit; the printed std; and that half.
    """
    for values, mean, std, half in (
        ([count.post_update_rate for count in counts], cell.rate, cell.rate_std, 0.00005),
        ([count.updates for count in counts], cell.updates, cell.updates_std, 0.005),
    ):
        distance = abs(statistics.fmean(values) - float(mean)) - half
        yield max(distance - 1e-9, 0.0), float(std), half


def within(counts: list[Any], cell: PaperCell) -> bool:
    return all(gap <= 2.0 * std / math.sqrt(len(counts)) for gap, std, _ in gaps(counts, cell))


def printed(counts: list[Any], cell: PaperCell) -> bool:
    """Whether mean and standard deviation are those of the cell, to its digits."""
    rates = [count.post_update_rate for count in counts]
    updates = [count.updates for count in counts]
    return (
        f"{statistics.fmean(rates):.4f}" == f"{float(cell.rate):.4f}"
        and f"{statistics.stdev(rates):.4f}" == f"{float(cell.rate_std):.4f}"
        and f"{statistics.fmean(updates):.2f}" == f"{float(cell.updates):.2f}"
        and f"{statistics.stdev(updates):.2f}" == f"{float(cell.updates_std):.2f}"
    )


if __name__ == "__main__":
    main()
