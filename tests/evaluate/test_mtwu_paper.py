from __future__ import annotations

import argparse
import csv

import pytest

from river_nrrls.evaluate import mtwu_paper


def statuses(rows, figure="rate"):
    return {(row["learner"], row["m"]): row[f"{figure}_status"] for row in rows}


@pytest.mark.parametrize(
    ("table", "learners", "ms"),
    [
        (2, ["SOP", "OGD", "SCW2", "ALMA"], (1, 2)),
        (2, ["PA2"], (1, 2, 4)),
        (5, ["M_OGD", "M_PerceptronU", "M_SCW2", "M_AROW"], (1, 2)),
        (6, ["M_PerceptronS", "M_OGD", "M_CW"], (1, 2)),
    ],
)
def test_cells_equal_the_printed_digits(table, learners, ms):
    rows = mtwu_paper.reproduce(table, learners, ms, progress=False)
    assert [(row["learner"], row["m"]) for row in rows] == [(n, m) for n in learners for m in ms]
    assert set(statuses(rows).values()) == {"equal"}
    assert set(statuses(rows, "updates").values()) == {"equal"}
    for row in rows:
        if row["m"] == 1:
            assert row["progressive_rate"] == row["post_update_rate"]


def test_void_loops_are_run_once_and_the_real_ones_beside_them():
    rows = mtwu_paper.reproduce(2, ["Perceptron"], (1, 2), progress=False)
    assert [(row["m"], row["void_loop"], row["rate_status"]) for row in rows] == [
        (1, True, "equal"),
        (2, True, "equal"),
        (2, False, None),
    ]
    assert rows[0]["post_update_rate"] == rows[1]["post_update_rate"]
    assert f"{rows[2]['post_update_rate']:.4f}" == "0.0464"
    real = mtwu_paper.reproduce(2, ["Perceptron"], (1, 2), paper_quirks=False, progress=False)
    assert [row["rate_status"] for row in real] == ["equal", "differs"]


def test_misprints_and_dust_are_told_apart():
    rows = mtwu_paper.reproduce(2, ["PA2"], (8, 32), progress=False)
    assert statuses(rows) == {("PA2", 8): "misprint", ("PA2", 32): "equal"}
    assert set(statuses(rows, "updates").values()) == {"dust"}
    assert "m = 8: misprint, holds the number of updates" in mtwu_paper.conclusion(rows)


@pytest.mark.parametrize(
    ("ours", "printed", "runs", "status"),
    [
        ((0.12344, 0.00994), ("0.1234", "0.0099"), 20, "equal"),
        ((0.12344, 0.00996), ("0.1234", "0.0099"), 20, "within"),
        ((0.12784, 0.0099), ("0.1234", "0.0099"), 20, "within"),
        ((0.12800, 0.0099), ("0.1234", "0.0099"), 20, "differs"),
        ((0.1283, 0.0099), ("0.1234", "0.0099"), 4, "within"),
        ((0.1234, None), ("0.1234", "0.0099"), 1, "within"),
        ((0.00004, 0.00004), ("0.0000", "0.0000"), 20, "equal"),
        ((0.0001, 0.0), ("0.0000", "0.0000"), 20, "differs"),
    ],
)
def test_comparison(ours, printed, runs, status):
    assert mtwu_paper._compare(ours, printed, 4, runs) == status


def arguments(*words):
    parser = argparse.ArgumentParser()
    mtwu_paper.add_arguments(parser)
    return parser.parse_args(words)


def test_command(tmp_path, capsys):
    words = ["--table", "5", "--learners", "M_ROMMA", "--m", "1", "32", "--jobs", "1"]
    assert mtwu_paper.run(arguments(*words, "--output", str(tmp_path))) == 0
    printed = capsys.readouterr().out
    assert "M_ROMMA    1" in printed
    assert "0.5963 ± 0.0493" in printed
    assert "rate: 2 cells, 2 equal" in printed
    assert "CPU time of m = 32 over m = 1:" in printed
    assert (tmp_path / "mtwu-table5.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "mtwu-table5.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [cell["paper_rate"] for cell in cells] == ["0.5963", "0.0000"]
    lines = (tmp_path / "mtwu-table5.jsonl").read_text().splitlines()
    assert mtwu_paper.run(arguments(*words, "--output", str(tmp_path), "--markdown")) == 0
    assert "| M_ROMMA | 1 |" in capsys.readouterr().out
    assert (tmp_path / "mtwu-table5.jsonl").read_text().splitlines() == lines


def test_command_says_where_a_cell_differs(tmp_path, capsys):
    words = ["--table", "2", "--learners", "Perceptron", "--m", "2", "--jobs", "1", "--real-loops"]
    assert mtwu_paper.run(arguments(*words, "--no-figure", "--output", str(tmp_path))) == 1
    assert "Perceptron, m = 2: differs" in capsys.readouterr().out
    assert not (tmp_path / "mtwu-table2.png").exists()


def test_a_set_that_is_not_bundled_needs_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="directory"):
        mtwu_paper.reproduce(3, ["Perceptron"], (1,), 1, progress=False)
    with pytest.raises(FileNotFoundError, match="mnist"):
        mtwu_paper.reproduce(4, ["M_PA"], (1,), 1, directory=tmp_path, progress=False)


def test_an_algorithm_of_another_table():
    with pytest.raises(ValueError, match="Table 2 has no algorithm 'M_PA'"):
        mtwu_paper.reproduce(2, ["M_PA"], (1,), 1, progress=False)
