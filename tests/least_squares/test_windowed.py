"""Windows: equal to a fresh model on the rows that they keep."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import checks
from river.datasets import synth

import river_nrrls as rn

from .test_exact import rows, sample
from .test_state import streams

OPTIONS = [
    {},
    {"scaling": "standard", "l2": 0.1},
    {"strategy": "shared", "costs": {"a": 2.0, True: 3.0}},
    {"learn_intercept": False},
    {"calibration": "gaussian", "prior": "natural"},
]


def assert_fresh(model, data, options):
    fresh = rn.NRRLSClassifier(classes=tuple(model._labels), **options)
    for x, y, w in data[len(data) - model.width :]:
        fresh.learn_one(x, y, w)
    for x, _, _ in data[-20:]:
        a, b = model.predict_proba_one(x), fresh.predict_proba_one(x)
        assert a == pytest.approx(b, rel=1e-6, abs=1e-9)
        a, b = model.decision_function_one(x), fresh.decision_function_one(x)
        assert a == pytest.approx(b, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("size, n_buckets", [(60, 6), (50, 7), (20, 20), (30, 1)])
def test_a_window_is_a_fresh_model_on_its_rows(kind, options, size, n_buckets):
    data = list(streams(kind))
    model = rn.WindowedNRRLSClassifier(size, n_buckets, **options)
    for i, (x, y, w) in enumerate(data):
        model.learn_one(x, y, w)
        assert model.width == i + 1 if i < size else size <= model.width < size + size / n_buckets
        if i > 20 and i % 43 == 0:
            assert_fresh(model, data[: i + 1], options)
    assert sum(model.class_counts.values()) == sum(w for _, _, w in data[-model.width :])


def test_an_outlier_that_has_left_leaves_nothing():
    X, y = sample(300, 4)
    plain = rn.WindowedNRRLSClassifier(100, 10)
    struck = rn.WindowedNRRLSClassifier(100, 10)
    for i, (x, label) in enumerate(zip(rows(X), y.tolist(), strict=True)):
        plain.learn_one(x, label)
        struck.learn_one({name: 1e9 for name in x} if i == 50 else x, label)
    assert struck.weights == plain.weights


@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_an_adaptive_window_is_a_fresh_model_on_its_rows(options):
    rng = np.random.default_rng(0)
    y = rng.random(3000) < 0.3
    X = rng.normal(size=(3000, 3))
    sign = np.where(np.arange(3000) < 1500, 1.0, -1.0)
    X[:, 0] += 2.0 * sign * y
    model = rn.AdaptiveNRRLSClassifier(classes=(False, True), **options)
    data, found = [], []
    for i, (x, label) in enumerate(zip(rows(X), y.tolist(), strict=True)):
        data.append((x, label, 1.0))
        model.learn_one(x, label)
        if model.drift_detected:
            found.append(i)
            assert_fresh(model, data, options)
    assert 1500 < found[0] < 1700
    assert model.n_detections == len(found)
    assert model.width < 1800
    assert_fresh(model, data, options)
    assert len(model._buckets) < 40


def test_learning_better_is_no_drift():
    model = rn.AdaptiveNRRLSClassifier(l2=0.1, scaling="standard")
    for x, y in synth.SEA(seed=1).take(4000):
        model.learn_one({str(k): v for k, v in x.items()}, bool(y))
    assert model.n_detections == 0 and model.width == 4000


MODELS = [
    rn.WindowedNRRLSClassifier(),
    rn.WindowedNRRLSClassifier(50, 5, l2="auto", scaling="standard"),
    rn.AdaptiveNRRLSClassifier(),
    rn.AdaptiveNRRLSClassifier(0.01, l2="auto", strategy="shared"),
]
IDS = ["window", "small", "adaptive", "auto"]


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_rivers_checks(model):
    for check in checks.yield_checks(model):
        if check.__name__ not in model._unit_test_skips():
            random.seed(0)
            check(model.clone())


@pytest.mark.parametrize("model", MODELS, ids=IDS)
@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_saved_in_the_middle_it_goes_on_as_if_nothing_had_been(model, kind, tmp_path):
    data = list(streams(kind))
    whole, parts = model.clone(), model.clone()
    for i, (x, y, w) in enumerate(data):
        if i % 50 == 37:
            rn.save(parts, tmp_path / "model")
            parts = rn.load(tmp_path / "model")
        if i % 50 == 11:
            parts = pickle.loads(pickle.dumps(parts))
        whole.learn_one(x, y, w)
        parts.learn_one(x, y, w)
    assert pickle.dumps(parts) == pickle.dumps(whole)


@pytest.mark.parametrize("model", MODELS, ids=IDS)
def test_batches_equal_the_loop(model):
    X, y = sample(300)
    one, many = model.clone(), model.clone()
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(6)])
    for x, label in zip(rows(X), y.tolist(), strict=True):
        one.learn_one(x, label)
    for i in range(0, len(X), 70):
        many.learn_many(frame[i : i + 70], pd.Series(y[i : i + 70]))
    assert many.width == one.width and many.weights == pytest.approx(one.weights, rel=1e-9)


def test_what_a_window_cannot_do():
    model = rn.WindowedNRRLSClassifier()
    for call in (lambda: model.unlearn_one({}, True), lambda: model.merge(model.clone())):
        with pytest.raises(ValueError, match="is not possible with a window"):
            call()
    with pytest.raises(ValueError, match="n_buckets must be at most window_size=5"):
        rn.WindowedNRRLSClassifier(5, 6)
    with pytest.raises(ValueError, match="scaling must be one of None, 'standard'"):
        rn.AdaptiveNRRLSClassifier(scaling="minmax")
