from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from river_nrrls import evaluate
from river_nrrls.evaluate.mtwu_runs import _order, as_rows
from river_nrrls.evaluate.paper_learners import (
    ALGORITHMS,
    PAPER_DATA,
    VOID_LOOPS,
    paper_cells,
    paper_learner,
    paper_settings,
)

HERE = Path(__file__).parent

# From these m on the step ends at a loss of 0 and what is counted as an update is its rounding.
DUST = {
    "PA1": 2,
    "PA2": 8,
    "CW": 2,
    "SCW": 2,
    "M_PA": 2,
    "M_PA1": 2,
    "M_PA2": 8,
    "M_aROMMA": 2,
}


def naive_order(n: int, run: int) -> list[int]:
    """The shuffle, written down from its description once more."""
    x = run
    p = list(range(n))
    for idx in range(2, n + 1):
        while True:
            R = M = 0
            while M < idx - 1:
                x = (x * 214013 + 2531011) % 2**32
                R = R * 2**15 + (x // 2**16) % 2**15
                M = M * 2**15 + (2**15 - 1)
            if R // idx < M // idx or M % idx == idx - 1:
                break
        j = R % idx
        p[idx - 1], p[j] = p[j], p[idx - 1]
    return p


# One draw has 15 bits: beyond 32768 rows it takes two.
@pytest.mark.parametrize("n", [1, 2, 3, 10, 214, 40_000])
@pytest.mark.parametrize("run", [0, 1, 20])
def test_order(n, run):
    order = evaluate.paper_order(n, run)
    assert order == naive_order(n, run)
    assert sorted(order) == list(range(n))


@pytest.mark.parametrize(("n", "run"), [(0, 1), (-1, 1), (2.0, 1), (5, -1), (5, 1.0), (5, True)])
def test_order_of_what_is_no_number(n, run):
    with pytest.raises(ValueError, match="must be an integer"):
        evaluate.paper_order(n, run)


def known_runs(table: int) -> list[Any]:
    return json.loads((HERE / f"mtwu-table{table}-runs.json").read_text())["runs"]


@pytest.mark.parametrize("table", [2, 5])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_counts_of_each_run(table, name):
    """Each cell's counts in the first runs (all twenty: `river-nrrls paper mtwu`)."""
    cells = [cell for cell in known_runs(table) if cell["algorithm"] == name]
    if name.startswith("M_") != (table == 5):
        assert not cells
        return
    assert [cell["m"] for cell in cells] == [1, 2, 4, 8, 16, 32]
    rows = as_rows(PAPER_DATA[table][0])
    for cell in cells:
        m = cell["m"]
        steps = 1 if name in VOID_LOOPS.get(table, ()) else m
        # The known counts of IELLIP let c_t advance at every update.
        clock = "update" if name == "IELLIP" else "instance"
        n_runs = 5 if m <= 4 else 2
        counts = [
            rows.count(paper_learner(name, table, m), _order(len(rows), run), steps, clock)
            for run in range(1, n_runs + 1)
        ]
        mistakes = [count.post_update_mistakes for count in counts]
        assert mistakes == cell["last_iteration_mistakes"][:n_runs]
        honest = [count.progressive_mistakes for count in counts]
        assert honest == cell["first_iteration_mistakes"][:n_runs]
        if m < DUST.get(name, 64):
            updates = [count.updates for count in counts]
            assert updates == cell["last_iteration_updates"][:n_runs]


def test_cells_are_as_printed():
    cell = paper_cells(2)["OGD", 4]
    assert (cell.rate, cell.rate_std, cell.updates, cell.updates_std, cell.cpu) == (
        "0.0091",
        "0.0023",
        "32.65",
        "5.55",
        "0.0808",
    )
    sizes = {table: len(paper_cells(table)) for table in PAPER_DATA}
    assert sizes == {2: 96, 3: 96, 4: 78, 5: 78, 6: 78}


def test_settings_behind_a_cell():
    assert paper_settings(2, "OGD", 2) == ({"C": 16.0}, 1)
    assert paper_settings(2, "ALMA", 1) == ({"C": 0.0625, "eta": 0.7, "p": 2.0}, 1)
    assert paper_settings(2, "IELLIP", 2) == ({"b": 0.1}, 9)
    assert paper_settings(5, "M_SCW1", 8) == ({}, None)
    assert paper_settings(3, "OGD", 1) == ({"C": 0.0625}, 1)
    # Not searched for, and so not identified.
    assert paper_settings(3, "PA1", 1) == ({}, 0)
    assert paper_settings(3, "SOP", 1) == ({}, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "PA3"}, "no algorithm 'PA3' in the paper; it has SOP"),
        ({"name": "PA1", "table": 7}, "table must be one of 2, 3, 4, 5, 6, got 7"),
        ({"name": "PA1", "gamma": 1.0}, "PA1 has no option 'gamma'; it has C"),
        ({"name": "PA1", "classes": (1, 2)}, "PA1 is binary"),
        ({"name": "M_SCW1", "C": -1.0}, "C must be"),
    ],
)
def test_unknown_learners_and_options(arguments, message):
    with pytest.raises(ValueError, match=message):
        paper_learner(**arguments)


def test_options_by_libols_letter_and_by_ours():
    assert paper_learner("AROW", C=4.0).r == 4.0
    assert paper_learner("AROW", r=4.0).r == 4.0
    assert paper_learner("ALMA", eta=0.6).alpha == 0.6
    assert paper_learner("NAROW", C=8.0).b == 8.0
    assert paper_learner("M_PA2", table=5, m=2).C == 16.0
    assert paper_learner("M_PA2", table=5, m=2, C=1.0).C == 1.0
    assert paper_learner("M_PA2", table=5).classes == (1, 2, 3, 4, 5, 6)
    assert paper_learner("M_PA2").classes is None
