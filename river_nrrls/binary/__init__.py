"""The classical online learners for two classes, first and second order."""

from __future__ import annotations

from .acog import ACOGClassifier
from .alma import ALMAClassifier
from .arow import AROWClassifier
from .cw import CWClassifier
from .iellip import IELLIPClassifier
from .narow import NAROWClassifier
from .nherd import NHERDClassifier
from .ogd import OGDClassifier
from .ons import ONSClassifier
from .pa import PAClassifier
from .perceptron import PerceptronClassifier
from .romma import ROMMAClassifier
from .scw import SCWClassifier
from .sop import SOPClassifier

__all__ = [
    "ACOGClassifier",
    "ALMAClassifier",
    "AROWClassifier",
    "CWClassifier",
    "IELLIPClassifier",
    "NAROWClassifier",
    "NHERDClassifier",
    "OGDClassifier",
    "ONSClassifier",
    "PAClassifier",
    "PerceptronClassifier",
    "ROMMAClassifier",
    "SCWClassifier",
    "SOPClassifier",
]
