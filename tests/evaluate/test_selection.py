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
