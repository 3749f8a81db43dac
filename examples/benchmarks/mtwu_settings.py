"""Which points of LIBOL's tuning grid give the cells of the MTWU paper?

The paper tuned every cell anew and does not print what came out. For each cell this goes through
the grid, in the paper's run orders, and keeps the points whose mean and standard deviation, of
mistakes and of updates, are the printed ones. It prints the lines of
`river_nrrls/evaluate/tables/mtwu-settings.csv`.

    python examples/benchmarks/mtwu_settings.py --table 5
    python examples/benchmarks/mtwu_settings.py --table 3 --data DIR --runs 1 --learners AROW

With less than the paper's 20 runs a point is kept if none of its runs is further from the printed
mean than a run can be: 19/√20 standard deviations.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
from typing import Any

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

# The greatest deviation from their mean that one of 20 numbers can have, in standard deviations.
FARTHEST = 19 / 20**0.5
ALL_RUNS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=int, required=True, choices=sorted(PAPER_DATA))
    parser.add_argument("--data", help="folder of data sets that are not bundled")
    parser.add_argument("--runs", type=int, default=ALL_RUNS)
    parser.add_argument("--learners", nargs="+")
    parser.add_argument("--m", nargs="+", type=int, default=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--points", action="store_true", help="print every point that is kept")
    args = parser.parse_args()
    study = Study(PAPER_DATA[args.table][0], directory=args.data, progress=False)
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
    options = ALGORITHMS[name].options
    known = paper_settings(args.table, name, m)[0]
    points: list[tuple[dict[str, float], list[Any]]] = []
    for values in itertools.product(*(grid for _, grid in options.values())):
        settings = dict(zip(options, values, strict=True))
        counts = consistent(study, args, name, m, settings, cell)
        if counts is not None and (len(counts) < ALL_RUNS or printed(counts, cell)):
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


def consistent(
    study: Study, args: argparse.Namespace, name: str, m: int, settings: Any, cell: PaperCell
) -> list[Any] | None:
    """The counts of the runs, or None as soon as one is too far from the cell."""
    learner = paper_learner(name, args.table, m, **settings)
    counts: list[Any] = []
    for run in range(1, args.runs + 1):
        [[count]] = study.count([(learner, m)], [run])
        counts.append(count)
        if far(count.post_update_rate, cell.rate, cell.rate_std, 0.00005) or far(
            count.updates, cell.updates, cell.updates_std, 0.005
        ):
            return None
    return counts


def far(value: float, mean: str, std: str, rounding: float) -> bool:
    return abs(value - float(mean)) > FARTHEST * (float(std) + rounding) + rounding


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
