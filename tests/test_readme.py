"""The README and the pages of the documentation do what they show.

Every block marked `python` runs, page by page and from top to bottom; blocks with `>>>` must also
print what stands below. The commands in the README are run as they stand by `.ci/run`.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import river_nrrls

TOP = Path(__file__).parents[1]
README = TOP / "README.md"
PAGES = [README, *sorted((TOP / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)


def names(page: Path) -> str:
    return str(page.relative_to(TOP))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=names)
def test_python_blocks(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": page.stem}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    report: list[str] = []
    for number, block in enumerate(blocks(page, "python"), start=1):
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(
                block, namespace, f"block {number}", str(page), 0
            )
            runner.run(test, out=report.append, clear_globs=False)
            namespace = test.globs
        else:
            exec(compile(block, f"{page}, block {number}", "exec"), namespace)
    assert not report, "".join(report)


def test_readme_shows_python():
    assert len(blocks(README, "python")) >= 1


def test_links_within_the_repository_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{names(page)} links to {target}"


def test_versions_agree():
    citation = (TOP / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {river_nrrls.__version__}\n" in citation
