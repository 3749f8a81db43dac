from __future__ import annotations

import numpy as np
import pytest
from river import metrics, preprocessing

import river_nrrls as rn
from river_nrrls import evaluate
from river_nrrls.evaluate import holdout


def rls_of_order_2(rows, labels):
    """A learner given as a function of its training rows."""
    return evaluate.select_ridge_and_order(rows, labels, orders=(2,), pairs=False).fit(rows, labels)


def test_halves_are_complementary_stratified_and_fixed():
    y = [i % 5 == 0 for i in range(101)]
    for run in range(1, 6):
        first, second = evaluate.halves(y, run)
        assert sorted(first + second) == list(range(101))
        for label in (False, True):
            counts = [sum(y[i] == label for i in half) for half in (first, second)]
            assert abs(counts[0] - counts[1]) <= 1
        assert abs(len(first) - len(second)) <= 1
    assert evaluate.halves(y, 1) == evaluate.halves(y, 1) != evaluate.halves(y, 2)


def test_gmean_is_rivers():
    rng = np.random.default_rng(0)
    y, p = rng.random(100) < 0.3, rng.random(100) < 0.5
    metric = metrics.GeometricMean()
    for truth, predicted in zip(y.tolist(), p.tolist(), strict=True):
        metric.update(truth, predicted)
    assert evaluate.gmean(y, p) == pytest.approx(metric.get(), rel=1e-12)
    with pytest.raises(ValueError, match="both False and True"):
        evaluate.gmean([True, True], [True, False])


def test_a_study_is_the_loop_it_stands_for():
    rows = evaluate.holdout_study(
        ["pima-diabetes"], {"RLS": rn.RLSClassifier()}, runs=2, progress=False
    )
    X, y = rn.datasets.load("pima-diabetes").to_arrays()
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    Z = np.hstack([X, np.ones((len(X), 1))])
    expected = []
    for run in (1, 2):
        first, second = evaluate.halves(y.tolist(), run)
        for train, test in ((first, second), (second, first)):
            penalty = np.diag([1.0] * X.shape[1] + [0.0])
            t = np.where(y[train], 1.0, -1.0)
            w = np.linalg.solve(Z[train].T @ Z[train] + penalty, Z[train].T @ t)
            expected.append(evaluate.gmean(y[test], Z[test] @ w >= 0.0))
    assert rows[0]["gmeans"] == pytest.approx(expected, abs=1e-12)
    assert rows[0]["gmean"] == pytest.approx(np.mean(expected))
    assert rows[0]["gmean_std"] == pytest.approx(np.std(expected, ddof=1))


def test_processes_files_and_resumption_do_not_change_the_rows(tmp_path):
    learners = {
        "NR": rn.NRRLSClassifier(),
        "scaled": preprocessing.StandardScaler() | rn.PAClassifier(),
        "fit": rls_of_order_2,
    }
    arguments = (["monks-1", "wpbc"], learners, 2)

    def figures(rows):
        return [(r["dataset"], r["learner"], r["gmeans"], r["rank"]) for r in rows]

    plain = figures(evaluate.holdout_study(*arguments, progress=False))
    path = tmp_path / "study.jsonl"
    kept = evaluate.holdout_study(*arguments, path=path, n_jobs=2, progress=False)
    assert figures(kept) == plain
    lines = path.read_text().splitlines()
    assert len(lines) == 2 * 3 * 2
    path.write_text("\n".join(lines[:5]) + "\n" + lines[5][:20])
    again = evaluate.holdout_study(*arguments, path=path, progress=False)
    assert figures(again) == plain


def test_equal_printed_figures_share_a_rank():
    rows = evaluate.holdout_study(
        ["votes"],
        {"a": rn.NRRLSClassifier(), "b": rn.NRRLSClassifier(l2=1.0001e-4), "c": rn.PAClassifier()},
        runs=1,
        progress=False,
    )
    assert [row["rank"] for row in rows] == [1.5, 1.5, 3.0]


def test_a_change_of_a_parameter_is_another_cell():
    names = {holdout._described(rn.NRRLSClassifier(l2=l2)) for l2 in (1e-4, 1e-3)}
    assert len(names) == 2
    assert "rls_of_order_2" in holdout._described(rls_of_order_2)


def test_multiclass_sets_are_refused():
    with pytest.raises(ValueError, match="'glass' has 6 classes"):
        evaluate.holdout_study(["glass"], {"NR": rn.NRRLSClassifier()}, runs=1, progress=False)
