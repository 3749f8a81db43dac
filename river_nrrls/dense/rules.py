"""Bases of the learners that follow an update rule, one instance after the other."""

from __future__ import annotations

import abc
from typing import Any, ClassVar

import numpy as np
from river.base.typing import ClfTarget
from scipy.linalg.blas import ddot

from . import checks
from .checks import Parameter
from .estimator import DenseClassifier


class RuleClassifier(DenseClassifier):
    """A learner whose `_step` is one update; clocks that tick once an instance go to `_advance`.

    `_step` returns the loss: above 0 an update was made, else the state is unchanged.
    """

    learn_intercept = Parameter(checks.boolean)

    _clocked: ClassVar[bool] = False

    def __init__(self, learn_intercept: bool) -> None:
        self.learn_intercept = learn_intercept
        super().__init__(int(learn_intercept))

    @abc.abstractmethod
    def _step(self, row: np.ndarray, code: Any, w: float) -> float:
        """One update with an instance of code `code` and weight `w`; returns the loss."""

    def _grow(self, size: int) -> None:
        """Each part of the state grows its own arrays."""

    def _state_bytes(self, size: int, n_labels: int) -> int:
        return 0

    def _advance(self, row: np.ndarray, w: float) -> None:
        """What a clock does once an instance, before the first step."""

    def _steps(self, row: np.ndarray, code: Any, w: float, times: int) -> int:
        """`times` steps on the same row; returns how many there were before a void one."""
        for made in range(times):
            if self._step(row, code, w) <= 0.0:
                return made
        return times

    def _update(self, row: np.ndarray, code: Any, w: float) -> None:
        if self._clocked:
            self._advance(row, w)
        if self._step(row, code, w) > 0.0:
            self.n_updates += 1


class BinaryClassifier(RuleClassifier):
    """A rule for the labels False and True, coded -1.0 and +1.0; the state is a vector `_w`."""

    _state_attributes: ClassVar[tuple[str, ...]] = ("_w",)
    _binary = True
    _labels: list[ClfTarget] = [False, True]
    _codes = {False: -1.0, True: 1.0}

    def _reset(self) -> None:
        super()._reset()
        self._w = np.zeros(self._columns.size)

    def _grow(self, size: int) -> None:
        self._w = grown(self._w, size)

    def _state_bytes(self, size: int, n_labels: int) -> int:
        return 8 * size

    def _score(self, row: np.ndarray) -> Any:
        return ddot(self._w, row)

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(rows @ self._coefficients())

    def _coefficients(self) -> np.ndarray:
        return self._w

    def _check_label(self, y: Any) -> ClfTarget:
        label = super()._check_label(y)
        if label not in self._codes:
            raise ValueError(
                f"y must be a bool, 0 or 1 for {type(self).__name__}, got {label!r}; map -1 and +1 "
                "to False and True, and for other labels use a multiclass learner or "
                "multiclass.OneVsRestClassifier"
            )
        return label


class MulticlassClassifier(RuleClassifier):
    """A rule for any hashable labels, coded by index; the state is a (K, D) matrix `_W`."""

    classes = Parameter(checks.classes)

    _state_attributes: ClassVar[tuple[str, ...]] = ("_W",)

    def __init__(self, learn_intercept: bool, classes: tuple[ClfTarget, ...] | None) -> None:
        self.classes = classes
        self._labels = []
        self._codes = {}
        super().__init__(learn_intercept)
        for label in classes or ():
            self._add_label(label)

    @property
    def _multiclass(self) -> bool:
        return True

    def _reset(self) -> None:
        super()._reset()
        self._W = np.zeros((0, self._columns.size))

    def _grow(self, size: int) -> None:
        W = np.zeros((len(self._W), size))
        W[:, : self._W.shape[1]] = self._W
        self._W = W

    def _add_label(self, label: ClfTarget) -> None:
        super()._add_label(label)
        self._W = np.vstack([self._W, np.zeros((1, self._W.shape[1]))])

    def _state_bytes(self, size: int, n_labels: int) -> int:
        return 8 * size * n_labels

    def _score(self, row: np.ndarray) -> Any:
        # One dot product a row, unlike `@`, whose last digit depends on which row it is: classes
        # with equal weights must tie.
        return np.vecdot(self._W, row)

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(np.vecdot(rows[:, None, :], self._coefficients()))

    def _coefficients(self) -> np.ndarray:
        return self._W


class SecondOrder(RuleClassifier):
    """A covariance `_sigma` that starts as a·I: (D, D) in Fortran order, or (D,), its diagonal."""

    a = Parameter(checks.positive)
    covariance = Parameter(checks.choice("full", "diagonal"))

    _state_attributes: ClassVar[tuple[str, ...]] = ("_sigma",)

    def _initial(self) -> float:
        """A new entry of the diagonal; a learner that keeps a root of Σ starts with that of a."""
        return float(self.a)

    def _reset(self) -> None:
        super()._reset()
        size = self._columns.size
        if self.covariance == "full":
            self._sigma = np.asfortranarray(np.eye(size) * self._initial())
        else:
            self._sigma = np.full(size, self._initial())

    def _grow(self, size: int) -> None:
        super()._grow(size)
        old = len(self._sigma)
        if self.covariance == "full":
            sigma = np.asfortranarray(np.eye(size) * self._initial())
            sigma[:old, :old] = self._sigma
        else:
            sigma = np.full(size, self._initial())
            sigma[:old] = self._sigma
        self._sigma = sigma

    def _state_bytes(self, size: int, n_labels: int) -> int:
        own = 8 * size * (size if self.covariance == "full" else 1)
        return super()._state_bytes(size, n_labels) + own


def grown(v: np.ndarray, size: int) -> np.ndarray:
    """A vector with zeros appended."""
    result = np.zeros(size)
    result[: len(v)] = v
    return result
