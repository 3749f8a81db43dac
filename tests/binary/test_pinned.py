"""One table of results, learner x stream, to be looked at whenever a number changes.

`pinned.csv` is what `python examples/binary_learners.py --csv` prints. The rows of river's own
learners are for comparison.
"""

from __future__ import annotations

import csv
import runpy
from pathlib import Path

import pytest

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "binary_learners.py"))

with Path(__file__).with_name("pinned.csv").open(encoding="utf-8") as file:
    PINNED = list(csv.DictReader(file))

# Rows that contradict each other take the covariance of CW through so many orders of magnitude
# that two builds of BLAS part ways.
UNSTABLE = {"CW": 0.02, "CW, diagonal": 0.02}


@pytest.fixture(scope="module")
def data():
    return {name: list(stream) for name, stream in EXAMPLE["streams"]().items()}


@pytest.mark.parametrize("name", EXAMPLE["LEARNERS"])
def test_pinned(name, data):
    pinned = {row["stream"]: row for row in PINNED if row["learner"] == name}
    assert pinned.keys() == data.keys()
    for stream, row in pinned.items():
        expected = float(row["g_mean"]), float(row["accuracy"])
        got = EXAMPLE["scores"](EXAMPLE["LEARNERS"][name], data[stream])
        assert got == pytest.approx(expected, abs=UNSTABLE.get(name, 1e-4)), stream


def test_the_table_holds_every_learner():
    names = {row["learner"] for row in PINNED}
    assert names == EXAMPLE["LEARNERS"].keys() | EXAMPLE["PEERS"].keys()
