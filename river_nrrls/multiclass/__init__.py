"""The classical online learners for many classes."""

from __future__ import annotations

from .ogd import MulticlassOGDClassifier
from .pa import MulticlassPAClassifier
from .perceptron import MulticlassPerceptronClassifier
from .romma import MulticlassROMMAClassifier

__all__ = [
    "MulticlassOGDClassifier",
    "MulticlassPAClassifier",
    "MulticlassPerceptronClassifier",
    "MulticlassROMMAClassifier",
]
