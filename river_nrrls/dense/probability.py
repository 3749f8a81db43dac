"""Scores to probabilities."""

from __future__ import annotations

import math

import numpy as np


def logistic_pair(score: float) -> tuple[float, float]:
    """1/(1 + e^s) and e^s/(1 + e^s), each by itself: 1 - p loses the small one."""
    if score >= 0.0:
        e = math.exp(-score)
        return e / (1.0 + e), 1.0 / (1.0 + e)
    e = math.exp(score)
    return 1.0 / (1.0 + e), e / (1.0 + e)


def logistic_pairs(scores: np.ndarray) -> np.ndarray:
    """`logistic_pair` of each score, (n, 2)."""
    e = np.exp(-np.abs(scores))
    small, large = e / (1.0 + e), 1.0 / (1.0 + e)
    up = scores >= 0.0
    return np.stack([np.where(up, small, large), np.where(up, large, small)], axis=-1)


def softmax(scores: np.ndarray) -> np.ndarray:
    """e^s / sum of e^s along the last axis."""
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    total: np.ndarray = e.sum(axis=-1, keepdims=True)
    return np.asarray(e / total)
