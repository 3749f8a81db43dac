"""Every weight against an oracle: batch solutions, scikit-learn, 50-digit arithmetic."""

from __future__ import annotations

import random

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeClassifier

import river_nrrls as rn
from river_nrrls.least_squares import batch


def rows(X):
    return [dict(zip([f"x{j}" for j in range(X.shape[1])], x, strict=True)) for x in X.tolist()]


def sample(n=200, d=6, seed=0, positive=0.2):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < positive
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 0.5 * y[:, None]
    return X, y


def trained(model, X, y, w=None):
    for i, (x, label) in enumerate(zip(rows(X), y, strict=True)):
        label = label.item() if isinstance(label, np.generic) else label
        model.learn_one(x, label, **({} if w is None else {"w": float(w[i])}))
    return model


def decisions(model, X):
    return np.array([model.decision_function_one(x) for x in rows(X)])


def minmaxed(dataset, n):
    data = list(dataset.take(n))
    X = pd.DataFrame([x for x, _ in data]).to_numpy(dtype=float)
    y = np.array([label for _, label in data])
    span = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(span > 0, span, 1.0), y


@pytest.mark.parametrize("learn_intercept", [False, True])
@pytest.mark.parametrize("l2", [1e-4, 1e-8])
def test_ridge_classifier_along_the_stream(learn_intercept, l2):
    X, y = minmaxed(datasets.Phishing(), 300)
    model = rn.NRRLSClassifier(l2=l2, learn_intercept=learn_intercept)
    for i, (x, label) in enumerate(zip(rows(X), y.tolist(), strict=True)):
        model.learn_one(x, label)
        n = i + 1
        if n % 7 and n > 20 or len(set(y[:n].tolist())) < 2:
            continue
        oracle = RidgeClassifier(
            alpha=l2 * n / 2, class_weight="balanced", fit_intercept=learn_intercept, solver="svd"
        ).fit(X[:n], y[:n])
        wanted = oracle.decision_function(X)
        np.testing.assert_allclose(
            decisions(model, X), wanted, rtol=0, atol=1e-9 * np.abs(wanted).max()
        )


def test_the_batch_formula_tau_and_eta():
    X, y = sample()
    signs = np.where(y, 1, -1)
    plain = trained(rn.NRRLSClassifier(l2=0.01, learn_intercept=False), X, y)
    wanted = batch.total_error_rate_weights(X, signs, 0.01)
    np.testing.assert_allclose(list(plain.weights.values()), wanted, rtol=1e-11)
    model = trained(rn.NRRLSClassifier(l2=0.01, learn_intercept=False, tau=0.3, eta=2.0), X, y)
    wanted = batch.total_error_rate_weights(X, signs, 0.01, tau=0.3, eta=2.0)
    np.testing.assert_allclose(list(model.weights.values()), wanted, rtol=1e-11)
    np.testing.assert_allclose(decisions(model, X), (X @ wanted - 0.3) / 2.0, rtol=1e-9, atol=1e-12)
    assert model.intercept == pytest.approx(0.0, abs=1e-15)
    with_intercept = trained(rn.NRRLSClassifier(l2=0.01), X, y)
    moved = trained(rn.NRRLSClassifier(l2=0.01, tau=0.3, eta=2.0), X, y)
    np.testing.assert_allclose(decisions(moved, X), decisions(with_intercept, X), rtol=1e-12)
    assert moved.intercept == pytest.approx(2.0 * with_intercept.intercept + 0.3, rel=1e-12)


def test_costs_are_class_weights():
    X, y = sample()
    model = trained(rn.NRRLSClassifier(l2=0.01, costs={True: 3.0}), X, y)
    w = np.where(y, 3.0 / y.sum(), 1.0 / (~y).sum())
    oracle = Ridge(alpha=0.01, solver="cholesky").fit(X, np.where(y, 1.0, -1.0), sample_weight=w)
    np.testing.assert_allclose(decisions(model, X), oracle.predict(X), rtol=1e-9, atol=1e-11)


def test_without_ridge_it_is_linear_discriminant_analysis():
    X, y = sample()
    model = trained(rn.NRRLSClassifier(l2=0.0), X, y)
    lda = LinearDiscriminantAnalysis(solver="lsqr", priors=[0.5, 0.5]).fit(X, y)
    w = np.array(list(model.weights.values()))
    np.testing.assert_allclose(
        w / np.linalg.norm(w), lda.coef_[0] / np.linalg.norm(lda.coef_), rtol=1e-10
    )
    assert model.intercept / np.linalg.norm(w) == pytest.approx(
        lda.intercept_[0] / np.linalg.norm(lda.coef_), rel=1e-10
    )


@pytest.mark.parametrize("learn_intercept", [False, True])
def test_rls_is_the_batch_solution(learn_intercept):
    X, y = sample()
    model = trained(rn.RLSClassifier(l2=0.5, learn_intercept=learn_intercept), X, y)
    oracle = Ridge(alpha=0.5, fit_intercept=learn_intercept, solver="cholesky")
    oracle.fit(X, np.where(y, 1.0, -1.0))
    np.testing.assert_allclose(decisions(model, X), oracle.predict(X), rtol=1e-10, atol=1e-12)
    if not learn_intercept:
        wanted = batch.least_squares_weights(X, np.where(y, 1, -1), 0.5)
        np.testing.assert_allclose(list(model.weights.values()), wanted, rtol=1e-11)


def test_rls_forgets_without_winding_up():
    X, y = sample()
    model = trained(rn.RLSClassifier(l2=0.5, forgetting=0.97), X, y)
    age = 0.97 ** np.arange(len(X))[::-1]
    oracle = Ridge(alpha=0.5, solver="cholesky").fit(X, np.where(y, 1.0, -1.0), sample_weight=age)
    np.testing.assert_allclose(decisions(model, X), oracle.predict(X), rtol=1e-9, atol=1e-11)
    assert sum(model.class_counts.values()) == pytest.approx(age.sum(), rel=1e-12)
    for _ in range(2000):
        model.learn_one(dict.fromkeys(model.weights, 0.0), True)
    assert np.isfinite(list(model.weights.values())).all()
    assert max(map(abs, model.weights.values())) < 1e-6


def one_vs_rest(X, y, l2, model):
    for label in model.classes or model.class_counts:
        own = y == label
        w = np.where(own, 1.0 / own.sum(), 1.0 / (~own).sum())
        yield (
            label,
            Ridge(alpha=l2, solver="svd")
            .fit(X, np.where(own, 1.0, -1.0), sample_weight=w)
            .predict(X),
        )


def test_multiclass_equals_batch_one_vs_rest():
    X, y = minmaxed(datasets.ImageSegments(), 700)
    model = trained(rn.NRRLSClassifier(l2=1e-3), X, y)
    scores = [model.decision_function_one(x) for x in rows(X)]
    for label, wanted in one_vs_rest(X, y, 1e-3, model):
        got = np.array([s[label] for s in scores])
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
    predicted = [model.predict_one(x) for x in rows(X)]
    assert predicted == [max(s, key=s.get) for s in scores]


@pytest.mark.parametrize("name", ["glass", "segment"])
def test_multiclass_equals_batch_one_vs_rest_on_bundled_sets(name):
    data = rn.datasets.load(name)
    X, y = data.to_arrays()
    span = np.ptp(X, axis=0)
    X = (X - X.min(axis=0)) / np.where(span > 0, span, 1.0)
    model = rn.NRRLSClassifier(l2=1e-4)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    model.learn_many(frame, pd.Series(y))
    scores = model.decision_function_many(frame)
    for label, wanted in one_vs_rest(X, y, 1e-4, model):
        np.testing.assert_allclose(scores[label], wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


def test_multiclass_rls_equals_batch_one_vs_rest():
    X, y = minmaxed(datasets.ImageSegments(), 700)
    model = trained(rn.RLSClassifier(l2=1.0), X, y)
    scores = [model.decision_function_one(x) for x in rows(X)]
    for label in model.class_counts:
        wanted = Ridge(alpha=1.0, solver="svd").fit(X, np.where(y == label, 1.0, -1.0)).predict(X)
        np.testing.assert_allclose([s[label] for s in scores], wanted, rtol=0, atol=1e-9)


def test_shared_is_uniform_least_squares_on_indicators():
    X, y = minmaxed(datasets.ImageSegments(), 700)
    model = trained(rn.NRRLSClassifier(l2=1e-3, strategy="shared"), X, y)
    labels = list(model.class_counts)
    w = np.array([1.0 / (y == label).sum() for label in y])
    T = np.where(y[:, None] == np.array(labels), 1.0, -1.0)
    wanted = Ridge(alpha=1e-3, solver="cholesky").fit(X, T, sample_weight=w).predict(X)
    got = np.array([list(model.decision_function_one(x).values()) for x in rows(X)])
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9)


def test_two_classes_are_one_rule():
    X, y = sample()
    names = np.where(y, "yes", "no")
    binary = trained(rn.NRRLSClassifier(), X, y)
    for strategy in ("ovr", "shared"):
        model = trained(rn.NRRLSClassifier(strategy=strategy, classes=("no", "yes")), X, names)
        for x in rows(X):
            score = binary.decision_function_one(x)
            both = model.decision_function_one(x)
            assert both["yes"] == pytest.approx(score, rel=1e-12, abs=1e-12)
            assert both["no"] == pytest.approx(-score, rel=1e-12, abs=1e-12)
            p = binary.predict_proba_one(x)
            q = model.predict_proba_one(x)
            assert q["yes"] == pytest.approx(p[True], rel=1e-9)


def exact(X, y, l2):
    """Weights of [1, x] with 50 digits."""
    with mpmath.workdps(50):
        Z = np.c_[np.ones(len(X)), X]
        D = Z.shape[1]
        R, z = mpmath.zeros(D), mpmath.zeros(D, 1)
        for own, t in ((~y, -1), (y, 1)):
            if own.any():
                B = mpmath.matrix(Z[own].tolist())
                R += B.T * B / own.sum()
                z += t * B.T * mpmath.ones(B.rows, 1) / own.sum()
        for j in range(1, D):
            R[j, j] += l2
        return mpmath.lu_solve(R, z)


def relative_error(model, X, y, l2):
    u = exact(X, y, l2)
    with mpmath.workdps(50):
        Z = [[mpmath.mpf(1), *map(mpmath.mpf, x)] for x in X.tolist()]
        wanted = [mpmath.fdot(z, u) for z in Z]
        got = decisions(model, X)
        largest = max(abs(f) for f in wanted)
        return float(max(abs(f - g) for f, g in zip(wanted, got, strict=True)) / largest)


def pathologies():
    rng = np.random.default_rng(3)
    X, y = sample(120, 5, seed=3)
    yield "scales", X * np.array([1e-6, 1e-3, 1.0, 1e3, 1e6]), y, 1e-9
    yield "mean_1e6", X + 1e6, y, 1e-9
    yield "mean_32", X + 32.0, y, 1e-11
    yield "collinear", np.c_[X, X[:, 0] + 2e-6 * rng.normal(size=len(X))], y, 1e-10
    yield "duplicated", np.c_[X, X[:, 0]], y, 1e-10
    yield "constant", np.c_[X, np.full(len(X), 7.0)], y, 1e-11
    yield "zero_column", np.c_[X, np.zeros(len(X))], y, 1e-11
    yield "one_class", X, np.zeros(len(X), dtype=bool), 1e-11
    yield "few_rows", rng.normal(size=(12, 30)), np.arange(12) % 3 == 0, 1e-10
    yield (
        "few_rows_scaled",
        rng.normal(size=(12, 30)) * 10.0 ** rng.integers(-2, 3, 30),
        (np.arange(12) % 3 == 0),
        1e-8,
    )


@pytest.mark.parametrize(
    "name, X, y, tolerance", list(pathologies()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_pathologies_against_50_digits(name, X, y, tolerance):
    model = trained(rn.NRRLSClassifier(), X, y)
    assert relative_error(model, X, y, 1e-4) < tolerance
    assert all(np.isfinite(list(model.predict_proba_one(x).values())).all() for x in rows(X))


@pytest.mark.parametrize("learn_intercept", [False, True])
@pytest.mark.parametrize("l2, tolerance", [(1e-4, 1e-9), (1e-8, 1e-10), (1e-12, 1e-9)])
def test_fewer_rows_than_long_features(l2, tolerance, learn_intercept):
    X, y = sample(60, 150)
    X /= 12.0
    model = trained(rn.NRRLSClassifier(l2=l2, learn_intercept=learn_intercept), X, y)
    k = np.where(y, 1.0 / y.sum(), 1.0 / (~y).sum())
    t = np.where(y, 1.0, -1.0)
    mean = k @ X / 2.0 if learn_intercept else np.zeros(150)
    # As least squares of the rows themselves, which squares no condition number.
    Z = np.r_[np.sqrt(k)[:, None] * (X - mean), np.sqrt(l2) * np.eye(150)]
    w = np.linalg.lstsq(Z, np.r_[np.sqrt(k) * t, np.zeros(150)], rcond=None)[0]
    # New rows, which leave the span of those learnt.
    new = sample(40, 150, seed=9)[0] / 12.0
    wanted = (new - mean) @ w
    error = np.abs(decisions(model, new) - wanted).max() / np.abs(wanted).max()
    assert error < tolerance
    assert model.n_factorizations == int(l2 == 1e-4)


def test_many_rows_stay_exact():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 3))
    y = rng.random(100_000) < 0.1
    X[y] += 0.5
    model = rn.NRRLSClassifier()
    names = ["a", "b", "c"]
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(zip(names, x, strict=True)), label)
    low, high = X[~y], X[y]
    m0, m1 = low.mean(axis=0), high.mean(axis=0)
    S = np.cov(low.T, bias=True) + np.cov(high.T, bias=True)
    D = m1 - m0
    w = np.linalg.solve(S + np.outer(D, D) / 2 + 1e-4 * np.eye(3), D)
    np.testing.assert_allclose(list(model.weights.values()), w, rtol=1e-11)


def test_singular_without_ridge_warns_once_and_stays_finite():
    X, y = sample(40, 3)
    model = trained(rn.NRRLSClassifier(l2=0.0), np.c_[X, X[:, 0]], y)
    with pytest.warns(UserWarning, match="least-norm.*raise l2"):
        first = decisions(model, np.c_[X, X[:, 0]])
    model.learn_one({"x0": 1.0}, True)
    assert np.isfinite(first).all() and np.isfinite(model.decision_function_one({"x0": 1.0}))


@pytest.mark.parametrize(
    "model",
    [
        rn.NRRLSClassifier(),
        rn.NRRLSClassifier(strategy="shared"),
        rn.RLSClassifier(),
        rn.RLSClassifier(forgetting=0.99),
        rn.NRRLSClassifier(learn_intercept=False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("size", [1, 7, 500])
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("multi", [False, True])
def test_batches_equal_the_loop(model, size, backend, multi):
    X, y = sample(600)
    labels = np.where(X[:, 0] > 1, "c", np.where(y, "b", "a")) if multi else y
    w = np.random.default_rng(1).integers(0, 4, len(X)).astype(float)
    one = trained(model.clone(), X, labels, w)
    many = model.clone()
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table.from_pylist}[
        backend
    ]
    series = {"pandas": pd.Series, "polars": pl.Series, "pyarrow": pa.array}[backend]
    data = rows(X)
    for i in range(0, len(X), size):
        y_ = series(labels[i : i + size].tolist())
        y_ = pa.chunked_array([y_]) if backend == "pyarrow" else y_
        many.learn_many(frame(data[i : i + size]), y_, w[i : i + size])
    assert many.class_counts.keys() == one.class_counts.keys()
    np.testing.assert_allclose(many._coefficients(), one._coefficients(), rtol=1e-10, atol=1e-12)
    assert many.n_updates == one.n_updates


def test_order_and_weights():
    X, y = sample()
    model = trained(rn.NRRLSClassifier(), X, y)
    order = np.random.default_rng(1).permutation(len(X))
    shuffled = trained(rn.NRRLSClassifier(), X[order], y[order])
    np.testing.assert_allclose(
        list(model.weights.values()), list(shuffled.weights.values()), rtol=1e-10
    )
    w = np.random.default_rng(1).integers(1, 4, len(X))
    weighted = trained(rn.NRRLSClassifier(), X, y, w)
    repeated = trained(rn.NRRLSClassifier(), np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(
        list(weighted.weights.values()), list(repeated.weights.values()), rtol=1e-10
    )


def test_features_may_come_and_go():
    X, y = sample()
    late = [dict(list(x.items())[: 2 + i // 40]) for i, x in enumerate(rows(X))]
    filled = np.array([[x.get(f"x{j}", 0.0) for j in range(6)] for x in late])
    growing, full = rn.NRRLSClassifier(), trained(rn.NRRLSClassifier(), filled, y)
    for x, label in zip(late, y.tolist(), strict=True):
        names = list(x)
        random.Random(0).shuffle(names)
        growing.predict_one(x)
        growing.learn_one({name: x[name] for name in names}, label)
    for name, value in full.weights.items():
        assert growing.weights[name] == pytest.approx(value, rel=1e-10)


def test_an_outlier_in_the_first_row_fades():
    X, y = sample(2000, 4)
    X[0] = 1e9
    model = trained(rn.RLSClassifier(l2=1e-6, forgetting=0.9), X, y)
    fresh = trained(rn.RLSClassifier(l2=1e-6, forgetting=0.9), X[1:], y[1:])
    np.testing.assert_allclose(
        list(model.weights.values()), list(fresh.weights.values()), rtol=1e-6
    )


def test_probabilities_of_gaussian_classes_are_the_true_ones():
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.1
    X = rng.normal(size=(len(y), 2)) + np.array([1.5, -0.5]) * y[:, None]
    X = X @ np.array([[2.0, 0.3], [0.0, 0.5]])
    model = rn.NRRLSClassifier(l2=0.0, prior="natural")
    balanced = rn.NRRLSClassifier(l2=0.0)
    skewed = rn.NRRLSClassifier(l2=0.0, prior="natural", costs={True: 4.0})
    frame, labels = pd.DataFrame(X, columns=["a", "b"]), pd.Series(y)
    for m in (model, balanced, skewed):
        m.learn_many(frame, labels)
    Z = X @ np.linalg.inv(np.array([[2.0, 0.3], [0.0, 0.5]]))
    logit = Z @ np.array([1.5, -0.5]) - (1.5**2 + 0.5**2) / 2
    natural = 1 / (1 + np.exp(-(logit + np.log(0.1 / 0.9))))
    even = 1 / (1 + np.exp(-logit))
    for m, wanted in ((model, natural), (balanced, even), (skewed, natural)):
        got = m.predict_proba_many(frame)[True].to_numpy()
        assert np.abs(got - wanted).max() < 0.02
    third = balanced.clone({"prior": {False: 2.0, True: 1.0}}, include_attributes=True)
    p = third.predict_proba_one({"a": 1.0, "b": 0.0})
    q = balanced.predict_proba_one({"a": 1.0, "b": 0.0})
    assert p[True] / p[False] == pytest.approx(0.5 * q[True] / q[False], rel=1e-9)
