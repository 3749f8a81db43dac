"""Conjugate gradients against fresh factorisations, on streams made to break them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import river_nrrls as rn
from river_nrrls.least_squares import moments, warm
from river_nrrls.least_squares.conjugate import PRICE, Conjugate, Effort

D = 24
N = 700


def gaussian(rng, positive):
    y = rng.random(N) < positive
    return rng.normal(size=(N, D)) + 0.3 * y[:, None], y


def random(rng):
    return gaussian(rng, 0.1)


def correlated(rng):
    X, y = gaussian(rng, 0.3)
    return X @ rng.normal(size=(D, D)), y


def polynomial(rng):
    X, y = gaussian(rng, 0.2)
    m = 6
    products = [X[:, i] * X[:, j] for i in range(m) for j in range(i, m)]
    return np.column_stack([X[:, :m], *products])[:, :D], y


def sorted_by_class(rng):
    X, y = gaussian(rng, 0.5)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


def larger_halfway(rng):
    X, y = gaussian(rng, 0.5)
    X[N // 2 :] *= 1000.0
    return X, y


def smaller_halfway(rng):
    X, y = gaussian(rng, 0.5)
    X[N // 2 :] /= 1000.0
    return X, y


def heavy_tails(rng):
    X, y = gaussian(rng, 0.3)
    return X * np.exp(np.clip(rng.standard_cauchy(N), -6.0, 6.0))[:, None], y


def one_positive(rng):
    X, y = gaussian(rng, 0.5)
    return X, np.arange(N) == 100


def long_run_of_one_class(rng):
    X, y = gaussian(rng, 0.5)
    y[100:-100] = False
    return X, y


def another_subspace(rng):
    X, y = gaussian(rng, 0.3)
    half = N // 2
    Z = rng.normal(size=(N, D // 3))
    first, second = rng.normal(size=(2, D // 3, D))
    return np.vstack([Z[:half] @ first, Z[half:] @ second]) + 1e-3 * X, y


def many_scales(rng):
    X, y = gaussian(rng, 0.3)
    return X * 10.0 ** rng.uniform(-6.0, 6.0, size=D), y


STREAMS = [
    random,
    correlated,
    polynomial,
    sorted_by_class,
    larger_halfway,
    smaller_halfway,
    heavy_tails,
    one_positive,
    long_run_of_one_class,
    another_subspace,
    many_scales,
]


def rows(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    return [dict(zip(names, x, strict=True)) for x in X.tolist()]


def long_double_scores(X, y, l2):
    """Scores of the rows by the solution in 64-bit mantissas, from the rows themselves."""
    V = np.column_stack([np.ones(len(X)), X - X[0]]).astype(np.longdouble)
    k = np.where(y, 1.0 / y.sum(), 1.0 / (~y).sum()).astype(np.longdouble)
    R = (V * k[:, None]).T @ V
    R[np.arange(1, len(R)), np.arange(1, len(R))] += np.longdouble(l2)
    z = (V * k[:, None]).T @ np.where(y, 1.0, -1.0)
    scale = 1.0 / np.sqrt(R.diagonal())
    L, b = R * scale * scale[:, None], z * scale
    for j in range(len(L)):
        L[j:, j] /= np.sqrt(L[j, j])
        L[j + 1 :, j + 1 :] -= np.outer(L[j + 1 :, j], L[j + 1 :, j])
        b[j] /= L[j, j]
        b[j + 1 :] -= L[j + 1 :, j] * b[j]
    for j in reversed(range(len(L))):
        b[j] = (b[j] - L[j + 1 :, j] @ b[j + 1 :]) / L[j, j]
    return V @ (b * scale)


def solution_scores(model, X):
    return np.array([model.decision_function_one(x) for x in rows(X)])


@pytest.mark.parametrize("stream", STREAMS, ids=lambda f: f.__name__)
def test_as_good_as_a_fresh_factorisation(stream):
    X, y = stream(np.random.default_rng(1))
    iterated, factored = (rn.NRRLSClassifier(solver=s) for s in ("cg", "cholesky"))
    checkpoints = {2 * D, 105, 120, N // 2 + 1, N // 2 + 30, N - 90, N}
    worst = np.zeros(2)
    for i, (x, label) in enumerate(zip(rows(X), y.tolist(), strict=True), start=1):
        for model in (iterated, factored):
            model.learn_one(x, label)
        probe = [model.decision_function_one(x) for model in (iterated, factored)]
        assert np.isfinite(probe).all()
        if i in checkpoints and 0 < y[:i].sum() < i:
            wanted = long_double_scores(X[:i], y[:i], 1e-4)
            for k, model in enumerate((iterated, factored)):
                error = np.abs(solution_scores(model, X[:i]) - wanted).max()
                worst[k] = max(worst[k], float(error / np.abs(wanted).max()))
    assert worst[0] <= 3.0 * worst[1] + 1e-12
    assert factored.n_factorizations == N - D
    assert iterated.n_iterations > N
    assert iterated.n_factorizations < 0.4 * N


OPTIONS = [
    dict(),
    dict(strategy="shared"),
    dict(costs={0: 3.0}),
    dict(learn_intercept=False, tau=0.3, eta=2.0),
    dict(learn_intercept=False, strategy="shared"),
    dict(forgetting=0.97),
    dict(forgetting=0.97, forgetting_clock="class", strategy="shared"),
    dict(scaling="standard"),
    dict(scaling="minmax"),
    dict(scaling="minmax", learn_intercept=False),
]


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize(
    "learner, options",
    [
        *((rn.NRRLSClassifier, options) for options in OPTIONS),
        (rn.RLSClassifier, dict()),
        (rn.RLSClassifier, dict(forgetting=0.97)),
        (rn.RLSClassifier, dict(learn_intercept=False)),
    ],
    ids=str,
)
def test_every_option(learner, options, n_labels):
    rng = np.random.default_rng(2)
    y = rng.choice(n_labels, 400, p=[0.2, 0.8] if n_labels == 2 else [0.1, 0.3, 0.6])
    X = rng.normal(size=(400, D)) + np.eye(n_labels, D)[y]
    labels = [bool(label) for label in y] if n_labels == 2 else y.tolist()
    iterated, factored = (learner(solver=s, **options) for s in ("cg", "cholesky"))
    for i, (x, label) in enumerate(zip(rows(X), labels, strict=True)):
        if i > D:
            a, b = (iterated.decision_function_one(x), factored.decision_function_one(x))
            a, b = ([a], [b]) if n_labels == 2 else (list(a.values()), list(b.values()))
            np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-10)
        iterated.learn_one(x, label)
        factored.learn_one(x, label)
    # Scaled features without an intercept have an origin that moves.
    moves = "scaling" in options and "learn_intercept" in options
    assert (iterated.n_iterations > 300) is not moves
    assert factored.n_iterations == 0


def test_the_preconditioner_is_the_inverse_of_what_it_says():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 5))
    A = [np.asfortranarray(np.tril(X[c:40:2].T @ X[c:40:2])) for c in (0, 1)]
    s = [A[c][:, 0].copy() for c in (0, 1)]
    k = (0.5, 0.25)
    ridge = np.full(5, 0.1)
    target = ((-1.0, s[0]), (1.0, s[1]))
    system = Conjugate(np.zeros((1, 5)), A, False, Effort())
    while system.P is None:
        solutions = system.solve(k, [target], ridge, False)
    R = k[0] * moments.symmetric(A[0]) + k[1] * moments.symmetric(A[1]) + np.diag(ridge)
    wanted = np.linalg.solve(R, k[1] * s[1] - k[0] * s[0])
    np.testing.assert_allclose(solutions[0], wanted, rtol=1e-13)
    M, mass = R, k[0] * A[0][0, 0] + k[1] * A[1][0, 0]
    for x in X[40:]:
        weight, rest = 0.2, 0.97 * mass
        system.learn(x, weight, rest + weight)
        system.enter(x, 0, 2.0, -1.0)
        M, mass = rest / mass * M + weight * np.outer(x, x), rest + weight
    inverse = system.s * moments.symmetric(system.P)
    np.testing.assert_allclose(inverse, np.linalg.inv(M), rtol=1e-11)
    u, (gradient, _), _, _ = system.states[0]
    more = 2.0 * X[40:].T @ X[40:]
    wanted = (moments.symmetric(A[0]) + more) @ u + s[0] + 2.0 * X[40:].sum(axis=0)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-11)


def stream_of(n, d, seed=4):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return rows(rng.normal(size=(n, d)) + 0.4 * y[:, None]), y.tolist()


def alternate(model, X, y):
    for x, label in zip(X, y, strict=True):
        model.predict_one(x)
        model.learn_one(x, label)
    return model


def test_auto_iterates_above_the_crossover():
    for d, iterates in ((warm.CROSSOVER - 1, False), (warm.CROSSOVER, True)):
        model = alternate(rn.NRRLSClassifier(), *stream_of(d + 60, d))
        assert (model.n_iterations > 0) is iterates
    assert model.n_factorizations < 60
    assert 0.0 < model.residual <= 1e-11


def test_an_inverse_that_needs_no_decay_is_bought_once():
    model = alternate(rn.RLSClassifier(solver="cg"), *stream_of(500, D))
    assert model.n_factorizations == PRICE
    assert model.n_iterations <= 520


def test_rare_predictions_are_factored():
    X, y = stream_of(600, D)
    model = rn.NRRLSClassifier(solver="cg")
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        model.learn_one(x, label)
        if i % 10 == 0:
            model.predict_one(x)
    assert model.n_iterations == 0
    alternate(model, X[:100], y[:100])
    assert model.n_iterations > 100
    factored = rn.NRRLSClassifier(solver="cholesky")
    factored.learn_many(pd.DataFrame(X + X[:100]), pd.Series(y + y[:100]))
    assert model.decision_function_one(X[0]) == pytest.approx(
        factored.decision_function_one(X[0]), rel=1e-9
    )


@pytest.mark.filterwarnings("ignore:the moments are singular")
def test_the_bill_is_bounded_whatever_comes():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, D)) * 10.0 ** rng.uniform(-8.0, 8.0, size=(400, 1))
    y = rng.random(400) < 0.5
    model = alternate(rn.NRRLSClassifier(solver="cg", l2=1e-3), rows(X), y.tolist())
    assert model.n_factorizations <= 400 * (1.0 + 1.0 / PRICE)
    assert model.n_iterations <= 400 * max(6, (D + 1) // 24)


def test_whatever_else_changes_the_moments():
    X, y = stream_of(400, D)
    iterated, factored = (rn.NRRLSClassifier(solver=s) for s in ("cg", "cholesky"))

    def agree():
        a, b = (m.decision_function_one(X[7]) for m in (iterated, factored))
        assert a == pytest.approx(b, rel=1e-9)

    part = slice(100, 103)
    other = alternate(rn.NRRLSClassifier(), X[300:], y[300:])
    for step in (
        lambda m: alternate(m, X[:100], y[:100]),
        lambda m: m.learn_many(pd.DataFrame(X[part]), pd.Series(y[part])),
        lambda m: alternate(m, X[103:150], y[103:150]),
        lambda m: m.unlearn_one(X[120], y[120]),
        lambda m: alternate(m, X[150:180], y[150:180]),
        lambda m: m.learn_one({**X[180], "new": 3.0}, y[180]),
        lambda m: alternate(m, X[181:230], y[181:230]),
        lambda m: m.mutate({"l2": 0.1}),
        lambda m: alternate(m, X[230:260], y[230:260]),
        lambda m: m.merge(other),
        lambda m: alternate(m, X[260:300], y[260:300]),
        lambda m: [m.learn_one(x, label, w=1e6) for x, label in zip(X[:3], y[:3], strict=True)],
        lambda m: alternate(m, X[3:40], y[3:40]),
        lambda m: m.mutate({"learn_intercept": False}),
        lambda m: alternate(m, X[40:50], y[40:50]),
    ):
        step(iterated)
        step(factored)
        agree()
    assert iterated.n_iterations > 300
    assert iterated.n_factorizations < factored.n_factorizations / 2


def test_neither_predictions_nor_counters_are_state():
    X, y = stream_of(200, D)
    asked, silent = rn.NRRLSClassifier(solver="cg"), rn.NRRLSClassifier(solver="cg")
    for x, label in zip(X, y, strict=True):
        asked.predict_proba_one(x)
        asked.learn_one(x, label)
        silent.learn_one(x, label)
    before = pickle.dumps(asked)
    assert before == pickle.dumps(silent)
    score = asked.decision_function_one(X[0])
    assert pickle.dumps(asked) == before
    assert asked.n_iterations > 0
    for copy in (pickle.loads(before), asked.clone(include_attributes=True)):
        assert copy.n_iterations == copy.n_factorizations == 0
        assert copy.residual == 0.0
        assert copy.decision_function_one(X[0]) == pytest.approx(score, rel=1e-9)
        assert copy.n_factorizations == 1


def test_probabilities_follow_the_solution():
    X, y = stream_of(300, D)
    iterated, factored = (rn.NRRLSClassifier(solver=s) for s in ("cg", "cholesky"))
    for x, label in zip(X, y, strict=True):
        iterated.learn_one(x, label)
        factored.learn_one(x, label)
        a, b = iterated.predict_proba_one(x), factored.predict_proba_one(x)
        assert a[True] == pytest.approx(b[True], rel=1e-8)


def test_solver_must_be_known():
    with pytest.raises(ValueError, match="solver must be one of 'auto', 'cholesky', 'cg'"):
        rn.NRRLSClassifier(solver="qr")
