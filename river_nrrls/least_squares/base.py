"""Learners whose state is nothing but the moments of [1, x] by class."""

from __future__ import annotations

import abc
import math
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from river.base.typing import ClfTarget, FeatureName
from scipy.linalg.blas import daxpy, dcopy, ddot, dscal, dsyr, dsyrk
from scipy.linalg.lapack import dposv

from .. import laws
from ..dense import DenseClassifier, Parameter, checks, frames
from ..dense.columns import UNUSUAL
from ..dense.rules import grown
from . import moments, probabilities, solve, uncertainty
from .conjugate import Effort
from .warm import STARTS, WarmSolver, warm_solver

# Rows of this size are long.
LONG = 128
EPSILON = float(np.finfo(float).eps)

# Scores of accepted rows, whatever the scale of their features, are far below this.
ORDINARY = 1e50

# What a weighted square may come to; sums of ever so many have to stay finite.
MOST = 1e304

# Weights of labels that are only compared with each other come to no less under forgetting.
FAINTEST = 1e-150

NO_SHIFT = np.zeros(1)

NO_RANGE = (
    "scaling='minmax' needs the least and largest values from the first row on, which this model "
    "has not kept; use scaling='standard', or set it before learning starts"
)


class LeastSquaresClassifier(DenseClassifier):
    """Weights solved, when they are asked for, from moments accumulated about a fixed shift.

    A learner says by `_multipliers` what a row of each class weighs in its objective

        sum_c k_c sum_{i in c} (t_i - w.x_i - b)^2 + l2 |w|^2

    and by `_shared` whether one matrix serves every label.
    """

    l2 = Parameter(checks.non_negative)
    learn_intercept = Parameter(checks.boolean)
    forgetting = Parameter(checks.half_open_unit)
    classes = Parameter(checks.classes)
    max_state_bytes = Parameter(checks.positive_integer)

    # Of the learners that have them as parameters.
    forgetting_clock: str = "global"
    scaling: str | None = None
    calibration: str = "lda"
    solver: str = "auto"
    tau: float = 0.0
    eta: float = 1.0

    _state_attributes: ClassVar[tuple[str, ...]] = (
        "_A",
        "_shift",
        "_gains",
        "_seen",
        "_low",
        "_high",
    )
    _weight_repeats = True

    # Whether k_c is one over the weight of a class's rows.
    _means: bool = False

    def __init__(
        self,
        l2: float | str,
        learn_intercept: bool,
        forgetting: float | str,
        classes: tuple[ClfTarget, ...] | None,
        max_state_bytes: int,
    ) -> None:
        self.l2 = l2
        self.learn_intercept = learn_intercept
        self.forgetting = forgetting
        self.classes = classes
        self.max_state_bytes = max_state_bytes
        self._labels = []
        self._codes = {}
        self._warned = False
        super().__init__(1)
        for label in classes or ():
            self._add_label(label)

    # The objective.

    @abc.abstractmethod
    def _multipliers(self) -> list[float]:
        """k_c: what one unit of a class's stored moments weighs; 0 for a class without rows."""

    @abc.abstractmethod
    def _shares(self) -> tuple[np.ndarray, np.ndarray]:
        """A label's share against the rest in the objective, and what labels weigh in a rest."""

    @property
    def _shared(self) -> bool:
        """Whether all labels share one matrix, as two always do."""
        return True

    def _one_vs_rest(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For one-vs-rest: k of a label, what its moments weigh in a rest, and k of its rest."""
        raise AssertionError("every label shares one matrix")

    def _scales(self) -> np.ndarray:
        """What one unit of each class's stored moments is worth now, under forgetting."""
        return np.array(self._scales_list())

    def _scales_list(self) -> list[float]:
        if not self._forgets:
            return [1.0] * len(self._A)
        now = self.n_updates
        ages: list[float]
        ages = [0 if self.forgetting_clock == "class" else now - t for t in self._seen]
        idle = min(sorted(ages)[1:], default=0)
        if self._decay**idle < FAINTEST:
            # However long all labels but one are idle, they are its rest: their clock stops.
            late = idle - math.log(FAINTEST, self._decay)
            ages = [max(age - late, 0) for age in ages]
        decays = [self._decay**age for age in ages]
        return [decay / gain for decay, gain in zip(decays, self._gains, strict=True)]

    def _counts(self) -> np.ndarray:
        """The (decayed) weight of the rows of each class; above 0 where it has a row at all."""
        n = np.array([A[0, 0] for A in self._A])
        return np.asarray(np.maximum(n * self._scales(), np.where(n > 0.0, 1e-300, 0.0)))

    def _rows_worth(self) -> list[float]:
        """How many rows of one weight those of each class are worth."""
        if not self._forgets:
            return [flat.item(0) for flat in self._flat]
        n = self._counts().tolist()
        by_class = self.forgetting_clock == "class"
        return [uncertainty.rows_worth(own, own if by_class else sum(n), self._decay) for own in n]

    @property
    def class_counts(self) -> dict[ClfTarget, float]:
        """The weight of the rows learnt of each label, decayed where the learner forgets."""
        return dict(zip(self._labels, self._counts().tolist(), strict=True))

    # State.

    @property
    def _multiclass(self) -> bool:
        return True

    def _reset(self) -> None:
        self._A: list[np.ndarray] = []
        self._shift = np.zeros(self._columns.size)
        self._gains: list[float] = []
        self._seen: list[int] = []
        # Least and largest values, kept for scaling="minmax" only.
        self._low: Any = None
        self._high: Any = None
        self._effort = Effort()
        self._allocate()

    def _allocate(self) -> None:
        """Work matrix and views; none of it is state."""
        size = len(self._shift)
        self._T = moments.empty(size)
        self._flat_T = self._T.ravel(order="K")
        self._flat = [A.ravel(order="K") for A in self._A]
        self._first = [A.T[0] for A in self._A]
        self._recentre_at = self._checkpoint = 1 << max(1, self.n_updates.bit_length())
        self._ridge_cache: np.ndarray | None = None
        self._work = np.zeros(size), np.zeros(size)
        self._least = np.full(size, 1e-300)
        self._least[0] = 0.0
        self._drop()

    def _drop(self) -> None:
        """Forget what was computed from the state."""
        self._u: Any = None
        self._link_known = False
        self._warm: WarmSolver | None = None
        shift = self.__dict__.get("_shift", NO_SHIFT)
        # A model that has learnt with an intercept keeps its shift when it goes on without one.
        self._moved = bool(self.__dict__.get("learn_intercept", True) or shift.any())
        self._at_origin = self.scaling is None and not shift.any()
        self._iterates = len(self.__dict__.get("_A", ())) > 1 and len(shift) > STARTS[self.solver]

    def _parameter_changed(self, name: str) -> None:
        self._drop()
        if name in ("l2", "learn_intercept", "scaling"):
            self._ridge_cache = None
            self._centred: bool = self.__dict__.get("learn_intercept", True)
            if self.scaling == "minmax" and self.__dict__.get("n_updates") and self._low is None:
                raise ValueError(NO_RANGE)
        if name == "l2":
            self._penalty = self.l2
        elif name == "forgetting":
            self._forgets = self.forgetting != 1.0
            self._decay = self.forgetting

    def _state_bytes(self, size: int, n_labels: int) -> int:
        return 8 * size * size * max(n_labels, 1)

    def _grow(self, size: int) -> None:
        self._each(lambda A: moments.grown(A, size))
        self._shift = grown(self._shift, size)
        if self._low is not None:
            self._low, self._high = grown(self._low, size), grown(self._high, size)
        self._allocate()

    def _each(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        """Replace every moment matrix."""
        self._A = [change(A) for A in self._A]

    def _add_moments(self) -> None:
        """Room for one more class."""
        self._A.append(moments.empty(len(self._shift)))
        self._gains.append(1.0)
        self._seen.append(0)

    def _add_label(self, label: ClfTarget) -> None:
        # A first bool says what the second label will be.
        both = isinstance(label, bool) and not self._labels and self.classes is None
        for each in (False, True) if both else (label,):
            if each not in self._codes:
                super()._add_label(each)
                self._add_moments()
        self._binary = self._two_bools()
        self._allocate()

    def _two_bools(self) -> bool:
        return len(self._labels) == 2 and self._labels[0] is False and self._labels[1] is True

    def _set_state(self, state: dict[str, Any]) -> None:
        super()._set_state(state)
        self._binary = self._two_bools()
        self._allocate()

    # Learning.

    def _is_empty(self) -> bool:
        """Whether no row is in the moments; `n_updates` counts rows, of whatever weight."""
        return not any(A[0, 0] for A in self._A)

    def _begin(self, row: np.ndarray) -> None:
        if not self._is_empty():
            return
        # Sums about the first row keep the digits that a large mean would cost.
        if self.learn_intercept:
            # A larger one would overflow with the weight of another row.
            self._shift[1:] = np.where(np.abs(row[1:]) < ORDINARY, row[1:], 0.0)
        if self.scaling == "minmax":
            self._low, self._high = row.copy(), row.copy()

    def _check_weighted(self, square: float, w: float) -> None:
        if w * square > MOST:
            raise ValueError(
                f"w={w:g} is too heavy for a row of this size: the moments would overflow; rescale "
                "the features, or all weights"
            )

    def _update(self, row: np.ndarray, code: int, w: float) -> None:
        size = len(row)
        if self._low is not None:
            np.minimum(self._low, row, out=self._low)
            np.maximum(self._high, row, out=self._high)
        if self._moved:
            daxpy(self._shift, row, size, -1.0)
        if self._forgets:
            w = self._remember(row, code, w)
        dsyr(w, row, 1, 1, 0, size, self._A[code], 1)
        self._u = None
        if self._warm is not None:
            self._warm.learn(self, row, code, w)
        t = self.n_updates = self.n_updates + 1
        if t >= self._checkpoint:
            self._at_checkpoint()

    def _remember(self, row: np.ndarray, code: int, w: float) -> float:
        """The weight of a row that arrives now, on the scale of its class's moments."""
        return w * self._gain(self._age(code), self._decay, code, self._gains, self._A)

    def _age(self, code: int) -> int:
        """How many rows, of all or of its class, since the class's last one."""
        t = self.n_updates + 1
        age = 1 if self.forgetting_clock == "class" else t - self._seen[code]
        self._seen[code] = t
        return age

    def _gain(
        self, age: int, forgetting: float, code: int, gains: list[float], A: list[np.ndarray]
    ) -> float:
        """What one unit of weight is worth now.

        Rather than let old moments decay, new ones gain; the scale is taken back before it
        overflows, and an idle class costs nothing.
        """
        decay = forgetting**age
        gain = gains[code] / decay if decay > 1e-100 else math.inf
        if gain > 1e6:
            A[code] *= decay / gains[code]
            self._rescaled(code, decay / gains[code], A)
            gain = 1.0
        gains[code] = gain
        return gain

    def _rescaled(self, code: int, factor: float, A: list[np.ndarray]) -> None:
        """Called when a class's moments have changed their scale."""

    def _update_many(self, rows: np.ndarray, codes: np.ndarray, w: np.ndarray | None) -> None:
        if self._forgets:
            super()._update_many(rows, codes, w)
            return
        start = 0
        while start < len(rows):
            stop = min(len(rows), start + max(1, self._checkpoint - self.n_updates))
            block = rows[start:stop]
            if self._low is not None:
                np.minimum(self._low, block.min(axis=0), out=self._low)
                np.maximum(self._high, block.max(axis=0), out=self._high)
            self._accumulate(block, codes[start:stop], None if w is None else w[start:stop], 1.0)
            self.n_updates += stop - start
            if self.n_updates >= self._checkpoint:
                self._at_checkpoint()
            start = stop

    def _accumulate(
        self, rows: np.ndarray, codes: np.ndarray, w: np.ndarray | None, sign: float
    ) -> None:
        """Add a block of rows to the moments, or take it back."""
        if self._moved:
            rows = moments.about(rows, self._shift)
        if w is not None:
            rows *= np.sqrt(w)[:, None]
        for code, A in enumerate(self._A):
            own = (codes == code).nonzero()[0]
            if len(own):
                dsyrk(sign, rows.take(own, 0).T, 1.0, A, 0, 1, 1)
        self._u = None
        if self._warm is not None:
            self._warm.skip(len(rows))

    def unlearn_one(self, x: dict[FeatureName, Any], y: ClfTarget, w: float = 1.0) -> None:
        """Take back a row that was learnt: the model is as if it had never seen it.

        Parameters
        ----------
        x
            The features, as they were learnt.
        y
            The label.
        w
            The weight.

        """
        self._require("unlearn_one")
        w = checks.weight(w)
        label = self._check_label(y)
        values = checks.features(x)
        if w == 0.0:
            return
        names = list(values)
        M = np.array([[values[name] for name in names]]).reshape(1, -1)
        self._unlearn(names, M, [label], np.array([w]))

    def unlearn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Take back a mini-batch that was learnt; one bad row rejects the whole of it.

        Parameters
        ----------
        X
            A dataframe of features.
        y
            A series of labels.
        w
            Sample weights: None, one number for all, or one for each row.

        """
        self._require("unlearn_many")
        names, M = frames.features(X)
        labels = frames.series(y, len(M), "y").tolist()
        weights = frames.weights(w, len(M))
        labels = self._check_labels(labels, weights)
        if weights is None:
            weights = np.ones(len(M))
        kept = weights > 0.0
        self._unlearn(names, M[kept], labels, weights[kept])

    def _unlearn(
        self, names: list[FeatureName], M: np.ndarray, labels: list[ClfTarget], w: np.ndarray
    ) -> None:
        for j, name in enumerate(names):
            if name not in self._columns.names and M[:, j].any():
                raise ValueError(f"feature {name!r} was never learnt, so it cannot be unlearnt")
        for label in dict.fromkeys(labels):
            own = float(w[[other == label for other in labels]].sum())
            had = self.class_counts.get(label, 0.0)
            if own > had * (1.0 + 1e-9):
                raise ValueError(
                    f"label {label!r} was learnt with a weight of {had:g} in all, so {own:g} "
                    "cannot be unlearnt"
                )
        if not len(M):
            return
        codes = np.array([self._codes[label] for label in labels])
        self._accumulate(self._rows(names, M), codes, w, -1.0)
        self.n_updates = max(0, self.n_updates - len(M))
        for code in set(codes.tolist()):
            # What is left of all the weight there was is the rounding of its parts.
            if self._A[code][0, 0] <= 1e-12 * w[codes == code].sum():
                self._A[code][:] = 0.0
        self._forget_labels()
        self._allocate()

    def _forget_labels(self) -> None:
        """Drop the labels without a row, unless they are fixed."""
        if self.classes is not None or self._two_bools() and any(A[0, 0] for A in self._A):
            return
        kept = [k for k, A in enumerate(self._A) if A[0, 0] > 0.0]
        self._A = [self._A[k] for k in kept]
        self._gains = [self._gains[k] for k in kept]
        self._seen = [self._seen[k] for k in kept]
        self._labels = [self._labels[k] for k in kept]
        self._codes = {label: k for k, label in enumerate(self._labels)}
        self._binary = self._two_bools()

    def merge(self, other: Self) -> None:
        """Learn all that another model has learnt: one model on both streams, in any order.

        The other model may have seen other features and labels. It is left as it is.

        Parameters
        ----------
        other
            A model of the same class.

        """
        if type(other) is not type(self):
            raise TypeError(
                f"a {type(self).__name__} merges with another one, got {type(other).__name__}"
            )
        self._require("merge")
        other._require("merge")
        if self.scaling != other.scaling:
            raise ValueError(
                f"scaling={self.scaling!r} cannot merge with scaling={other.scaling!r}; "
                "clone one of them with the scaling of the other and include_attributes=True"
            )
        labels = [self._check_label(label) for label in other._labels]
        new = [label for label in labels if label not in self._codes]
        self._make_room(other._columns.names, new)
        for label in new:
            self._add_label(label)
        size = self._columns.size
        at = np.array([0, *(self._columns.names[name] + 1 for name in other._columns.names)])
        shift = np.zeros(size)
        shift[at] = other._shift
        if self._is_empty():
            self._shift = shift.copy()
        delta = self._shift - shift
        for label, A in zip(labels, other._A, strict=True):
            wide = moments.empty(size)
            wide[np.ix_(at, at)] = moments.symmetric(A)
            self._A[self._codes[label]] += np.tril(moments.shifted(wide, delta))
        if other._low is not None:
            low, high = np.zeros(size), np.zeros(size)
            low[at], high[at] = other._low, other._high
            first = self._low is None
            self._low = low if first else np.minimum(self._low, low)
            self._high = high if first else np.maximum(self._high, high)
        self.n_updates += other.n_updates
        self._allocate()

    def _require(self, call: str) -> None:
        """Refuse a call whose law does not hold for this learner's options."""
        reason = laws.refusal(call, self._parameters())
        if reason is not None:
            raise ValueError(reason)

    def _at_checkpoint(self) -> None:
        """What is done now and then while learning."""
        if self.n_updates >= self._recentre_at:
            self._recentre()

    def _recentre(self) -> None:
        """Move the shift where the first row lay far off the mean, an outlier; each doubling of n.

        Under forgetting the outlier leaves the sums, but its square would stay in their rounding.
        """
        self._recentre_at = self._checkpoint = 1 << self.n_updates.bit_length()
        if not self.learn_intercept:
            return
        mean = np.zeros(len(self._shift))
        second = mean.copy()
        seen = [A for A in self._A if A.item(0) > 0.0]
        for A in seen:
            share = 1.0 / (A.item(0) * len(seen))
            daxpy(A.T[0], mean, len(mean), share)
            daxpy(A.diagonal(), second, len(mean), share)
        far = (mean * mean > 1e4 / (1e4 + 1.0) * second) & (np.abs(mean) < ORDINARY)
        far[0] = False
        if far.any():
            delta = np.where(far, mean, 0.0)
            self._each(lambda A: moments.shifted(A, delta))
            self._shift = self._shift + delta
            self._allocate()

    # Solving. With an intercept a solution is in the shifted coordinates of the state. It gives
    # scores: targets are -1 and +1 once tau and eta are taken out, and 0 decides.

    def _ridge(self) -> np.ndarray:
        """The penalty on the square of each entry of a solution.

        Scaling a feature by s and penalising its weight is penalising the plain weight s^2 times.
        """
        if self.scaling == "standard":
            return self._standard_ridge()
        if self.scaling == "minmax" and self._low is not None:
            square = (self._high - self._low) ** 2
            ridge = self._penalty * np.where(square > 0.0, square, 1.0)
            ridge[0] = 0.0
            return np.asarray(ridge)
        if self._ridge_cache is None:
            self._ridge_cache = np.full(len(self._T), float(self._penalty))
            self._ridge_cache[0] = 0.0
        return self._ridge_cache

    def _standard_ridge(self) -> np.ndarray:
        """l2 times the variance of each feature over all rows."""
        q, m = self._work
        size = len(q)
        if not self._penalty:
            q[:] = 0.0
            return q
        # Not 0: an absent feature still gets a ridge, and with it no weight.
        dcopy(self._least, q)
        if len(self._flat) == 2 and not self._forgets:
            low, high = self._flat
            n = low.item(0) + high.item(0)
            if n == 0.0:
                return q
            c = self._penalty / n
            daxpy(low, q, size, c, 0, size + 1)
            daxpy(high, q, size, c, 0, size + 1)
            low, high = self._first
            dcopy(low, m)
            daxpy(high, m)
        else:
            scales = self._scales_list()
            n = sum(k * flat.item(0) for k, flat in zip(scales, self._flat, strict=True))
            if n == 0.0:
                return q
            c = self._penalty / n
            m[:] = 0.0
            for flat, first, k in zip(self._flat, self._first, scales, strict=True):
                daxpy(flat, q, size, c * k, 0, size + 1)
                daxpy(first, m, size, k)
        # The square of a sum may overflow, or vanish, with its weights; that of a mean does not.
        dscal(1.0 / n, m)
        np.multiply(m, m, m)
        # Nor for a constant one.
        if self._centred:
            daxpy(m, q, size, (1e-12 - 1.0) * self._penalty)
        else:
            daxpy(m, q, size, -self._penalty)
            np.maximum(q, m * (1e-12 * self._penalty) + self._least, out=q)
        q[0] = 0.0
        return q

    def _solution(self) -> np.ndarray:
        """(D,) for two labels, the second against the first; (K, D) else."""
        u = self._u
        if u is None:
            if self._iterates:
                if self._warm is None:
                    self._warm = warm_solver(self)
                else:
                    u = self._warm.solve(self)
            if u is None:
                u = self._solve_pair() if len(self._A) == 2 else self._solve_now()
            self._u = u
            self._link_known = False
        return u  # type: ignore[no-any-return]

    @property
    def n_iterations(self) -> int:
        """Steps of conjugate gradients so far; 0 while Cholesky solves everything."""
        return self._effort.iterations

    @property
    def n_factorizations(self) -> int:
        """Cholesky factorisations so far."""
        return self._effort.factorizations

    @property
    def residual(self) -> float:
        """Relative error of the scores at which the last iterations stopped; 0 after Cholesky."""
        return self._effort.residual

    def _solve_now(self) -> np.ndarray:
        if len(self._A) == 2:
            return self._solve_pair()
        if self._shared:
            return self._solve_shared(self._multipliers())
        return self._solve_ovr()

    def _pair_multipliers(self) -> tuple[float, float]:
        k0, k1 = self._multipliers()
        return k0, k1

    def _solve_pair(self) -> np.ndarray:
        """`_solve_shared` for two labels, with no temporary and with all divided by k_1.

        The intercept is not penalised, so R e_0 = k_0 s_0 + k_1 s_1, and R u = k_1 s_1 - k_0 s_0
        has the solution u = 2 v - e_0 where R v = k_1 s_1. Without one, its row and column are left
        out and u_0 is -tau / eta.
        """
        T, flat = self._T, self._flat_T
        low, high = self._flat
        if self._means:
            n0, n1 = low.item(0), high.item(0)
            ratio = n1 / n0 if n0 else 0.0
        else:
            k0, k1 = self._pair_multipliers()
            ratio, n1 = (k0 / k1, 1.0 / k1) if k1 else (0.0, 0.0)
        size = len(T)
        held = not self._centred
        few = self.n_updates < size and self._few()
        if few or not ratio or held and not self._at_origin:
            return self._solve_plainly()
        dcopy(high, flat)
        daxpy(low, flat, len(flat), ratio)
        ridge = self._ridge_cache
        if ridge is None:
            ridge = self._ridge()
        daxpy(ridge, flat, size, n1, 0, 1, 0, size + 1)
        right = self._first[1]
        if held:
            start = self.tau / self.eta
            right = right * (1.0 + start)
            daxpy(self._first[0], right, size, (start - 1.0) * ratio)
            right[0] = -start
            flat[:size] = 0.0
            flat[0] = 1.0
        self._effort.factorizations += 1
        _, u, info = dposv(T, right, 1, 1)
        v0 = u.item(0)
        # Where classes weigh very differently, k_0 / k_1 may overflow, which leaves NaN.
        if info or v0 != v0:
            return self._solve_plainly()
        if not held:
            dscal(2.0, u)
            u[0] = 2.0 * v0 - 1.0
        return u  # type: ignore[no-any-return]

    def _solve_plainly(self) -> np.ndarray:
        """`_solve_pair` in all other cases."""
        return np.asarray(self._solve_shared(self._multipliers())[1])

    def _few(self) -> bool:
        """Whether there are too few rows for a factorisation of the whole to keep its digits.

        It loses what the rounding of the moments is over the ridge. Where rows are long, so that
        care costs many times as much, it is left out if that is no more than 1e-8.
        """
        size = len(self._T)
        if self.n_updates >= size:
            return False
        if size < LONG:
            return True
        k = self._multipliers()
        trace = sum(kc * float(A.diagonal().sum()) for kc, A in zip(k, self._A, strict=True))
        return EPSILON * trace > 1e-8 * float(self._ridge()[1:].min())

    def _solve_shared(self, k: list[float]) -> np.ndarray:
        """One matrix R = sum_c k_c A_c + l2 I; z_i = k_i s_i - sum_{j != i} k_j s_j.

        As for two labels, R e_0 = sum_c k_c s_c with an intercept, and u_i = 2 v_i - e_0 where
        R v_i = k_i s_i.
        """
        if not len(k):
            return np.zeros((0, len(self._T)))
        A = self._plain_moments()
        R = self._T
        moments.weighted_sum(k, A, R)
        S = np.array([kc * Ac.T[0] for kc, Ac in zip(k, A, strict=True)])
        if self._centred and R.item(0) and not self._few():
            u = self._doubled(self._ridge(), S.T)
            if u is not None:
                return np.ascontiguousarray(u.T)
            moments.weighted_sum(k, A, R)
        return self._solve(R, 2.0 * S - S.sum(axis=0), S.sum(axis=0))

    def _solve_ovr(self) -> np.ndarray:
        """R_i = A_i k_i + (sum_{j != i} A_j) / n_rest + l2 I for each label i, and z_i likewise."""
        A = self._plain_moments()
        own, pool, rest = (part.tolist() for part in self._one_vs_rest())
        size = len(self._T)
        direct = self._centred and all(own) and all(rest) and not self._few()
        ridge = self._ridge() if direct else None
        total = moments.empty(size)
        moments.weighted_sum(pool, A, total)
        U = np.empty((len(A), size))
        R = self._T
        for i, Ai in enumerate(A):
            moments.own_and_rest(i, own[i], rest[i], pool, A, total, R)
            high = own[i] * Ai.T[0]
            if ridge is not None:
                u = self._doubled(ridge, high)
                if u is not None:
                    U[i] = u
                    continue
                moments.own_and_rest(i, own[i], rest[i], pool, A, total, R)
            low = R.T[0] - high
            U[i] = self._solve(R, (high - low)[None], high + low)[0]
        return U

    def _doubled(self, ridge: np.ndarray, right: np.ndarray) -> np.ndarray | None:
        """2 v - e_0 where (T + ridge) v = right, T used up; None where it is singular in floats."""
        size = len(ridge)
        daxpy(ridge, self._flat_T, size, 1.0, 0, 1, 0, size + 1)
        self._effort.factorizations += 1
        _, u, failed = dposv(self._T, right, 1, 1)
        if failed:
            return None
        u *= 2.0
        u[0] -= 1.0
        return u  # type: ignore[no-any-return]

    def _plain_moments(self) -> list[np.ndarray]:
        """Moments about the shift with an intercept, about the origin without."""
        if self._centred or self._at_origin:
            return self._A
        delta = self._origin() - self._shift
        if not delta.any():
            return self._A
        return [moments.shifted(A, delta) for A in self._A]

    def _origin(self) -> np.ndarray:
        """Where scaled features are 0, which matters without an intercept only."""
        origin = np.zeros(len(self._shift))
        if self.scaling == "minmax" and self._low is not None:
            origin[1:] = self._low[1:]
        elif self.scaling == "standard" and any(A[0, 0] for A in self._A):
            k = self._scales()
            sums = sum(kc * A[:, 0] for kc, A in zip(k, self._A, strict=True))
            origin[1:] = sums[1:] / sums[0] + self._shift[1:]
        return origin

    def _solve(self, R: np.ndarray, Z: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Solutions of (R + ridge) u = z for each row z of Z; `total` is z for targets all 1."""
        if self._few() and (u := self._solve_few(R, Z, total)) is not None:
            return u
        R.flat[:: len(R) + 1] += self._ridge()
        if not self.learn_intercept:
            Z = Z + self.tau / self.eta * total
            Z[:, 0] = 0.0
            R[:, 0] = 0.0
            R[0, 0] = 1.0
        elif R[0, 0] == 0.0:
            return np.zeros_like(Z)
        self._effort.factorizations += 1
        u = solve.cholesky(np.array(R, order="F"), Z.T)
        if u is None:
            u = solve.minimum_norm(R, Z.T)
            if not self._warned:
                self._warned = True
                warnings.warn(
                    f"the moments are singular in floats at l2={self._penalty!r}: the least-norm "
                    "solution is used; raise l2, or drop duplicated and collinear features",
                    stacklevel=2,
                )
        if not self.learn_intercept:
            u[0] = -self.tau / self.eta - self._origin()[1:] @ u[1:]
        return np.ascontiguousarray(u.T)

    def _solve_few(self, R: np.ndarray, Z: np.ndarray, total: np.ndarray) -> np.ndarray | None:
        """`_solve` for fewer rows than features, the intercept eliminated beforehand."""
        if R[0, 0] == 0.0:
            return np.zeros_like(Z)
        full = moments.symmetric(R)
        m, S = full[1:, 0] / full[0, 0], full[1:, 1:]
        if self._centred:
            S = S - full[0, 0] * np.outer(m, m)
            right = Z[:, 1:] - Z[:, :1] * m
        else:
            right = (Z + self.tau / self.eta * total)[:, 1:]
        w = solve.few_rows(S, right.T, self._ridge()[1:])
        if w is None:
            return None
        if self._centred:
            b = Z[:, 0] / full[0, 0] - m @ w
        else:
            b = -self.tau / self.eta - self._origin()[1:] @ w
        return np.column_stack([b, w.T])

    # Scores.

    def _best(self, scores: np.ndarray) -> Any:
        # A label without a row may score best too, but has a probability of 0.
        empty = [i for i, flat in enumerate(self._flat) if not flat.item(0)]
        if len(self._flat) > 2 and 0 < len(empty) < len(self._flat):
            scores = scores.copy()
            scores[..., empty] = -math.inf
        return super()._best(scores)

    def predict_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> Any:
        """Predict the label of a dict of features; None before the first label is known.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        columns = self._columns
        row = self._row
        u = self._u
        try:
            given = x if x.__class__ is dict else checks.plain(x)
            columns.pack(row, columns.start, *columns.get(given))
        except UNUSUAL:
            return super().predict_one(x)
        if u is None:
            u = self._solution()
        if self._binary and self._centred and len(x) == columns.n:
            daxpy(self._shift, row, len(row), -1.0)
            score = ddot(u, row)
            # A larger score may come of a value that is refused, and is looked at there.
            if -ORDINARY < score < ORDINARY:
                return score >= 0.0
        return super().predict_one(x)

    def _score(self, row: np.ndarray) -> Any:
        u = self._u
        if u is None:
            u = self._solution()
        if self._centred:
            daxpy(self._shift, row, len(row), -1.0)
        if self._binary:
            return ddot(u, row)
        if u.ndim == 1:
            score = ddot(u, row)
            return np.array([-score, score])
        return np.asarray(u @ row)

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        u = self._solution()
        if self.learn_intercept:
            rows = moments.about(rows, self._shift)
        scores = np.asarray(rows @ u.T)
        return np.stack([-scores, scores], axis=1) if u.ndim == 1 and not self._binary else scores

    def _coefficients(self) -> np.ndarray:
        u = self._solution().copy()
        if self.learn_intercept:
            u[..., 0] -= u @ self._shift
        return np.stack([-u, u]) if u.ndim == 1 and not self._binary else u

    def _reported(self) -> np.ndarray:
        form = self.eta * self._coefficients()
        form[..., 0] += self.tau
        return form

    @property
    def weights_std_error(self) -> dict[Any, Any]:
        r"""Standard error of each weight, from the moments: by label first, as `weights` is.

        $$\mathrm{Var}(w) = R^{-1} \left( \sum_c \frac{K_c^2}{n_c - 1} \mathrm{Cov}_c(x r)
        \right) R^{-1}$$

        with $R = \sum_c K_c \, \mathrm{mean}_c(x x^T) + l_2 I$, the residual $r = t - w \cdot x -
        b$ and what class c weighs in the objective, $K_c$. The covariance of $x r$ within a class
        is that of a normal class with its mean and covariance. It says how far the weights would
        vary from one sample of the stream to another, not how far the ridge draws them to 0; and it
        is infinite while a class has a single row.
        """
        K = len(self._labels)
        forms = [self._standard_errors(i) for i in ([1] if K == 2 else range(K))]
        if self._binary:
            return self._by_name(forms[0])
        return {
            label: self._by_name(forms[0] if K == 2 else forms[i])
            for i, label in enumerate(self._labels)
        }

    def _standard_errors(self, i: int) -> np.ndarray:
        """Of the form of label i against the rest, in the units of `weights`."""
        A = self._plain_moments()
        counts = self._counts()
        seen = [c for c, n in enumerate(counts.tolist()) if n > 0.0]
        n = self._rows_worth()
        if len(seen) < 2 or min(n[c] for c in seen) <= 1.0:
            return np.full(len(self._T), math.inf)
        k = self._multipliers()
        groups = self._groups(seen)
        if not self._shared and len(A) > 2:
            own, pool, rest = self._one_vs_rest()
            k = [own[i] if c == i else pool[c] * rest[i] for c in range(len(A))]
            groups = [[i], [c for c in seen if c != i]]
        B = {c: moments.symmetric(A[c]) / A[c][0, 0] for c in seen}
        mass = {c: float(k[c] * A[c][0, 0]) for c in seen}
        U = self._solution()
        u = (U if U.ndim == 1 else U[i]).copy()
        if not self.learn_intercept:
            u[0] = -self.tau / self.eta
        R = sum((mass[c] * B[c] for c in seen), start=np.diag(self._ridge()))
        M = uncertainty.middle(B, u, i, mass, n, groups)
        first = 0 if self.learn_intercept else 1
        errors = np.zeros(len(u))
        errors[first:] = uncertainty.standard_errors(R[first:, first:], M[first:, first:])
        return self.eta * errors

    def _groups(self, seen: list[int]) -> list[list[int]]:
        """Labels whose rows share one normaliser: here each has its own."""
        return [[c] for c in seen]

    # Probabilities: the scores of least squares as log-odds of Gaussian classes.

    def _log_prior_odds(self) -> list[float] | None:
        """log(pi/(1 - pi)) by label; None where probabilities shall agree with the decision."""
        return None

    def _link(self) -> probabilities.Link | None:
        """Log-odds from scores; None for other than two labels before a second one is seen."""
        self._solution()
        if not self._link_known:
            odds = self._log_prior_odds()
            self._agrees = odds is None
            self._link_cache = self._compute_link(odds)
            self._link_known = True
        return self._link_cache

    def _compute_link(self, odds: list[float] | None) -> probabilities.Link | None:
        A = self._plain_moments()
        masses = [Ac.item(0) for Ac in A]
        seen = [i for i, mass in enumerate(masses) if mass > 0.0]
        two = len(A) == 2
        if len(seen) < 2:
            return probabilities.alone(float(self._counts().sum()), odds) if two else None
        U, ridge = self._solution(), self._ridge()
        if not self.learn_intercept:
            U = U.copy()
            U[..., 0] = -self.tau / self.eta
        k = self._multipliers()
        n = self._rows_worth()
        if two:
            low, high = n
            own = k[1] * masses[1]
            total = k[0] * masses[0] + own
            spread = probabilities.spread(
                A[1], A[0], U, own / total, high, low, ridge / total, self.learn_intercept
            )
            return probabilities.link(self.calibration, [spread], odds)
        shares, weight = self._shares()
        rests = probabilities.rests([A[i] for i in seen], weight[seen], [n[i] for i in seen])
        spreads = []
        for i, (rest, n0) in zip(seen, rests, strict=True):
            p, u = float(shares[i]), np.ascontiguousarray(U[i])
            total = k[i] * masses[i] / p
            spreads.append(
                probabilities.spread(
                    A[i], rest, u, p, n[i], n0, ridge / total, self.learn_intercept
                )
            )
        if odds is not None:
            odds = [odds[i] for i in seen]
        return probabilities.link(self.calibration, spreads, odds)

    def _pair(self, score: float, row: np.ndarray) -> tuple[float, float]:
        link = self._link()
        assert link is not None
        return probabilities.pair(float(link(score)), score, self._agrees)

    def _pairs(self, scores: np.ndarray, rows: np.ndarray) -> np.ndarray:
        link = self._link()
        assert link is not None
        return probabilities.pairs(link(scores), scores, self._agrees)

    def _proba(self, scores: np.ndarray, rows: np.ndarray) -> np.ndarray:
        link = self._link()
        n = self._counts()
        if link is None:
            return probabilities.seen_only(n, scores.shape)
        if len(n) == 2:
            return probabilities.pairs(link(scores[:, 1]), scores[:, 1], self._agrees)
        seen = n > 0.0
        proba = np.zeros(scores.shape)
        proba[:, seen] = probabilities.shares(link(scores[:, seen]), scores[:, seen], self._agrees)
        return proba
