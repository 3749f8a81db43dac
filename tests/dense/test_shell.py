from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import checks, compose, preprocessing
from scipy.linalg.blas import daxpy, ddot

import river_nrrls as rn
from river_nrrls.dense import BinaryClassifier, MulticlassClassifier, Parameter
from river_nrrls.dense import checks as dense_checks


class Binary(BinaryClassifier):
    """The simplest rule of all, to try the shell with."""

    C = Parameter(dense_checks.positive)
    _mutable = frozenset({"C"})

    def __init__(self, C: float = 1.0, learn_intercept: bool = True) -> None:
        self.C = C
        super().__init__(learn_intercept)

    def _step(self, row: np.ndarray, y: float, w: float) -> float:
        loss = 1.0 - y * ddot(self._w, row)
        if loss > 0.0:
            daxpy(row, self._w, len(row), w * y * min(self.C, loss / (1e-9 + ddot(row, row))))
        return loss


class Many(MulticlassClassifier):
    """The same for many labels."""

    def __init__(self, learn_intercept: bool = True, classes: tuple[Any, ...] | None = None):
        super().__init__(learn_intercept, classes)

    def _step(self, row: np.ndarray, r: int, w: float) -> float:
        F = self._W @ row
        if len(F) < 2:
            return 0.0
        m = F[r]
        F[r] = -np.inf
        s = F.argmax()
        loss = float(1.0 - m + F[s])
        if loss > 0.0:
            self._W[r] += w * row
            self._W[s] -= w * row
        return loss


MODELS = [Binary(), Binary(learn_intercept=False), Many(), Many(learn_intercept=False)]


def stream(n: int = 60, d: int = 5, seed: int = 1) -> list[tuple[dict[str, float], bool]]:
    rng = random.Random(seed)
    return [
        ({f"x{j}": rng.gauss(0.0, 1.0) for j in range(d)}, rng.random() < 0.4) for _ in range(n)
    ]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_rivers_checks(model):
    skips = model._unit_test_skips()
    for check in checks.yield_checks(model):
        if check.__name__ not in skips:
            random.seed(0)
            check(model.clone())


BAD_ROWS = [
    ({"x0": None}, TypeError, "feature 'x0'.*None"),
    ({"x0": "1.5"}, TypeError, "feature 'x0'.*'1.5'.*converters"),
    ({"x0": float("nan")}, ValueError, "feature 'x0' is nan"),
    ({"x0": float("inf")}, ValueError, "feature 'x0' is inf"),
    ({"x0": -1e200}, ValueError, "feature 'x0' is -1e\\+200.*1e\\+150"),
    ({"x0": 1e151, "x1": 0.5}, ValueError, "feature 'x0' is 1e\\+151"),
    ({"x0": 10**400}, ValueError, "feature 'x0' is 1000"),
    ({"x0": 1.0, "new": [1.0]}, TypeError, "feature 'new'"),
    ([1.0], TypeError, "x must be a dict"),
    (np.array([1.0, 2.0]), TypeError, "x must be a dict"),
    (pd.Series({"x0": 1.0}), TypeError, "to_dict"),
]
BAD_WEIGHTS = [
    (-1.0, ValueError),
    (float("nan"), ValueError),
    (float("inf"), ValueError),
    (None, TypeError),
    ("1", TypeError),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("trained", [False, True])
def test_bad_input_changes_nothing(model, trained):
    model = model.clone()
    if trained:
        for x, y in stream():
            model.learn_one(x, y)
    before = pickle.dumps(model)
    for x, error, text in BAD_ROWS:
        with pytest.raises(error, match=text):
            model.learn_one(x, True)
        # A scaler in front answers NaN for what neither has seen.
        if trained or "nan" not in text:
            with pytest.raises(error, match=text):
                model.predict_one(x)
        assert pickle.dumps(model) == before
    for w, error in BAD_WEIGHTS:
        with pytest.raises(error, match="w must be"):
            model.learn_one({"x0": 1.0, "other": 2.0}, True, w=w)
        assert pickle.dumps(model) == before
    for label in (None, float("nan"), pd.NA, [1]):
        with pytest.raises((TypeError, ValueError), match="y must be"):
            model.learn_one({"other": 2.0}, label)
        assert pickle.dumps(model) == before
    model.learn_one({"other": 2.0}, True, w=0)
    assert pickle.dumps(model) == before


def test_other_labels_name_the_remedy():
    for label in ("spam", -1, 2):
        with pytest.raises(ValueError, match="OneVsRestClassifier"):
            Binary().learn_one({"a": 1.0}, label)
    with pytest.raises(ValueError, match="classes="):
        Many(classes=("a", "b")).learn_one({"a": 1.0}, "c")


def test_label_and_weight_kinds_are_one():
    models = [Binary() for _ in range(4)]
    kinds = [(bool, float), (np.bool_, int), (int, np.int64), (np.int8, np.float32)]
    for x, y in stream():
        for model, (label, weight) in zip(models, kinds, strict=True):
            model.learn_one(x, label(y), w=weight(1))
    plain = Binary()
    for x, y in stream():
        plain.learn_one(x, y)
    assert all(pickle.dumps(model) == pickle.dumps(plain) for model in models)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("batch", [1, 7, 60])
def test_batches_equal_the_loop(model, backend, batch):
    make = {
        "pandas": (pd.DataFrame, pd.Series),
        "polars": (pl.DataFrame, lambda y: pl.Series("y", y)),
        "pyarrow": (pa.Table.from_pylist, lambda y: pa.chunked_array([y])),
    }[backend]
    data = stream()
    one, many = model.clone(), model.clone()
    weights = [0.0, 1.0, 2.0] * 20
    for (x, y), w in zip(data, weights, strict=True):
        one.learn_one(x, y, w=w)
    for i in range(0, len(data), batch):
        X, y = zip(*data[i : i + batch], strict=True)
        many.learn_many(make[0](list(X)), make[1](list(y)), w=weights[i : i + batch])
    assert pickle.dumps(one) == pickle.dumps(many)
    X = make[0]([x for x, _ in data])
    predicted = many.predict_many(X)
    assert list(predicted if backend != "pyarrow" else predicted.to_pylist()) == [
        one.predict_one(x) for x, _ in data
    ]
    proba = many.predict_proba_many(X)
    columns = proba.to_pydict() if backend == "pyarrow" else proba
    key = True if backend == "pandas" else "True"
    np.testing.assert_allclose(
        np.asarray(columns[key], dtype=float),
        [one.predict_proba_one(x)[True] for x, _ in data],
        rtol=1e-12,
    )


def test_bad_batches_change_nothing():
    X = pd.DataFrame({"a": [1.0, 2.0], "new": [0.0, 1.0]})
    y = pd.Series([True, False])
    model = Binary()
    model.learn_one({"a": 1.0}, True)
    before = pickle.dumps(model)
    cases = [
        (X.assign(a=[1.0, np.nan]), y, None, "row 1: feature 'a' is nan"),
        (X.assign(a=[1.0, 1e200]), y, None, "row 1: feature 'a' is 1e"),
        (X.assign(a=["1.5", "2"]), y, None, "row 0: feature 'a' must be a number"),
        (
            X.assign(a=pd.Series([None, 1], dtype=object)),
            y,
            None,
            "row 0: feature 'a' must be a number",
        ),
        (pl.DataFrame({"a": [None, 1.0]}), pl.Series([True, False]), None, "row 0: feature 'a'"),
        (X.to_numpy(), y, None, "X must be a dataframe"),
        (X, y.to_frame(), None, "y must be a series"),
        (X, [True, False], None, "y must be a series"),
        (X, y.to_numpy(), None, "y must be a series"),
        (X, y[:1], None, "y has 1 values for 2 rows"),
        (X, pd.Series(["spam", "ham"]), None, "y must be a bool"),
        (X, pd.Series([True, None]), None, "y must be a label"),
        (X, y, [1.0, -1.0], "row 1: w must be"),
        (X, y, [1.0], "w has 1 values for 2 rows"),
        (X, y, -1.0, "w must be"),
    ]
    for X_, y_, w, text in cases:
        with pytest.raises((TypeError, ValueError), match=text):
            model.learn_many(X_, y_, w)
        assert pickle.dumps(model) == before


def test_state_is_bounded_and_the_model_survives():
    model = Binary()
    model.max_state_bytes = 8 * 4
    model.learn_one({"a": 1.0, "b": 2.0}, True)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="max_state_bytes.*hashing"):
        model.learn_one({"c": 1.0, "d": 1.0}, False)
    assert pickle.dumps(model) == before
    model.learn_one({"c": 1.0}, False)


def test_no_feature_and_one_feature():
    for model in MODELS:
        model = model.clone()
        model.predict_proba_one({})
        model.learn_one({}, True)
        model.learn_one({}, False)
        model.learn_one({"a": 1.0}, True)
        for i in range(100):
            model.learn_one({"a": float(i % 3)}, i % 2 == 0)
        assert np.isfinite(list(model.predict_proba_one({"a": 1.0}).values())).all()


def test_mixed_names_and_values():
    from decimal import Decimal

    model = Binary()
    model.learn_one({1: Decimal("1.5"), "a": np.float32(2.0), ("b", 2): True}, True)
    model.learn_one({"a": np.array(2.0), 1: 1}, False)
    assert set(model.weights) == {1, "a", ("b", 2)}
    model.debug_one({1: 1.0, "a": 2.0, "unseen": 3.0})


def test_ties_and_their_order():
    model = Binary()
    assert model.predict_one({"a": 1.0}) is True
    assert model.predict_proba_one({"a": 1.0}) == {True: 0.5, False: 0.5}
    model.learn_one({"a": 1.0}, False)
    model._w[:] = [-1e-18, 0.0]
    proba = model.predict_proba_one({"a": 1.0})
    assert model.predict_one({"a": 1.0}) is False
    assert max(proba, key=proba.get) is False
    many = Many()
    assert many.predict_one({"a": 1.0}) is None and many.predict_proba_one({}) == {}
    uniform = Many(classes=("b", "a"))
    assert uniform.predict_one({"a": 1.0}) == "b"
    assert uniform.predict_proba_one({"a": 1.0}) == {"b": 0.5, "a": 0.5}


def test_parts_sum_to_the_score():
    binary, many = Binary(), Many()
    for i, (x, y) in enumerate(stream()):
        binary.learn_one(x, y)
        many.learn_one(x, "abc"[i % 3])
    for x, _ in stream(5, seed=2):
        total = sum(binary.contributions_one(x).values()) + binary.intercept
        assert total == pytest.approx(binary.decision_function_one(x), abs=1e-12)
        for label, parts in many.contributions_one(x).items():
            total = sum(parts.values()) + many.intercept[label]
            assert total == pytest.approx(many.decision_function_one(x)[label], abs=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_trained_copies_are_equal_and_then_independent(model):
    model = model.clone()
    for x, y in stream():
        model.learn_one(x, y)
    for twin in (pickle.loads(pickle.dumps(model)), model.clone(include_attributes=True)):
        assert pickle.dumps(twin) == pickle.dumps(model)
        before = pickle.dumps(model)
        twin.learn_one({"x0": 3.0, "new": 1.0}, False)
        assert pickle.dumps(model) == before


def test_parameters_are_checked_wherever_they_are_set():
    with pytest.raises(ValueError, match="C must be a finite number above 0, got 0"):
        Binary(C=0)
    model = Binary()
    with pytest.raises(ValueError, match="C must be"):
        model.mutate({"C": -1.0})
    model.mutate({"C": 0.5})
    assert model.C == 0.5
    model.learn_one({"a": 1.0}, True)
    assert model.clone({"C": 2.0}, include_attributes=True).C == 2.0
    with pytest.raises(ValueError, match="learn_intercept is fixed"):
        model.clone({"learn_intercept": False}, include_attributes=True)
    pipeline = preprocessing.StandardScaler() | model
    with pytest.raises(ValueError, match="C must be"):
        pipeline.mutate({"Binary": {"C": -1.0}})


def test_the_callers_dict_is_neither_kept_nor_changed():
    model = Binary()
    x = {"a": 1.0, "b": 2.0}
    model.learn_one(x, True)
    x["a"] = 100.0
    union = compose.TransformerUnion(preprocessing.StandardScaler(), preprocessing.MinMaxScaler())
    (union | Binary()).learn_one({"a": 1.0}, True)
    assert x == {"a": 100.0, "b": 2.0}
    assert model.weights["a"] == pytest.approx(1 / 6)


@pytest.mark.parametrize("n_classes", range(2, 12))
def test_classes_with_equal_weights_tie(n_classes):
    model = Many(classes=tuple(range(n_classes)))
    rng = np.random.default_rng(1)
    for d in range(1, 40):
        row = rng.normal(size=d + 1)
        model._W = np.tile(rng.normal(size=d + 1), (n_classes, 1))
        assert len(set(model._score(row).tolist())) == 1


def test_tuples_as_names_and_labels_of_a_frame():
    names = pd.Index([("a", 1), ("a", 2)], tupleize_cols=False)
    for X in (
        pd.DataFrame([[1.0, 2.0], [3.0, 5.0]], columns=names, dtype=object),
        pd.DataFrame([[1.0, 2.0], [3.0, 5.0]], columns=pd.MultiIndex.from_tuples(names)),
    ):
        model = rn.MulticlassPAClassifier()
        model.learn_many(X.astype(object), pd.Series([(1, 2), ("b",)]))
        assert list(model.weights[1, 2]) == list(names)
        for answers in (model.predict_proba_many(X), model.decision_function_many(X)):
            assert list(answers.columns) == [(1, 2), ("b",)]
        assert model.predict_many(X).tolist() == [("b",), ("b",)]
