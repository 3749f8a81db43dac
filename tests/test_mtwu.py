from __future__ import annotations

import inspect
import pickle
import random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import (
    base,
    checks,
    compose,
    datasets,
    drift,
    ensemble,
    evaluate,
    forest,
    imblearn,
    linear_model,
    metrics,
    multiclass,
    naive_bayes,
    preprocessing,
    tree,
    utils,
)

from river_nrrls.mtwu import MTWUClassifier


def stream(n: int = 80, d: int = 5, seed: int = 1) -> list[tuple[dict[str, float], bool]]:
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        x = {f"x{j}": rng.gauss(0.0, 1.0) for j in range(d)}
        rows.append((x, x["x0"] + 0.5 * rng.gauss(0.0, 1.0) > 0.3))
    return rows


def frames(rows: list[tuple[dict[str, float], bool]]) -> tuple[pd.DataFrame, pd.Series]:
    return pd.DataFrame([x for x, _ in rows]), pd.Series([y for _, y in rows], name="y")


def state(model: base.Classifier) -> Any:
    """The bytes of a model, or what it says where equal models share other objects."""
    if isinstance(model, naive_bayes.GaussianNB | tree.HoeffdingTreeClassifier):
        return [model.predict_proba_one(x) for x, _ in stream(seed=9)]
    return pickle.dumps(model)


FOREIGN = {
    "LogisticRegression": linear_model.LogisticRegression(),
    "PAClassifier": linear_model.PAClassifier(),
    "ALMAClassifier": linear_model.ALMAClassifier(),
    "GaussianNB": naive_bayes.GaussianNB(),
    "HoeffdingTree": tree.HoeffdingTreeClassifier(),
    "OneVsRest": multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
    "scaler|LR": preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    "scaler|PA": preprocessing.StandardScaler() | linear_model.PAClassifier(),
    "union|LR": (preprocessing.StandardScaler() | compose.Prefixer("s_"))
    + (preprocessing.MaxAbsScaler() | compose.Prefixer("m_"))
    | linear_model.LogisticRegression(),
    "Bagging": ensemble.BaggingClassifier(linear_model.LogisticRegression(), seed=1),
    "UnderSampler": imblearn.RandomUnderSampler(
        linear_model.PAClassifier(), {False: 0.5, True: 0.5}, seed=1
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_rivers_checks(name):
    model = MTWUClassifier(FOREIGN[name].clone(), m=3)
    for check in checks.yield_checks(model):
        random.seed(0)
        check(model.clone())


@pytest.mark.parametrize("name", FOREIGN)
def test_one_update_is_the_classifier_itself(name):
    plain = FOREIGN[name].clone()
    inner = FOREIGN[name].clone()
    wrapped = MTWUClassifier(inner, m=1)
    for x, y in stream():
        assert wrapped.predict_one(x) == plain.predict_one(x)
        plain.learn_one(x, y)
        wrapped.learn_one(x, y)
    assert state(inner) == state(plain)


@pytest.mark.parametrize("name", ["LogisticRegression", "PAClassifier", "HoeffdingTree", "Bagging"])
def test_m_updates_are_m_calls(name):
    plain = FOREIGN[name].clone()
    inner = FOREIGN[name].clone()
    wrapped = MTWUClassifier(inner, m=3)
    for x, y in stream():
        wrapped.learn_one(x, y)
        for _ in range(3):
            plain.learn_one(x, y)
    assert state(inner) == state(plain)
    assert wrapped.n_updates == 240


def test_in_a_pipeline_transformers_learn_once():
    wrapped = MTWUClassifier(
        preprocessing.StandardScaler() | linear_model.LogisticRegression(), m=3
    )
    scaler, last = preprocessing.StandardScaler(), linear_model.LogisticRegression()
    for x, y in stream():
        wrapped.learn_one(x, y)
        scaler.learn_one(x)
        scaled = scaler.transform_one(x)
        for _ in range(3):
            last.learn_one(scaled, y)
    assert wrapped.classifier["StandardScaler"].means == scaler.means
    assert wrapped.classifier["LogisticRegression"].weights == last.weights
    x, _ = stream(1, seed=2)[0]
    assert wrapped.predict_proba_one(x) == last.predict_proba_one(scaler.transform_one(x))


def test_in_a_nested_pipeline_the_innermost_step_is_repeated():
    inner = compose.Pipeline(preprocessing.MinMaxScaler(), linear_model.LogisticRegression())
    nested = compose.Pipeline(preprocessing.StandardScaler(), inner)
    wrapped = MTWUClassifier(nested, m=2)
    first, second = preprocessing.StandardScaler(), preprocessing.MinMaxScaler()
    last = linear_model.LogisticRegression()
    for x, y in stream():
        wrapped.learn_one(x, y)
        first.learn_one(x)
        once = first.transform_one(x)
        second.learn_one(once)
        twice = second.transform_one(once)
        last.learn_one(twice, y)
        last.learn_one(twice, y)
    assert inner["LogisticRegression"].weights == last.weights


class Keywords(base.Classifier):
    """Notes the keywords it is given."""

    def __init__(self):
        self.seen: list[Any] = []

    def learn_one(self, x, y, w=1.0):
        self.seen.append(w)

    def predict_proba_one(self, x):
        return {False: 0.5, True: 0.5}


class Silent(Keywords):
    """Takes no keyword at all."""

    def learn_one(self, x, y):
        self.seen.append(None)


@pytest.mark.parametrize(
    ("classifier", "seen"),
    [
        (Keywords(), [3.0, 3.0]),
        (Silent(), [None, None]),
        (preprocessing.StandardScaler() | Keywords(), [3.0, 3.0]),
        (preprocessing.StandardScaler() | Silent(), [None, None]),
    ],
    ids=["takes w", "takes nothing", "pipeline takes w", "pipeline takes nothing"],
)
def test_keywords_go_where_they_are_taken(classifier, seen):
    classifier = classifier.clone()
    model = MTWUClassifier(classifier, m=2)
    model.learn_one({"a": 1.0}, True, w=3.0, t=7)
    pipeline = isinstance(classifier, compose.Pipeline)
    assert (classifier[-1] if pipeline else classifier).seen == seen
    # A pipeline of river 0.26 hands keywords to the inherited predict_one, which then hands them to
    # a predict_proba_one that takes none.
    keywords = {} if pipeline else {"t": 7}
    assert model.predict_one({"a": 1.0}, **keywords) is False
    assert model.predict_proba_one({"a": 1.0}, **keywords) == {False: 0.5, True: 0.5}


def test_a_sampler_that_hands_on_keywords_is_asked_what_is_inside():
    sampler = imblearn.RandomUnderSampler(
        linear_model.PAClassifier(), {False: 0.5, True: 0.5}, seed=1
    )
    rows = [(x, y, {"w": 2.0}) for x, y in stream()]
    metric = evaluate.progressive_val_score(rows, MTWUClassifier(sampler), metrics.Accuracy())
    assert metric.get() > 0.5


def test_bagging_hands_weights_to_what_takes_them():
    bagging = ensemble.BaggingClassifier(linear_model.LogisticRegression(), n_models=2, seed=1)
    model = MTWUClassifier(bagging, m=2)
    model.learn_one({"a": 1.0}, True, w=0.0)
    assert model.predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}
    model = MTWUClassifier(
        ensemble.BaggingClassifier(linear_model.PAClassifier(), n_models=2, seed=1), m=2
    )
    model.learn_one({"a": 1.0}, True, w=2.0)
    assert model.predict_one({"a": 1.0}) is True


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"classifier": linear_model.PAClassifier}, TypeError, r"pass PAClassifier\(\)"),
        ({"classifier": {"C": 1.0}}, TypeError, "got a dict of parameters"),
        ({"classifier": preprocessing.StandardScaler()}, TypeError, "river classifier"),
        ({"classifier": linear_model.LinearRegression()}, TypeError, "river classifier"),
        ({"classifier": None}, TypeError, "river classifier"),
        ({"m": 0}, ValueError, "m must be an integer of at least 1, got 0"),
        ({"m": -1}, ValueError, "m must be"),
        ({"m": 2.0}, ValueError, "m must be"),
        ({"m": True}, ValueError, "m must be"),
        ({"m": "2"}, ValueError, "m must be"),
        ({"m": None}, ValueError, "m must be"),
        ({"clock": "row"}, ValueError, "clock must be one of 'instance', 'update'"),
    ],
)
def test_bad_parameters_are_refused_at_construction(params, error, message):
    with pytest.raises(error, match=message):
        MTWUClassifier(**{"classifier": linear_model.PAClassifier(), **params})


def test_clone_by_a_plain_dict_is_refused():
    model = MTWUClassifier(preprocessing.StandardScaler() | linear_model.PAClassifier())
    with pytest.raises(TypeError, match="got a dict of parameters"):
        model.clone({"classifier": {"PAClassifier": {"C": 9.0}}})


def test_clone_takes_parameters_instances_and_tuples():
    model = MTWUClassifier(linear_model.PAClassifier(C=2.0, mode=2), m=3, clock="update")
    assert model.clone({"m": 5})._get_params()["m"] == 5
    assert model.clone({"m": 5}).classifier.C == 2.0
    changed = model.clone({"classifier": (linear_model.PAClassifier, {"C": 9.0})})
    assert (changed.classifier.C, changed.classifier.mode, changed.m) == (9.0, 2, 3)
    other = model.clone({"classifier": (linear_model.ALMAClassifier, {"alpha": 0.5})})
    assert isinstance(other.classifier, linear_model.ALMAClassifier)
    assert other.classifier.alpha == 0.5
    given = linear_model.PAClassifier(C=4.0)
    assert model.clone({"classifier": given}).classifier is not given
    assert model.clone({"classifier": given}).classifier.C == 4.0
    with pytest.raises(TypeError):
        model.clone({"n": 5})


# river's samplers leave the classifier inside untrained in a clone with attributes.
@pytest.mark.parametrize("name", sorted(FOREIGN.keys() - {"UnderSampler"}))
def test_clone_with_attributes_goes_inside_and_then_apart(name):
    model = MTWUClassifier(FOREIGN[name].clone(), m=2)
    for x, y in stream(40):
        model.learn_one(x, y)
    x, _ = stream(1, seed=3)[0]
    fresh = model.clone()
    copy = model.clone(include_attributes=True)
    before = copy.predict_proba_one(x)
    assert before == model.predict_proba_one(x)
    assert copy.n_updates == model.n_updates == 80
    assert fresh.n_updates == 0
    for row, y in stream(40, seed=4):
        model.learn_one(row, not y)
    assert copy.predict_proba_one(x) == before
    for row, y in stream(40, seed=4):
        copy.learn_one(row, not y)
    assert copy.predict_proba_one(x) == model.predict_proba_one(x)


def test_mutate_reaches_inside():
    model = MTWUClassifier(preprocessing.StandardScaler() | linear_model.LogisticRegression())
    model.mutate({"m": 4, "clock": "update", "classifier": {"LogisticRegression": {"l2": 0.5}}})
    assert (model.m, model.clock) == (4, "update")
    assert model.classifier["LogisticRegression"].l2 == 0.5
    model.learn_one({"a": 1.0}, True)
    assert model.n_updates == 4


@pytest.mark.parametrize(
    "attrs",
    [
        {"m": 0},
        {"m": 4, "clock": "row"},
        {"m": 4, "classifier": {"m": 1}},
        {"m": 4, "classifier": linear_model.PAClassifier()},
        {"m": 4, "alpha": 1},
    ],
)
def test_mutate_with_anything_wrong_changes_nothing(attrs):
    model = MTWUClassifier(linear_model.PAClassifier(), m=3)
    with pytest.raises(ValueError):
        model.mutate(attrs)
    assert (model.m, model.clock) == (3, "instance")


def test_a_grid_reaches_inside():
    model = MTWUClassifier(linear_model.PAClassifier())
    grid = {"m": [1, 2], "classifier": [(linear_model.PAClassifier, {"C": [0.5, 4.0]})]}
    models = utils.expand_param_grid(model, grid)
    assert sorted((model.m, model.classifier.C) for model in models) == [
        (1, 0.5),
        (1, 4.0),
        (2, 0.5),
        (2, 4.0),
    ]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_pickle_goes_on_learning(name):
    model = MTWUClassifier(FOREIGN[name].clone(), m=2)
    for x, y in stream(40):
        model.learn_one(x, y)
    copy = pickle.loads(pickle.dumps(model))
    for x, y in stream(40, seed=5):
        model.learn_one(x, y)
        copy.learn_one(x, y)
    x, _ = stream(1, seed=3)[0]
    assert copy.predict_proba_one(x) == model.predict_proba_one(x)
    assert copy.n_updates == model.n_updates


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_batches_are_the_loop(name, library):
    loop = MTWUClassifier(FOREIGN[name].clone(), m=2)
    batch = MTWUClassifier(FOREIGN[name].clone(), m=2)
    X, y = frames(stream())
    native = {
        "pandas": (X, y),
        "polars": (pl.DataFrame(X.to_dict("list")), pl.Series(y.tolist())),
        "pyarrow": (pa.Table.from_pandas(X), pa.chunked_array([y.tolist()])),
    }[library]
    assert len(batch.predict_many(native[0])) == len(X)
    for x, label in stream():
        loop.learn_one(x, label)
    batch.learn_many(*native)
    x, _ = stream(1, seed=3)[0]
    assert batch.predict_proba_one(x) == pytest.approx(loop.predict_proba_one(x), rel=1e-12)
    predicted = batch.predict_many(native[0])
    predicted = predicted.to_pylist() if library == "pyarrow" else predicted.to_list()
    assert predicted == [batch.predict_one(x) for x, _ in stream()]
    proba = batch.predict_proba_many(native[0])
    column = proba[True if library == "pandas" else "True"]
    column = column.to_pylist() if library == "pyarrow" else column.to_list()
    assert column == pytest.approx([batch.predict_proba_one(x)[True] for x, _ in stream()])


def test_batch_weights():
    X, y = frames(stream(20))
    w = [0.0, 2.0] * 10
    batch = MTWUClassifier(linear_model.LogisticRegression(), m=2)
    batch.learn_many(X, y, w=w)
    loop = MTWUClassifier(linear_model.LogisticRegression(), m=2)
    for (x, label), weight in zip(stream(20), w, strict=True):
        loop.learn_one(x, label, w=weight)
    assert batch.classifier.weights == loop.classifier.weights


def test_it_composes():
    dataset = datasets.Phishing().take(150)
    rows = list(dataset)

    def accuracy(model):
        return evaluate.progressive_val_score(iter(rows), model, metrics.Accuracy()).get()

    wrapped = MTWUClassifier(linear_model.LogisticRegression(), m=2)
    models = [
        preprocessing.StandardScaler() | wrapped.clone(),
        ensemble.BaggingClassifier(wrapped.clone(), n_models=3, seed=1),
        ensemble.ADWINBaggingClassifier(wrapped.clone(), n_models=3, seed=1),
        ensemble.AdaBoostClassifier(wrapped.clone(), n_models=3, seed=1),
        ensemble.VotingClassifier([wrapped.clone(), tree.HoeffdingTreeClassifier()]),
        imblearn.RandomUnderSampler(wrapped.clone(), {False: 0.5, True: 0.5}, seed=1),
        drift.DriftRetrainingClassifier(wrapped.clone()),
        multiclass.OneVsRestClassifier(wrapped.clone()),
        MTWUClassifier(MTWUClassifier(linear_model.LogisticRegression(), m=2), m=2),
        MTWUClassifier(forest.ARFClassifier(n_models=3, seed=1), m=2),
    ]
    for model in models:
        assert accuracy(model) > 0.5, model
    assert "LogisticRegression" in repr(wrapped)
    assert str(wrapped) == "MTWUClassifier(LogisticRegression)"
    assert isinstance(inspect.getdoc(MTWUClassifier), str)


def test_numbers_of_columns_and_names_that_are_no_text():
    X = pd.DataFrame(np.arange(8.0).reshape(4, 2))
    y = pd.Series([True, False, True, False])
    model = MTWUClassifier(tree.HoeffdingTreeClassifier(), m=2)
    model.learn_many(X, y)
    assert model.predict_proba_many(X).shape == (4, 2)
    assert model.predict_proba_many(X)[True].tolist() == [
        model.predict_proba_one(x)[True] for x in X.to_dict("records")
    ]
