"""Recursive least squares on labels: every row counts alike."""

from __future__ import annotations

import numpy as np
from river.base.typing import ClfTarget

from ..dense import Parameter, checks
from .base import LeastSquaresClassifier


class RLSClassifier(LeastSquaresClassifier):
    r"""Regularised least squares on labels, online and equal to its batch solution at every row.

    Minimises, over all rows seen so far, with targets -1 and +1 and a row's age $a_i$,

    $$\sum_i \lambda^{a_i} (t_i - w \cdot x_i - b)^2 + l_2 |w|^2$$

    This is the classical recursive least squares without its two faults: the ridge does not decay
    with the rows, so the solution cannot wind up while the input is idle, and no inverse is carried
    along that loses its digits. More than two labels are taken one against the rest, all of them
    from one factorisation.

    Use it as the plain counterpart of `NRRLSClassifier`, which gives every class the same weight.

    Parameters
    ----------
    l2
        Ridge, at least 0. It stands beside a *sum* over rows: to compare with `NRRLSClassifier`,
        whose ridge stands beside means, multiply by n / 2.
    learn_intercept
        Whether to fit an intercept, which is not penalised.
    forgetting
        $\lambda$ in (0, 1]: a row's weight after one more row; its memory is $1 / (1 - \lambda)$.
    solver
        How the weights are solved: "cholesky" factors for each prediction after new rows; "cg"
        keeps the solution by conjugate gradients to a relative error of 1e-11, in $O(d^2)$ a row;
        "auto" iterates above some 90 features.
    classes
        The labels, in order, if they are to be known from the start; otherwise they are taken as
        they come.
    max_state_bytes
        Most bytes that the class moments may take; a row that would need more is refused.

    Attributes
    ----------
    weights
        Coefficients by feature; by label first, if the labels are not booleans.
    weights_std_error
        Standard error of each coefficient, from the moments.
    intercept
        The constant of the score.
    class_counts
        The (decayed) weight of the rows learnt of each label.
    n_updates
        Rows learnt.
    n_iterations
        Steps of conjugate gradients so far; not saved.
    n_factorizations
        Cholesky factorisations so far; not saved.
    residual
        Relative error of the scores at which the last iterations stopped, 0 after a factorisation.

    Examples
    --------

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.RLSClassifier(l2=1.0)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 89.27%

    References
    ----------
    [^1]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230),
        equations 1 and 2

    """

    solver = Parameter(checks.choice("auto", "cholesky", "cg"))

    _mutable = frozenset({"l2", "learn_intercept", "solver", "max_state_bytes"})

    def __init__(
        self,
        l2: float = 1.0,
        learn_intercept: bool = True,
        forgetting: float = 1.0,
        solver: str = "auto",
        classes: tuple[ClfTarget, ...] | None = None,
        max_state_bytes: int = 1 << 30,
    ) -> None:
        self.solver = solver
        super().__init__(l2, learn_intercept, forgetting, classes, max_state_bytes)

    def _multipliers(self) -> list[float]:
        seen = [flat.item(0) > 0.0 for flat in self._flat]
        if self.forgetting == 1.0:
            return [float(s) for s in seen]
        return [s * k for s, k in zip(seen, self._scales().tolist(), strict=True)]

    def _shares(self) -> tuple[np.ndarray, np.ndarray]:
        n = self._counts()
        return n / n.sum(), n

    def _groups(self, seen: list[int]) -> list[list[int]]:
        return [seen]
