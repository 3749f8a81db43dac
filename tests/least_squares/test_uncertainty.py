"""Standard errors against the spread of weights over samples, drawn anew or from the sample."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from river import datasets

import river_nrrls as rn
from river_nrrls.least_squares import uncertainty

NAMES = ["a", "b", "c", "d"]


def draw(rng, kind, n=600):
    labels = {"binary": [False, True], "three": ["x", "y", "z"]}[kind]
    codes = rng.choice(len(labels), n, p=[0.85, 0.15] if kind == "binary" else [0.6, 0.3, 0.1])
    means = np.array([[0, 0, 0, 0], [1.0, -0.5, 0.5, 0.0], [0.0, 1.0, 1.0, -1.0]])
    roots = [np.eye(4), np.diag([2.0, 1.0, 0.5, 1.0]) + 0.3, np.eye(4) + 0.5]
    Z = rng.normal(size=(n, 4))
    X = np.array([means[c] + z @ roots[c] for c, z in zip(codes.tolist(), Z, strict=True)])
    X = X + np.array([0.0, 3.0, 0.0, 0.0])
    return pd.DataFrame(X, columns=NAMES), pd.Series([labels[c] for c in codes])


def flat(values):
    if not isinstance(next(iter(values.values())), dict):
        values = {True: values}
    return np.array([[values[label][name] for name in NAMES] for label in sorted(values)])


@pytest.mark.parametrize(
    "model, kind",
    [
        (rn.NRRLSClassifier(), "binary"),
        (rn.NRRLSClassifier(costs={True: 5.0}, l2=0.1), "binary"),
        (rn.NRRLSClassifier(learn_intercept=False, tau=0.2), "binary"),
        (rn.NRRLSClassifier(eta=3.0, scaling="standard"), "binary"),
        (rn.NRRLSClassifier(), "three"),
        (rn.NRRLSClassifier(costs={"x": 3.0}), "three"),
        (rn.NRRLSClassifier(strategy="shared"), "three"),
        (rn.RLSClassifier(), "binary"),
        (rn.RLSClassifier(), "three"),
        (rn.NRRLSClassifier(forgetting=0.99), "binary"),
        (rn.NRRLSClassifier(forgetting=0.9, forgetting_clock="class"), "three"),
        (rn.RLSClassifier(forgetting=0.995), "binary"),
    ],
    ids=lambda v: v if isinstance(v, str) else str(v).split("(")[0],
)
def test_samples_of_normal_classes(model, kind):
    rng = np.random.default_rng(1)
    weights, errors = [], []
    for _ in range(300):
        one = model.clone()
        one.learn_many(*draw(rng, kind))
        weights.append(flat(one.weights))
        errors.append(flat(one.weights_std_error))
    spread = np.std(weights, axis=0, ddof=1)
    claimed = np.sqrt(np.mean(np.square(errors), axis=0))
    # 300 samples tell a standard deviation to 4 %, and there are up to 12 of them; a short memory
    # has few rows of a rare class.
    tolerance = 0.25 if model.forgetting < 1.0 else 0.13
    np.testing.assert_allclose(claimed / spread, 1.0, atol=tolerance)


@pytest.mark.parametrize("l2", [1e-3, 0.1])
def test_bootstrap_of_real_rows(l2):
    rows = list(datasets.Phishing())
    X = pd.DataFrame([x for x, _ in rows])
    y = pd.Series([label for _, label in rows])
    model = rn.NRRLSClassifier(l2=l2, scaling="standard")
    model.learn_many(X, y)
    rng = np.random.default_rng(0)
    weights = []
    for _ in range(200):
        i = rng.integers(0, len(X), len(X))
        again = model.clone()
        again.learn_many(X.iloc[i], y.iloc[i])
        weights.append(list(again.weights.values()))
    ratio = np.array(list(model.weights_std_error.values())) / np.std(weights, axis=0, ddof=1)
    # These features take three values each and are nothing like normal.
    assert 0.65 < ratio.min() and ratio.max() < 1.2
    assert np.median(ratio) == pytest.approx(1.0, abs=0.06)


def test_the_middle_is_that_of_normal_rows():
    rng = np.random.default_rng(1)
    m, L = rng.normal(size=3), rng.normal(size=(3, 3))
    u = rng.normal(size=4)
    X = np.c_[np.ones(400_000), m + rng.normal(size=(400_000, 3)) @ L.T]
    B = X.T @ X / len(X)
    g, covariance = uncertainty.residual_moments(B, u, 1.0)
    xr = X * (1.0 - X @ u)[:, None]
    np.testing.assert_allclose(g, xr.mean(axis=0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(covariance, np.cov(xr.T), atol=0.02 * np.abs(covariance).max())


@pytest.mark.parametrize("forgetting, n", [(1.0, 40), (0.9, 7), (0.9, 400), (0.999, 300)])
def test_what_decayed_rows_are_worth(forgetting, n):
    w = forgetting ** np.arange(n)
    got = uncertainty.rows_worth(w.sum(), w.sum(), forgetting)
    assert got == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-9)


def test_what_is_not_known_is_infinite():
    model = rn.NRRLSClassifier()
    assert model.weights_std_error == {}
    model.learn_one({"a": 1.0}, True)
    assert model.weights_std_error == {"a": math.inf}
    for i in range(3):
        model.learn_one({"a": float(i)}, False)
    assert model.weights_std_error == {"a": math.inf}
    model.learn_one({"a": 2.0}, True)
    assert 0.0 < model.weights_std_error["a"] < math.inf
    before = pickle.dumps(model)
    assert model.weights_std_error == pickle.loads(before).weights_std_error
    assert pickle.dumps(model) == before


def test_constant_and_collinear_features():
    rng = np.random.default_rng(0)
    model = rn.NRRLSClassifier()
    for i in range(60):
        v = rng.normal() + i % 2
        model.learn_one({"a": v, "twin": v, "constant": 3.0, "zero": 0.0}, i % 2 == 1)
    errors = model.weights_std_error
    assert errors["a"] == pytest.approx(errors["twin"], rel=1e-6)
    assert errors["constant"] == pytest.approx(0.0, abs=1e-9) and errors["zero"] == 0.0
    singular = model.clone({"l2": 0.0}, include_attributes=True)
    with pytest.warns(UserWarning, match="least-norm"):
        assert all(map(math.isfinite, singular.weights_std_error.values()))


def test_names_and_labels():
    rng = np.random.default_rng(0)
    two = rn.NRRLSClassifier(classes=("no", "yes"))
    X, y = draw(rng, "binary")
    two.learn_many(X, y.map({False: "no", True: "yes"}))
    plain = rn.NRRLSClassifier()
    plain.learn_many(X, y)
    assert two.weights_std_error["yes"] == two.weights_std_error["no"]
    assert two.weights_std_error["yes"] == pytest.approx(plain.weights_std_error, rel=1e-9)
    three = rn.NRRLSClassifier()
    three.learn_many(*draw(rng, "three"))
    assert three.weights_std_error.keys() == three.weights.keys()
    assert all(form.keys() == set(NAMES) for form in three.weights_std_error.values())


@pytest.mark.parametrize("kind", ["binary", "three"])
@pytest.mark.parametrize("options", [{}, {"learn_intercept": False, "tau": 0.3, "eta": 2.0}])
def test_contributions_sum_to_the_score(kind, options):
    model = rn.NRRLSClassifier(**options)
    X, y = draw(np.random.default_rng(0), kind)
    model.learn_many(X, y)
    # `intercept` is in the units of tau and eta, as `weights` are; scores are not.
    form = model._coefficients()
    for x in X[:20].to_dict("records"):
        parts, score = (
            model.contributions_one({**x, "unknown": 9.0}),
            model.decision_function_one(x),
        )
        if kind == "binary":
            parts, score, form = {True: parts}, {True: score}, np.atleast_2d(form)
        for i, label in enumerate(score):
            assert parts[label].pop("unknown") == 0.0
            total = sum(parts[label].values()) + form[i][0]
            assert total == pytest.approx(score[label], rel=1e-9, abs=1e-12)
            for name, part in parts[label].items():
                weight = model.weights[name] if kind == "binary" else model.weights[label][name]
                assert part == pytest.approx(weight * x[name] / model.eta, rel=1e-9)
