"""What is taken over of an MJCF file, and what is told of the rest.

Source of truth: the file's own numbers, and MuJoCo's documentation of what they mean.
"""

import sys
import warnings

import numpy as np
import pytest

import whippletree as wt
from mjcf_text import EQUALITIES, LINKAGE, MACHINE
from whippletree.io import problems
from whippletree.io.toml.toml_write import dumps


def model(inside: str, body: str = "", joint: str = '<joint name="j"/>') -> str:
    """A file with one body on a joint, parts of it, and what stands beside the bodies."""
    inertial = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.2 0.2"/>'
    world = f'<worldbody><body name="b">{joint}{inertial}{body}</body></worldbody>'
    return f'<mujoco model="m"><compiler angle="radian"/>{world}{inside}</mujoco>'


def test_a_machine_with_a_part_of_every_kind():
    m = wt.loads(MACHINE)
    assert m.joint_names == ["turn", "lift", "elbow", "wrist", "fly"]
    assert [type(body.joint) for body in m.bodies] == [
        wt.Revolute,
        wt.Prismatic,
        wt.Revolute,
        wt.Spherical,
        wt.Free,
    ]
    assert m.gravity == (0.3, -0.2, -9.5)
    turn, lift, elbow, *_ = m.bodies
    assert (turn.name, turn.inertia.m, lift.parent) == ("base.turn", 0.0, "base.turn")
    assert (turn.limits.lower, turn.limits.upper) == pytest.approx(np.radians((-120.0, 100.0)))
    assert (turn.actuated, turn.limits.effort) == (True, 12.0)
    assert (elbow.actuated, elbow.limits.effort) == (True, 9.0)
    assert turn.armature == pytest.approx(0.02 + 36 * 0.01)
    assert (lift.damping, lift.friction) == (0.15, 0.4)
    assert elbow.stiffness == 4.0
    assert elbow.rest == pytest.approx((np.radians(20.0),))
    (cord,) = m.springs
    assert (cord.stiffness, cord.damping, cord.length, cord.body_b) == (30.0, 0.7, 0.5, "ball")
    assert {shape.shape.kind for shape in m.shapes} == {
        "plane",
        "heights",
        "box",
        "cylinder",
        "capsule",
        "mesh",
        "sphere",
    }
    (skin,) = m.bodies[1].visuals
    assert skin.shape == wt.Ellipsoid((0.1, 0.2, 0.3))
    assert m.shapes[m.number("shape", "base.geom1")].color == pytest.approx((0.2, 0.4, 0.6, 1.0))
    assert m.contacts[m.number("contact", "nose on floor")].friction == 1.3
    assert m.contacts[m.number("contact", "base.geom1 on floor")].friction == 0.9
    assert wt.loads(dumps(m)) == m


def test_what_is_told():
    told = wt.loads(MACHINE).warnings
    for part in (
        "actuator 'servo': its joint has a motor here; the law of its force",
        "has no closed form here; for meshes take wt.hull_collisions",
        "sensor 'angle': sensors are no part",
        "contacts among bodies that move, 6 pairs of geoms: left out",
        "names that something else has already: site 'plate' is 'plate.site'",
        "contacts are rigid here",
    ):
        assert any(part in line for line in told), part


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (model('<option density="1.2" viscosity="1e-5"/>'), "fluid of density 1.2 and viscosity 1e-05"),
        (model('<option wind="1 0 0"/>'), "wind: it is left out"),
        (model('<keyframe><key name="home" qpos="1"/></keyframe>'), "keyframe 'home': keyframes are states"),
        (model("", joint='<joint type="ball" range="0 1" name="s" limited="true"/>'), "range of joint 's'"),
        (model("", joint='<joint name="j" type="free" stiffness="2"/>'), "stiffness of joint 'j'"),
        (model("", joint='<joint name="j" type="free" armature="2"/>'), "armature of joint 'j'"),
        (model("", joint='<joint name="j" range="0 1" margin="0.1"/>'), "margin of the limits of joint 'j'"),
        (model("", joint='<joint name="j" damping="1 0.2"/>'), "higher powers of stiffness and damping"),
        (
            model('<equality><joint joint1="j" polycoef="0.2 0 0 0 0"/></equality>'),
            "joint equality 'joint1': holds a joint in its place",
        ),
        (
            model('<tendon><fixed name="t" range="0 1"><joint joint="j" coef="1"/></fixed></tendon>'),
            "range of tendon 't'",
        ),
        (
            model('<actuator><motor name="a" joint="j" ctrlrange="-1 3"/></actuator>'),
            "actuator 'a': is not as strong both ways",
        ),
        (
            LINKAGE.replace("EQUALITY", '<joint joint1="e" joint2="a" polycoef="0 1 0.3 0 0"/>'),
            "joint equality 'joint1': is a curve",
        ),
        (
            LINKAGE.replace("EQUALITY", '<connect name="p" body1="rod" anchor="0 0 0" active="false"/>'),
            "connect equality 'p': is not active",
        ),
        ("<mujoco><worldbody/></mujoco>", "there is no <body> in its <worldbody>"),
        (
            model("").replace("<worldbody>", '<worldbody><body name="hand" mocap="true"/>'),
            "mocap body 'hand': stands still",
        ),
    ],
)
def test_what_has_no_counterpart_is_told(text, part):
    m = wt.loads(text)
    assert [line for line in m.warnings if part in line], m.warnings
    assert m.name


def test_what_the_file_switches_off_is_off():
    joint = '<joint name="j" damping="1" stiffness="2" frictionloss="3" range="0 1"/>'
    flags = ["gravity", "spring", "damper", "frictionloss", "limit", "equality", "contact", "actuation"]
    off = " ".join(f'{flag}="disable"' for flag in flags)
    text = model(
        f'<option><flag {off}/></option><actuator><motor name="a" joint="j"/></actuator>'
        '<equality><connect body1="b" anchor="0 0 0"/></equality>',
        joint=joint,
    )
    m = wt.loads(text)
    (body,) = m.bodies
    assert m.gravity == (0.0, 0.0, 0.0)
    assert (body.damping, body.stiffness, body.friction, body.limits) == (0.0, 0.0, 0.0, wt.Limits(0.0, 1.0))
    assert not m.loops
    assert not body.actuated
    assert any("equalities: the file switches them off" in line for line in m.warnings)


def test_gears_hold_what_the_file_says():
    m = wt.loads(LINKAGE.replace("EQUALITY", EQUALITIES["joint"]))
    (gear,) = m.gears
    assert (gear.driver, gear.driven, gear.ratio) == ("a", "e", -1.7)
    assert gear.offset == pytest.approx(0.05 + np.radians(0.1))  # e stands at its ref where a stands at 0


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "<mujoco><worldbody>\n<body><joint foo='1'/></body></worldbody></mujoco>",
            2,
            "MuJoCo refuses it: Schema violation: unrecognized attribute: 'foo', element 'joint'",
        ),
        ("<mujocoinclude/>", 1, "is a part that other files include"),
        ("<mujoco>\n<body/></mujoco>", 2, "<body> stands outside <worldbody>: it is a part that other files"),
        ("<mujoco>\n<worldbody></mujoco>", 2, "not well-formed XML"),
        ("<!DOCTYPE a [\n<!ENTITY b 'c'>]><mujoco/>", 2, "declares an XML entity"),
        (
            "<mujoco><worldbody>\n<replicate count='9999'>\n<replicate count='9999'><geom size='1'/>"
            "</replicate></replicate></worldbody></mujoco>",
            3,
            "asks for 1e+08 copies",
        ),
        (
            '<mujoco><worldbody><flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1"'
            ' mass="1"/></worldbody></mujoco>',
            None,
            "flex 'cloth' is a deformable body",
        ),
        (model('<asset><mesh file="nowhere.stl"/></asset>'), None, "nowhere.stl"),
        (model("", joint='<joint range="nan 1"/>'), None, "contains a 'NaN'"),
        (model("", joint='<joint pos="0 1e200 0"/>'), None, "pos of joint '' has 1e+200, which is too large"),
        (
            model("", joint='<joint name="j" type="slide" ref="1e308"/>'),
            None,
            "ref of joint 'j' has 1e+308, which is too large",
        ),
        (
            model("", joint='<joint name="j" type="slide" ref="inf"/>'),
            None,
            "ref of joint 'j' has inf, which is not finite",
        ),
        (
            model("", joint='<joint name="j" type="slide" stiffness="2" springref="1e200"/>'),
            None,
            "springref of joint 'j' has 1e+200, which is too large",
        ),
        (
            model("", joint='<joint name="j" damping="1e120"/>'),
            None,
            "damping of joint 'j' has 1e+120, which is too large",
        ),
    ],
)
def test_refusals(text, line, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(wt.FileError) as refused:
        wt.loads(text)
    assert message in str(refused.value)
    assert refused.value.line == line
    (tmp_path / "m.xml").write_text(text)
    (problem,) = problems(tmp_path / "m.xml")
    assert (problem.line, problem.severity) == (line, "error")
    assert [path.name for path in tmp_path.iterdir()] == ["m.xml"]  # MuJoCo's log is not left behind


def test_faults_of_included_files_have_no_line(tmp_path):
    (tmp_path / "part.xml").write_text('<mujoco><asset><material name="red"/></asset></mujoco>')
    path = tmp_path / "whole.xml"
    path.write_text('<mujoco><asset><material name="red"/></asset><include file="part.xml"/></mujoco>')
    with pytest.raises(
        wt.FileError, match=r"whole.xml: .* 'red' in material, .*, in a file that is included$"
    ):
        wt.load(path)


def test_files_know_what_lies_beside_them_and_warnings_are_heard(tmp_path):
    part = '<mujocoinclude><body name="part"><joint/><geom size="0.1"/></body></mujocoinclude>'
    (tmp_path / "part.xml").write_text(part)
    path = tmp_path / "whole.xml"
    path.write_text(
        '<mujoco><compiler settotalmass="3"/><worldbody><include file="part.xml"/></worldbody></mujoco>'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = wt.load(path)
    assert [body.name for body in m.bodies] == ["part"]
    assert m.bodies[0].inertia.m == pytest.approx(3.0)
    assert any(line.startswith("MuJoCo says: ") for line in m.warnings)
    assert [problem.severity for problem in problems(path)] == ["warning"] * len(m.warnings)


def test_a_root_is_refused_and_so_are_options():
    with pytest.raises(wt.InputError, match="has its own root, only URDF files need one"):
        wt.loads(MACHINE, root=wt.Free())
    with pytest.raises(wt.InputError, match="stops: text says itself what it means"):
        wt.loads(MACHINE, stops=True)


def test_without_mujoco_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(wt.FileError, match=r"pip install 'whippletree\[mjcf\]'"):
        wt.loads(MACHINE)
