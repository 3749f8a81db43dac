"""One table of results: progressive accuracy, to be looked at whenever a number changes.

`segment` and `glass` (shuffled, seed 1) go through a StandardScaler; mnist-10k is the first 10,000
rows of mnist with pixels / 255. `examples/multiclass.py --data DIR` prints the same.
"""

from __future__ import annotations

import itertools
import os
from typing import Any

import pytest
from river import evaluate, metrics, preprocessing

import river_nrrls as rn
from river_nrrls import datasets

DIAGONAL = {"covariance": "diagonal"}

# Learner, parameters, accuracy on segment, glass, mnist-10k.
TABLE: list[tuple[type[Any], dict[str, Any], float, float, float]] = [
    (rn.MulticlassPerceptronClassifier, {"allocation": "max"}, 0.8337, 0.4648, 0.8140),
    (rn.MulticlassPerceptronClassifier, {"allocation": "uniform"}, 0.8389, 0.4742, 0.8237),
    (rn.MulticlassPerceptronClassifier, {"allocation": "proportional"}, 0.8458, 0.4554, 0.8212),
    (rn.MulticlassPAClassifier, {"variant": "PA"}, 0.8510, 0.4789, 0.8495),
    (rn.MulticlassPAClassifier, {"variant": "PA-I", "C": 0.01}, 0.8601, 0.4977, 0.8609),
    (rn.MulticlassPAClassifier, {"variant": "PA-II", "C": 0.01}, 0.8696, 0.5211, 0.8598),
    (rn.MulticlassOGDClassifier, {}, 0.8926, 0.4977, 0.8553),
    (rn.MulticlassROMMAClassifier, {}, 0.8588, 0.4742, 0.8256),
    (rn.MulticlassROMMAClassifier, {"aggressive": True}, 0.8705, 0.4930, 0.8517),
    (rn.MulticlassAROWClassifier, {}, 0.8761, 0.5164, 0.8135),
    (rn.MulticlassAROWClassifier, DIAGONAL, 0.8740, 0.5587, 0.8449),
    (rn.MulticlassCWClassifier, {"eta": 0.65}, 0.8818, 0.5258, 0.8671),
    (rn.MulticlassCWClassifier, {"eta": 0.65, **DIAGONAL}, 0.8731, 0.5164, 0.8505),
    (rn.MulticlassSCWClassifier, {"variant": "I"}, 0.9047, 0.5681, 0.8650),
    (rn.MulticlassSCWClassifier, {"variant": "I", **DIAGONAL}, 0.8930, 0.5399, 0.8521),
    (rn.MulticlassSCWClassifier, {"variant": "II"}, 0.9039, 0.5117, 0.8716),
    (rn.MulticlassSCWClassifier, {"variant": "II", **DIAGONAL}, 0.8870, 0.5352, 0.8564),
]

DATA = os.environ.get("RIVER_NRRLS_DATA")


def name(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else str(value)


def accuracy(model: Any, stream: Any) -> float:
    return round(float(evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get()), 4)


@pytest.mark.parametrize("learner, kwargs, segment, glass, _", TABLE, ids=name)
def test_bundled(
    learner: type[Any], kwargs: dict[str, Any], segment: float, glass: float, _: float
) -> None:
    model = preprocessing.StandardScaler() | learner(**kwargs)
    assert accuracy(model.clone(), datasets.load("segment")) == segment
    assert accuracy(model.clone(), datasets.load("glass").shuffled(seed=1)) == glass


@pytest.fixture(scope="module")
def mnist() -> Any:
    return datasets.load("mnist", DATA)


@pytest.mark.skipif(
    DATA is None, reason="mnist is too large to bundle: set RIVER_NRRLS_DATA to its folder"
)
@pytest.mark.parametrize("learner, kwargs, _, __, digits", TABLE, ids=name)
def test_mnist_10k(
    mnist: Any, learner: type[Any], kwargs: dict[str, Any], _: float, __: float, digits: float
) -> None:
    rows = (
        ({pixel: value / 255.0 for pixel, value in x.items()}, y)
        for x, y in itertools.islice(mnist, 10_000)
    )
    assert accuracy(learner(**kwargs), rows) == digits
