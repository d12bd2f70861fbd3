"""The pages in docs/ run, and show what the library prints."""

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)


def run(page: str, number: int) -> dict[str, Any]:
    """The names that a block of Python leaves behind."""
    scope: dict[str, Any] = {"__name__": "page"}
    exec(compile(blocks(page, "python")[number], page, "exec"), scope)
    return scope


@pytest.mark.parametrize(
    ("page", "number"),
    [(page.name, number) for page in PAGES for number in range(len(blocks(page.name, "python")))],
)
def test_python_blocks_run(page, number, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    run(page, number)


@pytest.mark.parametrize("page", [page.name for page in PAGES])
def test_pictures_and_pages_that_are_shown_are_there(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", (DOCS / page).read_text()):
        assert (DOCS / target).exists(), target


@pytest.mark.parametrize("number", [0, 1])
def test_formulas_shown_are_those_of_the_library(number):
    shown = blocks("symbolic.md", "math")[number].strip()
    printed = run("symbolic.md", number)["equations"].latex()
    begin, body = shown.split("\n", 1)
    assert printed.startswith(begin)
    assert printed.endswith(body)
