"""`save`, `load`, `to_dict`, `from_dict`: nothing is lost, nothing is run, nothing is half done."""

from __future__ import annotations

import copy
import datetime
import enum
import hashlib
import json
import math
import os
import pickle
import stat
import subprocess
import sys

import numpy as np
import pytest
from river import linear_model, preprocessing

import river_nrrls as rn
from river_nrrls import persistence

from . import saved

MODELS = saved.models()


def kinds(value):
    """A value with the types of all its parts."""
    if isinstance(value, tuple):
        return tuple(kinds(part) for part in value)
    return type(value), repr(value)


def pieces(path):
    """The header and what follows it up to the checksum."""
    content = path.read_bytes()
    line, _, rest = content.partition(b"\n")
    return json.loads(line), rest[:-32]


def write(path, header, arrays):
    content = json.dumps(header).encode() + b"\n" + arrays
    path.write_bytes(content + hashlib.sha256(content).digest())


@pytest.fixture
def trained():
    return saved.learn(rn.NRRLSClassifier(), saved.MANY[:60])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.nrrls"


# Nothing is lost.


@pytest.mark.parametrize("name", MODELS)
def test_a_run_broken_by_a_file_equals_the_unbroken_one(name, tmp_path):
    for rows in saved.streams(MODELS[name]):
        unbroken = saved.learn(copy.deepcopy(MODELS[name]), rows[:100])
        rn.save(unbroken, tmp_path / "half")
        restored = rn.load(tmp_path / "half")
        assert type(restored) is type(unbroken)
        assert pickle.dumps(restored) == pickle.dumps(unbroken)
        for x, _ in rows[100:110]:
            assert restored.decision_function_one(x) == unbroken.decision_function_one(x)
            assert restored.predict_proba_one(x) == unbroken.predict_proba_one(x)
        saved.learn(unbroken, rows[100:])
        saved.learn(restored, rows[100:])
        assert pickle.dumps(restored) == pickle.dumps(unbroken)
        rn.save(unbroken, tmp_path / "unbroken")
        rn.save(restored, tmp_path / "restored")
        assert (tmp_path / "restored").read_bytes() == (tmp_path / "unbroken").read_bytes()


def drifting(n, d, every):
    """Rows whose labels turn round now and then; half of the features come late."""
    rng = np.random.default_rng(1)
    w = rng.normal(size=d)
    for i in range(n):
        v = rng.normal(size=d) + 1.0
        sign = -1.0 if i // every % 2 else 1.0
        y = bool(sign * (v - 1.0) @ w + 0.3 * rng.normal() > 0.0)
        yield {f"f{j}": float(v[j]) for j in range(d if i > n / 4 else d // 2)}, y


@pytest.mark.parametrize(
    ("model", "n", "d", "every"),
    [
        (rn.AdaptiveNRRLSClassifier(), 1600, 4, 300),
        (rn.WindowedNRRLSClassifier(window_size=30, n_buckets=7), 200, 4, 50),
        (rn.NRRLSClassifier(l2="auto", forgetting="auto"), 500, 4, 100),
        # Above the width where solutions are kept and improved.
        (rn.NRRLSClassifier(l2="auto", scaling="standard"), 300, 120, 1000),
        (rn.RLSClassifier(forgetting=0.99), 300, 120, 1000),
    ],
    ids=["adaptive", "windowed", "auto", "wide auto", "wide"],
)
def test_a_broken_run_through_drift_and_width(model, n, d, every, path):
    rows = list(drifting(n, d, every))
    unbroken = model.clone()
    for part in range(4):
        rn.save(unbroken, path)
        restored = rn.load(path)
        for x, y in rows[part * n // 4 : (part + 1) * n // 4]:
            assert restored.predict_one(x) == unbroken.predict_one(x)
            restored.learn_one(x, y)
            unbroken.learn_one(x, y)
        assert pickle.dumps(restored) == pickle.dumps(unbroken)
        assert rn.to_dict(restored) == rn.to_dict(unbroken)
    assert getattr(unbroken, "n_detections", 3) >= 3


@pytest.mark.parametrize("name", MODELS)
def test_a_dict_goes_through_json(name, tmp_path):
    rows = saved.streams(MODELS[name])[-1]
    model = saved.learn(copy.deepcopy(MODELS[name]), rows[:50])
    text = json.dumps(rn.to_dict(model), allow_nan=False)
    for d in (rn.to_dict(model), json.loads(text)):
        restored = rn.from_dict(d)
        assert pickle.dumps(restored) == pickle.dumps(model)
        assert json.dumps(rn.to_dict(restored)) == text


@pytest.mark.parametrize("name", MODELS)
def test_an_untrained_model(name, path):
    rn.save(MODELS[name], path)
    assert pickle.dumps(rn.load(path)) == pickle.dumps(MODELS[name])


def test_a_dict_is_a_copy():
    model = saved.learn(rn.RLSClassifier(), saved.BINARY[:20])
    d = rn.to_dict(model)
    before = copy.deepcopy(d)
    restored = rn.from_dict(d)
    saved.learn(model, saved.BINARY[20:40])
    saved.learn(restored, saved.BINARY[20:40])
    assert d == before
    assert pickle.dumps(rn.from_dict(d)) != pickle.dumps(restored) == pickle.dumps(model)


@pytest.mark.parametrize(
    "name",
    [
        True, False, None, 0, 1, -1, 1 << 53, (1 << 53) + 1, -(1 << 200), 10**5000, 1.0, -0.5, 0.1,
        math.inf, -math.inf, 1e-310, "1", "True", "", "é\x00\n\ud800", (), (1,), (True,), ("1",),
        ((), ((None, 1.5), "x")), np.True_, np.int64(1), np.uint8(3), np.float32(0.1),
        np.float64(2.5), np.str_("a"), (np.int16(1), np.float16(0.5)), np.float64(math.inf),
        np.uint64(2**64 - 1),
    ],
    ids=lambda name: f"{type(name).__name__} {str(name)[:12] if type(name) is not int else ''}",
)  # fmt: skip
def test_names_and_labels_keep_their_type(name, path):
    sys.set_int_max_str_digits(0)
    model = rn.NRRLSClassifier()
    model.learn_one({name: 1.0, "other": 2.0}, "yes")
    model.learn_one({name: -1.0, "other": 1.0}, "no")
    labels = rn.MulticlassPAClassifier(classes=(name, "other") if name is not None else None)
    labels.learn_one({"x": 1.0}, "other" if name is None else name)
    for before in (model, labels):
        rn.save(before, path)
        for after in (rn.load(path), rn.from_dict(json.loads(json.dumps(rn.to_dict(before))))):
            for own, other in (
                (list(before._columns.names), list(after._columns.names)),
                (before._labels, after._labels),
                (before.classes or (), after.classes or ()),
            ):
                assert list(map(kinds, own)) == list(map(kinds, other))
            x = {name: 3.0, "x": 3.0}
            assert before.decision_function_one(x) == after.decision_function_one(x)
            assert pickle.dumps(before) == pickle.dumps(after)
    sys.set_int_max_str_digits(4300)


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


STRANGE = [
    datetime.date(2020, 1, 2), frozenset({1}), b"bytes", Colour.RED, Level.LOW, 1j, ("a", b"b"),
    np.datetime64("2020-01-02"), np.complex128(1),
]  # fmt: skip


@pytest.mark.parametrize("name", [*STRANGE, math.nan, ("a", math.nan), np.float64("nan")], ids=repr)
def test_other_kinds_of_names_are_refused(name, path):
    model = saved.learn(rn.RLSClassifier(), [({name: 1.0}, True)])
    for attempt in (lambda: rn.save(model, path), lambda: rn.to_dict(model)):
        with pytest.raises(
            TypeError, match="^feature name .* cannot be saved: .* convert"
        ) as error:
            attempt()
        part = name[1] if isinstance(name, tuple) else name
        assert f"{part!r} ({type(part).__name__})" in str(error.value)
    assert not path.exists()


@pytest.mark.parametrize("label", STRANGE, ids=repr)
def test_other_kinds_of_labels_are_refused(label, path):
    model = saved.learn(rn.RLSClassifier(), [({"a": 1.0}, label)])
    with pytest.raises(TypeError, match="^label .* cannot be saved"):
        rn.save(model, path)
    with pytest.raises(TypeError, match="^parameter classes .* cannot be saved"):
        rn.save(rn.RLSClassifier(classes=(label, "other")), path)


def test_parameters_keep_their_type(path):
    prior = {("a", 1): 0.25, "b": np.float32(0.75)}
    model = rn.NRRLSClassifier(
        l2=1, tau=np.float64(0.5), eta=2.0, costs={True: 2, "x": np.int64(3)}, prior=prior
    )
    rn.save(model, path)
    restored = rn.load(path)
    for name, value in model._parameters().items():
        other = getattr(restored, name)
        assert kinds(other) == kinds(value)
        if isinstance(value, dict):
            assert list(map(kinds, value.items())) == list(map(kinds, other.items()))


def test_a_limit_below_the_state_does_not_keep_a_model_from_loading(path):
    model = saved.learn(rn.NRRLSClassifier(), saved.BINARY[:20])
    model.mutate({"max_state_bytes": 8})
    rn.save(model, path)
    assert pickle.dumps(rn.load(path)) == pickle.dumps(model)


def test_bytes_do_not_tell_where_a_name_comes_from(path):
    def fresh(text):
        return "".join(list(text))

    def model(own):
        label, name, part = (fresh if own else str)("no way"), "l2", "some part"
        pair = (fresh(part), 1) if own else (part, 1)
        learner = rn.MulticlassPAClassifier(classes=(label, pair, "C"))
        learner.learn_one({fresh(name) if own else name: 1.0, pair: 2.0, label: 1.0}, label)
        learner.learn_one({"C": 1.0}, (part, 1) if own else pair)
        return learner

    assert pickle.dumps(model(True)) == pickle.dumps(model(False))
    assert pickle.dumps(copy.deepcopy(model(True))) == pickle.dumps(model(False))


# Only what is ours.


class Own(rn.NRRLSClassifier):
    pass


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (linear_model.LogisticRegression(), "use pickle"),
        (preprocessing.StandardScaler() | rn.NRRLSClassifier(), "save the learner at its end"),
        (rn.MTWUClassifier(linear_model.PAClassifier()), "got PAClassifier; .* use pickle"),
        (
            rn.MTWUClassifier(preprocessing.StandardScaler() | rn.NRRLSClassifier()),
            "save the learner at its end",
        ),
        (rn.NRRLSClassifier, r"pass an instance, NRRLSClassifier\(\)"),
        (Own(), "got Own"),
        (None, "got NoneType"),
    ],
)
def test_foreign_models_are_refused_with_a_remedy(model, remedy, path):
    path.write_bytes(b"old")
    for attempt in (lambda: rn.save(model, path), lambda: rn.to_dict(model)):
        with pytest.raises(TypeError, match=f"only learners of river_nrrls.*{remedy}"):
            attempt()
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize(
    "name",
    [
        "os.system", "builtins.eval", "pickle.loads", "river_nrrls.load", "river_nrrls.persistence",
        "river_nrrls.datasets", "river_nrrls.__class__", "NRRLSClassifier", "", None, 3, ["a"],
        {"a": 1}, "tests.test_persistence.Own", "river_nrrls.least_squares.nrrls.NRRLSClassifier",
    ],
)  # fmt: skip
def test_a_file_can_only_name_a_learner(name, trained, path):
    rn.save(trained, path)
    header, arrays = pieces(path)
    write(path, {**header, "class": name}, arrays)
    with pytest.raises(ValueError, match="does not describe a learner"):
        rn.load(path)
    with pytest.raises(ValueError, match="does not describe a learner"):
        rn.from_dict({**rn.to_dict(trained), "class": name})


def set_in(d, *keys, value):
    d = copy.deepcopy(d)
    inner = d
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return d


@pytest.mark.parametrize(
    ("keys", "value", "reason"),
    [
        (("parameters", "l2"), -1.0, "l2 must be"),
        (("parameters", "l2"), {"model": {"class": "os.system"}}, "is no learner"),
        (("parameters", "nonsense"), 1, "nonsense"),
        (("parameters", "costs"), {"eval": "1"}, "unknown value"),
        (("parameters", "costs"), {"numpy": ["object", 1]}, "unknown value"),
        (("parameters", "costs"), {}, "does not describe"),
        (("parameters",), 5, "does not describe"),
        (("state", "nonsense"), 1, "unknown entries"),
        (("state", "columns"), ["a", "a"], "repeats"),
        (("state", "columns"), ["a"], r"state _A\[0\] must be an array"),
        (("state", "columns"), [["a"]], "does not describe"),
        (("state", "columns"), "ab", "must be an array"),
        (("state", "labels"), ["spam", "spam", 7, 0.5], "repeats"),
        (("state", "_shift"), 0.0, "state _shift must be an array"),
        (("state", "_shift", "array", "dtype"), "<i8", "state _shift must be an array"),
        (("state", "_shift", "array", "dtype"), "|O", "unknown array layout"),
        (("state", "_shift", "array", "shape"), [-1], "unknown array shape"),
        (("state", "_shift", "array", "shape"), [3], "reshape"),
        (("state", "_shift", "array", "order"), "K", "unknown array layout"),
        (("state", "_shift", "array", "data"), [None] * 12, "NoneType"),
    ],
)
def test_a_dict_that_describes_no_learner(keys, value, reason, trained):
    with pytest.raises(ValueError, match=reason):
        rn.from_dict(set_in(rn.to_dict(trained), *keys, value=value))


@pytest.mark.parametrize("key", ["class", "parameters", "state"])
def test_a_dict_with_something_missing(key, trained):
    d = rn.to_dict(trained)
    del d[key]
    with pytest.raises(ValueError, match=f"'{key}'"):
        rn.from_dict(d)


@pytest.mark.parametrize("key", ["_A", "columns", "n_updates"])
def test_state_with_something_missing(key, trained):
    d = rn.to_dict(trained)
    del d["state"][key]
    with pytest.raises(ValueError, match=f"the state lacks .*{key}"):
        rn.from_dict(d)


def test_what_came_later_has_its_default(trained):
    d = rn.to_dict(trained)
    del d["parameters"]["strategy"], d["state"]["_low"], d["state"]["_high"]
    assert pickle.dumps(rn.from_dict(d)) == pickle.dumps(trained)


@pytest.mark.parametrize("d", [None, 3, [], {}, {"format": "other"}, "river_nrrls"])
def test_no_dict_of_ours(d):
    with pytest.raises(ValueError, match="must be a dict that river_nrrls.to_dict made"):
        rn.from_dict(d)


@pytest.mark.parametrize("version", [None, 0, -1, "1", 1.5, True])
def test_no_version_of_the_format(version, trained, path):
    with pytest.raises(ValueError, match="no version"):
        rn.from_dict({**rn.to_dict(trained), "version": version})
    rn.save(trained, path)
    header, arrays = pieces(path)
    write(path, {**header, "version": version}, arrays)
    with pytest.raises(ValueError, match="no version"):
        rn.load(path)


# Damage.


def test_a_newer_version_says_so(trained, path):
    rn.save(trained, path)
    header, arrays = pieces(path)
    newer = {**header, "version": 2, "class": "river_nrrls.Later", "arrays": "zstd"}
    write(path, newer, arrays)
    with pytest.raises(ValueError, match="version 2 .* newer than 1, .* upgrade river_nrrls$"):
        rn.load(path)
    path.write_bytes(path.read_bytes().replace(b"Later", b"later"))
    with pytest.raises(ValueError, match="newer than 1, .* its checksum does not match"):
        rn.load(path)
    with pytest.raises(ValueError, match="d has version 2 .* upgrade river_nrrls"):
        rn.from_dict({**rn.to_dict(trained), "version": 2})


def test_a_file_cut_anywhere(trained, path):
    rn.save(trained, path)
    content = path.read_bytes()
    line = content.index(b"\n")
    ends = {*range(40), *range(0, len(content), 29), line, line + 1, len(content) - 1}
    for end in ends:
        path.write_bytes(content[:end])
        with pytest.raises(ValueError, match=f"{path.name} is cut"):
            rn.load(path)


def test_any_byte_changed(path):
    rn.save(saved.learn(rn.MulticlassPAClassifier(), saved.MANY[:3]), path)
    content = path.read_bytes()
    for i in range(len(content)):
        changed = content[i] ^ (0x01, 0x80)[i % 2]
        path.write_bytes(content[:i] + bytes([changed]) + content[i + 1 :])
        with pytest.raises(ValueError, match="is cut|is corrupted|is no file of|newer"):
            rn.load(path)
    path.write_bytes(content + b"\n")
    with pytest.raises(ValueError, match="is corrupted"):
        rn.load(path)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(rn.NRRLSClassifier()),
        b"a,b\n1,2\n",
        b'{"format": "river"}\n',
        b'{"format": "river_nrrls"}\n',
        bytes(1000),
    ],
)
def test_a_foreign_file(content, path):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is no file of river_nrrls.save: it starts with"):
        rn.load(path)


def test_headers_made_to_break(path):
    deep = b"[" * 200_000
    for line in (
        deep,
        b'"version": 1}',
        b'"version": 1, "arrays": [["<f8", [1e9], "C"]]}',
        b"\xff",
    ):
        path.write_bytes(persistence.MAGIC + line + b"\n" + bytes(32))
        with pytest.raises(ValueError, match="is corrupted"):
            rn.load(path)
    huge = b'"version": 1, "arrays": [["<f8", [99999999999], "C"]]}'
    path.write_bytes(persistence.MAGIC + huge + b"\n" + bytes(32))
    with pytest.raises(ValueError, match="is cut: it has"):
        rn.load(path)


def test_no_file(path):
    with pytest.raises(FileNotFoundError):
        rn.load(path)


# Writing.


def test_a_failed_write_leaves_the_old_file(trained, path, monkeypatch):
    rn.save(trained, path)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        rn.save(rn.RLSClassifier(), path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_path_that_is_no_file(trained, tmp_path):
    with pytest.raises(ValueError, match="path must be that of a file"):
        rn.save(trained, tmp_path)
    with pytest.raises(FileNotFoundError):
        rn.save(trained, tmp_path / "no such folder" / "model")
    assert os.listdir(tmp_path) == []


def test_relative_paths(trained, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rn.save(trained, "model")
    assert pickle.dumps(rn.load("model")) == pickle.dumps(trained)


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_permissions_and_links_stay(trained, path, tmp_path):
    old = os.umask(0o027)
    try:
        rn.save(trained, path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(old)
    path.chmod(0o604)
    link = tmp_path / "link"
    link.symlink_to(path.name)
    rn.save(rn.RLSClassifier(), link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert isinstance(rn.load(path), rn.RLSClassifier)


# A child is killed again and again while it saves one of two models over the other. Only a fork is
# cheap enough to do so often, and it needs a process without other threads.
KILLING = """
import os, random, signal, sys, time
import numpy as np
import river_nrrls as rn
from river_nrrls import persistence

folder, how = sys.argv[1:]
path = os.path.join(folder, "model.nrrls")


def trained(seed, d):
    model, rng = rn.NRRLSClassifier(), np.random.default_rng(seed)
    for i in range(4):
        model.learn_one(dict(enumerate(rng.normal(size=d).tolist())), i % 2 == 0)
    return model


def content(model):
    rn.save(model, path)
    with open(path, "rb") as file:
        return file.read()


def in_child(work):
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    return child


def look(found):
    rn.load(path)
    with open(path, "rb") as file:
        state = file.read()
    assert state in both, "neither the old file nor the new one"
    found.append(both.index(state))
    litter = [name for name in os.listdir(folder) if name != "model.nrrls"]
    for name in litter:
        os.unlink(os.path.join(folder, name))
    return bool(litter)


def at_random(k):
    while True:
        k += 1
        rn.save(models[k % 2], path)


def at_line(k):
    lines = 0

    def trace(frame, event, argument):
        nonlocal lines
        if frame.f_code.co_filename != persistence.__file__:
            return None
        if event == "line" and frame.f_code.co_name in ("_replace", "_sync_folder"):
            lines += 1
            if lines == k:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    rn.save(models[1], path)


models = [trained(seed, 300 if how == "random" else 3) for seed in (1, 2)]
both = [content(model) for model in models]
found, unfinished, kills = [], 0, 0
if how == "random":
    random.seed(5)
    for k in range(40):
        old = os.stat(path).st_ino
        child = in_child(lambda: at_random(k))
        while os.stat(path).st_ino == old:
            time.sleep(0.001)
        time.sleep(random.uniform(0.0, 0.01))
        os.kill(child, signal.SIGKILL)
        kills += os.waitpid(child, 0)[1] == signal.SIGKILL
        unfinished += look(found)
else:
    for k in range(1, 1000):
        rn.save(models[0], path)
        child = in_child(lambda: at_line(k))
        killed = os.waitpid(child, 0)[1] == signal.SIGKILL
        kills += killed
        unfinished += look(found)
        if not killed:
            break
print(kills, unfinished, found.count(0), found.count(1))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")
@pytest.mark.parametrize("how", ["random", "line by line"])
def test_a_killed_process_leaves_the_old_file_or_the_new_one(how, tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", KILLING, tmp_path, how], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    kills, unfinished, old, new = map(int, run.stdout.split())
    # The children were killed, some of them half-way through a file, and both files were met.
    assert kills >= 20
    assert unfinished >= 5
    assert old >= 3
    assert new >= 3
