"""Candidates chosen while streaming: each is scored on rows before it has learnt them.

With weights u frozen for a block of rows, the squared loss of the block's rows of class c is
(u - t e_0)' (A_c(end) - A_c(start)) (u - t e_0): two quadratic forms of the moments, whatever the
number of rows. No row is stored, and none is scored by weights that have seen it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg.blas import dsymm

# Candidates for l2="auto", and the one before any score.
RIDGES = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 3.0)
FIRST_RIDGE = 3
# A ridge is scored anew when the rows have grown by one in this number.
GROWTH = 32

# Candidates for forgetting="auto"; the first one keeps every row.
HORIZONS = (1.0, 0.999, 0.99, 0.97)
# Rows between two scores of the horizons, and what a row's score is worth one row later.
HORIZON_BLOCK = 16
HORIZON_MEMORY = 0.998


def losses(U: np.ndarray, A: list[np.ndarray]) -> np.ndarray:
    """Squared losses by candidate and class over the rows in A.

    `U` holds the weights of each candidate: (J, 1, D) for two classes, (J, K, D) else. `A` holds
    the class moments, lower triangles.
    """
    J, S, D = U.shape
    result = np.empty((J, len(A)))
    for c, Ac in enumerate(A):
        V = U.copy()
        if S == 1:
            V[:, 0, 0] -= 1.0 if c else -1.0
        else:
            V[:, :, 0] += 1.0
            V[:, c, 0] -= 2.0
        V = V.reshape(-1, D)
        AV = dsymm(1.0, Ac, V.T, 0.0, np.empty((D, len(V)), order="F"), 0, 1)
        result[:, c] = np.einsum("ij,ji->i", V, AV).reshape(J, S).sum(axis=1)
    return result


def begin(U: np.ndarray, A: list[np.ndarray], race: dict[str, Any] | None) -> dict[str, Any]:
    """Start a block with weights U; the scores so far are kept."""
    K = len(A)
    scored = race is not None and race["loss"].shape == (len(U), K)
    return {
        "U": U,
        "start": losses(U, A),
        "begun": np.array([Ac[0, 0] for Ac in A]),
        "loss": race["loss"] if race is not None and scored else np.zeros((len(U), K)),
        "count": race["count"] if race is not None and scored else np.zeros(K),
    }


def end(race: dict[str, Any], A: list[np.ndarray], memory: float = 1.0) -> None:
    """End a block: add its losses to the scores."""
    race["loss"] = memory * race["loss"] + np.maximum(losses(race["U"], A) - race["start"], 0.0)
    race["count"] = memory * race["count"] + [Ac[0, 0] for Ac in A] - race["begun"]


def best(race: dict[str, Any], costs: list[float]) -> int | None:
    """The candidate of the least sum of class means; None before both classes are scored."""
    scored = race["count"] > 0.0
    if len(scored) != len(costs) or np.count_nonzero(scored) < 2:
        return None
    means = race["loss"][:, scored] / race["count"][scored]
    return int(np.argmin(means @ np.array(costs)[scored]))


def rescaled(race: dict[str, Any], c: int, factor: float) -> None:
    """Follow a class's moments to another scale."""
    for name in ("start", "loss"):
        race[name][:, c] *= factor
    for name in ("begun", "count"):
        race[name][c] *= factor


def widened(race: dict[str, Any], size: int) -> None:
    """Follow the moments to more features."""
    U = race["U"]
    race["U"] = np.concatenate([U, np.zeros((*U.shape[:2], size - U.shape[2]))], axis=2)
