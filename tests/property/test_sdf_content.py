"""What is taken over of an SDF file, and what is told of the rest.

Source of truth: the file's own numbers, and what the format's pages say they mean.
"""

import numpy as np
import pytest

import whippletree as wt
from sdf_text import FOUR_BAR, INERTIAL, ROVER, joint, link, model
from whippletree.io import problems
from whippletree.io.toml.toml_write import dumps

AXIS = "<axis><xyz>0 0 1</xyz></axis>"


def axis_of(m: wt.Mechanism) -> tuple[float, ...]:
    hinge = m.bodies[1].joint
    assert isinstance(hinge, wt.Revolute)
    return hinge.axis


def pose_of(m: wt.Mechanism, frame: str) -> np.ndarray:
    return wt.frame_pose(m, m.neutral(), frame)


def test_a_model_with_many_kinds_of_parts():
    m = wt.loads(ROVER)
    assert (m.name, m.gravity) == ("yard", (0.2, 0.1, -9.7))
    assert m.joint_names == ["root_joint", "turn", "nod", "wrist", "arm::thread"]
    assert wt.loads(ROVER, root=wt.Fixed()).nv == m.nv - 6
    turn, thread = m.bodies[1], m.bodies[4]
    assert turn.limits == wt.Limits(-1.0, 2.0, 4.0, 30.0)
    assert (turn.damping, turn.friction, turn.stiffness, turn.rest) == (0.3, 0.2, 5.0, (0.4,))
    assert isinstance(thread.joint, wt.Helical)
    assert thread.joint.pitch == pytest.approx(0.05 / (2.0 * np.pi))
    assert m.bodies[0].visuals[0].color == (0.2, 0.3, 0.4, 1.0)
    assert m.bodies[0].collisions[0].shape == wt.Sphere(0.4)
    world = wt.Placement((0.5, 0.2, 0.3), rpy=(0.1, 0.2, 0.3))
    chassis = world @ wt.Placement((0.1, 0.2, 0.3), rpy=(0.1, 0, 0.2))
    mast = chassis @ wt.Placement((0.2, 0, 0.3), rpy=(0, 0.4, 0)) @ wt.Placement((0, 0, 0.2))
    head = mast @ wt.Placement((0, 0.1, 0.4), rpy=(0, 0, 0.5))
    expected = {
        "chassis.origin": chassis,
        "mast.origin": mast,
        "head.origin": head,
        "lens": head @ wt.Placement((0.1, 0, 0)),
        "arm::nut.origin": head @ wt.Placement((0.3, 0, 0)) @ wt.Placement((0.1, 0.2, 0.3)),
    }
    for name, place in expected.items():
        np.testing.assert_allclose(pose_of(m, name)[:3, 3], place.position, atol=1e-14)
        np.testing.assert_allclose(pose_of(m, name)[:3, :3], place.rotation, atol=1e-14)
    axis = pose_of(m, "mast")[:3, :3] @ axis_of(m)
    np.testing.assert_allclose(axis, world.rotation @ [0, 0.1, 1.0] / np.hypot(0.1, 1.0), atol=1e-14)
    assert wt.loads(dumps(m)) == m


def test_a_link_without_gravity_floats():
    m = wt.loads(model(link("a", inside=INERTIAL + "<gravity>0</gravity>")))
    assert np.max(np.abs(wt.forward_dynamics(m, m.neutral(), np.zeros(6), np.zeros(6)))) < 1e-14


@pytest.mark.parametrize(
    ("pose", "expected"),
    [
        ("<pose>1 2 3 0 0 1.5</pose>", wt.Placement((1, 2, 3), rpy=(0, 0, 1.5))),
        ('<pose degrees="true">1 2 3 10 20 30</pose>', wt.Placement((1, 2, 3), rpy=np.radians((10, 20, 30)))),
        (
            '<pose rotation_format="quat_xyzw">1 2 3 0.1 0.2 0.3 0.9</pose>',
            wt.Placement((1, 2, 3), quaternion=(0.9, 0.1, 0.2, 0.3)),
        ),
        ('<pose relative_to="f"/>', wt.Placement((0, 1, 0), rpy=(0.3, 0, 0))),
        ('<pose relative_to="f">1 0 0 0 0 0</pose>', wt.Placement((1, 1, 0), rpy=(0.3, 0, 0))),
    ],
)
def test_poses(pose, expected):
    frame = '<frame name="f"><pose>0 1 0 0.3 0 0</pose></frame>'
    m = wt.loads(model(link("base"), frame, link("a", pose), joint("j", "continuous", "base", "a", AXIS)))
    np.testing.assert_allclose(pose_of(m, "a.origin")[:3, 3], expected.position, atol=1e-14)
    np.testing.assert_allclose(pose_of(m, "a.origin")[:3, :3], expected.rotation, atol=1e-14)


def test_axes_of_old_files_are_those_of_the_model():
    parts = (link("b"), link("a", "<pose>0 0 0 0.5 0 0</pose>"), joint("j", "revolute", "b", "a", AXIS))
    for version, flag, turned in (("1.4", "", True), ("1.9", "", False), ("1.6", "1", True)):
        use = f"<use_parent_model_frame>{flag}</use_parent_model_frame></axis>" if flag else "</axis>"
        m = wt.loads(model(*parts, version=version).replace("</axis>", use))
        axis = pose_of(m, "a.origin")[:3, :3] @ axis_of(m)
        expected = (0, 0, 1) if turned else (0, -np.sin(0.5), np.cos(0.5))
        assert axis == pytest.approx(expected)


def test_what_stands_still_is_the_ground():
    still = model("<static>true</static>", link("a"), link("b", "<pose>0 0 1 0 0 0</pose>"))
    m = wt.loads(still)
    assert len(m) == 0
    assert [frame.name for frame in m.frames] == ["a", "b"]


def test_two_turns_one_behind_the_other():
    second = "<axis2><xyz>0 0 1</xyz></axis2>"
    m = wt.loads(
        model(link("b"), link("a"), joint("j", "revolute2", "b", "a", AXIS + second)), root=wt.Fixed()
    )
    assert [body.joint for body in m.bodies[1:]] == [wt.Revolute("z"), wt.Revolute("z")]
    m = wt.loads(
        model(link("b"), link("a"), joint("j", "revolute2", "b", "a", AXIS + second.replace("0 0", "1 0")))
    )
    assert isinstance(m.bodies[1].joint, wt.Universal)


def test_a_gearbox_turns_its_wheels_against_each_other():
    box = "<gearbox_reference_body>b</gearbox_reference_body><gearbox_ratio>3</gearbox_ratio>"
    parts = [link("b"), link("p"), link("c", "<pose>1 0 0 0 0 0</pose>")]
    parts += [joint("jp", "revolute", "b", "p", AXIS), joint("jc", "revolute", "c", "b", AXIS)]
    parts += [joint("g", "gearbox", "p", "c", AXIS + "<axis2><xyz>0 0 1</xyz></axis2>" + box)]
    m = wt.loads(model(*parts), root=wt.Fixed())
    (gear,) = m.gears
    assert (gear.driver, gear.driven) == ("jp", "jc")
    # c is the parent of its hinge, so that its own angle is the hinge's, turned round.
    assert gear.ratio == 3.0


def test_models_in_models_and_in_other_files(tmp_path):
    folder = tmp_path / "models" / "finger"
    folder.mkdir(parents=True)
    tip = '<frame name="tip"><pose>0 0 0.5 0 0 0</pose></frame>'
    finger = model(link("bone", "<pose>0 0 0.1 0 0 0</pose>"), tip, name="finger")
    (folder / "finger.sdf").write_text(finger)
    (folder / "model.config").write_text(
        "<model><sdf version='1.4'>old.sdf</sdf><sdf>finger.sdf</sdf></model>"
    )
    uri = "<include><uri>model://finger</uri>"
    include = f"{uri}<name>thumb</name><pose relative_to='palm'>0 1 0 0 0 0</pose></include>"
    placed = f"{uri}<placement_frame>tip</placement_frame><pose>0 0 2 0 0 0</pose></include>"
    hinge = joint("knuckle", "revolute", "palm", "thumb::bone", AXIS)
    path = tmp_path / "hand.sdf"
    path.write_text(model(link("palm", "<pose>1 0 0 0 0 0</pose>"), include, placed, hinge, name="hand"))
    m = wt.load(path, packages=[tmp_path / "models"])
    assert [body.name for body in m.bodies] == ["palm", "thumb::bone", "finger::bone"]
    assert pose_of(m, "thumb::tip")[:3, 3] == pytest.approx((1, 1, 0.5))
    assert pose_of(m, "finger::tip")[:3, 3] == pytest.approx((0, 0, 2))
    assert m.joint_names == ["palm.root_joint", "knuckle", "finger::bone.root_joint"]
    with pytest.raises(wt.FileError, match=r"hand\.sdf, line 5: <include> .*'model://finger' is not found"):
        wt.load(path)
    (folder / "finger.sdf").write_text(finger.replace("<mass>1.3", "<mass>-1"))
    with pytest.raises(wt.FileError, match=r"line 5: .*finger\.sdf, line 2: .*mass is -1 kg"):
        wt.load(path, packages=[tmp_path / "models"])
    circle = "<include><uri>loop.sdf</uri></include>"
    (tmp_path / "loop.sdf").write_text(model(link("a"), circle))
    with pytest.raises(wt.FileError, match="more than 16 files deep"):
        wt.load(tmp_path / "loop.sdf")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("<sdf version='1.9'/>", 1, "has neither <model> nor <world>"),
        ("<sdf version='x'><model name='m'/></sdf>", 1, "is no version"),
        (model(joint("j", "revolute", "a", "b")), 2, "names 'a': there is no link or frame of this name"),
        (model(link("a"), joint("j", "revolute", "a", "a")), 5, "has 'a' as parent and as child"),
        (model(link("a"), link("a")), 5, "a second frame is named 'a', the first on line 2"),
        (
            '<sdf><world name="w">\n<model name="m"><link name="a"/></model>\n'
            '<model name="m">\n<link name="a"/></model></world></sdf>',
            3,
            "a second model is named 'm', the first on line 2",
        ),
        (model(link("a", '<pose relative_to="x"/>')), 2, "placed in 'x', which does not exist"),
        (
            model(link("a", '<pose relative_to="b"/>'), link("b", '<pose relative_to="a"/>')),
            5,
            "link 'b' is placed in itself",
        ),
        (model(link("a", "<pose>1 2</pose>")), 2, "holds 2 values, expected 6 numbers"),
        (model(link("a", "<pose>1 2 x 0 0 0</pose>")), 2, '"x" is not a number'),
        (model(link("a"), joint("j", "planar", "world", "a")), 5, "has the type 'planar'; known: revolute"),
        (model(link("a", inside="<inertial><mass>-2</mass></inertial>")), 2, "must not be negative"),
        (
            model(link("a"), joint("j", "revolute", "world", "a", "<axis><xyz>0 0 0</xyz></axis>")),
            5,
            "its xyz has no length",
        ),
        (
            model(link("a"), joint("j", "gearbox", "world", "a")),
            5,
            "has no <gearbox_reference_body> that is a link",
        ),
        (model(link("ground")), 2, "link 'ground' has the name of the fixed base: rename it"),
    ],
)
def test_refusals(text, line, message, tmp_path):
    with pytest.raises(wt.FileError) as refused:
        wt.loads(text)
    assert message in str(refused.value)
    assert refused.value.line == line
    path = tmp_path / "m.sdf"
    path.write_text(text)
    assert any(message in problem.message and problem.severity == "error" for problem in problems(path))


def test_what_is_told():
    shapes = (
        "<visual name='v'><geometry><polyline/></geometry></visual>"
        "<visual name='p'><geometry><plane><normal>1 0 0</normal><size>1 1</size></plane></geometry></visual>"
        "<visual name='m'><geometry><mesh><uri>model://no/where.stl</uri></mesh></geometry></visual>"
    )
    m = wt.loads(model(link("a", inside=shapes + "<sensor name='s' type='imu'/>"), "<plugin name='x'/>"))
    for part in (
        "<link> without <inertial>: 1 kg and 1 kg m² about each axis",
        "<visual> of another shape: is left out",
        "<sensor> in <link>: sensors are not part of the model",
        "<plugin> in <model>: programs of the Gazebo simulator",
        "package 'no' (1 mesh",
        "<size> in <plane>: a plane has no end",
    ):
        assert any(part in line for line in m.warnings), part
    assert m.bodies[0].inertia == wt.Inertia(1.0, about_com=(1.0, 1.0, 1.0))
    plane = m.bodies[0].visuals[0]
    assert plane.placement.rotation[:, 2] == pytest.approx((1, 0, 0))


def test_by_content(tmp_path):
    path = tmp_path / "four-bar.xml"
    path.write_text(FOUR_BAR)
    assert wt.load(path) == wt.loads(FOUR_BAR)
