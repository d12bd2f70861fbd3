"""The pages in docs/ run, and show what the library prints."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(), flags=re.DOTALL)


CODE = [(path.name, number) for path in sorted(DOCS.glob("*.md")) for number in range(len(blocks(path, "python")))]


@pytest.mark.parametrize(("page", "number"), CODE)
def test_python_blocks_run(page, number, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(tmp_path)
    code = blocks(DOCS / page, "python")[number]
    scope: dict[str, object] = {"__name__": "page"}
    exec(compile(code, page, "exec"), scope)
    for formulas in blocks(DOCS / page, "math")[number : number + 1]:
        equations = scope["equations"]
        assert formulas.strip() == equations.latex()  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_pictures_and_pages_that_are_shown_are_there(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", (DOCS / page).read_text()):
        assert (DOCS / target).exists(), target
