"""Tables 2 to 6 and the figures of the NR-RLS paper, and its method with order and ridge chosen."""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import datasets
from ..binary import (
    ACOGClassifier,
    AROWClassifier,
    CWClassifier,
    PAClassifier,
    PerceptronClassifier,
)
from ..least_squares import (
    ARRLSClassifier,
    IRRLSClassifier,
    NRRLSClassifier,
    RecursiveNRRLSClassifier,
    RLSClassifier,
)
from . import nrrls_figures
from .holdout import Rows, halves, holdout_study, prepared
from .ranks import friedman_nemenyi
from .runner import run_cells
from .selection import select_ridge_and_order

__all__ = ["add_arguments", "run"]

TABLES = Path(__file__).with_name("tables")
PAPER = ("PE", "PA", "CW", "AROW", "ACOG", "RLS", "AR-RLS", "NR-RLS")
AUTO = "NR-RLS auto"
LARGE = ("cod-rna", "ijcnn1", "skin-nonskin")
# Rows of Table 2 that cannot be had: text from which three features were made in a way not told.
MISSING = ("20news-talk", "20news-comp", "20news-sci")
# Those that the paper sets apart for their class ratios, in Tables 5 and 6.
HIGHLIGHTED = (
    *("wpbc", "blood-transfusion", "ozone-eight", "ozone-one"),
    *("ijcnn1", "skin-nonskin"),
)
# Data set to learner to CPU seconds, and whether they are carried on from fewer rows.
Times = dict[str, dict[str, list[Any]]]
# The rows up to which IR-RLS is timed; beyond them its time is carried on, and marked.
MOST_IR = 1000


def learners() -> dict[str, Any]:
    """Those of Table 3 with order 1; parameters as in their papers, none of them tuned.

    The constant term is the learners' own: a feature of 1, or an intercept without a penalty for
    RLS and NR-RLS.
    """
    return {
        "PE": PerceptronClassifier(),
        "PA": PAClassifier(),
        "CW": CWClassifier(),
        "AROW": AROWClassifier(),
        "ACOG": ACOGClassifier(),
        "RLS": RLSClassifier(l2=1e-4),
        "AR-RLS": ARRLSClassifier(l2=1e-4, weighting="share"),
        "NR-RLS": NRRLSClassifier(l2=1e-4, classes=(False, True)),
        AUTO: trained_auto,
    }


def trained_auto(rows: Rows, labels: list[bool]) -> Any:
    """NR-RLS with the order and the ridge that the training half chooses."""
    return select_ridge_and_order(rows, labels).fit(rows, labels)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command.

    Parameters
    ----------
    parser
        The parser to add them to.

    """
    parser.add_argument("--table", type=int, choices=(2, 3, 4, 5, 6), action="append", default=[])
    parser.add_argument("--figure", choices=("1", "2", "3", "4", "D"), action="append", default=[])
    parser.add_argument("--data", help="folder with the three large sets, as <name>.csv.gz")
    parser.add_argument(
        "--output",
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("."),
        help="folder for CSV and PNG files (default: here)",
    )
    parser.add_argument("--runs", type=int, default=10, help="runs of two-fold cross-validation")
    parser.add_argument("--sets", nargs="*", help="only these data sets")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)


def run(args: argparse.Namespace) -> int:
    """Print the tables asked for, and draw the figures; Tables 2 to 4 if nothing is asked for.

    Parameters
    ----------
    args
        The parsed arguments.

    """
    tables = args.table or ([] if args.figure else [2, 3, 4])
    args.output.mkdir(parents=True, exist_ok=True)
    if 2 in tables:
        print(table_2(args.data))
    study: list[dict[str, Any]] = []
    if {3, 6} & set(tables) or "3" in args.figure:
        study = gmeans(args)
    if 3 in tables:
        print(table_3(study))
        print(friedman("our G-means", scores_of(study, PAPER)))
        rows = paper_table(3).values()
        theirs = {n: [float(row[f"{n} mean"]) for row in rows] for n in PAPER}
        print(friedman("the paper's G-means", theirs))
    if 5 in tables:
        print(table_2(args.data, HIGHLIGHTED))
    if 6 in tables:
        print(table_3([row for row in study if row["dataset"] in HIGHLIGHTED], number=6))
    times: Times = {}
    if 4 in tables or "3" in args.figure:
        times = timings(args)
    if 4 in tables:
        print(table_4(times))
        print(friedman("our CPU seconds", seconds_of(times), higher_is_better=False))
    for figure in args.figure:
        if figure == "3":
            ranked = {
                "G-mean": friedman_nemenyi(scores_of(study, [*PAPER, AUTO])),
                "CPU seconds": friedman_nemenyi(seconds_of(times), higher_is_better=False),
            }
            paths = [nrrls_figures.critical_differences(ranked, args.output)]
        else:
            paths = nrrls_figures.draw(figure, args.output, args.data)
        for path in paths:
            print(f"wrote {path}", file=sys.stderr)
    return 0


def paper_table(number: int) -> dict[str, dict[str, str]]:
    """A printed table: data set to column to cell."""
    with open(TABLES / f"nrrls-table{number}.csv", encoding="utf-8", newline="") as file:
        return {row["dataset"]: row for row in csv.DictReader(file)}


def available(args: argparse.Namespace) -> list[str]:
    """The data sets in hand, in the order of the paper."""
    names = [name for name in paper_table(3) if name not in MISSING]
    if not args.data:
        names = [name for name in names if name not in LARGE]
    return [name for name in names if not args.sets or name in args.sets]


def table_2(data: str | None, only: Sequence[str] = ()) -> str:
    """Rows, features and class ratio of the sets in hand beside the paper's."""
    lines = [f"Table {5 if only else 2}: data sets, ours / the paper's", ""]
    lines.append(f"{'no':>2} {'data set':20} {'rows':>15} {'features':>9} {'ratio':>13}")
    for row in paper_table(3).values():
        name = row["dataset"]
        if only and name not in only:
            continue
        if name in MISSING:
            lines.append(f"{row['no']:>2} {name:20} three features made of text; not told how")
            continue
        if name in LARGE and not data:
            lines.append(f"{row['no']:>2} {name:20} with --data")
            continue
        dataset = datasets.load(name, data if name in LARGE else None)
        counts = dataset.class_counts
        ratio = counts[True] / counts[False]
        known = [p for p in dataset.papers if p.paper == "NR-RLS"]
        size, dimension = (known[0].size, known[0].dimension) if known else ("", "")
        printed = known[0].ratio if known else ""
        lines.append(
            f"{row['no']:>2} {name:20} {f'{dataset.n_samples} / {size}':>15} "
            f"{f'{dataset.n_features} / {dimension}':>9} {f'{ratio:.2f} / {printed}':>13}"
        )
    return "\n".join(lines) + "\n"


def gmeans(args: argparse.Namespace) -> list[dict[str, Any]]:
    """The study behind Tables 3, 5 and 6, kept in a file so that it can be resumed."""
    return holdout_study(
        available(args),
        learners(),
        runs=args.runs,
        directory=args.data,
        path=args.output / "nrrls-holdout.jsonl",
        n_jobs=args.jobs,
    )


def by_set(study: Sequence[dict[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in study:
        found.setdefault(row["dataset"], {})[row["learner"]] = row
    return found


def table_3(study: Sequence[dict[str, Any]], number: int = 3) -> str:
    """G-means, the paper's below ours, and how many agree; Table 6 is a part of Table 3."""
    printed = paper_table(3)
    found = by_set(study)
    names = [*PAPER, AUTO]
    lines = [f"Table {number}: G-mean ± std over two halves a run; below each line the paper's", ""]
    lines.append(f"{'data set':20} " + " ".join(f"{name:>13}" for name in names))
    agree = dict.fromkeys(("NR-RLS", "RLS"), 0)
    apart: list[str] = []
    for dataset, rows in found.items():
        ours = [f"{rows[n]['gmean']:.3f} ± {rows[n]['gmean_std']:.3f}" for n in names]
        cells = printed[dataset]
        theirs = [f"{cells[f'{n} mean']} ± {cells[f'{n} std']}" for n in PAPER]
        lines.append(f"{dataset:20} " + " ".join(f"{cell:>13}" for cell in ours))
        lines.append(f"{'':20} " + " ".join(f"{cell:>13}" for cell in theirs))
        for name in agree:
            mean, std = float(cells[f"{name} mean"]), float(cells[f"{name} std"])
            if abs(rows[name]["gmean"] - mean) <= max(std, 0.01) + 5e-4:
                agree[name] += 1
            else:
                apart.append(f"{dataset} {name} {rows[name]['gmean']:.3f} for {mean:.3f}")
    means = {n: statistics.fmean(rows[n]["gmean"] for rows in found.values()) for n in names}
    paper_means = [statistics.fmean(float(printed[d][f"{n} mean"]) for d in found) for n in PAPER]
    lines.append(f"{'mean':20} " + " ".join(f"{means[n]:>13.4f}" for n in names))
    lines.append(f"{'':20} " + " ".join(f"{mean:>13.4f}" for mean in paper_means))
    lines.append("")
    for name, count in agree.items():
        lines.append(
            f"{name}: {count} of {len(found)} sets within one printed std (or 0.01) of the paper"
        )
    lines += [f"  apart: {line}" for line in apart]
    lower = [
        f"{d} {rows[AUTO]['gmean'] - rows['NR-RLS']['gmean']:+.3f}"
        for d, rows in found.items()
        if rows[AUTO]["gmean"] < rows["NR-RLS"]["gmean"] - 0.01
    ]
    lines.append(
        f"{AUTO}: mean {means[AUTO]:.4f}, NR-RLS {means['NR-RLS']:.4f}; "
        f"more than 0.01 below order 1: {lower or 'none'}"
    )
    return "\n".join(lines) + "\n"


def scores_of(study: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, list[float]]:
    found = by_set(study)
    return {name: [rows[name]["gmean"] for rows in found.values()] for name in names}


def friedman(title: str, scores: dict[str, list[float]], higher_is_better: bool = True) -> str:
    """Friedman's test, mean ranks and Nemenyi's p-values against NR-RLS."""
    if len(scores["NR-RLS"]) < 2:
        return f"Friedman and Nemenyi, {title}: at least 2 sets are needed\n"
    result = friedman_nemenyi(scores, higher_is_better)
    against = {
        b if a == "NR-RLS" else a: p for (a, b), p in result.p_values.items() if "NR-RLS" in (a, b)
    }
    lines = [
        f"Friedman and Nemenyi, {title} on {result.n_datasets} sets: "
        f"chi-squared {result.statistic:.1f}, p = {result.p_value:.2g}, "
        f"critical difference {result.critical_difference:.3f}",
        "mean ranks: " + ", ".join(f"{n} {r:.2f}" for n, r in result.average_ranks.items()),
        "no difference within: " + "; ".join(", ".join(group) for group in result.groups),
        "p-values against NR-RLS: " + ", ".join(f"{n} {p:.2g}" for n, p in against.items()),
    ]
    return "\n".join(lines) + "\n"


def timed() -> dict[str, Any]:
    models = {name: model for name, model in learners().items() if name in PAPER}
    return {
        **models,
        "IR-RLS": IRRLSClassifier(l2=1e-4),
        "Algorithm 1": RecursiveNRRLSClassifier(l2=1e-4),
    }


def timings(args: argparse.Namespace) -> Times:
    """CPU seconds of one training half, one row at a time with its prediction."""
    cells = {dataset: (dataset, args.data) for dataset in available(args)}
    return run_cells(_timing, cells, what="CPU time", apart=True)


def _timing(dataset: str, directory: str | None) -> dict[str, list[Any]]:
    """One data set: seconds, and whether they are carried on from fewer rows.

    IR-RLS goes through all rows at each one and is carried on quadratically from its first
    1,000; Algorithm 1, whose step is cubic, is carried on linearly from as many.
    """
    features, X, y = prepared(dataset, "minmax", directory)
    train = halves(y.tolist(), 1)[0]
    found = {}
    for name, model in timed().items():
        most = MOST_IR if name in ("IR-RLS", "Algorithm 1") else len(train)
        rows = [dict(zip(features, x, strict=True)) for x in X[train[:most]].tolist()]
        start = time.process_time()
        for x, label in zip(rows, y[train[:most]].tolist(), strict=True):
            model.predict_one(x)
            model.learn_one(x, bool(label))
        seconds = time.process_time() - start
        share = len(train) / len(rows)
        power = 2 if name == "IR-RLS" else 1
        found[name] = [seconds * share**power, share > 1.0]
    return found


def seconds_of(times: Times) -> dict[str, list[float]]:
    return {name: [cells[name][0] for cells in times.values()] for name in timed()}


def table_4(times: Times) -> str:
    """CPU seconds; the paper's below. What is carried on from 1,000 rows is marked *."""
    printed = paper_table(4)
    names = list(timed())
    lines = ["Table 4: CPU seconds of one training half; * carried on from 1,000 rows", ""]
    lines.append(f"{'data set':20} " + " ".join(f"{name:>12}" for name in names))
    for dataset, cells in times.items():
        ours = [f"{seconds:.4f}{'*' if carried else ''}" for seconds, carried in cells.values()]
        lines.append(f"{dataset:20} " + " ".join(f"{cell:>12}" for cell in ours))
        theirs = [printed[dataset].get(name, "") for name in names]
        lines.append(f"{'':20} " + " ".join(f"{cell:>12}" for cell in theirs))
    return "\n".join(lines) + "\n"
