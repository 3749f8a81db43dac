"""What every benchmark shares: streams, interleaved rounds, ratios, and the paper's rivals."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Row = tuple[dict[str, float], bool]


@dataclass
class Result:
    """One line of the table: a ratio (median, least and greatest of the rounds) and its target.

    A target of NaN is none: the line is there to be known.
    """

    what: str
    against: str
    ratio: float
    low: float
    high: float
    target: float
    note: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        if math.isnan(self.target):
            return True
        return self.ratio >= self.target if self.at_least else self.ratio <= self.target


def stream(n: int, d: int, positive: float = 0.1, seed: int = 0, kind: str = "random") -> list[Row]:
    """Gaussian rows as dicts of Python floats; "correlated" ones share a few factors,
    "polynomial" ones are all products of two of a few features."""
    X, y = arrays(n, d, positive, seed, kind)
    names = [f"x{j}" for j in range(d)]
    return [
        (dict(zip(names, x, strict=True)), label)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]


def arrays(
    n: int, d: int, positive: float = 0.1, seed: int = 0, kind: str = "random"
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < positive
    X = rng.normal(size=(n, d))
    if kind == "correlated":
        factors = np.random.default_rng(1).normal(size=(8, d))
        X = rng.normal(size=(n, 8)) @ factors + 0.1 * X
    elif kind == "polynomial":
        m = math.ceil(math.sqrt(2.0 * d))
        first, second = np.triu_indices(m)
        X[:, m:] = (X[:, first] * X[:, second])[:, : d - m]
    X[:, 0] += y
    return X, y


def learn(model: Any, rows: Iterable[Row]) -> None:
    for x, y in rows:
        model.learn_one(x, y)


def alternate(model: Any, rows: Iterable[Row]) -> None:
    for x, y in rows:
        model.predict_one(x)
        model.learn_one(x, y)


def alternate_proba(model: Any, rows: Iterable[Row]) -> None:
    for x, y in rows:
        model.predict_proba_one(x)
        model.learn_one(x, y)


def microseconds(do: Callable[..., None], model: Any, rows: Sequence[Any]) -> float:
    """Process time a row."""
    start = time.process_time()
    do(model, rows)
    return (time.process_time() - start) / len(rows) * 1e6


def rounds(jobs: dict[str, Callable[[], float]], n: int) -> dict[str, list[float]]:
    """Each job n times, in turn, so that all of them meet the machine in the same mood."""
    found: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(n):
        for name, job in jobs.items():
            found[name].append(job())
    return found


def compare(
    what: str,
    against: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    target: float,
    at_least: bool = False,
) -> Result:
    """The ratio of ours to theirs; with `at_least` of theirs to ours, how much faster we are."""
    pairs = zip(ours, theirs, strict=True)
    ratios = [b / a if at_least else a / b for a, b in pairs]
    a, b = statistics.median(ours), statistics.median(theirs)
    note = f"{a:,.4g} / {b:,.4g} µs"
    median = statistics.median(ratios)
    return Result(what, against, median, min(ratios), max(ratios), target, note, at_least)


class PlainRLS:
    """Recursive least squares as in the textbooks, in numpy; rows are arrays."""

    def __init__(self, d: int, b: float = 1e-4) -> None:
        self.P = np.eye(d) / b
        self.w = np.zeros(d)

    def predict_one(self, x: np.ndarray) -> bool:
        return bool(x @ self.w >= 0)

    def learn_one(self, x: np.ndarray, y: bool) -> None:
        v = self.P @ x
        g = v / (1.0 + x @ v)
        self.w += g * ((1.0 if y else -1.0) - x @ self.w)
        self.P -= np.outer(g, v)


class AlgorithmOne:
    """Algorithm 1 of the NR-RLS paper, line by line in numpy; rows are arrays.

    Two inversions and the products around them: O(d^3) a row. The paper's 0/0 before both classes
    are seen is guarded.
    """

    def __init__(self, d: int, b: float = 1e-4) -> None:
        self.R_inv = np.eye(d) / b
        self.S = [np.zeros((d, d)), np.zeros((d, d))]
        self.z = [np.zeros(d), np.zeros(d)]
        self.n = [0, 0]
        self.w = np.zeros(d)
        self.eye = np.eye(d)

    def predict_one(self, x: np.ndarray) -> bool:
        return bool(x @ self.w >= 0)

    def learn_one(self, x: np.ndarray, y: bool) -> None:
        c = int(y)
        self.n[c] += 1
        beta = 1.0 / self.n[c]
        G_inv = self.R_inv @ np.linalg.inv(self.eye - beta * self.S[c] @ self.R_inv)
        u = np.outer(x, x)
        self.R_inv = G_inv @ np.linalg.inv(self.eye + beta * u @ G_inv)
        self.S[c] = (1.0 - beta) * self.S[c] + beta * u
        self.z[c] = (1.0 - beta) * self.z[c] + beta * (1.0 if y else -1.0) * x
        self.w = self.R_inv @ (self.z[0] + self.z[1])
