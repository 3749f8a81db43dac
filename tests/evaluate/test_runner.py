from __future__ import annotations

import io
import json
import os

import pytest

from river_nrrls.evaluate.runner import Progress, run_cells

_factor = 1


def begin(factor):
    global _factor
    _factor = factor


def times(value):
    return {"value": value * _factor, "process": os.getpid()}


def fail(value):
    if value == 2:
        raise ValueError("cell 2 is bad")
    return value


CELLS = {f"cell {value}": (value,) for value in (3, 1, 2)}


@pytest.mark.parametrize("n_jobs, apart", [(1, False), (1, True), (2, False)])
def test_results_by_key_in_the_order_of_the_cells(n_jobs, apart):
    options = {"n_jobs": n_jobs, "apart": apart, "initializer": begin, "initargs": (10,)}
    results = run_cells(times, CELLS, progress=False, **options)
    assert list(results) == ["cell 3", "cell 1", "cell 2"]
    assert [result["value"] for result in results.values()] == [30, 10, 20]
    processes = {result["process"] for result in results.values()}
    assert (os.getpid() in processes) == (n_jobs == 1 and not apart)


def test_a_process_apart_has_one_blas_thread(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    cells = {"threads": ("OPENBLAS_NUM_THREADS",)}
    assert run_cells(os.getenv, cells, progress=False, apart=True) == {"threads": "1"}
    assert "OPENBLAS_NUM_THREADS" not in os.environ


def test_a_study_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "new" / "study.jsonl"
    with pytest.raises(ValueError, match="cell 2 is bad"):
        run_cells(fail, CELLS, path=path, progress=False)
    assert [json.loads(line)["value"] for line in path.read_text().split("\n") if line] == [3, 1]
    # What was there is not computed again: `times` would give something else.
    assert run_cells(fail, {"cell 3": (3,)}, path=path, progress=False) == {"cell 3": 3}
    results = run_cells(times, CELLS, path=path, progress=False)
    assert results["cell 3"] == 3
    assert results["cell 2"]["value"] == 20


def test_half_a_line_is_no_result(tmp_path):
    path = tmp_path / "study.jsonl"
    path.write_text('{"key": "cell 3", "value": 3}\n{"key": "cell 1", "val')
    assert run_cells(fail, {"cell 1": (7,)}, path=path, progress=False) == {"cell 1": 7}
    assert run_cells(fail, {"cell 1": (8,), "cell 3": (9,)}, path=path, progress=False) == {
        "cell 1": 7,
        "cell 3": 3,
    }


def test_results_are_what_the_file_would_give_back():
    assert run_cells(lambda: (1, {2: 3.5}), {"cell": ()}, progress=False) == {
        "cell": [1, {"2": 3.5}]
    }


def test_number_of_jobs():
    with pytest.raises(ValueError, match="n_jobs must be an integer of at least 1"):
        run_cells(times, CELLS, n_jobs=0)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal_is_one_line():
    file = Terminal()
    bar = Progress(2, "study", file)
    bar.step("first")
    bar.step("second")
    shown = file.getvalue()
    assert shown.count("\n") == 1
    assert "study [############............] 1/2" in shown
    assert "study [########################] 2/2, 0 s left second" in shown


def test_progress_in_a_file_is_a_line_now_and_then():
    file = io.StringIO()
    bar = Progress(3, "study", file)
    for _ in range(3):
        bar.step()
    assert file.getvalue().splitlines() == [
        "study [########................] 1/3, 0 s left",
        "study [########################] 3/3, 0 s left",
    ]
