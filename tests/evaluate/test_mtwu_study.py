from __future__ import annotations

import statistics

import pytest
from river import linear_model, preprocessing

import river_nrrls as rn
from river_nrrls import datasets
from river_nrrls.evaluate import mtwu_study, paper_order
from river_nrrls.evaluate.mtwu import mtwu_counts


def study(*args, **kwargs):
    return mtwu_study(*args, progress=False, **kwargs)


def test_tidy_rows():
    rows = study("glass_libsvm", ["M_OGD", "M_PA"], ms=(1, 4), runs=3)
    assert [(row["learner"], row["m"]) for row in rows] == [
        ("M_OGD", 1),
        ("M_OGD", 4),
        ("M_PA", 1),
        ("M_PA", 4),
    ]
    pairs = list(datasets.load("glass_libsvm"))
    learner = rn.MulticlassOGDClassifier(learn_intercept=False, classes=(1, 2, 3, 4, 5, 6))
    counts = [
        mtwu_counts(learner.clone(), [pairs[i] for i in paper_order(214, run)], 4)
        for run in (1, 2, 3)
    ]
    row = rows[1]
    assert row["dataset"] == "glass_libsvm"
    assert row["runs"] == 3
    for figure in ("progressive_rate", "post_update_rate", "updates", "total_updates"):
        values = [getattr(count, figure) for count in counts]
        assert row[figure] == pytest.approx(statistics.mean(values))
        assert row[f"{figure}_std"] == pytest.approx(statistics.stdev(values))


def test_any_data_and_any_classifier():
    dataset = datasets.load("svmguide3")
    learners = {
        "ours": rn.PAClassifier(),
        "scaled": preprocessing.StandardScaler() | rn.PAClassifier(),
        "river's": linear_model.PAClassifier(),
        "the paper's": "PA1",
    }
    by_name = study("svmguide3", learners, ms=(2,), runs=[3])
    by_set = study(dataset, learners, ms=(2,), runs=[3])
    by_rows = study(list(dataset), learners, ms=(2,), runs=[3])
    for figure in ("progressive_rate", "post_update_rate", "updates"):
        values = [row[figure] for row in by_name]
        assert values == [row[figure] for row in by_set] == [row[figure] for row in by_rows]
    assert by_name[0]["progressive_rate_std"] is None
    assert by_name[2]["updates"] is None
    # None of them was trained.
    assert learners["ours"].n_updates == 0
    assert learners["scaled"]["StandardScaler"].counts == {}


def test_runs_beside_each_other_and_on_a_file(tmp_path):
    path = tmp_path / "study.jsonl"
    figures = ("progressive_rate", "post_update_rate", "updates", "total_updates")
    alone = study("glass_libsvm", ["M_PA"], ms=(1, 2), runs=2)
    both = study("glass_libsvm", ["M_PA"], ms=(1, 2), runs=2, n_jobs=2, path=path)
    assert len(path.read_text().splitlines()) == 4
    again = study("glass_libsvm", ["M_PA"], ms=(1, 2), runs=2, path=path)
    more = study("glass_libsvm", ["M_PA"], ms=(1, 2), runs=3, path=path)
    assert again == both
    assert len([line for line in path.read_text().splitlines() if line]) == 6
    for row, other in zip(alone, both, strict=True):
        assert [row[figure] for figure in figures] == [other[figure] for figure in figures]
    assert [row["runs"] for row in more] == [3, 3]


def test_a_file_tells_data_and_settings_apart(tmp_path):
    path = tmp_path / "study.jsonl"
    rows = list(datasets.load("svmguide3").shuffled(seed=1).take(100))
    first = study(rows, [rn.PAClassifier()], ms=(1,), runs=1, path=path)
    other = study(rows[::-1], [rn.PAClassifier()], ms=(1,), runs=1, path=path)
    steps = study(rows, [rn.PAClassifier(variant="PA-I", C=0.01)], ms=(1,), runs=1, path=path)
    assert len({row[0]["progressive_rate"] for row in (first, other, steps)}) == 3


def test_tuning_is_libols():
    """One parameter after the other; fewest mistakes of the protocol; ties go to the later."""
    rows = study("glass_libsvm", ["M_CW"], ms=(1, 4), runs=1, tuning="post_update")
    pairs = list(datasets.load("glass_libsvm"))
    order = [pairs[i] for i in paper_order(214, 0)]
    for row in rows:
        mistakes = {}
        for eta in (0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
            learner = rn.MulticlassCWClassifier(
                eta=eta, learn_intercept=False, classes=(1, 2, 3, 4, 5, 6)
            )
            mistakes[eta] = mtwu_counts(learner, order, row["m"]).post_update_mistakes
        best = min(mistakes.values())
        assert row["settings"] == {"eta": max(e for e in mistakes if mistakes[e] == best)}
        assert row["tuning"] == "post_update"


def test_each_protocol_tunes_for_itself():
    arguments = ("svmguide3", ["OGD"], (4,), 5)
    leaked = study(*arguments, tuning="post_update")[0]
    honest = study(*arguments, tuning="progressive")[0]
    assert leaked["settings"]["C"] > honest["settings"]["C"]
    assert leaked["post_update_rate"] < honest["post_update_rate"]
    assert leaked["progressive_rate"] > honest["progressive_rate"] + 0.05


def test_a_grid_of_ones_own():
    grids = {"mine": {"C": [0.5, 2.0]}}
    learners = {"mine": linear_model.PAClassifier()}
    [row] = study("svmguide3", learners, (2,), 1, tuning="progressive", grids=grids)
    assert row["settings"]["C"] in (0.5, 2.0)
    with pytest.raises(ValueError, match="no tuning grid for PAClassifier; pass grids="):
        study("svmguide3", learners, (2,), 1, tuning="progressive")


def test_void_loops():
    quirky, plain = (
        study("svmguide3", ["Perceptron"], (2,), 2, paper_quirks=quirks)[0]
        for quirks in (True, False)
    )
    assert (quirky["void_loop"], plain["void_loop"]) == (True, False)
    assert quirky["post_update_rate"] == quirky["progressive_rate"] > 0.3
    assert plain["post_update_rate"] < 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tuning": "honest"}, "tuning must be one of"),
        ({"clock": "row"}, "clock must be one of"),
        ({"ms": (0,)}, "m must be"),
        ({"dataset": []}, "dataset has no rows"),
        ({"dataset": "svmguide4"}, "there is no data set 'svmguide4'"),
        ({"learners": ["PA3"]}, "no algorithm 'PA3'"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        study(**{"dataset": "svmguide3", "learners": ["PA"], "runs": 1, **arguments})


def test_a_progress_bar(capsys):
    mtwu_study("glass_libsvm", ["M_PA"], (1,), 2)
    assert "glass_libsvm: runs [########################] 2/2" in capsys.readouterr().err
