"""With two classes each rule is its binary sister, up to a stated factor.

W_True = -W_False = u then, the margin is that of the difference w = 2u, and a tie goes to True in
both, as `classes=(True, False)` puts it first.
"""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest

from river_nrrls import binary
from river_nrrls.multiclass import (
    MulticlassAROWClassifier,
    MulticlassCWClassifier,
    MulticlassOGDClassifier,
    MulticlassPAClassifier,
    MulticlassPerceptronClassifier,
    MulticlassROMMAClassifier,
    MulticlassSCWClassifier,
)

TWO = (True, False)
NORMAL = statistics.NormalDist()


def rows(n: int = 300) -> list[tuple[dict[str, float], bool]]:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=5)
    X = rng.normal(size=(n, 5))
    X[::17] = 0.0
    Y = (X @ truth + 0.8 * rng.normal(size=n) > 0.0).tolist()
    return [(dict(zip("abcde", x.tolist(), strict=True)), y) for x, y in zip(X, Y, strict=True)]


def difference(model: Any) -> np.ndarray:
    """w = W_True - W_False, of rows that are each other's negative."""
    W = model._W
    np.testing.assert_allclose(W[0], -W[1], rtol=1e-12, atol=1e-15)
    return np.asarray(W[0] - W[1])


def close(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * abs(b).max())


@pytest.mark.parametrize(
    "many, two, factor",
    [
        (
            MulticlassPerceptronClassifier(form="libol", classes=TWO),
            binary.PerceptronClassifier(),
            2,
        ),
        (MulticlassPAClassifier("PA", classes=TWO), binary.PAClassifier("PA"), 1),
        # A bound on the step of each row bounds that of the difference by twice as much.
        (MulticlassPAClassifier("PA-I", 0.1, classes=TWO), binary.PAClassifier("PA-I", 0.2), 1),
        (MulticlassPAClassifier("PA-II", 0.1, classes=TWO), binary.PAClassifier("PA-II", 0.2), 1),
        (MulticlassOGDClassifier(0.3, classes=TWO), binary.OGDClassifier("hinge", 0.6), 1),
        (MulticlassROMMAClassifier(classes=TWO), binary.ROMMAClassifier(), 1),
        (MulticlassROMMAClassifier(True, classes=TWO), binary.ROMMAClassifier(True), 1),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "_labels") else str(value),
)
def test_first_order(many: Any, two: Any, factor: float) -> None:
    """The difference of the rows is `factor` times the sister's weights, after every row."""
    many, two = many.clone(), two.clone()
    for x, y in rows():
        assert many.predict_one(x) == two.predict_one(x)
        many.learn_one(x, y)
        two.learn_one(x, y)
        close(difference(many), factor * two._w)
    assert many.n_updates == two.n_updates > 30


@pytest.mark.parametrize("allocation", ["uniform", "proportional"])
def test_perceptron_has_one_rival_to_blame(allocation: str) -> None:
    one = MulticlassPerceptronClassifier("max", classes=TWO)
    other = MulticlassPerceptronClassifier(allocation, classes=TWO)
    for x, y in rows():
        one.learn_one(x, y)
        other.learn_one(x, y)
    np.testing.assert_array_equal(one._W, other._W)


@pytest.mark.parametrize("aggressive", [False, True])
def test_romma_as_libol_has_it_starts_from_twice_the_row(aggressive: bool) -> None:
    """Both rows, so all of W, are scaled; only the first step differs, Z where hers is yx."""
    many = MulticlassROMMAClassifier(aggressive, "libol", classes=TWO)
    two = binary.ROMMAClassifier(aggressive, "libol")
    doubled = False
    for x, y in rows():
        many.learn_one(x, y)
        two.learn_one(x, y)
        if not doubled and two._w.any():
            two._w *= 2.0
            doubled = True
        close(difference(many), two._w)
    assert many.n_updates == two.n_updates > 30


def step_from_the_same_state(many: Any, two: Any, w: np.ndarray, x: Any, y: bool) -> np.ndarray:
    """Put the sister where `many` is, its weights being `w`, let both learn; the sister's step."""
    row, code, _ = many._encode(x, y, 1.0)
    two._encode(x, y, 1.0)
    two._w, two._sigma = w.copy(), many._sigma.copy(order="F")
    moved = many._step(row, code, 1.0) > 0.0
    if moved:
        two._step(row, 1.0 if y else -1.0, 1.0)
        close(many._sigma, two._sigma)
    return np.asarray(two._w - w) if moved else np.zeros(len(w))


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_arow_moves_twice_as_far(covariance: str) -> None:
    """Each row of W moves by lβΣx, so their difference by twice that; the covariance as in AROW."""
    many = MulticlassAROWClassifier(r=0.5, covariance=covariance, classes=TWO)
    two = binary.AROWClassifier(r=0.5, covariance=covariance)
    many.learn_one(*rows()[0])
    two.learn_one(*rows()[0])
    moved = 0
    for x, y in rows()[1:]:
        w = difference(many)
        step = step_from_the_same_state(many, two, w, x, y)
        close(difference(many), w + 2.0 * step)
        moved += step.any()
    assert moved > 50


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@pytest.mark.parametrize("C", [0.1, 1.0, 1e9])
def test_scw2_is_the_sister_at_half_the_squared_quantile(C: float, covariance: str) -> None:
    """2uᵀx ≥ φ√(2v) is uᵀx ≥ (φ/√2)√v: each row of W steps as SCW-II with φ/√2 and 2C does."""
    eta = 0.8
    many = MulticlassSCWClassifier("II", eta, C, covariance=covariance, classes=TWO)
    half = NORMAL.cdf(NORMAL.inv_cdf(eta) / math.sqrt(2.0))
    two = binary.SCWClassifier("II", half, 2.0 * C, covariance=covariance)
    many.learn_one(*rows()[0])
    two.learn_one(*rows()[0])
    moved = 0
    for x, y in rows()[1:]:
        u = many._W[0].copy()
        step = step_from_the_same_state(many, two, u, x, y)
        close(many._W[0], u + step)
        difference(many)
        moved += step.any()
    assert moved > 50


@pytest.mark.parametrize("C", [None, 0.1, 1e9])
def test_cw_and_scw1_are_the_sisters_with_xi_for_psi(C: float | None) -> None:
    """With φ/√2 as above LIBOL's α is the exact one but for ψ, which is ξ: equal for m = 0 only."""
    eta = 0.8
    phi = NORMAL.inv_cdf(eta) / math.sqrt(2.0)
    psi, xi = 1.0 + phi**2 / 2.0, 1.0 + phi**2
    many: Any
    two: Any
    if C is None:
        many = MulticlassCWClassifier(eta, classes=TWO)
        two = binary.CWClassifier(NORMAL.cdf(phi))
    else:
        many = MulticlassSCWClassifier("I", eta, C, classes=TWO)
        two = binary.SCWClassifier("I", NORMAL.cdf(phi), C)
    x, y = rows()[1]
    many.learn_one(x, y)
    two.learn_one(x, y)
    close(many._W[0], two._w)
    close(many.covariance_matrix, two.covariance_matrix)

    for x, y in rows()[2:]:
        row, code, _ = many._encode(x, y, 1.0)
        Sigma, u = many.covariance_matrix, many._W[0].copy()
        v, m = float(row @ Sigma @ row), (1.0 if y else -1.0) * float(u @ row)
        if many._step(row, code, 1.0) <= 0.0:
            continue
        exact = (-m * psi + math.sqrt((psi**2 - xi) * m**2 + v * phi**2 * xi)) / (v * xi)
        libol = (-m * xi + math.sqrt((xi**2 - xi) * m**2 + v * phi**2 * xi)) / (v * xi)
        assert (libol - exact) * m <= 0.0
        alpha = min(libol, C) if C else libol
        close(many._W[0], u + (1.0 if y else -1.0) * max(0.0, alpha) * Sigma @ row)


def test_cw_triggers_later_than_its_sister() -> None:
    """A margin between φ√v and φ√(2v) is left alone."""
    eta = 0.8
    phi = NORMAL.inv_cdf(eta)
    many = MulticlassCWClassifier(eta, learn_intercept=False, classes=TWO)
    for margin, learns in ((0.99 * phi, True), (1.01 * phi, False), (1.4 * phi, False)):
        many._encode({"a": 1.0}, True, 1.0)
        many._W[:] = [[margin / 2.0], [-margin / 2.0]]
        many._sigma[:] = 1.0
        row, code, _ = many._encode({"a": 1.0}, True, 1.0)
        assert (many._step(row, code, 1.0) > 0.0) == learns
