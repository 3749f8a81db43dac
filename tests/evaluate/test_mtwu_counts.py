from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from river import compose, evaluate, linear_model, metrics, preprocessing

import river_nrrls as rn
from river_nrrls import datasets
from river_nrrls.evaluate import mtwu_bound, mtwu_counts
from river_nrrls.evaluate.mtwu import count_rows

BINARY = [
    rn.PerceptronClassifier(),
    rn.PAClassifier(variant="PA-I", C=0.1),
    rn.OGDClassifier(),
    rn.ALMAClassifier(),
    rn.AROWClassifier(),
    rn.SCWClassifier(),
    rn.NRRLSClassifier(),
]
MULTICLASS = [
    rn.MulticlassPerceptronClassifier(),
    rn.MulticlassOGDClassifier(),
    rn.MulticlassAROWClassifier(),
]


def rows(name, n=150):
    return list(datasets.load(name).shuffled(seed=1).take(n))


@pytest.mark.parametrize("learner", BINARY + MULTICLASS, ids=repr)
@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("clock", ["instance", "update"])
def test_both_protocols_by_hand(learner, m, clock):
    """The honest mistakes are those of test-then-train; the paper's those after m - 1 updates."""
    stream = rows("glass_libsvm" if learner._multiclass and learner in MULTICLASS else "svmguide3")
    honest = leaked = last = 0
    model = learner.clone()
    for x, y in stream:
        wrong = model.predict_one(x) != y
        honest += wrong
        shown = rn.MTWUClassifier(model.clone(include_attributes=True), max(1, m - 1), clock)
        if m > 1:
            shown.learn_one(x, y)
            wrong = shown.predict_one(x) != y
        leaked += wrong
        before = shown.n_updates if m > 1 else model.n_updates
        wrapped = rn.MTWUClassifier(model, m, clock)
        wrapped.learn_one(x, y)
        last += wrapped.n_updates > before
    counts = mtwu_counts(learner.clone(), stream, m, clock)
    assert (counts.n, counts.m, counts.clock) == (150, m, clock)
    assert counts.progressive_mistakes == honest
    assert counts.post_update_mistakes == leaked
    if isinstance(learner, rn.NRRLSClassifier):
        return
    assert counts.updates == last
    assert counts.total_updates == model.n_updates
    if m == 1:
        assert honest == leaked


@pytest.mark.parametrize("learner", [*BINARY[:-1], *MULTICLASS], ids=repr)
@pytest.mark.parametrize("m", [1, 4])
def test_a_matrix_is_counted_as_its_rows(learner, m):
    """Labels that turn up late, which nobody can predict, included."""
    name = "glass_libsvm" if learner._multiclass else "svmguide3"
    dataset = datasets.load(name)
    X, y = dataset.to_arrays()
    order = np.arange(len(y))[:300]
    by_dict, by_row = learner.clone(), learner.clone()
    expected = mtwu_counts(by_dict, list(dataset)[:300], m)
    counts = count_rows(by_row, dataset.feature_names, X, y, order, m)
    assert replace(counts, seconds=0.0) == replace(expected, seconds=0.0)
    assert by_row.weights == by_dict.weights


def test_the_honest_rate_is_rivers():
    stream = rows("svmguide3")
    for model in (rn.OGDClassifier(), preprocessing.StandardScaler() | rn.OGDClassifier()):
        counts = mtwu_counts(model.clone(), stream, m=3)
        last = model[-1] if isinstance(model, compose.Pipeline) else model
        wrapped = rn.MTWUClassifier(last.clone(), m=3)
        if isinstance(model, compose.Pipeline):
            wrapped = preprocessing.StandardScaler() | wrapped
        accuracy = evaluate.progressive_val_score(stream, wrapped, metrics.Accuracy()).get()
        assert counts.progressive_rate == pytest.approx(1.0 - accuracy, abs=1e-12)


def test_a_foreign_classifier_does_not_tell_its_updates():
    counts = mtwu_counts(linear_model.LogisticRegression(), rows("svmguide3"), m=32)
    assert counts.updates is None
    assert counts.total_updates is None
    assert counts.post_update_mistakes < counts.progressive_mistakes


def test_weights_and_keywords():
    stream = [(x, y, {"w": 0.0, "t": 1}) for x, y in rows("svmguide3")]
    learner = rn.OGDClassifier()
    counts = mtwu_counts(learner, stream, m=3)
    # Nothing is learnt, so True is predicted throughout.
    assert (
        counts.progressive_mistakes
        == counts.post_update_mistakes
        == sum(not y for _, y, _ in stream)
    )
    assert counts.total_updates == counts.updates == 0
    assert all("w" in kwargs for _, _, kwargs in stream)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"m": 0}, "m must be an integer of at least 1, got 0"),
        ({"clock": "row"}, "clock must be one of"),
        ({"classifier": rn.MTWUClassifier(rn.OGDClassifier())}, "MTWUClassifier already"),
        (
            {"classifier": preprocessing.StandardScaler() | rn.MTWUClassifier(rn.OGDClassifier())},
            "MTWUClassifier already",
        ),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        mtwu_counts(**{"classifier": rn.OGDClassifier(), "stream": [], "m": 2, **arguments})


@pytest.mark.parametrize("learner", [*BINARY[:-1], *MULTICLASS], ids=repr)
@pytest.mark.parametrize("m", [1, 2, 8])
def test_the_bound_of_theorem_1_holds(learner, m):
    name = "glass_libsvm" if learner._multiclass else "svmguide3"
    bound = mtwu_bound(learner.clone(), rows(name), m)
    assert (bound.n, bound.m, bound.violations) == (150, m, 0)
    assert 0.0 < bound.tightness[0] <= bound.tightness[1] <= 1.0 + 1e-12
    if m == 1:
        assert bound.step_tightness == pytest.approx((1.0, 1.0))


def test_how_tight_the_bound_is():
    # One PA step solves the row, the others are void: ‖Δw‖ against √M ‖Δw‖.
    bound = mtwu_bound(rn.PAClassifier(), [({"a": 1.0}, True)], m=4)
    assert bound.step_tightness == pytest.approx((0.5, 0.5))
    assert bound.tightness == pytest.approx((0.5, 0.5))
    # Steps of OGD within a row are equal while the row is not learnt.
    bound = mtwu_bound(rn.OGDClassifier(C=0.01), [({"a": 1.0}, True)], m=4)
    assert bound.step_tightness == pytest.approx((1.0, 1.0))


def test_a_bound_needs_an_update_rule():
    for model in (
        linear_model.LogisticRegression(),
        rn.NRRLSClassifier(),
        preprocessing.StandardScaler() | rn.PAClassifier(),
    ):
        with pytest.raises(TypeError, match="with an update rule"):
            mtwu_bound(model, [], m=2)
