"""The studies of the two papers, and what a study of your own needs."""

from __future__ import annotations

from .mtwu import MTWUCounts, mtwu_counts
from .mtwu_runs import mtwu_study
from .paper_learners import paper_learner
from .paper_runs import paper_order
from .paths import cost_curve, ridge_path
from .theorem import MTWUBound, mtwu_bound

__all__ = [
    "MTWUBound",
    "MTWUCounts",
    "cost_curve",
    "mtwu_bound",
    "mtwu_counts",
    "mtwu_study",
    "paper_learner",
    "paper_order",
    "ridge_path",
]
