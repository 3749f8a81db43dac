"""Exact class-rebalanced least squares and the classical online linear classifiers for river."""

from __future__ import annotations

from .mtwu import MTWUClassifier
from .multiclass import (
    MulticlassOGDClassifier,
    MulticlassPAClassifier,
    MulticlassPerceptronClassifier,
    MulticlassROMMAClassifier,
)

__all__ = [
    "MTWUClassifier",
    "MulticlassOGDClassifier",
    "MulticlassPAClassifier",
    "MulticlassPerceptronClassifier",
    "MulticlassROMMAClassifier",
]

__version__ = "0.1.0"
