"""Long studies: cells run side by side in processes, shown on a progress bar, and resumable."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TextIO

from ..dense import checks

__all__ = ["Progress", "run_cells"]

_BLAS_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Progress:
    """A bar on the terminal's standard error; a line now and then where that is a file.

    Parameters
    ----------
    total
        Number of steps.
    what
        What is being done.
    file
        Where the bar is shown; standard error by default, None for nowhere.

    """

    def __init__(self, total: int, what: str, file: TextIO | None) -> None:
        self.total = total
        self.what = what
        self.file = file
        self.done = 0
        self._start = time.monotonic()
        self._shown = 0.0

    def step(self, label: str = "") -> None:
        """One more step is done."""
        self.done += 1
        if self.file is None:
            return
        now = time.monotonic()
        terminal = self.file.isatty()
        if now - self._shown < (0.1 if terminal else 30.0) and self.done < self.total:
            return
        self._shown = now
        left = (now - self._start) / self.done * (self.total - self.done)
        filled = 24 * self.done // self.total
        text = (
            f"{self.what} [{'#' * filled}{'.' * (24 - filled)}] {self.done}/{self.total}, "
            f"{left:.0f} s left {label}"
        )
        end = "\n" if not terminal or self.done == self.total else ""
        self.file.write(f"\r{text[:110]:<110}{end}" if terminal else f"{text.rstrip()}\n")
        self.file.flush()


def run_cells(
    function: Callable[..., Any],
    cells: Mapping[str, tuple[Any, ...]],
    *,
    path: str | Path | None = None,
    n_jobs: int = 1,
    progress: bool = True,
    what: str = "cells",
    initializer: Callable[..., None] | None = None,
    initargs: tuple[Any, ...] = (),
    apart: bool = False,
) -> dict[str, Any]:
    """The results of `function(*arguments)` for each cell, by the cell's key.

    Parameters
    ----------
    function
        A function at the top level of a module, whose results are JSON values.
    cells
        Key to arguments. The key must name everything that the result depends on.
    path
        File to which each result is added as a line of JSON as soon as it is there; results that it
        holds already are not computed again, so an interrupted study goes on where it stopped.
    n_jobs
        Number of processes. With more than 1 a script needs the usual
        `if __name__ == "__main__":` around what it runs.
    progress
        Whether to show a progress bar on standard error.
    what
        Name of the study on the bar.
    initializer
        Called with `initargs` once in each process, before its first cell.
    apart
        Whether a single process is one of its own as well. Processes of their own have one BLAS
        thread each, as times that shall mean something need.

    """
    checks.positive_integer("n_jobs", n_jobs)
    results = {} if path is None else _read(Path(path))
    results = {key: results[key] for key in cells if key in results}
    todo = {key: arguments for key, arguments in cells.items() if key not in results}
    if not todo:
        return results
    bar = Progress(len(todo), what, sys.stderr if progress else None)
    with contextlib.ExitStack() as stack:
        file = None
        if path is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(Path(path).open("a", encoding="utf-8"))
            # A study that was killed may have left half a line.
            file.write("\n" if file.tell() else "")
        alone = n_jobs == 1 and not apart
        done = _run(function, todo, 0 if alone else n_jobs, initializer, initargs)
        for key, value in done:
            # As a reader of the file would see it: tuples become lists, keys text.
            line = json.dumps({"key": key, "value": value})
            results[key] = json.loads(line)["value"]
            if file is not None:
                file.write(line + "\n")
                file.flush()
            bar.step(key if len(key) < 40 else "")
    return {key: results[key] for key in cells}


def _read(path: Path) -> dict[str, Any]:
    results = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            # The last line of a killed study may be cut off.
            with contextlib.suppress(json.JSONDecodeError, KeyError, TypeError):
                record = json.loads(line)
                results[record["key"]] = record["value"]
    return results


def _run(
    function: Callable[..., Any],
    cells: Mapping[str, tuple[Any, ...]],
    n_jobs: int,
    initializer: Callable[..., None] | None,
    initargs: tuple[Any, ...],
) -> Iterator[tuple[str, Any]]:
    if not n_jobs:
        if initializer is not None:
            initializer(*initargs)
        for key, arguments in cells.items():
            yield key, function(*arguments)
        return
    with (
        _one_blas_thread(),
        ProcessPoolExecutor(
            n_jobs,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=initializer,
            initargs=initargs,
        ) as pool,
    ):
        futures = {pool.submit(function, *arguments): key for key, arguments in cells.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextlib.contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Processes started in here use one BLAS thread each, not one for every core."""
    before = {name: os.environ.get(name) for name in _BLAS_THREADS}
    for name, value in before.items():
        if value is None:
            os.environ[name] = "1"
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
