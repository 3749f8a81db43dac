"""Figures 1 to 4 and those of Appendix D of the NR-RLS paper, drawn anew."""

from __future__ import annotations

import pathlib
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import datasets
from ..feature_extraction import ReducedPolynomialExtender
from ..least_squares import (
    ARRLSClassifier,
    IRRLSClassifier,
    NRRLSClassifier,
    RLSClassifier,
    batch,
)
from .runner import run_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .ranks import FriedmanNemenyi

__all__ = ["critical_differences", "draw"]

L2 = 1e-4
# More rows than this are too many for IR-RLS, which goes through all of them at each one.
MOST_IR = 1000
POINTS = 25
COLOURS = {
    "LS": "tab:gray",
    "RLS": "black",
    "TER": "tab:red",
    "AR-RLS": "tab:orange",
    "IR-RLS": "tab:green",
    "NR-RLS": "tab:blue",
}
STYLES = {"LS": "-", "TER": "-", "RLS": ":", "NR-RLS": ":", "AR-RLS": "--", "IR-RLS": "--"}


def draw(figure: str, out: pathlib.Path, data: str | None = None) -> list[pathlib.Path]:
    """Draw a figure of the paper into a folder.

    Parameters
    ----------
    figure
        "1" (decision boundaries), "2" (norm, G-mean and time along ozone-eight), "4" (coefficients
        on mushroom) or "D" (as 2, of every bundled binary data set).
    out
        The folder.
    data
        A folder with the large data sets; "D" then draws those too, without the batch solutions.

    Returns
    -------
    The files written.

    """
    out.mkdir(parents=True, exist_ok=True)
    figures = {"1": boundaries, "2": ozone, "4": coefficients, "D": appendix}
    if figure not in figures:
        raise ValueError(f"figure must be one of {', '.join(figures)}, got {figure!r}")
    path = out / f"nrrls-figure-{figure}.png"
    drawn: Figure = figures[figure](data)
    drawn.savefig(path, dpi=110)
    return [path]


def critical_differences(ranked: Mapping[str, FriedmanNemenyi], out: pathlib.Path) -> pathlib.Path:
    """Figure 3: mean ranks on a line, joined where they do not differ.

    Parameters
    ----------
    ranked
        What is ranked, such as "G-mean", to its test.
    out
        The folder.

    Returns
    -------
    The file written.

    """
    import pandas as pd
    import scikit_posthocs
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 2.8 * len(ranked)), layout="constrained")
    panels = figure.subplots(len(ranked), 1, squeeze=False)[:, 0]
    for ax, (what, result) in zip(panels, ranked.items(), strict=True):
        names = list(result.average_ranks)
        p_values = pd.DataFrame(1.0, index=names, columns=names)
        for (a, b), p in result.p_values.items():
            p_values.loc[a, b] = p_values.loc[b, a] = p
        scikit_posthocs.critical_difference_diagram(
            pd.Series(result.average_ranks),
            p_values,
            alpha=result.alpha,
            ax=ax,
            label_fmt_left="{label} ({rank:.2f}) ",
            label_fmt_right=" ({rank:.2f}) {label}",
            label_props={"fontsize": 9},
            color_palette={n: "tab:blue" if n.startswith("NR-RLS") else "0.25" for n in names},
        )
        ax.tick_params(labelsize=8)
        ax.set_title(
            f"mean rank by {what} over {result.n_datasets} sets, 1 is best; "
            f"critical difference {result.critical_difference:.2f}",
            fontsize=9,
            pad=12,
        )
    path = out / "nrrls-figure-3.png"
    figure.savefig(path, dpi=110)
    return path


def scaled(name: str, data: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """A binary data set, its features min-maxed to [0, 1], with a constant one as in the paper."""
    X, y = datasets.load(name, directory=data).to_arrays()
    span = np.ptp(X, axis=0)
    X = (X - X.min(axis=0)) / np.where(span > 0.0, span, 1.0)
    return np.c_[X, np.ones(len(X))], np.asarray(y, dtype=bool)


def g_mean(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    positive = X @ w >= 0.0
    return float(np.sqrt(positive[y].mean() * (~positive[~y]).mean()))


def learners() -> dict[str, Any]:
    """On the given features, the constant one among them, as the paper has it."""
    return {
        "RLS": RLSClassifier(l2=L2, learn_intercept=False),
        "AR-RLS": ARRLSClassifier(l2=L2, weighting="share", learn_intercept=False),
        "IR-RLS": IRRLSClassifier(l2=L2, learn_intercept=False),
        "NR-RLS": NRRLSClassifier(l2=L2, learn_intercept=False, classes=(False, True)),
    }


def batches() -> dict[str, Any]:
    return {"LS": batch.least_squares_weights, "TER": batch.total_error_rate_weights}


def trace(
    X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray, batched: bool = True
) -> dict[str, np.ndarray]:
    """Rows seen, norm of the weights, G-mean on the test half and milliseconds a row, by learner.

    The time of an online learner is that of one row and the weights after it, that of a batch
    solution is one solution on all rows so far.
    """
    n = len(X)
    stops = np.unique(np.linspace(max(2, n // POINTS), n, POINTS).astype(int))
    names = list(range(X.shape[1]))
    rows = [dict(zip(names, x, strict=True)) for x in X.tolist()]
    signs = np.where(y, 1.0, -1.0)
    found: dict[str, list[tuple[float, ...]]] = {}
    for name, model in learners().items():
        if name == "IR-RLS" and n > MOST_IR:
            continue
        start = 0
        for stop in stops.tolist():
            began = time.process_time()
            for row, label in zip(rows[start:stop], y[start:stop].tolist(), strict=True):
                model.learn_one(row, label)
                model.predict_one(row)
            each = (time.process_time() - began) / (stop - start) * 1e3
            start = stop
            if 0 < y[:stop].sum() < stop:
                w = np.array(list(model.weights.values()))
                line = (stop, float(np.linalg.norm(w)), g_mean(w, X_test, y_test), each)
                found.setdefault(name, []).append(line)
    for name, solve in batches().items() if batched else ():
        for stop in stops.tolist():
            if 0 < y[:stop].sum() < stop:
                began = time.process_time()
                w = solve(X[:stop], signs[:stop], L2)
                each = (time.process_time() - began) * 1e3
                line = (stop, float(np.linalg.norm(w)), g_mean(w, X_test, y_test), each)
                found.setdefault(name, []).append(line)
    return {name: np.array(lines) for name, lines in found.items()}


def halves(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two stratified halves in random order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    rank = np.empty(len(y), dtype=int)
    for label in (False, True):
        own = order[y[order] == label]
        rank[own] = np.arange(len(own)) % 2
    return order[rank[order] == 0], order[rank[order] == 1]


def averages(names: Mapping[str, str | None], runs: int) -> dict[str, dict[str, np.ndarray]]:
    """`average` of each data set, in a process of its own for the sake of the times."""
    cells = {name: (name, data, runs) for name, data in names.items()}
    found = run_cells(_average, cells, what="traces", apart=True)
    return {
        name: {key: np.array(lines) for key, lines in traces.items()}
        for name, traces in found.items()
    }


def _average(name: str, data: str | None, runs: int) -> dict[str, list[list[float]]]:
    return {key: lines.tolist() for key, lines in average(name, data, runs).items()}


def average(name: str, data: str | None, runs: int) -> dict[str, np.ndarray]:
    """Traces over some splits into halves, averaged where all of them have a value."""
    X, y = scaled(name, data)
    traces = []
    for seed in range(runs):
        train, test = halves(y, seed)
        traces.append(trace(X[train], y[train], X[test], y[test], len(y) < 50_000))
    least = {key: min(len(t[key]) for t in traces) for key in traces[0]}
    return {key: np.mean([t[key][-n:] for t in traces], axis=0) for key, n in least.items()}


def panels(axes: Any, lines: dict[str, np.ndarray], title: str) -> None:
    for name in COLOURS:
        if name in lines:
            for k, ax in enumerate(axes):
                ax.plot(
                    lines[name][:, 0],
                    lines[name][:, k + 1],
                    STYLES[name],
                    color=COLOURS[name],
                    label=name,
                    linewidth=1.8 if STYLES[name] == ":" else 1.1,
                )
    for ax, label in zip(axes, ("norm of the weights", "G-mean", "ms a row"), strict=True):
        ax.set_ylabel(label, fontsize=8)
    axes[1].set_title(title, fontsize=9)
    axes[2].set_yscale("log")
    for ax in axes:
        ax.tick_params(which="both", labelsize=7)


def framed(figure: Figure, ax: Any) -> None:
    """One legend above all panels, and what they have in common on the horizontal axis."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=8)
    figure.supxlabel("training rows", fontsize=8)


def ozone(data: str | None) -> Figure:
    """The learners of a group must lie on each other: LS and RLS; TER, IR-RLS and NR-RLS."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.4), layout="constrained")
    axes = figure.subplots(1, 3)
    panels(axes, averages({"ozone-eight": None}, 3)["ozone-eight"], "ozone-eight")
    framed(figure, axes[0])
    return figure


def appendix(data: str | None) -> Figure:
    from matplotlib.figure import Figure

    names = [n for n in datasets.names() if datasets.load(n).task == "Binary classification"]
    names = [n for n in names if n != "svmguide3"]
    large = ["cod-rna", "ijcnn1", "skin-nonskin"] if data else []
    figure = Figure(figsize=(11, 2.1 * len(names + large)), layout="constrained")
    axes = figure.subplots(len(names + large), 3, squeeze=False)
    traces = averages({name: data if name in large else None for name in names + large}, 1)
    for own, (name, lines) in zip(axes, traces.items(), strict=True):
        panels(own, lines, name)
    framed(figure, axes[0][0])
    return figure


def coefficients(data: str | None) -> Figure:
    """The weights after training, each group on one line; the mean weight in brackets."""
    from matplotlib.figure import Figure

    X, y = scaled("mushroom")
    order = np.random.default_rng(0).permutation(len(y))[:MOST_IR]
    X, y = X[order], y[order]
    signs = np.where(y, 1.0, -1.0)
    weights = {name: solve(X, signs, L2) for name, solve in batches().items()}
    rows = [dict(enumerate(x)) for x in X.tolist()]
    for name, model in learners().items():
        for row, label in zip(rows, y.tolist(), strict=True):
            model.learn_one(row, label)
        weights[name] = np.array(list(model.weights.values()))
    figure = Figure(figsize=(9, 4), layout="constrained")
    ax = figure.subplots()
    for name in COLOURS:
        ax.plot(
            weights[name],
            STYLES[name],
            color=COLOURS[name],
            label=f"{name} ({weights[name].mean():.4f})",
            linewidth=2.2 if STYLES[name] == ":" else 1.2,
        )
    ax.set_xlabel("feature (the last one is the constant)")
    ax.set_ylabel("weight")
    ax.set_title(f"mushroom, {len(y):,} rows; in brackets the mean weight", fontsize=10)
    figure.legend(loc="outside right center", fontsize=8)
    return figure


def example() -> tuple[np.ndarray, np.ndarray]:
    """24 points on a grid: 8 negative, 16 positive, 7 of them where the other class is as well.

    The paper prints no coordinates; these have its counts.
    """
    negative = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (2, 3), (3, 3), (1, 3)]
    overlapping = negative[1:]
    alone = [(3, 1), (4, 1), (4, 2), (4, 3), (4, 4), (3, 4), (2, 4), (1, 4), (5, 3)]
    X = np.array(negative + overlapping + alone, dtype=float) / 5.0
    return X, np.arange(len(X)) >= len(negative)


def boundaries(data: str | None) -> Figure:
    """LS gives the smaller class up where the classes overlap; TER does not."""
    from matplotlib.figure import Figure

    X, y = example()
    signs = np.where(y, 1.0, -1.0)
    side = np.linspace(0.0, 1.2, 161)
    grid = np.array([(a, b) for b in side for a in side])
    figure = Figure(figsize=(9, 4.8), layout="constrained")
    for ax, order in zip(figure.subplots(1, 2), (1, 4), strict=True):
        phi, phi_grid = expanded(X, order), expanded(grid, order)
        for name, solve in batches().items():
            w = solve(phi, signs, L2)
            level = (phi_grid @ w).reshape(len(side), len(side))
            ax.contour(side, side, level, [0.0], colors=COLOURS[name])
            score = g_mean(w, phi, y)
            ax.plot([], [], color=COLOURS[name], label=f"{name}, G-mean {score:.3f}")
        ax.plot(*X[y].T, "P", color="tab:blue", markersize=9, label="positive (16)")
        ax.plot(*X[~y].T, "o", color="tab:orange", markersize=5, label="negative (8)")
        ax.set_title(f"order {order}")
        ax.set_xlabel("first feature")
        ax.set_ylabel("second feature")
        ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
    return figure


def expanded(X: np.ndarray, order: int) -> np.ndarray:
    extender = ReducedPolynomialExtender(order=order, include_bias=True)
    rows = [extender.transform_one({"a": a, "b": b}) for a, b in X.tolist()]
    return np.array([list(row.values()) for row in rows])
