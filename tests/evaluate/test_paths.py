"""Paths from one pass equal models trained anew for every value."""

from __future__ import annotations

import math
import pickle

import pandas as pd
import pytest
from river import datasets, metrics, preprocessing

import river_nrrls as rn


def trained(model, rows):
    for x, y in rows:
        model.learn_one(x, y)
    return model


BINARY = list(datasets.Phishing())
MANY = list(datasets.ImageSegments().take(600))


@pytest.mark.parametrize("rows", [BINARY, MANY], ids=["binary", "multiclass"])
def test_ridge_path(rows):
    train, test = rows[:400], rows[400:]
    model = trained(rn.NRRLSClassifier(scaling="standard", prior="natural"), train)
    before = pickle.dumps(model)
    path = rn.evaluate.ridge_path(model, (0.01, 1.0), test)
    assert pickle.dumps(model) == before
    frame = pd.DataFrame(path)
    labels = 1 if rows is BINARY else 7
    assert len(frame) == 2 * labels * len(train[0][0])
    for l2, part in frame.groupby("l2"):
        fresh = trained(rn.NRRLSClassifier(l2=l2, scaling="standard", prior="natural"), train)
        for row in part.itertuples():
            weights, errors = fresh.weights, fresh.weights_std_error
            if labels > 1:
                weights, errors = weights[row.label], errors[row.label]
            assert row.weight == pytest.approx(weights[row.feature], rel=1e-9, abs=1e-12)
            assert row.std_error == pytest.approx(errors[row.feature], rel=1e-9, abs=1e-12)
        scores = {
            "geometric_mean": metrics.GeometricMean(),
            "accuracy": metrics.Accuracy(),
            "log_loss": metrics.LogLoss() if labels == 1 else metrics.CrossEntropy(),
        }
        for x, y in test:
            p = fresh.predict_proba_one(x)
            for name, metric in scores.items():
                metric.update(y, p if name == "log_loss" else fresh.predict_one(x))
        for name, metric in scores.items():
            assert part[name].nunique() == 1
            assert part[name].iloc[0] == pytest.approx(metric.get(), rel=1e-9)


def test_ridge_path_needs_no_data():
    model = trained(rn.NRRLSClassifier(), BINARY[:100])
    path = rn.evaluate.ridge_path(model)
    assert len(path) == 6 * 9 and set(path[0]) == {"l2", "label", "feature", "weight", "std_error"}
    size = [sum(row["weight"] ** 2 for row in path if row["l2"] == l2) for l2 in (1e-4, 0.1, 10.0)]
    assert size == sorted(size, reverse=True)
    assert rn.evaluate.ridge_path(rn.NRRLSClassifier()) == []


def test_a_ridge_chosen_while_streaming_has_a_path():
    model = trained(rn.NRRLSClassifier(l2="auto", scaling="standard"), BINARY[:300])
    (row, *_) = rn.evaluate.ridge_path(model, (0.5,))
    fresh = trained(rn.NRRLSClassifier(l2=0.5, scaling="standard"), BINARY[:300])
    assert row["weight"] == pytest.approx(fresh.weights[row["feature"]], rel=1e-9)


@pytest.mark.parametrize(
    "rows, label", [(BINARY, True), (BINARY, False), (MANY, "window")], ids="abc"
)
def test_cost_curve(rows, label):
    rows = [(x, y, {"w": float(1 + i % 3)}) for i, (x, y) in enumerate(rows)]
    train, test = rows[:400], rows[400:]
    options = {"l2": 0.1, "scaling": "standard"}
    model = rn.NRRLSClassifier(costs={"grass": 2.0}, **options)
    for x, y, _ in train:
        model.learn_one(x, y)
    before = pickle.dumps(model)
    curve = rn.evaluate.cost_curve(model, test, (0.1, 1.0, 10.0), label)
    assert pickle.dumps(model) == before
    for row in curve:
        costs = {"grass": 2.0, label: row["cost"]}
        fresh = trained(rn.NRRLSClassifier(costs=costs, **options), [r[:2] for r in train])
        matrix = metrics.ConfusionMatrix()
        for x, y, option in test:
            matrix.update(y == label, fresh.predict_one(x) == label, option["w"])
        tp, fn = matrix[True][True], matrix[True][False]
        fp, tn = matrix[False][True], matrix[False][False]
        assert row["miss_rate"] == pytest.approx(fn / (fn + tp))
        assert row["false_alarm_rate"] == pytest.approx(fp / (fp + tn))
        assert row["precision"] == pytest.approx(
            tp / (tp + fp) if tp + fp else math.nan, nan_ok=True
        )
        assert row["geometric_mean"] ** 2 == pytest.approx(tp / (fn + tp) * tn / (fp + tn))
        c = row["cost"]
        expected = (c * fn / (fn + tp) + fp / (fp + tn)) / (c + 1.0)
        assert row["expected_cost"] == pytest.approx(expected)
        assert row["trivial_cost"] == pytest.approx(min(1.0, c) / (c + 1.0))
    missed = [row["miss_rate"] for row in curve]
    assert missed == sorted(missed, reverse=True) and missed[0] > missed[-1]


def test_what_cannot_be_done_is_said():
    model = trained(rn.NRRLSClassifier(), BINARY[:50])
    with pytest.raises(ValueError, match="label 'sky' is unknown to the model"):
        rn.evaluate.cost_curve(model, BINARY, label="sky")
    for wrong in (rn.RLSClassifier(), preprocessing.StandardScaler() | rn.NRRLSClassifier()):
        with pytest.raises(TypeError, match="model must be a trained NRRLSClassifier, got"):
            rn.evaluate.ridge_path(wrong)
    with pytest.raises(ValueError, match="l2 must be"):
        rn.evaluate.ridge_path(model, (-1.0,))
    with pytest.raises(ValueError, match="costs"):
        rn.evaluate.cost_curve(model, BINARY, (0.0,))
    (row,) = rn.evaluate.cost_curve(model, [], (1.0,))
    assert math.isnan(row["miss_rate"])
