"""The demo: its figures against other code, its claims, and the README that quotes it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
import pytest
from river import imblearn, linear_model, multiclass, preprocessing
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score

import river_nrrls as rn
from river_nrrls.evaluate import demo

TOP = Path(__file__).parents[2]
TABLE = re.search(r"```text\n(.*?)```", (TOP / "README.md").read_text(encoding="utf-8"), re.S)[1]


def by_hand(stream, model, seed=None):
    """Labels, predicted labels and probabilities by the plainest loop."""
    dataset = rn.datasets.load(stream)
    if seed is not None:
        dataset = dataset.shuffled(seed)
    model = preprocessing.StandardScaler() | model
    truth, labels, probabilities = [], [], []
    for x, y in dataset:
        if p := model.predict_proba_one(x):
            truth.append(y)
            labels.append(model.predict_one(x))
            probabilities.append(p)
        model.learn_one(x, y)
    return truth, labels, probabilities


@pytest.mark.parametrize(
    "name, seed, model",
    [
        ("NR-RLS, l2=0.1", 0, rn.NRRLSClassifier(l2=0.1)),
        ("NR-RLS, l2=1e-4", 0, rn.NRRLSClassifier(l2=1e-4)),
        ("LogisticRegression", 0, linear_model.LogisticRegression()),
        ("PAClassifier", 0, linear_model.PAClassifier()),
        (
            "LogisticRegression, oversampled",
            4,
            imblearn.RandomOverSampler(
                linear_model.LogisticRegression(), desired_dist={False: 0.5, True: 0.5}, seed=4
            ),
        ),
    ],
)
def test_figures_of_a_binary_stream(name, seed, model):
    y, label, p = by_hand("pima-diabetes", model, seed=42)
    figures = demo.scores("pima-diabetes", name, seed)
    assert list(figures) == ["G-mean", "bal. acc.", "recall False", "recall True", "ROC AUC"]
    specificity, recall = recall_score(y, label, average=None)
    assert figures == pytest.approx(
        {
            "G-mean": (specificity * recall) ** 0.5,
            "bal. acc.": balanced_accuracy_score(y, label),
            "recall False": specificity,
            "recall True": recall,
            "ROC AUC": roc_auc_score(y, [q[True] for q in p]),
        },
        abs=1e-12,
    )


@pytest.mark.parametrize(
    "name, seed, model",
    [
        ("NR-RLS, l2=0.1", 0, rn.NRRLSClassifier(l2=0.1)),
        (
            "PAClassifier",
            0,
            multiclass.OneVsRestClassifier(linear_model.PAClassifier()),
        ),
        (
            "LogisticRegression, oversampled",
            2,
            imblearn.RandomOverSampler(
                multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
                desired_dist=dict.fromkeys(range(1, 8), 1 / 7),
                seed=2,
            ),
        ),
    ],
)
def test_figures_of_a_multiclass_stream(name, seed, model):
    y, label, p = by_hand("segment", model)
    figures = demo.scores("segment", name, seed)
    recalls = recall_score(y, label, average=None)
    areas = [roc_auc_score(np.array(y) == c, [q.get(c, 0.0) for q in p]) for c in range(1, 8)]
    assert figures == pytest.approx(
        {
            "G-mean": recalls.prod() ** (1 / 7),
            "bal. acc.": recalls.mean(),
            **{f"recall {c}": recall for c, recall in enumerate(recalls, start=1)},
            "ROC AUC": np.mean(areas),
        },
        abs=1e-12,
    )


def test_roc_auc_with_ties_is_sklearns():
    generator = np.random.default_rng(0)
    for decimals in (0, 1, 8):
        positive = generator.random(500) < 0.2
        scores = np.round(generator.normal(size=500) + positive, decimals)
        expected = roc_auc_score(positive, scores)
        assert demo.roc_auc(positive, scores) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("stream", demo.STREAMS)
def test_readme_quotes_the_demo_and_ozone_is_won(stream):
    runs = {
        name: [demo.scores(stream, name, seed) for seed in contender.seeds]
        for name, contender in demo.CONTENDERS.items()
    }

    def words(line):
        return re.split(" {2,}", line)

    quoted = [words(line) for line in TABLE.splitlines()]
    head, line = demo.summary({stream: runs}).splitlines()
    assert words(head) == quoted[0] and words(line) in quoted
    assert [row[0] for row in quoted[1:]] == list(demo.STREAMS)

    (ours,) = runs["NR-RLS, l2=0.1"]
    others = runs["LogisticRegression, oversampled"]
    assert len(others) == 5 and len({figures["G-mean"] for figures in others}) > 1
    if stream in ("ozone-eight", "ozone-one"):
        assert ours["G-mean"] > max(figures["G-mean"] for figures in others)
        assert ours["ROC AUC"] > max(figures["ROC AUC"] for figures in others)


def test_documentation_starts_with_the_same_table():
    rows = [" | ".join(re.split("  +", line)) for line in TABLE.splitlines()]
    page = (TOP / "docs" / "index.md").read_text(encoding="utf-8")
    assert all(f"| {row} |" in page for row in rows)


def test_output(monkeypatch, capsys):
    """Both kinds of table, in this process, on the two smallest streams of each kind."""
    streams = {
        "blood-transfusion": ("shuffled with seed 42", 42),
        "glass": ("in the order of the file", None),
    }
    monkeypatch.setattr(demo, "STREAMS", streams)
    assert demo.run(argparse.Namespace(jobs=1)) == 0
    out, err = capsys.readouterr()
    first, second, timing, drift, table, look = out.split("\n\n")
    assert first.startswith(
        "blood-transfusion: 748 rows shuffled with seed 42, 4 features, 24% True"
    )
    assert second.startswith("glass: 214 rows in the order of the file, 9 features, 6 classes\n")
    for block, columns in ((first, 6), (second, 4 + 6)):
        head, *lines = block.splitlines()[1:]
        assert [line.split("  ")[0] for line in lines if line[0] != " "] == list(demo.CONTENDERS)
        assert len(lines) == 7 and len({len(line) for line in (head, *lines)}) == 1
        figures = [line.split()[-columns:] for line in lines]
        values = np.array(figures, dtype=float)
        assert np.all((values[:, :-1] >= 0) & (values[:, :-1] <= 1))
        assert np.all((values[:, -1] > 1) & (values[:, -1] < 1e5))
        median, least, greatest = values[-3:]
        assert np.all((least <= median) & (median <= greatest))
    assert timing.startswith("µs/row: processor time of predict_one and learn_one")
    assert drift.startswith("A stream that drifts") and drift.count("0.") == 3
    assert re.search(r"^glass +0\.\d{3} +0\.\d{3}", table, re.M)
    assert look.startswith("Look at G-mean") and look.count("\n") == 1 and look[-1] == "\n"
    assert "blood-transfusion" in look and "glass" in look
    assert f"{2 * 9}/{2 * 9}" in err


def test_timing_holds_no_metric(monkeypatch):
    """What is timed predicts labels, learns and nothing else."""
    recorded = []

    class Record(demo._Record):
        def update(self, y_true, y_pred, w=1.0):
            recorded.append((type(y_true), type(y_pred)))

        def __init__(self, labels):
            super().__init__(labels)
            assert labels or recorded, "labels come first"

    monkeypatch.setattr(demo, "_Record", Record)
    monkeypatch.setattr(demo, "_scores", lambda rows, labels: {})
    figures = demo.measure("blood-transfusion", "LogisticRegression", 0)
    assert list(figures) == ["µs/row"] and figures["µs/row"] > 0
    assert recorded == [(bool, bool)] * (3 * 748) + [(bool, dict)] * 748


def test_forgetting_pays_where_the_stream_drifts():
    found = demo.drift()
    auto = found['NR-RLS, forgetting="auto"']
    assert auto > found["NR-RLS, all rows"] + 0.02
    assert auto > found["LogisticRegression"]
