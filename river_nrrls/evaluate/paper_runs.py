"""The orders in which the MTWU paper's runs went through their rows."""

from __future__ import annotations

from collections.abc import Iterator

from ..dense import checks

__all__ = ["paper_order"]

_DRAW = (1 << 15) - 1


def _draws(seed: int) -> Iterator[int]:
    """`rand()` of the Visual C++ run time after `srand(seed)`: 15 bits of a linear congruence."""
    state = seed
    while True:
        state = (214013 * state + 2531011) & 0xFFFFFFFF
        yield state >> 16 & _DRAW


def _below(n: int, draws: Iterator[int]) -> int:
    """A number below n from as many 15-bit draws as it takes, rejecting the uneven remainder."""
    while True:
        number = mask = 0
        while mask < n - 1:
            number = number << 15 | next(draws)
            mask = mask << 15 | _DRAW
        if number // n < mask // n or mask % n == n - 1:
            return number % n


def paper_order(n: int, run: int) -> list[int]:
    """Row indices in the order of one run of the MTWU paper.

    The paper's tables average twenty runs of LIBOL, run $i$ being the shuffle of the rows seeded
    with $i$ by the Visual C++ run time that LIBOL's compiled helper was built with. With this order
    the paper's cells come out to the printed digit.

    Parameters
    ----------
    n
        Number of rows.
    run
        Number of the run, 1 to 20 in the paper. Any other non-negative number gives an order that
        the paper did not use.

    Returns
    -------
    The indices 0 … n-1, in the order in which the run learns the rows.

    Examples
    --------
    >>> from river_nrrls import evaluate

    >>> evaluate.paper_order(8, run=1)
    [4, 1, 6, 2, 0, 5, 7, 3]

    """
    checks.positive_integer("n", n)
    checks.non_negative_integer("run", run)
    order = list(range(n))
    draws = _draws(int(run))
    for i in range(1, n):
        j = _below(i + 1, draws)
        order[i], order[j] = order[j], order[i]
    return order
