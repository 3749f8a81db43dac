"""Least squares from class moments: exact, deterministic, rebalanced."""

from __future__ import annotations

from . import batch
from .base import LeastSquaresClassifier
from .nrrls import NRRLSClassifier
from .rls import RLSClassifier

__all__ = ["LeastSquaresClassifier", "NRRLSClassifier", "RLSClassifier", "batch"]
