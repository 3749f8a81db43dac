"""Least squares from class moments: exact, deterministic, rebalanced."""

from __future__ import annotations

from . import batch
from .ar_rls import ARRLSClassifier
from .base import LeastSquaresClassifier
from .ir_rls import IRRLSClassifier
from .nrrls import NRRLSClassifier
from .recursive_nrrls import RecursiveNRRLSClassifier
from .rls import RLSClassifier
from .windowed import AdaptiveNRRLSClassifier, WindowedNRRLSClassifier

__all__ = [
    "ARRLSClassifier",
    "AdaptiveNRRLSClassifier",
    "IRRLSClassifier",
    "LeastSquaresClassifier",
    "NRRLSClassifier",
    "RLSClassifier",
    "RecursiveNRRLSClassifier",
    "WindowedNRRLSClassifier",
    "batch",
]
