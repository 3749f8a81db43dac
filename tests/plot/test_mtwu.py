from __future__ import annotations

import io

import pytest

from river_nrrls import plot


def row(learner, m, **more):
    rates = {"progressive_rate": 0.3, "post_update_rate": 0.3 / m}
    stds = {f"{name}_std": 0.01 for name in rates}
    return {"learner": learner, "m": m, **rates, **stds, **more}


def test_a_panel_a_learner_and_a_line_a_protocol():
    rows = [row(name, m) for name in "ABCDE" for m in (1, 2, 4)]
    figure = plot.mtwu_curves(rows, title="five")
    assert [axes.get_title() for axes in figure.axes] == list("ABCDE")
    honest, leaked = (container.lines[0] for container in figure.axes[0].containers)
    assert honest.get_ydata().tolist() == [0.3, 0.3, 0.3]
    assert leaked.get_ydata().tolist() == [0.3, 0.15, 0.075]
    assert len(figure.legends) == 1
    figure.savefig(io.BytesIO(), format="png")


def test_the_papers_cells_are_crosses_and_a_void_loop_is_not_drawn():
    rows = [
        row("A", 1, void_loop=True, paper_rate="0.3"),
        row("A", 2, void_loop=True, paper_rate="0.3"),
        row("A", 2, void_loop=False, paper_rate=None, post_update_rate=0.1),
        # A misprint: the number of updates in the place of the rate.
        row("A", 4, void_loop=True, paper_rate="704.85"),
    ]
    [axes] = plot.mtwu_curves(rows).axes
    leaked = axes.containers[1].lines[0]
    assert leaked.get_ydata().tolist() == [0.3, 0.1]
    crosses = axes.lines[-1]
    assert crosses.get_ydata().tolist() == [0.3, 0.3]


def test_one_run_has_no_deviation():
    figure = plot.mtwu_curves([row("A", 1) | {"progressive_rate_std": None}])
    assert figure.axes[0].containers[0].has_yerr


def test_nothing_to_draw():
    with pytest.raises(ValueError, match="rows is empty"):
        plot.mtwu_curves([])
