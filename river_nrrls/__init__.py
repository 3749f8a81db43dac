"""Exact class-rebalanced least squares and the classical online linear classifiers for river."""

from __future__ import annotations

from .multiclass import (
    MulticlassOGDClassifier,
    MulticlassPAClassifier,
    MulticlassPerceptronClassifier,
    MulticlassROMMAClassifier,
)

__all__ = [
    "MulticlassOGDClassifier",
    "MulticlassPAClassifier",
    "MulticlassPerceptronClassifier",
    "MulticlassROMMAClassifier",
]

__version__ = "0.1.0"
