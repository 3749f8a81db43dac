"""Probabilities against what they claim: true posteriors, rows left out, the decision."""

from __future__ import annotations

import math
import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import datasets
from scipy.stats import norm

import river_nrrls as rn
from river_nrrls.least_squares import moments, probabilities

from .test_exact import rows, sample, trained

CALIBRATIONS = ("lda", "gaussian", "clip")


def summary(X, y, l2, model=None):
    """The spread of the scores, and the scores, as the learner computes them."""
    model = trained(rn.NRRLSClassifier(l2=l2), X, y) if model is None else model
    A0, A1 = model._A
    return probabilities.spread(
        A1, A0, model._solution(), 0.5, A1[0, 0], A0[0, 0], model._ridge() / 2.0, True
    )


def left_out(X, y, l2):
    """Scores of each row by a model that has not learnt it."""
    model = trained(rn.NRRLSClassifier(l2=l2), X, y)
    scores = []
    for x, label in zip(rows(X), y.tolist(), strict=True):
        model.unlearn_one(x, label)
        scores.append(model.decision_function_one(x))
        model.learn_one(x, label)
    return np.array(scores)


@pytest.mark.parametrize("l2", [1e-6, 0.1, 1.0])
@pytest.mark.parametrize("positive, n", [(0.5, 120), (0.2, 400)])
def test_means_are_those_of_rows_left_out(l2, positive, n):
    rng = np.random.default_rng(4)
    y = rng.random(n) < positive
    X = rng.normal(size=(n, 15)) + 0.25 * y[:, None]
    scores = left_out(X, y, l2)
    s = summary(X, y, l2)
    learnt = np.array(
        [trained(rn.NRRLSClassifier(l2=l2), X, y).decision_function_one(x) for x in rows(X)]
    )
    # The correction is most of the way from the scores of the rows learnt to those left out.
    for own, got in ((y, s.high), (~y, s.low)):
        bias = scores[own].mean() - learnt[own].mean()
        assert abs(got - scores[own].mean()) < 0.06 * abs(bias)
    assert s.middle == pytest.approx((learnt[y].mean() + learnt[~y].mean()) / 2.0, abs=1e-12)
    assert s.variance_high == pytest.approx(learnt[y].var(ddof=1), rel=1e-9)
    assert s.variance_low == pytest.approx(learnt[~y].var(ddof=1), rel=1e-9)


def test_variance_is_that_of_new_rows():
    rng = np.random.default_rng(0)
    got, true = 0.0, 0.0
    for _ in range(200):
        y = np.arange(120) % 3 == 0
        X = rng.normal(size=(120, 12)) + 0.3 * y[:, None]
        model = rn.NRRLSClassifier(l2=0.0)
        model.learn_many(pd.DataFrame(X), pd.Series(y))
        s = summary(X, y, 0.0, model)
        w = np.array(list(model.weights.values()))
        # Their true variance, as the features are independent of variance 1.
        got += s.variance / s.kept
        true += w @ w
    assert got == pytest.approx(true, rel=0.02)


def test_traces_are_those_of_the_inverse():
    X, y = sample(60)
    for l2, learn_intercept in ((0.0, True), (0.3, True), (0.3, False)):
        model = trained(rn.NRRLSClassifier(l2=l2, learn_intercept=learn_intercept), X, y)
        A0, A1 = model._A
        Z = X - X[0] if learn_intercept else X
        S = [np.cov(Z[own].T, bias=True) for own in (y, ~y)]
        second = [
            np.cov(Z[own].T, bias=True) + np.outer(Z[own].mean(0), Z[own].mean(0))
            for own in (y, ~y)
        ]
        if learn_intercept:
            D = Z[y].mean(axis=0) - Z[~y].mean(axis=0)
            R = 0.7 * S[0] + 0.3 * S[1] + 0.21 * np.outer(D, D) + l2 * np.eye(6)
        else:
            R = 0.7 * second[0] + 0.3 * second[1] + l2 * np.eye(6)
        ridge = np.r_[0.0, np.full(6, l2)]
        got = probabilities._traces(A1, A0, 0.7, ridge, learn_intercept, math.inf)
        wanted = [np.trace(np.linalg.solve(R, s)) for s in S]
        assert got == pytest.approx(wanted, rel=1e-7)
        bound, _ = probabilities._traces(A1, A0, 0.7, ridge, learn_intercept, 0.0)
        assert 0.7 * got[0] + 0.3 * got[1] <= bound + 1e-9


def test_two_variances_are_told_apart():
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.3
    X = np.where(y, rng.normal(1.0, 2.0, len(y)), rng.normal(-1.0, 0.7, len(y)))
    model = rn.NRRLSClassifier(l2=0.0, prior="natural", calibration="gaussian")
    model.learn_many(pd.DataFrame({"a": X}), pd.Series(y))
    grid = np.linspace(-1.0, 1.2, 20)
    high, low = 0.3 * norm.pdf(grid, 1.0, 2.0), 0.7 * norm.pdf(grid, -1.0, 0.7)
    got = model.predict_proba_many(pd.DataFrame({"a": grid}))[True].to_numpy()
    assert np.abs(got - high / (high + low)).max() < 0.03
    lda = model.clone({"calibration": "lda"}, include_attributes=True)
    other = lda.predict_proba_many(pd.DataFrame({"a": grid}))[True].to_numpy()
    assert np.abs(other - high / (high + low)).max() > 0.1


def test_gaussian_does_not_turn_back():
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.5
    X = np.where(y, rng.normal(1.0, 3.0, len(y)), rng.normal(-1.0, 0.5, len(y)))
    model = rn.NRRLSClassifier(calibration="gaussian")
    model.learn_many(pd.DataFrame({"a": X}), pd.Series(y))
    for prior in ("balanced", "natural"):
        model.prior = prior
        p = model.predict_proba_many(pd.DataFrame({"a": np.linspace(-8, 8, 400)}))[True].to_numpy()
        assert (np.diff(p[p < 1.0 - 1e-9]) > 0.0).all() and (np.diff(p) >= 0.0).all()
        assert (p < 1.0 - 1e-9).sum() > 200
    # The plain ratio of the densities does turn back.
    ratio = norm.logpdf(np.linspace(-8, 0, 50), 1.0, 3.0) - norm.logpdf(
        np.linspace(-8, 0, 50), -1.0, 0.5
    )
    assert ratio[0] > ratio[-1]


def test_clip_is_appendix_a():
    X, y = sample(300)
    model = trained(rn.NRRLSClassifier(calibration="clip", prior="natural"), X, y)
    n1, n0 = y.sum(), (~y).sum()
    inside = 0
    for x in rows(X):
        f = model.decision_function_one(x)
        p = model.predict_proba_one(x)
        if abs(f) < 1.0 - 2.0 / 302.0:
            inside += 1
            assert p[True] == pytest.approx(n1 * (1 + f) / (n1 * (1 + f) + n0 * (1 - f)), rel=1e-9)
    assert 100 < inside < 300
    model.prior = "balanced"
    far = model.clone(include_attributes=True)
    p = [far.predict_proba_one({"x0": v})[True] for v in np.linspace(-1e3, 1e3, 50)]
    steps = np.diff(p)
    assert (steps > 0).all() or (steps < 0).all()
    assert min(p) > 0.98 / 302.0


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize(
    "options", [{}, {"costs": {True: 9.0, "b": 5.0}}, {"strategy": "shared"}], ids=str
)
@pytest.mark.parametrize("labels", [(False, True), ("a", "b"), ("a", "b", "c", "d")], ids=str)
def test_balanced_probabilities_agree_with_the_decision(calibration, options, labels):
    rng = np.random.default_rng(2)
    for fixed in (None, labels):
        model = rn.NRRLSClassifier(calibration=calibration, classes=fixed, **options)
        for i in range(80):
            X = rng.normal(size=(6, 9)) * 10.0 ** rng.integers(-3, 4)
            frame = pd.DataFrame(np.vstack([X, np.zeros((1, 9))]), columns=list("abcdefghi"))
            predicted = model.predict_many(frame).tolist()
            table = model.predict_proba_many(frame)
            for j, x in enumerate(frame.to_dict("records")):
                p = model.predict_proba_one(x)
                assert (max(p, key=p.get) if p else None) == model.predict_one(x) == predicted[j]
                if p:
                    assert table.columns[table.iloc[j].to_numpy().argmax()] == predicted[j]
                    assert sum(p.values()) == pytest.approx(1.0, rel=1e-12)
                    assert all(type(q) is float and 0.0 <= q <= 1.0 for q in p.values())
            label = labels[int(i**0.7) % len(labels)]
            x = rng.normal(size=9) + labels.index(label)
            model.learn_one(dict(zip("abcdefghi", x.tolist(), strict=True)), label)


def test_ties_and_the_cold_start():
    for calibration in CALIBRATIONS:
        for prior in ("balanced", "natural", {False: 1.0, True: 3.0}):
            model = rn.NRRLSClassifier(calibration=calibration, prior=prior, classes=(False, True))
            p = model.predict_proba_one({"a": 1.0})
            assert (
                p == {True: 0.75, False: 0.25}
                if isinstance(prior, dict)
                else {True: 0.5, False: 0.5}
            )
            assert model.predict_one({"a": 1.0}) is True
        model = rn.NRRLSClassifier(calibration=calibration)
        for v in (-1.0, 1.0):
            model.learn_one({"a": v}, v > 0)
        for v in (0.0, 1e-17, -1e-17, 1e-300, -1e-300):
            p = model.predict_proba_one({"a": v})
            assert max(p, key=p.get) == model.predict_one({"a": v})
        frame = pd.DataFrame({"a": [0.0, 1e-17, -1e-17, 1e-300]})
        table = model.predict_proba_many(frame)
        assert table.idxmax(axis=1).tolist() == model.predict_many(frame).tolist()
    scores = np.array([0.0, 1e-20, -1e-20])
    p = probabilities.pairs(3.0 * scores, scores, True)
    assert p[0, 0] == p[0, 1] and p[1, 0] < p[1, 1] and p[2, 0] > p[2, 1]
    for score, wanted in zip(scores.tolist(), p.tolist(), strict=True):
        assert probabilities.pair(3.0 * score, score, True) == tuple(wanted)


def test_one_class_seen():
    model = rn.NRRLSClassifier(prior="natural")
    for i in range(8):
        model.learn_one({"a": float(i)}, False)
    assert model.predict_proba_one({"a": 1.0})[True] == pytest.approx(0.1, rel=1e-12)
    model.prior = "balanced"
    p = model.predict_proba_one({"a": 1.0})
    assert p[False] == pytest.approx(1.0 / (1.0 + math.exp(-0.25)), rel=1e-12)


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_prior_odds_multiply(calibration):
    X, y = sample(300)
    natural = trained(rn.NRRLSClassifier(calibration=calibration, prior="natural"), X, y)
    fixed = natural.clone({"prior": {True: 0.02, False: 0.98}}, include_attributes=True)
    wanted = (0.02 / 0.98) / (y.sum() / (~y).sum())
    for x in rows(X)[:50]:
        p, q = natural.predict_proba_one(x), fixed.predict_proba_one(x)
        ratio = (q[True] / q[False]) / (p[True] / p[False])
        assert ratio == pytest.approx(wanted, rel=1e-8)
    with pytest.raises(ValueError, match="names no share for \\[True\\]"):
        natural.clone({"prior": {False: 1.0}}, include_attributes=True).predict_proba_one({})


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("prior", ["balanced", "natural"])
def test_calibration_is_mutable_and_solved_anew_on_clones(calibration, prior):
    stream = list(datasets.ImageSegments().take(400))
    fresh = rn.NRRLSClassifier(calibration=calibration, prior=prior, scaling="standard")
    model = rn.NRRLSClassifier(scaling="standard")
    for x, y in stream:
        fresh.learn_one(x, y)
        model.learn_one(x, y)
    before = pickle.dumps(model)
    clone = model.clone({"calibration": calibration, "prior": prior}, include_attributes=True)
    other = pickle.loads(before)
    other.mutate({"calibration": calibration, "prior": prior})
    for x, _ in stream[::20]:
        wanted = fresh.predict_proba_one(x)
        assert clone.predict_proba_one(x) == wanted == other.predict_proba_one(x)
    assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match="calibration must be one of 'lda', 'gaussian', 'clip'"):
        model.calibration = "platt"


def test_few_rows_promise_little():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60))
    y = np.arange(40) % 2 == 0
    model = trained(rn.NRRLSClassifier(), X, y)
    for calibration in ("lda", "gaussian"):
        model.calibration = calibration
        for x in rows(X):
            p = model.predict_proba_one(x)
            assert abs(model.decision_function_one(x)) == pytest.approx(1.0, abs=1e-3)
            assert max(p.values()) < 0.57


def test_n_rows_cannot_vouch_for_more():
    model = rn.NRRLSClassifier(prior="natural")
    for i in range(200):
        model.learn_one({"a": float(i % 2), "b": math.sin(i)}, i % 2 == 1)
    p = model.predict_proba_one({"a": 1.0, "b": 0.0})
    assert p[False] == pytest.approx(1.0 / 202.0, rel=0.01)


def test_unit_free_and_order_free():
    X, y = sample(100)
    for calibration in CALIBRATIONS:
        options = {"calibration": calibration, "prior": "natural"}
        model = trained(rn.NRRLSClassifier(l2=0.0, **options), X, y)
        moved = trained(rn.NRRLSClassifier(l2=0.0, **options), X[::-1] * 1e3 + 7.0, y[::-1])
        for x, z in zip(rows(X), rows(X * 1e3 + 7.0), strict=True):
            p, q = model.predict_proba_one(x), moved.predict_proba_one(z)
            assert q == pytest.approx(p, rel=1e-6)


def test_the_rest_of_each_label_is_the_others_taken_as_one():
    X, y = sample(90)
    A = [
        np.asfortranarray(np.tril(moments.gram(np.c_[np.ones(30), X[i::3]], None)))
        for i in range(3)
    ]
    weight, n = np.array([2.0, 3.0, 5.0]), [30.0, 20.0, 10.0]
    found = [(rest.copy(), worth) for rest, worth in probabilities.rests(A, weight, n)]
    for i, (rest, worth) in enumerate(found):
        others = [j for j in range(3) if j != i]
        share = weight[others] / weight[others].sum()
        wanted = sum(s * A[j] / 30.0 for s, j in zip(share, others, strict=True))
        np.testing.assert_allclose(rest, wanted, rtol=1e-12, atol=1e-15)
        assert worth == pytest.approx(1.0 / (share**2 / np.array(n)[others]).sum())


SCALES = {"normal": 1.0, "large": 1e6, "tiny": 1e-150, "huge": 1e148, "zero": 0.0}


@pytest.mark.parametrize("kind", [*SCALES, "constant", "duplicated", "mixed"])
@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.filterwarnings("ignore:the moments are singular")
def test_whatever_the_rows_probabilities_and_errors_are_numbers(kind, calibration):
    rng = random.Random(f"{kind} {calibration}")
    for _ in range(25):
        labels = rng.choice([(False, True), ("u", "v"), ("a", "b", "c")])
        model = rn.NRRLSClassifier(
            l2=rng.choice([0.0, 1e-4, 1.0, 1e8]),
            learn_intercept=rng.random() < 0.7,
            costs=rng.choice([None, {labels[0]: 1e3}]),
            prior=rng.choice(["balanced", "natural"]),
            tau=rng.choice([0.0, 0.3]),
            forgetting=rng.choice([1.0, 0.9]),
            scaling=rng.choice([None, "standard", "minmax"]),
            strategy=rng.choice(["ovr", "shared"]),
            calibration=calibration,
        )
        scale = [
            SCALES.get(kind, 10.0 ** rng.randint(-12, 12)) for _ in range(rng.choice([0, 1, 5]))
        ]
        for i in range(rng.choice([1, 3, 12, 40])):
            code = rng.randrange(len(labels)) if rng.random() < 0.8 else 0
            draws = [rng.gauss(code, 1.0) for _ in scale]
            x = {
                f"x{j}": 3.0 if kind == "constant" else s * draws[0 if kind == "duplicated" else j]
                for j, s in enumerate(scale)
            }
            w = 1.0 if kind == "huge" else rng.choice([1.0, 1.0, 3.0, 1e-3, 1e9])
            model.learn_one(x, labels[code], w)
            p = model.predict_proba_one(x)
            assert all(0.0 <= q <= 1.0 for q in p.values())
            assert sum(p.values()) == pytest.approx(1.0, rel=1e-9)
            if model.prior == "balanced":
                assert max(p, key=p.get) == model.predict_one(x)
            if i % 8 == 0:
                errors = model.weights_std_error
                forms = [errors] if model._binary else errors.values()
                assert not any(math.isnan(error) for form in forms for error in form.values())
