"""Operations that the pages tell are those that methods take: counted, so exact."""

import re
from pathlib import Path

import pytest

import whippletree as wt
from whippletree.benchmark.comparison import recorded, some_state

DOCS = Path(__file__).parents[2] / "docs"
METHODS = ("grcr", "lambda-first", "projection", "clusters", "kkt", "sparse", "augmented")
"""Pages, and methods of forward dynamics, whose operations for the quick return are told."""


def operations(mechanism: str, method: str) -> int:
    m = wt.examples.load(mechanism)
    return sum(recorded(m, some_state(m)[0], method).cost.values())


@pytest.mark.parametrize("page", METHODS)
def test_a_method_s_page_tells_its_operations(page: str) -> None:
    told = re.findall(r"([\d,]+) operations for the quick return", (DOCS / f"methods/{page}.md").read_text())
    assert [int(count.replace(",", "")) for count in told] == [operations("quick-return", page)]


def test_the_table_of_roads_tells_them() -> None:
    """Of the arm and the quick return; forty four-bars take too long to be counted here."""
    rows = re.findall(
        r"^\| `([\w-]+)` \|([^|]*)\|([^|]*)\|", (DOCS / "guide/roads.md").read_text(), re.MULTILINE
    )
    told = {
        (mechanism, method): int(re.sub(r"\(.*\)|,", "", cell))
        for method, *cells in rows
        for mechanism, cell in zip(("six-axis-arm", "quick-return"), cells, strict=True)
        if cell.strip()
    }
    assert len(told) > 15
    assert told == {which: operations(*which) for which in told}
