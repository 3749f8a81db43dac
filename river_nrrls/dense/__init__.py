"""The shell that every learner lives in: names, columns, checks, labels, frames, state."""

from __future__ import annotations

from . import checks, frames, probability
from .checks import Parameter
from .columns import Columns
from .estimator import DenseClassifier
from .rules import BinaryClassifier, MulticlassClassifier, RuleClassifier, SecondOrder

__all__ = [
    "BinaryClassifier",
    "Columns",
    "DenseClassifier",
    "MulticlassClassifier",
    "Parameter",
    "RuleClassifier",
    "SecondOrder",
    "checks",
    "frames",
    "probability",
]
