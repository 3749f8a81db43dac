"""river's own checks, labels of both kinds, and use inside river's ensembles and wrappers."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import numpy as np
import pandas as pd
import pytest
from river import (
    checks,
    compat,
    datasets,
    ensemble,
    evaluate,
    feature_extraction,
    imblearn,
    metrics,
    multiclass,
    preprocessing,
)
from sklearn import metrics as sklearn_metrics

from river_nrrls import binary

from .learners import LEARNERS, SECOND_ORDER, name

# One of each class, and the diagonal form of one, go through river's checks; the other forms
# share their shell.
CHECKED = [*(getattr(binary, cls)() for cls in binary.__all__)]
CHECKED += [binary.AROWClassifier(covariance="diagonal"), binary.ROMMAClassifier(aggressive=True)]
CHECKED += [binary.ALMAClassifier(p=4), binary.OGDClassifier(loss="squared", C=0.01)]


def river_cases():
    for learner in CHECKED:
        for i, check in enumerate(checks.yield_checks(learner)):
            if check.__name__ not in learner._unit_test_skips():
                yield pytest.param(learner, check, id=f"{name(learner)}-{check.__name__}-{i}")


@pytest.mark.parametrize("learner, check", list(river_cases()))
def test_rivers_checks(learner, check):
    random.seed(0)
    check(learner.clone())


def rows(n=400):
    return list(itertools.islice(datasets.Phishing(), n))


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_all_label_kinds_are_one(learner):
    def state(convert):
        model = learner.clone()
        for x, y in rows(60):
            model.learn_one(x, convert(y))
        return pickle.dumps(model)

    expected = state(bool)
    assert state(np.bool_) == expected
    assert state(int) == expected
    assert state(np.int64) == expected


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
@pytest.mark.parametrize("label", [-1, 2, "spam", 0.5, None])
def test_other_labels_are_refused(learner, label):
    model = learner.clone()
    for x, y in rows(20):
        model.learn_one(x, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="y must be"):
        model.learn_one({"new": 1.0}, label)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_a_cold_model_says_true_by_half(learner):
    model = learner.clone()
    x = {"a": 1.0}
    assert model.predict_one(x) is True
    assert model.predict_proba_one(x) == {True: 0.5, False: 0.5}
    assert next(iter(model.predict_proba_one(x))) is True


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_probabilities_agree_with_predictions(learner):
    model = learner.clone()
    for x, y in rows():
        proba = model.predict_proba_one(x)
        assert max(proba, key=proba.get) is model.predict_one(x)
        assert sum(proba.values()) == pytest.approx(1.0, abs=1e-12)
        assert all(type(p) is float and 0.0 <= p <= 1.0 for p in proba.values())
        model.learn_one(x, y)


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_contributions_sum_to_the_score(learner):
    model = learner.clone()
    for x, y in rows(100):
        model.learn_one(x, y)
    bare = learner.clone({"learn_intercept": False})
    for x, y in rows(100):
        bare.learn_one(x, y)
    for x, _ in rows(20):
        score = bare.decision_function_one(x)
        assert sum(bare.contributions_one(x).values()) == pytest.approx(score, rel=1e-9, abs=1e-12)
        # With LIBOL's form of SOP the intercept is that of w, and the score that of Σw.
        if not (isinstance(model, binary.SOPClassifier) and model.form == "libol"):
            parts = sum(model.contributions_one(x).values()) + model.intercept
            assert parts == pytest.approx(model.decision_function_one(x), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_batches_are_the_loop(learner):
    data = rows(60)
    X = pd.DataFrame([x for x, _ in data])
    y = pd.Series([label for _, label in data])
    w = np.random.default_rng(0).uniform(0.1, 2.0, size=len(y))
    loop, batch = learner.clone(), learner.clone()
    for (x, label), weight in zip(data, w, strict=True):
        loop.learn_one(x, label, float(weight))
    for start in range(0, len(y), 7):
        part = slice(start, start + 7)
        batch.learn_many(X[part], y[part], w[part])
    assert pickle.dumps(loop) == pickle.dumps(batch)
    proba = batch.predict_proba_many(X)
    for i, (x, _) in enumerate(data):
        expected = loop.predict_proba_one(x)
        assert proba[True].iloc[i] == pytest.approx(expected[True], rel=1e-9)
        assert proba[False].iloc[i] == pytest.approx(expected[False], rel=1e-9)


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_late_features_were_zero_before(learner):
    """A feature that comes late gives the model that had it as 0 from the start."""
    late, early = learner.clone(), learner.clone()
    rng = random.Random(4)
    for i in range(150):
        known = 1 + i // 30
        x = {f"x{j}": rng.gauss(0, 1) for j in range(known)}
        y = rng.random() < 0.5
        late.learn_one(x, y)
        early.learn_one({f"x{j}": x.get(f"x{j}", 0.0) for j in range(5)}, y)
    np.testing.assert_allclose(
        list(late.weights.values()), list(early.weights.values()), rtol=1e-9, atol=1e-12
    )
    if learner in SECOND_ORDER:
        np.testing.assert_allclose(
            late.covariance_matrix, early.covariance_matrix, rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_a_pickled_model_goes_on_as_if_unbroken(learner):
    data = rows(200)
    model = learner.clone()
    for x, y in data[:100]:
        model.learn_one(x, y)
    copies = [
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        model.clone(include_attributes=True),
    ]
    for m in (model, *copies):
        for x, y in data[100:]:
            m.learn_one(x, y)
    for other in copies:
        assert pickle.dumps(other) == pickle.dumps(model)


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_parameters_change_with_mutate(learner):
    """A mutated learner goes on as one that always had the new parameter would from here."""
    names = learner._mutable_attributes & {"C", "alpha", "eta", "b", "r", "gamma", "beta", "D"}
    model = learner.clone()
    for x, y in rows(50):
        model.learn_one(x, y)
    for key in names:
        old = getattr(model, key)
        new = 0.77 if old is None or old < 1.0 else old * 0.5
        other = model.clone({key: new}, include_attributes=True)
        mutated = pickle.loads(pickle.dumps(model))
        mutated.mutate({key: new})
        for x, y in rows(100)[50:]:
            mutated.learn_one(x, y)
            other.learn_one(x, y)
        assert pickle.dumps(mutated) == pickle.dumps(other)
    with pytest.raises(ValueError):
        model.mutate({"learn_intercept": False})


COMPOSED = [binary.PAClassifier(variant="PA-I"), binary.AROWClassifier(), binary.SOPClassifier()]


@pytest.mark.parametrize("learner", COMPOSED, ids=name)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda m: preprocessing.StandardScaler() | m,
        lambda m: (preprocessing.StandardScaler() + feature_extraction.PolynomialExtender()) | m,
        lambda m: ensemble.BaggingClassifier(m, n_models=3, seed=1),
        lambda m: ensemble.ADWINBaggingClassifier(m, n_models=3, seed=1),
        lambda m: ensemble.LeveragingBaggingClassifier(m, n_models=3, seed=1),
        lambda m: ensemble.AdaBoostClassifier(m, n_models=3, seed=1),
        lambda m: ensemble.BOLEClassifier(m, n_models=3, seed=1),
        lambda m: ensemble.VotingClassifier([m, m.clone()]),
        lambda m: multiclass.OneVsRestClassifier(m),
        lambda m: imblearn.RandomUnderSampler(m, desired_dist={False: 0.5, True: 0.5}, seed=1),
        lambda m: imblearn.HardSamplingClassifier(m, p=0.1, size=10, seed=1),
    ],
    ids=["scaler", "union", "Bagging", "ADWIN", "Leveraging", "AdaBoost", "BOLE", "Voting"]
    + ["OneVsRest", "UnderSampler", "HardSampling"],
)
def test_composition(learner, wrap):
    model = wrap(learner.clone())
    assert evaluate.progressive_val_score(rows(), model, metrics.Accuracy()).get() > 0.75
    weighted = [(x, y, {"w": 0.5}) for x, y in rows(60)]
    evaluate.progressive_val_score(weighted, model.clone(), metrics.Accuracy())
    if not isinstance(model, ensemble.VotingClassifier):
        proba = model.predict_proba_one(rows(1)[0][0])
        assert sum(proba.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("learner", COMPOSED, ids=name)
def test_as_a_scikit_learn_estimator(learner):
    data = rows(300)
    X = np.array([list(x.values()) for x, _ in data])
    y = np.array([label for _, label in data])
    model = compat.convert_river_to_sklearn(learner.clone()).fit(X, y)
    assert sklearn_metrics.accuracy_score(y, model.predict(X)) > 0.75
    assert model.predict_proba(X).shape == (300, 2)


def test_labels_that_come_late():
    metric = metrics.Accuracy()
    model = preprocessing.StandardScaler() | binary.AROWClassifier()
    assert evaluate.progressive_val_score(rows(), model, metric, delay=20).get() > 0.75


def test_streams_with_more_than_two_elements():
    data = [(x, y, {"t": i}) for i, (x, y) in enumerate(rows())]
    model = preprocessing.StandardScaler() | binary.AROWClassifier()
    assert evaluate.progressive_val_score(data, model, metrics.Accuracy()).get() > 0.75
