"""The studies of the two papers, and what a study of your own needs."""

from __future__ import annotations

from .holdout import gmean, halves, holdout_study
from .mtwu import MTWUCounts, mtwu_counts
from .mtwu_runs import mtwu_study
from .paper_learners import paper_learner
from .paper_runs import paper_order
from .paths import cost_curve, ridge_path
from .ranks import FriedmanNemenyi, friedman_nemenyi, ranks
from .selection import RidgeAndOrder, select_ridge_and_order
from .theorem import MTWUBound, mtwu_bound

__all__ = [
    "FriedmanNemenyi",
    "MTWUBound",
    "MTWUCounts",
    "RidgeAndOrder",
    "cost_curve",
    "friedman_nemenyi",
    "gmean",
    "halves",
    "holdout_study",
    "mtwu_bound",
    "mtwu_counts",
    "mtwu_study",
    "paper_learner",
    "paper_order",
    "ranks",
    "ridge_path",
    "select_ridge_and_order",
]
