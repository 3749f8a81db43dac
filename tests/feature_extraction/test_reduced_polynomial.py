from __future__ import annotations

import itertools
import math
import pickle
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import checks, compose, feature_extraction, preprocessing

from river_nrrls.feature_extraction import ReducedPolynomialExtender

VARIANTS = [
    dict(zip(("order", "include_bias", "redundant", "interactions", "squash"), v, strict=True))
    for v in itertools.product(
        (1, 2, 3), (True, False), (True, False), ("sum", "pairs"), (None, 1.0, 3)
    )
]


def cases():
    for extender in (
        ReducedPolynomialExtender(),
        ReducedPolynomialExtender(order=4, include_bias=False, redundant=False, squash=1.0),
        preprocessing.StandardScaler() | ReducedPolynomialExtender(order=3),
    ):
        for i, check in enumerate(checks.yield_checks(extender)):
            yield pytest.param(extender, check, id=f"{extender}:{check.__name__}:{i}")


@pytest.mark.parametrize("extender, check", list(cases()))
def test_river_check(extender, check):
    random.seed(0)
    check(extender.clone())


@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("l", range(1, 9))
def test_number_and_rank_of_the_terms(order, l):
    rng = np.random.default_rng(order * 10 + l)
    rows = [dict(zip("abcdefgh"[:l], rng.uniform(-1, 1, l).tolist(), strict=True))] * 1
    rows += [dict(zip("abcdefgh"[:l], v, strict=True)) for v in rng.uniform(-1, 1, (400, l))]
    full = [ReducedPolynomialExtender(order).transform_one(x) for x in rows]
    kept = [ReducedPolynomialExtender(order, redundant=False).transform_one(x) for x in rows]
    assert {len(x) for x in full} == {1 + order + l * (2 * order - 1)}
    assert {len(x) for x in kept} == {1 + l * (2 * order - 1)}

    def rank(terms):
        M = np.array([list(x.values()) for x in terms])
        return np.linalg.matrix_rank(M / np.linalg.norm(M, axis=0), tol=1e-11 * len(M))

    assert rank(full) == rank(kept)
    if l >= 3:
        assert rank(kept) == 1 + l * (2 * order - 1)


def test_terms_by_hand():
    x = {"a": 2.0, "b": -3.0}
    s = -1.0
    assert ReducedPolynomialExtender(3).transform_one(x) == {
        "bias": 1.0,
        "a": 2.0,
        "b": -3.0,
        "a^2": 4.0,
        "b^2": 9.0,
        "a^3": 8.0,
        "b^3": -27.0,
        "sum": s,
        "sum^2": s**2,
        "sum^3": s**3,
        "a*sum": 2.0 * s,
        "b*sum": -3.0 * s,
        "a*sum^2": 2.0 * s**2,
        "b*sum^2": -3.0 * s**2,
    }


def test_dropped_powers_of_the_sum_follow_from_the_other_terms():
    rng = np.random.default_rng(3)
    terms = ReducedPolynomialExtender(4).transform_one(dict(enumerate(rng.normal(size=7).tolist())))
    assert sum(terms[i] for i in range(7)) == pytest.approx(terms["sum"], rel=1e-12)
    for k in (2, 3, 4):
        inner = "*sum" if k == 2 else f"*sum^{k - 1}"
        assert sum(terms[f"{i}{inner}"] for i in range(7)) == pytest.approx(terms[f"sum^{k}"])


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("parameters", VARIANTS)
def test_transform_many_is_transform_one(parameters, library):
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=5) for name in ("x", "y", "z")}
    frame = library(columns)
    extended = ReducedPolynomialExtender(**parameters).transform_many(frame)
    assert type(extended) is type(frame)
    names = extended.column_names if library is pa.table else list(extended.columns)
    for i in range(5):
        row = {name: float(v[i]) for name, v in columns.items()}
        expected = ReducedPolynomialExtender(**parameters).transform_one(row)
        assert names == list(expected)
        assert len(names) == ReducedPolynomialExtender(**parameters).n_terms(3)
        got = [float(np.asarray(extended[name])[i]) for name in names]
        assert got == pytest.approx(list(expected.values()), rel=1e-12)


def test_pandas_index_and_names_that_are_not_text_survive():
    frame = pd.DataFrame({7: [1.0, 2.0], "a": [3, 4]}, index=["r", "s"])
    extended = ReducedPolynomialExtender(2, include_bias=False).transform_many(frame)
    assert list(extended.index) == ["r", "s"]
    assert list(extended.columns) == [7, "a", "7^2", "a^2", "sum", "sum^2", "7*sum", "a*sum"]
    assert extended.loc["s"].tolist() == [2, 4, 4, 16, 6, 36, 12, 24]


def test_an_absent_feature_is_a_zero():
    extender = ReducedPolynomialExtender(4)
    absent = extender.transform_one({"a": 2.0, "c": 0.5})
    zero = extender.transform_one({"a": 2.0, "b": 0.0, "c": 0.5})
    assert all(zero[name] == value for name, value in absent.items())
    assert all(value == 0.0 for name, value in zero.items() if name not in absent)


def test_squashed_terms_are_bounded_whatever_comes():
    extender = ReducedPolynomialExtender(5, squash=1.0)
    for value in (1e150, -1e150, 1e10, 3.0):
        terms = extender.transform_one({"a": value, "b": value, "c": -1.0})
        assert all(abs(t) <= 3.0**5 for t in terms.values())
    assert terms["tanh(a)"] == math.tanh(3.0)
    three = ReducedPolynomialExtender(1, squash=3.0).transform_one({"a": 6.0})
    assert three["tanh(a)"] == 3.0 * math.tanh(2.0)


def test_pairs_of_order_2_are_the_full_polynomial():
    x = {"a": 2.0, "b": -3.0, "c": 0.5}
    pairs = ReducedPolynomialExtender(2, interactions="pairs").transform_one(x)
    full = feature_extraction.PolynomialExtender(2, include_bias=True).transform_one(x)
    assert sorted(pairs.values()) == sorted(full.values())
    assert pairs["a*b"] == -6.0


@pytest.mark.parametrize("squash", [None, 1.0])
@pytest.mark.parametrize(
    "value, error",
    [(math.nan, ValueError), (math.inf, ValueError), (None, TypeError), ("1.5", TypeError)],
)
def test_bad_values_are_named(value, error, squash):
    extender = ReducedPolynomialExtender(2, squash=squash)
    with pytest.raises(error, match="'bad'"):
        extender.transform_one({"a": 1.0, "bad": value})
    with pytest.raises(error, match="'bad'"):
        extender.transform_many(pd.DataFrame({"a": [1.0], "bad": [value]}))


@pytest.mark.parametrize("x", [{1: 1.0, "1": 2.0}, {"a": 1.0, "sum": 2.0}, {"a": 1.0, "a^2": 1.0}])
def test_names_that_collide_are_refused(x):
    with pytest.raises(ValueError, match="two terms would be called"):
        ReducedPolynomialExtender().transform_one(x)


@pytest.mark.parametrize(
    "name, value",
    [("order", 0), ("order", 1.5), ("order", True), ("squash", 0.0), ("redundant", 1)],
)
def test_parameters_are_checked(name, value):
    with pytest.raises(ValueError, match=name):
        ReducedPolynomialExtender(**{name: value})


def test_rows_with_different_features_do_not_fill_memory_or_the_pickle():
    extender = ReducedPolynomialExtender()
    fresh = pickle.dumps(extender)
    for i in range(1000):
        extender.transform_one({f"f{i}": 1.0})
    assert len(extender._plans) <= 64
    assert pickle.dumps(extender) == fresh
    assert pickle.loads(fresh).transform_one({"a": 2.0})["a*sum"] == 4.0


def test_an_empty_row():
    assert ReducedPolynomialExtender(2).transform_one({}) == {"bias": 1.0, "sum": 0.0, "sum^2": 0.0}


def test_in_a_union():
    union = compose.TransformerUnion(
        ReducedPolynomialExtender(2, include_bias=False), compose.Select("a")
    )
    assert union.transform_one({"a": 2.0, "b": 1.0})["b*sum"] == 3.0
