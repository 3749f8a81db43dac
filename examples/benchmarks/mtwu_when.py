"""When are several updates an instance worth it? Honest (progressive) mistake rates throughout.

    python examples/benchmarks/mtwu_when.py [--runs 10] [--jobs 2] [--only best]

Four tables: the best m of each learner; four updates against one step of four times the size, and
against a step chosen anew; few and late labels; drift. Differences are paired over runs: the same
row orders for all that is compared.
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
from river_nrrls.evaluate.runner import run_cells

BINARY_SETS = ("svmguide3", "breast-cancer-w", "ionosphere", "pima-diabetes", "spambase")
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
# The parameter that makes a learner's step larger, and its power: AROW divides by `r`.
STEPS = {
    "PA-I": ("C", 1),
    "PA-II": ("C", 1),
    "OGD": ("C", 1),
    "AROW": ("r", -1),
    "NHERD": ("C", 1),
    "SCW-I": ("C", 1),
    "M_PA-I": ("C", 1),
    "M_OGD": ("C", 1),
    "M_AROW": ("r", -1),
    "M_SCW-I": ("C", 1),
}
# What is tried where the step is chosen, as multiples of the default.
SIZES = tuple(4.0**k for k in range(-7, 3))


def scaled(learner: base.Classifier) -> base.Classifier:
    return preprocessing.StandardScaler() | learner.clone()


def stepped(name: str, size: float) -> base.Classifier:
    """A learner whose step is `size` times that of its defaults."""
    learner = {**BINARY, **MULTICLASS}[name]
    parameter, power = STEPS[name]
    return learner.clone({parameter: getattr(learner, parameter) * size**power})


def learners_of(dataset: str) -> dict[str, base.Classifier]:
    return MULTICLASS if dataset in MULTICLASS_SETS else BINARY


def paired(ours: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Mean difference and its standard error."""
    differences = [a - b for a, b in zip(ours, others, strict=True)]
    return statistics.fmean(differences), statistics.stdev(differences) / len(differences) ** 0.5


def change(ours: Sequence[float], others: Sequence[float]) -> str:
    difference, error = paired(ours, others)
    return f"{difference:+.4f} ± {error:.4f}"


def runs_of(dataset: str, runs: int) -> range:
    """The numbers of the runs; five on spambase, which is large."""
    return range(1, 1 + (min(runs, 5) if dataset == "spambase" else runs))


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


def one_step(name: str, dataset: str, run: int) -> dict[str, float]:
    """The rates of four updates and of one larger step, by default and chosen, in one run."""
    pairs = list(datasets.load(dataset))
    rows = [pairs[i] for i in evaluate.paper_order(len(pairs), run)]
    half = len(rows) // 2
    rates = {}
    for label, size, m in (("m=1", 1.0, 1), ("m=4", 1.0, 4), ("step x 4", 4.0, 1)):
        counts = evaluate.mtwu_counts(scaled(stepped(name, size)), rows, m)
        rates[label] = counts.progressive_rate
        rates[f"{label} updates"] = counts.total_updates or 0
    for m in (1, 4):
        # Chosen on the first half of the rows, judged on the second, from the beginning.
        mistakes = {
            size: evaluate.mtwu_counts(scaled(stepped(name, size)), rows[:half], m)
            for size in SIZES
        }
        best = min(SIZES, key=lambda size: mistakes[size].progressive_mistakes)
        counts = evaluate.mtwu_counts(scaled(stepped(name, best)), rows[half:], m)
        rates[f"m={m}, chosen"] = counts.progressive_rate
        rates[f"m={m}, size"] = best
    return rates


def middle(sizes: Sequence[float]) -> str:
    """The median of powers of 4, the lower one of two."""
    size = statistics.median_low(sizes)
    return f"{size:g}" if size >= 1.0 else f"1/{1.0 / size:g}"


def verdict(pairs: Sequence[tuple[list[float], list[float]]]) -> str:
    """How many of the paired differences are gains and losses of more than two errors."""
    differences = [paired(ours, others) for ours, others in pairs]
    gains = sum(difference < -2.0 * error < 0.0 for difference, error in differences)
    losses = sum(difference > 2.0 * error > 0.0 for difference, error in differences)
    return f"better by more than 2 se in {gains}, worse in {losses}"


def step_key(dataset: str, name: str, run: int) -> str:
    return f"step of {len(SIZES)} from {SIZES[0]:g} {dataset} {name} run {run}"


def larger_step(args: argparse.Namespace) -> None:
    """Four updates against one step of four times the size, and against a step chosen anew."""
    cells = {
        step_key(dataset, name, run): (name, dataset, run)
        for dataset in (*BINARY_SETS, *MULTICLASS_SETS)
        for name in learners_of(dataset)
        if name in STEPS
        for run in runs_of(dataset, args.runs)
    }
    results = run_cells(one_step, cells, n_jobs=args.jobs, path=args.path, what="step")
    lines = []
    of_kind: dict[str, list[dict[str, list[float]]]] = {"binary": [], "multiclass": []}
    for name, dataset in dict.fromkeys((name, dataset) for name, dataset, _ in cells.values()):
        of_runs = [results[step_key(dataset, name, run)] for run in runs_of(dataset, args.runs)]
        rates = {label: [rates[label] for rates in of_runs] for label in of_runs[0]}
        of_kind["multiclass" if name in MULTICLASS else "binary"].append(rates)
        ratio = statistics.fmean(rates["m=4 updates"]) / statistics.fmean(rates["m=1 updates"])
        lines.append(
            [
                name,
                dataset,
                f"{statistics.fmean(rates['m=1']):.4f}",
                change(rates["m=4"], rates["m=1"]),
                change(rates["step x 4"], rates["m=1"]),
                change(rates["m=4"], rates["step x 4"]),
                f"{ratio:.2f}",
                f"{statistics.fmean(rates['m=1, chosen']):.4f}",
                change(rates["m=4, chosen"], rates["m=1, chosen"]),
                f"{middle(rates['m=1, size'])}, {middle(rates['m=4, size'])}",
            ]
        )
    show(
        [
            "learner",
            "data",
            "m=1",
            "m=4",
            "step × 4",
            "m=4 against step × 4",
            "updates of m=4 over those of m=1",
            "step chosen, m=1",
            "step chosen, m=4 against m=1",
            "median step chosen, m=1 and m=4",
        ],
        lines,
    )
    for kind, rows in of_kind.items():
        for what, ours, others in (
            ("m=4 against m=1, defaults", "m=4", "m=1"),
            ("m=4 against step × 4", "m=4", "step x 4"),
            ("m=4 against m=1, step chosen for each", "m=4, chosen", "m=1, chosen"),
        ):
            found = verdict([(rates[ours], rates[others]) for rates in rows])
            print(f"* {kind}, {what}: {found} of {len(rows)}")


def delayed(
    model: base.Classifier, rows: Sequence[Any], share: float, delay: int, seed: int
) -> float:
    """The progressive mistake rate when a share of the labels arrives, and `delay` rows late.

    It is counted from the first row that finds a label learnt: before, nobody knows a label.
    """
    arrives = random.Random(seed)
    shown = [arrives.random() < share for _ in rows]
    n = mistakes = 0
    learnt = False
    for i, (x, y) in enumerate(rows):
        if learnt:
            n += 1
            mistakes += model.predict_one(x) != y
        j = i - delay
        if j >= 0 and shown[j]:
            model.learn_one(*rows[j])
            learnt = True
    return mistakes / n


def wrapped(name: str, size: float, m: int) -> base.Classifier:
    learner = {**BINARY, **MULTICLASS}[name] if size == 1.0 else stepped(name, size)
    return scaled(rn.MTWUClassifier(learner.clone(), m))


def one_delayed(
    name: str, size: float, m: int, dataset: str, share: float, delay: int, run: int
) -> float:
    pairs = list(datasets.load(dataset))
    rows = [pairs[i] for i in evaluate.paper_order(len(pairs), run)]
    return delayed(wrapped(name, size, m), rows, share, delay, seed=run)


def hyperplane(run: int, drift: str, n: int = 4000) -> Iterator[Any]:
    """A rotating hyperplane, or one whose classes change places half way."""
    magnitude = 0.01 if drift == "gradual" else 0.0
    stream = synth.Hyperplane(
        seed=run, n_features=10, n_drift_features=5, mag_change=magnitude, noise_percentage=0.05
    )
    for i, (x, y) in enumerate(stream.take(n)):
        yield x, bool(y) != (drift == "abrupt" and i >= n // 2)


def one_drifting(name: str, size: float, m: int, drift: str, run: int) -> float:
    return delayed(wrapped(name, size, m), list(hyperplane(run, drift)), 1.0, 0, seed=run)


# The size of the step and the number of updates.
COLUMNS = {"m=1": (1.0, 1), **{f"m={m}": (1.0, m) for m in MS[1:]}}
COLUMNS |= {"step × 4": (4.0, 1), "step ÷ 4": (0.25, 1)}


def by_m(
    args: argparse.Namespace,
    function: Callable[..., float],
    settings: Sequence[tuple[str, tuple[Any, ...], tuple[str, ...]]],
    heading: str,
) -> None:
    """A line a learner and setting; the rate of m = 1 and how those of others differ from it."""
    cells = {
        f"{function.__name__} {arguments} {name} {column} run {run}": (
            name,
            size,
            m,
            *arguments,
            run,
        )
        for _, arguments, names in settings
        for name in names
        for column, (size, m) in COLUMNS.items()
        if size == 1.0 or name in STEPS
        for run in runs_of(arguments[0], args.runs)
    }
    results = run_cells(function, cells, n_jobs=args.jobs, path=args.path, what=heading)
    lines = []
    for label, arguments, names in settings:
        for name in names:
            rates = {
                column: [
                    results[f"{function.__name__} {arguments} {name} {column} run {run}"]
                    for run in runs_of(arguments[0], args.runs)
                ]
                for column, (size, _) in COLUMNS.items()
                if size == 1.0 or name in STEPS
            }
            line = [name, label, f"{statistics.fmean(rates['m=1']):.4f}"]
            for column in list(COLUMNS)[1:]:
                line.append(change(rates[column], rates["m=1"]) if column in rates else "")
            lines.append(line)
    show(["learner", heading, *COLUMNS], lines)


SOME = ("Perceptron", "PA-I", "OGD", "AROW", "NHERD", "SCW-I")
SOME_MULTICLASS = ("M_Perceptron", "M_PA-I", "M_OGD", "M_AROW", "M_SCW-I")


def few_labels(args: argparse.Namespace) -> None:
    """A tenth of the labels, and labels that come a hundred rows late."""
    settings = []
    for dataset in ("svmguide3", "spambase", "segment_libsvm"):
        names = SOME_MULTICLASS if dataset in MULTICLASS_SETS else SOME
        settings.append((f"{dataset}, every label at once", (dataset, 1.0, 0), names))
        settings.append((f"{dataset}, 10 % of the labels", (dataset, 0.1, 0), names))
        settings.append((f"{dataset}, labels 100 rows late", (dataset, 1.0, 100), names))
    by_m(args, one_delayed, settings, "labels")


def drift(args: argparse.Namespace) -> None:
    """A hyperplane that stays, one that turns, and one whose classes change places half way."""
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
