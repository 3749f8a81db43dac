from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs

from river_nrrls import evaluate
from river_nrrls.evaluate.ranks import _groups

NAMES = ("PE", "PA", "CW", "AROW", "RLS", "NR")


def table(seed=0, n=15):
    rng = np.random.default_rng(seed)
    return {name: (rng.random(n) + 0.15 * i).tolist() for i, name in enumerate(NAMES)}


@pytest.mark.parametrize("seed", range(3))
def test_nemenyi_agrees_with_scikit_posthocs(seed):
    scores = table(seed)
    result = evaluate.friedman_nemenyi(scores)
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(pd.DataFrame(scores))
    for (a, b), p in result.p_values.items():
        assert p == pytest.approx(theirs.loc[a, b], abs=1e-9)
    assert len(result.p_values) == 15
    for a, b in itertools.combinations(NAMES, 2):
        p = result.p_values.get((a, b), result.p_values.get((b, a)))
        assert result.differ(a, b) == (p < 0.05)


def test_critical_difference_is_demsars():
    """Table 5 of Demšar (2006): q = 2.850 for 6 learners at 0.05."""
    result = evaluate.friedman_nemenyi(table())
    assert result.critical_difference == pytest.approx(2.850 * np.sqrt(6 * 7 / (6 * 15)), abs=1e-3)


def test_groups_hold_what_does_not_differ():
    result = evaluate.friedman_nemenyi(table(n=12))
    together = {
        frozenset(pair) for group in result.groups for pair in itertools.combinations(group, 2)
    }
    for a, b in itertools.combinations(NAMES, 2):
        assert result.differ(a, b) == (frozenset((a, b)) not in together)


def test_the_papers_own_groups_come_out_of_its_printed_ranks():
    """Section 4.3 lists six groups for Figure 3(a)."""
    means = {
        "NR-RLS": 1.32, "AR-RLS": 2.29, "RLS": 3.74, "CW": 4.35, "AROW": 4.85, "PE": 5.94,
        "PA": 6.48, "ACOG": 7.02,
    }  # fmt: skip
    width = 3.031 * np.sqrt(8 * 9 / (6 * 31))
    assert _groups(list(means), list(means.values()), width) == [
        ("NR-RLS", "AR-RLS"),
        ("AR-RLS", "RLS"),
        ("RLS", "CW", "AROW"),
        ("CW", "AROW", "PE"),
        ("AROW", "PE", "PA"),
        ("PE", "PA", "ACOG"),
    ]


def test_lower_is_better_turns_the_ranks_round():
    scores = table()
    high, low = (
        evaluate.friedman_nemenyi(scores, higher_is_better=flag).average_ranks
        for flag in (True, False)
    )
    for name in NAMES:
        assert high[name] + low[name] == pytest.approx(7.0)


def test_equal_learners_are_not_rejected():
    rng = np.random.default_rng(1)
    assert not evaluate.friedman_nemenyi({k: rng.random(20).tolist() for k in "abcd"}).rejected


@pytest.mark.parametrize(
    "scores, message",
    [
        ({"a": [1.0, 2.0], "b": [2.0, 1.0]}, "at least 3 learners"),
        ({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [0.0, np.nan]}, "scores\\['c'\\] holds a value"),
    ],
)
def test_bad_tables_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        evaluate.friedman_nemenyi(scores)
