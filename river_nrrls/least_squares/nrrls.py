"""Non-iteratively reweighted recursive least squares: every class counts by its mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from river.base.typing import ClfTarget
from scipy.linalg.blas import dsyr

from ..dense import Parameter, checks
from . import auto, moments, probabilities
from .base import NO_RANGE, LeastSquaresClassifier

# Products and sums of these must not overflow, nor vanish.
share = checks.interval(1e-100, 1e100)


def costs(name: str, value: Any) -> None:
    if value is None:
        return
    if not isinstance(value, Mapping) or not value:
        raise checks.refuse(name, value, "None or a dict from label to cost")
    checks.parameter_mapping(name, value, share)


def prior(name: str, value: Any) -> None:
    if isinstance(value, Mapping) and value:
        checks.parameter_mapping(name, value, share)
    elif not (isinstance(value, str) and value in ("balanced", "natural")):
        raise checks.refuse(name, value, "'balanced', 'natural' or a dict from label to share")


class NRRLSClassifier(LeastSquaresClassifier):
    r"""Class-rebalanced least squares, online and equal to its batch solution at every row.

    Minimises, over all rows seen so far,

    $$\sum_c \text{cost}_c \, \frac{1}{n_c} \sum_{i \in c} (t_i - w \cdot x_i - b)^2 + l_2 |w|^2$$

    with targets $\tau \pm \eta$, so that a class of 10 rows counts as much as one of 10,000. The
    state is the count, the sum and the second moment of each class; the weights are solved from it
    when they are first asked for, exactly, by Cholesky. Nothing is sampled and nothing is tuned
    but one ridge value; the order of the rows does not matter.

    Use it where one class is rare and a mistake on it costs as much as all the others together:
    the decision is that of linear discriminant analysis with equal priors. For two labels and an
    unpenalised intercept it equals `RidgeClassifier(alpha=l2 * n / 2, class_weight="balanced")` of
    scikit-learn. Each row costs $O(d^2)$ and a prediction after new rows $O(d^3 / 3)$, or with
    many features $O(d^2)$ as well: see `solver`.

    Parameters
    ----------
    l2
        Ridge, at least 0: the paper's b. It stands beside class *means*, so its weight does not
        fade as rows come in; that of `RLSClassifier` stands beside a sum. With "auto" it is chosen
        while streaming among 1e-4, 1e-3, 1e-2, 0.1, 1 and 3, by the balanced squared error of each
        on rows that it has not learnt yet; best with `scaling="standard"`.
    learn_intercept
        Whether to fit an intercept, which is not penalised. With `False` the rule is literally the
        paper's on the given features.
    costs
        Cost of each label's mean error, by label; 1 for those not named.
    prior
        Which class ratio probabilities speak of: "balanced" agrees with `predict_one`, "natural"
        is calibrated to the running class ratio, a dict from label to share sets it. `predict_one`
        is the rebalanced decision whatever the prior.
    tau
        Threshold; the targets are tau - eta and tau + eta. With an intercept it only shifts it.
    eta
        Half the distance of the targets, above 0; it only scales the weights.
    forgetting
        Weight of a row after one more row, in (0, 1]; its memory is 1 / (1 - forgetting) rows. A
        class that is absent is not forgotten: only its mean over its own rows counts. With "auto"
        memories of all rows, 1000, 100 and 33 are kept side by side, and the one is used whose
        balanced squared error on rows not learnt yet has been least of late.
    forgetting_clock
        "global" lets every row age all others, "class" only those of its own class, so that each
        class has the same memory however rare it is.
    scaling
        None, "standard" or "minmax": the ridge acts on features scaled by their standard deviation
        or range over all rows so far. It is exact and retrospective, from the state: results do not
        depend on the units of any feature, and no scaler is needed in front.
    strategy
        For more than two labels: "ovr" solves each label against the rest, "shared" solves one
        system for all of them, each label with the same total weight. Two labels: no difference.
    calibration
        How scores become probabilities; all three in closed form from the state. "lda": the
        log-odds of normal classes of one variance on rows that were not learnt; "gaussian": of two
        variances, held where the ratio of the densities would turn back; "clip": the paper's
        Appendix A, which takes the score for the expectation of the label and clips it.
    solver
        How the weights are solved, and nothing else: "cholesky" factors for each prediction after
        new rows; "cg" keeps the solution by conjugate gradients to a relative error of 1e-11, in
        $O(d^2)$ a row, and factors where that is the better way; "auto" iterates above some 90
        features.
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
        The weight of the rows learnt of each label.
    n_updates
        Rows learnt.
    n_iterations
        Steps of conjugate gradients so far; not saved.
    n_factorizations
        Cholesky factorisations so far; not saved.
    residual
        Relative error of the scores at which the last iterations stopped, 0 after a factorisation.
    chosen_l2
        The ridge in force, which `l2="auto"` chooses.
    chosen_forgetting
        The forgetting in force, which `forgetting="auto"` chooses.

    Examples
    --------

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = preprocessing.StandardScaler() | rn.NRRLSClassifier(l2=0.1)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.GeometricMean())
    GeometricMean: 89.22%

    References
    ----------
    [^1]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230),
        equations 3-8 and Appendices A and B

    """

    l2 = Parameter(checks.either("auto", checks.non_negative))
    forgetting = Parameter(checks.either("auto", checks.half_open_unit))
    costs = Parameter(costs)
    prior = Parameter(prior)
    tau = Parameter(checks.finite)
    eta = Parameter(checks.positive)
    forgetting_clock = Parameter(checks.choice("global", "class"))
    scaling = Parameter(checks.choice(None, "standard", "minmax"))
    strategy = Parameter(checks.choice("ovr", "shared"))
    calibration = Parameter(checks.choice("lda", "gaussian", "clip"))
    solver = Parameter(checks.choice("auto", "cholesky", "cg"))

    _mutable = frozenset(
        {
            "l2",
            "learn_intercept",
            "costs",
            "prior",
            "tau",
            "eta",
            "scaling",
            "strategy",
            "calibration",
            "solver",
            "max_state_bytes",
        }
    )

    def __init__(
        self,
        l2: float | str = 1e-4,
        learn_intercept: bool = True,
        costs: dict[ClfTarget, float] | None = None,
        prior: str | dict[ClfTarget, float] = "balanced",
        tau: float = 0.0,
        eta: float = 1.0,
        forgetting: float | str = 1.0,
        forgetting_clock: str = "global",
        scaling: str | None = None,
        strategy: str = "ovr",
        calibration: str = "lda",
        solver: str = "auto",
        classes: tuple[ClfTarget, ...] | None = None,
        max_state_bytes: int = 1 << 30,
    ) -> None:
        self.costs = costs
        self.prior = prior
        self.tau = tau
        self.eta = eta
        self.forgetting_clock = forgetting_clock
        self.scaling = scaling
        self.strategy = strategy
        self.calibration = calibration
        self.solver = solver
        super().__init__(l2, learn_intercept, forgetting, classes, max_state_bytes)

    def _adopt(self, source: Self) -> None:
        if self.scaling == "minmax" and source.n_updates and source._low is None:
            raise ValueError(NO_RANGE)
        super()._adopt(source)

    # Candidates for the ridge and for the memory, side by side.

    _state_attributes: ClassVar[tuple[str, ...]] = (
        "_ridge_race",
        "_horizon_race",
        "_idle",
        "_horizon",
    )

    @property
    def chosen_l2(self) -> float:
        """The ridge in force."""
        return float(self._penalty)

    @property
    def chosen_forgetting(self) -> float:
        """The forgetting in force."""
        return float(self._decay)

    def _reset(self) -> None:
        self._ridge_race: dict[str, Any] | None = None
        self._horizon_race: dict[str, Any] | None = None
        self._horizon = 0
        # Moments and gains of the horizons, None for the one in force.
        self._idle: list[Any] = []
        if self.forgetting == "auto":
            self._idle = [None, *([[], []] for _ in auto.HORIZONS[1:])]
        super()._reset()

    def _parameter_changed(self, name: str) -> None:
        super()._parameter_changed(name)
        if name == "costs":
            self._means = self.costs is None
        elif name == "l2":
            if self.l2 == "auto":
                self._penalty = auto.RIDGES[auto.FIRST_RIDGE]
            if "_ridge_race" in self.__dict__:
                self._ridge_race = None
                self._allocate()
        elif name == "forgetting" and self.forgetting == "auto":
            self._decay = auto.HORIZONS[0]

    def _set_state(self, state: dict[str, Any]) -> None:
        if self.l2 != "auto":
            state = {**state, "_ridge_race": None}
        super()._set_state(state)
        if self._ridge_race is not None:
            self._penalty = auto.RIDGES[self._ridge_race["best"]]
        if self.forgetting == "auto":
            self._decay = auto.HORIZONS[self._horizon]
        self._allocate()

    def _state_bytes(self, size: int, n_labels: int) -> int:
        return super()._state_bytes(size, n_labels) * max(1, len(self._idle))

    def _each(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        super()._each(change)
        for bank in self._idle:
            if bank is not None:
                bank[0] = [change(A) for A in bank[0]]

    def _add_moments(self) -> None:
        super()._add_moments()
        for bank in self._idle:
            if bank is not None:
                bank[0].append(moments.empty(len(self._shift)))
                bank[1].append(1.0)

    def _allocate(self) -> None:
        super()._allocate()
        races = [race for race in (self._ridge_race, self._horizon_race) if race is not None]
        if self.l2 == "auto" or self.forgetting == "auto":
            self._checkpoint = min(
                [self._checkpoint, *(race["next"] for race in races)] if races else [0]
            )

    def _grow(self, size: int) -> None:
        for race in (self._ridge_race, self._horizon_race):
            if race is not None:
                auto.widened(race, size)
        super()._grow(size)

    def _add_label(self, label: ClfTarget) -> None:
        super()._add_label(label)
        # Another number of labels is another set of systems.
        if self._ridge_race is not None:
            self._ridge_race = {**self._ridge_race, "next": 0, "U": None}
        if self._horizon_race is not None:
            self._horizon_race = {**self._horizon_race, "next": 0, "U": None}
        self._allocate()

    def _remember(self, row: np.ndarray, code: int, w: float) -> float:
        age = self._age(code)
        for horizon, bank in enumerate(self._idle):
            if bank is not None:
                gain = self._gain(age, auto.HORIZONS[horizon], code, bank[1], bank[0])
                dsyr(w * gain, row, 1, 1, 0, len(row), bank[0][code], 1)
        return w * self._gain(age, self._decay, code, self._gains, self._A)

    def _rescaled(self, code: int, factor: float, A: list[np.ndarray]) -> None:
        race = self._ridge_race
        if A is self._A and race is not None and race["U"] is not None:
            auto.rescaled(race, code, factor)

    def _at_checkpoint(self) -> None:
        if self.l2 != "auto" and self.forgetting != "auto":
            super()._at_checkpoint()
            return
        t = self.n_updates
        ridge, horizon = self._ridge_race, self._horizon_race
        ridge_due = self.l2 == "auto" and (ridge is None or t >= ridge["next"])
        horizon_due = self.forgetting == "auto" and (horizon is None or t >= horizon["next"])
        if t >= self._recentre_at:
            # Weights and sums of a block must be in the same coordinates.
            ridge_due, horizon_due = self.l2 == "auto", self.forgetting == "auto"
        if ridge_due and ridge is not None and ridge["U"] is not None:
            auto.end(ridge, self._scored(self._A))
        if horizon_due and horizon is not None and horizon["U"] is not None:
            rows = t - horizon["at"]
            auto.end(horizon, self._scored(self._bank(0)[0]), auto.HORIZON_MEMORY**rows)
            best = auto.best(horizon, self._cost())
            if best is not None and best != self._horizon:
                self._activate(best)
                # The sums of the ridge's block were those of another horizon.
                if ridge is not None:
                    self._ridge_race = {**ridge, "U": None}
                    ridge_due = True
        if ridge_due and ridge is not None:
            best = auto.best(ridge, self._cost())
            if best is not None:
                ridge["best"] = best
                self._penalty = auto.RIDGES[best]
        super()._at_checkpoint()
        if ridge_due:
            self._begin_ridges(t)
        if horizon_due:
            self._begin_horizons(t)
        self._allocate()

    def _scored(self, A: list[np.ndarray]) -> list[np.ndarray]:
        """Moments in the coordinates of the solutions."""
        if self.learn_intercept or not self._shift.any():
            return A
        return [moments.shifted(Ac, -self._shift) for Ac in A]

    def _begin_ridges(self, t: int) -> None:
        chosen = self._penalty
        U = []
        for ridge in auto.RIDGES:
            self._penalty = ridge
            self._ridge_cache = None
            U.append(np.atleast_2d(self._solve_now()))
        self._penalty = chosen
        race = self._ridge_race
        best = auto.FIRST_RIDGE if race is None else race["best"]
        self._ridge_race = {
            **auto.begin(np.array(U), self._scored(self._A), race),
            "best": best,
            "next": t + max(1, t // auto.GROWTH),
        }

    def _begin_horizons(self, t: int) -> None:
        chosen = self._horizon
        U = []
        for horizon in range(len(auto.HORIZONS)):
            self._activate(horizon)
            U.append(np.atleast_2d(self._solve_now()))
        self._activate(chosen)
        self._horizon_race = {
            **auto.begin(np.array(U), self._scored(self._bank(0)[0]), self._horizon_race),
            "at": t,
            "next": t + min(max(1, t // auto.GROWTH), auto.HORIZON_BLOCK),
        }

    def _bank(self, horizon: int) -> list[Any]:
        """Moments and gains of a horizon."""
        return [self._A, self._gains] if horizon == self._horizon else self._idle[horizon]

    def _activate(self, horizon: int) -> None:
        """Put another horizon in force."""
        if horizon == self._horizon:
            return
        self._idle[self._horizon] = [self._A, self._gains]
        self._A, self._gains = self._idle[horizon]
        self._idle[horizon] = None
        self._horizon = horizon
        self._decay = auto.HORIZONS[horizon]
        super()._allocate()

    def _cost(self) -> list[float]:
        given = self.costs or {}
        return [float(given.get(label, 1.0)) for label in self._labels]

    def _multipliers(self) -> list[float]:
        k = [1.0 / n if (n := flat.item(0)) > 0.0 else 0.0 for flat in self._flat]
        return k if self.costs is None else [c * kc for c, kc in zip(self._cost(), k, strict=True)]

    def _pair_multipliers(self) -> tuple[float, float]:
        if self.costs is not None:
            return super()._pair_multipliers()
        low, high = self._flat
        n0, n1 = low.item(0), high.item(0)
        return 1.0 / n0 if n0 > 0.0 else 0.0, 1.0 / n1 if n1 > 0.0 else 0.0

    @property
    def _shared(self) -> bool:
        return bool(self.strategy == "shared")

    def _one_vs_rest(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n = self._counts()
        others = moments.others(n)
        rest = np.divide(1.0, others, out=np.zeros(len(n)), where=others > 0.0)
        return np.array(self._multipliers()), np.array(self._cost()) * self._scales(), rest

    def _shares(self) -> tuple[np.ndarray, np.ndarray]:
        n = self._counts()
        c = np.where(n > 0.0, self._cost(), 0.0)
        if self._shared:
            return c / c.sum(), c
        others = moments.others(n)
        rest = np.divide(moments.others(c * n), others, out=np.ones(len(n)), where=others > 0.0)
        return c / (c + rest), n

    def _log_prior_odds(self) -> list[float] | None:
        if isinstance(self.prior, Mapping):
            missing = [label for label in self._labels if label not in self.prior]
            if missing:
                raise ValueError(f"prior={self.prior!r} names no share for {missing}; add them")
            shares = [float(self.prior[label]) for label in self._labels]
        elif self.prior == "natural":
            shares = self._counts().tolist()
        else:
            return None
        return [probabilities.log_odds(own, sum(shares) - own) for own in shares]
