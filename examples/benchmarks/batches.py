"""Mini-batches, and what an import costs."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
from river import linear_model

import river_nrrls as rn

from .common import Result, arrays, compare, rounds


def learn_many(quick: bool) -> list[Result]:
    X, y = arrays(1000, 22)
    names = [f"x{j}" for j in range(22)]
    frames = {
        "pandas": (pd.DataFrame(X, columns=names), pd.Series(y), 0.4),
        "polars": (pl.DataFrame(X, schema=names), pl.Series("y", y), 1.0),
        "pyarrow": (
            pa.table({name: X[:, j] for j, name in enumerate(names)}),
            pa.chunked_array([y]),
            1.0,
        ),
    }
    results = []
    for library, (frame, labels, target) in frames.items():
        found = rounds(
            {
                "ours": lambda: _batches(rn.NRRLSClassifier(), frame, labels),
                "theirs": lambda: _batches(linear_model.LogisticRegression(), frame, labels),
            },
            5 if quick else 15,
        )
        what = f"NRRLSClassifier.learn_many, {library}, 1,000 x 22 (exact)"
        against = "LogisticRegression.learn_many (one step a batch)"
        results.append(compare(what, against, found["ours"], found["theirs"], target))
    return results


def _batches(model: Any, frame: Any, labels: Any) -> float:
    model.learn_many(frame, labels)
    start = time.process_time()
    for _ in range(20):
        model.learn_many(frame, labels)
    return (time.process_time() - start) / 20 * 1e6


def imports(quick: bool) -> list[Result]:
    found = rounds(
        {
            "ours": lambda: _child("import river_nrrls"),
            "theirs": lambda: _child("import river.linear_model"),
        },
        3 if quick else 7,
    )
    result = compare(
        "import river_nrrls", "import river.linear_model", found["ours"], found["theirs"], 0.6
    )
    return [result]


def _child(statement: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used * 1e6


QUESTIONS = (learn_many, imports)
