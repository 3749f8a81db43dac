"""The reduced multivariate polynomial model as a river transformer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from river import base
from river.base.typing import FeatureName

from ..dense import Parameter, checks, frames

# Plans kept for the sets of names seen last; more than a few only come up when rows lack features.
_MOST_PLANS = 64


class ReducedPolynomialExtender(base.MiniBatchTransformer):
    r"""Polynomial features whose number grows linearly with the order, not exponentially.

    With the sum $s = \sum_j x_j$ of the $l$ features present and order $r$ the terms are

    $$1, \quad x_j^k \; (k \le r), \quad s^k \; (k \le r), \quad x_j s^{k-1} \; (2 \le k \le r)$$

    that is $1 + r + l (2 r - 1)$ terms, where the full polynomial has $\binom{l + r}{r}$. All
    products of features are in it, but tied together: they enter through the sum only. An absent
    feature counts as 0.

    Use it in front of a linear learner, when the classes cannot be parted by a plane and a full
    polynomial is out of reach. The sum mixes all features, so they should be on one scale:
    standardise them or map them to [0, 1] first. Terms of high order are nearly collinear: give the
    learner a ridge, and let it standardise (`scaling="standard"` of `NRRLSClassifier`).

    Parameters
    ----------
    order
        The order r of the polynomial, at least 1.
    include_bias
        Whether to add the constant term. A learner with an intercept of its own does not need it.
    redundant
        Whether to add the r powers of the sum. They are linear combinations of the other terms:
        $\sum_j x_j s^{k-1} = s^k$, so dropping them loses nothing but what a ridge makes of them.
    squash
        None, or "tanh" to put $\tanh(x_j)$ in the place of $x_j$ everywhere. Terms of unbounded
        features are then bounded, by $l^r$, whatever comes.

    Examples
    --------

    >>> from river import evaluate, metrics, preprocessing
    >>> import river_nrrls as rn
    >>> from river_nrrls import feature_extraction

    >>> extender = feature_extraction.ReducedPolynomialExtender(order=2)
    >>> extender.transform_one({"a": 2.0, "b": 3.0})
    {'bias': 1.0, 'a': 2.0, 'b': 3.0, 'a^2': 4.0, 'b^2': 9.0, 'sum': 5.0, 'sum^2': 25.0,
    'a*sum': 10.0, 'b*sum': 15.0}

    >>> dataset = rn.datasets.load("tic-tac-toe")
    >>> model = (
    ...     feature_extraction.ReducedPolynomialExtender(order=2) |
    ...     rn.NRRLSClassifier()
    ... )
    >>> evaluate.progressive_val_score(dataset, model, metrics.GeometricMean())
    GeometricMean: 97.41%

    References
    ----------
    [^1]: Toh, K.-A., Tran, Q.-L. and Srinivasan, D. (2004). Benchmarking a reduced multivariate
        polynomial pattern classifier. IEEE Transactions on Pattern Analysis and Machine
        Intelligence, 26(6):740-755.
    [^2]: [Jang, S.-I. (2023). Deterministic online classification: non-iteratively reweighted
        recursive least-squares for binary class rebalancing](https://arxiv.org/abs/2301.09230),
        section 4.1

    """

    order = Parameter(checks.positive_integer)
    include_bias = Parameter(checks.boolean)
    redundant = Parameter(checks.boolean)
    squash = Parameter(checks.choice(None, "tanh"))

    def __init__(
        self,
        order: int = 2,
        include_bias: bool = True,
        redundant: bool = True,
        squash: str | None = None,
    ) -> None:
        self.order = order
        self.include_bias = include_bias
        self.redundant = redundant
        self.squash = squash

    def _parameter_changed(self, name: str) -> None:
        self._plans: dict[tuple[FeatureName, ...], list[FeatureName]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_plans": {}}

    def transform_one(self, x: dict[FeatureName, Any]) -> dict[FeatureName, float]:
        """Extend a row.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        key = tuple(x)
        names = self._plans.get(key) or self._plan(key)
        v = list(x.values())
        try:
            s = sum(v, 0.0)
            finite = s - s == 0.0
        except (TypeError, OverflowError):
            finite = False
        if not finite:
            v = list(checks.features(x).values())
            s = sum(v)
        if self.squash is not None:
            v = list(map(math.tanh, v))
            s = sum(v)
        terms = [1.0, *v] if self.include_bias else v.copy()
        power = v
        for _ in range(1, self.order):
            power = [a * b for a, b in zip(power, v, strict=True)]
            terms += power
        sums = [s]
        for _ in range(1, self.order):
            sums.append(sums[-1] * s)
        if self.redundant:
            terms += sums
        for t in sums[:-1]:
            terms += [a * t for a in v]
        return dict(zip(names, terms, strict=True))

    def transform_many(self, X: Any) -> Any:
        """Extend a mini-batch: a frame of the same library, with a column for each term.

        Parameters
        ----------
        X
            A dataframe of features (pandas, polars, pyarrow …).

        """
        columns, V = frames.features(X)
        names = self._plan(tuple(columns))
        if self.squash is not None:
            V = np.tanh(V)
        return frames.to_frame(dict(zip(names, self._terms(V).T, strict=True)), X)

    def _terms(self, V: np.ndarray) -> np.ndarray:
        """The terms of each row of an (n, l) matrix, in the order of `transform_one`."""
        n, l = V.shape
        s = V.sum(axis=1, keepdims=True)
        powers = [V]
        sums = [s]
        for _ in range(1, self.order):
            powers.append(powers[-1] * V)
            sums.append(sums[-1] * s)
        parts = [np.ones((n, 1))] if self.include_bias else []
        parts += powers
        if self.redundant:
            parts += sums
        parts += [V * t for t in sums[:-1]]
        return np.hstack(parts)

    def _plan(self, features: tuple[FeatureName, ...]) -> list[FeatureName]:
        """Names of the terms, in order."""
        inner = [f"tanh({name})" if self.squash else name for name in features]
        names: list[FeatureName] = ["bias"] if self.include_bias else []
        names += inner
        names += [f"{name}^{k}" for k in range(2, self.order + 1) for name in inner]
        sums = ["sum", *(f"sum^{k}" for k in range(2, self.order + 1))]
        if self.redundant:
            names += sums
        names += [f"{name}*{term}" for term in sums[:-1] for name in inner]
        if len(set(names)) < len(names):
            double = next(name for i, name in enumerate(names) if name in names[:i])
            raise ValueError(
                f"two terms would be called {double!r} with the features {list(features)!r}; "
                "rename the feature that looks like a term (compose.Renamer)"
            )
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[features] = names
        return names
