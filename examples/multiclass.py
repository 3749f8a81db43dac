"""Many classes: every multiclass learner on bundled streams, and a class that appears late.

    python examples/multiclass.py [--data DIR]

Prints the table of docs/multiclass.md: test-then-train accuracy in one pass, on `segment` and
`glass` behind a StandardScaler, and, if `DIR` holds `mnist.csv.gz`, which is not bundled, on the
first 10,000 rows of mnist with pixels / 255.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from river import evaluate, linear_model, metrics, multiclass, preprocessing

import river_nrrls as rn

LEARNERS: dict[str, Any] = {
    "Perceptron, max": rn.MulticlassPerceptronClassifier("max"),
    "Perceptron, uniform": rn.MulticlassPerceptronClassifier("uniform"),
    "Perceptron, proportional": rn.MulticlassPerceptronClassifier("proportional"),
    "PA": rn.MulticlassPAClassifier("PA"),
    "PA-I, C = 0.01": rn.MulticlassPAClassifier("PA-I", C=0.01),
    "PA-II, C = 0.01": rn.MulticlassPAClassifier("PA-II", C=0.01),
    "OGD": rn.MulticlassOGDClassifier(),
    "ROMMA": rn.MulticlassROMMAClassifier(),
    "aROMMA": rn.MulticlassROMMAClassifier(aggressive=True),
    "AROW": rn.MulticlassAROWClassifier(),
    "AROW, diagonal": rn.MulticlassAROWClassifier(covariance="diagonal"),
    "CW, eta = 0.65": rn.MulticlassCWClassifier(eta=0.65),
    "CW, eta = 0.65, diagonal": rn.MulticlassCWClassifier(eta=0.65, covariance="diagonal"),
    "SCW-I": rn.MulticlassSCWClassifier("I"),
    "SCW-I, diagonal": rn.MulticlassSCWClassifier("I", covariance="diagonal"),
    "SCW-II": rn.MulticlassSCWClassifier("II"),
    "SCW-II, diagonal": rn.MulticlassSCWClassifier("II", covariance="diagonal"),
}

PEERS: dict[str, Any] = {
    "river SoftmaxRegression": linear_model.SoftmaxRegression(),
    "river OneVsRest(PA)": multiclass.OneVsRestClassifier(linear_model.PAClassifier()),
}


def accuracy(model: Any, stream: Any) -> float:
    return float(evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get())


def digits(dataset: Any, n: int = 10_000) -> Iterator[tuple[dict[str, float], int]]:
    for x, y in dataset.take(n):
        yield {pixel: value / 255.0 for pixel, value in x.items()}, y


def scores(learner: Any, mnist: Any) -> list[float]:
    """Accuracy on each stream. Glass is sorted by class as it was published."""
    scaled = preprocessing.StandardScaler() | learner
    result = [
        accuracy(scaled.clone(), rn.datasets.load("segment")),
        accuracy(scaled.clone(), rn.datasets.load("glass").shuffled(seed=1)),
    ]
    return result if mnist is None else [*result, accuracy(learner.clone(), digits(mnist))]


def late_class() -> None:
    """Labels may be anything, and appear at any time; or be fixed, as LIBOL has it."""
    model = rn.MulticlassPAClassifier()
    model.learn_one({"length": 2.0}, "cat")
    model.learn_one({"length": 9.0}, "dog")
    print("before:", model.predict_one({"length": 9.0, "fins": 2.0}))
    model.learn_one({"length": 8.0, "fins": 2.0}, "eel")
    print("after: ", model.predict_one({"length": 9.0, "fins": 2.0}))

    known = rn.MulticlassPAClassifier(classes=("cat", "dog", "eel"))
    print("cold:  ", known.predict_proba_one({"length": 9.0}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder that holds mnist.csv.gz")
    folder = parser.parse_args().data
    mnist = rn.datasets.load("mnist", folder) if folder else None

    print("| learner | segment | glass |" + (" mnist-10k |" if mnist else ""))
    print("|---|---|---|" + ("---|" if mnist else ""))
    for name, learner in {**LEARNERS, **PEERS}.items():
        line = " | ".join(f"{score:.4f}" for score in scores(learner, mnist))
        print(f"| {name} | {line} |", flush=True)
    print()
    late_class()


if __name__ == "__main__":
    main()
