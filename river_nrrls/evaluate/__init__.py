"""The studies of the two papers, and what a study of your own needs."""

from __future__ import annotations
