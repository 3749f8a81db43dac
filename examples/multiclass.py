"""Many classes: every multiclass learner on two bundled streams, and a class that appears late.

    python examples/multiclass.py

Prints the table of docs/multiclass.md (test-then-train accuracy behind a StandardScaler).
"""

from __future__ import annotations

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


def streams() -> dict[str, Any]:
    """Segment as published; glass is sorted by class there, so it is shuffled."""
    return {
        "segment": rn.datasets.load("segment"),
        "glass": rn.datasets.load("glass").shuffled(seed=1),
    }


def accuracy(learner: Any, stream: Any) -> float:
    model = preprocessing.StandardScaler() | learner.clone()
    return float(evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get())


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
    data = streams()
    print("| learner | " + " | ".join(data) + " |\n|---" + "|---" * len(data) + "|")
    for name, learner in {**LEARNERS, **PEERS}.items():
        scores = " | ".join(f"{accuracy(learner, stream):.4f}" for stream in data.values())
        print(f"| {name} | {scores} |")
    print()
    late_class()


if __name__ == "__main__":
    main()
