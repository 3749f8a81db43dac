"""What a trained model would have been under other ridges and costs: no second pass of training."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from river.base.typing import ClfTarget

from ..dense import checks
from ..least_squares import NRRLSClassifier

__all__ = ["cost_curve", "ridge_path"]

RIDGES = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)
COSTS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def ridge_path(
    model: NRRLSClassifier, ridges: Sequence[float] = RIDGES, data: Iterable[Any] | None = None
) -> list[dict[str, Any]]:
    """The weights of a trained model under each of some ridges.

    A clone is solved anew from the moments for each ridge; the model stays as it is.

    Parameters
    ----------
    model
        A trained `NRRLSClassifier`.
    ridges
        Values of `l2`.
    data
        Rows to score each ridge on, `(x, y)` or `(x, y, {"w": ...})`; best such as the model has
        not learnt.

    Returns
    -------
    One row for each ridge, label and feature: `l2`, `label` (True for the only form of False and
    True), `feature`, `weight` and `std_error`. With data each of them also carries the ridge's
    `geometric_mean`, `accuracy` and `log_loss`. `pandas.DataFrame` takes the list as it is.

    Examples
    --------

    >>> import river_nrrls as rn
    >>> from river import datasets

    >>> rows = list(datasets.Phishing())
    >>> model = rn.NRRLSClassifier(scaling="standard")
    >>> for x, y in rows[:900]:
    ...     model.learn_one(x, y)

    >>> path = rn.evaluate.ridge_path(model, ridges=(0.01, 1.0), data=rows[900:])
    >>> for row in path[::9]:
    ...     print(row["l2"], row["feature"], round(row["weight"], 3), round(row["log_loss"], 3))
    0.01 empty_server_form_handler -0.961 0.223
    1.0 empty_server_form_handler -0.687 0.228

    """
    clone, rows = _prepared(model, data)
    path = []
    for l2 in ridges:
        clone.mutate({"l2": l2})
        scores = {} if data is None else _scores(clone, rows)
        weights, errors = clone.weights, clone.weights_std_error
        if clone._binary or not clone.class_counts:
            weights, errors = {True: weights}, {True: errors}
        path += [
            {
                "l2": l2,
                "label": label,
                "feature": feature,
                "weight": weight,
                "std_error": errors[label][feature],
                **scores,
            }
            for label, form in weights.items()
            for feature, weight in form.items()
        ]
    return path


def cost_curve(
    model: NRRLSClassifier,
    data: Iterable[Any],
    costs: Sequence[float] = COSTS,
    label: ClfTarget = True,
) -> list[dict[str, Any]]:
    r"""What a trained model would decide if mistakes on one label cost more, or less.

    A clone is solved anew from the moments for each cost; the model stays as it is. With the rates
    of mistakes on the label and on all others, $m_1$ and $m_0$, and a cost of c, the normalised
    expected cost of equally frequent classes is $(c \, m_1 + m_0) / (c + 1)$, against
    $\min(c, 1) / (c + 1)$ of always deciding the same [^1].

    Parameters
    ----------
    model
        A trained `NRRLSClassifier`.
    data
        Rows to decide on, `(x, y)` or `(x, y, {"w": ...})`; best such as the model has not learnt.
    costs
        Costs of a mistake on the label, where one on any other costs what `model.costs` says, or 1.
    label
        The label whose cost changes.

    Returns
    -------
    One row for each cost: `cost`, `miss_rate` (of the label's rows), `false_alarm_rate` (of all
    other rows), `precision`, `geometric_mean` of the two rates of hits, `expected_cost` and
    `trivial_cost` as above. `pandas.DataFrame` takes the list as it is. Rates of no rows are NaN.

    Examples
    --------

    >>> import river_nrrls as rn
    >>> from river import datasets

    >>> rows = list(datasets.Phishing())
    >>> model = rn.NRRLSClassifier(l2=0.1, scaling="standard")
    >>> for x, y in rows[:900]:
    ...     model.learn_one(x, y)

    >>> for row in rn.evaluate.cost_curve(model, rows[900:], costs=(0.2, 1.0, 5.0)):
    ...     print(row["cost"], round(row["miss_rate"], 3), round(row["false_alarm_rate"], 3))
    0.2 0.273 0.034
    1.0 0.076 0.107
    5.0 0.012 0.236

    References
    ----------
    [^1]: [Drummond, C. and Holte, R. C. (2006). Cost curves: an improved method for visualizing
        classifier performance](https://doi.org/10.1007/s10994-006-8199-5), Machine Learning 65

    """
    clone, rows = _prepared(model, data)
    if label not in clone.class_counts:
        raise ValueError(
            f"label {label!r} is unknown to the model, which has seen {list(clone.class_counts)}"
        )
    curve = []
    for cost in costs:
        clone.mutate({"costs": {**(model.costs or {}), label: cost}})
        own = rest = missed = alarms = 0.0
        for x, y, w in rows:
            chosen = clone.predict_one(x) == label
            if y == label:
                own += w
                missed += w * (not chosen)
            else:
                rest += w
                alarms += w * chosen
        miss_rate, false_alarm_rate = _rate(missed, own), _rate(alarms, rest)
        curve.append(
            {
                "cost": cost,
                "miss_rate": miss_rate,
                "false_alarm_rate": false_alarm_rate,
                "precision": _rate(own - missed, own - missed + alarms),
                "geometric_mean": math.sqrt((1.0 - miss_rate) * (1.0 - false_alarm_rate)),
                "expected_cost": (cost * miss_rate + false_alarm_rate) / (cost + 1.0),
                "trivial_cost": min(cost, 1.0) / (cost + 1.0),
            }
        )
    return curve


def _prepared(
    model: NRRLSClassifier, data: Iterable[Any] | None
) -> tuple[NRRLSClassifier, list[tuple[Any, Any, float]]]:
    """A clone to change at will, and the rows with their weights."""
    # isinstance() looks through river's pipelines at their last step.
    if not issubclass(type(model), NRRLSClassifier):
        raise TypeError(
            f"model must be a trained NRRLSClassifier, got {type(model).__name__}; take the last "
            "step of a pipeline and pass data through those before it, or use scaling= instead"
        )
    rows = []
    for x, y, *rest in data if data is not None else ():
        options = rest[0] if rest and isinstance(rest[0], Mapping) else {}
        rows.append((x, y, checks.weight(options.get("w", 1.0))))
    return model.clone(include_attributes=True), rows


def _rate(part: float, whole: float) -> float:
    return part / whole if whole > 0.0 else math.nan


def _scores(model: NRRLSClassifier, rows: list[tuple[Any, Any, float]]) -> dict[str, float]:
    total: Counter[Any] = Counter()
    hits: Counter[Any] = Counter()
    loss = 0.0
    for x, y, w in rows:
        total[y] += w  # type: ignore[assignment]
        hits[y] += w * (model.predict_one(x) == y)
        # As river's LogLoss holds them.
        p = min(max(model.predict_proba_one(x).get(y, 0.0), 1e-15), 1.0 - 1e-15)
        loss -= w * math.log(p)
    n = float(sum(total.values()))
    recalls = [_rate(hits[y], total[y]) for y in total]
    return {
        "geometric_mean": math.prod(recalls) ** (1.0 / len(recalls)) if recalls else math.nan,
        "accuracy": _rate(float(sum(hits.values())), n),
        "log_loss": _rate(loss, n),
    }
