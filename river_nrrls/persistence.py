"""Learners in files and dicts: a JSON header and raw arrays, and nothing that could be run."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import itertools
import json
import math
import os
import stat
import sys
from collections.abc import Callable
from io import BufferedReader
from typing import Any

import numpy as np

from .dense import DenseClassifier
from .mtwu import MTWUClassifier

__all__ = ["from_dict", "load", "save", "to_dict"]

# A file is one line of JSON, the arrays it describes one after the other, and the SHA-256 of all
# that. The line starts with MAGIC and the version, which any later version must keep so that an
# older package can tell. Old files must load for ever: a new parameter has a default, and new state
# that starts as None may be absent. Any other change of state raises VERSION, and then `load` has
# to turn the older headers into new ones.
FORMAT = "river_nrrls"
VERSION = 1
MAGIC = b'{"format": "river_nrrls", '
DIGEST_BYTES = hashlib.sha256().digest_size
BLOCK_BYTES = 1 << 20

SCALARS = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")

Encode = Callable[[np.ndarray], Any]
Decode = Callable[[Any], np.ndarray]
Layout = tuple[str, list[int], str]


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a learner of this package to one file.

    The file holds parameters and state as a line of JSON and raw arrays, without pickle, ends in a
    checksum, and depends on nothing but the model: the same model gives the same bytes. It is
    written beside `path` and then put in its place, so that a process that is killed at any moment
    leaves the old file or the new one.

    Parameters
    ----------
    model
        A learner of this package, or `MTWUClassifier` around one. Of a pipeline or another wrapper,
        save the learner inside.
    path
        Where to save it; an older file is replaced.

    Examples
    --------
    >>> import os, tempfile
    >>> import river_nrrls as rn

    >>> model = rn.NRRLSClassifier()
    >>> for x, y in rn.datasets.load("ozone-one").take(500):
    ...     model.learn_one(x, y)

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "ozone.nrrls")
    ...     rn.save(model, path)
    ...     restored = rn.load(path)
    >>> restored.n_updates
    500
    >>> restored.weights == model.weights
    True

    """
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        arrays.append(array)
        return len(arrays) - 1

    header = {**_preamble(), **_describe(model, put)}
    header["arrays"] = [list(_layout(array)) for array in arrays]
    line = json.dumps(header, allow_nan=False).encode() + b"\n"
    _replace(path, line, arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Load a learner that `save` has saved.

    Nothing in a file is executed: it can only name a learner of this package, its parameters and
    its state. A file that is not of this format, cut, changed since it was saved, or of a newer
    version of the package raises a `ValueError` that says so.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    The learner, which learns on exactly as the one that was saved would have.

    """
    name = os.fspath(path)
    with open(path, "rb") as file:
        header, start = _header(file, name)
        file.seek(start)
        arrays = [_read(file, *spec) for spec in header["arrays"]]
    return _built(header, lambda index: arrays[index], name)


def to_dict(model: Any) -> dict[str, Any]:
    """A learner of this package as a dict that is ready for JSON, with the content of its file.

    Parameters
    ----------
    model
        A learner of this package, or `MTWUClassifier` around one.

    Examples
    --------
    >>> import json
    >>> import river_nrrls as rn

    >>> model = rn.MulticlassPAClassifier(learn_intercept=False)
    >>> model.learn_one({"a": 1.0}, "yes")
    >>> model.learn_one({"a": -1.0, "b": 2.0}, "no")

    >>> d = json.loads(json.dumps(rn.to_dict(model)))
    >>> d["class"], d["state"]["columns"], d["state"]["labels"]
    ('river_nrrls.MulticlassPAClassifier', ['a', 'b'], ['yes', 'no'])
    >>> rn.from_dict(d).decision_function_one({"b": 1.0})
    {'yes': -0.2, 'no': 0.2}

    """

    def put(array: np.ndarray) -> dict[str, Any]:
        dtype, shape, order = _layout(array)
        data = [v if math.isfinite(v) else repr(v) for v in _flat(array).tolist()]
        return {"dtype": dtype, "shape": shape, "order": order, "data": data}

    return {**_preamble(), **_describe(model, put)}


def from_dict(d: dict[str, Any]) -> Any:
    """The learner that `to_dict` has described.

    Parameters
    ----------
    d
        What `to_dict` returned, or what JSON made of it.

    """
    if not isinstance(d, dict) or d.get("format") != FORMAT:
        raise ValueError(f"d must be a dict that river_nrrls.to_dict made, got {_shown(d)}")
    if problem := _version_problem(d.get("version"), "d"):
        raise ValueError(problem)

    def get(content: Any) -> np.ndarray:
        dtype, shape, order = content["dtype"], content["shape"], content["order"]
        _n_bytes((dtype, shape, order))
        # The sign refuses what is no number.
        data = [float(v) if isinstance(v, str) else +v for v in content["data"]]
        return np.array(np.array(data, dtype).reshape(shape, order=order), order=order)

    return _built(d, get, "d")


def _preamble() -> dict[str, Any]:
    package = sys.modules[__package__]
    return {"format": FORMAT, "version": VERSION, "package": package.__version__}


def _learners() -> dict[str, Any]:
    """What a file may name: the learners that the package exports."""
    package = sys.modules[__package__]
    exported = (getattr(package, name) for name in package.__all__)
    return {
        f"{__package__}.{cls.__name__}": cls
        for cls in exported
        if isinstance(cls, type) and issubclass(cls, DenseClassifier | MTWUClassifier)
    }


# A model as names and values. A dict of JSON is always a tag, {"tuple": …}, {"array": …}, so that
# True, 1, 1.0 and "1", tuples and lists, and keys that are no strings all stay what they are.


def _describe(model: Any, put: Encode) -> dict[str, Any]:
    name = f"{__package__}.{type(model).__name__}"
    if _learners().get(name) is not type(model):
        raise TypeError(_not_ours(model))
    parameters = {
        key: _encode(getattr(model, key), put, f"parameter {key}")
        for key in inspect.signature(type(model)).parameters
    }
    what = {"columns": "feature name", "labels": "label"}
    state = {
        key: [_encode(item, put, what[key]) for item in value]
        if key in what
        else _encode(value, put, f"state {key}")
        for key, value in model._get_state().items()
    }
    return {"class": name, "parameters": parameters, "state": state}


def _not_ours(model: Any) -> str:
    given = f"only learners of river_nrrls can be saved, got {type(model).__name__}"
    if hasattr(model, "_last_step"):
        return f"{given}; save the learner at its end, and pickle the pipeline's other steps"
    if isinstance(model, type):
        return f"{given} {model.__name__}; pass an instance, {model.__name__}()"
    return f"{given}; save the learner inside, if there is one, or use pickle"


def _encode(value: Any, put: Encode, what: str) -> Any:
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        # Beyond 2^53 other readers of JSON round, and Python limits the digits it converts.
        return value if -(1 << 53) <= value <= 1 << 53 else {"int": hex(value)}
    if kind is float and value == value:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is list:
        return [_encode(item, put, what) for item in value]
    if kind is tuple:
        return {"tuple": [_encode(item, put, what) for item in value]}
    if kind is dict:
        return {"dict": [[_encode(part, put, what) for part in item] for item in value.items()]}
    if kind is np.ndarray and _dtype(value) in SCALARS:
        return {"array": put(value)}
    if kind is np.str_:
        return {"numpy": ["str", str(value)]}
    if isinstance(value, np.generic) and _dtype(value) in SCALARS and value == value:
        return {"numpy": [_dtype(value), _encode(value.item(), put, what)]}
    if hasattr(value, "learn_one"):
        return {"model": _describe(value, put)}
    raise TypeError(
        f"{what} {_shown(value)} cannot be saved: names and labels may be None, bool, int, float "
        "(not nan), str, numpy scalars of these, and tuples of them; convert it before learning, "
        "or use pickle"
    )


def _decode(value: Any, get: Decode) -> Any:
    if isinstance(value, list):
        return [_decode(item, get) for item in value]
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    if tag == "int":
        return int(content, 16)
    if tag == "float":
        return float(content)
    if tag == "array":
        return get(content)
    if tag == "model":
        return _build(content, get)
    if tag == "tuple":
        return tuple(_decode(content, get))
    if tag == "dict":
        return dict(_decode(content, get))
    if tag == "numpy":
        dtype, item = content
        if dtype == "str":
            return np.str_(item)
        if dtype in SCALARS:
            return np.dtype(dtype).type(_decode(item, get))
    raise ValueError(f"unknown value {_shown(value)}")


def _built(d: dict[str, Any], get: Decode, origin: str) -> Any:
    """The model that a file or a dict describes."""
    try:
        return _build(d, get)
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise ValueError(
            f"{origin} does not describe a learner: {type(error).__name__}: {error}"
        ) from error


def _build(d: dict[str, Any], get: Decode) -> Any:
    name = d["class"]
    cls = _learners().get(name)
    if cls is None:
        raise ValueError(f"{_shown(name)} is no learner of this version of river_nrrls")
    model = cls(**{key: _decode(value, get) for key, value in d["parameters"].items()})
    _restore(model, {key: _decode(value, get) for key, value in d["state"].items()})
    return model


def _restore(model: Any, state: dict[str, Any]) -> None:
    """Give a new model its state, after a look at whether it can be that of such a model."""
    fresh = model._get_state()
    optional = {name: value for name, value in fresh.items() if value is None}
    state = {**optional, **state}
    if fresh.keys() != state.keys():
        missing, unknown = sorted(fresh.keys() - state.keys()), sorted(state.keys() - fresh.keys())
        raise ValueError(f"the state lacks {missing}, and has unknown entries {unknown}")
    if isinstance(model, DenseClassifier):
        # An untrained model of these labels and columns.
        for label in state.get("labels", ()):
            if label not in model._codes:
                model._add_label(label)
        model._columns.add(state["columns"])
        model._new_row()
        model._grow(model._columns.size)
        for name, expected in model._get_state().items():
            _check_alike(expected, state[name], name)
    model._set_state(state)


def _check_alike(expected: Any, given: Any, name: str) -> None:
    """Refuse arrays, names and labels that would not fit their columns and labels."""
    if name in ("columns", "labels"):
        if list(map(_typed, expected)) != list(map(_typed, given)):
            raise ValueError(f"state {name} {given!r} repeats or lacks a name")
    elif isinstance(expected, np.ndarray):
        if not _fits(expected, given):
            is_array = isinstance(given, np.ndarray)
            shown = f"{given.dtype} {given.shape}" if is_array else _shown(given)
            raise ValueError(
                f"state {name} must be an array {expected.dtype} {expected.shape}, got {shown}"
            )
    elif isinstance(expected, list) and isinstance(given, list) and len(expected) == len(given):
        for i, (one, other) in enumerate(zip(expected, given, strict=True)):
            _check_alike(one, other, f"{name}[{i}]")


def _fits(expected: np.ndarray, given: Any) -> bool:
    """Whether an array may be state; an axis that starts at 0 grows with what was learnt."""
    return (
        isinstance(given, np.ndarray)
        and (given.dtype, given.ndim) == (expected.dtype, expected.ndim)
        and all(n in (0, m) for n, m in zip(expected.shape, given.shape, strict=True))
    )


def _typed(value: Any) -> tuple[type, Any]:
    return type(value), value


# Arrays.


def _dtype(array: Any) -> str:
    return str(array.dtype.newbyteorder("<").str)


def _layout(array: np.ndarray) -> Layout:
    """Little-endian type, shape, and the order of the axes in memory."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return _dtype(array), list(array.shape), "F" if fortran else "C"


def _flat(array: np.ndarray) -> np.ndarray:
    """The little-endian entries in the order of memory: a view, if the array is contiguous."""
    dtype, _, order = _layout(array)
    return array.ravel(order="F" if order == "F" else "C").astype(dtype, copy=False)


def _buffer(array: np.ndarray) -> Any:
    """The bytes of `_flat` as a buffer, which numpy's annotations say from Python 3.12 on only."""
    return _flat(array).view(np.uint8)


def _n_bytes(spec: Any) -> int:
    """Bytes of the array that a layout describes; a ValueError if it describes none."""
    dtype, shape, order = spec
    if dtype not in SCALARS or order not in ("C", "F"):
        raise ValueError(f"unknown array layout {_shown(spec)}")
    if not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError(f"unknown array shape {_shown(shape)}")
    return int(math.prod(shape) * np.dtype(dtype).itemsize)


def _read(file: BufferedReader, dtype: str, shape: list[int], order: str) -> np.ndarray:
    array = np.empty(shape, dtype, order="F" if order == "F" else "C")
    file.readinto(_buffer(array))
    return array.astype(array.dtype.newbyteorder("="), copy=False)


# Files.


def _header(file: BufferedReader, name: str) -> tuple[dict[str, Any], int]:
    """The header of a file that has passed every check, and where its arrays start."""
    magic = file.read(len(MAGIC))
    if magic != MAGIC:
        if MAGIC.startswith(magic):
            raise ValueError(f"{name} is cut: it has only {len(magic)} bytes")
        raise ValueError(
            f"{name} is no file of river_nrrls.save: it starts with {magic[:16]!r}; a pickled "
            "model is loaded by pickle.load"
        )
    line = magic + file.readline()
    if not line.endswith(b"\n"):
        raise ValueError(f"{name} is cut: it ends within its header")
    try:
        header = json.loads(line)
        problem = _version_problem(header["version"], name)
        arrays = [] if problem else header["arrays"]
        size = sum(map(_n_bytes, arrays), len(line)) + DIGEST_BYTES
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is corrupted: its header cannot be read ({error})") from None
    found = file.seek(0, os.SEEK_END)
    if found < size:
        raise ValueError(f"{name} is cut: it has {found:,} of {size:,} bytes")
    intact = _digest(file, found - DIGEST_BYTES) == file.read()
    if problem:
        doubt = "" if intact else " (or get an intact copy: its checksum does not match)"
        raise ValueError(problem + doubt)
    if not intact or found != size:
        raise ValueError(
            f"{name} is corrupted: its content does not match its checksum; restore it from a copy"
        )
    return header, len(line)


def _version_problem(version: Any, name: str) -> str:
    """Why this package cannot read a version of the format; empty if it can."""
    if type(version) is not int or version < VERSION:
        return f"{name} is corrupted: there is no version {version!r} of the format"
    if version == VERSION:
        return ""
    return (
        f"{name} has version {version} of the format, newer than {VERSION}, the newest that "
        f"river_nrrls {_preamble()['package']} reads; upgrade river_nrrls"
    )


def _digest(file: BufferedReader, n: int) -> bytes:
    """SHA-256 of the first `n` bytes, and the file stands behind them."""
    file.seek(0)
    digest = hashlib.sha256()
    while n > 0 and (block := file.read(min(n, BLOCK_BYTES))):
        digest.update(block)
        n -= len(block)
    return digest.digest()


def _replace(path: str | os.PathLike[str], line: bytes, arrays: list[np.ndarray]) -> None:
    """Write header, arrays and checksum to a new file, and put it in the place of `path`."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    mode = os.stat(target).st_mode if os.path.exists(target) else None
    if mode is not None and not stat.S_ISREG(mode):
        raise ValueError(f"path must be that of a file, got {os.fspath(path)!r}")
    # In the same folder: only within one file system is the replacement a single step.
    temporary = os.path.join(folder, f".river_nrrls-{os.urandom(8).hex()}.tmp")
    digest = hashlib.sha256()
    try:
        with open(temporary, "xb") as file:
            for block in itertools.chain([line], map(_buffer, arrays)):
                digest.update(block)
                file.write(block)
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power failure, where the system has a way to."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Some file systems refuse it; the file is in its place all the same.
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:60] + '…'} ({type(value).__name__})"
