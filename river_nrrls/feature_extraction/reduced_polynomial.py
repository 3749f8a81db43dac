"""The reduced multivariate polynomial model as a river transformer."""

from __future__ import annotations

from itertools import combinations, starmap
from math import tanh
from operator import mul
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
    `evaluate.select_ridge_and_order` chooses the order.

    Parameters
    ----------
    order
        The order r of the polynomial, at least 1.
    include_bias
        Whether to add the constant term. A learner with an intercept of its own does not need it.
    redundant
        Whether to add the r powers of the sum. They are linear combinations of the other terms:
        $\sum_j x_j s^{k-1} = s^k$, so dropping them loses nothing but what a ridge makes of them.
    interactions
        "sum" for the mixed terms above. "pairs" puts the products $x_i x_j, i < j$, in the place of
        all terms with the sum: $1 + l r + l (l - 1) / 2$ terms; with order 2 that is the full
        polynomial.
    squash
        None, or a number s, to put $s \tanh(x_j / s)$ in the place of $x_j$ everywhere: next to
        $x_j$ where it is small against s, and never beyond s, so that the terms of unbounded
        features are bounded, by $(l s)^r$, whatever comes. After a standard scaler 3 is a good
        value.

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
    interactions = Parameter(checks.choice("sum", "pairs"))
    squash = Parameter(checks.either(None, checks.positive))

    def __init__(
        self,
        order: int = 2,
        include_bias: bool = True,
        redundant: bool = True,
        interactions: str = "sum",
        squash: float | None = None,
    ) -> None:
        self.order = order
        self.include_bias = include_bias
        self.redundant = redundant
        self.interactions = interactions
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
            bound = self.squash
            v = [bound * tanh(a / bound) for a in v]
            s = sum(v)
        terms = [1.0, *v] if self.include_bias else v.copy()
        power = v
        for _ in range(1, self.order):
            power = [a * b for a, b in zip(power, v, strict=True)]
            terms += power
        if self.interactions == "pairs":
            terms += starmap(mul, combinations(v, 2))
        else:
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
        terms = self.terms(V).T
        return frames.to_frame(dict(zip(self._plan(tuple(columns)), terms, strict=True)), X)

    def n_terms(self, n_features: int) -> int:
        """The number of terms of a row.

        Parameters
        ----------
        n_features
            The number l of features of the row.

        Examples
        --------

        >>> from river_nrrls.feature_extraction import ReducedPolynomialExtender

        >>> ReducedPolynomialExtender(order=6).n_terms(8)
        95

        """
        if self.interactions == "pairs":
            mixed = n_features * (n_features - 1) // 2
        else:
            mixed = n_features * (self.order - 1) + self.order * self.redundant
        return int(self.include_bias + n_features * self.order + mixed)

    def terms(self, V: np.ndarray) -> np.ndarray:
        """The terms of many rows as a matrix, in the order of `transform_one`.

        Parameters
        ----------
        V
            Features, (n, l).

        """
        if self.squash is not None:
            V = self.squash * np.tanh(V / self.squash)
        powers = [V]
        for _ in range(1, self.order):
            powers.append(powers[-1] * V)
        parts = [np.ones((len(V), 1)), *powers] if self.include_bias else powers
        if self.interactions == "pairs":
            i, j = np.triu_indices(V.shape[1], 1)
            return np.hstack([*parts, V[:, i] * V[:, j]])
        sums = [V.sum(axis=1, keepdims=True)]
        for _ in range(1, self.order):
            sums.append(sums[-1] * sums[0])
        if self.redundant:
            parts += sums
        return np.hstack([*parts, *(V * t for t in sums[:-1])])

    def _plan(self, features: tuple[FeatureName, ...]) -> list[FeatureName]:
        """Names of the terms, in order."""
        squash = self.squash is not None
        inner = [f"tanh({name})" if squash else name for name in features]
        names: list[FeatureName] = ["bias"] if self.include_bias else []
        names += inner
        names += [f"{name}^{k}" for k in range(2, self.order + 1) for name in inner]
        if self.interactions == "pairs":
            names += [f"{a}*{b}" for a, b in combinations(inner, 2)]
        else:
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
