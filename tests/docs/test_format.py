"""The examples of docs/format.md load, and its tables list every key."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import whippletree as wt
from whippletree.io.toml.toml_read import JOINTS
from whippletree.model.kinds import KINDS
from whippletree.shapes import SHAPES

PAGE = (Path(__file__).parents[2] / "docs" / "format.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_load_and_come_back(text, tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(text)
    m = wt.load(path)
    assert m.nv > 1
    assert m.warnings == []
    wt.save(m, path)
    assert wt.load(path) == m


def test_there_are_examples():
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize("name", JOINTS)
def test_every_joint_type_and_its_keys_are_described(name):
    assert f'`"{name}"`' in PAGE
    for field in fields(JOINTS[name]):  # pyright: ignore[reportArgumentType]  # every joint type is a dataclass
        assert f"`{field.name}`" in PAGE


def test_every_key_is_described():
    for part in (
        wt.Limits,
        wt.Frame,
        wt.Loop,
        wt.Gear,
        wt.Spring,
        wt.Force,
        wt.Contact,
        wt.Distance,
        wt.Driver,
    ):
        for field in fields(part):
            assert f"`{field.name}`" in PAGE or f"{field.name} = " in PAGE
    for kind in KINDS:
        assert f"[[{kind}]]" in PAGE
    for key in ("kind", "size", "placement", "mesh", "heights", "color"):
        assert f"`{key}`" in PAGE
    for kind in SHAPES:
        assert f'`"{kind}"`' in PAGE
    for key in ("armature", "damping", "friction", "stiffness", "rest", "joint_name", "parent"):
        assert f"`{key}`" in PAGE
