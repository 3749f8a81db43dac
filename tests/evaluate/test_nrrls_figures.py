"""The figures of the NR-RLS paper: what must lie on each other does."""

from __future__ import annotations

import numpy as np
import pytest

from river_nrrls.evaluate import nrrls_figures as figures


def test_the_example_has_the_papers_counts():
    X, y = figures.example()
    points = [tuple(x) for x in X.tolist()]
    assert len(points) == 24 and y.sum() == 16
    positive = {p for p, label in zip(points, y, strict=True) if label}
    assert sum(p in positive for p, label in zip(points, y, strict=True) if not label) == 7


def test_groups_lie_on_each_other():
    X, y = figures.scaled("wdbc")
    train, test = figures.halves(y, 0)
    assert abs(y[train].mean() - y[test].mean()) < 0.01 and not set(train) & set(test)
    lines = figures.trace(X[train], y[train], X[test], y[test])
    assert set(lines) == set(figures.COLOURS)
    for one, other in (("RLS", "LS"), ("NR-RLS", "TER"), ("IR-RLS", "TER")):
        np.testing.assert_allclose(lines[one][:, 1:3], lines[other][:, 1:3], rtol=1e-6)
    assert np.abs(lines["AR-RLS"][-1, 1] / lines["TER"][-1, 1] - 1.0) > 0.01


def test_files_are_written(tmp_path):
    for figure in ("1", "4"):
        (path,) = figures.draw(figure, tmp_path)
        assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="figure must be one of 1, 2, 4, D, got '5'"):
        figures.draw("5", tmp_path)
