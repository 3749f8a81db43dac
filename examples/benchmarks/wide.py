"""Many features: against the Cholesky of each step, the paper's Algorithm 1, and growth with d."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
import pandas as pd
from river import linear_model

import river_nrrls as rn

from .common import (
    AlgorithmOne,
    PlainRLS,
    Result,
    alternate,
    arrays,
    compare,
    learn,
    microseconds,
    rounds,
    stream,
)


def trained(model: Any, n: int, d: int, kind: str = "random") -> Any:
    """A model that has seen n rows, in batches."""
    X, y = arrays(n, d, seed=7, kind=kind)
    names = [f"x{j}" for j in range(d)]
    for i in range(0, n, 2000):
        model.learn_many(pd.DataFrame(X[i : i + 2000], columns=names), pd.Series(y[i : i + 2000]))
    return model


def steady(model: Any, rows: Any, warm_up: int) -> Any:
    """Microseconds of alternating steps, the first ones not counted."""
    alternate(model, rows[:warm_up])
    return microseconds(alternate, model, rows[warm_up:])


def against_cholesky(quick: bool) -> list[Result]:
    results = []
    sizes = ((166, 2.2, 120), (500, 4.0, 30), (1000, 6.0, 10))
    for d, target, n in sizes[:2] if quick else sizes:
        for kind in ("random", "correlated", "polynomial"):
            rows = stream(20 + 7 * n, d, seed=3, kind=kind)
            first, parts = rows[:20], [rows[20 + i * n : 20 + i * n + n] for i in range(7)]
            models = {
                solver: trained(rn.NRRLSClassifier(solver=solver), 20_000, d, kind)
                for solver in ("auto", "cholesky")
            }
            found: dict[str, list[float]] = {solver: [] for solver in models}
            for model in models.values():
                alternate(model, first)
            for part in parts:
                for solver, model in models.items():
                    found[solver].append(microseconds(alternate, model, part))
            what = f"NRRLSClassifier, predict, learn, d = {d}, 20,000 rows, {kind}"
            against = "Cholesky each step"
            results.append(compare(what, against, found["auto"], found["cholesky"], target, True))
    return results


def against_logistic(quick: bool) -> list[Result]:
    n, k = (150, 3) if quick else (400, 7)
    rows = stream(n * (k + 1), 166, seed=3)
    ours, theirs = trained(rn.NRRLSClassifier(), 20_000, 166), linear_model.LogisticRegression()
    learn(theirs, rows[:n])
    alternate(ours, rows[:n])
    found: dict[str, list[float]] = {"ours": [], "theirs": []}
    for i in range(1, k + 1):
        part = rows[i * n : (i + 1) * n]
        found["ours"].append(microseconds(alternate, ours, part))
        found["theirs"].append(microseconds(alternate, theirs, part))
    what = "NRRLSClassifier, predict, learn, d = 166, 20,000 rows"
    return [compare(what, "LogisticRegression", found["ours"], found["theirs"], 2.3)]


def against_the_paper(quick: bool) -> list[Result]:
    """The rivals get arrays: their gathering of a dict is not charged."""
    results = []
    sizes = ((22, 6.5, 400), (166, 55.0, 24), (500, 200.0, 3))
    for d, target, n in sizes[:2] if quick else sizes:
        model = trained(rn.NRRLSClassifier(), 5000, d)
        rows = stream(max(n, 40) + 20, d, seed=3)
        alternate(model, rows[:20])
        X, y = arrays(n + 5, d, seed=4)
        literal, plain = AlgorithmOne(d), PlainRLS(d)
        pairs = list(zip(X, y.tolist(), strict=True))
        alternate(literal, pairs[:5])
        alternate(plain, pairs[:5])
        found = rounds(
            {
                "ours": lambda: microseconds(alternate, model, rows[20:]),
                "literal": lambda: microseconds(alternate, literal, pairs[5:]),
                "rls": lambda: microseconds(alternate, plain, pairs[5:]),
            },
            3,
        )
        what = f"NRRLSClassifier, predict, learn, d = {d}"
        results.append(
            compare(what, "the paper's Algorithm 1", found["ours"], found["literal"], target, True)
        )
        results.append(compare(what, "plain RLS in numpy", found["ours"], found["rls"], 8.0))
    return results


def growth(quick: bool) -> list[Result]:
    sizes = (250, 500) if quick else (250, 350, 500, 700, 1000)
    times: dict[int, list[float]] = {}
    for d in sizes:
        model = trained(rn.NRRLSClassifier(), 20_000, d)
        rows = stream(160, d, seed=3)
        alternate(model, rows[:40])
        times[d] = [microseconds(alternate, model, rows[40 * i : 40 * i + 40]) for i in (1, 2, 3)]
    medians = {d: statistics.median(t) for d, t in times.items()}
    step = compare("growth of the step, d = 500", "d = 250", times[500], times[250], 4.2)
    slope = float(np.polyfit(np.log(list(medians)), np.log(list(medians.values())), 1)[0])
    note = ", ".join(f"{d}: {t:,.0f} µs" for d, t in medians.items())
    return [
        step,
        Result(f"log-log slope, d = {sizes[0]} … {sizes[-1]}", "-", slope, slope, slope, 2.4, note),
    ]


def many_rows(quick: bool) -> list[Result]:
    """Flat in time and memory, and still the batch solution."""
    n, d = (100_000, 10) if quick else (1_000_000, 10)
    model = rn.NRRLSClassifier()
    names = [f"x{j}" for j in range(d)]
    rng = np.random.default_rng(0)
    moments = np.zeros((2, d + 1, d + 1))
    times, memory = [], []
    for _ in range(10):
        y = rng.random(n // 10) < 0.1
        X = rng.normal(size=(len(y), d))
        X[:, 0] += y
        Z = np.c_[np.ones(len(y)), X]
        for c in (0, 1):
            moments[c] += Z[y == c].T @ Z[y == c]
        rows = [
            (dict(zip(names, x, strict=True)), t)
            for x, t in zip(X.tolist(), y.tolist(), strict=True)
        ]
        start = time.process_time()
        learn(model, rows)
        times.append((time.process_time() - start) / len(rows) * 1e6)
        memory.append(float(model._raw_memory_usage))
    R = moments[0] / moments[0, 0, 0] + moments[1] / moments[1, 0, 0]
    z = moments[1, 0] / moments[1, 0, 0] - moments[0, 0] / moments[0, 0, 0]
    R[np.arange(1, d + 1), np.arange(1, d + 1)] += 1e-4
    w = np.linalg.solve(R, z)[1:]
    error = float(np.abs(np.array(list(model.weights.values())) / w - 1.0).max())
    flat = times[-1] / times[0]
    return [
        Result(f"{n:,} rows, last tenth of the time", "first tenth", flat, flat, flat, 1.2),
        Result(
            f"{n:,} rows, memory at the end",
            "after a tenth",
            memory[-1] / memory[0],
            memory[-1] / memory[0],
            memory[-1] / memory[0],
            1.01,
        ),
        Result(
            f"{n:,} rows, relative error of weights", "batch solution", error, error, error, 1e-9
        ),
    ]


def memory(quick: bool) -> list[Result]:
    """Matrices of 8 d^2 bytes: two of state and two of work, and one more in CG."""
    import tracemalloc

    results = []
    for d, target in ((60, 4.0), (500, 5.0)):
        rows = stream(d + 60, d, seed=3)
        tracemalloc.start()
        model = rn.NRRLSClassifier()
        learn(model, rows[:d])
        alternate(model, rows[d:])
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        matrices = size / (8 * (d + 1) ** 2)
        note = f"{size / 1e6:.2f} MB, with names and buffers"
        what = f"memory of a binary model, d = {d}"
        results.append(
            Result(what, "matrices of 8 d² bytes", matrices, matrices, matrices, target, note)
        )
    return results


QUESTIONS = (against_logistic, against_the_paper, against_cholesky, growth, many_rows, memory)
