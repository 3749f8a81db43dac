"""Figures of studies, drawn with matplotlib (`pip install river-nrrls[plot]`)."""

from __future__ import annotations

from .mtwu import mtwu_curves

__all__ = ["mtwu_curves"]
