"""`MTWUClassifier` around the learners of this package."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import checks, preprocessing

import river_nrrls as rn
from river_nrrls import datasets
from river_nrrls.dense import RuleClassifier

RULES = {
    str(learner._get_params()) + type(learner).__name__: learner
    for learner in [
        rn.PerceptronClassifier(),
        rn.ALMAClassifier(),
        rn.ROMMAClassifier(),
        rn.ROMMAClassifier(aggressive=True),
        rn.PAClassifier(),
        rn.PAClassifier(variant="PA-I", C=0.1),
        rn.PAClassifier(variant="PA-II", C=0.1),
        rn.OGDClassifier(),
        rn.OGDClassifier(loss="logistic"),
        rn.SOPClassifier(),
        rn.CWClassifier(),
        rn.IELLIPClassifier(),
        rn.AROWClassifier(),
        rn.AROWClassifier(covariance="diagonal"),
        rn.NAROWClassifier(b=4.0),
        rn.NHERDClassifier(),
        rn.SCWClassifier(),
        rn.SCWClassifier(variant="II"),
        rn.ACOGClassifier(),
        rn.ONSClassifier(),
        rn.MulticlassPerceptronClassifier(),
        rn.MulticlassPAClassifier(),
        rn.MulticlassOGDClassifier(),
        rn.MulticlassROMMAClassifier(),
        rn.MulticlassAROWClassifier(),
        rn.MulticlassCWClassifier(eta=0.6),
        rn.MulticlassSCWClassifier(),
    ]
}
LEAST_SQUARES = [rn.NRRLSClassifier(), rn.RLSClassifier()]
ALL = [*RULES.values(), *LEAST_SQUARES]


def stream(learner, n=120):
    name = "glass_libsvm" if type(learner).__name__.startswith("Multiclass") else "svmguide3"
    return list(datasets.load(name).shuffled(seed=2).take(n))


def trained(learner, n=120):
    learner = learner.clone()
    for x, y in stream(learner, n):
        learner.learn_one(x, y)
    return learner


@pytest.mark.parametrize("learner", ALL, ids=repr)
def test_one_update_is_the_learner_byte_for_byte(learner):
    inner = learner.clone()
    wrapped = rn.MTWUClassifier(inner, m=1)
    for x, y in stream(learner):
        wrapped.learn_one(x, y)
    assert pickle.dumps(inner) == pickle.dumps(trained(learner))
    assert wrapped.n_updates == inner.n_updates > 0


@pytest.mark.parametrize("learner", RULES.values(), ids=repr)
@pytest.mark.parametrize("m", [2, 3, 8])
def test_stopping_at_a_void_update_is_the_full_loop_byte_for_byte(learner, m):
    inner, loop = learner.clone(), learner.clone()
    wrapped = rn.MTWUClassifier(inner, m=m, clock="update")
    for x, y in stream(learner):
        wrapped.learn_one(x, y)
        for _ in range(m):
            loop.learn_one(x, y)
    assert pickle.dumps(inner) == pickle.dumps(loop)
    assert wrapped.n_updates == loop.n_updates


@pytest.mark.parametrize("learner", RULES.values(), ids=repr)
def test_by_default_clocks_advance_once_an_instance(learner):
    inner, loop = learner.clone(), learner.clone()
    wrapped = rn.MTWUClassifier(inner, m=3)
    for x, y in stream(learner):
        wrapped.learn_one(x, y)
        row, code, w = loop._encode(x, y, 1.0)
        if loop._clocked:
            loop._advance(row, w)
        loop.n_updates += sum(loop._step(row, code, w) > 0.0 for _ in range(3))
    assert pickle.dumps(inner) == pickle.dumps(loop)
    assert learner._clocked == isinstance(
        learner,
        rn.ACOGClassifier
        | rn.OGDClassifier
        | rn.SOPClassifier
        | rn.IELLIPClassifier
        | rn.MulticlassOGDClassifier,
    )


CLOSED = [rn.AROWClassifier(r=0.3), rn.NHERDClassifier(C=3.0), rn.AROWClassifier(r=100.0)]


@pytest.mark.parametrize("learner", CLOSED, ids=repr)
@pytest.mark.parametrize("m", [9, 32, 1000])
def test_many_steps_taken_in_one_are_the_loop_but_for_rounding(learner, m):
    inner, loop = learner.clone(), learner.clone()
    wrapped = rn.MTWUClassifier(inner, m=m)
    for x, y in stream(learner):
        wrapped.learn_one(x, y)
        for _ in range(m):
            loop.learn_one(x, y)
    scale = np.abs(loop._w).max()
    np.testing.assert_allclose(inner._w, loop._w, rtol=1e-9, atol=1e-9 * scale)
    np.testing.assert_allclose(
        inner.covariance_matrix, loop.covariance_matrix, rtol=1e-9, atol=1e-12
    )
    assert wrapped.n_updates == loop.n_updates


@pytest.mark.parametrize("learner", CLOSED, ids=repr)
@pytest.mark.parametrize(
    "rows",
    [
        # A loss that is rounding after one step, so that the loop is void from there on.
        [({"a": 1e9, "b": 1.0}, True), ({"a": 1e9, "b": -1.0}, False)],
        [({"a": 0.0}, False)],
        [({"a": 1e100}, False), ({"a": 1e-200}, False)],
        # A margin of 1 and more.
        [({"a": 3.0}, True), ({"a": 300.0}, True)],
    ],
    ids=["steep", "zero", "extreme", "learnt"],
)
def test_where_rounding_would_tell_the_loop_is_run(learner, rows):
    inner, loop = learner.clone(), learner.clone()
    wrapped = rn.MTWUClassifier(inner, m=32)
    for x, y in rows:
        wrapped.learn_one(x, y)
        for _ in range(32):
            loop.learn_one(x, y)
    assert wrapped.n_updates == loop.n_updates
    scale = np.abs(loop._w).max()
    np.testing.assert_allclose(inner._w, loop._w, rtol=1e-12, atol=1e-15 * scale)
    np.testing.assert_allclose(
        inner.covariance_matrix, loop.covariance_matrix, rtol=1e-12, atol=1e-15
    )


def test_arow_with_m_updates_is_arow_with_an_mth_of_r():
    m, rows = 16, stream(rn.AROWClassifier())
    wrapped = rn.MTWUClassifier(rn.AROWClassifier(r=2.0), m=m)
    once = rn.AROWClassifier(r=2.0 / m)
    for x, y in rows:
        wrapped.learn_one(x, y)
        once.learn_one(x, y)
    for x, _ in rows:
        expected = once.decision_function_one(x)
        assert wrapped.decision_function_one(x) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("learner", [rn.OGDClassifier(), rn.MulticlassOGDClassifier()], ids=repr)
def test_the_step_of_ogd_is_the_same_within_an_instance(learner):
    # From w = 0 each of the first updates adds η_t x, η = C/√t with t = 1.
    wrapped = rn.MTWUClassifier(learner.clone({"C": 0.01, "learn_intercept": False}), m=5)
    if learner._multiclass:
        wrapped.classifier.learn_one({"a": 0.0}, "no")
        wrapped.learn_one({"a": 1.0}, "yes")
        weight = wrapped.weights["yes"]["a"]
        assert weight == pytest.approx(5 * 0.01 / 2**0.5)
    else:
        wrapped.learn_one({"a": 1.0}, True)
        assert wrapped.weights["a"] == pytest.approx(0.05)


@pytest.mark.parametrize("learner", ALL, ids=repr)
def test_a_batch_is_the_loop_byte_for_byte(learner):
    rows = stream(learner)
    X, y = pd.DataFrame([x for x, _ in rows]), pd.Series([label for _, label in rows])
    w = pd.Series([0.0, 0.5, 1.0] * 40)
    for weights in (None, w):
        inner, loop = learner.clone(), learner.clone()
        rn.MTWUClassifier(inner, m=2).learn_many(X, y, **({} if weights is None else {"w": w}))
        one_by_one = rn.MTWUClassifier(loop, m=2)
        for i, (x, label) in enumerate(rows):
            one_by_one.learn_one(x, label, w=1.0 if weights is None else float(w[i]))
        assert pickle.dumps(inner) == pickle.dumps(loop)


@pytest.mark.parametrize("learner", ALL, ids=repr)
def test_a_bad_row_changes_nothing(learner):
    model = rn.MTWUClassifier(trained(learner), m=3)
    before = pickle.dumps(model)
    x, y = stream(learner)[0]
    for bad in ({**x, "f1": None}, {**x, "f1": float("nan")}, {**x, "f1": "1.5"}, "x"):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(bad, y)
    with pytest.raises(ValueError):
        model.learn_one(x, None)
    for w in (-1.0, float("nan"), None):
        with pytest.raises((TypeError, ValueError), match="w must be"):
            model.learn_one(x, y, w=w)
    with pytest.raises((TypeError, ValueError)):
        model.learn_many(pd.DataFrame([x, {**x, "f1": None}]), pd.Series([y, y]))
    assert pickle.dumps(model) == before
    model.learn_one(x, y, w=0.0)
    assert pickle.dumps(model.classifier) == pickle.dumps(trained(learner))


@pytest.mark.parametrize("m", [2, 3, 4, 7, 32])
@pytest.mark.parametrize("strategy", ["binary", "ovr", "shared"])
def test_nrrls_does_not_change_with_m(m, strategy):
    """Every row m times leaves the class means, and so the weights, as they are."""
    learner = rn.NRRLSClassifier(strategy="shared" if strategy == "shared" else "ovr")
    name = "svmguide3" if strategy == "binary" else "glass_libsvm"
    rows = list(datasets.load(name).shuffled(seed=2).take(150))
    once, times = learner.clone(), rn.MTWUClassifier(learner.clone(), m=m)
    for x, y in rows:
        once.learn_one(x, y)
        times.learn_one(x, y)
    if m == 4:
        # Multiplying by a power of four rounds nothing, the root in Cholesky's factor included.
        assert times.weights == once.weights
        assert times.intercept == once.intercept
    for x, _ in rows[:20]:
        assert times.decision_function_one(x) == pytest.approx(
            once.decision_function_one(x), rel=1e-9, abs=1e-9
        )
    # And neither by learning each row m times in so many words.
    repeated = learner.clone()
    for x, y in rows:
        for _ in range(m):
            repeated.learn_one(x, y)
    for x, _ in rows[:20]:
        assert repeated.decision_function_one(x) == pytest.approx(
            once.decision_function_one(x), rel=1e-8, abs=1e-8
        )


@pytest.mark.parametrize("m", [2, 3, 8])
@pytest.mark.parametrize("name", ["svmguide3", "glass_libsvm"])
def test_rls_with_m_updates_is_rls_with_an_mth_of_the_ridge(m, name):
    rows = list(datasets.load(name).shuffled(seed=2).take(150))
    times = rn.MTWUClassifier(rn.RLSClassifier(l2=0.6), m=m)
    once = rn.RLSClassifier(l2=0.6 / m)
    for x, y in rows:
        times.learn_one(x, y)
        once.learn_one(x, y)
    for x, _ in rows[:20]:
        assert times.decision_function_one(x) == pytest.approx(
            once.decision_function_one(x), rel=1e-10, abs=1e-10
        )


WRAPPED = [
    rn.PerceptronClassifier(),
    rn.PAClassifier(),
    rn.OGDClassifier(),
    rn.AROWClassifier(),
    rn.NHERDClassifier(),
    rn.SOPClassifier(),
    rn.MulticlassPAClassifier(),
    rn.MulticlassSCWClassifier(),
    preprocessing.StandardScaler() | rn.AROWClassifier(),
]


@pytest.mark.parametrize("learner", WRAPPED, ids=str)
def test_rivers_checks(learner):
    model = rn.MTWUClassifier(learner.clone(), m=3)
    for check in checks.yield_checks(model):
        random.seed(0)
        check(model.clone())


def test_what_a_learner_tells_its_wrapper_tells():
    model = rn.MTWUClassifier(trained(rn.AROWClassifier()), m=2)
    x, _ = stream(rn.AROWClassifier())[0]
    assert model.weights == model.classifier.weights
    assert model.intercept == model.classifier.intercept
    assert model.decision_function_one(x) == model.classifier.decision_function_one(x)
    assert model.contributions_one(x) == model.classifier.contributions_one(x)
    assert model.debug_one(x) == model.classifier.debug_one(x)
    X = pd.DataFrame([x])
    assert model.decision_function_many(X).tolist() == [model.decision_function_one(x)]
    scaled = rn.MTWUClassifier(preprocessing.StandardScaler() | rn.AROWClassifier())
    assert "AROWClassifier" in scaled.debug_one(x)
    for name in ("weights", "decision_function_one", "unknown"):
        assert not hasattr(scaled, name)
        with pytest.raises(AttributeError):
            getattr(scaled, name)


def test_mutate_reaches_a_learner():
    model = rn.MTWUClassifier(rn.NHERDClassifier(C=1.0), m=2)
    model.mutate({"m": 3, "classifier": {"C": 0.5}})
    assert (model.m, model.classifier.C) == (3, 0.5)
    with pytest.raises(ValueError, match="C must be"):
        model.mutate({"m": 4, "classifier": {"C": -1.0}})
    assert (model.m, model.classifier.C) == (3, 0.5)


@pytest.mark.parametrize("learner", ALL, ids=repr)
def test_clone_with_attributes_and_pickle(learner):
    model = rn.MTWUClassifier(learner.clone(), m=2)
    for x, y in stream(learner, 60):
        model.learn_one(x, y)
    copies = [model.clone(include_attributes=True), pickle.loads(pickle.dumps(model))]
    for copy in copies:
        assert pickle.dumps(copy) == pickle.dumps(model)
        for x, y in stream(learner)[60:]:
            copy.learn_one(x, y)
    for x, y in stream(learner)[60:]:
        model.learn_one(x, y)
    for copy in copies:
        assert pickle.dumps(copy.classifier) == pickle.dumps(model.classifier)
        assert copy.n_updates == model.n_updates
    assert model.clone().n_updates == 0
    assert isinstance(model.classifier, RuleClassifier | rn.NRRLSClassifier | rn.RLSClassifier)


def test_labels_and_weights_as_numpy_has_them():
    model, plain = (rn.MTWUClassifier(rn.AROWClassifier(), m=2) for _ in range(2))
    for x, y in stream(plain.classifier):
        model.learn_one(x, np.bool_(y), w=np.int64(1))
        plain.learn_one(x, y)
    assert pickle.dumps(model) == pickle.dumps(plain)
