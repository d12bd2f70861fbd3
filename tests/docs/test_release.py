"""What a release says of itself. Source of truth: pyproject.toml and the one file that has the version."""

import re
import tomllib
from pathlib import Path

import whippletree as wt

TOP = Path(__file__).parents[2]


def test_the_citation_has_the_version():
    said = re.findall(r"^version: (\S+)$", (TOP / "CITATION.cff").read_text(), flags=re.MULTILINE)
    assert said == [wt.__version__]


def test_every_dependency_is_listed_with_its_licence():
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[<>=;\[ ]", entry)[0] for group in groups for entry in group}
    rows = re.findall(
        r"^\| ([\w, -]+) \| .+ \| (.+) \|$", (TOP / "docs" / "dependencies.md").read_text(), re.MULTILINE
    )
    listed = {name for row, _ in rows for name in row.split(", ")}
    assert names - listed == set()
    assert all(licence.strip() for _, licence in rows)
