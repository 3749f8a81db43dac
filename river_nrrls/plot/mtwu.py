"""Mistake rates against the number of updates an instance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

__all__ = ["mtwu_curves"]

PROTOCOLS = {
    "progressive_rate": ("before learning the row (honest)", "tab:blue", "o"),
    "post_update_rate": ("after m - 1 updates on the row (post-update)", "tab:red", "s"),
}


def mtwu_curves(rows: Sequence[dict[str, Any]], title: str | None = None) -> Figure:
    """Draw both mistake rates of each learner against `m`, a panel a learner.

    Parameters
    ----------
    rows
        What `evaluate.mtwu_study` or `evaluate.mtwu_paper.reproduce` returned. Where the rows hold
        a paper's figures these are shown as crosses.
    title
        Title of the figure.

    Examples
    --------
    >>> from river_nrrls import evaluate, plot

    >>> rows = evaluate.mtwu_study("glass_libsvm", ["M_PA", "M_AROW"], runs=2, progress=False)
    >>> figure = plot.mtwu_curves(rows)
    >>> [axes.get_title() for axes in figure.axes]
    ['M_PA', 'M_AROW']

    """
    if not rows:
        raise ValueError("rows is empty: there is nothing to draw")
    names = list(dict.fromkeys(row["learner"] for row in rows))
    n_columns = min(4, len(names))
    n_lines = math.ceil(len(names) / n_columns)
    figure = Figure(figsize=(3.0 * n_columns, 2.4 * n_lines + 0.8), layout="constrained")
    ms = sorted({row["m"] for row in rows})
    for i, name in enumerate(names):
        axes = figure.add_subplot(n_lines, n_columns, i + 1)
        own = [row for row in rows if row["learner"] == name]
        for figure_name, (label, colour, marker) in PROTOCOLS.items():
            # Of a loop that is void in the paper's programs the real one is drawn beyond m = 1.
            drawn = [row for row in own if row["m"] == 1 or not row.get("void_loop")]
            axes.errorbar(
                [row["m"] for row in drawn],
                [row[figure_name] for row in drawn],
                [row[f"{figure_name}_std"] or 0.0 for row in drawn],
                label=label if i == 0 else None,
                color=colour,
                marker=marker,
                markersize=4,
                linewidth=1.2,
                capsize=2,
            )
        paper = [row for row in own if row.get("paper_rate") and float(row["paper_rate"]) <= 1.0]
        if paper:
            axes.plot(
                [row["m"] for row in paper],
                [float(row["paper_rate"]) for row in paper],
                "x",
                color="black",
                markersize=6,
                label="the paper" if i == 0 else None,
            )
        axes.set_title(name, fontsize=10)
        axes.set_xscale("log", base=2)
        axes.set_xticks(ms, [str(m) for m in ms])
        axes.minorticks_off()
        axes.set_ylim(bottom=0.0)
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3)
        if i % n_columns == 0:
            axes.set_ylabel("mistake rate", fontsize=8)
        if i >= len(names) - n_columns:
            axes.set_xlabel("updates an instance, m", fontsize=8)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    if title is not None:
        figure.suptitle(title, fontsize=11)
    return figure
