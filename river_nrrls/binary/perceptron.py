"""The Perceptron (Rosenblatt 1958)."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import ddot

from ..dense import BinaryClassifier
from .steps import add


def perceptron(w: np.ndarray, x: np.ndarray, y: float, weight: float = 1.0) -> float:
    """On a mistake w ← w + y x; a score of 0 says +1. Returns 1 for a mistake, else 0."""
    if (ddot(w, x) >= 0.0) == (y > 0.0):
        return 0.0
    add(w, x, weight * y)
    return 1.0


class PerceptronClassifier(BinaryClassifier):
    r"""Perceptron.

    The first online learner: only mistakes move the weights, by the row itself.

    $$\hat y \neq y: \qquad w \leftarrow w + y\,x$$

    Use it as the baseline that everything else has to beat, or where nothing may be tuned. It
    never settles on classes that overlap.

    Parameters
    ----------
    learn_intercept
        Whether each row gets a constant feature 1. Without it a row with a score of 0 is classed
        True, so rows before the first False teach nothing.

    Attributes
    ----------
    n_updates
        Rounds with a positive loss.

    Notes
    -----
    A sample weight multiplies the step.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.PerceptronClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 84.48%

    References
    ----------
    [^1]: [Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage
        and organization in the brain. Psychological Review 65(6)](https://doi.org/10.1037/h0042519)

    """

    def __init__(self, learn_intercept: bool = True) -> None:
        super().__init__(learn_intercept)

    def _step(self, row: np.ndarray, code: float, w: float) -> float:
        return perceptron(self._w, row, code, w)
