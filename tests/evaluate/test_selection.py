"""Order and ridge by rows left out, against models that have really not learnt them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import river_nrrls as rn
from river_nrrls import evaluate
from river_nrrls.evaluate import selection
from river_nrrls.feature_extraction import ReducedPolynomialExtender


def sample(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return rng.normal(size=(n, d)) + 0.7 * y[:, None], y


def brute(Z, y, l2, left_out):
    """Scores of rows by models that have not learnt them."""
    scores = np.empty(len(Z))
    for rows in left_out:
        kept = np.setdiff1d(np.arange(len(Z)), rows)
        model = rn.NRRLSClassifier(l2=l2, scaling="standard", classes=(False, True))
        frame = pd.DataFrame(Z, columns=[f"x{j}" for j in range(Z.shape[1])])
        model.learn_many(frame.iloc[kept], pd.Series(y[kept]))
        scores[rows] = model.decision_function_many(frame.iloc[rows])
    return scores


def test_leaving_one_out_reweights_the_row_alone():
    X, y = sample()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    extender = ReducedPolynomialExtender(1, include_bias=False, redundant=False)
    found = selection.leave_one_out(extender.terms, Z, y, np.array([0.1, 1.0]))
    T = extender.terms(Z)
    T = (T - T.mean(axis=0)) / T.std(axis=0)
    # The row's weight is 1/n_c in the moments of all rows: without it they keep the weights.
    w = np.where(y, 1.0 / y.sum(), 1.0 / (~y).sum())
    t = np.where(y, 1.0, -1.0)
    for k, l2 in enumerate((0.1, 1.0)):
        for i in range(0, len(Z), 7):
            kept = np.arange(len(Z)) != i
            A = np.c_[np.ones(len(T)), T][kept]
            R = A.T @ (w[kept, None] * A) + l2 * np.diag([0.0] + [1.0] * T.shape[1])
            u = np.linalg.solve(R, A.T @ (w[kept] * t[kept]))
            assert found[i, k] == pytest.approx(u[0] + T[i] @ u[1:], rel=1e-9)


@pytest.mark.parametrize("d", [3, 70])
def test_folds_are_the_whole_minus_a_fold(d):
    X, y = sample(d=d)
    found = selection.folded(X, y, np.array([0.1]), 5)[:, 0]
    fold = np.empty(len(y), dtype=int)
    fold[y] = np.arange(y.sum()) % 5
    fold[~y] = (y.sum() + np.arange((~y).sum())) % 5
    wanted = brute(X, y, 0.1, [np.flatnonzero(fold == k) for k in range(5)])
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9)


def test_what_is_chosen_helps_where_a_plane_cannot():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 2))
    y = (X**2).sum(axis=1) < 1.0
    frame, labels = pd.DataFrame(X, columns=["a", "b"]), pd.Series(y)
    choice = evaluate.select_ridge_and_order(frame[:300], labels[:300])
    assert choice.order >= 2
    model = choice.fit(frame[:300], labels[:300])
    rows = frame[300:].to_dict("records")
    assert evaluate.gmean(y[300:], [model.predict_one(x) for x in rows]) > 0.95
    again = evaluate.select_ridge_and_order(frame[:300].to_dict("records"), y[:300].tolist())
    assert (again.order, again.l2) == (choice.order, choice.l2)


def test_bad_arguments_name_themselves():
    X, y = sample(20)
    frame, labels = pd.DataFrame(X, columns=list("abc")), pd.Series(y)
    for bad in ({"loss": "other"}, {"orders": ()}, {"n_folds": 1}, {"l2s": [-1.0]}):
        (name,) = bad
        with pytest.raises(ValueError, match=name):
            evaluate.select_ridge_and_order(frame, labels, **bad)


def test_the_plain_model_is_kept_unless_another_is_better_by_more_than_chance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    rows = [dict(zip("abcd", x, strict=True)) for x in X.tolist()]
    plane = (X[:, 0] + 0.5 * rng.normal(size=400) > 0).tolist()
    kept = evaluate.select_ridge_and_order(rows, plane, standard_errors=3.0, plain_l2=0.02)
    assert (kept.order, kept.l2) == (1, 0.02)
    errors = [candidate["error"] for candidate in kept.candidates]
    assert kept.error > min(errors)
    least = evaluate.select_ridge_and_order(rows, plane, standard_errors=0.0)
    assert least.error == pytest.approx(min(errors), rel=1e-9)
    product = evaluate.select_ridge_and_order(rows, (X[:, 0] * X[:, 1] > 0).tolist())
    assert (product.order, product.interactions) == (2, "pairs")


def test_a_linear_model_is_not_squashed():
    X, y = sample(80)
    rows = [dict(zip("abc", x, strict=True)) for x in X.tolist()]
    one = evaluate.select_ridge_and_order(rows, y.tolist(), orders=(1,), pairs=False)
    assert one.model()["ReducedPolynomialExtender"].squash is None
    two = evaluate.select_ridge_and_order(rows, y.tolist(), orders=(2,), pairs=False)
    assert two.model()["ReducedPolynomialExtender"].squash == 3.0


def test_a_fold_is_what_unlearning_it_leaves():
    X, y = sample(60)
    frame, labels = pd.DataFrame(X, columns=list("abc")), pd.Series(y)
    scores = selection.folded(X, y, np.array([0.1]), n_folds=3)
    fold = np.empty(60, dtype=int)
    fold[y] = np.arange(y.sum()) % 3
    fold[~y] = (y.sum() + np.arange((~y).sum())) % 3
    out = fold == 0
    model = rn.NRRLSClassifier(l2=0.1, scaling="standard")
    model.learn_many(frame, labels)
    model.unlearn_many(frame[out], labels[out])
    expected = model.decision_function_many(frame[out]).to_numpy()
    np.testing.assert_allclose(scores[out, 0], expected, rtol=1e-7)


def test_losses_by_hand():
    t = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    scores = np.array([[0.0], [-0.5], [0.0], [-3.0]])
    assert selection.losses(t, scores, "squared").ravel().tolist() == [1.0, 2.25, 1.0, 4.0]
    assert selection.losses(t, scores, "zero_one").ravel().tolist() == [0.0, 1.0, 1.0, 0.0]
    assert selection.losses(t, scores, "mixed").ravel().tolist() == [1.0, 3.25, 2.0, 4.0]


def test_blocks_of_rows_do_not_matter(monkeypatch):
    X, y = sample(150, d=4)
    extender = ReducedPolynomialExtender(3, include_bias=False, redundant=False, squash=3.0)
    ridges = np.array([1e-3, 0.1, 3.0])
    whole = selection.leave_one_out(extender.terms, X, y, ridges)
    monkeypatch.setattr(selection, "_BLOCK", 40)
    np.testing.assert_allclose(
        selection.leave_one_out(extender.terms, X, y, ridges), whole, rtol=1e-8, atol=1e-9
    )


def test_constant_and_duplicate_features_do_no_harm():
    X, y = sample(200)
    X = np.hstack([X, X[:, :1], np.full((200, 1), 7.0)])
    rows = [dict(enumerate(x)) for x in X.tolist()]
    choice = evaluate.select_ridge_and_order(rows, y.tolist())
    assert all(np.isfinite(candidate["error"]) for candidate in choice.candidates)
    model = choice.fit(rows, y.tolist())
    assert evaluate.gmean(y.tolist(), map(model.predict_one, rows)) > 0.6


def test_candidates_with_too_many_terms_are_left_out():
    X, y = sample(50, d=20)
    rows = [dict(enumerate(x)) for x in X.tolist()]
    choice = evaluate.select_ridge_and_order(rows, y.tolist(), max_terms=100)
    assert {candidate["n_terms"] for candidate in choice.candidates} == {20, 60, 100}


def test_labels_and_rare_classes_are_refused_by_name():
    rows = [{"a": float(i), "b": i % 3.0} for i in range(20)]
    with pytest.raises(ValueError, match="y must hold False and True, got 'spam'"):
        evaluate.select_ridge_and_order(rows, ["spam", "ham"] * 10)
    with pytest.raises(ValueError, match="y has 3 values for 20 rows"):
        evaluate.select_ridge_and_order(rows, [True, False, True])
    with pytest.raises(ValueError, match="the rarer class has 8 rows, but 9 are needed"):
        evaluate.select_ridge_and_order(rows, [i < 8 for i in range(20)], n_folds=9)
