from __future__ import annotations

import pickle
import random
import warnings

import numpy as np
import pytest
from river import checks

from river_nrrls.least_squares.ar_rls import ARRLSClassifier
from river_nrrls.least_squares.ir_rls import IRRLSClassifier
from river_nrrls.least_squares.recursive_nrrls import RecursiveNRRLSClassifier

LEARNERS = [RecursiveNRRLSClassifier, ARRLSClassifier, IRRLSClassifier]
EXACT = [RecursiveNRRLSClassifier, IRRLSClassifier]


def stream(n=120, d=5, positive=0.25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, rng.random(n) + 0.4 * X[:, 0] < positive + 0.2


def row(x):
    return dict(enumerate(x.tolist()))


def learnt(model, X, y, w=None):
    for i, (a, label) in enumerate(zip(X, y, strict=True)):
        model.learn_one(row(a), bool(label), 1.0 if w is None else float(w[i]))
    return model


def vector(model):
    weights = list(model.weights.values())
    return np.array([model.intercept, *weights] if model.learn_intercept else weights)


def batch(X, y, l2, w=None):
    """R, z of equation 8 by their definition; a class without rows adds nothing."""
    w = np.ones(len(y)) if w is None else w
    R, z = l2 * np.eye(X.shape[1]), np.zeros(X.shape[1])
    for label, t in ((False, -1.0), (True, 1.0)):
        rows, weights = X[y == label], w[y == label]
        if len(rows):
            R += (rows.T * weights) @ rows / weights.sum()
            z += t * weights @ rows / weights.sum()
    return R, z


@pytest.mark.parametrize("learn_intercept", [True, False])
@pytest.mark.parametrize("l2", [1e-1, 1e-2, 1e-4])
def test_theorems_3_2_to_3_4_hold_at_every_row(l2, learn_intercept):
    X, y = stream()
    Z = np.hstack([np.ones((len(X), 1)), X]) if learn_intercept else X
    model = RecursiveNRRLSClassifier(l2=l2, learn_intercept=learn_intercept)
    # The recursion loses digits as the square of |S| / l2; R itself is known to a few ulp.
    tolerance = 1e-15 * (6.0 / l2) ** 2
    for t in range(len(X)):
        model.learn_one(row(X[t]), bool(y[t]))
        R, z = batch(Z[: t + 1], y[: t + 1], l2)
        R_inv = np.linalg.inv(R)
        scale = np.abs(R_inv).max()
        np.testing.assert_allclose(model._P, R_inv, rtol=0, atol=tolerance * scale)
        np.testing.assert_allclose(model._z.sum(axis=0), z, rtol=0, atol=1e-14)
        w = np.linalg.solve(R, z)
        np.testing.assert_allclose(
            vector(model), w, rtol=0, atol=max(tolerance, 1e-13) * np.abs(w).max() * 10
        )


def test_the_iterative_form_is_the_batch_solution_at_every_row():
    X, y = stream(seed=1)
    Z = np.hstack([np.ones((len(X), 1)), X])
    model = IRRLSClassifier(l2=1e-2)
    for t in range(len(X)):
        model.learn_one(row(X[t]), bool(y[t]))
        w = np.linalg.solve(*batch(Z[: t + 1], y[: t + 1], 1e-2))
        np.testing.assert_allclose(vector(model), w, rtol=0, atol=1e-10 * np.abs(w).max())


@pytest.mark.parametrize("weighting", ["count", "share"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_approximate_form_is_the_batch_solution_of_its_weights(weighting, weighted):
    X, y = stream(seed=2)
    w = np.random.default_rng(2).random(len(y)) + 0.5 if weighted else np.ones(len(y))
    t = np.cumsum(w)
    beta = w.copy()
    for label in (False, True):
        beta[y == label] /= np.cumsum(w[y == label])
    if weighting == "share":
        beta *= t
    R = (X.T * beta) @ X + 1e-2 * np.eye(X.shape[1])
    z = X.T @ (np.where(y, 1.0, -1.0) * beta)
    model = ARRLSClassifier(l2=1e-2, weighting=weighting, learn_intercept=False)
    np.testing.assert_allclose(vector(learnt(model, X, y, w)), np.linalg.solve(R, z), rtol=1e-9)


def test_shares_come_nearer_to_the_exact_solution_than_counts():
    X, y = stream(n=600, seed=12)
    exact = vector(learnt(RecursiveNRRLSClassifier(l2=1e-3), X, y))
    far, near = (
        np.linalg.norm(vector(learnt(ARRLSClassifier(1e-3, weighting), X, y)) - exact)
        for weighting in ("count", "share")
    )
    assert near < 0.5 * far


def test_the_approximate_form_depends_on_the_order_and_is_not_the_exact_one():
    X, y = stream(n=400, seed=3)
    there, back = (
        vector(learnt(ARRLSClassifier(l2=1e-2), X[order], y[order]))
        for order in (slice(None), slice(None, None, -1))
    )
    exact = vector(learnt(IRRLSClassifier(l2=1e-2), X, y))
    assert np.linalg.norm(there - back) > 0.1 * np.linalg.norm(there)
    assert np.linalg.norm(there - exact) > 0.1 * np.linalg.norm(exact)


@pytest.mark.parametrize("learner", EXACT)
def test_integer_weights_are_repetitions(learner):
    X, y = stream(n=40, seed=4)
    w = np.random.default_rng(4).integers(1, 4, len(y))
    weighted = vector(learnt(learner(l2=0.1), X, y, w))
    repeated = vector(learnt(learner(l2=0.1), np.repeat(X, w, axis=0), np.repeat(y, w)))
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("weight", [1.0, 1])
def test_a_weight_of_one_is_no_weight_and_one_of_zero_no_row(learner, weight):
    X, y = stream(n=30, seed=5)
    plain = learnt(learner(), X, y)
    weighted = learner()
    for a, label in zip(X, y, strict=True):
        weighted.learn_one(row(a), bool(label), w=weight)
        weighted.learn_one(row(a[::-1]), not label, w=0.0)
    assert pickle.dumps(weighted) == pickle.dumps(plain)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_late_feature_was_zero_before(learner):
    X, y = stream(n=60, seed=6)
    X[:30, 3:] = 0.0
    late = learner(l2=0.1)
    for i, (a, label) in enumerate(zip(X, y, strict=True)):
        x = row(a)
        late.learn_one({k: x[k] for k in range(3)} if i < 30 else x, bool(label))
    np.testing.assert_allclose(vector(late), vector(learnt(learner(l2=0.1), X, y)), rtol=1e-9)


@pytest.mark.parametrize("learner", LEARNERS)
def test_one_class_only_is_finite_and_says_that_class(learner):
    """The recursion as printed divides 0 by 0 here."""
    X, _ = stream(n=20, seed=7)
    for label in (False, True):
        model = learnt(learner(), X, np.full(len(X), label))
        assert np.isfinite(vector(model)).all()
        assert [model.predict_one(row(a)) for a in X] == [label] * len(X)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("scale", [0.0, 1e-150, 1e-8, 1e8, 1e140])
@pytest.mark.filterwarnings("ignore:Algorithm 1 met")
def test_any_scale_leaves_the_state_finite(learner, scale):
    X, y = stream(n=25, seed=8)
    model = learnt(learner(), X * scale, y)
    for name in model._state_attributes:
        assert np.isfinite(getattr(model, name)).all(), name
    assert all(0.0 <= p <= 1.0 for p in model.predict_proba_one(row(X[0] * scale)).values())


def test_order_3_features_are_beyond_the_recursion_but_not_beyond_the_moments():
    """What the paper's section 4.1 asks of Algorithm 1, at its own ridge."""
    rng = np.random.default_rng(9)
    X = rng.random((300, 8))
    s = X.sum(axis=1, keepdims=True)
    Z = np.hstack([np.ones((300, 1)), X, X**2, X**3, X**4, X * s, X * s**2, X * s**3])
    y = rng.random(300) < 0.3
    model = RecursiveNRRLSClassifier(l2=1e-4, learn_intercept=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learnt(model, Z, y)
    scores = Z @ np.linalg.solve(*batch(Z, y, 1e-4))
    assert np.abs(Z @ vector(model) - scores).max() > 0.01 * np.abs(scores).max()


def test_a_singular_matrix_is_survived_with_a_warning():
    model = RecursiveNRRLSClassifier(l2=1e-12)
    X, y = stream(n=40, seed=10)
    with pytest.warns(RuntimeWarning, match="singular matrix at l2=1e-12"):
        learnt(model, np.hstack([X, X]) * 1e8, y)
    assert np.isfinite(vector(model)).all()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("l2", [0.0, -1.0, np.nan, "1"])
def test_the_ridge_is_checked(learner, l2):
    with pytest.raises(ValueError, match="l2 must be a finite number above 0"):
        learner(l2=l2)


def test_memory_grows_with_the_rows_in_the_iterative_form_only():
    X, y = stream(n=200, seed=11)
    sizes = {
        learner: [len(pickle.dumps(learnt(learner(), X[:n], y[:n]))) for n in (100, 200)]
        for learner in LEARNERS
    }
    assert sizes[IRRLSClassifier][1] - sizes[IRRLSClassifier][0] > 100 * 8 * X.shape[1]
    assert sizes[ARRLSClassifier][0] == pytest.approx(sizes[ARRLSClassifier][1], abs=8)
    assert sizes[RecursiveNRRLSClassifier][0] == pytest.approx(
        sizes[RecursiveNRRLSClassifier][1], abs=8
    )


def cases():
    for learner in LEARNERS:
        for i, check in enumerate(checks.yield_checks(learner())):
            if check.__name__ not in learner()._unit_test_skips():
                yield pytest.param(learner(), check, id=f"{learner.__name__}:{check.__name__}:{i}")


@pytest.mark.parametrize("model, check", list(cases()))
def test_river_check(model, check):
    random.seed(0)
    check(model.clone())
