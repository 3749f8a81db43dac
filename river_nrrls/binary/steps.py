"""The step w += step·x that every rule ends in."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import daxpy, dnrm2

# A longer step would sooner or later make a score overflow: rows have entries of up to 1e150.
LONGEST = 1e152
LONGEST_SQUARED = LONGEST * LONGEST


def add(w: np.ndarray, x: np.ndarray, step: float) -> None:
    """w += step·x, unless the step is longer than LONGEST or NaN: then w stays as it is."""
    if abs(step) * dnrm2(x) <= LONGEST:
        daxpy(x, w, len(w), step)
