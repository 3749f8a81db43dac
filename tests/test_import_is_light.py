"""`import river_nrrls` loads its learners and nothing heavy; the rest comes when asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import river_nrrls

HEAVY = (
    "scipy.stats",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "dask",
    "distributed",
    "sklearn",
    "scikit_posthocs",
    "river.linear_model",
    "river.datasets",
    "river.evaluate",
    "river.metrics",
    "river.stream",
)


def loaded_after(code: str) -> set[str]:
    """Names of the modules a fresh interpreter holds after running the code."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_is_light():
    loaded = loaded_after("import river_nrrls")
    assert "river_nrrls" in loaded
    assert not loaded.intersection(HEAVY)
    assert not [
        f"river_nrrls.{name}" for name in river_nrrls._LAZY if f"river_nrrls.{name}" in loaded
    ]


def test_command_line_is_light():
    loaded = loaded_after("import river_nrrls.cli as cli\ncli.parser(())")
    assert "argparse" in loaded
    assert not loaded.intersection(HEAVY)


@pytest.mark.parametrize("name", sorted(river_nrrls._LAZY))
def test_lazy_subpackages_are_attributes(name):
    assert f"river_nrrls.{name}" in loaded_after(f"import river_nrrls\nriver_nrrls.{name}")
    assert getattr(river_nrrls, name) is importlib.import_module(f"river_nrrls.{name}")
    assert name in dir(river_nrrls)


def test_unknown_attribute():
    with pytest.raises(AttributeError, match="'river_nrrls' has no attribute 'nonsense'"):
        river_nrrls.nonsense  # noqa: B018
