"""The pages in docs/ run from top to bottom, and show what the library prints."""

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(page.name for page in DOCS.glob("*.md"))


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)


def run(page: str, count: int | None = None) -> dict[str, Any]:
    """The names that the first blocks of Python of a page, or all of them, leave behind."""
    scope: dict[str, Any] = {"__name__": "page"}
    for number, code in enumerate(blocks(page, "python")[:count]):
        exec(compile(code, f"{page}, block {number}", "exec"), scope)
    return scope


@pytest.mark.parametrize("page", PAGES)
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    run(page)


@pytest.mark.parametrize("page", PAGES)
def test_pictures_and_pages_that_are_shown_are_there(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", (DOCS / page).read_text()):
        assert (DOCS / target).exists(), target


@pytest.mark.parametrize("number", [0, 1])
def test_formulas_shown_are_those_of_the_library(number):
    shown = blocks("symbolic.md", "math")[number].strip()
    printed = run("symbolic.md", number + 1)["equations"].latex()
    begin, body = shown.split("\n", 1)
    assert printed.startswith(begin)
    assert printed.endswith(body)


def test_what_the_page_on_reduction_prints(capsys):
    page = "recursive-coordinate-reduction.md"
    printed = re.search(r"```python\n.*?```.*?```\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    assert printed is not None
    run(page, 1)
    assert capsys.readouterr().out == printed[1]


def test_the_page_of_graphs_shows_what_is_printed(capsys):
    run("graph.md")
    assert capsys.readouterr().out == "".join(blocks("graph.md", "text"))
