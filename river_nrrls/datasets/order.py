"""Orders of rows that are the same everywhere."""

from __future__ import annotations

import random

__all__ = ["shuffled_order"]


def shuffled_order(n_samples: int, seed: int) -> list[int]:
    """Row numbers `0 … n_samples - 1` in an order drawn from the seed.

    Fisher and Yates' shuffle, driven by `random.Random(seed).random()`: the one generator whose
    sequence Python promises to keep from version to version. The shuffles of `random` and of numpy
    come without that promise.

    Parameters
    ----------
    n_samples
        Number of rows.
    seed
        Any integer.

    Examples
    --------

    >>> from river_nrrls import datasets

    >>> datasets.shuffled_order(10, seed=42)
    [9, 7, 8, 5, 3, 4, 1, 2, 0, 6]

    """
    uniform = random.Random(seed).random
    order = list(range(n_samples))
    for i in range(n_samples - 1, 0, -1):
        j = int(uniform() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order
