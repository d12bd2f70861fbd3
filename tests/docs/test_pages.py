"""The pages in docs/ run from top to bottom, and show what the library prints.

Links between pages, and pictures that the build makes, are checked where the site is built (`.ci/run`);
recipes, which are scripts, run there.
"""

import re
from pathlib import Path
from typing import Any

import pytest

import whippletree as wt

DOCS = Path(__file__).parents[2] / "docs"
MADE = ("_build", "api", "recipes", "speed")
"""Folders that the build of the site makes."""

PAGES = sorted(
    str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if page.relative_to(DOCS).parts[0] not in MADE
)
WITH_CODE = [page for page in PAGES if "```python" in (DOCS / page).read_text()]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)


def run(page: str, count: int | None = None) -> dict[str, Any]:
    """The names that the first blocks of Python of a page, or all of them, leave behind."""
    scope: dict[str, Any] = {"__name__": "page"}
    for number, code in enumerate(blocks(page, "python")[:count]):
        exec(compile(code, f"{page}, block {number}", "exec"), scope)
    return scope


@pytest.mark.parametrize("page", WITH_CODE)
def test_code_runs_and_prints_what_is_shown(page, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    run(page)
    shown = "".join(blocks(page, "text"))
    assert not shown or capsys.readouterr().out == shown


@pytest.mark.parametrize("page", PAGES)
def test_pictures_and_pages_that_are_shown_are_there(page):
    folder = (DOCS / page).parent
    for target in re.findall(r"\]\(([^)#:]+)\)", (DOCS / page).read_text()):
        made = (folder / target).resolve().relative_to(DOCS).parts[0] in MADE or target.endswith(
            "gallery/index.md"
        )
        assert made or (folder / target).exists(), target


def test_every_bundled_mechanism_has_a_picture():
    missing = [
        name
        for name in wt.examples.names()
        if not all((DOCS / "gallery" / f"{name}.{kind}").exists() for kind in ("png", "webp"))
    ]
    assert not missing, f"run python docs/make_gallery.py {' '.join(missing)}"


def test_moving_pictures_are_whole():
    """A .webp tells its own length: one that was copied while it was written is shorter."""
    for path in (DOCS / "gallery").glob("*.webp"):
        content = path.read_bytes()
        assert int.from_bytes(content[4:8], "little") + 8 == len(content), path.name


OPERATIONS = re.compile(
    r"\| call \| \{py:obj\}`wt\.([\w.]+) .*?([\d,]+) operations for the six-axis arm", re.DOTALL
)
"""Those for the quick return are held by tests/cost/test_told_counts.py."""


@pytest.mark.parametrize("page", [page for page in PAGES if OPERATIONS.search((DOCS / page).read_text())])
def test_methods_take_no_more_operations_than_their_pages_say(page):
    found = OPERATIONS.search((DOCS / page).read_text())
    assert found is not None
    m = wt.examples.load("six-axis-arm")
    where = {"frame": "tool"} if "operational" in found[1] else {}
    function = wt
    for part in found[1].split("."):
        function = getattr(function, part)
    counted = sum(wt.compile(function, m, **where).cost.values())  # pyright: ignore[reportArgumentType]
    assert counted <= int(found[2].replace(",", ""))


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
