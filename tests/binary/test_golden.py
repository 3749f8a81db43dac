"""Equal to LIBOL 0.3.0 row by row.

`tests/golden/*.json` hold the doubles fed to LIBOL's MATLAB code in Octave 7.3, and what it did.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from river_nrrls import binary
from river_nrrls.binary.covariance import quantile

GOLDEN = Path(__file__).parents[1] / "golden"
LOSSES = ("zero_one", "hinge", "logistic", "squared")

# Rows where the step just made solves l = 0 exactly, and the sign of 1e-16 decides what is counted.
DUST = {("edge_binary", "SCW"): {9}}


def cases():
    for path in ("svmguide3", "edge_binary"):
        data = json.loads((GOLDEN / f"{path}.json").read_text())
        for i, run in enumerate(data["runs"]):
            yield pytest.param(data, run, id=f"{path}-{i}-{run['algorithm']}")


def learner(algorithm, params):
    p = dict(params)
    C = p.get("C")
    bare = {"learn_intercept": False}
    libol = {"form": "libol", **bare}
    second = {"a": p.get("a", 1.0)}
    return {
        "Perceptron": lambda: binary.PerceptronClassifier(**bare),
        "ALMA": lambda: binary.ALMAClassifier(alpha=p["eta"], p=p["p"], C=C, **libol),
        "ROMMA": lambda: binary.ROMMAClassifier(**libol),
        "aROMMA": lambda: binary.ROMMAClassifier(aggressive=True, **libol),
        "PA": lambda: binary.PAClassifier(variant="PA", **bare),
        "PA1": lambda: binary.PAClassifier(variant="PA-I", C=C, **bare),
        "PA2": lambda: binary.PAClassifier(variant="PA-II", C=C, **bare),
        "OGD": lambda: binary.OGDClassifier(loss=LOSSES[p["loss_type"]], C=C, **bare),
        "SOP": lambda: binary.SOPClassifier(**second, **libol),
        "CW": lambda: binary.CWClassifier(eta=p["eta"], **second, **bare),
        "IELLIP": lambda: binary.IELLIPClassifier(b=p["b"], c=p["IELLIP_c"], **second, **bare),
        "AROW": lambda: binary.AROWClassifier(r=C, **second, **bare),
        "NAROW": lambda: binary.NAROWClassifier(b=C, **second, **libol),
        "NHERD": lambda: binary.NHERDClassifier(C=C, **second, **bare),
        "SCW": lambda: binary.SCWClassifier("I", eta=p["eta"], C=C, **second, **libol),
        "SCW2": lambda: binary.SCWClassifier("II", eta=p["eta"], C=C, **second, **libol),
    }[algorithm]()


@pytest.mark.parametrize("data, run", list(cases()))
def test_golden(data, run):
    model = learner(run["algorithm"], run["params"])
    dust = DUST.get((data["dataset"], run["algorithm"]), set())
    checkpoints = iter(
        zip(*(run[f"checkpoint_{k}"] for k in ("t", "mistakes", "updates")), strict=True)
    )
    t, mistakes_at_t, updates_at_t = next(checkpoints)
    mistakes, rows = 0, set()
    for i, (values, y) in enumerate(zip(data["X"], data["y"], strict=True)):
        x, label = dict(enumerate(values)), y > 0
        if i in dust:
            row = np.array(values)
            w = np.array(list(model.weights.values()))
            v = row @ model.covariance_matrix @ row
            assert abs(quantile(model.eta) * math.sqrt(v) - y * (w @ row)) < 1e-14
        mistakes += model.predict_one(x) != label
        before = model.n_updates
        model.learn_one(x, label)
        if model.n_updates > before:
            rows.add(i)
        if i + 1 == t:
            assert mistakes == mistakes_at_t
            off = sum((j in rows) - (j in run["update_rows"]) for j in dust if j <= i)
            assert len(rows) - off == updates_at_t
            t, mistakes_at_t, updates_at_t = next(checkpoints, (0, 0, 0))
    assert mistakes == run["n_mistakes"]
    assert rows ^ set(run["update_rows"]) <= dust

    w = np.array([model.weights[j] for j in range(len(data["X"][0]))])
    tolerance = run.get("suggested_rtol_for_weights", 1e-9)
    assert tolerance <= 1e-6
    wanted = np.array(run["w"])
    np.testing.assert_allclose(w, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())
    if "sigma_diag" in run:
        sigma = model.covariance_matrix
        np.testing.assert_allclose(np.diag(sigma), run["sigma_diag"], rtol=1e-8)
        assert np.linalg.norm(sigma) == pytest.approx(run["sigma_fro"], rel=1e-8)
    if "k_final" in run:
        assert model._k == run["k_final"]
    if "t_final" in run:
        # LIBOL counts the row to come.
        assert model._t + 1 == run["t_final"]
    if "c_t_final" in run:
        assert model.c * model.b**model._t == pytest.approx(run["c_t_final"], rel=1e-9)
