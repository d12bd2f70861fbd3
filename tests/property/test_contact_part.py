"""Contacts as parts of a mechanism: what they refuse, what they stand for, their numbers left open."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.model.contact import touching_shapes


def ball() -> wt.Mechanism:
    m = wt.Mechanism("ball")
    solid = wt.Geometry(wt.Capsule(0.05, 0.3), wt.Placement((0.1, 0.0, 0.2)))
    m.add_body("ball", wt.Free(), inertia=wt.Inertia.sphere(0.1, mass=0.3), collisions=(solid,))
    m.add_body("arm", wt.Revolute("x"), "ball", inertia=wt.Inertia.sphere(0.1, mass=0.2))
    m.add_shape("skin", wt.Sphere(0.1), body="ball", placement=wt.Placement((0.0, 0.02, 0.0)))
    m.add_shape("floor", wt.Plane())
    return m


def test_a_body_stands_for_all_its_shapes() -> None:
    m = ball()
    assert [t.name for t in touching_shapes(m, "ball")] == ["collision 0 of ball", "skin"]
    assert [(t.name, t.body) for t in touching_shapes(m, "ground")] == [("floor", -1)]
    assert [(t.name, t.body) for t in touching_shapes(m, "skin")] == [("skin", 0)]
    assert touching_shapes(m, "arm") == []


def test_files_and_edits_keep_contacts(tmp_path: Path) -> None:
    m = ball()
    m.add_contact("touch", "ball", "ground", 0.35, 0.25)
    m.add_contact("soft", "skin", "floor", stiffness=2e4, damping=30.0)
    path = tmp_path / "ball.toml"
    wt.save(m, path)
    assert wt.load(path) == m
    renamed = wt.rename(m, shapes={"skin": "hide"}, bodies={"ball": "egg"}, contacts={"touch": "roll"})
    assert [(c.name, c.a, c.b) for c in renamed.contacts] == [
        ("roll", "egg", "ground"),
        ("soft", "hide", "floor"),
    ]
    assert "touch: ball on ground, friction 0.35, restitution 0.25, rigid" in m.summary()
    assert "soft: skin on floor, friction 0.8, restitution 0, 2e+04 N/m, 30 N s/m" in m.summary()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"restitution": 1.2}, "restitution is 1.2, must be between 0 and 1"),
        ({"restitution": -0.1}, "restitution is -0.1, must be 0 or more"),
        ({"friction": -0.3}, "friction is -0.3, must be 0 or more"),
        ({"friction": "rough"}, "friction is 'rough', expected a number"),
        ({"damping": 3.0}, "damping is 3 N s/m, but there is no stiffness"),
        ({"stiffness": 0.0}, "stiffness is 0, must be more"),
        ({"a": "skim"}, "has no shape or body named 'skim'.*did you mean 'skin'"),
        ({"b": "ball"}, "'skin' and 'ball' are both on body 'ball'"),
        ({"a": "ground"}, "'ground' and 'floor' are both on the ground"),
        ({"a": "point"}, "shape 'point' is a sphere of size 0: give every size"),
        ({"a": "arm"}, "shape 'sheet' is a box of size 1, 0, 0.5"),
    ],
)
def test_contacts_that_cannot_be_are_refused(said: dict[str, Any], message: str) -> None:
    m = ball()
    m.add_shape("point", wt.Sphere(0.0), body="ball")
    m.add_shape("sheet", wt.Box((1.0, 0.0, 0.5)), body="arm")
    with pytest.raises(wt.ModelError, match=message):
        m.add_contact(**{"name": "touch", "a": "skin", "b": "floor", **said})
    assert m.contacts == ()


def test_numbers_of_contacts_are_parameters() -> None:
    m = ball()
    m.add_contact("touch", "skin", "floor", 0.35, 0.25)
    m.add_contact("soft", "ball", "floor", stiffness=2e4, damping=30.0)
    names = ["touch.friction", "touch.restitution", "soft.stiffness", "soft.damping"]
    assert wt.parameter_values(m, names).tolist() == [0.35, 0.25, 2e4, 30.0]
    assert "touch.stiffness" not in wt.parameter_names(m)
    other = wt.with_parameters(m, names[::2], np.array([0.9, 3e4]))
    assert (other.contacts[0].friction, other.contacts[0].restitution) == (0.9, 0.25)
    assert other.contacts[1].stiffness == 3e4
    assert m.contacts[0].friction == 0.35

    def grip(m: wt.Mechanism, q: Any) -> Any:
        return q[0] * m.contacts[0].friction

    k = wt.compile(grip, m, parameters=["touch.friction"])
    assert k(m.integrate(m.neutral(), np.full(m.nv, 0.5)), np.array([0.7])) == pytest.approx(0.35)
