"""One row at a time, at the usual sizes: against river, scikit-learn and Vowpal Wabbit."""

from __future__ import annotations

import math
import struct
import time
from operator import itemgetter
from typing import Any

import numpy as np
from river import linear_model, multiclass, optim, preprocessing
from scipy.linalg.blas import ddot, dsyr

import river_nrrls as rn

from .common import (
    Result,
    alternate,
    alternate_proba,
    arrays,
    compare,
    learn,
    microseconds,
    rounds,
    stream,
)


def logistic() -> Any:
    return linear_model.LogisticRegression()


def scaled() -> Any:
    return preprocessing.StandardScaler() | linear_model.LogisticRegression()


def fresh(make: Any, do: Any, rows: Any, first: Any) -> float:
    model = make()
    learn(model, first)
    return microseconds(do, model, rows)


def against_river(quick: bool) -> list[Result]:
    n, k = (1500, 3) if quick else (4000, 7)
    results = []
    for d, target, pair in ((8, 0.52, 1.2), (22, 0.45, 1.2), (60, 0.42, 1.95)):
        rows = stream(n, d)
        first = rows[: max(100, 2 * d)]
        for do, name, goal in ((learn, "learn_one", target), (alternate, "predict, learn", pair)):
            found = rounds(
                {
                    "ours": lambda: fresh(rn.NRRLSClassifier, do, rows, first),
                    "theirs": lambda: fresh(logistic, do, rows, first),
                },
                k,
            )
            what = f"NRRLSClassifier, {name}, d = {d}"
            results.append(
                compare(what, "LogisticRegression", found["ours"], found["theirs"], goal)
            )
    return results


def others(quick: bool) -> list[Result]:
    """How d = 22 compares with everything else that people use; targets of 1 for orientation."""
    n, k = (600, 3) if quick else (2000, 5)
    rows = stream(n, 22)
    first = rows[:100]
    rivals = {
        "PAClassifier": linear_model.PAClassifier,
        "LogisticRegression(Newton)": lambda: linear_model.LogisticRegression(optim.Newton()),
        "StandardScaler + LogisticRegression": scaled,
        "BayesianLinearRegression": linear_model.BayesianLinearRegression,
    }
    jobs = {name: _job(make, rows, first) for name, make in rivals.items()}
    jobs["ours"] = _job(rn.NRRLSClassifier, rows, first)
    jobs["scikit-learn SGDClassifier.partial_fit"] = lambda: _scikit(n // 4)
    try:
        import vowpalwabbit
    except ImportError:
        print("vowpalwabbit is not installed: its line is left out ([bench] extra)")
    else:
        jobs["Vowpal Wabbit"] = lambda: _wabbit(vowpalwabbit, rows)
    found = rounds(jobs, k)
    ours = found.pop("ours")
    what = "NRRLSClassifier, predict, learn, d = 22"
    return [compare(what, name, ours, theirs, 1.0) for name, theirs in found.items()]


def _job(make: Any, rows: Any, first: Any) -> Any:
    return lambda: fresh(make, alternate, rows, first)


def _scikit(n: int) -> float:
    from sklearn.linear_model import SGDClassifier

    X, y = arrays(n, 22)
    model = SGDClassifier()
    model.partial_fit(X[:1], y[:1], classes=[False, True])
    start = time.process_time()
    for i in range(n):
        model.predict(X[i : i + 1])
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    return (time.process_time() - start) / n * 1e6


def _wabbit(vowpalwabbit: Any, rows: Any) -> float:
    """Text made beforehand, which a user would have to make as well."""
    lines = [
        ("1" if y else "-1", " | " + " ".join(f"{k}:{v:.6f}" for k, v in x.items()))
        for x, y in rows
    ]
    model = vowpalwabbit.Workspace("--quiet --loss_function logistic --link logistic")
    start = time.process_time()
    for y, x in lines:
        model.predict(x)
        model.learn(y + x)
    took = (time.process_time() - start) / len(rows) * 1e6
    model.finish()
    return took


def scaling(quick: bool) -> list[Result]:
    n, k = (600, 3) if quick else (2000, 7)
    rows = stream(n, 22)
    first = rows[:100]
    found = rounds(
        {
            "ours": lambda: fresh(
                lambda: rn.NRRLSClassifier(scaling="standard"), alternate, rows, first
            ),
            "theirs": lambda: fresh(scaled, alternate, rows, first),
        },
        k,
    )
    what = 'NRRLSClassifier(scaling="standard"), predict, learn, d = 22'
    return [
        compare(what, "StandardScaler + LogisticRegression", found["ours"], found["theirs"], 0.42)
    ]


def probabilities(quick: bool) -> list[Result]:
    """Closed-form log-odds are worked out anew for each row that is asked for."""
    n, k = (600, 3) if quick else (2000, 5)
    rows = stream(2 * n, 22)
    first, rows = rows[:n], rows[n:]
    found = rounds(
        {
            "ours": lambda: fresh(rn.NRRLSClassifier, alternate_proba, rows, first),
            "theirs": lambda: fresh(logistic, alternate_proba, rows, first),
        },
        k,
    )
    what = f"NRRLSClassifier, predict_proba, learn, d = 22, after {n:,} rows"
    return [compare(what, "LogisticRegression", found["ours"], found["theirs"], math.nan)]


def many_labels(quick: bool) -> list[Result]:
    """Seven labels and 19 features: a bundled stream, its second half."""
    rows = list(rn.datasets.load("segment"))
    first, rows = rows[:1155], rows[1155:]
    makers = {
        "ovr": rn.NRRLSClassifier,
        "shared": lambda: rn.NRRLSClassifier(strategy="shared"),
        "river": lambda: multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
    }
    results = []
    for do, name in ((alternate, "predict, learn"), (alternate_proba, "predict_proba, learn")):
        jobs = {
            key: lambda make=make, do=do: fresh(make, do, rows, first)
            for key, make in makers.items()
        }
        found = rounds(jobs, 2 if quick else 3)
        for key in ("ovr", "shared"):
            what = f'NRRLSClassifier(strategy="{key}"), {name}, segment (7 labels)'
            against = "OneVsRest(LogisticRegression)"
            results.append(compare(what, against, found[key], found["river"], math.nan))
    return results


def auto(quick: bool) -> list[Result]:
    """After 20,000 rows, over a stretch that holds whole blocks of scores."""
    before, n = (5000, 1000) if quick else (20_000, 4000)
    rows = stream(before + n, 22)
    fixed, chosen = rn.NRRLSClassifier(l2=0.1), rn.NRRLSClassifier(l2="auto")
    for model in (fixed, chosen):
        learn(model, rows[:before])
    ours, theirs = [], []
    part = n // 8
    for i in range(8):
        rows_ = rows[before + i * part : before + (i + 1) * part]
        theirs.append(microseconds(alternate, fixed, rows_))
        ours.append(microseconds(alternate, chosen, rows_))
    what = f'NRRLSClassifier(l2="auto"), predict, learn, d = 22, {before:,} rows'
    total = compare(what, "the same with l2=0.1", ours, theirs, 1.15)
    total.ratio = sum(ours) / sum(theirs)
    return [total]


def floor(quick: bool) -> list[Result]:
    """The least that a dense step can cost: gather, symmetric update, and a look for NaN."""
    n, k = (2000, 3) if quick else (6000, 7)
    rows = stream(n, 22)
    names = [f"x{j}" for j in range(22)]
    pack, get = struct.Struct("22d").pack_into, itemgetter(*names)

    def least() -> float:
        row, A = np.ones(23), np.zeros((23, 23), order="F")
        start = time.process_time()
        for x, _ in rows:
            pack(row, 8, *get(x))
            dsyr(1.0, row, 1, 1, 0, 23, A, 1)
            ddot(row, row)
        return (time.process_time() - start) / n * 1e6

    found = rounds(
        {"ours": lambda: fresh(rn.NRRLSClassifier, learn, rows, rows[:100]), "floor": least}, k
    )
    what = "NRRLSClassifier, learn_one, d = 22"
    return [compare(what, "struct gather + dsyr + ddot", found["ours"], found["floor"], 1.7)]


def rules(quick: bool) -> list[Result]:
    """The rules against river's own, and the second order against its Newton."""
    n, k = (1000, 3) if quick else (3000, 5)
    rows = stream(n, 22)
    first = rows[:100]

    def newton() -> Any:
        return linear_model.LogisticRegression(optim.Newton())

    pairs = [
        ("PAClassifier", rn.PAClassifier, "PAClassifier", linear_model.PAClassifier, 0.30),
        ("PAClassifier", rn.PAClassifier, "Perceptron", linear_model.Perceptron, 0.45),
        ("ALMAClassifier", rn.ALMAClassifier, "ALMAClassifier", linear_model.ALMAClassifier, 0.40),
        ("AROWClassifier", rn.AROWClassifier, "LogisticRegression(Newton)", newton, 0.20),
        ("NHERDClassifier", rn.NHERDClassifier, "LogisticRegression(Newton)", newton, 0.20),
        ("CWClassifier", rn.CWClassifier, "LogisticRegression(Newton)", newton, 0.25),
        ("SCWClassifier", rn.SCWClassifier, "LogisticRegression(Newton)", newton, 0.25),
    ]
    results = []
    for name, make, rival, theirs, target in pairs:
        found = rounds(
            {"ours": _learning(make, rows, first), "theirs": _learning(theirs, rows, first)}, k
        )
        what = f"{name}, learn_one, d = 22"
        results.append(compare(what, f"river's {rival}", found["ours"], found["theirs"], target))
    return results


def _learning(make: Any, rows: Any, first: Any) -> Any:
    return lambda: fresh(make, learn, rows, first)


def repeated(quick: bool) -> list[Result]:
    """m = 32 updates an instance over one; the targets are the paper's own ratios."""
    n, k = (600, 3) if quick else (2000, 5)
    rows = stream(n, 22)
    results = []
    for make, target in ((rn.PAClassifier, 3.2), (rn.AROWClassifier, 6.8)):
        found = rounds({"many": _mtwu(make, 32, rows), "one": _mtwu(make, 1, rows)}, k)
        what = f"MTWUClassifier({make.__name__}(), m=32), learn_one, d = 22"
        results.append(compare(what, "m = 1", found["many"], found["one"], target))
    return results


def _mtwu(make: Any, m: int, rows: Any) -> Any:
    return lambda: microseconds(learn, rn.MTWUClassifier(make(), m=m), rows)


QUESTIONS = (
    against_river,
    others,
    scaling,
    probabilities,
    many_labels,
    auto,
    floor,
    rules,
    repeated,
)
