"""Transformers that go in front of a linear learner."""

from __future__ import annotations

from .reduced_polynomial import ReducedPolynomialExtender

__all__ = ["ReducedPolynomialExtender"]
