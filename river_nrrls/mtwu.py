"""Multiple times weight updating (MTWU): several updates on the same instance."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from river import base
from river.base.typing import ClfTarget, FeatureName
from river.utils import dataframe

from .dense import DenseClassifier, Parameter, RuleClassifier, checks, frames

__all__ = ["MTWUClassifier"]

_DELEGATED = frozenset(
    {
        "contributions_one",
        "debug_one",
        "decision_function_many",
        "decision_function_one",
        "intercept",
        "weights",
    }
)


def update_times(
    learner: DenseClassifier, row: np.ndarray, code: Any, w: float, m: int, clock: str
) -> None:
    """Learn an encoded instance by `m` updates of a learner of this package."""
    if learner._weight_repeats and clock == "instance":
        learner._update(row, code, m * w)
    elif isinstance(learner, RuleClassifier) and (clock == "instance" or not learner._clocked):
        if learner._clocked:
            learner._advance(row, w)
        learner.n_updates += learner._steps(row, code, w, m)
    else:
        for _ in range(m):
            learner._update(row.copy(), code, w)


def is_pipeline(model: Any) -> bool:
    """Whether a model is a pipeline, through which `isinstance` sees its last step."""
    return hasattr(model, "_last_step")


def accepted_keywords(model: Any, method: str) -> frozenset[str] | None:
    """Names of the keywords that a model's method takes; None where it takes or routes any."""
    if is_pipeline(model):
        return None
    function = getattr(type(model), method)
    if function is base.Classifier.predict_one:
        return accepted_keywords(model, "predict_proba_one")
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        # A wrapper hands everything on, whether or not the model inside takes it.
        inner = getattr(model, "_wrapped_model", None)
        return None if inner is None else accepted_keywords(inner, method)
    return frozenset(p.name for p in parameters) - {"self", "x", "y", "X"}


def keep(keywords: dict[str, Any], accepted: frozenset[str] | None) -> dict[str, Any]:
    """The keywords that are accepted."""
    if not keywords or accepted is None:
        return keywords
    return {name: value for name, value in keywords.items() if name in accepted}


def last_step(model: Any) -> Any:
    """The classifier at the end of a pipeline, or the model itself."""
    while is_pipeline(model):
        model = model._last_step
    return model


def replace_last_step(model: Any, stand_in: Callable[[Any], base.Classifier]) -> Any:
    """A pipeline that shares all steps of `model` but its last; without a pipeline the stand-in."""
    if not is_pipeline(model):
        return stand_in(model)
    *first, (name, last) = model.steps.items()
    return type(model)(*first, (name, replace_last_step(last, stand_in)))


class _Repeated(base.Classifier):
    """Learns for a classifier: each instance that comes through the pipeline `m` times."""

    def __init__(self, classifier: base.Classifier, m: int, clock: str) -> None:
        self.classifier = classifier
        self.m = m
        self.clock = clock
        self._dense = classifier if isinstance(classifier, DenseClassifier) else None
        self._accepted = accepted_keywords(classifier, "learn_one")

    @property
    def _multiclass(self) -> bool:
        return self.classifier._multiclass

    def learn_one(self, x: dict[FeatureName, Any], y: ClfTarget, **kwargs: Any) -> None:
        if self._dense is not None:
            encoded = self._dense._encode(x, y, kwargs.get("w", 1.0))
            if encoded is not None:
                row, code, w = encoded
                update_times(self._dense, row, code, w, self.m, self.clock)
        else:
            kwargs = keep(kwargs, self._accepted)
            for _ in range(self.m):
                self.classifier.learn_one(x, y, **kwargs)


def _classifier_instance(name: str, value: Any) -> None:
    if isinstance(value, type):
        raise TypeError(
            f"{name} must be an instance of a classifier, got the class {value.__name__}; "
            f"pass {value.__name__}()"
        )
    if isinstance(value, dict):
        raise TypeError(
            f"{name} must be an instance of a classifier, got a dict of parameters; pass "
            f"{name}=<the classifier with these parameters>, or in clone "
            f"{{{name!r}: (Class, {{...}})}}"
        )
    if not isinstance(value, base.Classifier):
        raise TypeError(
            f"{name} must be a river classifier, or a pipeline that ends in one, "
            f"got {value!r} ({type(value).__name__})"
        )


class MTWUClassifier(base.Wrapper, base.MiniBatchClassifier):  # type: ignore[type-arg]
    r"""Multiple times weight updating: `m` updates of a classifier on each instance.

    The classifier's rule is applied `m` times in a row to the same instance [^1]:

    $$w^0 = w_{t-1}, \qquad w^k = w^{k-1} + \Delta(w^{k-1}, x_t, y_t), \quad k = 1 \dots m,
    \qquad w_t = w^m.$$

    The paper reports mistake rates that fall to zero. They are those of the prediction made after
    $m - 1$ updates on the row whose label has just been shown; `evaluate.mtwu_counts` counts them
    beside the honest ones, those of the prediction made before the label is seen.

    *When to use it.* With learners whose step only goes part of the way: a few updates help
    `NHERDClassifier`, `AROWClassifier` and `MulticlassPAClassifier` a little. Where one step
    already solves the row's constraint (passive-aggressive, confidence-weighted), more steps change
    nothing but the cost, and with large steps they make the learner chase its last row.

    Any river classifier can be wrapped, and the object given is the one that is trained. In a
    pipeline the transformers learn once an instance and the last step `m` times. A learner of this
    package encodes the instance once and stops at the first void update (a loss of 0 or less),
    which leaves the same model as the full loop.

    The sample weight `w` and other keywords are handed to the classifier (`w` to each of the `m`
    updates) where it takes them, and dropped where it does not.

    Parameters
    ----------
    classifier
        The classifier to train: an instance, or a pipeline that ends in one.
    m
        Number of updates on each instance, at least 1. With `m=1` the classifier learns as it
        would without the wrapper.
    clock
        When a learner's step counter (the $t$ of `OGDClassifier`, the matrix of `SOPClassifier`,
        the $c_t$ of `IELLIPClassifier`) advances: once an `"instance"`, as in the paper's
        programs, or at every `"update"`. Other classifiers do not know the difference.

    Attributes
    ----------
    n_updates
        Number of updates so far: those with a loss above 0 for a learner of this package, calls of
        `learn_one` for any other classifier.

    Examples
    --------
    >>> import river_nrrls as rn
    >>> from river import datasets, evaluate, metrics, preprocessing

    >>> model = preprocessing.StandardScaler() | rn.MTWUClassifier(rn.MulticlassPAClassifier(), m=4)
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 85.84%

    References
    ----------
    [^1]: Online Learning Using Multiple Times Weight Updating, Algorithm 2.

    """

    classifier = Parameter(_classifier_instance)
    m = Parameter(checks.positive_integer)
    clock = Parameter(checks.choice("instance", "update"))

    def __init__(self, classifier: base.Classifier, m: int = 2, clock: str = "instance") -> None:
        self.classifier = classifier
        self.m = m
        self.clock = clock
        self._calls = 0
        self._prepare()

    def _parameter_changed(self, name: str) -> None:
        if "_calls" in self.__dict__:
            self._prepare()

    def _prepare(self) -> None:
        self._learner = replace_last_step(
            self.classifier, lambda last: _Repeated(last, self.m, self.clock)
        )
        self._counts = not hasattr(last_step(self.classifier), "n_updates")
        self._accepted = {
            method: accepted_keywords(self.classifier, method)
            for method in ("predict_one", "predict_proba_one")
        }

    @property
    def _wrapped_model(self) -> Any:
        return self.classifier

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from river import linear_model

        yield {"classifier": linear_model.LogisticRegression()}

    @property
    def n_updates(self) -> int:
        if self._counts:
            return self._calls
        return int(last_step(self.classifier).n_updates)

    def __getattr__(self, name: str) -> Any:
        # Only what is asked of a fitted learner, so that a wrapper has no method its model lacks.
        if name in _DELEGATED and "classifier" in self.__dict__:
            return getattr(self.classifier, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def learn_one(self, x: dict[FeatureName, Any], y: ClfTarget, **kwargs: Any) -> None:
        """Update the classifier `m` times with a dict of features and its label.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The label.
        kwargs
            The sample weight `w` and other keywords, for a classifier that takes them.

        """
        self._learner.learn_one(x, y, **kwargs)
        if self._counts:
            self._calls += self.m

    def predict_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> Any:
        """Predict the label of a dict of features.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.classifier.predict_one(x, **keep(kwargs, self._accepted["predict_one"]))

    def predict_proba_one(self, x: dict[FeatureName, Any], **kwargs: Any) -> dict[ClfTarget, float]:
        """Predict the probability of each label.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        classifier: base.Classifier = self.classifier
        return classifier.predict_proba_one(x, **keep(kwargs, self._accepted["predict_proba_one"]))

    def learn_many(self, X: Any, y: Any, **kwargs: Any) -> None:
        """Update the classifier with a mini-batch: the result is that of the loop of `learn_one`.

        Parameters
        ----------
        X
            A dataframe of features (pandas, polars, pyarrow …).
        y
            A series of labels.
        kwargs
            Keywords of `learn_one`; `w` is one number for all rows, or a series or list of them.

        """
        learner = self.classifier
        if isinstance(learner, DenseClassifier) and not is_pipeline(learner):
            for rows, codes, weights in learner._encode_many(X, y, kwargs.get("w")):
                for i, code in enumerate(codes.tolist()):
                    w = 1.0 if weights is None else float(weights[i])
                    update_times(learner, rows[i], code, w, self.m, self.clock)
            return
        instances = list(_dicts(X))
        labels = frames.series(y, len(instances), "y").tolist()
        weights = frames.weights(kwargs.pop("w", None), len(instances))
        for i, (x, label) in enumerate(zip(instances, labels, strict=True)):
            if weights is not None:
                kwargs["w"] = float(weights[i])
            self.learn_one(x, label, **kwargs)

    def predict_many(self, X: Any, **kwargs: Any) -> Any:
        """Predict the labels of a mini-batch.

        Parameters
        ----------
        X
            A dataframe of features.

        """
        if _takes_frames(self.classifier, X):
            return self.classifier.predict_many(X)
        return frames.to_series([self.predict_one(x, **kwargs) for x in _dicts(X)], X)

    def predict_proba_many(self, X: Any, **kwargs: Any) -> Any:
        """Predict the probabilities of a mini-batch, a frame with a column for each label.

        Parameters
        ----------
        X
            A dataframe of features.

        """
        if _takes_frames(self.classifier, X):
            return self.classifier.predict_proba_many(X)
        proba = [self.predict_proba_one(x, **kwargs) for x in _dicts(X)]
        labels = dict.fromkeys(label for row in proba for label in row)
        columns = {label: np.array([row.get(label, 0.0) for row in proba]) for label in labels}
        return frames.to_frame(columns, X)

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """A fresh wrapper around a fresh classifier, or with `include_attributes` a trained copy.

        Parameters
        ----------
        new_params
            Parameters to change: `m`, `clock`, and `classifier` as an instance or as
            `(Class, {parameter: value})`; the latter changes parameters of a classifier of that
            class and keeps the others.
        include_attributes
            Whether the clone takes over what the classifier has learnt.

        """
        params = {"m": self.m, "clock": self.clock, **(new_params or {})}
        given = params.pop("classifier", None)
        if given is None:
            classifier = self.classifier.clone(include_attributes=include_attributes)
        elif isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], type):
            same = type(self.classifier) is given[0]
            classifier = (
                self.classifier.clone(given[1], include_attributes=include_attributes)
                if same
                else given[0](**given[1])
            )
        else:
            classifier = copy.deepcopy(given)
        clone = type(self)(classifier, **params)
        if include_attributes:
            clone._calls = self._calls
        return clone

    @property
    def _mutable_attributes(self) -> set[str]:
        return {"classifier", "clock", "m"}

    def mutate(self, new_attrs: dict[str, Any]) -> None:
        """Change parameters in place.

        Parameters
        ----------
        new_attrs
            `m`, `clock`, and under `classifier` a dict of the classifier's own mutable parameters.

        """
        own = dict(new_attrs)
        inner = own.pop("classifier", {})
        if not isinstance(inner, dict):
            raise ValueError(
                f"classifier can only be mutated by a dict of its parameters, got {inner!r}; "
                "make a new MTWUClassifier to change it for another"
            )
        for name, value in own.items():
            if name not in self._mutable_attributes:
                raise ValueError(f"{name!r} is not a mutable attribute of MTWUClassifier")
            type(self).__dict__[name].check(name, value)
        if inner:
            self.classifier.mutate(inner)
        for name, value in own.items():
            setattr(self, name, value)

    def _get_state(self) -> dict[str, Any]:
        """What was learnt, but for the classifier, which is a parameter."""
        return {"calls": self._calls}

    def _set_state(self, state: dict[str, Any]) -> None:
        self._calls = state["calls"]

    def __getstate__(self) -> dict[str, Any]:
        # Equal strings as one object, as in the state of the learners: the bytes of a pickle would
        # tell them apart.
        return {
            "classifier": self.classifier,
            "m": self.m,
            "clock": sys.intern(self.clock),
            "_calls": self._calls,
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        self._prepare()


def _dicts(X: Any) -> Iterator[dict[FeatureName, Any]]:
    """The rows of a frame as dicts."""
    frame = dataframe.into_frame(X)
    names = frame.columns
    for row in frame.iter_rows():
        yield dict(zip(names, row, strict=True))


def _takes_frames(model: Any, X: Any) -> bool:
    """Whether a classifier, and every transformer in front of it, predicts from such a frame."""
    if is_pipeline(model):
        *first, last = model.steps.values()
        return all(_transforms_frames(step) for step in first) and _takes_frames(last, X)
    if isinstance(model, MTWUClassifier):
        return True
    # Of river's own mini-batch classifiers some know pandas only.
    pandas = dataframe.into_frame(X).implementation.is_pandas_like()
    return isinstance(model, DenseClassifier) or (
        pandas and isinstance(model, base.MiniBatchClassifier)
    )


def _transforms_frames(step: Any) -> bool:
    parts = getattr(step, "transformers", None) or getattr(step, "steps", None)
    if parts is None:
        return isinstance(step, base.MiniBatchTransformer)
    return all(_transforms_frames(part) for part in parts.values())
