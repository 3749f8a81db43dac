"""The rules as functions of arrays: by hand, and by what each step promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from river import datasets

from river_nrrls.binary.covariance import quantile
from river_nrrls.multiclass import MulticlassCWClassifier
from river_nrrls.multiclass.arow import adaptive_regularization
from river_nrrls.multiclass.cw import confidence_weighted
from river_nrrls.multiclass.ogd import gradient_descent
from river_nrrls.multiclass.pa import passive_aggressive
from river_nrrls.multiclass.perceptron import perceptron
from river_nrrls.multiclass.rivals import mistaken, rival
from river_nrrls.multiclass.romma import relaxed_margin
from river_nrrls.multiclass.scw import soft_confidence_weighted


def margin(W: np.ndarray, x: np.ndarray, y: int, s: int) -> float:
    return float(W[y] @ x - W[s] @ x)


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, rows and classes with a rival ahead in most."""
    rng = np.random.default_rng(7)
    return rng.normal(size=(4, 5)), rng.normal(size=(50, 5)), rng.integers(4, size=50)


@pytest.mark.parametrize(
    "F, y, s, m",
    [
        ([1.0, 3.0, 3.0], 1, 2, 0.0),
        ([1.0, 3.0, 3.0], 2, 1, 0.0),
        ([0.0, 0.0, 0.0], 0, 1, 0.0),
        ([0.0, 0.0, 0.0], 2, 0, 0.0),
        ([1.0, -2.0, 0.5], 0, 2, 0.5),
        ([-3.0, -2.0, -2.5], 0, 1, -1.0),
        ([2.0], 0, 0, math.inf),
    ],
)
def test_rival_is_the_best_of_the_others_lowest_index_first(
    F: list[float], y: int, s: int, m: float
) -> None:
    assert rival(np.array(F), y) == (s, m)


def test_mistaken_is_what_argmax_says() -> None:
    rng = np.random.default_rng(1)
    for F in rng.integers(3, size=(200, 4)).astype(float):
        for y in range(4):
            assert mistaken(y, *rival(F.copy(), y)) == (F.argmax() != y)


# W x = (2, 1, 2, 3) with x = (1, 2); y = 1 is beaten by 0 and 2, by 1 each, and by 3, by 2.
LOST = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
X = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    "allocation, tau",
    [
        ("max", [0.0, 0.0, 0.0, 1.0]),
        ("uniform", [1 / 3, 0.0, 1 / 3, 1 / 3]),
        ("proportional", [0.25, 0.0, 0.25, 0.5]),
    ],
)
@pytest.mark.parametrize("form", ["paper", "libol"])
def test_perceptron_shares_the_blame(allocation: str, tau: list[float], form: str) -> None:
    W = LOST.copy()
    assert perceptron(W, X, 1, allocation, form, 2.0) == 1.0
    expected = LOST - 2.0 * np.outer(tau, X)
    expected[1] += 2.0 * X
    np.testing.assert_allclose(W, expected, rtol=1e-15)


@pytest.mark.parametrize(
    "y, form, allocation, rows",
    [
        # With W = 0 all tie: the paper's error set holds all others, LIBOL's nobody.
        (0, "paper", "uniform", [1.0, -0.5, -0.5]),
        (0, "paper", "proportional", [1.0, -0.5, -0.5]),
        (0, "paper", "max", [1.0, -1.0, 0.0]),
        (0, "libol", "uniform", [0.0, 0.0, 0.0]),
        (0, "libol", "max", [0.0, 0.0, 0.0]),
        (2, "libol", "uniform", [0.0, 0.0, 1.0]),
        (2, "libol", "proportional", [0.0, 0.0, 1.0]),
        (2, "libol", "max", [-1.0, 0.0, 1.0]),
    ],
)
def test_perceptron_at_a_tie(y: int, form: str, allocation: str, rows: list[float]) -> None:
    W = np.zeros((3, 2))
    counted = perceptron(W, X, y, allocation, form, 1.0)
    assert counted == float(any(rows))
    np.testing.assert_array_equal(W, np.outer(rows, X))


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_pa_step_is_the_constrained_minimum(
    variant: str, rows: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    """PA: the margin is 1. PA-I: the loss left over has price C. PA-II: τ = 2Cξ."""
    W, X, Y = rows
    C = 0.2
    for x, y in zip(X, Y.tolist(), strict=True):
        s, m = rival(np.vecdot(W, x), y)
        old = W.copy()
        loss = passive_aggressive(W, x, y, variant, C, 1.0)
        assert loss == max(0.0, 1.0 - m)
        if loss == 0.0:
            np.testing.assert_array_equal(W, old)
            continue
        tau = (W - old)[y] @ x / (x @ x)
        np.testing.assert_allclose((W - old)[s], -tau * x, rtol=1e-9, atol=1e-15)
        left = 1.0 - margin(W, x, y, s)
        if variant == "PA":
            assert left == pytest.approx(0.0, abs=1e-13)
        elif variant == "PA-I":
            assert left >= -1e-13 and 0.0 <= tau <= C + 1e-15
            assert left < 1e-13 or tau == pytest.approx(C)
        else:
            assert tau == pytest.approx(2.0 * C * left)


def test_ogd_step() -> None:
    W = LOST.copy()
    assert gradient_descent(W, X, 1, 0.5, 3.0) == 3.0
    np.testing.assert_array_equal(W - LOST, np.outer([0.0, 1.5, 0.0, -1.5], X))
    W = 10.0 * LOST
    assert gradient_descent(W, X, 3, 0.5, 1.0) == 0.0
    np.testing.assert_array_equal(W, 10.0 * LOST)


def test_romma_step_is_the_relaxed_minimum(
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """W is a combination of the old W and Z that meets both constraints; tight where it uses them.

    For a minimum of the norm that, and coefficients of at least 0, are the optimality conditions.
    """
    _, X, Y = rows
    W = np.zeros((4, 5))
    shortest = 0
    for x, y in zip(3.0 * X, Y.tolist(), strict=True):
        s, m = rival(np.vecdot(W, x), y)
        old = W.copy()
        if relaxed_margin(W, x, y, True, "paper", 1.0) == 0.0:
            continue
        Z = np.zeros_like(W)
        Z[y], Z[s] = x, -x
        if not old.any() or m >= (old * old).sum() * (Z * Z).sum():
            np.testing.assert_allclose(W, Z / (Z * Z).sum())
            shortest += 1
            continue
        basis = np.stack([old.ravel(), Z.ravel()], axis=1)
        coefficients, residual, _, _ = np.linalg.lstsq(basis, W.ravel(), rcond=None)
        assert residual[0] < 1e-24 and (coefficients >= -1e-12).all()
        assert (W * Z).sum() == pytest.approx(1.0)
        assert (W * old).sum() == pytest.approx((old * old).sum())
    assert shortest >= 1


def test_romma_libol_scales_two_rows() -> None:
    rng = np.random.default_rng(3)
    W = rng.normal(size=(4, 5))
    x = rng.normal(size=5)
    proper, quirk = W.copy(), W.copy()
    y = int((W @ x).argmin())
    s, _ = rival(np.vecdot(W, x), y)
    assert relaxed_margin(proper, x, y, False, "paper", 1.0) == 1.0
    assert relaxed_margin(quirk, x, y, False, "libol", 1.0) == 1.0
    np.testing.assert_allclose(quirk[[y, s]], proper[[y, s]], rtol=1e-12)
    others = [k for k in range(4) if k not in (y, s)]
    np.testing.assert_array_equal(quirk[others], W[others])
    c = proper[others] / W[others]
    np.testing.assert_allclose(c, c[0, 0])
    assert abs(c[0, 0] - 1.0) > 0.01


@pytest.mark.parametrize("form", ["paper", "libol"])
def test_romma_weight_is_a_part_of_the_step(form: str) -> None:
    rng = np.random.default_rng(4)
    W = rng.normal(size=(3, 5))
    x = rng.normal(size=5)
    y = int((W @ x).argmin())
    full, half, twice = W.copy(), W.copy(), W.copy()
    for target, w in ((full, 1.0), (half, 0.5), (twice, 2.0)):
        relaxed_margin(target, x, y, False, form, w)
    np.testing.assert_allclose(half - W, 0.5 * (full - W), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(twice - W, 2.0 * (full - W), rtol=1e-12, atol=1e-14)


def covariance(S: np.ndarray) -> np.ndarray:
    return np.asarray(S @ S.T if S.ndim == 2 else np.diag(S))


def state(rng: np.random.Generator, full: bool) -> tuple[np.ndarray, np.ndarray]:
    """Weights of four classes and the root of a covariance, or its diagonal."""
    if full:
        return rng.normal(size=(4, 5)), np.asfortranarray(rng.normal(size=(5, 5)))
    return rng.normal(size=(4, 5)), rng.uniform(0.1, 2.0, size=5)


PHI = 0.8


def alpha_cw(m: float, v: float, phi: float) -> float:
    psi = 1.0 + phi**2 / 2.0
    root = math.sqrt(m**2 * psi**2 - m**2 * psi + 2.0 * v * phi**2 * psi)
    return max(0.0, (-m * psi + root) / (2.0 * v * psi))


def beta_cw(alpha: float, v: float, phi: float) -> float:
    u = (-alpha * v * phi + math.sqrt(alpha**2 * v**2 * phi**2 + 8.0 * v)) ** 2 / 8.0
    return alpha * phi / (math.sqrt(2.0 * u) + alpha * phi * v)


def alpha_scw2(m: float, v: float, C: float) -> float:
    n = 2.0 * v + 1.0 / (2.0 * C)
    R = PHI**4 * m**2 * v**2 + 8.0 * n * v * PHI**2 * (n + v * PHI**2)
    alpha = (-(2.0 * m * n + PHI**2 * m * v) + math.sqrt(R)) / (2.0 * (n**2 + n * v * PHI**2))
    return max(0.0, alpha)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("w", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("name", ["CW", "SCW-I", "SCW-II", "AROW"])
def test_second_order_step_is_the_formula(name: str, w: float, full: bool) -> None:
    """The step of the docstrings on Σ itself, where the rule works on its root and on x/√v."""
    rng = np.random.default_rng(8)
    C, r = 0.3, 0.4
    steps = 0
    for _ in range(100):
        W, S = state(rng, full)
        x = rng.normal(size=5)
        y = int(rng.integers(4))
        s, m = rival(np.vecdot(W, x), y)
        Sigma, old = covariance(S), W.copy()
        g = Sigma @ x
        v = float(x @ g)
        if name == "AROW":
            loss = adaptive_regularization(W, S, x, y, r, w)
            assert loss == max(0.0, 1.0 - m)
            beta = 1.0 / (v + r)
            alpha = loss * beta
        else:
            if name == "CW":
                loss = confidence_weighted(W, S, x, y, PHI, 1.0, w)
                alpha = alpha_cw(m, v, PHI)
            elif name == "SCW-I":
                loss = soft_confidence_weighted(W, S, x, y, "I", PHI, C, w)
                alpha = min(C, alpha_cw(m, v, PHI))
            else:
                loss = soft_confidence_weighted(W, S, x, y, "II", PHI, C, w)
                alpha = alpha_scw2(m, v, C)
            assert loss == pytest.approx(max(0.0, PHI * math.sqrt(v) - m))
            beta = beta_cw(alpha, v, PHI)
        if loss == 0.0:
            np.testing.assert_array_equal(W, old)
            np.testing.assert_array_equal(covariance(S), Sigma)
            continue
        steps += 1
        expected = np.zeros((4, 5))
        expected[y], expected[s] = w * alpha * g, -w * alpha * g
        np.testing.assert_allclose(W - old, expected, rtol=1e-9, atol=1e-12)
        step = min(w, 1.0) * beta * np.outer(g, g)
        shrunk = Sigma - (step if full else np.diag(np.diag(step)))
        np.testing.assert_allclose(covariance(S), shrunk, rtol=1e-9, atol=1e-12)
    assert steps > 20


def test_scw2_without_slack_reaches_its_margin() -> None:
    """For C → ∞ the step ends on the constraint, F_y - F_s = φ√(2xᵀΣx)."""
    rng = np.random.default_rng(9)
    reached = 0
    for _ in range(50):
        W, S = state(rng, True)
        x = rng.normal(size=5)
        y = int(rng.integers(4))
        s, m = rival(np.vecdot(W, x), y)
        v = float(x @ covariance(S) @ x)
        if soft_confidence_weighted(W, S, x, y, "II", PHI, 1e12, 1.0) == 0.0:
            assert m >= PHI * math.sqrt(v)
            continue
        after = float(x @ covariance(S) @ x)
        assert margin(W, x, y, s) == pytest.approx(PHI * math.sqrt(2.0 * after), rel=1e-6)
        reached += 1
    assert reached > 20


@pytest.mark.parametrize("eta", [0.75, 0.9])
def test_cw_keeps_its_covariance_where_libol_loses_it(eta: float) -> None:
    """Raw features of overlapping classes: Σ stays definite, W bounded, and it learns.

    The plain recursion on Σ turns indefinite here, and learns nothing more once it has.
    """
    model = MulticlassCWClassifier(eta=eta, learn_intercept=False)
    plain, W, phi = np.eye(18), np.zeros((7, 18)), quantile(eta)
    labels: list[str] = []
    hits = hits_plain = rows = 0
    for x, y in datasets.ImageSegments():
        hits += model.predict_one(x) == y
        model.learn_one(x, y)
        if y not in labels:
            labels.append(y)
        values = np.array(list(x.values()))
        F = W[: len(labels)] @ values
        hits_plain += labels[int(F.argmax())] == y
        s, m = rival(F, labels.index(y))
        v = float(values @ plain @ values)
        rows += 1
        if not v > 0.0 or m >= phi * math.sqrt(v):
            continue
        alpha = alpha_cw(m, v, phi)
        g = plain @ values
        W[labels.index(y)] += alpha * g
        W[s] -= alpha * g
        plain -= beta_cw(alpha, v, phi) * np.outer(g, g)
    assert np.linalg.eigvalsh(plain)[0] < 0.0
    deviations = np.linalg.svd(model._sigma, compute_uv=False)
    assert deviations[-1] > 1e-12 and deviations[0] <= 1.0 + 1e-12
    assert abs(model._W).max() < 1e9
    assert hits > 0.65 * rows > hits_plain
