"""The multiclass learners by LIBOL's names, and the forms and variants that LIBOL has not."""

from __future__ import annotations

from typing import Any

from river_nrrls.multiclass import (
    MulticlassAROWClassifier,
    MulticlassCWClassifier,
    MulticlassOGDClassifier,
    MulticlassPAClassifier,
    MulticlassPerceptronClassifier,
    MulticlassROMMAClassifier,
    MulticlassSCWClassifier,
)

# LIBOL name: class, what it fixes, LIBOL's names of the parameters.
LIBOL: dict[str, tuple[type[Any], dict[str, Any], dict[str, str]]] = {
    "M_PerceptronM": (MulticlassPerceptronClassifier, {"allocation": "max", "form": "libol"}, {}),
    "M_PerceptronU": (
        MulticlassPerceptronClassifier,
        {"allocation": "uniform", "form": "libol"},
        {},
    ),
    "M_PerceptronS": (
        MulticlassPerceptronClassifier,
        {"allocation": "proportional", "form": "libol"},
        {},
    ),
    "M_PA": (MulticlassPAClassifier, {"variant": "PA"}, {"C": "C"}),
    "M_PA1": (MulticlassPAClassifier, {"variant": "PA-I"}, {"C": "C"}),
    "M_PA2": (MulticlassPAClassifier, {"variant": "PA-II"}, {"C": "C"}),
    "M_OGD": (MulticlassOGDClassifier, {}, {"C": "C"}),
    "M_ROMMA": (MulticlassROMMAClassifier, {"form": "libol"}, {}),
    "M_aROMMA": (MulticlassROMMAClassifier, {"aggressive": True, "form": "libol"}, {}),
    "M_AROW": (MulticlassAROWClassifier, {}, {"C": "r", "a": "a"}),
    "M_CW": (MulticlassCWClassifier, {}, {"eta": "eta", "a": "a"}),
    "M_SCW1": (MulticlassSCWClassifier, {"variant": "I"}, {"eta": "eta", "C": "C", "a": "a"}),
    "M_SCW2": (MulticlassSCWClassifier, {"variant": "II"}, {"eta": "eta", "C": "C", "a": "a"}),
}

OURS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    f"{cls.__name__} {kwargs}": (cls, kwargs)
    for cls, kwargs in [
        (MulticlassPerceptronClassifier, {"allocation": "max"}),
        (MulticlassPerceptronClassifier, {"allocation": "uniform"}),
        (MulticlassPerceptronClassifier, {"allocation": "proportional"}),
        (MulticlassROMMAClassifier, {}),
        (MulticlassROMMAClassifier, {"aggressive": True}),
        (MulticlassAROWClassifier, {"covariance": "diagonal"}),
        (MulticlassCWClassifier, {"covariance": "diagonal"}),
        (MulticlassSCWClassifier, {"variant": "I", "covariance": "diagonal"}),
        (MulticlassSCWClassifier, {"variant": "II", "covariance": "diagonal"}),
    ]
}

LEARNERS: dict[str, tuple[type[Any], dict[str, Any]]] = {
    **{name: (cls, fixed) for name, (cls, fixed, _) in LIBOL.items()},
    **OURS,
}


def libol(name: str, params: dict[str, float], n_classes: int) -> Any:
    """The learner of a golden run: LIBOL has no intercept and knows all classes beforehand."""
    cls, fixed, names = LIBOL[name]
    given = {names[key]: value for key, value in params.items() if key in names}
    return cls(**fixed, **given, learn_intercept=False, classes=tuple(range(1, n_classes + 1)))


def build(name: str, **kwargs: Any) -> Any:
    cls, fixed = LEARNERS[name]
    return cls(**{**fixed, **kwargs})
