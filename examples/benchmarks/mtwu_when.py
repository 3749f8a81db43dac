"""When are several updates an instance worth it? Honest (progressive) mistake rates throughout.

    python examples/benchmarks/mtwu_when.py [--runs 10] [--jobs 2] [--only best]

Four tables: the best m of each learner; m updates against one larger step, and against a step
chosen anew; few and delayed labels; drift. Differences are paired over runs: the same row orders
for every m.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from river import base, preprocessing
from river.datasets import synth

import river_nrrls as rn
from river_nrrls import datasets, evaluate
from river_nrrls.evaluate.mtwu_runs import Study
from river_nrrls.evaluate.paper_learners import grid_of
from river_nrrls.evaluate.runner import run_cells

BINARY_SETS = ("svmguide3", "breast-cancer-w", "ionosphere", "pima-diabetes")
MULTICLASS_SETS = ("glass_libsvm", "segment_libsvm")
MS = (1, 2, 4, 8, 16)

BINARY: dict[str, base.Classifier] = {
    "Perceptron": rn.PerceptronClassifier(),
    "ROMMA": rn.ROMMAClassifier(),
    "ALMA": rn.ALMAClassifier(),
    "PA": rn.PAClassifier(),
    "PA-I": rn.PAClassifier(variant="PA-I"),
    "PA-II": rn.PAClassifier(variant="PA-II"),
    "OGD": rn.OGDClassifier(),
    "SOP": rn.SOPClassifier(),
    "CW": rn.CWClassifier(),
    "IELLIP": rn.IELLIPClassifier(),
    "NAROW": rn.NAROWClassifier(),
    "AROW": rn.AROWClassifier(),
    "NHERD": rn.NHERDClassifier(),
    "SCW-I": rn.SCWClassifier(),
    "SCW-II": rn.SCWClassifier(variant="II"),
    "RLS": rn.RLSClassifier(),
    "NR-RLS": rn.NRRLSClassifier(),
}
MULTICLASS: dict[str, base.Classifier] = {
    "M_Perceptron": rn.MulticlassPerceptronClassifier(),
    "M_ROMMA": rn.MulticlassROMMAClassifier(),
    "M_PA": rn.MulticlassPAClassifier(),
    "M_PA-I": rn.MulticlassPAClassifier(variant="PA-I"),
    "M_OGD": rn.MulticlassOGDClassifier(),
    "M_AROW": rn.MulticlassAROWClassifier(),
    "M_SCW-I": rn.MulticlassSCWClassifier(),
    "M_SCW-II": rn.MulticlassSCWClassifier(variant="II"),
}
# Those with a step to make larger, by a parameter of their own.
STEPPED = ("PA-I", "PA-II", "OGD", "AROW", "NHERD", "SCW-I", "M_PA-I", "M_OGD", "M_AROW")


def scaled(learner: base.Classifier) -> base.Classifier:
    return preprocessing.StandardScaler() | learner.clone()


def learners_of(dataset: str) -> dict[str, base.Classifier]:
    return MULTICLASS if dataset in MULTICLASS_SETS else BINARY


def paired(ours: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Mean difference and its standard error."""
    differences = [a - b for a, b in zip(ours, others, strict=True)]
    return statistics.fmean(differences), statistics.stdev(differences) / len(differences) ** 0.5


def show(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    print(f"| {' | '.join(headings)} |")
    print("|" + " --- |" * len(headings))
    for line in lines:
        print(f"| {' | '.join(line)} |")
    print(flush=True)


def best_m(args: argparse.Namespace) -> None:
    """The best m of each learner on each set, and what it gains on m = 1."""
    runs = range(1, args.runs + 1)
    gains: dict[str, list[tuple[float, bool, bool]]] = {}
    columns: dict[str, dict[str, str]] = {}
    for dataset in (*BINARY_SETS, *MULTICLASS_SETS):
        study = Study(dataset, n_jobs=args.jobs, path=args.path)
        named = learners_of(dataset)
        cells = [(name, m) for name in named for m in MS]
        counts = study.count([(scaled(named[name]), m) for name, m in cells], runs)
        rates = {
            cell: [count.progressive_rate for count in of_cell]
            for cell, of_cell in zip(cells, counts, strict=True)
        }
        for name in named:
            best = min(MS, key=lambda m: statistics.fmean(rates[name, m]))
            one = statistics.fmean(rates[name, 1])
            gain, error = paired(rates[name, 1], rates[name, best]) if best > 1 else (0.0, 0.0)
            last, last_error = paired(rates[name, 1], rates[name, MS[-1]])
            text = f"{one:.4f}"
            if best > 1:
                text += f"; m={best}: {-gain:+.4f} ± {error:.4f}"
            columns.setdefault(name, {})[dataset] = text
            gains.setdefault(name, []).append(
                (gain, gain > 2.0 * error > 0.0, last < -2.0 * last_error < 0.0)
            )
    for sets, named in ((BINARY_SETS, BINARY), (MULTICLASS_SETS, MULTICLASS)):
        lines = []
        for name in named:
            better = sum(good for _, good, _ in gains[name])
            worse = sum(bad for _, _, bad in gains[name])
            mean = statistics.fmean(gain for gain, _, _ in gains[name])
            row = [columns[name][dataset] for dataset in sets]
            lines.append([name, *row, f"{mean:.4f}", f"{better} of {len(sets)}", str(worse)])
        show(
            [
                "learner",
                *sets,
                "mean gain of the best m",
                "sets with a gain above 2 se",
                f"sets where m={MS[-1]} is worse by more than 2 se",
            ],
            lines,
        )


def larger_step(args: argparse.Namespace) -> None:
    """m updates against one update of m times the weight, and against a step chosen anew."""
    runs = range(1, args.runs + 1)
    lines = []
    for dataset in ("svmguide3", "pima-diabetes", *MULTICLASS_SETS):
        pairs = list(datasets.load(dataset))
        weighted = {m: [(x, y, {"w": float(m)}) for x, y in pairs] for m in (1, 4)}
        studies = {m: Study(weighted[m], n_jobs=args.jobs, path=args.path) for m in (1, 4)}
        for name, learner in learners_of(dataset).items():
            if name not in STEPPED:
                continue
            # Raw features: these four sets are scaled already, but for pima.
            model = scaled(learner) if dataset == "pima-diabetes" else learner
            cells = [("m=1", 1, 1), ("m=4", 1, 4), ("w=4", 4, 1)]
            rates = {}
            for label, w, m in cells:
                [counts] = studies[w].count([(model, m)], runs)
                rates[label] = [count.progressive_rate for count in counts]
            if dataset != "pima-diabetes":
                grid = grid_of(learner)
                for label, m in (("m=1, tuned", 1), ("m=4, tuned", 4)):
                    [settings] = studies[1].tune([(learner, m, grid)], "progressive")
                    [counts] = studies[1].count([(learner.clone(settings), m)], runs)
                    rates[label] = [count.progressive_rate for count in counts]
            line = [name, dataset]
            for label in ("m=1", "m=4", "w=4", "m=1, tuned", "m=4, tuned"):
                if label in rates:
                    mean, std = statistics.fmean(rates[label]), statistics.stdev(rates[label])
                    line.append(f"{mean:.4f} ± {std:.4f}")
                else:
                    line.append("")
            lines.append(line)
    show(
        [
            "learner",
            "data",
            "m=1",
            "m=4",
            "one update of weight 4",
            "m=1, step chosen on the honest count",
            "m=4, step chosen on the honest count",
        ],
        lines,
    )


def delayed(
    model: base.Classifier, rows: Sequence[Any], share: float, delay: int, seed: int
) -> float:
    """The progressive mistake rate when a share of the labels arrives, and `delay` rows late."""
    arrives = random.Random(seed)
    shown = [arrives.random() < share for _ in rows]
    mistakes = 0
    for i, (x, y) in enumerate(rows):
        mistakes += model.predict_one(x) != y
        j = i - delay
        if j >= 0 and shown[j]:
            model.learn_one(*rows[j])
    return mistakes / len(rows)


def one_delayed(
    name: str, learner: base.Classifier, dataset: str, m: int, share: float, delay: int, run: int
) -> float:
    pairs = list(datasets.load(dataset))
    rows = [pairs[i] for i in evaluate.paper_order(len(pairs), run)]
    wrapped = preprocessing.StandardScaler() | rn.MTWUClassifier(learner.clone(), m)
    return delayed(wrapped, rows, share, delay, seed=run)


def hyperplane(run: int, drift: str, n: int = 4000) -> Iterator[Any]:
    """A rotating hyperplane, or one whose classes change places half way."""
    magnitude = 0.01 if drift == "gradual" else 0.0
    stream = synth.Hyperplane(
        seed=run, n_features=10, n_drift_features=5, mag_change=magnitude, noise_percentage=0.05
    )
    for i, (x, y) in enumerate(stream.take(n)):
        yield x, bool(y) != (drift == "abrupt" and i >= n // 2)


def one_drifting(name: str, learner: base.Classifier, m: int, drift: str, run: int) -> float:
    wrapped = preprocessing.StandardScaler() | rn.MTWUClassifier(learner.clone(), m)
    return delayed(wrapped, list(hyperplane(run, drift)), 1.0, 0, seed=run)


def by_m(
    args: argparse.Namespace,
    function: Callable[..., float],
    settings: Sequence[tuple[str, tuple[Any, ...], tuple[str, ...]]],
    heading: str,
) -> None:
    """A line a learner and setting, a column an m."""
    learners = {**BINARY, **MULTICLASS}
    cells = {}
    for label, arguments, names in settings:
        for name in names:
            for m in MS:
                for run in range(1, args.runs + 1):
                    key = f"{function.__name__} {label} {name} m={m} run {run}"
                    dataset, *rest = arguments
                    first = (name, learners[name])
                    inner = (dataset, m, *rest) if function is one_delayed else (m, dataset)
                    cells[key] = (*first, *inner, run)
    results = run_cells(function, cells, n_jobs=args.jobs, path=args.path, what=heading)
    lines = []
    for label, _, names in settings:
        for name in names:
            rates = {
                m: [
                    results[f"{function.__name__} {label} {name} m={m} run {run}"]
                    for run in range(1, args.runs + 1)
                ]
                for m in MS
            }
            line = [name, label, f"{statistics.fmean(rates[1]):.4f}"]
            for m in MS[1:]:
                difference, error = paired(rates[m], rates[1])
                line.append(f"{difference:+.4f} ± {error:.4f}")
            lines.append(line)
    show(["learner", heading, "m=1", *(f"m={m}" for m in MS[1:])], lines)


SOME = ("Perceptron", "PA-I", "OGD", "AROW", "NHERD", "SCW-I")
SOME_MULTICLASS = ("M_Perceptron", "M_PA", "M_OGD", "M_AROW", "M_SCW-I")


def few_labels(args: argparse.Namespace) -> None:
    """A tenth of the labels, and labels that come a hundred rows late."""
    settings = []
    for dataset, names in (("svmguide3", SOME), ("segment_libsvm", SOME_MULTICLASS)):
        settings.append((f"{dataset}, every label at once", (dataset, 1.0, 0), names))
        settings.append((f"{dataset}, 10 % of the labels", (dataset, 0.1, 0), names))
        settings.append((f"{dataset}, labels 100 rows late", (dataset, 1.0, 100), names))
    by_m(args, one_delayed, settings, "labels")


def drift(args: argparse.Namespace) -> None:
    """A hyperplane that turns, one that flips, and one that stays."""
    settings = [(label, (label,), SOME) for label in ("none", "gradual", "abrupt")]
    by_m(args, one_drifting, settings, "drift")


PARTS = {"best": best_m, "step": larger_step, "labels": few_labels, "drift": drift}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--path", help="file that keeps results, to go on with later")
    args = parser.parse_args()
    for name in args.only:
        print(f"### {PARTS[name].__doc__}\n")
        PARTS[name](args)


if __name__ == "__main__":
    main()
