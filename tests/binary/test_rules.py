"""Every rule against the formulas as printed, step by step."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import optimize
from scipy.special import ndtr

from river_nrrls import binary
from river_nrrls.binary.alma import link, norm
from river_nrrls.binary.arow import arow
from river_nrrls.binary.covariance import hinge_step, quantile
from river_nrrls.binary.ons import project
from river_nrrls.binary.romma import romma

from . import literal
from .learners import DIAGONAL, LEARNERS, SECOND_ORDER, name

LITERAL = {
    "Perceptron": (literal.perceptron, ()),
    "ALMA": (literal.alma, ("alpha", "p", "C", "form")),
    "ROMMA": (literal.romma, ("aggressive", "form")),
    "PA": (literal.pa, ("variant", "C")),
    "OGD": (literal.ogd, ("loss", "C", "D")),
    "SOP": (literal.sop, ("form",)),
    "CW": (literal.cw, ("eta",)),
    "IELLIP": (literal.iellip, ("b", "c")),
    "AROW": (literal.arow, ("r",)),
    "NAROW": (literal.narow, ("b", "form")),
    "NHERD": (literal.nherd, ("C",)),
    "SCW": (literal.scw, ("variant", "eta", "C", "form")),
    "ACOG": (literal.acog, ("metric", "loss", "eta", "gamma", "alpha_p", "c_p")),
    "ONS": (literal.ons, ("loss", "beta")),
}


def stream(n, d, seed):
    """Two overlapping classes whose features are correlated and differ in scale."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * np.logspace(-1, 1, d)
    y = np.where(X @ rng.normal(size=d) + 3 * rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y


def dual(learner):
    """Whether the rule's step is that of a dual vector, for which the paper has no weights."""
    return isinstance(learner, binary.NAROWClassifier) and learner.form == "paper"


@pytest.mark.parametrize(
    "learner, weighted",
    [
        pytest.param(m, weighted, id=f"{name(m)}-{'weighted' if weighted else 'plain'}")
        for m in LEARNERS
        for weighted in (False, True)
        if not (weighted and dual(m))
    ],
)
def test_steps_are_those_of_the_papers(learner, weighted):
    kind = type(learner).__name__.removesuffix("Classifier")
    rule, names = LITERAL[kind]
    parameters = {key: getattr(learner, key) for key in names}
    diagonal = learner in DIAGONAL
    if kind in ("NAROW", "SOP"):
        parameters["diagonal"] = diagonal
    d = 5
    a = 0.5 if learner in SECOND_ORDER else 1.0
    changes = {"learn_intercept": False}
    if learner in SECOND_ORDER:
        changes["a"] = a
    if kind == "ONS":
        changes["D"] = 1e9
    model = learner.clone(changes)
    w, S, clock = np.zeros(d), np.eye(d) * a, None
    weights = np.random.default_rng(3).uniform(0.2, 1.8, size=80)
    for row, y, weight in zip(*stream(80, d, 5), weights, strict=True):
        weight = weight if weighted else 1.0
        w, S, clock, l = rule(w, S, clock, row, y, weight, **parameters)
        if diagonal:
            S = np.diag(np.diag(S))
        before = model.n_updates
        model.learn_one(dict(enumerate(row.tolist())), bool(y > 0), float(weight))
        if abs(l) > 1e-9:
            assert model.n_updates - before == (l > 0)
        np.testing.assert_allclose(model._w, w, rtol=1e-9, atol=1e-9 * np.abs(w).max())
        if learner in SECOND_ORDER:
            sigma = model.covariance_matrix
            wanted = np.diag(S) if diagonal else S
            np.testing.assert_allclose(sigma, wanted, rtol=1e-8, atol=1e-10 * np.abs(S).max())


def test_the_rules_are_functions_of_arrays():
    """The shell adds nothing: the functions alone, on plain arrays, make the same model."""
    X, y = stream(60, 4, 1)
    model = binary.AROWClassifier(learn_intercept=False)
    w, S = np.zeros(4), np.asfortranarray(np.eye(4))
    for row, label in zip(X, y, strict=True):
        hinge_step(w, S, row, label, arow, 1.0, 1.0, np.zeros(4))
        model.learn_one(dict(enumerate(row.tolist())), bool(label > 0))
    np.testing.assert_array_equal(w, list(model.weights.values()))


@pytest.mark.parametrize("aggressive", [False, True])
def test_romma_solves_its_problem(aggressive):
    """min ‖w‖ with wᵀw_t ≥ ‖w_t‖² and y wᵀx ≥ 1, by enumerating the active sets."""

    def solve(old, x, y):
        best = None
        rows, right = np.array([old, y * x]), np.array([old @ old, 1.0])
        for size in (1, 2):
            for active in map(list, itertools.combinations(range(2), size)):
                w = np.linalg.lstsq(rows[active], right[active], rcond=None)[0]
                if (rows @ w >= right - 1e-9).all() and (best is None or w @ w < best @ best):
                    best = w
        return best

    rng = np.random.default_rng(0)
    updates = 0
    for _ in range(300):
        x = rng.normal(size=3) * rng.choice([0.1, 1.0])
        y = rng.choice([-1.0, 1.0])
        old = rng.normal(size=3) * rng.choice([0.1, 1.0, 3.0])
        w = old.copy()
        if romma(w, x, y, aggressive, "paper") > 0.0:
            updates += 1
            np.testing.assert_allclose(w, solve(old, x, y), rtol=1e-7)
        else:
            np.testing.assert_array_equal(w, old)
    assert updates > 100


def test_romma_on_the_line_of_the_weights():
    line = np.array([1.0, 2.0])
    w = np.zeros(2)
    romma(w, line, 1.0, True, "paper")
    np.testing.assert_allclose(w, line / 5)
    assert romma(w, 2 * line, -1.0, True, "paper") > 0.0
    np.testing.assert_allclose(w, line / 5)
    assert romma(w, 0.5 * line, 1.0, True, "paper") > 0.0
    np.testing.assert_allclose(w, line / 2.5)


@pytest.mark.parametrize("p", [2, 2.5, 4, 10])
def test_almas_links_are_inverse(p):
    v = np.array([0.3, -2.0, 0.0, 1e-8, 5.0])
    q = p / (p - 1)
    np.testing.assert_allclose(link(link(v, q), p), v, rtol=1e-12)
    assert norm(link(v, q), p) == pytest.approx(norm(v, q), rel=1e-12)
    assert norm(1e150 * v, p) == pytest.approx(1e150 * norm(v, p), rel=1e-12)


def test_alma_reaches_its_margin():
    """On separable rows, run to rest, the margin is at least 1 - alpha of the largest."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    X = X[np.abs(X @ [0.6, 0.8]) > 0.3 * np.linalg.norm(X, axis=1)]
    y = X @ [0.6, 0.8] > 0
    angles = np.linspace(0, 2 * np.pi, 100_001)
    unit = X / np.linalg.norm(X, axis=1)[:, None]
    signed = unit * np.where(y, 1, -1)[:, None]
    largest = (signed @ [np.cos(angles), np.sin(angles)]).min(axis=0).max()
    model = binary.ALMAClassifier(alpha=0.2, learn_intercept=False)
    before = -1
    while model.n_updates != before:
        before = model.n_updates
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            model.learn_one(dict(enumerate(row)), label)
    w = np.array(list(model.weights.values()))
    assert (signed @ w).min() / np.linalg.norm(w) >= 0.8 * largest


@pytest.mark.parametrize("full", [True, False], ids=["full", "diagonal"])
@pytest.mark.parametrize("radius", [0.1, 1.0, 2.9])
def test_ons_projects_in_the_norm_of_a(full, radius):
    rng = np.random.default_rng(4)
    root = rng.normal(size=(4, 4)) * np.logspace(0, 2, 4)
    S = np.asfortranarray(root) if full else (root**2).sum(axis=1)
    A = np.linalg.inv(S @ S.T if full else np.diag(S))
    u = np.array([1.0, -2.0, 1.5, 1.2])
    w = u.copy()
    project(w, S, radius)
    assert np.linalg.norm(w) == pytest.approx(radius, rel=1e-9)
    scale = np.trace(A)
    other = optimize.minimize(
        lambda z: (z - u) @ A @ (z - u) / scale,
        w * 0.9,
        jac=lambda z: 2 * A @ (z - u) / scale,
        constraints=[{"type": "ineq", "fun": lambda z: radius**2 - z @ z, "jac": lambda z: -2 * z}],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    ).x
    # The optimum by its conditions: A(u - w) = lam w with lam > 0 …
    lam = (A @ (u - w)) @ w / (w @ w)
    assert lam > 0.0
    np.testing.assert_allclose(w + lam * np.linalg.solve(A, w), u, rtol=1e-7)
    # … and no other point found is nearer.
    assert (w - u) @ A @ (w - u) <= (other - u) @ A @ (other - u) * (1 + 1e-9)


def test_ons_keeps_what_is_inside():
    w = np.array([0.3, 0.4])
    project(w, np.array([1.0, 2.0]), 0.5)
    assert w.tolist() == [0.3, 0.4]


def test_ons_stays_in_its_ball():
    model = binary.ONSClassifier(D=1.0, a=10.0)
    X, y = stream(200, 4, 7)
    for row, label in zip(X.tolist(), y, strict=True):
        model.learn_one(dict(enumerate(row)), bool(label > 0))
        size = math.hypot(model.intercept, *model.weights.values())
        assert size <= 0.5 * (1 + 1e-9)
    assert size == pytest.approx(0.5)


@pytest.mark.parametrize("eta", [0.51, 0.6, 0.75, 0.9, 0.999])
def test_quantile(eta):
    assert ndtr(quantile(eta)) == pytest.approx(eta, rel=1e-14)


def test_cw_meets_its_constraint_exactly():
    model = binary.CWClassifier(eta=0.8, learn_intercept=False)
    X, y = stream(100, 4, 9)
    for row, label in zip(X, y, strict=True):
        model.learn_one(dict(enumerate(row.tolist())), bool(label > 0))
        w = np.array(list(model.weights.values()))
        v = row @ model.covariance_matrix @ row
        assert label * (w @ row) >= quantile(0.8) * math.sqrt(v) - 1e-9 * np.abs(w).max() * 10


@pytest.mark.parametrize("loss", ["I", "II"])
def test_acog_counts_a_row_once(loss):
    """Several steps on one row are one row of its class."""
    model = binary.ACOGClassifier(loss=loss, learn_intercept=False)
    row = np.array([1.0, 2.0])
    model.learn_one({"a": 0.5, "b": 0.1}, False)
    model._advance(row, 1.0)
    for _ in range(5):
        model._step(row, 1.0, 1.0)
    assert (model._n_p, model._n_n) == (1.0, 1.0)


def test_clocks_tick_once_a_row():
    row = np.array([1.0, 2.0])
    ogd, iellip = (
        binary.OGDClassifier(learn_intercept=False),
        binary.IELLIPClassifier(learn_intercept=False),
    )
    sop = binary.SOPClassifier(form="libol", learn_intercept=False)
    for model in (ogd, iellip, sop):
        model.learn_one({"a": 0.5, "b": 0.1}, False)
        model._advance(row, 1.0)
        sigma = getattr(model, "_sigma", row).copy()
        for _ in range(5):
            model._step(row, -1.0, 1.0)
    assert ogd._t == iellip._t == 2
    np.testing.assert_array_equal(sop._sigma, sigma)


PROBIT = [
    binary.CWClassifier,
    binary.AROWClassifier,
    binary.NHERDClassifier,
    binary.SCWClassifier,
]


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("learner", PROBIT, ids=lambda cls: cls.__name__)
def test_gaussian_learners_answer_with_the_probit(learner, covariance):
    model = learner(covariance=covariance)
    X, y = stream(50, 3, 11)
    for row, label in zip(X.tolist(), y, strict=True):
        model.learn_one(dict(enumerate(row)), bool(label > 0))
    sigma = model.covariance_matrix
    sigma = sigma if covariance == "full" else np.diag(sigma)
    for row in X[:20]:
        x = dict(enumerate(row.tolist()))
        full = np.array([1.0, *row])
        z = model.decision_function_one(x) / math.sqrt(full @ sigma @ full)
        proba = model.predict_proba_one(x)
        assert proba[True] == pytest.approx(ndtr(z), rel=1e-9)
        assert proba[False] == pytest.approx(ndtr(-z), rel=1e-9)


@pytest.mark.parametrize("learner", [m for m in LEARNERS if type(m) not in PROBIT], ids=name)
def test_the_others_answer_with_the_logistic(learner):
    model = learner.clone()
    X, y = stream(50, 3, 12)
    for row, label in zip(X.tolist(), y, strict=True):
        model.learn_one(dict(enumerate(row)), bool(label > 0))
    for row in X[:20].tolist():
        x = dict(enumerate(row))
        score = model.decision_function_one(x)
        if abs(score) < 700:
            assert model.predict_proba_one(x)[True] == pytest.approx(
                1 / (1 + math.exp(-score)), rel=1e-12
            )
