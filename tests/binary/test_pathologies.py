"""Learner x named pathology: what must not break one, and what must not poison it."""

from __future__ import annotations

import csv
import gzip
import itertools
import math
import random
from pathlib import Path

import mpmath
import numpy as np
import pytest

from river_nrrls import binary
from river_nrrls.binary.covariance import normal_pair

from . import literal
from .learners import LEARNERS, SECOND_ORDER, name

R = random.Random(0)
LINE = {f"x{j}": v for j, v in enumerate((0.3, -0.7, 1.1, 0.2))}


def coins(rows):
    return [(x, R.random() < 0.5) for x in rows]


def gauss(n, scale=1.0, d=4):
    return coins({f"x{j}": scale * R.gauss(0, 1) for j in range(d)} for _ in range(n))


ZEROS = [(dict.fromkeys(LINE, 0.0), i % 2 == 0) for i in range(50)]
PATHOLOGIES = {
    "zero rows": ZEROS,
    "zero rows between": list(itertools.chain(*zip(ZEROS, gauss(50), strict=True))),
    "no features": [({}, i % 2 == 0) for i in range(20)],
    "collinear": coins([{k: v * R.gauss(0, 1) for k, v in LINE.items()} for _ in range(150)]),
    "one row, labels in turn": [(LINE, i % 2 == 0) for i in range(150)],
    "one row, label flips late": [(LINE, i < 50) for i in range(100)],
    "only True": [(x, True) for x, _ in gauss(100)],
    "only False": [(x, False) for x, _ in gauss(100)],
    "huge": gauss(100, 2e149),
    "largest": coins([{"a": 1e150, "b": -1e150, "c": 1e150}] * 100),
    "thousands": gauss(200, 3000.0),
    "tiny": gauss(100, 1e-300),
    "squares underflow": gauss(100, 1e-160),
    "squares denormal": gauss(100, 1e-153),
    "features of all sizes": coins(
        [{k: R.choice((-1, 1)) * 10.0 ** R.uniform(-300, 150) for k in LINE} for _ in range(150)]
    ),
    "rows of all sizes": [
        ({k: v * s for k, v in x.items()}, y)
        for (x, y), s in zip(
            gauss(150), (10.0 ** R.uniform(-300, 149) for _ in range(150)), strict=True
        )
    ],
    "constant": coins([{"a": 5.0, "b": 5.0}] * 150),
    "duplicate columns": coins(
        [{"a": v, "b": v, "c": -v} for v in (R.gauss(0, 1) for _ in range(150))]
    ),
    "one feature": gauss(300, d=1),
    "emerging": [gauss(1, d=1 + i // 10)[0] for i in range(150)],
    "disappearing": [gauss(1, d=5 - i // 40)[0] for i in range(200)],
}
WEIGHTS = {
    "weight 1": lambda rng: 1.0,
    "weight 1e10": lambda rng: 1e10,
    "weight 1e150": lambda rng: 1e150,
    "weights of all sizes": lambda rng: 10.0 ** rng.uniform(-150, 150),
}


def assert_sound(model, rows):
    assert np.isfinite(list(model.weights.values())).all()
    assert math.isfinite(model.intercept)
    if isinstance(model, tuple(type(m) for m in SECOND_ORDER)):
        S = model._sigma
        assert np.isfinite(S).all()
        if S.ndim == 2:
            assert np.linalg.slogdet(S).logabsdet > -math.inf
        else:
            assert (S > 0.0).all()
    for x, _ in rows:
        assert math.isfinite(model.decision_function_one(x))
        proba = model.predict_proba_one(x)
        assert sum(proba.values()) == pytest.approx(1.0, abs=1e-12)
        assert max(proba, key=proba.get) is model.predict_one(x)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("learn_intercept", [True, False], ids=["intercept", "bare"])
@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_state_stays_finite_and_definite(learner, learn_intercept, weights):
    rng = random.Random(5)
    for rows in PATHOLOGIES.values():
        model = learner.clone({"learn_intercept": learn_intercept})
        for x, y in rows:
            model.learn_one(x, y, WEIGHTS[weights](rng))
        assert_sound(model, rows[:30])


# What is left of these is a model like any other; the others leave weights that only rows of
# their own size can move.
HARMLESS = ["zero rows", "no features", "tiny", "squares underflow", "one feature", "emerging"]


@pytest.mark.parametrize("pathology", HARMLESS)
@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_a_harmless_past_does_not_stop_learning(learner, pathology):
    model = learner.clone()
    for x, y in PATHOLOGIES[pathology]:
        model.learn_one(x, y)
    rng = random.Random(1)
    right = 0
    for i in range(600):
        x = {f"new{j}": rng.gauss(0, 1) for j in range(3)}
        y = x["new0"] + x["new1"] - x["new2"] > 0
        if i >= 400:
            right += model.predict_one(x) is y
        model.learn_one(x, y)
    assert right >= 170


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_a_huge_number_does_not_silence_the_other_features(learner):
    model = learner.clone()
    model.learn_one({"ignore": 1.8e19, "out": 1.0}, False)
    rng = random.Random(2)
    for _ in range(100):
        v = rng.gauss(0, 1)
        model.learn_one({"ignore": rng.gauss(0, 1), "out": v}, v > 0)
    assert model.weights["out"] != 0.0
    assert_sound(model, [({"ignore": 0.1, "out": 1.0}, True)])


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_a_weight_of_one_is_no_weight(learner):
    plain, weighted = learner.clone(), learner.clone()
    rng = random.Random(3)
    for x, y in gauss(100):
        plain.learn_one(x, y)
        weighted.learn_one(x, y, rng.choice([1, 1.0, np.int64(1), np.float32(1.0)]))
    assert plain._get_state().keys() == weighted._get_state().keys()
    for key, value in plain._get_state().items():
        np.testing.assert_array_equal(value, weighted._get_state()[key])


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_a_weight_of_zero_is_no_row(learner):
    model = learner.clone()
    for x, y in gauss(50):
        model.learn_one(x, y)
    before = model._get_state()
    before = {k: np.copy(v) for k, v in before.items()}
    model.learn_one({"x0": 3.0, "unknown": 1.0}, True, 0.0)
    after = model._get_state()
    for key, value in before.items():
        np.testing.assert_array_equal(value, after[key])


# ALMA ends its step in a norm of 1, OGD and ONS with D in a projection.
STEPPING = [
    m
    for m in LEARNERS
    if not isinstance(m, binary.ALMAClassifier) and getattr(m, "D", None) is None
]


@pytest.mark.parametrize("weight", [0.25, 3.0])
@pytest.mark.parametrize("learner", STEPPING, ids=name)
def test_a_weight_multiplies_the_step(learner, weight):
    row = ({"a": 1.5, "b": -2.0}, False)
    one, other = learner.clone(), learner.clone()
    one.learn_one(*row)
    other.learn_one(*row, weight)
    np.testing.assert_allclose(other._w, weight * one._w, rtol=1e-12)
    assert one._w.any()


def covtype():
    """3,000 rows of UCI covertype, raw: metres, degrees and one-hot soils; True is cover type 2."""
    with gzip.open(Path(__file__).with_name("covtype-3000.csv.gz"), "rt") as file:
        names, *rows = csv.reader(file)
    return [
        (dict(zip(names[:-1], map(float, row[:-1]), strict=True)), row[-1] == "1") for row in rows
    ]


@pytest.mark.parametrize("learn_intercept", [True, False], ids=["intercept", "bare"])
@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("eta", [0.7, 0.9])
def test_cw_on_raw_features_stays_definite_and_learns(eta, covariance, learn_intercept):
    model = binary.CWClassifier(eta=eta, covariance=covariance, learn_intercept=learn_intercept)
    right = 0
    for i, (x, y) in enumerate(covtype()):
        right += i >= 1500 and model.predict_one(x) is y
        model.learn_one(x, y)
        if i % 300 == 299:
            sigma = model.covariance_matrix
            smallest = sigma.min() if covariance == "diagonal" else np.linalg.eigvalsh(sigma).min()
            assert smallest > 0.0
    assert right / 1500 > 0.6


def test_the_plain_recursion_fails_where_the_root_does_not():
    """Why Σ is kept as a root: on the same rows xᵀΣx turns negative in the formula as printed."""
    w, S = np.zeros(54), np.eye(54)
    for x, y in covtype():
        row = np.array(list(x.values()))
        if row @ S @ row < 0.0:
            break
        w, S, _, _ = literal.cw(w, S, None, row, 1.0 if y else -1.0, 1.0, eta=0.9)
    else:
        raise AssertionError("the plain recursion survived")


@pytest.mark.parametrize("learner", [binary.AROWClassifier(), binary.NHERDClassifier()], ids=name)
def test_the_root_is_as_exact_as_sixty_digits(learner):
    """Against the plain recursion in 60 digits, on rows of several sizes."""
    mpmath.mp.dps = 60
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) * [1e-3, 1.0, 1e3, 1e5]
    y = rng.choice([-1.0, 1.0], size=300)
    model = learner.clone({"learn_intercept": False})
    w, S = mpmath.zeros(4, 1), mpmath.eye(4)
    for row, label in zip(X, y, strict=True):
        model.learn_one(dict(enumerate(row.tolist())), bool(label > 0))
        x = mpmath.matrix(row.tolist())
        l = 1 - label * (w.T * x)[0]
        if l > 0:
            s = S * x
            v = (x.T * s)[0]
            beta = 1 / (v + 1)
            w += l * beta * label * s
            shrink = beta if type(learner) is binary.AROWClassifier else beta**2 * (v + 2)
            S -= shrink * s * s.T
    scale = np.abs(X).max(axis=0)
    exact = np.array([float(v) for v in w]) * scale
    got = np.array(list(model.weights.values())) * scale
    assert np.abs(got - exact).max() <= 1e-9 * np.abs(exact).max()
    sigma = np.array([[float(S[i, j]) for j in range(4)] for i in range(4)])
    error = np.abs(model.covariance_matrix - sigma) * np.outer(scale, scale)
    assert error.max() <= 1e-9 * (np.abs(sigma) * np.outer(scale, scale)).max()


@pytest.mark.parametrize("z", [-50.0, -10.0, -1e-9, 0.0, 0.3, 5.0, 36.9, 1e300])
def test_normal_pair(z):
    false, true = normal_pair(z)
    assert false > 0.0 and true > 0.0
    assert false + true == pytest.approx(1.0, abs=1e-15)
    assert (true >= false) == (z >= 0.0)


def test_diagonal_state_is_linear_in_the_features():
    model = binary.AROWClassifier(covariance="diagonal")
    x = {j: 1.0 for j in range(10_000)}
    model.learn_one(x, False)
    sizes = [v.nbytes for v in model._get_state().values() if isinstance(v, np.ndarray)]
    assert sizes == [8 * 10_001] * 2
