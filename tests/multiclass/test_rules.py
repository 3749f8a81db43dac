"""The rules as functions of arrays: by hand, and by what each step promises."""

from __future__ import annotations

import math

import numpy as np
import pytest

from river_nrrls.multiclass.ogd import gradient_descent
from river_nrrls.multiclass.pa import passive_aggressive
from river_nrrls.multiclass.perceptron import perceptron
from river_nrrls.multiclass.rivals import mistaken, rival
from river_nrrls.multiclass.romma import relaxed_margin


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
