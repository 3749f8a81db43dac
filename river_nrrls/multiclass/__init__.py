"""The classical online learners for many classes."""

from __future__ import annotations

from .arow import MulticlassAROWClassifier
from .cw import MulticlassCWClassifier
from .ogd import MulticlassOGDClassifier
from .pa import MulticlassPAClassifier
from .perceptron import MulticlassPerceptronClassifier
from .romma import MulticlassROMMAClassifier
from .scw import MulticlassSCWClassifier

__all__ = [
    "MulticlassAROWClassifier",
    "MulticlassCWClassifier",
    "MulticlassOGDClassifier",
    "MulticlassPAClassifier",
    "MulticlassPerceptronClassifier",
    "MulticlassROMMAClassifier",
    "MulticlassSCWClassifier",
]
