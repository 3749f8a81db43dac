"""After every row: the decision values of NRRLSClassifier against scikit-learn's RidgeClassifier.

    python -m examples.exactness_along_streams [--every K]

Features min-maxed to [0, 1]; differences on all rows of the set, seen or not, relative to the
largest decision value.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeClassifier

import river_nrrls as rn

SETS = ("wdbc", "ozone-eight", "ionosphere", "musk-clean-1")


def worst(name: str, learn_intercept: bool, l2: float, every: int) -> tuple[float, int]:
    """The largest relative difference along the stream, and the row after which it occurred."""
    X, y = rn.datasets.load(name).to_arrays()
    span = np.ptp(X, axis=0)
    X = (X - X.min(axis=0)) / np.where(span > 0.0, span, 1.0)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    rows = frame.to_dict("records")
    model = rn.NRRLSClassifier(l2=l2, learn_intercept=learn_intercept)
    largest, at = 0.0, 0
    for i, (x, label) in enumerate(zip(rows, y.tolist(), strict=True)):
        model.learn_one(x, bool(label))
        n = i + 1
        if len(set(y[:n].tolist())) < 2 or n % every:
            continue
        oracle = RidgeClassifier(
            alpha=l2 * n / 2, class_weight="balanced", fit_intercept=learn_intercept
        ).fit(X[:n], y[:n])
        wanted = oracle.decision_function(X)
        found = model.decision_function_many(frame).to_numpy()
        difference = float(np.abs(found - wanted).max() / np.abs(wanted).max())
        if difference > largest:
            largest, at = difference, n
    return largest, at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="compare after every K-th row only")
    every = parser.parse_args().every
    print("| set | intercept | l2 | largest difference | after row |")
    print("| --- | --- | ---: | ---: | ---: |")
    for name in SETS:
        for learn_intercept in (False, True):
            for l2 in (1e-4, 1e-8):
                largest, at = worst(name, learn_intercept, l2, every)
                print(f"| {name} | {learn_intercept} | {l2:g} | {largest:.1e} | {at} |", flush=True)


if __name__ == "__main__":
    main()
