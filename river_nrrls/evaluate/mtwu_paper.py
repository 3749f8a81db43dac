"""Tables 2 to 6 of the MTWU paper: its cells, ours under its protocol, and the honest rates."""

from __future__ import annotations

import argparse
import csv
import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..datasets import names as bundled_names
from .mtwu_runs import Study, summary
from .paper_learners import (
    PAPER_DATA,
    VOID_LOOPS,
    PaperCell,
    paper_cells,
    paper_learner,
    paper_settings,
)

__all__ = ["add_arguments", "reproduce", "run"]

MS = (1, 2, 4, 8, 16, 32)

# Cells that cannot be what was measured, and what is wrong with them.
MISPRINTS: dict[tuple[int, str, int, str], str] = {
    (2, "PA2", 8, "rate"): "holds the number of updates",
    (2, "SCW2", 4, "updates"): "holds the mistake rate",
    (2, "aROMMA", 1, "updates"): "1506.90 for 506.90",
    (3, "PA", 32, "rate"): "a run with m = 1",
    (3, "PA", 32, "updates"): "a run with m = 1",
    (3, "PA2", 16, "rate"): "a run with m = 1",
    (3, "PA2", 16, "updates"): "a run with m = 1",
    (3, "CW", 2, "updates"): "those of m = 1",
    (4, "M_PA2", 2, "rate"): "its std is 0.00003 for 0.0003",
}

# Learners whose step ends at a loss of exactly 0, from the m given on: what is counted as an update
# afterwards is a loss of 1e-16, which depends on the order of additions and on the processor.
DUST: dict[tuple[int, str], int] = {
    (2, "PA1"): 2,
    (2, "PA2"): 8,
    (2, "CW"): 2,
    (2, "SCW"): 2,
    (3, "PA"): 2,
    (3, "PA1"): 2,
    # On raw features PA-II leaves a loss of 1e-7, and then of 1e-14.
    (3, "PA2"): 4,
    (3, "aROMMA"): 2,
    (4, "M_PA"): 2,
    (4, "M_PA1"): 2,
    (4, "M_PA2"): 2,
    (4, "M_aROMMA"): 2,
    (5, "M_PA"): 2,
    (5, "M_PA1"): 2,
    (5, "M_PA2"): 8,
    (5, "M_aROMMA"): 2,
    # Rows of segment occur more than once.
    (6, "M_PA"): 1,
    (6, "M_PA1"): 1,
    (6, "M_PA2"): 8,
    (6, "M_aROMMA"): 1,
}


def reproduce(
    table: int,
    learners: Iterable[str] | None = None,
    ms: Sequence[int] = MS,
    runs: int = 20,
    *,
    paper_quirks: bool = True,
    directory: str | Path | None = None,
    path: str | Path | None = None,
    n_jobs: int = 1,
    progress: bool = True,
) -> list[dict[str, Any]]:
    """A table of the MTWU paper, run anew with the settings behind its cells.

    Parameters
    ----------
    table
        Number of the table, 2 to 6.
    learners
        The paper's names of the algorithms; all of the table by default.
    ms
        Numbers of updates an instance.
    runs
        Number of the paper's twenty runs.
    paper_quirks
        Whether algorithms whose loop is void in the paper's programs (Perceptron, ROMMA, aROMMA
        and PA in Table 2, Perceptron and ROMMA in Table 3) make one update whatever `m` is. Their
        rows are marked `void_loop`, and rows of the real loop, without a cell of the paper,
        follow them.
    directory
        Folder of data sets that are not bundled (covtype, mnist).
    path
        File that keeps the result of each run.
    n_jobs
        Number of processes.
    progress
        Whether to show a progress bar on standard error.

    Returns
    -------
    A dict for each cell: `table`, `learner`, `m`, `void_loop`, `settings` and `matches` (see
    `paper_settings`), the paper's figures as printed (`paper_rate` …), ours as in `mtwu_study`,
    and `rate_status` and `updates_status`: `"equal"` (mean and standard deviation to the printed
    digit), `"within"` (the mean, by 2 std/√runs), `"dust"`, `"misprint"` or `"differs"`.

    """
    cells = paper_cells(table)
    wanted = list(dict.fromkeys(name for name, _ in cells)) if learners is None else list(learners)
    for name in wanted:
        if (name, 1) not in cells:
            have = ", ".join(dict.fromkeys(algorithm for algorithm, _ in cells))
            raise ValueError(f"Table {table} has no algorithm {name!r}; it has {have}")
    void = VOID_LOOPS.get(table, ()) if paper_quirks else ()
    # Name, m, updates made, whether the loop is the paper's void one.
    plan: list[tuple[str, int, int, bool]] = []
    for name in wanted:
        plan += [(name, m, 1 if name in void else m, name in void) for m in ms]
        if name in void:
            plan += [(name, m, m, False) for m in ms if m > 1]
    dataset, classes = PAPER_DATA[table]
    bundled = dataset in bundled_names()
    study = Study(dataset, "instance", None if bundled else directory, path, n_jobs, progress)
    passes = [
        (paper_learner(name, table, m, classes if name.startswith("M_") else None), steps)
        for name, m, steps, _ in plan
    ]
    results = study.count(passes, range(1, runs + 1))
    rows = []
    for (name, m, _, is_void), counts in zip(plan, results, strict=True):
        settings, matches = paper_settings(table, name, m)
        ours = summary(counts)
        of_paper = name not in void or is_void
        cell = cells[name, m] if of_paper else None
        rows.append(
            {
                "table": table,
                "dataset": dataset,
                "learner": name,
                "m": m,
                "runs": runs,
                "void_loop": is_void,
                "settings": settings,
                "matches": matches,
                "paper_rate": cell and cell.rate,
                "paper_rate_std": cell and cell.rate_std,
                "paper_updates": cell and cell.updates,
                "paper_updates_std": cell and cell.updates_std,
                "paper_cpu": cell and cell.cpu,
                **ours,
                "rate_status": cell and _rate_status(table, name, m, runs, cell, ours),
                "updates_status": cell and _updates_status(table, name, m, runs, cell, ours),
            }
        )
    return rows


def _rate_status(
    table: int, name: str, m: int, runs: int, cell: PaperCell, ours: dict[str, Any]
) -> str:
    if (table, name, m, "rate") in MISPRINTS:
        return "misprint"
    pair = ours["post_update_rate"], ours["post_update_rate_std"]
    return _compare(pair, (cell.rate, cell.rate_std), 4, runs)


def _updates_status(
    table: int, name: str, m: int, runs: int, cell: PaperCell, ours: dict[str, Any]
) -> str:
    if (table, name, m, "updates") in MISPRINTS:
        return "misprint"
    pair = ours["updates"], ours["updates_std"]
    status = _compare(pair, (cell.updates, cell.updates_std), 2, runs)
    if status != "equal" and m >= DUST.get((table, name), m + 1):
        return "dust"
    return status


def _compare(
    ours: tuple[float, float | None], printed: tuple[str, str], digits: int, runs: int
) -> str:
    mean, std = float(printed[0]), float(printed[1])
    if ours[1] is not None and all(
        f"{own:.{digits}f}" == f"{value:.{digits}f}"
        for own, value in zip(ours, (mean, std), strict=True)
    ):
        return "equal"
    # The printed mean is rounded.
    margin = 2.0 * std / math.sqrt(runs) + 0.5 * 10.0**-digits
    return "within" if abs(ours[0] - mean) <= margin else "differs"


# Printing.


def _pair(mean: float | None, std: float | None, digits: int) -> str:
    if mean is None:
        return ""
    return f"{mean:.{digits}f}" + ("" if std is None else f" ± {std:.{digits}f}")


def _printed(row: dict[str, Any], figure: str) -> str:
    if row[f"paper_{figure}"] is None:
        return ""
    return f"{row[f'paper_{figure}']} ± {row[f'paper_{figure}_std']}"


def _settings_text(row: dict[str, Any]) -> str:
    return " ".join(f"{name}={value:g}" for name, value in row["settings"].items())


HEADINGS = (
    "algorithm",
    "m",
    "settings",
    "matches",
    "paper: rate",
    "ours, post-update",
    "status",
    "ours, honest",
    "paper: updates",
    "ours, updates",
    "status",
)


def _lines(rows: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    lines: list[tuple[str, ...]] = []
    for row in rows:
        lines.append(
            (
                _name(row),
                str(row["m"]),
                _settings_text(row),
                "" if row["matches"] is None else str(row["matches"]),
                _printed(row, "rate"),
                _pair(row["post_update_rate"], row["post_update_rate_std"], 4),
                row["rate_status"] or "",
                _pair(row["progressive_rate"], row["progressive_rate_std"], 4),
                _printed(row, "updates"),
                _pair(row["updates"], row["updates_std"], 2),
                row["updates_status"] or "",
            )
        )
    return lines


def as_text(rows: Sequence[dict[str, Any]], markdown: bool = False) -> str:
    """The cells of `reproduce` as a table to print, and what they come to."""
    end = f"```text\n{conclusion(rows)}\n```" if markdown else conclusion(rows)
    return f"{_table(HEADINGS, _lines(rows), markdown)}\n\n{end}"


def as_compact(rows: Sequence[dict[str, Any]], markdown: bool = False) -> str:
    """A line for each algorithm: the rate by the paper's protocol -> the honest one, for each m.

    A `?` follows where the settings behind the paper's cell are not identified.
    """
    ms = list(dict.fromkeys(row["m"] for row in rows))
    lines: dict[str, dict[int, str]] = {}
    for row in rows:
        text = f"{row['post_update_rate']:.4f} -> {row['progressive_rate']:.4f}"
        mark = "" if row["matches"] in (None, 1) else " ?"
        lines.setdefault(_name(row), {})[row["m"]] = text + mark
    return _table(
        ["algorithm", *(f"m = {m}" for m in ms)],
        [[name, *(cells.get(m, "") for m in ms)] for name, cells in lines.items()],
        markdown,
    )


def _name(row: dict[str, Any]) -> str:
    if row["void_loop"]:
        return f"{row['learner']} (void loop)"
    return f"{row['learner']}{' (real loop)' if row['paper_rate'] is None else ''}"


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]], markdown: bool) -> str:
    if markdown:
        head = [f"| {' | '.join(headings)} |", "|" + " --- |" * len(headings)]
        return "\n".join([*head, *(f"| {' | '.join(line)} |" for line in lines)])
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in (headings, *lines)
    )


def conclusion(rows: Sequence[dict[str, Any]]) -> str:
    """How many cells come out as printed, which do not and why, and CPU time against m."""
    table = rows[0]["table"]
    compared = [row for row in rows if row["paper_rate"] is not None]
    lines = []
    for figure in ("rate", "updates"):
        statuses = [row[f"{figure}_status"] for row in compared]
        counted = [
            f"{statuses.count(status)} {status}"
            for status in ("equal", "within", "dust", "misprint", "differs")
            if status in statuses
        ]
        lines.append(f"{figure}: {len(statuses)} cells, {', '.join(counted)}")
        for row in compared:
            cell = f"  {row['learner']}, m = {row['m']}:"
            if row[f"{figure}_status"] == "misprint":
                why = MISPRINTS[table, row["learner"], row["m"], figure]
                lines.append(f"{cell} misprint, {why}")
            elif row[f"{figure}_status"] == "differs":
                lines.append(f"{cell} differs")
    identified = [row for row in compared if row["matches"] in (None, 1)]
    lines.append(
        f"cells whose settings are identified (one match, or nothing to tune): "
        f"{len(identified)} of {len(compared)}"
    )
    return "\n".join([*lines, *_cpu(rows)])


def _cpu(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for name in dict.fromkeys(row["learner"] for row in rows):
        real = {
            row["m"]: row["seconds"]
            for row in rows
            if row["learner"] == name and (not row["void_loop"] or row["m"] == 1)
        }
        paper = {
            row["m"]: float(row["paper_cpu"])
            for row in rows
            if row["learner"] == name and row["paper_cpu"] is not None
        }
        if {1, 32} <= real.keys() and {1, 32} <= paper.keys():
            lines.append(f"  {name}: {real[32] / real[1]:.1f} (paper {paper[32] / paper[1]:.1f})")
    return ["CPU time of m = 32 over m = 1:", *lines] if lines else []


def write_csv(rows: Sequence[dict[str, Any]], path: str | Path) -> None:
    """All figures of `reproduce`, one line a cell."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "settings": _settings_text(row)})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `river-nrrls paper mtwu`."""
    parser.add_argument(
        "--table",
        type=int,
        choices=sorted(PAPER_DATA),
        help="number of the table (default: those of the bundled data sets, 2, 5 and 6)",
    )
    parser.add_argument(
        "--data", metavar="DIR", help="folder of covtype.csv.gz (Table 3) and mnist.csv.gz (4)"
    )
    parser.add_argument("--runs", type=int, default=20, help="number of runs (default 20)")
    parser.add_argument("--learners", nargs="+", metavar="NAME", help="only these algorithms")
    parser.add_argument("--m", nargs="+", type=int, default=list(MS), help="only these m")
    parser.add_argument(
        "--real-loops",
        action="store_true",
        help="run the algorithms whose loop is void in the paper's programs with a real loop only",
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)"
    )
    parser.add_argument(
        "--output",
        "--out",
        metavar="DIR",
        default=".",
        help="folder for mtwu-table<N>.csv, .png and .jsonl (default: here); a study that finds "
        "its .jsonl there goes on where it stopped",
    )
    parser.add_argument("--no-figure", action="store_true", help="no .png (needs matplotlib)")
    parser.add_argument(
        "--compact",
        action="store_true",
        help="print a line for each algorithm: the rate by the paper's protocol -> the honest one",
    )
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")


def run(args: argparse.Namespace) -> int:
    """`river-nrrls paper mtwu`: print tables, write them and figures; 1 if a rate differs."""
    bundled = set(bundled_names())
    tables = [table for table, (name, _) in PAPER_DATA.items() if name in bundled]
    return max([_run(table, args) for table in ([args.table] if args.table else tables)])


def _run(table: int, args: argparse.Namespace) -> int:
    output = Path(args.output)
    output.mkdir(parents=True, exist_ok=True)
    stem = output / f"mtwu-table{table}"
    rows = reproduce(
        table,
        args.learners,
        args.m,
        args.runs,
        paper_quirks=not args.real_loops,
        directory=args.data,
        path=stem.with_suffix(".jsonl"),
        n_jobs=args.jobs,
    )
    title = f"Table {table} of the MTWU paper ({PAPER_DATA[table][0]})"
    print(f"{'### ' if args.markdown else ''}{title}, {args.runs} runs\n")
    print((as_compact if args.compact else as_text)(rows, args.markdown), flush=True)
    write_csv(rows, stem.with_suffix(".csv"))
    if not args.no_figure:
        try:
            from ..plot import mtwu_curves
        except ImportError as error:
            print(f"no figure: {error}", file=sys.stderr)
        else:
            mtwu_curves(rows, title).savefig(stem.with_suffix(".png"), dpi=110)
    return int(any(row["rate_status"] == "differs" for row in rows))
