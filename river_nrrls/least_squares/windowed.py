"""Class-rebalanced least squares over the latest rows: moments in buckets, and no row stored."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from river.base.typing import ClfTarget
from scipy.linalg.blas import daxpy, dsyr

from .. import laws
from ..dense import Parameter, checks
from . import moments
from .nrrls import NRRLSClassifier


class BucketedClassifier(NRRLSClassifier):
    """Keeps the moments of runs of rows apart, the oldest first, and drops whole runs.

    What is dropped is not subtracted: the sums are made anew from the buckets that stay, so that an
    outlier that has left leaves nothing behind.
    """

    scaling = Parameter(checks.choice(None, "standard"))

    _state_attributes: ClassVar[tuple[str, ...]] = ("_buckets", "_sizes")

    @property
    def width(self) -> int:
        """Rows that the model is made of."""
        return sum(self._sizes)

    def _reset(self) -> None:
        # Of each bucket the moments by class, and the number of rows.
        self._buckets: list[list[np.ndarray]] = [[]]
        self._sizes: list[int] = [0]
        super()._reset()

    def _each(self, change: Any) -> None:
        super()._each(change)
        self._buckets = [[change(A) for A in bucket] for bucket in self._buckets]

    def _add_moments(self) -> None:
        super()._add_moments()
        for bucket in self._buckets:
            bucket.append(moments.empty(len(self._shift)))

    def _state_bytes(self, size: int, n_labels: int) -> int:
        return super()._state_bytes(size, n_labels) * (1 + len(self._buckets))

    def _update(self, row: np.ndarray, code: int, w: float) -> None:
        kept = row.copy()
        if self._moved:
            daxpy(self._shift, kept, len(kept), -1.0)
        dsyr(w, kept, 1, 1, 0, len(kept), self._buckets[-1][code], 1)
        self._sizes[-1] += 1
        super()._update(row, code, w)

    def _update_many(self, rows: np.ndarray, codes: np.ndarray, w: np.ndarray | None) -> None:
        for i, code in enumerate(codes.tolist()):
            self._update(rows[i], code, 1.0 if w is None else float(w[i]))

    def _open(self) -> None:
        """Start a new bucket."""
        self._buckets.append([moments.empty(len(self._shift)) for _ in self._A])
        self._sizes.append(0)

    def _expire(self, n: int) -> None:
        """Drop the n oldest buckets."""
        if self._ridge_race is not None:
            # A block of scores is a difference of sums: it ends before rows go.
            self._ridge_race["next"] = 0
            self._at_checkpoint()
        del self._buckets[:n], self._sizes[:n]
        for c, A in enumerate(self._A):
            A[:] = self._buckets[0][c]
            for bucket in self._buckets[1:]:
                A += bucket[c]
        self._allocate()
        if self._ridge_race is not None:
            self._begin_ridges(self.n_updates)
            self._allocate()

    def _require(self, call: str) -> None:
        raise ValueError(f"{call} is not possible with a window: {laws.WINDOW[4:]}")

    def _adopt(self, source: Self) -> None:
        super()._adopt(source)
        self._allocate()


class WindowedNRRLSClassifier(BucketedClassifier):
    r"""Class-rebalanced least squares over the last rows.

    The model equals an `NRRLSClassifier` that has learnt nothing but the last `width` rows, with
    `window_size <= width < window_size + window_size / n_buckets` once the window is full. Rows are
    not stored: their moments are kept in buckets of `window_size // n_buckets` rows, and whole
    buckets expire. The state is `n_buckets + 2` matrices a class.

    Use it where the past is known to be over after a number of rows; where it fades,
    `NRRLSClassifier(forgetting=...)` is cheaper, and where it ends all at once,
    `AdaptiveNRRLSClassifier` finds out when.

    Parameters
    ----------
    window_size
        Rows that are always kept, at least 1.
    n_buckets
        Buckets that the window is cut into, 1 to window_size.
    l2
        As all that follow, a parameter of `NRRLSClassifier`.
    learn_intercept
        Whether to fit an intercept, which is not penalised.
    costs
        Cost of each label's mean error, by label; 1 for those not named.
    prior
        Which class ratio probabilities speak of: "balanced", "natural", or a dict.
    tau
        Threshold of the targets tau - eta and tau + eta.
    eta
        Half the distance of the targets.
    scaling
        None or "standard", over the rows of the window.
    strategy
        For more than two labels, "ovr" or "shared".
    calibration
        How scores become probabilities: "lda", "gaussian" or "clip".
    solver
        "auto", "cholesky" or "cg".
    classes
        The labels, in order, if they are to be known from the start.
    max_state_bytes
        Most bytes that the class moments may take.

    Attributes
    ----------
    width
        Rows that the model is made of.
    weights
        Coefficients by feature; by label first, if the labels are not booleans.
    intercept
        The constant of the score.
    class_counts
        The weight of the window's rows of each label.

    Examples
    --------

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> import river_nrrls as rn

    >>> model = rn.WindowedNRRLSClassifier(window_size=500, l2=0.1, scaling="standard")
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.GeometricMean())
    GeometricMean: 89.48%
    >>> model.width
    500

    References
    ----------
    [^1]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230)

    """

    window_size = Parameter(checks.positive_integer)
    n_buckets = Parameter(checks.positive_integer)

    def __init__(
        self,
        window_size: int = 1000,
        n_buckets: int = 10,
        l2: float | str = 1e-4,
        learn_intercept: bool = True,
        costs: dict[ClfTarget, float] | None = None,
        prior: str | dict[ClfTarget, float] = "balanced",
        tau: float = 0.0,
        eta: float = 1.0,
        scaling: str | None = None,
        strategy: str = "ovr",
        calibration: str = "lda",
        solver: str = "auto",
        classes: tuple[ClfTarget, ...] | None = None,
        max_state_bytes: int = 1 << 30,
    ) -> None:
        self.window_size = window_size
        self.n_buckets = n_buckets
        if n_buckets > window_size:
            raise checks.refuse("n_buckets", n_buckets, f"at most window_size={window_size}")
        super().__init__(
            l2=l2,
            learn_intercept=learn_intercept,
            costs=costs,
            prior=prior,
            tau=tau,
            eta=eta,
            scaling=scaling,
            strategy=strategy,
            calibration=calibration,
            solver=solver,
            classes=classes,
            max_state_bytes=max_state_bytes,
        )

    def _update(self, row: np.ndarray, code: int, w: float) -> None:
        super()._update(row, code, w)
        rows = self.window_size // self.n_buckets
        if self._sizes[-1] == rows:
            self._open()
        if self.width - self._sizes[0] >= self.window_size:
            self._expire(1)


class AdaptiveNRRLSClassifier(BucketedClassifier):
    r"""Class-rebalanced least squares that drops the past when its balanced error rises.

    Before a row is learnt its error goes to ADWIN[^1], weighted by the inverse of its class's share
    so that the mean is the balanced error. Where ADWIN finds that the error has risen, all buckets
    of moments are dropped that are older than the rows it keeps, and the model equals an
    `NRRLSClassifier` that has learnt nothing but the last `width` rows. Rows are not stored: of the
    moments of n rows, in an exponential histogram of buckets, about 5 log(n / 32) are kept a class.

    Use it where the past ends at times that are not known. A fall of the error, as while a model
    learns, drops nothing.

    Parameters
    ----------
    delta
        Significance of ADWIN, in (0, 1): a smaller one drops less often.
    l2
        As all that follow, a parameter of `NRRLSClassifier`.
    learn_intercept
        Whether to fit an intercept, which is not penalised.
    costs
        Cost of each label's mean error, by label; 1 for those not named.
    prior
        Which class ratio probabilities speak of: "balanced", "natural", or a dict.
    tau
        Threshold of the targets tau - eta and tau + eta.
    eta
        Half the distance of the targets.
    scaling
        None or "standard", over the rows kept.
    strategy
        For more than two labels, "ovr" or "shared".
    calibration
        How scores become probabilities: "lda", "gaussian" or "clip".
    solver
        "auto", "cholesky" or "cg".
    classes
        The labels, in order, if they are to be known from the start.
    max_state_bytes
        Most bytes that the class moments may take.

    Attributes
    ----------
    drift_detected
        Whether the last row learnt made the past be dropped.
    n_detections
        How often that has happened.
    width
        Rows that the model is made of.
    weights
        Coefficients by feature; by label first, if the labels are not booleans.
    intercept
        The constant of the score.
    class_counts
        The weight of the rows kept of each label.

    Examples
    --------

    >>> from river.datasets import synth
    >>> import river_nrrls as rn

    >>> model = rn.AdaptiveNRRLSClassifier(l2=0.1, scaling="standard")
    >>> for i, (x, y) in enumerate(synth.SEA(seed=1).take(4000)):
    ...     model.learn_one(x, bool(y) if i < 2000 else not y)
    >>> model.n_detections, model.width
    (1, 2208)

    References
    ----------
    [^1]: Bifet, A. and Gavalda, R. (2007). Learning from time-changing data with adaptive
        windowing. SIAM International Conference on Data Mining.
    [^2]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230)

    """

    delta = Parameter(checks.open_unit)

    _state_attributes: ClassVar[tuple[str, ...]] = ("n_detections", "drift_detected", "_detector")

    # Rows of the smallest bucket, and the most buckets of one size.
    _GRAIN = 32
    _MOST = 5

    def __init__(
        self,
        delta: float = 0.002,
        l2: float | str = 1e-4,
        learn_intercept: bool = True,
        costs: dict[ClfTarget, float] | None = None,
        prior: str | dict[ClfTarget, float] = "balanced",
        tau: float = 0.0,
        eta: float = 1.0,
        scaling: str | None = None,
        strategy: str = "ovr",
        calibration: str = "lda",
        solver: str = "auto",
        classes: tuple[ClfTarget, ...] | None = None,
        max_state_bytes: int = 1 << 30,
    ) -> None:
        self.delta = delta
        super().__init__(
            l2=l2,
            learn_intercept=learn_intercept,
            costs=costs,
            prior=prior,
            tau=tau,
            eta=eta,
            scaling=scaling,
            strategy=strategy,
            calibration=calibration,
            solver=solver,
            classes=classes,
            max_state_bytes=max_state_bytes,
        )

    def _reset(self) -> None:
        # river.drift takes long to import, and nothing else needs it.
        from river import drift

        self.n_detections = 0
        self.drift_detected = False
        self._adwin: Any = drift.ADWIN(delta=self.delta)  # type: ignore[no-untyped-call]
        super()._reset()

    @property
    def _detector(self) -> str:
        """The state of ADWIN: whether it starts anew with its next value, and its own bytes."""
        return f"{self._adwin.drift_detected:d}{self._adwin._helper.__getstate__().hex()}"

    @_detector.setter
    def _detector(self, state: str) -> None:
        self._adwin._drift_detected = state[0] == "1"
        self._adwin._helper.__setstate__(bytes.fromhex(state[1:]))

    def _update(self, row: np.ndarray, code: int, w: float) -> None:
        risen = self._risen(row.copy(), code)
        super()._update(row, code, w)
        if self._sizes[-1] == self._GRAIN:
            self._open()
            self._compress()
        self.drift_detected = False
        if risen:
            self._expire_all_but(self._adwin.width)

    def _risen(self, row: np.ndarray, code: int) -> bool:
        """Whether with the error of this row the balanced error is found to have risen."""
        counts = self._counts()
        if not np.count_nonzero(counts) > 1 or counts[code] == 0.0:
            return False
        score = self._score(row)
        predicted = int(score >= 0.0) if self._binary else int(self._best(score))
        share = float(counts[counts > 0.0].min() / counts[code])
        before = self._adwin.estimation
        self._adwin.update(share if predicted != code else 0.0)
        # ADWIN forgets the flag, and starts anew, with its next value.
        return bool(self._adwin.drift_detected) and self._adwin.estimation > before

    def _expire_all_but(self, rows: int) -> None:
        """Drop the buckets that lie wholly before the last `rows` rows."""
        n = 0
        while n < len(self._sizes) - 1 and sum(self._sizes[n + 1 :]) >= rows:
            n += 1
        if n:
            self._expire(n)
            self.n_detections += 1
            self.drift_detected = True

    def _compress(self) -> None:
        """Join the two oldest buckets of each size of which there are too many."""
        size = self._GRAIN
        while True:
            same = [k for k, n in enumerate(self._sizes) if n == size]
            if len(same) <= self._MOST:
                return
            first, second = same[0], same[1]
            for A, B in zip(self._buckets[first], self._buckets[second], strict=True):
                A += B
            self._sizes[first] = 2 * size
            del self._buckets[second], self._sizes[second]
            size *= 2
