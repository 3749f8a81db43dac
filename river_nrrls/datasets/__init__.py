"""The small data sets of the two papers, as river data sets.

Thirty sets come with the package. `load` gives one of them as an object that river's own tools
accept: iterate over it, pass it to `river.evaluate.progressive_val_score`, or take all of it at
once with `to_arrays`. Larger ones, and files of your own, are read from a folder.
"""

from __future__ import annotations

from .catalogue import Card, PaperRow
from .dataset import CSVDataset
from .loading import load, names
from .order import shuffled_order

__all__ = ["CSVDataset", "Card", "PaperRow", "load", "names", "shuffled_order"]
