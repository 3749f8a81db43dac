"""What all rules share: the strongest rival of a class, and a step between two rows of W."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.blas import daxpy, dnrm2

from ..binary.steps import LONGEST

# |x|² below this counts as this much: steps divide by it.
SHORTEST = 1e-300


def rival(F: np.ndarray, y: int) -> tuple[int, float]:
    """The best class s other than y, lowest index first, and the margin m = F_y - F_s.

    Leaves F_y = -inf behind. A class without rivals has a margin of infinity.
    """
    F_y = F.item(y)
    F[y] = -math.inf
    s = int(F.argmax())
    return s, F_y - F.item(s)


def mistaken(y: int, s: int, m: float) -> bool:
    """Whether another class than y is predicted: the lowest index among equal scores."""
    return m < 0.0 or (m == 0.0 and s < y)


def move(W: np.ndarray, g: np.ndarray, y: int, s: int, step: float) -> None:
    """W_y += step·g and W_s -= step·g, unless the step is longer than LONGEST: then W stays."""
    if abs(step) * dnrm2(g) <= LONGEST:
        n = len(g)
        daxpy(g, W[y], n, step)
        daxpy(g, W[s], n, -step)
