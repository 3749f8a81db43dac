"""Probabilities on ten streams: their log loss, and that of Platt's fit to the same scores.

python -m examples.probabilities                      prints the tables of docs/probabilities.md
python -m examples.probabilities --picture FILE.svg   draws its picture
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from river import preprocessing
from scipy.optimize import minimize

import river_nrrls as rn

STREAMS = (
    "ozone-eight",
    "ozone-one",
    "blood-transfusion",
    "wpbc",
    "spectf-heart",
    "parkinsons",
    "pima-diabetes",
    "statlog-german",
    "ionosphere",
    "tic-tac-toe",
)
CALIBRATIONS = ("lda", "gaussian", "clip")
SETTINGS: tuple[tuple[float | str, bool], ...] = (
    (1e-4, False),
    (1e-4, True),
    (0.1, False),
    (0.1, True),
    (1.0, False),
    (1.0, True),
    ("auto", True),
)


def stream(name: str) -> list[tuple[dict[str, float], bool]]:
    """Ozone days in the order of time, the other sets shuffled."""
    rows = list(rn.datasets.load(name))
    if name.startswith("ozone"):
        return rows
    return [rows[i] for i in rn.datasets.shuffled_order(len(rows), seed=1)]


def progressive(job: tuple[str, float | str, bool]) -> dict[str, np.ndarray]:
    """Scores, labels and natural probabilities of rows before they are learnt.

    Features are standardised by a scaler in front, or inside the learner.
    """
    name, l2, inside = job
    scaler = preprocessing.StandardScaler()
    model = rn.NRRLSClassifier(
        l2=l2,
        prior="natural",
        scaling="standard" if inside else None,
        classes=(False, True),
    )
    found: dict[str, list[Any]] = {key: [] for key in ("score", "y", *CALIBRATIONS)}
    for x, y in stream(name):
        z = x if inside else scaler.transform_one(x)
        found["score"].append(model.decision_function_one(z))
        found["y"].append(y)
        for calibration in CALIBRATIONS:
            model.calibration = calibration
            found[calibration].append(model.predict_proba_one(z)[True])
        if not inside:
            scaler.learn_one(x)
            z = scaler.transform_one(x)
        model.learn_one(z, y)
    return {key: np.array(values) for key, values in found.items()}


def log_loss(p: np.ndarray, y: np.ndarray) -> float:
    p = np.clip(p, 1e-15, 1.0 - 1e-15)
    return -float(np.mean(np.where(y, np.log(p), np.log1p(-p))))


def platt(score: np.ndarray, y: np.ndarray) -> float:
    """Log loss of the logistic curve that fits all scores best, found with all labels at hand."""
    sign = np.where(y, 1.0, -1.0)
    unit = score / score.std()
    rate = float(np.log(y.mean() / (1.0 - y.mean())))

    def loss(t: np.ndarray) -> float:
        return float(np.mean(np.logaddexp(0.0, -sign * (t[0] * unit + t[1]))))

    return min(minimize(loss, start, method="BFGS").fun for start in ([0.0, rate], [1.0, 0.0]))


def tables() -> None:
    jobs = [(name, *setting) for setting in SETTINGS for name in STREAMS]
    with ProcessPoolExecutor(max_workers=2) as pool:
        found = dict(zip(jobs, pool.map(progressive, jobs), strict=True))
    losses = {
        job: {
            "platt": platt(r["score"], r["y"]),
            **{key: log_loss(r[key], r["y"]) for key in CALIBRATIONS},
        }
        for job, r in found.items()
    }
    print(
        "| stream | rows | positive | class ratio alone | Platt, offline | lda | gaussian | clip |"
    )
    print("| --- |" + " ---: |" * 7)
    for name in STREAMS:
        y, loss = found[name, 1e-4, False]["y"], losses[name, 1e-4, False]
        cells = [f"{loss[key]:.3f}" for key in ("platt", *CALIBRATIONS)]
        alone = log_loss(np.full(len(y), y.mean()), y)
        print(f"| {name} | {len(y):,} | {y.mean():.2f} | {alone:.3f} | " + " | ".join(cells) + " |")
    print()
    print("| ridge | scaling | calibration | ≤ clip | ≤ 1.05 Platt | mean over Platt |")
    print("| ---: | --- | --- | ---: | ---: | ---: |")
    for l2, inside in SETTINGS:
        for key in CALIBRATIONS:
            rows = [losses[name, l2, inside] for name in STREAMS]
            lower = sum(loss[key] <= loss["clip"] for loss in rows)
            close = sum(loss[key] <= 1.05 * loss["platt"] for loss in rows)
            ratio = float(np.mean([loss[key] / loss["platt"] for loss in rows]))
            where = "inside" if inside else "in front"
            print(f"| {l2} | {where} | {key} | {lower} | {close} | {ratio:.3f} |")


def picture(path: str) -> None:
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "river_nrrls"
    import matplotlib.pyplot as plt

    name = "ozone-eight"
    model = rn.NRRLSClassifier(l2=0.1, scaling="standard")
    for x, y in stream(name):
        model.learn_one(x, y)
    found = progressive((name, 0.1, True))
    score, y = found["score"], found["y"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")

    grid = np.linspace(-1.5, 1.5, 301)
    for prior, color in (("balanced", "tab:blue"), ("natural", "tab:red")):
        model.prior = prior
        link = model._link()
        assert link is not None
        p = 1.0 / (1.0 + np.exp(-link(grid)))
        left.plot(grid, p, color=color, label=f'prior="{prior}"')
        at = float(1.0 / (1.0 + np.exp(-link(0.0))))
        left.plot([0.0], [at], "o", color=color)
        left.annotate(f"{at:.2f}", (0.0, at), (6, -4), textcoords="offset points", va="top")
    left.axvspan(0.0, 1.5, color="0.92", zorder=0)
    left.text(0.75, 1.04, "predict_one: True", ha="center", va="bottom")
    left.text(-0.75, 1.04, "predict_one: False", ha="center", va="bottom")
    left.axvline(0.0, color="0.6", lw=0.8)
    rare, common = score[y], score[~y][::7]
    left.plot(rare, np.full(len(rare), -0.04), "|", color="k", ms=7, label="ozone days")
    left.plot(
        common, np.full(len(common), -0.09), "|", color="0.7", ms=7, label="other days (1 in 7)"
    )
    left.set(
        xlim=(-1.5, 1.5), ylim=(-0.14, 1.12), xlabel="score", ylabel="probability of an ozone day"
    )
    left.legend(loc="center left", frameon=False, fontsize=8)

    for key, color in (("lda", "tab:red"), ("clip", "0.5")):
        p = found[key]
        order = np.argsort(p, kind="stable")[::-1]
        # Bins of as many ozone days each say as much about a rate.
        ends = np.flatnonzero(np.cumsum(y[order]) % 20 == 0)
        parts = np.split(order, np.unique(ends) + 1)
        parts = [part for part in parts if y[part].sum() >= 10]
        right.plot(
            [p[part].mean() for part in parts],
            [y[part].mean() for part in parts],
            "o-",
            color=color,
            label=f'calibration="{key}"',
        )
    right.plot([0, 1], [0, 1], color="0.6", lw=0.8)
    right.set(xlim=(0, 0.8), ylim=(0, 0.8))
    right.set(xlabel='predicted, prior="natural"', ylabel="share of ozone days")
    right.legend(frameon=False, fontsize=8)
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--picture", metavar="FILE")
    path = parser.parse_args().picture
    if path is None:
        tables()
    else:
        picture(path)


if __name__ == "__main__":
    main()
