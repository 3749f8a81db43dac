"""One shell between river's dicts, labels and frames and a learner's arrays."""

from __future__ import annotations

import abc
import inspect
import sys
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
from river import base
from river.base.typing import ClfTarget, FeatureName
from river.utils import pretty
from scipy.linalg.blas import ddot

from . import checks, frames, probability
from .checks import HUGE, LIGHTEST
from .columns import UNUSUAL, Columns


class DenseClassifier(base.MiniBatchClassifier):
    """A classifier whose rule sees a dense row, the code of a label and a weight.

    A row is `[1, x_1 … x_d]` with an intercept, `[x_1 … x_d]` without. New features get a column at
    the end at any time, as if they had been 0 before; absent ones are 0. A learner adds `_update`,
    `_score`, `_scores`, `_coefficients`, `_grow`, `_state_bytes` and names its state.
    """

    max_state_bytes: int = 1 << 30
    # The labels, if they are fixed from the start.
    classes: tuple[ClfTarget, ...] | None = None
    n_updates: int

    _state_attributes: ClassVar[tuple[str, ...]] = ("n_updates",)
    _mutable: ClassVar[frozenset[str]] = frozenset()

    # Whether a row of weight k is the same as the row k times, so that k need not be counted off.
    _weight_repeats: ClassVar[bool] = False

    # Whether one score decides between False and True.
    _binary: bool = False
    _labels: list[ClfTarget]
    _codes: dict[Any, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        names: dict[str, None] = {}
        for parent in reversed(cls.__mro__):
            names.update(dict.fromkeys(parent.__dict__.get("_state_attributes", ())))
        cls._state_attributes = tuple(names)

    def __init__(self, offset: int) -> None:
        self._columns = Columns((), offset)
        self._new_row()
        self.n_updates = 0
        self._reset()

    # What a learner defines.

    def _reset(self) -> None:
        """Set the state of a learner that has seen nothing."""

    @abc.abstractmethod
    def _update(self, row: np.ndarray, code: Any, w: float) -> None:
        """Learn one encoded instance of weight `w` > 0; the row may be used up."""

    def _update_many(self, rows: np.ndarray, codes: np.ndarray, w: np.ndarray | None) -> None:
        """Learn a batch of encoded instances, as the loop would."""
        for i, code in enumerate(codes.tolist()):
            self._update(rows[i], code, 1.0 if w is None else float(w[i]))

    @abc.abstractmethod
    def _score(self, row: np.ndarray) -> Any:
        """The score of a row: a float, or an array of one score a label."""

    @abc.abstractmethod
    def _scores(self, rows: np.ndarray) -> np.ndarray:
        """The scores of many rows: (n,), or (n, K)."""

    def _best(self, scores: np.ndarray) -> Any:
        """The index of the label that the scores, along the last axis, decide for."""
        return scores.argmax(axis=-1)

    @abc.abstractmethod
    def _coefficients(self) -> np.ndarray:
        """The linear form behind the score on rows: (D,), or (K, D)."""

    @abc.abstractmethod
    def _grow(self, size: int) -> None:
        """Make room for rows of `size` entries, as if the new ones had always been 0."""

    @abc.abstractmethod
    def _state_bytes(self, size: int, n_labels: int) -> int:
        """Bytes of state for rows of `size` entries and `n_labels` labels."""

    def _check_weighted(self, square: float, w: float) -> None:
        """Refuse a row, of this sum of squares, that is too heavy for the state."""

    def _begin(self, row: np.ndarray) -> None:
        """Called with the first row of all, before it is learnt."""

    def _add_label(self, label: ClfTarget) -> None:
        self._codes[label] = len(self._labels)
        self._labels.append(label)

    def _pair(self, score: float, row: np.ndarray) -> tuple[float, float]:
        """Probabilities of False and True."""
        return probability.logistic_pair(score)

    def _pairs(self, scores: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return probability.logistic_pairs(scores)

    def _proba(self, scores: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Probabilities by label, (n, K)."""
        return probability.softmax(scores)

    def _reported(self) -> np.ndarray:
        """The linear form that `weights` and `intercept` show."""
        return self._coefficients()

    def _parameter_changed(self, name: str) -> None:
        """Drop what was computed from a parameter."""

    # Learning.

    def learn_one(self, x: dict[FeatureName, Any], y: ClfTarget, w: float = 1.0) -> None:
        """Update the model with a dict of features, its label and its weight.

        Parameters
        ----------
        x
            Features: real numbers by name. Absent features count as 0, new ones get a column.
        y
            The label.
        w
            Sample weight, at least 0; a weight of 0 changes nothing.

        """
        if w.__class__ is not float:
            w = checks.weight(w)
        columns = self._columns
        row = self._row
        try:
            code = self._codes[y]
            given = x if x.__class__ is dict else checks.plain(x)
            columns.pack(row, columns.start, *columns.get(given))
            plain = len(x) == columns.n and LIGHTEST <= w * ddot(row, row) < HUGE
        except UNUSUAL:
            plain = False
        if plain:
            self._update(row, code, w)
        elif (encoded := self._admit(x, y, w)) is not None:
            self._update(*encoded)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Update the model with a mini-batch: the result is that of the loop of `learn_one`.

        One bad value rejects the whole batch and leaves the model as it was.

        Parameters
        ----------
        X
            A dataframe of features (pandas, polars, pyarrow …).
        y
            A series of labels.
        w
            Sample weights: None, one number for all, or one for each row.

        """
        for rows, codes, weights in self._encode_many(X, y, w):
            self._update_many(rows, codes, weights)

    def _encode_many(
        self, X: Any, y: Any, w: Any
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
        """Rows, codes and weights of a batch, block by block: learn one before taking the next."""
        names, M = frames.features(X)
        values = frames.series(y, len(M), "y")
        weights = frames.weights(w, len(M))
        if weights is not None and M.size and weights.max() > 1.0:
            squares = np.einsum("ij,ij->i", M, M)
            with np.errstate(over="ignore"):
                heaviest = int((squares * weights).argmax())
            self._check_weighted(float(squares[heaviest]), float(weights[heaviest]))
        codes = self._known_codes(values)
        labels = self._check_labels(values.tolist(), weights) if codes is None else []
        if weights is not None and not weights.all():
            kept = weights > 0.0
            M, weights = M[kept], weights[kept]
            codes = codes if codes is None else codes[kept]
        return self._encode_rows(names, M, labels, weights, codes)

    def _encode_rows(
        self,
        names: list[FeatureName],
        M: np.ndarray,
        labels: list[Any],
        weights: np.ndarray | None,
        codes: np.ndarray | None = None,
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
        """`_encode_many` of numbers and labels that have been checked, and have a weight."""
        if not len(M):
            return
        code = self._codes
        new = [y for y in dict.fromkeys(labels) if y not in code] if codes is None else []
        self._make_room(names, new)
        rows = self._rows(names, M)
        if self.n_updates == 0:
            self._begin(rows[0])
        if codes is not None:
            yield rows, codes, weights
            return
        # A rule must not see a label before its first row: a new one starts a block.
        starts = [0, *(labels.index(label) for label in new)]
        for start, stop, label in zip(starts, [*starts[1:], len(rows)], [None, *new], strict=True):
            if label is not None:
                self._add_label(label)
            if start < stop:
                yield (
                    rows[start:stop],
                    np.array([code[label] for label in labels[start:stop]]),
                    None if weights is None else weights[start:stop],
                )

    def _known_codes(self, labels: np.ndarray) -> np.ndarray | None:
        """The codes of a batch's labels; None where one is new, or not a label."""
        codes = self._codes
        try:
            if labels.dtype == np.bool_:
                return np.asarray(np.where(labels, codes[True], codes[False]))
            return np.array(list(map(codes.__getitem__, labels.tolist())))
        except (KeyError, TypeError):
            return None

    def _check_labels(self, labels: list[Any], w: np.ndarray | None) -> list[ClfTarget]:
        """Check a batch's labels and keep those of the rows with a weight."""
        labels = [self._check_label(label) for label in labels]
        if w is not None and not w.all():
            labels = [label for label, weight in zip(labels, w, strict=True) if weight > 0.0]
        return labels

    def _encode(self, x: Any, y: Any, w: Any) -> tuple[np.ndarray, Any, float] | None:
        """The row, the code and the weight of an instance; None where the weight is 0."""
        if w.__class__ is not float:
            w = checks.weight(w)
        columns = self._columns
        row = self._row
        try:
            code = self._codes[y]
            given = x if x.__class__ is dict else checks.plain(x)
            columns.pack(row, columns.start, *columns.get(given))
            if len(x) == columns.n and LIGHTEST <= w * ddot(row, row) < HUGE:
                return row, code, w
        except UNUSUAL:
            pass
        return self._admit(x, y, w)

    def _admit(self, x: Any, y: Any, w: Any) -> tuple[np.ndarray, Any, float] | None:
        """Encode an unusual instance: check everything, and only then make room for it."""
        weight = checks.weight(w)
        label = self._check_label(y)
        filled = self._fill(x)
        if not filled:
            x = checks.features(x)
        if weight == 0.0:
            return None
        if weight > 1.0:
            values = self._row.tolist() if filled else x.values()
            self._check_weighted(sum(v * v for v in values), weight)
        unseen = label not in self._codes
        self._make_room(() if filled else x, [label] if unseen else [])
        if unseen:
            self._add_label(label)
        if not filled:
            self._columns.gather(x, self._row)
        if self.n_updates == 0:
            self._begin(self._row)
        return self._row, self._codes[label], weight

    def _fill(self, x: Any) -> bool:
        """Write known features to the row, others 0; False where a name or value is unusual."""
        columns = self._columns
        if not (isinstance(x, dict) and x.keys() <= columns.names.keys()):
            return False
        try:
            columns.gather(x, self._row)
        except UNUSUAL:
            return False
        return bool(ddot(self._row, self._row) < HUGE)

    def _check_label(self, y: Any) -> ClfTarget:
        """A label as it will be kept."""
        if isinstance(y, np.generic):
            y = y.item()
        if not isinstance(y, Hashable):
            raise TypeError(f"y must be a label (a hashable value), got {type(y).__name__}")
        if checks.is_missing(y):
            raise ValueError(f"y must be a label, got {y!r}; leave unlabelled rows out")
        if self.classes is not None and y not in self._codes:
            raise ValueError(
                f"y must be one of classes={self.classes!r}, got {y!r}; "
                "add it there, or leave classes=None to take labels as they come"
            )
        return y  # type: ignore[return-value]

    def _make_room(self, names: Iterable[FeatureName], labels: list[ClfTarget]) -> None:
        """Columns for new features, if the state, new labels included, stays in its bounds."""
        columns = self._columns
        new = [name for name in dict.fromkeys(names) if name not in columns.names]
        if not new and not labels:
            return
        size = max(1, columns.offset + columns.n + len(new))
        wanted = self._state_bytes(size, len(self._labels) + len(labels))
        if wanted > self.max_state_bytes:
            what = f"{columns.n + len(new)} features and {len(self._labels) + len(labels)} labels"
            raise ValueError(
                f"{what} need {wanted:,} bytes of state, above max_state_bytes="
                f"{self.max_state_bytes:,}; bound the names with feature_extraction hashing "
                "(preprocessing.FeatureHasher) or feature selection, or raise the limit"
            )
        if new:
            columns.add(new)
            self._new_row()
            self._grow(size)

    def _new_row(self) -> None:
        self._row = np.zeros(self._columns.size)
        if self._columns.offset:
            self._row[0] = 1.0

    def _rows(self, names: list[FeatureName], M: np.ndarray) -> np.ndarray:
        """Rows of a batch; names without a column are left out."""
        columns = self._columns
        whole = columns.n > 0 and names == list(columns.names)
        rows = (np.empty if whole else np.zeros)((len(M), columns.size))
        if columns.offset:
            rows[:, 0] = 1.0
        if whole:
            rows[:, columns.offset :] = M
            return rows
        known = [(j, columns.names[name]) for j, name in enumerate(names) if name in columns.names]
        if known:
            source, target = zip(*known, strict=True)
            rows[:, np.array(target) + columns.offset] = M[:, source]
        return rows

    # Predicting.

    def _score_one(self, x: dict[FeatureName, Any]) -> Any:
        columns = self._columns
        row = self._row
        try:
            given = x if x.__class__ is dict else checks.plain(x)
            columns.pack(row, columns.start, *columns.get(given))
            plain = len(x) == columns.n and ddot(row, row) < HUGE
        except UNUSUAL:
            plain = False
        if not plain and not self._fill(x):
            columns.gather(checks.features(x, columns.names), row)
        return self._score(row)

    def decision_function_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> Any:
        """The score that decides: a float (True where it is at least 0), or one for each label.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        score = self._score_one(x)
        if self._binary:
            return score
        return dict(zip(self._labels, score.tolist(), strict=True))

    def predict_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> Any:
        """Predict the label of a dict of features; None before the first label is known.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        score = self._score_one(x)
        if self._binary:
            return score >= 0.0
        return self._labels[self._best(score)] if self._labels else None

    def predict_proba_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> dict[Any, float]:
        """Predict the probability of each label; its first maximum is what `predict_one` says.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        score = self._score_one(x)
        if self._binary:
            no, yes = self._pair(score, self._row)
            return {True: yes, False: no} if score >= 0.0 else {False: no, True: yes}
        if not self._labels:
            return {}
        proba = self._proba(score[None], self._row[None])[0].tolist()
        result = dict(zip(self._labels, proba, strict=True))
        chosen = self._best(score)
        if proba.index(max(proba)) != chosen and proba[chosen] == max(proba):
            label = self._labels[chosen]
            return {label: proba[chosen], **result}
        return result

    def _score_many(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        names, M = frames.features(X)
        rows = self._rows(names, M)
        return rows, self._scores(rows)

    def decision_function_many(self, X: Any) -> Any:
        """The scores of a mini-batch: a series, or a frame with a column for each label.

        Parameters
        ----------
        X
            A dataframe of features.

        """
        _, scores = self._score_many(X)
        if self._binary:
            return frames.to_series(scores, X)
        return frames.to_frame(dict(zip(self._labels, scores.T, strict=True)), X)

    def predict_many(self, X: Any) -> Any:
        """Predict the labels of a mini-batch.

        Parameters
        ----------
        X
            A dataframe of features.

        """
        _, scores = self._score_many(X)
        if self._binary:
            return frames.to_series(scores >= 0.0, X)
        if not self._labels:
            return frames.to_series([None] * len(scores), X)
        return frames.to_series([self._labels[i] for i in self._best(scores).tolist()], X)

    def predict_proba_many(self, X: Any) -> Any:
        """Predict the probabilities of a mini-batch, a frame with a column for each label.

        Parameters
        ----------
        X
            A dataframe of features.

        """
        rows, scores = self._score_many(X)
        if self._binary:
            pairs = self._pairs(scores, rows)
            return frames.to_frame({True: pairs[:, 1], False: pairs[:, 0]}, X)
        proba = self._proba(scores, rows) if self._labels and len(rows) else scores
        return frames.to_frame(dict(zip(self._labels, proba.T, strict=True)), X)

    # Explaining.

    def _by_name(self, form: np.ndarray) -> dict[FeatureName, float]:
        offset = self._columns.offset
        return dict(zip(self._columns.names, form[offset:].tolist(), strict=False))

    @property
    def weights(self) -> dict[Any, Any]:
        """Coefficients by feature; by label, then by feature, for more than False and True."""
        form = self._reported()
        if self._binary:
            return self._by_name(form)
        return {label: self._by_name(form[k]) for k, label in enumerate(self._labels)}

    @property
    def intercept(self) -> Any:
        """The constant of the score; by label for more than False and True."""
        form = self._reported()
        if not self._columns.offset:
            return 0.0 if self._binary else dict.fromkeys(self._labels, 0.0)
        if self._binary:
            return float(form[0])
        return dict(zip(self._labels, form[:, 0].tolist(), strict=True))

    def contributions_one(self, x: dict[FeatureName, Any]) -> dict[Any, Any]:
        """What each feature adds to the score: with the intercept the parts sum to it.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        Feature to its part; for more than False and True label to that. Unknown features add 0.

        """
        values = checks.features(x, self._columns.names)
        form = self._coefficients()
        if self._binary:
            return self._contributions(form, values)
        return {k: self._contributions(form[i], values) for i, k in enumerate(self._labels)}

    def _contributions(
        self, form: np.ndarray, values: dict[FeatureName, float]
    ) -> dict[FeatureName, float]:
        weights = self._by_name(form)
        return {name: weights.get(name, 0.0) * value for name, value in values.items()}

    def debug_one(self, x: dict[FeatureName, Any]) -> str:
        """Show how the score of `x` comes about.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        values = checks.features(x, self._columns.names)
        form = self._coefficients()
        if self._binary:
            return self._debug_table(form, values)
        tables = [
            f"{label!r}\n{self._debug_table(form[k], values)}"
            for k, label in enumerate(self._labels)
        ]
        return "\n\n".join(tables) if tables else "No label seen yet"

    def _debug_table(self, form: np.ndarray, values: dict[FeatureName, float]) -> str:
        weights = self._by_name(form)
        constant = float(form[0]) if self._columns.offset else 0.0
        lines = [("Intercept", 1.0, constant, constant)]
        lines += [
            (str(name), value, weights.get(name, 0.0), weights.get(name, 0.0) * value)
            for name, value in values.items()
        ]
        lines.sort(key=lambda line: abs(line[3]), reverse=True)
        lines.append(("Score", 1.0, 1.0, sum(line[3] for line in lines)))
        names, *numbers = zip(*lines, strict=True)
        columns = [list(names), *([f"{v:.5f}" for v in column] for column in numbers)]
        return pretty.print_table(["Name", "Value", "Weight", "Contribution"], columns)

    # State, clones, pickles.

    def _parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def _get_state(self) -> dict[str, Any]:
        """All that was learnt: columns, labels and the learner's own arrays and clocks."""
        state: dict[str, Any] = {"columns": list(self._columns.names)}
        if not type(self)._binary:
            state["labels"] = list(self._labels)
        state.update((name, getattr(self, name)) for name in self._state_attributes)
        return state

    def _set_state(self, state: dict[str, Any]) -> None:
        """Take over what `_get_state` gave, with this learner's parameters."""
        self._columns = Columns(state["columns"], self._columns.offset)
        self._new_row()
        if not type(self)._binary:
            self._labels = []
            self._codes = {}
            for label in state["labels"]:
                DenseClassifier._add_label(self, label)
        for name in self._state_attributes:
            setattr(self, name, _owned(state[name]))

    def __getstate__(self) -> dict[str, Any]:
        saved = {"parameters": self._parameters(), "state": self._get_state()}
        return _canonical(saved, {})  # type: ignore[no-any-return]

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__init__(**saved["parameters"])  # type: ignore[misc]
        self._set_state(saved["state"])

    def _adopt(self, source: Self) -> None:
        """Take over what `source` has learnt under other parameters."""
        for name, value in self._parameters().items():
            if name not in self._mutable and value != getattr(source, name):
                raise ValueError(
                    f"{name} is fixed once learning starts: {getattr(source, name)!r} cannot become"
                    f" {value!r} with include_attributes=True; clone without it and learn again"
                )
        self._set_state(source._get_state())

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """A fresh model with the same parameters, or with `include_attributes` a trained copy.

        Parameters
        ----------
        new_params
            Parameters to change.
        include_attributes
            Whether the clone takes over what was learnt. Parameters named in `new_params` apply to
            it; one that cannot change after learning has started raises a `ValueError`.

        """
        clone = super().clone(new_params)
        if include_attributes:
            clone._adopt(self)
        return clone

    @property
    def _mutable_attributes(self) -> set[str]:
        return set(self._mutable)


def _canonical(value: Any, seen: dict[Any, Any]) -> Any:
    """The same values with equal names as one object.

    Pickle writes one object once and equal ones twice: without this its bytes would tell where a
    name came from.
    """
    kind = type(value)
    if kind is str:
        return sys.intern(value)
    if kind is dict:
        return {_canonical(k, seen): _canonical(v, seen) for k, v in value.items()}
    if kind is list:
        return [_canonical(item, seen) for item in value]
    if kind is tuple:
        value = tuple(_canonical(item, seen) for item in value)
    elif not isinstance(value, np.generic):
        return value
    try:
        return seen.setdefault(_typed(value), value)
    except TypeError:
        # A tuple with an array in it.
        return value


def _typed(value: Any) -> Any:
    """A key that tells True from 1 and 1.0, in tuples as well."""
    return (tuple, *map(_typed, value)) if type(value) is tuple else (type(value), value)


def _owned(value: Any) -> Any:
    """A deep copy of a part of the state, its arrays with the dtype objects that fresh ones have.

    Arrays out of a pickle bring their own, which would make the pickles of equal models differ.
    """
    if isinstance(value, np.ndarray):
        copied = np.empty_like(value, dtype=value.dtype.newbyteorder("=").str[1:])
        copied[...] = value
        return copied
    if isinstance(value, list):
        return [_owned(item) for item in value]
    if isinstance(value, dict):
        return {name: _owned(item) for name, item in value.items()}
    return value
