"""One covariance for all classes, kept as that of the binary learners is."""

from __future__ import annotations

import numpy as np
from river.base.typing import ClfTarget

from ..binary.covariance import CovarianceRoot, direction, shrink
from ..dense import MulticlassClassifier
from .rivals import move


def learn(
    W: np.ndarray,
    S: np.ndarray,
    x: np.ndarray,
    f: np.ndarray,
    y: int,
    s: int,
    alpha: float,
    beta: float,
    rest: float,
    w: float,
) -> None:
    """W_y += wαΣx, W_s -= wαΣx and Σ -= min(w, 1)·β Σx xᵀΣ, with f of `spread`, rest = 1 - βv."""
    g = direction(S, f)
    move(W, g, y, s, w * alpha)
    shrink(S, x, f, g, beta, rest, w)


class SecondOrderClassifier(CovarianceRoot, MulticlassClassifier):
    """A rule with a covariance that all classes share.

    Parameters
    ----------
    a
        The covariance starts as a·I.
    covariance
        Whether to keep the full covariance, or only its diagonal.
    learn_intercept
        Whether each row gets a constant feature 1.
    classes
        The labels and their order, if they are known.

    """

    def __init__(
        self,
        a: float,
        covariance: str,
        learn_intercept: bool,
        classes: tuple[ClfTarget, ...] | None,
    ) -> None:
        self.a = a
        self.covariance = covariance
        super().__init__(learn_intercept, classes)
