"""What the state makes exact: unlearning, merging, forgetting, scaling."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import datasets, preprocessing
from sklearn.linear_model import Ridge

import river_nrrls as rn

from .test_exact import decisions, rows, sample, trained


def forms(model):
    """Coefficients by label and feature, whatever the order in which they were met."""
    weights = model.weights
    if set(model.class_counts) == {False, True}:
        weights = {True: weights}
    constant = model.intercept if isinstance(model.intercept, dict) else {True: model.intercept}
    return {
        (label, name): value
        for label, form in weights.items()
        for name, value in {**form, "": constant[label]}.items()
    }


def assert_same(a, b, tolerance=1e-9):
    a, b = forms(a), forms(b)
    scale = max(map(abs, b.values()))
    # A feature that only one of them knows has no weight.
    for key in a.keys() | b.keys():
        assert a.get(key, 0.0) == pytest.approx(b.get(key, 0.0), rel=0, abs=tolerance * scale), key


def streams(kind):
    X, y = sample(240)
    labels = y.tolist() if kind == "binary" else ["abc"[i % 3] for i in range(len(X))]
    X[:, 2] += 1e3
    for i, x in enumerate(rows(X)):
        if i >= 100:
            x["late"] = float(i % 5)
        if i % 2:
            del x["x4"]
        yield x, labels[i], float(1 + i % 3)


OPTIONS = [
    {},
    {"strategy": "shared"},
    {"scaling": "standard"},
    {"learn_intercept": False},
    {"costs": {"a": 2.0, True: 3.0}},
]


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_unlearning_gives_the_model_that_never_saw_it(kind, options):
    data = list(streams(kind))
    model, never = rn.NRRLSClassifier(**options), rn.NRRLSClassifier(**options)
    for x, y, w in data:
        model.learn_one(x, y, w)
    for i in (5, 17, 150, 200, 239):
        model.unlearn_one(*data[i])
    for i, (x, y, w) in enumerate(data):
        if i not in (5, 17, 150, 200, 239):
            never.learn_one(x, y, w)
    assert_same(model, never)
    assert model.n_updates == never.n_updates


def test_unlearning_a_batch_and_everything():
    X, y = sample(100)
    frame, labels = pd.DataFrame(X, columns=[f"x{j}" for j in range(6)]), pd.Series(y)
    model = rn.NRRLSClassifier()
    model.learn_many(frame, labels)
    model.unlearn_many(frame[50:], labels[50:])
    assert_same(model, trained(rn.NRRLSClassifier(), X[:50], y[:50]))
    model.unlearn_many(frame[:50], labels[:50])
    assert model.predict_proba_one({"x0": 1.0}) == {}
    assert model.n_updates == 0 and model.class_counts == {}
    model.learn_many(frame, labels)
    assert_same(model, trained(rn.NRRLSClassifier(), X, y))


def test_what_was_not_learnt_cannot_be_unlearnt():
    model = rn.NRRLSClassifier()
    model.learn_one({"a": 1.0}, True)
    before = pickle.dumps(model)
    for x, y, w, text in [
        ({"b": 1.0}, True, 1.0, "feature 'b' was never learnt"),
        ({"a": 1.0}, False, 1.0, "label False was learnt with a weight of 0"),
        ({"a": 1.0}, True, 2.0, "label True was learnt with a weight of 1"),
    ]:
        with pytest.raises(ValueError, match=text):
            model.unlearn_one(x, y, w)
        assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match="unlearn_one is not possible with forgetting < 1.*age"):
        rn.NRRLSClassifier(forgetting=0.9).unlearn_one({}, True)
    with pytest.raises(ValueError, match="unlearn_many is not possible with scaling='minmax'"):
        rn.NRRLSClassifier(scaling="minmax").unlearn_many(pd.DataFrame(), pd.Series())


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
@pytest.mark.parametrize("options", [*OPTIONS, {"scaling": "minmax"}], ids=str)
def test_parts_merge_to_the_whole_in_any_order(kind, options):
    data = list(streams(kind))
    whole = rn.NRRLSClassifier(**options)
    parts = [rn.NRRLSClassifier(**options) for _ in range(3)]
    for i, (x, y, w) in enumerate(data):
        whole.learn_one(x, y, w)
        parts[(i > 60) + (i > 130)].learn_one(x, y, w)
    parts.append(rn.NRRLSClassifier(**options))
    for order in itertools.permutations(range(4)):
        first, *others = [copy.deepcopy(parts[i]) for i in order]
        for other in others:
            before = pickle.dumps(other)
            first.merge(other)
            assert pickle.dumps(other) == before
        assert_same(first, whole, 1e-8)
        assert first.n_updates == whole.n_updates
    first.learn_one({"another": 1.0}, data[0][1])


def test_part_of_a_weight_may_be_unlearnt():
    frame, labels = pd.DataFrame({"a": [2.0, 3.0, 5.0]}), pd.Series([False, True, False])
    part, other, fresh = rn.NRRLSClassifier(), rn.NRRLSClassifier(), rn.NRRLSClassifier()
    part.learn_one({"a": 1e3}, True, w=2.0)
    part.unlearn_one({"a": 1e3}, True)
    fresh.learn_one({"a": 1e3}, True)
    assert_same(part, fresh)
    other.learn_many(frame, labels)
    merged = copy.deepcopy(part)
    merged.merge(other)
    for model in (part, fresh):
        model.learn_many(frame, labels)
    assert_same(part, fresh)
    assert_same(merged, fresh)


def test_a_heavy_row_of_one_label_leaves_the_others():
    model, never = rn.NRRLSClassifier(), rn.NRRLSClassifier()
    for i in range(20):
        for each in (model, never):
            each.learn_one({"a": float(i % 7)}, i % 3 == 0)
    model.learn_one({"a": 2.0}, True, w=1e11)
    frame = pd.DataFrame({"a": [2.0, 1.0]})
    model.unlearn_many(frame, pd.Series([True, False]), [1e11, 1.0])
    never.unlearn_one({"a": 1.0}, False)
    # What stood beside 1e11 has its rounding, 1e-5; the other label has lost nothing.
    assert model.class_counts[False] == never.class_counts[False] == 12.0
    assert_same(model, never, 1e-4)


def test_merging_unlike_models_is_refused():
    model = rn.NRRLSClassifier()
    with pytest.raises(TypeError, match="NRRLSClassifier merges with another one, got RLS"):
        model.merge(rn.RLSClassifier())
    with pytest.raises(ValueError, match="merge is not possible with forgetting"):
        model.merge(rn.NRRLSClassifier(forgetting=0.99))
    with pytest.raises(ValueError, match="scaling"):
        model.merge(rn.NRRLSClassifier(scaling="minmax"))
    other = rn.NRRLSClassifier()
    other.learn_one({"a": 1.0}, "c")
    with pytest.raises(ValueError, match="classes="):
        rn.NRRLSClassifier(classes=("a", "b")).merge(other)


def test_rls_merges_and_unlearns():
    X, y = sample(100)
    whole = trained(rn.RLSClassifier(), X, y)
    a, b = trained(rn.RLSClassifier(), X[:40], y[:40]), trained(rn.RLSClassifier(), X[40:], y[40:])
    a.merge(b)
    assert_same(a, whole)
    for x, label in zip(rows(X[:40]), y[:40].tolist(), strict=True):
        a.unlearn_one(x, label)
    assert_same(a, b)


def weighted(X, y, w, l2=0.01):
    w = np.where(y, w / w[y].sum(), w / w[~y].sum())
    return Ridge(alpha=l2, solver="cholesky").fit(X, np.where(y, 1.0, -1.0), sample_weight=w)


@pytest.mark.parametrize("forgetting", [0.9, 0.99])
def test_forgetting_by_the_global_and_the_class_clock(forgetting):
    X, y = sample(300, positive=0.1)
    n = len(X)
    ages = np.arange(n)[::-1]
    own = np.array([(y[i + 1 :] == y[i]).sum() for i in range(n)])
    for clock, age in (("global", ages), ("class", own)):
        model = rn.NRRLSClassifier(l2=0.01, forgetting=forgetting, forgetting_clock=clock)
        trained(model, X, y)
        oracle = weighted(X, y, forgetting**age)
        np.testing.assert_allclose(decisions(model, X), oracle.predict(X), rtol=0, atol=1e-9)
        counts = [(forgetting**age)[y == label].sum() for label in (False, True)]
        assert list(model.class_counts.values()) == pytest.approx(counts, rel=1e-9)


def test_a_million_idle_rows_neither_underflow_nor_wind_up():
    X, y = sample(200, 2)
    model = trained(rn.NRRLSClassifier(l2=0.01, forgetting=0.9, prior="natural"), X, y)
    high = X[y]
    for _ in range(20_000):
        model.learn_one({"x0": 0.5, "x1": -0.5}, False)
    # The clock may as well have run for a million rows.
    model.n_updates += 1_000_000
    model.learn_one({"x0": 0.5, "x1": -0.5}, False)
    age = 0.9 ** np.flatnonzero(y)[::-1]
    first = len(X) - 1 - np.flatnonzero(y)
    weight = 0.9**first
    mean = (weight[:, None] * high).sum(axis=0) / weight.sum()
    got = model._A[1][1:, 0] / model._A[1][0, 0] + model._shift[1:]
    np.testing.assert_allclose(got, mean, rtol=1e-9)
    p = model.predict_proba_one({"x0": 5.0, "x1": 5.0})
    assert np.isfinite([*p.values(), *model.weights.values()]).all()
    assert age.size and max(map(abs, model.weights.values())) < 100
    model.learn_one({"x0": 1.0, "x1": 2.0}, True)
    np.testing.assert_allclose(
        model._A[1][1:, 0] / model._A[1][0, 0] + model._shift[1:], [1.0, 2.0], rtol=1e-12
    )


@pytest.mark.parametrize("idle", [100, 250, 20_000])
@pytest.mark.parametrize("solver", ["cholesky", "cg"])
def test_one_vs_rest_keeps_labels_that_are_long_absent(idle, solver):
    rng = np.random.default_rng(4)
    y = np.array(list("abc"))[rng.integers(0, 3, 300)]
    y = np.concatenate([y, np.repeat("a", idle)])
    X = rng.normal(size=(len(y), 3)) + 2.0 * (y[:, None] == np.array(list("abc")))
    model = rn.NRRLSClassifier(l2=0.01, forgetting=0.9, solver=solver)
    for t, (x, label) in enumerate(zip(rows(X), y.tolist(), strict=True)):
        model.learn_one(x, label)
        if t % 1000 == 0:
            model.predict_one(x)
    # The rest of a is b and c, however little they weigh by now: only their shares count.
    own = y == "a"
    age = np.where(own, len(y), 300) - np.arange(len(y))
    oracle = weighted(X, own, 0.9**age)
    got = [model.decision_function_one(x)["a"] for x in rows(X[:300])]
    np.testing.assert_allclose(got, oracle.predict(X[:300]), rtol=0, atol=1e-8)
    for calibration in ("lda", "gaussian", "clip"):
        other = model.clone({"calibration": calibration}, include_attributes=True)
        for x in rows(X[:300:20]):
            p = other.predict_proba_one(x)
            assert sum(p.values()) == pytest.approx(1.0) and max(p, key=p.get) == (
                other.predict_one(x)
            )


@pytest.mark.parametrize("learner", [rn.NRRLSClassifier, rn.RLSClassifier])
@pytest.mark.parametrize("kind", ["binary", "multiclass"])
@pytest.mark.parametrize("batch", [False, True])
def test_learning_goes_on_without_the_intercept(learner, kind, batch):
    stream = list(streams(kind))
    fresh = learner(l2=0.1, learn_intercept=False)
    model = learner(l2=0.1)
    for x, y, w in stream:
        fresh.learn_one(x, y, w)
    for x, y, w in stream[:120]:
        model.learn_one(x, y, w)
    model.mutate({"learn_intercept": False})
    if batch:
        X, y, w = zip(*stream[120:], strict=True)
        model.learn_many(pd.DataFrame(X).fillna(0.0), pd.Series(y), w)
    else:
        for x, y, w in stream[120:]:
            model.learn_one(x, y, w)
    # Features near 1000 without an intercept: the sums about the origin have fewer digits.
    assert_same(model, fresh, 1e-6)


@pytest.mark.parametrize("learner", [rn.NRRLSClassifier, rn.RLSClassifier])
def test_a_fixed_label_without_a_row_is_not_predicted(learner):
    X, y = sample(40)
    model = learner(learn_intercept=False, classes=("no row", "a", "b"))
    for x, label in zip(rows(X), y.tolist(), strict=True):
        model.learn_one(x, "ab"[label])
        for other in rows(-X):
            p = model.predict_proba_one(other)
            assert p["no row"] == 0.0 and model.predict_one(other) == max(p, key=p.get)
    assert "no row" not in set(model.predict_many(pd.DataFrame(rows(-X))))


@pytest.mark.parametrize("scaling", ["standard", "minmax"])
@pytest.mark.parametrize("learn_intercept", [True, False])
def test_scaling_is_that_of_all_rows_so_far(scaling, learn_intercept):
    X, y = sample(150)
    X = X * 10.0 ** np.arange(-3, 3) + 5.0
    model = rn.NRRLSClassifier(l2=0.1, scaling=scaling, learn_intercept=learn_intercept)
    trained(model, X, y)
    if scaling == "standard":
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
    else:
        Z = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    w = np.where(y, 1.0 / y.sum(), 1.0 / (~y).sum())
    oracle = Ridge(alpha=0.1, solver="cholesky", fit_intercept=learn_intercept)
    oracle.fit(Z, np.where(y, 1.0, -1.0), sample_weight=w)
    np.testing.assert_allclose(decisions(model, X), oracle.predict(Z), rtol=1e-8, atol=1e-9)
    plain = rn.NRRLSClassifier(l2=0.1)
    plain = trained(plain, X, y)
    if scaling == "standard":
        again = plain.clone(
            {"scaling": scaling, "learn_intercept": learn_intercept}, include_attributes=True
        )
        np.testing.assert_allclose(decisions(again, X), oracle.predict(Z), rtol=1e-8, atol=1e-9)
    else:
        with pytest.raises(ValueError, match="scaling='minmax' needs"):
            plain.clone({"scaling": scaling}, include_attributes=True)
        before = pickle.dumps(plain)
        with pytest.raises(ValueError, match="scaling='minmax' needs"):
            plain.mutate({"scaling": scaling})
        assert pickle.dumps(plain) == before


@pytest.mark.parametrize("scaling", ["standard", "minmax"])
@pytest.mark.parametrize("options", [{}, {"forgetting": 0.98}, {"strategy": "shared"}], ids=str)
@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_units_do_not_matter(scaling, options, kind):
    rng = random.Random(1)
    data = [(x, y) for x, y, _ in streams(kind)]
    factors = {name: 10 ** rng.uniform(-4, 4) * rng.choice([-1, 1]) for x, _ in data for name in x}
    plain = rn.NRRLSClassifier(l2=0.1, scaling=scaling, **options)
    other = rn.NRRLSClassifier(l2=0.1, scaling=scaling, **options)
    for x, y in data:
        x = {name: x.get(name, 0.0) for name in factors}
        moved = {name: factors[name] * (value + 3.0) for name, value in x.items()}
        a, b = plain.decision_function_one(x), other.decision_function_one(moved)
        a, b = (list(s.values()) if isinstance(s, dict) else [s] for s in (a, b))
        assert b == pytest.approx(a, rel=1e-8, abs=1e-8)
        plain.learn_one(x, y)
        other.learn_one(moved, y)


@pytest.mark.parametrize("w", [1e-250, 1e145])
@pytest.mark.parametrize("learn_intercept", [True, False])
def test_a_common_weight_leaves_scales_alone(w, learn_intercept):
    X, y = sample(60)
    X = X + 3.0
    model, plain = (
        rn.NRRLSClassifier(l2=0.5, scaling="standard", learn_intercept=learn_intercept)
        for _ in range(2)
    )
    for x, label in zip(rows(X), y.tolist(), strict=True):
        model.learn_one(x, label, w)
        plain.learn_one(x, label)
    assert_same(model, plain)


def test_constant_features_under_scaling():
    for scaling in ("standard", "minmax"):
        model = rn.NRRLSClassifier(scaling=scaling)
        for i, (x, y) in enumerate(datasets.Phishing().take(200)):
            late = {"late": 7.0} if i > 100 else {}
            model.learn_one({**x, "constant": 3.0, "zero": 0.0, **late}, y)
            model.predict_one(x)
        assert np.isfinite(list(model.weights.values())).all()
        assert abs(model.weights["constant"]) < 1e-6 and model.weights["zero"] == 0.0


def test_scaling_needs_no_scaler():
    scaled = preprocessing.StandardScaler()
    X = []
    for x, y in datasets.Phishing():
        scaled.learn_one(x)
        X.append((x, y))
    inside, outside = rn.NRRLSClassifier(l2=0.1, scaling="standard"), rn.NRRLSClassifier(l2=0.1)
    for x, y in X:
        inside.learn_one(x, y)
        outside.learn_one(scaled.transform_one(x), y)
    for x, _ in X[::50]:
        assert inside.decision_function_one(x) == pytest.approx(
            outside.decision_function_one(scaled.transform_one(x)), rel=1e-9, abs=1e-9
        )
