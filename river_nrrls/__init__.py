"""Exact class-rebalanced least squares and the classical online linear classifiers for river."""

from __future__ import annotations

__version__ = "0.1.0"
