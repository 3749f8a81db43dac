"""river's own checks, ImageSegments with its string labels included, and composition."""

from __future__ import annotations

import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest
from river import checks, datasets, ensemble, evaluate, metrics, preprocessing

from .learners import LEARNERS, build

# Each class, and what differs in the state.
CHECKED = ["M_PerceptronU", "M_PA", "M_OGD", "M_ROMMA", "M_AROW", "M_CW", "M_SCW1", "M_SCW2"]
MODELS = {name: build(name) for name in CHECKED}
MODELS["diagonal"] = build("M_AROW", covariance="diagonal")
MODELS["pipeline"] = preprocessing.StandardScaler() | build("M_PA")


def cases() -> list[Any]:
    return [
        pytest.param(model, check, id=f"{name}-{check.__name__}-{i}")
        for name, model in MODELS.items()
        for i, check in enumerate(checks.yield_checks(model))
        # The pipeline's scaler learns the whole batch before it transforms the first row.
        if not (name == "pipeline" and check.__name__ == "check_learn_many_matches_learn_one")
    ]


@pytest.mark.parametrize("model, check", cases())
def test_check(model: Any, check: Any) -> None:
    random.seed(0)
    check(model.clone())


def test_image_segments_is_among_the_streams() -> None:
    keywords = [getattr(check, "keywords", {}) for check in checks.yield_checks(MODELS["M_PA"])]
    streams = [given["dataset"] for given in keywords if "dataset" in given]
    assert {type(y) for stream in streams for _, y in stream} == {bool, np.bool_, str}


@pytest.mark.parametrize("name", LEARNERS)
def test_round_trips(name: str) -> None:
    """Clones, pickles and the rest of the stream: the same bytes as the unbroken run."""
    rows = list(itertools.islice(datasets.ImageSegments(), 200))
    model = preprocessing.StandardScaler() | build(name)
    for x, y in rows[:100]:
        model.learn_one(x, y)
    copies = [pickle.loads(pickle.dumps(model)), model.clone(include_attributes=True)]
    for x, y in rows[100:]:
        model.learn_one(x, y)
        for copy in copies:
            copy.learn_one(x, y)
    state = model[-1]._get_state()
    for copy in copies:
        other = copy[-1]._get_state()
        assert other.keys() == state.keys()
        for key, value in state.items():
            np.testing.assert_array_equal(other[key], value)


@pytest.mark.parametrize("name", ["M_PA", "M_OGD"])
def test_bagging(name: str) -> None:
    model = preprocessing.StandardScaler() | ensemble.BaggingClassifier(build(name), seed=1)
    rows = itertools.islice(datasets.ImageSegments(), 400)
    assert evaluate.progressive_val_score(rows, model, metrics.Accuracy()).get() > 0.7
