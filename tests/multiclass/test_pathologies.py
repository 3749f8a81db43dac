"""Rows that trip the rules up: the state stays finite, and learns again where it can."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from .learners import LEARNERS, build

Stream = list[tuple[dict[str, float], int]]


def row(*values: float) -> dict[str, float]:
    return {f"x{i}": value for i, value in enumerate(values)}


def noise(n: int, scale: float = 1.0, d: int = 4) -> Stream:
    rng = np.random.default_rng(n)
    return [(row(*(scale * rng.normal(size=d)).tolist()), int(rng.integers(3))) for _ in range(n)]


STREAMS: dict[str, Stream] = {
    "zero rows": [(row(0.0, 0.0), y) for y in (0, 1, 2, 1, 0, 2)] + noise(10),
    "zero rows between": [
        pair for one in noise(20) for pair in (one, (row(0.0, 0.0, 0.0, 0.0), one[1]))
    ],
    "each row twice": [pair for one in noise(30) for pair in (one, one)],
    "each row ten times": [pair for one in noise(10) for pair in [one] * 10],
    # LIBOL's M_aROMMA divides 0 by 0: the second visit of a first row with |x|² < 1/2.
    "short row twice": [(row(0.3, 0.4), 1)] * 2 + noise(10, d=2),
    # The same row with its classes swapped: W is a multiple of Z.
    "labels swapped": [(row(1.0, 0.0), y) for y in (1, 0, 1, 0, 2, 1)] + noise(10, d=2),
    "one feature": [
        (row(v), y) for v, y in itertools.product((1.0, -2.0, 0.5, 3.0, 0.1), (0, 1, 2))
    ],
    "collinear": [
        (row(v, 2.0 * v, -v), y) for v, y in itertools.product((1.0, -2.0, 0.5, 3.0), (2, 0, 1))
    ],
    "nearly collinear": [
        (row(v, v * (1.0 + 1e-9 * i), 1e-9), i % 3)
        for i, v in enumerate((1.0, -2.0, 0.5, 3.0, 1.0, 7.0, -0.1) * 3)
    ],
    "one class": [(x, 0) for x, _ in noise(20)],
    "constant column": [({**x, "one": 1.0}, y) for x, y in noise(30)],
    "duplicate columns": [({**x, "again": x["x0"]}, y) for x, y in noise(30)],
    "large": noise(40, 1e6),
    "huge": noise(40, 1e149),
    "largest": [
        (row(1e150, -1e150, 1e150), y) if i % 2 else (row(-1e150, 1e150, 1e150), y)
        for i, y in enumerate((0, 1, 2) * 6)
    ],
    "small": noise(40, 1e-6),
    "tiny": noise(40, 1e-150),
    "squares vanish": noise(40, 1e-170),
    "denormal": noise(40, 1e-310),
    "huge then ordinary": noise(10, 1e149) + noise(40),
    "tiny then ordinary": noise(10, 1e-150) + noise(40),
    "all scales": [
        (row(*(np.array(list(x.values())) * 10.0**e).tolist()), y)
        for (x, y), e in zip(noise(60), itertools.cycle((0, 149, -149, 10, -170, 75)), strict=False)
    ],
}


def finite_state(model: Any) -> bool:
    return all(np.isfinite(getattr(model, name)).all() for name in model._state_attributes)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("learn_intercept, classes", [(False, (0, 1, 2)), (True, None)])
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("name", LEARNERS)
def test_state_stays_finite(
    name: str, stream: str, learn_intercept: bool, classes: tuple[int, ...] | None
) -> None:
    model = build(name, learn_intercept=learn_intercept, classes=classes)
    for x, y in STREAMS[stream]:
        proba = model.predict_proba_one(x)
        assert not proba or sum(proba.values()) == pytest.approx(1.0)
        model.learn_one(x, y)
        assert finite_state(model)
        assert np.isfinite(list(model.decision_function_one(x).values())).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("w", [1e-150, 1e-3, 0.5, 3.0, 1e6, 1e100, 1e150])
@pytest.mark.parametrize("name", LEARNERS)
def test_any_weight_leaves_a_finite_state(name: str, w: float) -> None:
    model = build(name)
    for x, y in noise(40):
        model.learn_one(x, y, w)
        assert finite_state(model)
        model.learn_one(x, y)
        assert finite_state(model)


@pytest.mark.parametrize("name", LEARNERS)
def test_weight_of_one_is_no_weight_and_none_is_no_row(name: str) -> None:
    plain, one, some = build(name), build(name), build(name)
    for i, (x, y) in enumerate(noise(60)):
        plain.learn_one(x, y)
        one.learn_one(x, y, (1, 1.0, np.int64(1), np.float64(1.0))[i % 4])
        some.learn_one(x, (y + 1) % 3, 0.0)
        some.learn_one(x, y)
    for other in (one, some):
        for attribute in plain._state_attributes:
            np.testing.assert_array_equal(getattr(other, attribute), getattr(plain, attribute))


@pytest.mark.parametrize("name", LEARNERS)
def test_late_feature_was_zero_before(name: str) -> None:
    """A new column, in W and in the covariance, is what it would be had it always been there."""
    late, early = build(name), build(name)
    for t, (x, y) in enumerate(noise(80)):
        some = x if t >= 40 else {key: value for key, value in x.items() if key != "x3"}
        late.learn_one(some, y)
        early.learn_one({**dict.fromkeys(x, 0.0), **some}, y)
    np.testing.assert_allclose(late._W, early._W, rtol=1e-12, atol=1e-13)
    if hasattr(late, "covariance_matrix"):
        np.testing.assert_allclose(
            late.covariance_matrix, early.covariance_matrix, rtol=1e-12, atol=1e-14
        )


@pytest.mark.parametrize("name", LEARNERS)
def test_void_rounds_leave_the_state_alone(name: str) -> None:
    """A loss of 0 is no update: a wrapper that repeats a row may stop there."""
    model = build(name)
    void = 0
    for x, y in noise(200):
        encoded = model._encode(x, y, 1.0)
        assert encoded is not None
        instance, code, w = encoded
        model._advance(instance, w)
        before = [np.copy(getattr(model, a)) for a in model._state_attributes]
        if model._step(instance, code, w) <= 0.0:
            void += 1
            for old, attribute in zip(before, model._state_attributes, strict=True):
                np.testing.assert_array_equal(old, getattr(model, attribute))
    assert void > 0


@pytest.mark.parametrize("name", LEARNERS)
def test_learns_separable_rows(name: str) -> None:
    rng = np.random.default_rng(5)
    centres = 4.0 * np.eye(3, 4)
    model = build(name)
    hits = 0
    for t in range(600):
        y = int(rng.integers(3))
        x = row(*(centres[y] + 0.3 * rng.normal(size=4)).tolist())
        hits += t >= 300 and model.predict_one(x) == y
        model.learn_one(x, y)
    assert hits >= 295
