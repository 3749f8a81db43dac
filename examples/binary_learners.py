"""Two classes: every binary learner on the bundled streams, beside river's own.

    python examples/binary_learners.py            # the tables of docs/learners.md
    python examples/binary_learners.py --csv      # every learner on every stream

Each stream is read once, test-then-train, behind a StandardScaler: the ozone streams in the order
of time, the others shuffled with seed 1. `--csv` prints tests/binary/pinned.csv.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from typing import Any

from river import evaluate, linear_model, metrics, optim, preprocessing

import river_nrrls as rn

LEARNERS: dict[str, Any] = {
    "Perceptron": rn.PerceptronClassifier(),
    "ALMA": rn.ALMAClassifier(),
    "ROMMA": rn.ROMMAClassifier(),
    "aROMMA": rn.ROMMAClassifier(aggressive=True),
    "PA": rn.PAClassifier(),
    "PA-I, C = 0.01": rn.PAClassifier("PA-I", C=0.01),
    "PA-II, C = 0.01": rn.PAClassifier("PA-II", C=0.01),
    "OGD": rn.OGDClassifier(),
    "OGD, logistic": rn.OGDClassifier("logistic"),
    "SOP": rn.SOPClassifier(),
    "CW": rn.CWClassifier(),
    "CW, diagonal": rn.CWClassifier(covariance="diagonal"),
    "IELLIP": rn.IELLIPClassifier(),
    "AROW": rn.AROWClassifier(),
    "AROW, diagonal": rn.AROWClassifier(covariance="diagonal"),
    "NAROW": rn.NAROWClassifier(),
    "NHERD": rn.NHERDClassifier(),
    "NHERD, diagonal": rn.NHERDClassifier(covariance="diagonal"),
    "SCW-I": rn.SCWClassifier("I"),
    "SCW-I, diagonal": rn.SCWClassifier("I", covariance="diagonal"),
    "SCW-II": rn.SCWClassifier("II"),
    "ACOG": rn.ACOGClassifier(),
    "ONS": rn.ONSClassifier(),
    "ONS, logistic": rn.ONSClassifier("logistic"),
}

PEERS: dict[str, Any] = {
    "river Perceptron": linear_model.Perceptron(),
    "river PAClassifier": linear_model.PAClassifier(),
    "river ALMAClassifier": linear_model.ALMAClassifier(),
    "river LogisticRegression": linear_model.LogisticRegression(),
    "river LogisticRegression, Newton": linear_model.LogisticRegression(optim.Newton()),
}

SHOWN = (
    "ozone-eight",
    "blood-transfusion",
    "pima-diabetes",
    "statlog-german",
    "svmguide3",
    "ionosphere",
    "spambase",
    "wdbc",
)


def streams() -> dict[str, Any]:
    """Every bundled stream of two classes."""
    loaded = {name: rn.datasets.load(name) for name in rn.datasets.names()}
    return {
        name: data if name.startswith("ozone") else data.shuffled(seed=1)
        for name, data in loaded.items()
        if data.task == "Binary classification"
    }


def scores(learner: Any, rows: list[tuple[dict[str, float], bool]]) -> tuple[float, float]:
    """Progressive G-mean and accuracy."""
    model = preprocessing.StandardScaler() | learner.clone()
    metric = metrics.GeometricMean() + metrics.Accuracy()
    evaluate.progressive_val_score(rows, model, metric)
    g_mean, accuracy = (float(m.get()) for m in metric)
    return g_mean, accuracy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", action="store_true", help="every learner on every stream")
    args = parser.parse_args()
    data = {name: list(stream) for name, stream in streams().items()}
    found = {
        name: {stream: scores(learner, rows) for stream, rows in data.items()}
        for name, learner in {**LEARNERS, **PEERS}.items()
    }
    if args.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(("learner", "stream", "g_mean", "accuracy"))
        for name, row in found.items():
            for stream, (g_mean, accuracy) in row.items():
                writer.writerow((name, stream, f"{g_mean:.4f}", f"{accuracy:.4f}"))
        return
    for k, title in enumerate(("G-mean", "Accuracy")):
        print(f"**{title}** (last column: mean over all {len(data)} bundled streams)\n")
        print(
            "| learner | " + " | ".join(SHOWN) + " | mean |\n|---" + "|---" * len(SHOWN) + "|---|"
        )
        for name, row in found.items():
            mean = statistics.fmean(values[k] for values in row.values())
            cells = " | ".join(f"{row[stream][k]:.3f}" for stream in SHOWN)
            print(f"| {name} | {cells} | {mean:.3f} |")
        print()


if __name__ == "__main__":
    main()
