"""Streams that drift: forgetting, a window, an adaptive window, and ten-tree adaptive forests.

python -m examples.drift            prints the table of docs/drift.md
python -m examples.drift --rows 2000
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from river import base, forest, metrics
from river.datasets import synth

import river_nrrls as rn

Rows = Iterator[tuple[dict[str, float], bool]]


def plain(stream: object, invert_after: int | None = None) -> Rows:
    for i, (x, y) in enumerate(stream):  # type: ignore[call-overload]
        features = {str(name): float(value) for name, value in x.items()}
        yield features, bool(y) != (invert_after is not None and i >= invert_after)


def streams(n: int) -> dict[str, Rows]:
    def drift(first: object, second: object, width: int) -> Rows:
        return plain(
            synth.ConceptDriftStream(first, second, position=n // 2, width=width, seed=1).take(n)
        )

    return {
        "SEA, abrupt": drift(synth.SEA(0, seed=1), synth.SEA(2, seed=2), 50),
        "SEA, gradual": drift(synth.SEA(1, seed=1), synth.SEA(3, seed=2), n // 4),
        "SEA, inverted": plain(synth.SEA(seed=1).take(n), invert_after=n // 2),
        "Agrawal, abrupt": drift(synth.Agrawal(0, seed=1), synth.Agrawal(4, seed=2), 50),
        "Agrawal, gradual": drift(synth.Agrawal(2, seed=1), synth.Agrawal(6, seed=2), n // 4),
        "hyperplane, slow": plain(
            synth.Hyperplane(seed=1, n_features=10, n_drift_features=5, mag_change=0.01).take(n)
        ),
        "hyperplane, fast": plain(
            synth.Hyperplane(seed=1, n_features=10, n_drift_features=10, mag_change=0.05).take(n)
        ),
    }


def learners() -> dict[str, base.Classifier]:
    options = {"l2": 0.1, "scaling": "standard", "classes": (False, True)}
    return {
        "all rows": rn.NRRLSClassifier(**options),
        "0.999": rn.NRRLSClassifier(forgetting=0.999, **options),
        "0.99": rn.NRRLSClassifier(forgetting=0.99, **options),
        "0.97": rn.NRRLSClassifier(forgetting=0.97, **options),
        "auto": rn.NRRLSClassifier(forgetting="auto", **options),
        "window of 500": rn.WindowedNRRLSClassifier(500, **options),
        "adaptive": rn.AdaptiveNRRLSClassifier(**options),
        "ARF, 10 trees": forest.ARFClassifier(n_models=10, seed=1),
    }


def progressive(job: tuple[str, str, int]) -> tuple[str, str, float, float]:
    """G-mean, each row predicted before it is learnt, and microseconds of process time a row."""
    stream, learner, n = job
    model = learners()[learner]
    rows = list(streams(n)[stream])
    metric = metrics.GeometricMean()
    start = time.process_time()
    for x, y in rows:
        metric.update(y, model.predict_one(x) or False)
        model.learn_one(x, y)
    return stream, learner, metric.get(), (time.process_time() - start) / len(rows) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=8000)
    n = parser.parse_args().rows
    jobs = [(stream, learner, n) for stream in streams(n) for learner in learners()]
    with ProcessPoolExecutor(max_workers=2) as pool:
        found = {(s, m): (g, us) for s, m, g, us in pool.map(progressive, jobs)}
    names = list(learners())
    print("| stream | " + " | ".join(names) + " |")
    print("| --- |" + " ---: |" * len(names))
    for stream in streams(n):
        cells = [f"{found[stream, name][0]:.3f}" for name in names]
        print(f"| {stream} | " + " | ".join(cells) + " |")
    times = [sum(found[s, name][1] for s in streams(n)) / len(streams(n)) for name in names]
    print("| µs a row | " + " | ".join(f"{us:,.0f}" for us in times) + " |")


if __name__ == "__main__":
    main()
