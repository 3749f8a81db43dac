"""All benchmarks: one table and one figure into docs/.

    OPENBLAS_NUM_THREADS=1 python -m examples.benchmarks [--quick] [--only WORD] [--docs DIR]

Process time, one BLAS thread, ours and theirs in turn, medians with the least and the greatest of
the rounds. Every line is a ratio taken in one run: figures in microseconds are those of a machine,
ratios travel.
"""

from __future__ import annotations

import argparse
import math
import os
import pathlib
import platform
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from . import batches, exactness, steps, wide  # noqa: E402
from .common import Result  # noqa: E402

DOCS = pathlib.Path(__file__).parents[2] / "docs"
INTRODUCTION = """# Benchmarks

Made by `python -m examples.benchmarks`: process time, one BLAS thread, ours and theirs in turn in
the same run, medians with the least and the greatest of the rounds. A ratio below 1 means that ours
is cheaper; lines that say "times faster" turn it round. Microseconds are those of the machine that
wrote this page ({machine}); ratios travel.

![Ratios to the rivals and to the targets](img/benchmarks.png)

"""


def markdown(results: list[Result]) -> str:
    lines = [
        "| what | against | ratio | least … greatest | target | met | µs |",
        "| --- | --- | ---: | --- | --- | --- | --- |",
    ]
    for r in results:
        sign = "≥" if r.at_least else "≤"
        target, met = f"{sign} {r.target:g}", "yes" if r.met else "**no**"
        if math.isnan(r.target):
            target = met = "–"
        times = " times faster" if r.at_least else ""
        lines.append(
            f"| {r.what} | {r.against} | {r.ratio:.3g}{times} | {r.low:.3g} … {r.high:.3g} | "
            f"{target} | {met} | {r.note} |"
        )
    return "\n".join(lines) + "\n"


def figure(results: list[Result], path: pathlib.Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    # Errors are orders of magnitude below their bounds: they would press all else together.
    results = [r for r in results if not (math.isnan(r.target) or r.what.startswith("error"))]
    fig, ax = plt.subplots(figsize=(9, 0.26 * len(results) + 1.2), layout="constrained")
    for i, r in enumerate(results):
        scale = (lambda v, r=r: r.target / v) if r.at_least else (lambda v, r=r: v / r.target)
        ends = sorted((scale(r.low), scale(r.high)))
        colour = "tab:blue" if r.met else "tab:red"
        ax.plot(ends, (i, i), color=colour, alpha=0.4, linewidth=3)
        ax.plot(scale(r.ratio), i, "o", color=colour, markersize=4)
    ax.axvline(1.0, color="black", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_yticks(range(len(results)), [f"{r.what} / {r.against}" for r in results], fontsize=6)
    ax.set_ylim(len(results) - 0.2, -0.8)
    ax.set_xlabel("cost over target (left of the line: better than the target)")
    fig.savefig(path, dpi=110)
    plt.close(fig)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows, rounds and sizes")
    parser.add_argument("--only", default="", help="questions whose name holds this word")
    parser.add_argument("--docs", type=pathlib.Path, default=DOCS, help="where to write")
    args = parser.parse_args()
    results: list[Result] = []
    for module in (steps, batches, wide, exactness):
        for question in module.QUESTIONS:
            if args.only in question.__name__:
                print(f"{module.__name__.split('.')[-1]}.{question.__name__} …", file=sys.stderr)
                results += question(args.quick)
    table = markdown(results)
    print(table)
    if not args.only:
        (args.docs / "img").mkdir(parents=True, exist_ok=True)
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        page = INTRODUCTION.format(machine=machine) + table
        (args.docs / "benchmarks.md").write_text(page, encoding="utf-8")
        figure(results, args.docs / "img" / "benchmarks.png")
    return 0 if all(r.met for r in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
