"""Files of version 1 of the format, one a learner: every later version of the package loads them.

A learner that is new gets its file, with the scores to which it is held, by

    python -m tests.test_saved_v1 NewClassifier

from the root of the repository. A file that is there is never written again: if it no longer
loads, or scores differently, the package has broken a promise.
"""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import river_nrrls as rn

from . import saved

FOLDER = pathlib.Path(__file__).parent / "data" / "v1"
NAMES = ("a", 2, None, False, 0.5, ("t", (1, None)), "é")
LABELS = ("spam", 7, ("t", (1, None)))
N_ROWS = 24
N_MORE = 6


def untrained(name):
    if name == "MTWUClassifier":
        return rn.MTWUClassifier(rn.MulticlassPAClassifier(C=0.125), m=3)
    return saved.learners()[name]()


def rows(model):
    """Rows of numbers that are exact in binary, with feature "é" from row 9 on."""
    labels = LABELS if model._multiclass else (False, True)
    for i in range(N_ROWS + N_MORE):
        values = [((37 * i * i + 53 * j + 11 * i * j) % 101 - 50) / 32 for j in range(len(NAMES))]
        n = len(NAMES) if i >= 9 else len(NAMES) - 1
        y = labels[(i % 5 + (values[0] > 0.25)) % len(labels)]
        yield dict(zip(NAMES[:n], values[:n], strict=True)), y


def scores(model, stream):
    """Scores of three rows, by label where there is more than one."""
    found = [model.decision_function_one(x) for x, _ in stream[:3]]
    return [list(score.values()) if isinstance(score, dict) else score for score in found]


def expectations(model):
    """The scores of a model that has learnt the first rows, and after it has learnt the rest."""
    stream = list(rows(model))
    before = scores(model, stream)
    saved.learn(model, stream[N_ROWS:])
    return {"scores": before, "after_more": scores(model, stream)}


def write(name):
    path = FOLDER / f"{name}.nrrls"
    if path.exists():
        raise SystemExit(f"{path} exists: it is kept as it is, and must load for ever")
    model = untrained(name)
    saved.learn(model, list(rows(model))[:N_ROWS])
    rn.save(model, path)
    expected = json.dumps(expectations(rn.load(path)), indent=1)
    path.with_suffix(".json").write_text(expected + "\n")
    print(path, path.stat().st_size, "bytes")


@pytest.mark.parametrize("name", [*saved.learners(), "MTWUClassifier"])
def test_a_file_of_version_1_loads_and_scores(name):
    path = FOLDER / f"{name}.nrrls"
    assert path.exists(), (
        f"{name} has no saved file of version 1; add it by `python -m tests.test_saved_v1 {name}` "
        f"and commit tests/data/v1/{name}.nrrls and tests/data/v1/{name}.json"
    )
    header = json.loads(path.read_bytes().partition(b"\n")[0])
    assert (header["version"], header["class"]) == (1, f"river_nrrls.{name}")
    model = rn.load(path)
    inner = getattr(model, "classifier", model)
    assert list(map(repr, inner._columns.names)) == list(map(repr, NAMES))
    if model._multiclass:
        assert set(map(repr, inner._labels)) == set(map(repr, LABELS))
    expected = json.loads(path.with_suffix(".json").read_text())
    found = expectations(model)
    for key, values in expected.items():
        for value, pinned in zip(found[key], values, strict=True):
            assert value == pytest.approx(pinned, rel=1e-9, abs=1e-12)
            assert any(pinned) if isinstance(pinned, list) else pinned


def test_no_file_is_left_out():
    assert {path.stem for path in FOLDER.iterdir()} <= {*saved.learners(), "MTWUClassifier"}


if __name__ == "__main__":
    for each in sys.argv[1:]:
        write(each)
