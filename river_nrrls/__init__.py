"""Exact class-rebalanced least squares and the classical online linear classifiers for river."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from .binary import (
    ACOGClassifier,
    ALMAClassifier,
    AROWClassifier,
    CWClassifier,
    IELLIPClassifier,
    NAROWClassifier,
    NHERDClassifier,
    OGDClassifier,
    ONSClassifier,
    PAClassifier,
    PerceptronClassifier,
    ROMMAClassifier,
    SCWClassifier,
    SOPClassifier,
)
from .least_squares import (
    AdaptiveNRRLSClassifier,
    ARRLSClassifier,
    IRRLSClassifier,
    NRRLSClassifier,
    RecursiveNRRLSClassifier,
    RLSClassifier,
    WindowedNRRLSClassifier,
)
from .mtwu import MTWUClassifier
from .multiclass import (
    MulticlassAROWClassifier,
    MulticlassCWClassifier,
    MulticlassOGDClassifier,
    MulticlassPAClassifier,
    MulticlassPerceptronClassifier,
    MulticlassROMMAClassifier,
    MulticlassSCWClassifier,
)
from .persistence import from_dict, load, save, to_dict

if TYPE_CHECKING:
    from . import datasets as datasets
    from . import distributed as distributed
    from . import evaluate as evaluate
    from . import feature_extraction as feature_extraction
    from . import plot as plot

__version__ = "0.1.0"

__all__ = [
    "ACOGClassifier",
    "ALMAClassifier",
    "AROWClassifier",
    "ARRLSClassifier",
    "AdaptiveNRRLSClassifier",
    "CWClassifier",
    "IELLIPClassifier",
    "IRRLSClassifier",
    "MTWUClassifier",
    "MulticlassAROWClassifier",
    "MulticlassCWClassifier",
    "MulticlassOGDClassifier",
    "MulticlassPAClassifier",
    "MulticlassPerceptronClassifier",
    "MulticlassROMMAClassifier",
    "MulticlassSCWClassifier",
    "NAROWClassifier",
    "NHERDClassifier",
    "NRRLSClassifier",
    "OGDClassifier",
    "ONSClassifier",
    "PAClassifier",
    "PerceptronClassifier",
    "RLSClassifier",
    "ROMMAClassifier",
    "RecursiveNRRLSClassifier",
    "SCWClassifier",
    "SOPClassifier",
    "WindowedNRRLSClassifier",
    "from_dict",
    "load",
    "save",
    "to_dict",
]

# Imported when first asked for, so that `import river_nrrls` stays as light as its learners.
_LAZY = frozenset({"datasets", "distributed", "evaluate", "feature_extraction", "plot"})


def __getattr__(name: str) -> ModuleType:
    if name in _LAZY:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
