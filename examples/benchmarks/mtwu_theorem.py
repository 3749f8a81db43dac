"""How tight is the bound of Theorem 1 of the MTWU paper, on the steps of real runs?

python examples/benchmarks/mtwu_theorem.py
"""

from __future__ import annotations

from river_nrrls import datasets, evaluate
from river_nrrls.evaluate.paper_learners import ALGORITHMS


def main() -> None:
    print("| algorithm | data | m | above the bound | ‖w*‖ / bound | ‖w* - w⁰‖ / second term |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in ALGORITHMS:
        dataset = datasets.load("segment_libsvm" if name.startswith("M_") else "svmguide3")
        pairs = list(dataset)
        rows = [pairs[i] for i in evaluate.paper_order(len(pairs), 1)]
        classes = tuple(dataset.class_counts) if name.startswith("M_") else None
        for m in (2, 8, 32):
            bound = evaluate.mtwu_bound(evaluate.paper_learner(name, classes=classes), rows, m)
            print(
                f"| {name} | {dataset.name} | {m} | {bound.violations} of {bound.n} "
                f"| {bound.tightness[0]:.3f}, at most {bound.tightness[1]:.3f} "
                f"| {bound.step_tightness[0]:.3f}, at most {bound.step_tightness[1]:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
