"""Every learner of the package under its options, and a stream with names of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np

import river_nrrls as rn
from river_nrrls.dense import DenseClassifier

NAMES = ("a", 2, None, False, 0.5, ("t", (1, None, True)), "é", "l2", "1", np.int64(7), "late")
LABELS = ("spam", 7, 0.5, ("t", (1, "x")), "no")

# What a learner's constructor may take beside its defaults.
OPTIONS: list[dict[str, Any]] = [
    {"learn_intercept": False},
    {"covariance": "diagonal"},
    {"forgetting": 0.99},
    {"forgetting": 0.99, "forgetting_clock": "class"},
    {"forgetting": "auto"},
    {"l2": "auto"},
    {"l2": np.float64(0.5)},
    {"scaling": "standard"},
    {"scaling": "minmax"},
    {"strategy": "shared"},
    {"calibration": "gaussian"},
    {"classes": (False, True)},
    {"classes": (False, True), "prior": {False: 0.25, True: 0.75}, "costs": {True: 3}},
    {"window_size": 20},
    {"allocation": "uniform"},
    {"l2": "auto", "forgetting": "auto"},
]


def learners() -> dict[str, type[Any]]:
    exported = {name: getattr(rn, name) for name in rn.__all__}
    return {
        name: cls
        for name, cls in exported.items()
        if isinstance(cls, type) and issubclass(cls, DenseClassifier)
    }


def models() -> dict[str, Any]:
    """An untrained model of each learner with each option that it takes."""
    made = {name: cls() for name, cls in learners().items()}
    for name, cls in learners().items():
        for options in OPTIONS:
            try:
                made[f"{name} {options}"] = cls(**options)
            except (TypeError, ValueError):
                continue
    made["MTWU of MTWU"] = rn.MTWUClassifier(rn.MTWUClassifier(rn.NRRLSClassifier()), m=3)
    for name, cls in learners().items():
        made[f"MTWU {name}"] = rn.MTWUClassifier(cls(), clock="update")
    return made


def stream(n: int, labels: tuple[Any, ...]) -> list[tuple[dict[Any, float], Any]]:
    """Rows of which some lack a feature; one feature comes late."""
    rng = np.random.default_rng(11)
    rows = []
    for i in range(n):
        values = rng.normal(size=len(NAMES)) * np.arange(1, len(NAMES) + 1) + 0.1
        here = [j for j in range(len(NAMES)) if (i + j) % 7 and (j < 10 or i > n / 4)]
        x = {NAMES[j]: float(values[j]) for j in here}
        score = values[0] + 0.2 * values[1] + 0.5 * rng.normal()
        y = labels[int(np.clip(np.floor(score + len(labels) / 2), 0, len(labels) - 1))]
        rows.append((x, y))
    return rows


BINARY = stream(200, (False, True))
MANY = stream(200, LABELS)


def streams(model: Any) -> list[list[tuple[dict[Any, float], Any]]]:
    """The streams that a model can learn."""
    fixed = getattr(model, "classes", None) is not None
    return [BINARY, MANY] if model._multiclass and not fixed else [BINARY]


def learn(model: Any, rows: list[tuple[dict[Any, float], Any]]) -> Any:
    for x, y in rows:
        model.learn_one(x, y)
    return model
