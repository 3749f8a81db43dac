"""Choose the order of a polynomial and the ridge on the training rows alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from river import preprocessing
from river.base.typing import FeatureName

from ..dense import checks, frames
from ..feature_extraction import ReducedPolynomialExtender
from ..least_squares import NRRLSClassifier

__all__ = ["RidgeAndOrder", "select_ridge_and_order"]

LOSSES = ("mixed", "squared", "zero_one")

# Rows whose terms are in memory at a time.
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class RidgeAndOrder:
    """What `select_ridge_and_order` chose.

    Parameters
    ----------
    order
        Order of the polynomial.
    interactions
        "sum" for the reduced polynomial, "pairs" for the full one of order 2.
    l2
        The ridge, for standardised terms.
    error
        The mean loss on rows that were left out, each class counted alike.
    squash
        What bounds the features, as given.
    candidates
        A dict for each candidate: `order`, `interactions`, `l2`, `n_terms`, `error`.

    """

    order: int
    interactions: str
    l2: float
    error: float
    squash: float | None
    candidates: list[dict[str, Any]] = field(repr=False)

    def model(self) -> Any:
        """A fresh pipeline: a scaler, the polynomial, and `NRRLSClassifier` with the ridge."""
        extender = _extender(self.order, self.interactions, self.squash)
        classifier = NRRLSClassifier(l2=self.l2, scaling="standard")
        return preprocessing.StandardScaler() | extender | classifier

    def fit(self, X: Any, y: Any) -> Any:
        """The pipeline trained on rows, the scaler on all of them before the classifier starts.

        Parameters
        ----------
        X
            A dataframe, or a list of dicts of features.
        y
            Labels, False and True.

        """
        model = self.model()
        if not isinstance(X, list):
            model.learn_many(X, y)
            return model
        scaler, extender, classifier = model.steps.values()
        for x in X:
            scaler.learn_one(x)
        for x, label in zip(X, y, strict=True):
            classifier.learn_one(extender.transform_one(scaler.transform_one(x)), label)
        return model


def select_ridge_and_order(
    X: Any,
    y: Any,
    orders: Sequence[int] = (1, 2, 3, 4, 5),
    l2s: Sequence[float] | None = None,
    *,
    pairs: bool = True,
    squash: float | None = 3.0,
    loss: str = "mixed",
    plain_l2: float = 0.01,
    standard_errors: float = 1.5,
    n_folds: int | None = None,
    max_terms: int = 1000,
) -> RidgeAndOrder:
    r"""Choose the order of the polynomial and the ridge of NR-RLS by what it says of unseen rows.

    For each order all ridges are solved from one eigendecomposition of the class moments
    $S = S^- + S^+$ of the standardised terms, $w(l_2) = V (\Lambda + l_2)^{-1} V^T z$. Then every
    row is scored as if it had not been learnt:

    * by leaving one out, without learning anything again: taking row i of weight $\omega_i = 1/n_c$
      out of the moments changes its own score f to $t - (t - f) / (1 - h)$ with the leverage
      $h = \omega_i (x_i^T (S + l_2)^{-1} x_i + 1/2)$;
    * or by `n_folds` folds, whose models are the moments of all rows minus those of a fold.

    The candidate with the least mean loss wins, but for the plain linear model with next to no
    ridge: that one is kept unless the winner is better by more than chance. Nothing is drawn at
    random: the folds deal the rows of each class out in turn.

    Parameters
    ----------
    X
        A dataframe of the training rows, or a list of dicts of features.
    y
        Labels, False and True, a series or a list.
    orders
        Orders of the reduced polynomial.
    l2s
        Ridges, for terms of variance 1; $10^{-5}, 10^{-4.5}, \dots, 10$ by default.
    pairs
        Whether the full polynomial of order 2 is a candidate as well.
    squash
        What bounds the standardised features where the order is above 1, as in
        `ReducedPolynomialExtender`.
    loss
        Of a row with target t and score f, averaged over each class: "squared" is $(t - f)^2$,
        "zero_one" is 1 for a wrong decision, "mixed" is their sum. The first is steady but speaks
        of scores, the second speaks of decisions but is coarse.
    plain_l2
        Ridge of the plain model, of order 1.
    standard_errors
        How much better than the plain model the winner must be, in standard errors of the
        difference over the rows. It is above 1 since the best of many candidates owes something to
        luck. Without an order of 1 it does not matter.
    n_folds
        Number of folds; None to leave one row out at a time.
    max_terms
        Candidates with more terms are left out, but for the lowest order.

    Examples
    --------

    >>> import river_nrrls as rn
    >>> from river_nrrls import evaluate

    >>> rows, labels = map(list, zip(*rn.datasets.load("monks-3")))
    >>> choice = evaluate.select_ridge_and_order(rows, labels)
    >>> choice.order, choice.interactions, round(choice.l2, 3), round(choice.error, 3)
    (2, 'pairs', 0.1, 0.395)

    >>> model = choice.fit(rows, labels)
    >>> evaluate.gmean(labels, map(model.predict_one, rows))
    0.9509

    References
    ----------
    [^1]: Allen, D. M. (1974). The relationship between variable selection and data augmentation and
        a method for prediction. Technometrics, 16(1):125-127.

    """
    names, V = _features(X)
    labels = _labels(y, len(V))
    ridges = np.sort(np.logspace(-5, 1, 13) if l2s is None else np.array(l2s, dtype=float))[::-1]
    _check(orders, ridges, loss, plain_l2, standard_errors, n_folds, max_terms, labels)
    mean, spread = V.mean(axis=0), V.std(axis=0)
    Z = (V - mean) / np.where(spread > 0.0, spread, np.inf)
    kinds = [(order, "sum") for order in sorted(set(orders))]
    if pairs:
        kinds = sorted([*kinds, (2, "pairs")], key=lambda kind: kind[0])
    t, omega = _targets(labels)
    candidates: list[dict[str, Any]] = []
    plain: tuple[dict[str, Any], np.ndarray] | None = None
    best: tuple[dict[str, Any], np.ndarray] | None = None
    for order, interactions in kinds:
        extender = _extender(order, interactions, squash)
        n_terms = extender.n_terms(len(names))
        if n_terms > max_terms and candidates:
            continue
        tried = np.append(ridges, plain_l2) if order == 1 else ridges
        if n_folds is None:
            scores = leave_one_out(extender.terms, Z, labels, tried)
        else:
            scores = folded(extender.terms(Z), labels, tried, n_folds)
        of_rows = losses(t[:, None], scores, loss)
        own: list[dict[str, Any]] = [
            {
                "order": order,
                "interactions": interactions,
                "l2": l2,
                "n_terms": n_terms,
                "error": error,
            }
            for l2, error in zip(tried.tolist(), (omega @ of_rows / 2.0).tolist(), strict=True)
        ]
        candidates += own
        if order == 1:
            plain = own[-1], of_rows[:, -1]
        for i, candidate in enumerate(own):
            if best is None or candidate["error"] < best[0]["error"]:
                best = candidate, of_rows[:, i]
    assert best is not None
    if plain is not None and not _better(best, plain, labels, standard_errors):
        best = plain
    chosen = best[0]
    return RidgeAndOrder(
        chosen["order"], chosen["interactions"], chosen["l2"], chosen["error"], squash, candidates
    )


def _better(
    first: tuple[dict[str, Any], np.ndarray],
    second: tuple[dict[str, Any], np.ndarray],
    y: np.ndarray,
    standard_errors: float,
) -> bool:
    """Whether one loss is below another by so many standard errors over the rows."""
    difference = second[1] - first[1]
    variance = sum(difference[c].var(ddof=1) / c.sum() for c in (y, ~y)) / 4.0
    gained = float(second[0]["error"] - first[0]["error"])
    return gained > standard_errors * float(np.sqrt(variance))


def _extender(order: int, interactions: str, squash: float | None) -> ReducedPolynomialExtender:
    """The terms of a candidate; a linear model needs no bound."""
    return ReducedPolynomialExtender(
        order=order,
        include_bias=False,
        redundant=False,
        interactions=interactions,
        squash=None if order == 1 else squash,
    )


def losses(t: np.ndarray, scores: np.ndarray, loss: str) -> np.ndarray:
    """The loss of each score; a score of 0 says True."""
    wrong = np.where(t > 0.0, scores < 0.0, scores >= 0.0)
    if loss == "zero_one":
        return wrong.astype(float)
    squared = (t - scores) ** 2
    return np.asarray(squared if loss == "squared" else squared + wrong)


def leave_one_out(
    terms: Callable[[np.ndarray], np.ndarray], Z: np.ndarray, y: np.ndarray, l2s: np.ndarray
) -> np.ndarray:
    """Scores (n, ridges) of rows that were left out, the terms being standardised once."""
    t, omega = _targets(y)
    n, p = len(Z), terms(Z[:1]).shape[1]
    if p > n:
        rows, _ = _standardised(terms(Z), y)
        root = np.sqrt(omega)
        A = rows * root[:, None]
        values, U = np.linalg.eigh(A @ A.T)
        values = np.maximum(values, 0.0)
        shrunk = values[:, None] / (values[:, None] + l2s)
        f = (U @ ((U.T @ (root * t))[:, None] * shrunk)) / root[:, None]
        h = U**2 @ shrunk + omega[:, None] / 2.0
        return _left_out(t, f, h)
    centre, scale, kept, R = _moments(terms, Z, y, omega)
    values, V = np.linalg.eigh(R)
    inverse = 1.0 / (np.maximum(values, 0.0)[:, None] + l2s)
    f, h = np.empty((n, len(l2s))), np.empty((n, len(l2s)))
    z = np.zeros(len(R))
    for block in _blocks(n):
        z += ((terms(Z[block])[:, kept] - centre) / scale).T @ (omega[block] * t[block])
    u = (V.T @ z)[:, None] * inverse
    for block in _blocks(n):
        G = ((terms(Z[block])[:, kept] - centre) / scale) @ V
        f[block] = G @ u
        h[block] = omega[block, None] * (G**2 @ inverse + 0.5)
    return _left_out(t, f, h)


def _left_out(t: np.ndarray, f: np.ndarray, h: np.ndarray) -> np.ndarray:
    t = t[:, None]
    return np.asarray(t - (t - f) / np.maximum(1.0 - h, 1e-12))


def folded(A: np.ndarray, y: np.ndarray, l2s: np.ndarray, n_folds: int) -> np.ndarray:
    """Scores (n, ridges) of rows by the models of the other folds, equal to training them."""
    fold = np.empty(len(y), dtype=int)
    for start, label in ((0, True), (int(y.sum()), False)):
        fold[y == label] = (start + np.arange((y == label).sum())) % n_folds
    n, p = A.shape
    scores = np.empty((n, len(l2s)))
    if p > n:
        for k in range(n_folds):
            out = fold == k
            rows, (centre, scale, kept) = _standardised(A[~out], y[~out])
            t, omega = _targets(y[~out])
            root = np.sqrt(omega)
            K = (rows * root[:, None]) @ (rows.T * root)
            values, U = np.linalg.eigh(K)
            inverse = 1.0 / (np.maximum(values, 0.0)[:, None] + l2s)
            dual = U @ ((U.T @ (root * t))[:, None] * inverse)
            scores[out] = ((A[out][:, kept] - centre) / scale) @ (rows.T @ (dual * root[:, None]))
        return scores
    shift = A.mean(axis=0)
    A = A - shift
    ones = np.ones((n, 1))
    rows = np.hstack([ones, A])
    parts = [[_gram(rows[(fold == k) & (y == c)]) for c in (False, True)] for k in range(n_folds)]
    whole = [sum(part[c] for part in parts) for c in (0, 1)]
    for k in range(n_folds):
        low, high = (whole[c] - parts[k][c] for c in (0, 1))
        both = low + high
        mean = both[1:, 0] / both[0, 0]
        variance = np.diag(both)[1:] / both[0, 0] - mean**2
        kept = variance > 1e-18 * np.maximum(1.0, shift**2)
        scale = np.sqrt(variance[kept])
        m0, m1 = low[1:, 0] / low[0, 0], high[1:, 0] / high[0, 0]
        centre = (m0 + m1) / 2.0
        half = (m1 - m0) / 2.0
        S = sum(M[1:, 1:] / M[0, 0] - np.outer(m, m) for M, m in ((low, m0), (high, m1)))
        R = (S + 2.0 * np.outer(half, half))[np.ix_(kept, kept)] / np.outer(scale, scale)
        values, V = np.linalg.eigh(R)
        inverse = 1.0 / (np.maximum(values, 0.0)[:, None] + l2s)
        u = V @ ((V.T @ (2.0 * half[kept] / scale))[:, None] * inverse)
        out = fold == k
        scores[out] = ((A[out] - centre)[:, kept] / scale) @ u
    return scores


def _gram(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows.T @ rows)


def _targets(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Targets -1 and +1, and weights by which each class sums to 1."""
    return np.where(y, 1.0, -1.0), np.where(y, 1.0 / y.sum(), 1.0 / (~y).sum())


def _standardised(
    A: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Columns about the midpoint of the class means, over their standard deviations.

    About that point the unpenalised intercept is 0.
    """
    centre = (A[y].mean(axis=0) + A[~y].mean(axis=0)) / 2.0
    spread = A.std(axis=0)
    kept = spread > 1e-9 * np.maximum(1.0, np.abs(centre))
    centre, scale = centre[kept], spread[kept]
    return (A[:, kept] - centre) / scale, (centre, scale, kept)


def _moments(
    terms: Callable[[np.ndarray], np.ndarray], Z: np.ndarray, y: np.ndarray, omega: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Centre, scale and choice of the columns as in `_standardised`, and their moments S.

    The terms of all rows are never in memory together.
    """
    n = len(Z)
    total: Any = 0.0
    weighted: Any = 0.0
    for block in _blocks(n):
        A = terms(Z[block])
        total = total + A.sum(axis=0)
        weighted = weighted + omega[block] @ A
    mean, centre = total / n, weighted / 2.0
    R: Any = 0.0
    squares: Any = 0.0
    for block in _blocks(n):
        A = terms(Z[block])
        squares = squares + ((A - mean) ** 2).sum(axis=0)
        A -= centre
        R = R + A.T @ (A * omega[block, None])
    spread = np.sqrt(squares / n)
    kept = spread > 1e-9 * np.maximum(1.0, np.abs(centre))
    scale = spread[kept]
    return centre[kept], scale, kept, R[np.ix_(kept, kept)] / np.outer(scale, scale)


def _blocks(n: int) -> Iterator[slice]:
    for start in range(0, n, _BLOCK):
        yield slice(start, start + _BLOCK)


def _features(X: Any) -> tuple[list[FeatureName], np.ndarray]:
    """Names and matrix of a frame, or of a list of dicts, where what is absent is 0."""
    if not isinstance(X, list | tuple):
        return frames.features(X)
    rows = [checks.features(x) for x in X]
    names = list(dict.fromkeys(name for x in rows for name in x))
    return names, np.array([[x.get(name, 0.0) for name in names] for x in rows])


def _labels(y: Any, n: int) -> np.ndarray:
    values = list(y) if isinstance(y, list | tuple) else frames.series(y, n, "y").tolist()
    if len(values) != n:
        raise ValueError(f"y has {len(values)} values for {n} rows of X")
    for value in values:
        if value not in (False, True):
            raise ValueError(f"y must hold False and True, got {value!r}; map other labels to them")
    return np.array(values, dtype=bool)


def _check(
    orders: Iterable[int],
    l2s: np.ndarray,
    loss: str,
    plain_l2: float,
    standard_errors: float,
    n_folds: int | None,
    max_terms: int,
    y: np.ndarray,
) -> None:
    orders = list(orders)
    if not orders:
        raise ValueError("orders is empty: give at least one, such as (1,)")
    for order in orders:
        checks.positive_integer("orders", order)
    if not len(l2s):
        raise ValueError("l2s is empty: give at least one ridge, such as (1e-4,)")
    for l2 in l2s.tolist():
        checks.positive("l2s", l2)
    checks.choice(*LOSSES)("loss", loss)
    checks.positive("plain_l2", plain_l2)
    checks.non_negative("standard_errors", standard_errors)
    checks.positive_integer("max_terms", max_terms)
    least = 2
    if n_folds is not None:
        checks.positive_integer("n_folds", n_folds)
        if n_folds == 1:
            raise ValueError("n_folds must be at least 2, or None to leave one row out, got 1")
        least = n_folds
    rarest = min(int(y.sum()), int((~y).sum()))
    if rarest < least:
        raise ValueError(
            f"the rarer class has {rarest} rows, but {least} are needed to leave some out; "
            "gather more, or set n_folds lower"
        )
