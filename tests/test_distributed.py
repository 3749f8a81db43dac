"""Parts that are merged equal the whole, on threads and on worker processes, dead ones included."""

from __future__ import annotations

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import linear_model, preprocessing

import river_nrrls as rn
from river_nrrls import distributed

dd = pytest.importorskip("dask.dataframe")
dask_distributed = pytest.importorskip("distributed")

LEARNERS = [
    rn.NRRLSClassifier(l2=0.01),
    rn.NRRLSClassifier(learn_intercept=False, tau=0.25, strategy="shared"),
    rn.NRRLSClassifier(scaling="standard"),
    rn.NRRLSClassifier(scaling="minmax"),
    rn.RLSClassifier(),
]


def frame(n=1400, labels=(False, True), seed=3):
    """Rows about a mean that drifts, so that each part has another shift."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * [1, 2, 0.5, 3, 1] + np.linspace(0, 4, n)[:, None]
    score = X @ [1.0, -0.5, 2.0, 0.2, 0.0] + rng.normal(size=n) - 2
    y = np.clip(np.floor(score / 2 + len(labels) / 2).astype(int), 0, len(labels) - 1)
    names = ["a", "b", "c", "d", "e"]
    return pd.DataFrame(X, columns=names).assign(
        y=[labels[i] for i in y], w=rng.integers(0, 4, size=n)
    )


def whole(model, data, weight=None):
    model = model.clone()
    X = data.drop(columns=["y", "w"])
    model.learn_many(X, data["y"], None if weight is None else data[weight])
    return model


def without(data, weight):
    return data if weight else data.drop(columns="w")


def assert_equal(one, other, data):
    assert one.class_counts == pytest.approx(other.class_counts, rel=1e-12)
    assert one.n_updates == other.n_updates
    assert list(one._columns.names) == list(other._columns.names)
    X = data.drop(columns=["y", "w"], errors="ignore")
    scores = np.asarray(one.decision_function_many(X), dtype=float)
    expected = np.asarray(other.decision_function_many(X), dtype=float)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    for label, weights in one.weights.items():
        assert weights == pytest.approx(other.weights[label], rel=1e-12, abs=1e-12)


# Without an engine.


@pytest.mark.parametrize(
    "model", LEARNERS, ids=["ridge", "no intercept", "standard", "minmax", "RLS"]
)
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("labels", [(False, True), ("x", "y", "z")])
def test_merged_parts_equal_the_whole(model, weight, labels):
    data = frame(labels=labels)
    bounds = [0, 1, 5, 200, 200, 900, len(data)]
    parts = [
        distributed.learn_partition(model, without(data[start:stop], weight), "y", weight)
        for start, stop in zip(bounds[:-1], bounds[1:], strict=True)
    ]
    merged = distributed.merge_all(iter(parts))
    assert_equal(merged, whole(model, data, weight), data)


def test_parts_with_other_features_and_labels():
    data = frame(labels=("x", "y", "z"))
    first, second = data[:700].drop(columns=["w", "b"]), data[700:].drop(columns=["w", "c"])
    second = second[second["y"] != "x"]
    model = rn.NRRLSClassifier(l2=0.1)
    parts = [distributed.learn_partition(model, part, "y") for part in (first, second)]
    joint = pd.concat([first, second]).fillna(0.0)[["a", "c", "d", "e", "b", "y"]]
    assert_equal(distributed.merge_all(parts), whole(model, joint.assign(w=1)), joint.assign(w=1))


def test_merging_leaves_its_models_as_they_are():
    data = without(frame(), None)
    parts = [distributed.learn_partition(LEARNERS[0], data[i::3], "y") for i in range(3)]
    before = [pickle.dumps(part) for part in parts]
    merged = [pickle.dumps(distributed.merge_all(parts)) for _ in range(2)]
    assert merged[0] == merged[1]
    assert [pickle.dumps(part) for part in parts] == before
    alone = distributed.merge_all(parts[:1])
    assert alone is not parts[0]
    assert pickle.dumps(alone) == before[0]


def test_a_partition_is_learnt_alone_and_in_chunks(monkeypatch):
    data = without(frame(), None)
    trained = whole(LEARNERS[0], data[:100].assign(w=1))
    before = pickle.dumps(trained)
    sizes = []
    learn_many = rn.NRRLSClassifier.learn_many
    monkeypatch.setattr(
        rn.NRRLSClassifier,
        "learn_many",
        lambda self, X, y, w=None: sizes.append(len(X)) or learn_many(self, X, y, w),
    )
    monkeypatch.setattr(distributed, "CHUNK_BYTES", 8 * 6 * 300)
    part = distributed.learn_partition(trained, data, "y")
    assert sizes == [300, 300, 300, 300, 200]
    assert pickle.dumps(trained) == before
    assert_equal(part, whole(LEARNERS[0], data.assign(w=1)), data)


@pytest.mark.parametrize(
    "convert",
    [
        lambda data: data,
        pl.from_pandas,
        lambda data: pa.Table.from_pandas(data, preserve_index=False),
        lambda data: [data[:500], data[500:]],
        lambda data: (pl.from_pandas(data[i::4]) for i in range(4)),
    ],
    ids=["pandas", "polars", "pyarrow", "list", "generator"],
)
def test_frames_of_any_kind(convert):
    data = frame()
    part = distributed.learn_partition(LEARNERS[0], convert(data), "y", "w")
    assert_equal(part, whole(LEARNERS[0], data, "w"), data)


def test_integer_column_names():
    data = frame().drop(columns="w").rename(columns={"a": 0, "b": 1, "y": 2})
    part = distributed.learn_partition(rn.RLSClassifier(), data, 2)
    assert list(part.weights) == [0, 1, "c", "d", "e"]


@pytest.mark.parametrize(
    "model",
    [
        rn.MulticlassPAClassifier(),
        rn.MTWUClassifier(rn.NRRLSClassifier()),
        linear_model.LogisticRegression(),
        preprocessing.StandardScaler() | rn.NRRLSClassifier(),
        rn.NRRLSClassifier,
    ],
    ids=lambda model: getattr(model, "__name__", type(model).__name__),
)
def test_models_that_do_not_merge(model):
    data = frame(20)
    ddf = dd.from_pandas(data, npartitions=2)
    for attempt in (
        lambda: distributed.learn_dask(model, ddf, "y"),
        lambda: distributed.learn_partition(model, data, "y"),
        lambda: distributed.merge_all([model]),
    ):
        with pytest.raises(TypeError, match=r"only models that can be merged.*NRRLSClassifier"):
            attempt()


def test_options_that_do_not_merge_are_refused_before_any_work():
    def never(i):
        raise AssertionError("a partition was loaded")

    ddf = dd.from_map(never, range(3), meta=frame(3))
    with pytest.raises(ValueError, match="merge is not possible with forgetting < 1"):
        distributed.learn_dask(rn.RLSClassifier(forgetting=0.9), ddf, "y")


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match="at least one model"):
        distributed.merge_all([])
    data = frame(20)
    ddf = dd.from_pandas(data, npartitions=2)
    for learn, source in ((distributed.learn_dask, ddf), (distributed.learn_partition, data)):
        with pytest.raises(ValueError, match=r"target='z' is no column; there are \['a', "):
            learn(rn.RLSClassifier(), source, "z")
        with pytest.raises(ValueError, match="weight='z' is no column"):
            learn(rn.RLSClassifier(), source, "y", "z")
    for wrong in (data, 3, None):
        with pytest.raises(TypeError, match=r"ddf must be a Dask dataframe.*from_pandas"):
            distributed.learn_dask(rn.RLSClassifier(), wrong, "y")
    for wrong in (3, "frame.csv", {"a": 1}, [1, 2]):
        with pytest.raises(TypeError, match="dataframe|DataFrame"):
            distributed.learn_partition(rn.RLSClassifier(), wrong, "y")


def test_a_refused_row_is_found_and_changes_nothing(monkeypatch):
    monkeypatch.setattr(distributed, "CHUNK_BYTES", 8 * 6 * 100)
    data = without(frame(400), None)
    data.loc[250, "c"] = np.nan
    model = whole(LEARNERS[0], frame(50))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="counted from row 200 .* row 50: feature 'c' is nan"):
        distributed.learn_dask(model, dd.from_pandas(data, npartitions=1), "y")
    assert pickle.dumps(model) == before


def test_without_dask_the_error_names_the_extra():
    script = (
        "import sys; sys.modules['dask'] = None\n"
        "import river_nrrls as rn\n"
        "rn.distributed.merge_all([rn.NRRLSClassifier()])\n"
        "rn.distributed.learn_dask(rn.NRRLSClassifier(), None, 'y')\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stderr.splitlines()[-1].startswith("ImportError: learn_dask needs Dask")
    assert run.stderr.splitlines()[-1].endswith("pip install 'river-nrrls[dask]'`")


# On threads.


@pytest.mark.parametrize("n_partitions", [1, 2, 7, 70])
def test_dask_on_threads(n_partitions):
    data = frame(labels=("x", "y", "z"))
    ddf = dd.from_pandas(data, npartitions=n_partitions)
    assert ddf.npartitions == n_partitions
    model = LEARNERS[0].clone()
    assert distributed.learn_dask(model, ddf, "y", "w") is model
    assert_equal(model, whole(LEARNERS[0], data, "w"), data)


def test_dask_goes_on_with_a_trained_model():
    data = without(frame(), None)
    model = whole(LEARNERS[0], data[:300].assign(w=1))
    distributed.learn_dask(model, dd.from_pandas(data[300:], npartitions=3), "y")
    assert_equal(model, whole(LEARNERS[0], data.assign(w=1)), data)


def test_progress_on_threads(capsys):
    ddf = dd.from_pandas(without(frame(), None), npartitions=3)
    distributed.learn_dask(rn.RLSClassifier(), ddf, "y")
    assert capsys.readouterr().out == ""
    distributed.learn_dask(rn.RLSClassifier(), ddf, "y", progress=True)
    assert "100% Completed" in capsys.readouterr().out


# On worker processes.


@pytest.fixture(scope="module")
def client():
    with (
        dask_distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        dask_distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("n_partitions", [1, 2, 7])
def test_a_cluster_equals_one_machine(n_partitions, client):
    assert os.getpid() not in client.run(os.getpid).values()
    data = frame(labels=("x", "y", "z"))
    ddf = dd.from_pandas(data, npartitions=n_partitions)
    for model in (LEARNERS[0].clone(), LEARNERS[3].clone()):
        distributed.learn_dask(model, ddf, "y", "w")
        assert_equal(model, whole(model, data, "w"), data)


def test_progress_on_a_cluster(client, capsys):
    ddf = dd.from_pandas(without(frame(), None), npartitions=3)
    distributed.learn_dask(rn.RLSClassifier(), ddf, "y", progress=True)
    assert "100% Completed" in capsys.readouterr().out


def slow_part(i, folder):
    """A partition that leaves a trace of who has loaded it."""
    pathlib.Path(folder, f"{i} {os.getpid()} {time.monotonic_ns()}").touch()
    time.sleep(0.2)
    return without(frame(100, seed=i), None)


def test_a_killed_worker_loses_nothing(client, tmp_path):
    n = 14
    ddf = dd.from_map(slow_part, range(n), folder=str(tmp_path), meta=without(frame(3), None))
    workers = client.run(os.getpid)
    victim = next(iter(workers.values()))
    killed = []

    def kill():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            loaded = [path.name.split() for path in tmp_path.iterdir()]
            # It holds the results of two partitions and is at work on a third.
            if sum(int(pid) == victim for _, pid, _ in loaded) >= 3:
                os.kill(victim, signal.SIGKILL)
                killed.append(len(loaded))
                return
            time.sleep(0.005)

    killer = threading.Thread(target=kill)
    killer.start()
    model = rn.NRRLSClassifier()
    distributed.learn_dask(model, ddf, "y")
    killer.join()
    assert killed and killed[0] < n
    assert victim not in client.run(os.getpid).values()
    # What it had done was done again.
    loaded = [path.name.split()[0] for path in tmp_path.iterdir()]
    assert len(loaded) > n == len(set(loaded))
    data = pd.concat([frame(100, seed=i) for i in range(n)])
    assert_equal(model, whole(model, data), data)
    parts = [
        distributed.learn_partition(model, without(frame(100, seed=i), None), "y") for i in range(n)
    ]
    tree = [distributed.merge_all(parts[i : i + 8]) for i in range(0, n, 8)]
    alone = model.clone()
    alone.merge(distributed.merge_all(tree))
    assert pickle.dumps(model) == pickle.dumps(alone)


def large_part(i, n=50_000, d=40):
    X = np.resize(np.random.default_rng(i).random(9973), (n, d))
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(d)]).assign(y=X[:, 0] > 0.5)


def peak_memory():
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss: kB on Linux only")
def test_rows_stream_through_the_memory_of_the_workers(client):
    """What is learnt is several times what the workers ever hold beyond their own code."""
    client.wait_for_workers(2)
    n, size = 24, large_part(0).memory_usage(index=False).sum()
    model = rn.NRRLSClassifier()
    few = dd.from_map(large_part, range(2), n=1000, meta=large_part(0, 3))
    distributed.learn_dask(model.clone(), few, "y")
    before = client.run(peak_memory)
    distributed.learn_dask(model, dd.from_map(large_part, range(n), meta=large_part(0, 3)), "y")
    after = client.run(peak_memory)
    assert sum(model.class_counts.values()) == n * 50_000
    growth = [after[worker] - before[worker] for worker in before]
    # A partition with the chunk that is learnt of it, and never two.
    assert max(growth) < 8 * size
    assert sum(growth) < n * size / 2
