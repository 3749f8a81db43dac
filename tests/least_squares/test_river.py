"""Least squares inside river: its checks, pipelines, ensembles, clones."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import (
    checks,
    compat,
    datasets,
    ensemble,
    evaluate,
    imblearn,
    linear_model,
    metrics,
    multiclass,
    preprocessing,
)

import river_nrrls as rn

MODELS = [
    rn.NRRLSClassifier(),
    rn.NRRLSClassifier(strategy="shared", prior="natural"),
    rn.NRRLSClassifier(learn_intercept=False, tau=0.1),
    rn.NRRLSClassifier(l2=0.01, costs={True: 2.0}),
    rn.NRRLSClassifier(solver="cg"),
    rn.NRRLSClassifier(strategy="shared", solver="cg"),
    rn.RLSClassifier(),
    rn.RLSClassifier(forgetting=0.99),
]


def cases():
    for model in MODELS:
        for i, check in enumerate(checks.yield_checks(model)):
            if check.__name__ not in model._unit_test_skips():
                yield pytest.param(model, check, id=f"{model}-{check.__name__}-{i}")


@pytest.mark.parametrize("model, check", list(cases()))
def test_rivers_checks(model, check):
    random.seed(0)
    check(model.clone())


@pytest.mark.parametrize(
    "wrap",
    [
        lambda m: ensemble.BaggingClassifier(m, n_models=3, seed=1),
        lambda m: ensemble.ADWINBaggingClassifier(m, n_models=3, seed=1),
        lambda m: ensemble.LeveragingBaggingClassifier(m, n_models=3, seed=1),
        lambda m: multiclass.OneVsRestClassifier(m),
        lambda m: imblearn.RandomUnderSampler(m, desired_dist={False: 0.5, True: 0.5}, seed=1),
        lambda m: imblearn.RandomOverSampler(m, desired_dist={False: 0.5, True: 0.5}, seed=1),
        lambda m: imblearn.HardSamplingClassifier(m, size=10, p=0.2, seed=1),
        lambda m: (preprocessing.StandardScaler() + preprocessing.MinMaxScaler()) | m,
        lambda m: ensemble.StackingClassifier([m, linear_model.LogisticRegression()], m.clone()),
        lambda m: ensemble.VotingClassifier([m, linear_model.LogisticRegression()]),
    ],
)
def test_composition(wrap):
    model = wrap(rn.NRRLSClassifier(l2=0.01))
    dataset = datasets.Phishing().take(300)
    score = evaluate.progressive_val_score(dataset, model, metrics.Accuracy())
    assert score.get() > 0.75
    pickle.loads(pickle.dumps(model)).predict_one({"age_of_domain": 1})
    model.clone().learn_one({"age_of_domain": 1}, True)


def test_through_scikit_learn():
    model = compat.convert_river_to_sklearn(rn.NRRLSClassifier(l2=0.01))
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4 == 0
    X = rng.normal(size=(200, 3)) + y[:, None]
    assert model.fit(X, y).score(X, y) > 0.7


def test_keywords_of_a_stream_pass_through():
    data = [(x, y, {"t": 3, "w": 2.0}) for x, y in datasets.Phishing().take(50)]
    model = preprocessing.StandardScaler() | rn.NRRLSClassifier()
    evaluate.progressive_val_score(data, model, metrics.Accuracy())
    assert sum(model["NRRLSClassifier"].class_counts.values()) == 100.0


def test_debug_one_in_a_pipeline():
    model = preprocessing.StandardScaler() | rn.NRRLSClassifier()
    for x, y in datasets.Phishing().take(50):
        model.learn_one(x, y)
    text = model.debug_one(x)
    assert "Contribution" in text and "age_of_domain" in text


@pytest.mark.parametrize(
    "change",
    [
        {"l2": 1.0},
        {"learn_intercept": False},
        {"costs": {True: 5.0}},
        {"prior": "natural"},
        {"tau": 0.2, "learn_intercept": False},
        {"eta": 2.0},
        {"strategy": "shared"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "data", [datasets.Phishing(), datasets.ImageSegments()], ids=lambda d: type(d).__name__
)
def test_a_trained_clone_is_solved_anew(change, data):
    scaled = preprocessing.MinMaxScaler()
    stream = []
    for x, y in data.take(300):
        scaled.learn_one(x)
        stream.append((scaled.transform_one(x), y))
    model = rn.NRRLSClassifier(l2=0.01)
    fresh = rn.NRRLSClassifier(**{"l2": 0.01, **change})
    for x, y in stream:
        model.learn_one(x, y)
        fresh.learn_one(x, y)
    model.predict_proba_one(x)
    clone = model.clone(change, include_attributes=True)
    before = pickle.dumps(model)
    model_copy = pickle.loads(before)
    model_copy.mutate(change)
    for x, _ in stream[::10]:
        for twin in (clone, model_copy):
            wanted = fresh.predict_proba_one(x)
            got = twin.predict_proba_one(x)
            assert got.keys() == wanted.keys()
            for label, p in wanted.items():
                assert got[label] == pytest.approx(p, rel=1e-6, abs=1e-9)
    clone.learn_one(x, stream[-1][1])
    assert pickle.dumps(model) == before


def test_bad_parameters():
    for bad in (
        {"l2": -1.0},
        {"l2": float("nan")},
        {"l2": True},
        {"eta": 0.0},
        {"tau": None},
        {"costs": {}},
        {"costs": {True: -1.0}},
        {"costs": {True: 5e-324}},
        {"prior": {True: 1e308, False: 1e308}},
        {"prior": "other"},
        {"prior": {True: 0.0}},
        {"strategy": "ovo"},
        {"classes": ()},
        {"classes": [True]},
        {"classes": (None,)},
        {"max_state_bytes": 0},
        {"learn_intercept": 1},
    ):
        (name,) = bad
        with pytest.raises(ValueError, match=name):
            rn.NRRLSClassifier(**bad)
    for forgetting in (0.0, 1.5):
        with pytest.raises(ValueError, match="forgetting"):
            rn.RLSClassifier(forgetting=forgetting)


BAD = [
    ({"a": None}, True, 1.0),
    ({"a": "1.5"}, True, 1.0),
    ({"a": float("nan")}, True, 1.0),
    ({"a": float("-inf")}, True, 1.0),
    ({"a": 1e151}, True, 1.0),
    ({"a": 10**400}, True, 1.0),
    ({"a": 1.0, "new": None}, True, 1.0),
    ({"a": 1.0, "new": 2.0}, None, 1.0),
    ({"a": 1.0}, float("nan"), 1.0),
    ({"a": 1.0}, [1], 1.0),
    ({"a": 1.0, "new": 1.0}, True, -1.0),
    ({"a": 1.0}, True, float("nan")),
    ({"a": 1.0}, True, None),
    ({"a": 1.0}, True, float("inf")),
    ("text", True, 1.0),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("x, y, w", BAD)
def test_bad_input_changes_nothing(model, x, y, w):
    model = model.clone()
    for i in range(10):
        model.learn_one({"a": float(i), "b": float(i % 3)}, i % 2 == 0)
    before = pickle.dumps(model)
    with pytest.raises(
        (TypeError, ValueError), match="feature 'a'|feature 'new'|y must|w must|x must"
    ):
        model.learn_one(x, y, w)
    assert pickle.dumps(model) == before
    model.predict_one({"a": 1.0})
    model.predict_proba_one({"other": 1.0})
    model.learn_one({"a": 1.0, "other": 2.0}, False, w=0)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_what_would_overflow_the_moments_is_refused(model):
    model = model.clone()
    for i in range(10):
        model.learn_one({"a": float(i), "b": float(i % 3)}, i % 2 == 0)
    before = pickle.dumps(model)
    for x in ({"a": 1e149, "b": 0.0}, {"a": 1e149}, {"a": 1.0, "new": 1e149}):
        with pytest.raises(ValueError, match="w=1e\\+15 is too heavy"):
            model.learn_one(x, True, w=1e15)
        with pytest.raises(ValueError, match="w=1e\\+15 is too heavy"):
            model.learn_many(pd.DataFrame([x]), pd.Series([True]), w=1e15)
        assert pickle.dumps(model) == before
    model.learn_one({"a": 1e150, "b": 1e150}, True)
    model.learn_one({"a": 1.0, "b": 1.0}, True, w=1e15)
    assert all(np.isfinite(A).all() for A in model._A)


@pytest.mark.parametrize("first", [1e150, 1e80])
@pytest.mark.parametrize("w", [1e-300, 1e150])
@pytest.mark.parametrize("labels", ["ab", "abc"])
def test_the_extremes_of_values_and_weights_stay_finite(first, w, labels):
    for calibration in ("lda", "gaussian", "clip"):
        model = rn.NRRLSClassifier(calibration=calibration, prior="natural")
        model.learn_one({"a": first}, "a")
        for i, label in enumerate(labels * 5):
            model.learn_one({"a": float(i % 4)}, label, w if label == "b" else 1.0)
            p = model.predict_proba_one({"a": 0.5})
            assert sum(p.values()) == pytest.approx(1.0)
            assert np.isfinite(list(model.decision_function_one({"a": 0.5}).values())).all()


def test_labels_of_all_kinds():
    for labels in (
        (True, False),
        (1, 0),
        ("a", "b", "c"),
        (3, "x", False),
        (np.str_("u"), np.int64(7)),
    ):
        model = rn.NRRLSClassifier()
        assert model.predict_one({"a": 1.0}) is None and model.predict_proba_one({"a": 1.0}) == {}
        rng = random.Random(1)
        for i in range(60):
            model.learn_one({"a": rng.gauss(i % len(labels), 1)}, labels[i % len(labels)])
            p = model.predict_proba_one({"a": 0.3})
            assert sum(p.values()) == pytest.approx(1.0)
            assert max(p, key=p.get) == model.predict_one({"a": 0.3})
        assert set(p) == set(labels)
        assert all(type(q) is float for q in p.values())
    uniform = rn.NRRLSClassifier(classes=(False, True))
    assert uniform.predict_proba_one({"a": 1.0}) == {True: 0.5, False: 0.5}
    assert uniform.predict_one({"a": 1.0}) is True
    assert rn.NRRLSClassifier(classes=("b", "a")).predict_proba_one({}) == {"b": 0.5, "a": 0.5}


def test_only_moments_are_pickled():
    model = rn.NRRLSClassifier()
    for x, y in datasets.Phishing().take(100):
        model.learn_one(x, y)
    before = pickle.dumps(model)
    for x, _ in datasets.Phishing().take(100):
        model.predict_one(x)
        model.predict_proba_one(x)
        model.debug_one(x)
    assert model.weights and model.class_counts
    assert pickle.dumps(model) == before
    assert len(before) < 2 * 10 * 10 * 8 + 1500
