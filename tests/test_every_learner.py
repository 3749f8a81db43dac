"""What holds for every learner, alone and inside `MTWUClassifier`."""

from __future__ import annotations

import copy
import math
import pickle
import random
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from river import ensemble, preprocessing

import river_nrrls as rn

LEARNERS = [
    getattr(rn, name)
    for name in rn.__all__
    if name.endswith("Classifier") and name != "MTWUClassifier"
]
MAKERS = {
    **{learner.__name__: learner for learner in LEARNERS},
    **{
        f"MTWU {learner.__name__}": lambda learner=learner: rn.MTWUClassifier(learner(), m=3)
        for learner in LEARNERS
    },
}
ROW = {"a": 1.0, "b": 2.0}
FRAME = pd.DataFrame([ROW, ROW])
LABELS = pd.Series([True, False])

# They invert as they go, from R_0 = I / b: one row of 1.8e19 costs them all digits.
RECURSIONS = {"IRRLSClassifier", "RecursiveNRRLSClassifier"}

every_learner = pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))


def stream(n=60, d=3, seed=0):
    rng = random.Random(seed)
    for _ in range(n):
        y = rng.random() < 0.3
        yield {f"f{j}": rng.gauss(float(y and j == 0), 1.0) for j in range(d)}, y


def trained(make, rows=None):
    model = make()
    for x, y in rows or stream():
        model.learn_one(x, y)
    return model


def test_no_learner_is_left_out():
    assert len(LEARNERS) == 28


BAD_VALUES = [
    None,
    "1.5",
    b"1",
    math.nan,
    math.inf,
    1e151,
    -1e308,
    10**400,
    1j,
    [1.0],
    {},
    np.float64("nan"),
    pd.NA,
    pd.Timestamp("2020-01-01"),
]
BAD_ROWS = [
    None,
    5,
    "abc",
    [1.0, 2.0],
    np.zeros(3),
    pd.Series({"f0": 1.0}),
    pd.Series({"f0": 1.0, "f1": 1.0, "f2": 1.0}),
]
BAD_WEIGHTS = [-1.0, 5e-324, 1e-301, math.nan, math.inf, None, "1", [1.0]]
BAD_LABELS = [None, math.nan, [1], {}]
BAD_FRAMES = [
    (pd.DataFrame({"f0": [1.0, math.nan], "f1": [1.0, 2.0]}), LABELS),
    (pd.DataFrame({"f0": ["1", "2"], "f1": [1.0, 2.0]}), LABELS),
    (pd.DataFrame({"f0": [None, 1.0], "f1": [1.0, 2.0]}), LABELS),
    (pd.DataFrame({"f0": [1e200, 1.0], "f1": [1.0, 2.0]}), LABELS),
    (pd.DataFrame({"f0": [1.0, 2.0]}), pd.Series([True, False, True])),
    (pd.DataFrame({"f0": [1.0, 2.0]}), pd.Series([True, None])),
    (pd.DataFrame({"f0": [1.0, 2.0]}), LABELS.to_frame()),
    (np.zeros((2, 2)), LABELS),
]


@every_learner
def test_bad_input_is_refused_and_changes_nothing(make):
    model = trained(make)
    before = pickle.dumps(model)
    x = next(stream())[0]
    bad = (TypeError, ValueError)
    for value in BAD_VALUES:
        for name in ("f1", "new"):
            with pytest.raises(bad, match=name):
                model.learn_one({**x, name: value}, True)
        with pytest.raises(bad, match="f1"):
            model.predict_one({**x, "f1": value})
        with pytest.raises(bad, match="f1"):
            model.predict_proba_one({**x, "f1": value})
    for row in BAD_ROWS:
        with pytest.raises(bad, match="x must be"):
            model.learn_one(row, True)
        with pytest.raises(bad, match="x must be"):
            model.predict_one(row)
    for w in BAD_WEIGHTS:
        with pytest.raises(bad, match="w must be"):
            model.learn_one(x, True, w=w)
    for y in BAD_LABELS:
        with pytest.raises(bad, match="y must be"):
            model.learn_one(x, y)
    for X, y in BAD_FRAMES:
        with pytest.raises(bad):
            model.learn_many(X, y)
    assert pickle.dumps(model) == before


@every_learner
def test_a_weight_of_0_changes_nothing_and_1_is_none(make):
    model = trained(make)
    before = pickle.dumps(model)
    model.learn_one(next(stream())[0], True, w=0.0)
    model.learn_one({"zz": 1.0}, False, w=0)
    assert pickle.dumps(model) == before
    for w in (1, 1.0, np.int64(1), np.float32(1.0)):
        other = make()
        for x, y in stream():
            other.learn_one(x, y, w=w)
        assert pickle.dumps(other) == before


@every_learner
@pytest.mark.parametrize(
    "value",
    [1, True, np.float32(1.5), np.int64(3), np.bool_(True), Decimal("1.5"), Fraction(1, 3)],
    ids=repr,
)
def test_any_real_number_is_as_good_as_a_float(make, value):
    given = trained(make, [({"a": value, "b": 1.0}, True), ({"a": value}, False)])
    wanted = trained(make, [({"a": float(value), "b": 1.0}, True), ({"a": float(value)}, False)])
    assert pickle.dumps(given) == pickle.dumps(wanted)


@every_learner
def test_before_and_between_anything_is_known(make):
    model = make()
    for x in ({}, ROW):
        model.predict_one(x)
        assert sum(model.predict_proba_one(x).values()) in (0.0, 1.0)
    assert len(model.predict_many(FRAME)) == len(model.predict_proba_many(FRAME)) == 2
    model.learn_one({}, True)
    model.learn_one({}, False)
    model.learn_many(pd.DataFrame({"a": []}, dtype=float), pd.Series([], dtype=bool))
    model.learn_many(pd.DataFrame(index=range(2)), LABELS)
    model.learn_one(ROW, True)
    assert sum(model.predict_proba_one({"unknown": 1.0}).values()) == pytest.approx(1.0)
    assert model.predict_proba_many(FRAME).sum(axis=1).tolist() == pytest.approx([1.0, 1.0])


@every_learner
def test_the_callers_dict_is_left_alone_and_not_kept(make):
    x = {"b": 2.0, "a": 1.0}
    model = trained(make, [(x, True)])
    model.predict_one(x)
    model.predict_proba_one(x)
    assert list(x.items()) == [("b", 2.0), ("a", 1.0)]
    before = pickle.dumps(model)
    x["a"] = 100.0
    assert pickle.dumps(model) == before
    # Asked for a name that it does not have, a defaultdict takes it in.
    for asked in (model.predict_one, model.predict_proba_one, lambda x: model.learn_one(x, False)):
        partial = defaultdict(lambda: 7.0, a=1.0)
        asked(partial)
        assert partial == {"a": 1.0}


@every_learner
def test_a_scaler_that_has_not_seen_a_feature_says_nan_of_it(make):
    model = preprocessing.MinMaxScaler() | make()
    for t, (x, y) in enumerate(stream(20)):
        x |= {"late": float(t)} if t > 9 else {}
        assert model.predict_one(x) in (True, False, None)
        assert sum(model.predict_proba_one(x).values()) in (0.0, pytest.approx(1.0))
        model.learn_one(x, y)
    with pytest.raises(ValueError, match="f1"):
        model.predict_one({"f1": math.nan})
    with pytest.raises(ValueError, match="new"):
        make().learn_one({"new": math.nan}, True)


@every_learner
def test_predicting_changes_no_byte(make):
    model = trained(make)
    before = pickle.dumps(model)
    for x, _ in stream(20, seed=1):
        model.predict_one({**x, "unknown": 1.0})
        model.predict_proba_one({"f0": 1.0})
        model.decision_function_one(x)
    assert pickle.dumps(model) == before


@every_learner
def test_copies_go_on_alike_and_apart(make):
    rows = list(stream())
    model = trained(make, rows[:20])
    before = pickle.dumps(model)
    copies = [model.clone(include_attributes=True), copy.deepcopy(model), pickle.loads(before)]
    assert pickle.dumps(copies[0]) == before
    for x, y in rows[20:]:
        for other in copies:
            other.learn_one(x, y)
    first, *others = map(pickle.dumps, copies)
    assert all(other == first for other in others)
    assert pickle.dumps(model) == before
    for x, y in rows[20:]:
        model.learn_one(x, y)
    assert pickle.dumps(model) == first


@every_learner
def test_features_may_come_at_any_time(make):
    model = make()
    for t, (x, y) in enumerate(stream(200, seed=2)):
        x |= {f"g{k}": float(t % (k + 2)) for k in range(t // 40)}
        proba = model.predict_proba_one(x)
        assert all(type(p) is float and 0.0 <= p <= 1.0 for p in proba.values())
        assert not proba or sum(proba.values()) == pytest.approx(1.0, rel=1e-9)
        assert model.learn_one(x, y) is None


@pytest.mark.parametrize("name", [name for name in MAKERS if name.split()[-1] not in RECURSIONS])
def test_one_large_number_does_not_stop_learning(name):
    model = MAKERS[name]()
    model.learn_one({"ignore": 1.8e19, "out": 1.0}, True)
    rng = random.Random(3)
    for _ in range(200):
        y = rng.random() < 0.5
        sign = 1.0 if y else -1.0
        model.learn_one({"ignore": rng.gauss(0.0, 1.0), "out": sign + rng.gauss(0.0, 0.1)}, y)
    assert model.predict_one({"ignore": 0.0, "out": 1.0})
    assert not model.predict_one({"ignore": 0.0, "out": -1.0})


@every_learner
def test_names_of_arguments_and_company(make):
    model = preprocessing.StandardScaler() | make()
    model.learn_one(x=ROW, y=True)
    model.learn_many(X=FRAME, y=LABELS)
    assert model.predict_one(x=ROW) in (True, False)
    bagging = ensemble.BaggingClassifier(make(), n_models=3, seed=1)
    for x, y in stream(20):
        bagging.learn_one(x, y)
    assert bagging.predict_one(x) in (True, False)
