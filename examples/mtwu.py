"""Several updates on the same row, counted honestly and as the MTWU paper counts them.

    python examples/mtwu.py

Prints both counts for some learners on a bundled stream, and draws them to mtwu.png if matplotlib
is there.
"""

from __future__ import annotations

from river import preprocessing

import river_nrrls as rn
from river_nrrls import datasets, evaluate

MODELS = {
    "Perceptron": rn.PerceptronClassifier(),
    "OGD": rn.OGDClassifier(),
    "PA-I": rn.PAClassifier(variant="PA-I", C=0.1),
    "AROW": rn.AROWClassifier(),
    "NHERD": rn.NHERDClassifier(),
    "scaler | SCW": preprocessing.StandardScaler() | rn.SCWClassifier(),
}


def main() -> None:
    print(
        "one pass over svmguide3, shuffled: mistakes before learning a row / in front of its last"
    )
    print(f"update ({datasets.load('svmguide3').n_samples} rows)")
    stream = datasets.load("svmguide3").shuffled(seed=1)
    for name, model in MODELS.items():
        counts = [evaluate.mtwu_counts(model.clone(), stream, m) for m in (1, 2, 4, 16)]
        cells = [
            f"m = {c.m}: {c.progressive_mistakes:>3} / {c.post_update_mistakes:<3}" for c in counts
        ]
        print(f"{name:<12}  {'   '.join(cells)}")

    rows = evaluate.mtwu_study("svmguide3", MODELS, ms=(1, 2, 4, 8, 16), runs=5)
    try:
        from river_nrrls import plot
    except ImportError as error:
        print(f"no figure: {error}")
    else:
        plot.mtwu_curves(rows, title="svmguide3, five runs").savefig("mtwu.png", dpi=110)
        print("mtwu.png: both rates against m")


if __name__ == "__main__":
    main()
