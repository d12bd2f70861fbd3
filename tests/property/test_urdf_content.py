"""What a file says is what the model holds, or it is told in the warnings.

Source of truth: the same robot built by hand with `Mechanism`, and the URDF specification.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from urdf_text import LIMIT, change, joint, link, robot, write
from whippletree import io

AT = wt.Placement((0.2, -0.1, 0.3), rpy=(0.4, 0.3, -0.2))
"""Where `joint` of urdf_text puts its child."""

INERTIA = wt.Inertia(
    1.3, (0.1, 0.05, 0.2), [[0.03, 0.001, 0.002], [0.001, 0.04, 0.003], [0.002, 0.003, 0.05]]
)
"""The inertia of `link`."""


def test_the_arm_as_built_by_hand(tmp_path):
    m = wt.Mechanism("arm")
    at = wt.Placement((0.1, 0.2, 0.3), rpy=(0.3, 0.2, 0.1))
    about = at.rotation @ np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]]) @ at.rotation.T
    m.add_body(
        "upper",
        wt.Revolute("z"),
        placement=wt.Placement((0.1, 0, 0.4), rpy=(0.2, 0.1, 0.5)),
        inertia=wt.Inertia(2.5, (0.1, 0.2, 0.3), about),
        joint_name="shoulder",
        limits=wt.Limits(-1.0, 2.0, velocity=4.0, effort=30.0),
        damping=0.1,
        friction=0.2,
        visuals=(wt.Geometry(wt.Box((1.0, 2.0, 3.0)), color=(0.1, 0.2, 0.9, 1.0)),),
    )
    m.add_body(
        "lower",
        wt.Revolute("x"),
        parent="upper",
        placement=wt.Placement((0, 0.3, 1)),
        inertia=wt.Inertia(1.5, about_com=(0.2, 0.25, 0.15)),
        joint_name="elbow",
    )
    m.add_frame("base", "ground")
    path = write(tmp_path, change())
    assert wt.load(path) == m
    assert wt.load(str(path)) == m
    assert wt.load(path).warnings == []
    assert io.problems(path) == []


@pytest.mark.parametrize(
    ("kind", "inside", "expected"),
    [
        ("revolute", f'<axis xyz="0.6 0 -0.8"/>{LIMIT}', wt.Revolute((0.6, 0, -0.8))),
        ("revolute", LIMIT, wt.Revolute("x")),  # the axis that URDF takes without one
        ("continuous", '<axis xyz="0 -1 0"/>', wt.Revolute("-y")),
        ("prismatic", f'<axis xyz="0.6 0 -0.8"/>{LIMIT}', wt.Prismatic((0.6, 0, -0.8))),
        ("planar", '<axis xyz="0 0.6 0.8"/>', wt.Planar((0, 0.6, 0.8))),
        ("floating", "", wt.Free()),
    ],
)
def test_joint_types(tmp_path, kind, inside, expected):
    path = write(tmp_path, robot(link("a"), link("b"), joint("j", kind, "a", "b", inside)))
    m = wt.load(path)
    (body,) = m.bodies
    assert (body.name, body.joint_name, body.parent) == ("b", "j", "ground")
    assert (body.joint, body.placement, body.inertia) == (expected, AT, INERTIA)
    assert m.warnings == []


def test_limits_of_each_version(tmp_path):
    def limits(version, kind, limit):
        text = robot(link("a"), link("b"), joint("j", kind, "a", "b", limit))
        m = wt.load(write(tmp_path, text.replace("<robot", f'<robot version="{version}"')))
        return m.bodies[0].limits, m.warnings

    inf = np.inf
    assert limits("1.0", "revolute", '<limit effort="3" velocity="inf"/>') == (
        wt.Limits(-inf, inf, inf, 3, unknown=True),
        [
            "line 4: <limit> of a revolute joint without lower and upper: taken as not given, so there is no "
            "such limit; keep_zero_limits=True keeps it"
        ],
    )
    assert limits("1.2", "revolute", '<limit lower="-2" upper="1"/>') == (wt.Limits(-2, 1, inf, inf), [])
    assert limits("1.0", "continuous", "") == (wt.Limits(), [])
    huge = '<limit lower="-1.7e308" upper="1.7e308" effort="1" velocity="1e999"/>'
    assert limits("1.0", "prismatic", huge) == (wt.Limits(-1.7e308, 1.7e308, inf, 1), [])
    assert np.all(np.isfinite(wt.load(tmp_path / "arm.urdf").random(np.random.default_rng(0))))
    kept, (warning,) = limits("1.0", "continuous", '<limit lower="-2" upper="1" effort="3" velocity="4"/>')
    assert kept == wt.Limits(velocity=4, effort=3)
    assert warning == "line 4: lower and upper limit of a continuous joint: such a joint has no bounds"


def test_limits_and_moments_that_are_left_out_are_told(tmp_path):
    text = change((' effort="30"', ""), (' velocity="4"', ""), (' ixz="0.02"', ""), (' iyz="0.03"', ""))
    m = wt.load(write(tmp_path, text))
    full = wt.load(write(tmp_path, change(('"0.02"', '"0"'), ('"0.03"', '"0"'))))
    assert m.bodies[0].limits == wt.Limits(-1.0, 2.0)
    assert m.bodies[0].inertia == full.bodies[0].inertia
    assert m.warnings == [
        "line 9: <inertia> without ixz: taken as 0",
        "line 9: <inertia> without iyz: taken as 0",
        "line 24: <limit> without effort: there is no such limit",
        "line 24: <limit> without velocity: there is no such limit",
    ]


def test_joints_may_hang_on_a_world_that_is_no_link(tmp_path):
    parts = [link("a"), link("b"), joint("j", "continuous", "world", "a"), joint("k", "fixed", "world", "b")]
    m = wt.load(write(tmp_path, robot(*parts)))
    assert m.warnings == ["line 4: parent of 'j' is 'world', which is no <link>: taken as one"]
    with_it = wt.load(write(tmp_path, robot('<link name="world"/>', *parts)))
    assert m == with_it
    assert [(body.name, body.parent) for body in m.bodies] == [("a", "ground")]


def test_zeros_that_files_are_filled_with_are_no_limits(tmp_path):
    zeros = '<limit lower="0" upper="0" effort="0" velocity="0"/>'
    parts = [link("a"), link("b"), link("c"), link("d")]
    parts += [joint("i", "revolute", "a", "b", zeros), joint("j", "prismatic", "b", "c", zeros)]
    parts += [joint("k", "continuous", "c", "d", '<limit effort="0.0" velocity="3"/>')]
    path = write(tmp_path, robot(*parts))
    m = wt.load(path)
    none = wt.Limits(unknown=True)
    assert [body.limits for body in m.bodies] == [none, none, wt.Limits(velocity=3)]
    taken = "taken as not given, so there is no such limit; keep_zero_limits=True keeps it"
    assert sorted(m.warnings) == [
        f"line 6: effort limit of 0 (3 times, the first here): {taken}",
        f"line 6: limits of 0 … 0 (2 times, the first here): {taken}",
        f"line 6: velocity limit of 0 (2 times, the first here): {taken}",
    ]
    kept = wt.load(path, keep_zero_limits=True)
    zero = wt.Limits(0, 0, 0, 0)
    assert [body.limits for body in kept.bodies] == [zero, zero, wt.Limits(velocity=3, effort=0)]
    assert kept.warnings == []


@pytest.mark.parametrize(
    ("limits", "kind", "warned"),
    [
        ((-90.0, 90.0), "revolute", "limits -90 … 90 rad are 28.6 turns apart: degrees? Give radians"),
        ((0.0, 360.0), "revolute", "limits 0 … 360 rad are 57.3 turns apart: degrees? Give radians"),
        ((-31.0, 31.0), "revolute", None),
        ((-1e16, 1e16), "revolute", None),
        ((-90.0, 90.0), "prismatic", None),
    ],
)
def test_limits_in_degrees_are_warned_of(limits, kind, warned, tmp_path):
    lower, upper = limits
    text = f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>'
    m = wt.load(write(tmp_path, robot(link("a"), link("b"), joint("j", kind, "a", "b", text))))
    assert m.warnings == ([f"line 4: <limit> of joint 'j': {warned}"] if warned else [])
    built = wt.Mechanism("built")
    moved = wt.Revolute("z") if kind == "revolute" else wt.Prismatic("z")
    inertia = wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1))
    built.add_body("j", moved, inertia=inertia, limits=wt.Limits(*limits))
    assert wt.problems(built) == ([f"joint 'j' of 'built': {warned}"] if warned else [])
    wt.save(built, tmp_path / "built.toml")
    again = wt.load(tmp_path / "built.toml")
    assert [warning.partition("joint ")[2] for warning in again.warnings] == (
        [f"'j': {warned}"] if warned else []
    )


def test_links_on_fixed_joints_are_merged(tmp_path):
    """b moves and carries c, c carries d: one body of three links, two of them frames."""
    shape = (
        '<visual><origin xyz="0 0.5 0"/><geometry><sphere radius="0.2"/></geometry></visual>'
        '<collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>'
    )
    text = robot(
        link("a", shape),
        link("b"),
        link("c", shape),
        link("d"),
        link("e"),
        joint("ab", "continuous", "a", "b"),
        joint("bc", "fixed", "b", "c"),
        joint("cd", "fixed", "c", "d"),
        joint("de", "prismatic", "d", "e", LIMIT),
    )
    m = wt.load(write(tmp_path, text))
    assert [body.name for body in m.bodies] == ["b", "e"]
    assert [(frame.name, frame.body) for frame in m.frames] == [("a", "ground"), ("c", "b"), ("d", "b")]
    assert m.frame("d").placement == AT @ AT
    assert m.bodies[1].placement == AT @ AT @ AT

    merged = sum((INERTIA.to_parent(at.transform()).matrix() for at in (AT, AT @ AT)), INERTIA.matrix())
    assert_allclose(m.bodies[0].inertia.matrix(), merged, rtol=1e-14, atol=1e-15)
    assert m.bodies[0].visuals == (wt.Geometry(wt.Sphere(0.2), AT @ wt.Placement((0, 0.5, 0))),)
    assert m.bodies[0].collisions == (wt.Geometry(wt.Cylinder(0.1, 0.4), AT),)
    assert m.ground_visuals == (wt.Geometry(wt.Sphere(0.2), wt.Placement((0, 0.5, 0))),)
    assert m.ground_collisions == (wt.Geometry(wt.Cylinder(0.1, 0.4)),)
    assert m.warnings == []

    # The same dynamics with every link a body of its own.
    whole = wt.Mechanism("whole")
    for name, motion, parent in [
        ("b", wt.Revolute("x"), "ground"),
        ("c", wt.Fixed(), "b"),
        ("d", wt.Fixed(), "c"),
    ]:
        whole.add_body(name, motion, parent, AT, INERTIA)
    whole.add_body("e", wt.Prismatic("x"), "d", AT, INERTIA)
    q, qd, qdd = np.array([[0.3, 0.2], [-0.7, 1.1], [0.4, -0.9]])
    assert_allclose(wt.rnea(m, q, qd, qdd), wt.rnea(whole, q, qd, qdd), rtol=1e-13)
    assert_allclose(wt.frame_pose(m, q, "d"), wt.frame_pose(whole, q, "d"), atol=1e-14)
    assert_allclose(wt.jacobian(m, q, "c"), wt.jacobian(whole, q, "c"), atol=1e-14)


def test_root_on_a_joint(tmp_path):
    joints = joint("ab", "fixed", "a", "b"), joint("bc", "continuous", "b", "c")
    path = write(tmp_path, robot(*map(link, "abc"), *joints))
    m = wt.load(path, root=wt.Free())
    assert (m.bodies[0].joint, m.joint_names) == (wt.Free(), ["root_joint", "bc"])
    assert [(body.name, body.parent) for body in m.bodies] == [("a", "ground"), ("c", "a")]
    assert [(frame.name, frame.body) for frame in m.frames] == [("b", "a")]
    assert (m.ground_visuals, m.ground_collisions) == ((), ())
    assert wt.total_mass(m) == pytest.approx(3.9, rel=1e-15)
    fixed = wt.load(path)
    assert wt.total_mass(fixed) == 1.3
    assert [(frame.name, frame.body) for frame in fixed.frames] == [("a", "ground"), ("b", "ground")]
    assert wt.load(path, root=wt.Planar("z")).nv == 4


def test_a_root_link_may_be_called_ground(tmp_path):
    text = robot(link("ground"), link("b"), joint("j", "continuous", "ground", "b"))
    m = wt.load(write(tmp_path, text))
    assert (m.bodies[0].parent, m.frames, m.warnings) == ("ground", (), [])
    m = wt.load(tmp_path / "arm.urdf", root=wt.Free())
    assert [body.name for body in m.bodies] == ["ground_link", "b"]
    assert "so it is called 'ground_link'" in m.warnings[0]


def test_coordinates_come_in_the_order_of_the_file_but_parents_first(tmp_path):
    def order(*pairs):
        """The joints of a file with a joint from one link to another for each pair of letters."""
        links = map(link, sorted(set("".join(pairs))))
        joints = [joint(pair, "continuous", *pair) for pair in pairs]
        m = wt.load(write(tmp_path, robot(*joints, *links)))
        assert all(parent < i for i, parent in enumerate(m.parents))
        return m.joint_names

    assert order("ra", "rz", "ab", "ry") == ["ra", "rz", "ab", "ry"]
    assert order("rz", "bc", "ry", "ra", "cd", "ab") == ["rz", "ra", "ab", "bc", "ry", "cd"]


def test_mimic_becomes_a_gear(tmp_path):
    text = robot(
        *map(link, "abcd"),
        joint("j1", "continuous", "a", "b", '<mimic joint="j3" multiplier="-2.5" offset="0.3"/>'),
        joint("j2", "prismatic", "b", "c", f'{LIMIT}<mimic joint="j1"/>'),
        joint("j3", "revolute", "c", "d", LIMIT),
    )
    m = wt.load(write(tmp_path, text))
    assert m.gears == (wt.Gear("j1", "j3", "j1", -2.5, 0.3), wt.Gear("j2", "j1", "j2", 1.0, 0.0))
    assert m.nv == 3


def test_shapes_and_materials(tmp_path):
    def visual(shape, material="", origin=""):
        return f"<visual>{origin}<geometry>{shape}</geometry>{material}</visual>"

    red, green = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.5)
    inside = (
        visual('<box size="0.1 0.2 0.3"/>', '<material name="red"/>')
        + visual('<capsule radius="0.1" length="0.2"/>', '<material><color rgba="0 1 0 0.5"/></material>')
        + visual('<sphere radius="0.4"/>', '<material name="red"><color rgba="0 1 0 0.5"/></material>')
        + visual('<sphere radius="0.5"/>', '<material name="unknown"/>')
        + visual('<mesh filename="a.stl" scale="1 -1 1"/>', "", '<origin quat_xyzw="0 0 0.6 0.8"/>')
    )
    text = robot(link("a", inside), '<material name="red"><color rgba="1 0 0 1"/></material>')
    m = wt.load(write(tmp_path, text))
    assert m.ground_visuals == (
        wt.Geometry(wt.Box((0.1, 0.2, 0.3)), color=red),
        wt.Geometry(wt.Capsule(0.1, 0.2), color=green),
        wt.Geometry(wt.Sphere(0.4), color=green),
        wt.Geometry(wt.Sphere(0.5)),
        wt.Geometry(wt.Mesh("a.stl", (1.0, -1.0, 1.0)), wt.Placement(quaternion=(0.8, 0, 0, 0.6))),
    )
    assert m.warnings == [
        "line 2: a second colour of material 'red': used for its own shape only",
        "line 2: material 'unknown': gives no colour and none was given before",
        "line 2: mesh a.stl: no such file; the path stays as it is",
    ]


def test_shapes_on_the_ground_count_when_models_are_compared(tmp_path):
    def model(tag, radius):
        shape = f'<{tag}><geometry><sphere radius="{radius}"/></geometry></{tag}>'
        return wt.load(write(tmp_path, robot(link("a", shape))))

    assert model("visual", 0.5) == model("visual", 0.5)
    assert model("visual", 0.5) != model("visual", 0.6)
    assert model("collision", 0.5) != model("collision", 0.6)


def mesh(name: str) -> str:
    return f'<collision><geometry><mesh filename="{name}"/></geometry></collision>\n'


def test_meshes_are_found_in_packages(tmp_path):
    near, far = tmp_path / "ws" / "near_description", tmp_path / "elsewhere" / "far_description"
    for package in (near, far):
        (package / "meshes").mkdir(parents=True)
        (package / "meshes" / "a b.stl").touch()
    (near / "urdf").mkdir()
    names = [
        "package://near_description/meshes/a b.stl",  # found by walking up
        "package:///near_description/meshes/a b.stl",
        "../meshes/a b.stl",
        f"file://{near}/meshes/a%20b.stl",
        "package://far_description/meshes/a b.stl",  # only if told where
        "package://near_description/meshes/none.stl",
    ]
    path = write(near / "urdf", robot(link("a", "".join(map(mesh, names)))), "near.urdf")

    def found(**options):
        m = wt.load(path, **options)
        return [
            shape.shape.file for shape in m.ground_collisions if isinstance(shape.shape, wt.Mesh)
        ], m.warnings

    here, there = str(near / "meshes" / "a b.stl"), str(far / "meshes" / "a b.stl")
    lost = f"line 7: mesh {names[5]}: no such file; the path stays as it is"
    meshes, warnings = found()
    assert meshes[:2] == [here, here]
    assert [str(near / "urdf" / "../meshes/a b.stl"), here] == meshes[2:4]
    assert meshes[4:] == names[4:]
    assert warnings == [
        f"line 6: package 'far_description' (1 mesh, the first {names[4]}): not found near this file, the "
        "paths stay as they are; give the directory that holds the package: packages=[…]",
        lost,
    ]
    # The directory that holds the package, or the package itself.
    for directory in (tmp_path / "elsewhere", far, str(far)):
        meshes, warnings = found(packages=[directory])
        assert meshes[4] == there
        assert warnings == [lost]


def test_what_is_not_carried_is_told_once_for_each_kind(tmp_path):
    fixed = f'{LIMIT}<mimic joint="moving"/><dynamics damping="1"/><axis xyz="0 0 0"/>'
    text = robot(
        '<gazebo reference="a"><x/></gazebo>\n<transmission name="t"/>\n<gazebo/>\n',
        link(
            "a", '<contact><y/></contact><visual name="v"><geometry><sphere radius="1"/></geometry></visual>'
        ),
        link("b"),
        link("c"),
        joint(
            "moving", "continuous", "a", "b", '<safety_controller k_velocity="1"/><calibration rising="0"/>'
        ),
        joint("held", "fixed", "b", "c", fixed),
        '<unheard_of a="1"/>\n<!-- a comment -->\n<sensor name="s"/>\n',
        '<material name="m"><color rgba="1 1 1 1"/><texture filename="t.png"/></material>\n',
        '<link name="e" kind="soft">words</link>',
        joint("je", "fixed", "a", "e", '<limit lower="0" upper="1" effort="1" velocity="1" jerk="5"/>'),
    )
    path = write(tmp_path, text)
    told = [
        "line 2: <gazebo> in <robot> (2 times, the first here): settings of the Gazebo simulator, not part",
        "line 3: <transmission> in <robot>: motors and transmissions are not part of the model",
        "line 5: <contact> in <link>: contact settings of a simulator, not part of the model",
        "line 5: attribute name of <visual>: shapes have no names in the model",
        "line 8: <safety_controller> in <joint>: soft limits of a controller, not part of the model",
        "line 8: <calibration> in <joint>: reference positions of a real robot, not part of the model",
        "line 9: <limit> of a fixed joint (2 times, the first here): there is nothing to limit",
        "line 9: <mimic> of a fixed joint: there is nothing to drive",
        "line 9: <dynamics> of a fixed joint: nothing moves there",
        "line 10: <unheard_of> in <robot>: unknown to this reader, ignored",
        "line 12: <sensor> in <robot>: sensors are not part of the model",
        "line 13: <texture> in <material>: textures are not kept, colours are",
        "line 14: attribute kind of <link>: unknown to this reader, ignored",
        "line 14: text in <link>: has no meaning, ignored",
        "line 14: attribute jerk of <limit>: the model has limits of position, velocity and effort only",
    ]
    warnings = wt.load(path).warnings
    assert len(warnings) == len(told)
    for expected in told:
        assert [warning for warning in warnings if warning.startswith(expected)], expected
    assert {problem.severity for problem in io.problems(path)} == {"note"}
    assert [str(problem) for problem in io.problems(path)] == warnings


def test_other_vocabularies(tmp_path):
    """A default namespace is that of the robot; what belongs to another one is told with its prefix."""
    text = robot(link("a"), '<drake:ball_constraint xmlns:drake="http://drake.mit.edu"/>')
    text = text.replace("<robot", '<robot xmlns="http://example.org/urdf"')
    m = wt.load(write(tmp_path, text))
    assert m.frames[0].name == "a"
    assert m.warnings == ["line 3: <drake:ball_constraint> in <robot>: unknown to this reader, ignored"]


def test_a_chain_of_two_thousand_links_from_tip_to_base(tmp_path):
    n = 2000
    joints = [joint(f"j{i}", "continuous" if i % 2 else "fixed", f"l{i}", f"l{i + 1}") for i in range(n)]
    m = wt.load(write(tmp_path, robot(*(link(f"l{i}") for i in range(n + 1)), *reversed(joints))))
    assert m.joint_names == [f"j{i}" for i in range(1, n, 2)]
    assert m.parents == tuple(range(-1, n // 2 - 1))
    assert len(m.frames) == n // 2 + 1


def test_colours_beyond_what_can_be_shown_are_cut_off(tmp_path):
    color = '<material name="m"><color rgba="255 -0.5 0.25 1"/></material>'
    box = f'<visual><geometry><box size="1 2 3"/></geometry>{color}</visual>'
    m = wt.load(write(tmp_path, robot(f'<link name="a">{box}</link>')))
    assert m.ground_visuals[0].color == (1.0, 0.0, 0.25, 1.0)
    assert [warning.partition(": ")[2] for warning in m.warnings] == [
        "<color> of material 'm' of link 'a': rgba goes beyond 0 … 1: taken as 1 0 0.25 1"
    ]
