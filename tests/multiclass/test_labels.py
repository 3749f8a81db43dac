"""Any hashable labels, at any time or fixed beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from .learners import LEARNERS, build

KINDS: dict[str, list[Any]] = {
    "str": ["cat", "dog", "eel"],
    "int": [7, -1, 0],
    "bool": [True, False],
    "numpy": [np.int64(3), np.int64(1), np.int64(2)],
    "tuple": [("a", 1), ("a", 2), ("b", 1)],
    "mixed": ["cat", 3, ("x", None)],
}


def rows(n: int = 120, k: int = 3) -> list[tuple[dict[str, float], int]]:
    rng = np.random.default_rng(11)
    return [
        (dict(zip("abcd", rng.normal(size=4).tolist(), strict=True)), int(rng.integers(k)))
        for _ in range(n)
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LEARNERS)
def test_labels_are_only_names(name: str, kind: str) -> None:
    labels = KINDS[kind]
    stream = rows(k=len(labels))
    model, indices = build(name), build(name)
    assert model.predict_one(stream[0][0]) is None
    assert model.predict_proba_one(stream[0][0]) == {}
    for x, k in stream:
        model.learn_one(x, labels[k])
        indices.learn_one(x, k)
    np.testing.assert_array_equal(model._W, indices._W)
    x = stream[0][0]
    assert model.predict_one(x) == labels[indices.predict_one(x)]
    assert type(model.predict_one(x)) is not np.int64
    assert model.predict_proba_one(x) == {
        labels[k]: p for k, p in indices.predict_proba_one(x).items()
    }
    assert model.weights == {labels[k]: w for k, w in indices.weights.items()}


@pytest.mark.parametrize("name", LEARNERS)
def test_late_class_is_a_zero_row(name: str) -> None:
    """A label that appears adds a zero row before it is learnt; the covariance stays."""
    model = build(name)
    for x, k in rows(60, 2):
        model.learn_one(x, k)
    before = model.clone(include_attributes=True)
    x = rows(1)[0][0]
    model.learn_one(x, "new")

    by_hand = before.clone(include_attributes=True)
    by_hand._add_label("new")
    np.testing.assert_array_equal(by_hand._W, np.vstack([before._W, np.zeros((1, 5))]))
    for attribute in set(model._state_attributes) - {"_W"}:
        np.testing.assert_array_equal(getattr(by_hand, attribute), getattr(before, attribute))
    by_hand.learn_one(x, "new")
    for attribute in model._state_attributes:
        np.testing.assert_array_equal(getattr(by_hand, attribute), getattr(model, attribute))
    assert model._W[2].any()


@pytest.mark.parametrize("name", LEARNERS)
def test_first_label_alone_has_no_rival(name: str) -> None:
    model = build(name)
    for x, _ in rows(10):
        model.learn_one(x, "only")
    assert not model._W.any() and model.n_updates == 0
    assert model.predict_proba_one(rows(1)[0][0]) == {"only": 1.0}


@pytest.mark.parametrize("name", LEARNERS)
def test_fixed_classes_are_rivals_from_the_start(name: str) -> None:
    model = build(name, classes=("a", "b", "c"))
    x = rows(1)[0][0]
    assert model.predict_one(x) == "a"
    assert model.predict_proba_one(x) == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    model.learn_one(x, "b")
    assert model._W[1].any()
    with pytest.raises(ValueError, match="'d'.*add it there"):
        model.learn_one(x, "d")


@pytest.mark.parametrize("name", LEARNERS)
def test_learn_many_is_the_loop(name: str) -> None:
    """Bit for bit, with labels that appear in the middle of a batch, and with weights."""
    stream = rows(90)
    labels = [f"early {k}" if t < 40 else f"late {k}" for t, (_, k) in enumerate(stream)]
    weights = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 3.0], size=90)
    one, many = build(name), build(name)
    for (x, _), y, w in zip(stream, labels, weights.tolist(), strict=True):
        one.learn_one(x, y, w)
    X = pd.DataFrame([x for x, _ in stream])
    for start in range(0, 90, 30):
        part = slice(start, start + 30)
        many.learn_many(
            X[part], pd.Series(labels[part], name="y"), pd.Series(weights[part], name="w")
        )
    for attribute in one._state_attributes:
        np.testing.assert_array_equal(getattr(many, attribute), getattr(one, attribute))
    proba = many.predict_proba_many(X)
    for t, (x, _) in enumerate(stream[:20]):
        assert proba.iloc[t].to_dict() == pytest.approx(one.predict_proba_one(x))


def test_batches_break_ties_as_single_rows_do() -> None:
    """Labels of equal weights tie to the last digit, in a matrix as in one row."""
    model = build("M_PA", classes=tuple(range(7)))
    rng = np.random.default_rng(3)
    names = [f"x{j}" for j in range(9)]
    model.learn_one(dict.fromkeys(names, 1.0), 3)
    model._W[:] = rng.normal(size=model._W.shape[1])
    for n in (*[1] * 30, *[3] * 30, 500):
        X = pd.DataFrame(rng.normal(size=(n, 9)), columns=names)
        assert set(model.predict_many(X)) == {0}
        assert {model.predict_one(x) for x in X.to_dict("records")} == {0}
