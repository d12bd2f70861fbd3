"""SDF files. Source of truth: Drake's reader and dynamics, and the same machine as a URDF file or in code."""

import numpy as np
import pytest

import whippletree as wt
from sdf_text import FOUR_BAR, INERTIAL, ROVER, joint, link, model

DRAKE = {
    "turn": (17.177796647009075,),
    "nod": (0.44302783712131344, -6.368286789039596),
    "arm::thread": (-0.001993674108589971,),
    "wrist": (-0.2632366212529522, 0.1415304061647955, -1.623525840054544),
}
"""Accelerations from rest with turn at 0.3, nod at (0.4, -0.5) and thread at 0.6 rad, by Drake 1.51.1."""

DRAKE_CHASSIS = (
    *(-3.0123073087495786, 0.6635981883779899, -10.113540972279383),
    *(-0.16178298535232175, 0.5909611513744729, -9.1971827843718),
)
"""Likewise of the free body, rad/s² and m/s² along the axes of the world."""


def test_drake_reads_and_moves_it_alike():
    m = wt.loads(ROVER.replace("<gravity>false</gravity>", ""))  # which Drake does not know
    q = m.neutral()
    q[7], q[8:10], q[14] = 0.3, (0.4, -0.5), 0.6
    qdd = wt.forward_dynamics(m, q, np.zeros(m.nv), np.zeros(m.nv))
    for name, expected in DRAKE.items():
        assert qdd[m.v_index[m.joint_number(name)]] == pytest.approx(expected, rel=1e-11, abs=1e-12)
    R = wt.frame_pose(m, q, "chassis")[:3, :3]
    assert np.concatenate([R @ qdd[:3], R @ qdd[3:6]]) == pytest.approx(DRAKE_CHASSIS, rel=1e-12)


URDF = """<robot name="made">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0.05 0.2" rpy="0.3 0.2 0.1"/><mass value="1.3"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial></link>
  <link name="slide"><inertial><origin xyz="0.1 0.05 0.2" rpy="0.3 0.2 0.1"/><mass value="1.3"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial></link>
  <joint name="fix" type="fixed"><origin xyz="0.3 0.1 0.2" rpy="0.1 0.4 0.2"/>
    <parent link="world_link"/><child link="base"/></joint>
  <link name="world_link"/>
  <joint name="shoulder" type="revolute"><origin xyz="0.1 0 0.4" rpy="0.2 0.1 0.5"/>
    <parent link="base"/><child link="upper"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="rail" type="prismatic"><origin xyz="0 0.3 1" rpy="0 0.3 0"/>
    <parent link="upper"/><child link="slide"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="9" velocity="3"/>
    <mimic joint="shoulder" multiplier="0.3" offset="0.1"/></joint>
</robot>"""

LIMIT = "<limit><lower>{}</lower><upper>{}</upper><effort>{}</effort><velocity>{}</velocity></limit>"
TWIN = model(
    link("base", "<pose>0.3 0.1 0.2 0.1 0.4 0.2</pose>"),
    link("upper", '<pose relative_to="shoulder"/>'),
    link("slide", '<pose relative_to="rail"/>'),
    joint("fix", "fixed", "world", "base"),
    joint(
        "shoulder",
        "revolute",
        "base",
        "upper",
        '<pose relative_to="base">0.1 0 0.4 0.2 0.1 0.5</pose><axis><xyz>0.6 0 0.8</xyz>'
        + LIMIT.format(-1, 2, 30, 4)
        + "<dynamics><damping>0.1</damping><friction>0.2</friction></dynamics></axis>",
    ),
    joint(
        "rail",
        "prismatic",
        "upper",
        "slide",
        '<pose relative_to="upper">0 0.3 1 0 0.3 0</pose><axis><xyz>0 1 0</xyz>'
        + LIMIT.format(-1, 1, 9, 3)
        + '<mimic joint="shoulder"><multiplier>0.3</multiplier><offset>0.25</offset>'
        "<reference>0.5</reference></mimic></axis>",
    ),
    version="1.11",
)


def test_the_same_arm_in_urdf():
    ours, theirs = wt.loads(TWIN), wt.loads(URDF)
    assert ours.joint_names == theirs.joint_names == ["shoulder", "rail"]
    assert [body.limits for body in ours.bodies] == [body.limits for body in theirs.bodies]
    (a,), (b,) = ours.gears, theirs.gears
    assert (a.driver, a.driven, a.ratio, a.offset) == (b.driver, b.driven, b.ratio, pytest.approx(b.offset))
    rng = np.random.default_rng(0)
    q = np.array([0.7, 0.31])
    qd, tau = wt.gear_matrix(ours) @ [1.3], rng.normal(size=2)
    found = [wt.forward_dynamics(m, q, qd, tau) for m in (ours, theirs)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    for frame in ("slide.origin", "base"):
        pose = wt.frame_pose(theirs, q, frame.removesuffix(".origin"))
        np.testing.assert_allclose(wt.frame_pose(ours, q, frame), pose, atol=1e-14)


def test_a_loop_is_closed_where_the_file_places_its_links():
    m = wt.loads(FOUR_BAR)
    assert (len(m), len(m.loops), wt.mobility(m, m.neutral()).mobility) == (3, 1, 1)
    coupler, rocker = (wt.frame_pose(m, m.neutral(), f"{name}.origin") for name in ("coupler", "rocker"))
    assert coupler[:3, 3] == pytest.approx((0.3 * np.cos(0.5), 0.0, 0.3 * np.sin(0.5)))
    assert rocker[:3, 3] == pytest.approx((0.9, 0.0, 0.0))
    run = wt.simulate(m, duration=0.2)
    assert np.max(np.abs(run.constraint_error)) < 1e-10
    # The same in code, each body in the frame of its joint, the pin where the rocker ends.
    twin = wt.Mechanism("four-bar")
    inertia = wt.loads(model(link("a", inside=INERTIAL))).bodies[0].inertia
    y = wt.Revolute("y")
    twin.add_body("crank", y, placement=wt.Placement(rpy=(0, -0.5, 0)), inertia=inertia)
    twin.add_body("coupler", y, "crank", wt.Placement((0.3, 0, 0), rpy=(0, 0.7, 0)), inertia)
    twin.add_body("rocker", y, placement=wt.Placement((0.9, 0, 0), rpy=(0, -1.2, 0)), inertia=inertia)
    place = np.linalg.inv(coupler) @ rocker @ np.array([0.4, 0.0, 0.0, 1.0])
    pin = wt.Placement(place[:3], rpy=(0, -1.4, 0)), wt.Placement((0.4, 0, 0))
    twin.add_loop("pin", y, "coupler", "rocker", *pin, damping=0.2)
    assert [m.joint_names[i] for i in range(3)] == ["shaft", "elbow", "pivot"]
    ends = [wt.simulate(machine, duration=0.2).q[-1] for machine in (m, twin)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
