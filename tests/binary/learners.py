"""Every binary learner in every form that follows a path of its own."""

from __future__ import annotations

from river_nrrls import binary

FIRST_ORDER = [
    binary.PerceptronClassifier(),
    binary.ALMAClassifier(),
    binary.ALMAClassifier(p=6),
    binary.ALMAClassifier(p=6, form="libol"),
    binary.ROMMAClassifier(),
    binary.ROMMAClassifier(form="libol"),
    binary.ROMMAClassifier(aggressive=True),
    binary.ROMMAClassifier(aggressive=True, form="libol"),
    binary.PAClassifier(),
    binary.PAClassifier(variant="PA-I", C=0.1),
    binary.PAClassifier(variant="PA-II", C=0.1),
    binary.OGDClassifier(),
    binary.OGDClassifier(loss="logistic"),
    binary.OGDClassifier(loss="squared", C=0.1),
    binary.OGDClassifier(loss="zero_one"),
    binary.OGDClassifier(D=2.0),
]

FULL = [
    binary.SOPClassifier(),
    binary.SOPClassifier(form="libol"),
    binary.CWClassifier(),
    binary.CWClassifier(eta=0.9),
    binary.IELLIPClassifier(),
    binary.IELLIPClassifier(b=0.99, c=0.5),
    binary.AROWClassifier(),
    binary.NAROWClassifier(),
    binary.NAROWClassifier(b=2.0, form="libol"),
    binary.NHERDClassifier(),
    binary.SCWClassifier(),
    binary.SCWClassifier(variant="II"),
    binary.SCWClassifier(variant="II", form="libol"),
    binary.ACOGClassifier(),
    binary.ACOGClassifier(metric="cost", loss="I"),
    binary.ONSClassifier(),
    binary.ONSClassifier(loss="logistic", D=3.0),
]

DIAGONAL = [learner.clone({"covariance": "diagonal"}) for learner in FULL]

SECOND_ORDER = FULL + DIAGONAL

LEARNERS = FIRST_ORDER + SECOND_ORDER


def name(learner: object) -> str:
    """A short test id: what differs from the defaults."""
    parameters = learner._get_params()  # type: ignore[attr-defined]
    plain = type(learner)()._get_params()
    changed = [str(v) for k, v in parameters.items() if v != plain[k]]
    return "-".join([type(learner).__name__.removesuffix("Classifier"), *changed])
