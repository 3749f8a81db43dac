"""Which law holds for which learner and option: one table, from which tests and docs are made.

Verdicts are "exact" (bit by bit), "rounding" (up to the rounding of floats), or "no: " and why. A
call that cannot keep its law raises with that reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LAWS = {
    "merge": "two models on two parts equal one on both, in any order",
    "unlearn": "removing a row gives the model that never saw it",
    "weight": "an integer weight equals that many repetitions",
    "order": "the order of the rows does not matter",
    "affine": "results do not depend on the unit and the origin of a feature",
    "batch": "a mini-batch equals the loop over its rows",
}

AGE = "no: decayed rows would have to come with their age"
CLOCK = "no: every row, repeated ones too, lets the clock tick"
LATER = "no: later rows count more"
CHOICE = (
    "no: the choice depends on the order of the rows; clone the model with the value it has chosen "
    "and include_attributes=True"
)
RANGE = "no: least and largest values do not say what they were before"
DRIFT = "no: what counts as a drift depends on which rows came when"
WINDOW = "no: rows leave in the order in which they came, and no other"
UNITS = 'no: the ridge is in the units of the features; scaling="standard" makes it so'
RULE = "no: a rule learns from one row after the other"


HOLDS = "rounding"


@dataclass(frozen=True)
class Row:
    """A learner with some options, and its verdict on each law."""

    learner: str
    options: dict[str, Any]
    verdicts: dict[str, str]


def _row(learner: str, *verdicts: str, **options: Any) -> Row:
    return Row(learner, options, dict(zip(LAWS, verdicts, strict=True)))


def _moments(merge: str, unlearn: str, weight: str, order: str, affine: str, **options: Any) -> Row:
    return _row("NRRLSClassifier", merge, unlearn, weight, order, affine, HOLDS, **options)


TABLE = (
    _moments(HOLDS, HOLDS, HOLDS, HOLDS, UNITS),
    _moments(HOLDS, HOLDS, HOLDS, HOLDS, HOLDS, scaling="standard"),
    _moments(HOLDS, RANGE, HOLDS, HOLDS, HOLDS, scaling="minmax"),
    _moments(HOLDS, HOLDS, HOLDS, HOLDS, HOLDS, l2=0.0),
    _moments(HOLDS, HOLDS, HOLDS, HOLDS, UNITS, strategy="shared"),
    _moments(AGE, AGE, CLOCK, LATER, UNITS, forgetting=0.98),
    _moments(
        AGE, AGE, CLOCK, LATER, HOLDS, forgetting=0.98, forgetting_clock="class", scaling="standard"
    ),
    _moments(CHOICE, CHOICE, CHOICE, CHOICE, UNITS, l2="auto"),
    _moments(CHOICE, CHOICE, CHOICE, CHOICE, UNITS, forgetting="auto"),
    _row("RLSClassifier", HOLDS, HOLDS, HOLDS, HOLDS, UNITS, HOLDS),
    _row("RLSClassifier", AGE, AGE, CLOCK, LATER, UNITS, HOLDS, forgetting=0.98),
    _row("WindowedNRRLSClassifier", WINDOW, WINDOW, CLOCK, LATER, UNITS, HOLDS, window_size=40),
    _row("AdaptiveNRRLSClassifier", WINDOW, WINDOW, DRIFT, DRIFT, UNITS, HOLDS),
    *(
        _row(f"{name}Classifier", RULE, RULE, RULE, RULE, RULE, "exact")
        for name in (
            *("Perceptron", "ALMA", "ROMMA", "PA", "OGD", "SOP", "CW", "IELLIP"),
            *("AROW", "NAROW", "NHERD", "SCW", "ACOG", "ONS"),
            *(
                f"Multiclass{name}"
                for name in ("Perceptron", "PA", "OGD", "ROMMA", "AROW", "CW", "SCW")
            ),
        )
    ),
)


def refusal(call: str, options: dict[str, Any]) -> str | None:
    """Why a call cannot be exact under a learner's options; None where it can."""
    law = "unlearn" if call.startswith("unlearn") else call
    for option, value, laws, reason in (
        ("l2", "auto", ("merge", "unlearn"), CHOICE),
        ("forgetting", "auto", ("merge", "unlearn"), CHOICE),
        ("scaling", "minmax", ("unlearn",), RANGE),
    ):
        if law in laws and options.get(option) == value:
            return f"{call} is not possible with {option}={value!r}: {reason[4:]}"
    if options.get("forgetting", 1.0) != 1.0:
        return f"{call} is not possible with forgetting < 1: {AGE[4:]}"
    return None


def markdown() -> str:
    """The table for the documentation."""
    lines = [
        "| learner | " + " | ".join(LAWS) + " |",
        "| --- |" + " --- |" * len(LAWS),
    ]
    notes: list[str] = []
    for row in TABLE:
        shown = ", ".join(f"{name}={value!r}" for name, value in row.options.items())
        cells = [f"`{row.learner}({shown})`"]
        for law in LAWS:
            verdict = row.verdicts[law]
            if verdict.startswith("no: "):
                if verdict not in notes:
                    notes.append(verdict)
                verdict = f"no ({notes.index(verdict) + 1})"
            cells.append(verdict)
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    lines += [f"{k}. {note[4:]}" for k, note in enumerate(notes, start=1)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
