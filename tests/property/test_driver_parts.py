"""Drivers as parts of a mechanism: kept in files and copies, read alike by all that moves it, and refused."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

import whippletree as wt

MOTIONS: dict[str, Any] = {
    "speed": 1.7,
    "formula": "0.4 * sin(3 * t) + where(t < 0.2, t**2, 0.4 * t - 0.04)",
    "table": wt.MotionTable([0.0, 0.1, 0.25, 0.4, 0.6], [0.0, 0.05, 0.2, 0.1, 0.3]),
    "periodic": wt.MotionTable([0.0, 0.1, 0.2, 0.3], [0.0, 0.06, 0.03, 0.0], periodic=True),
    "spline": CubicSpline([0.0, 0.3, 0.6], [0.0, 0.2, 0.1]),
}


def driven(motion: Any, **options: Any) -> wt.Mechanism:
    m = wt.examples.load("four-bar")
    m.add_driver("motor", motion, joint="crank", **options)
    return m


@pytest.mark.parametrize("name", MOTIONS)
def test_drivers_come_back_from_files_and_copies(name: str, tmp_path: Path) -> None:
    m = driven(MOTIONS[name], amplitude=0.7, offset=0.05)
    wt.save(m, tmp_path / "m.toml")
    for other in (wt.load(tmp_path / "m.toml"), pickle.loads(pickle.dumps(m)), copy.deepcopy(m), m.copy()):
        assert other == m
        assert hash(other.drivers[0]) == hash(m.drivers[0])
    m.change("motor", amplitude=0.8)
    assert wt.load(tmp_path / "m.toml") != m
    assert "motor: crank = 0.8 · (" in m.summary()


@pytest.mark.parametrize("name", MOTIONS)
def test_motions_are_the_same_in_numbers_and_in_machine_code(name: str) -> None:
    """`kinematics` asks them in numbers, strides of `simulate` in machine code."""
    m = driven(MOTIONS[name], amplitude=0.7)
    run = wt.simulate(m, duration=0.55, method="rk4", dt=0.05)
    motion = wt.kinematics(m, t=run.t)
    assert_allclose(run.q, motion.q, rtol=0, atol=1e-13)
    assert_allclose(run.qd, motion.qd, rtol=0, atol=1e-13)
    assert_allclose(run.tau, motion.tau, rtol=0, atol=1e-10)


def test_a_long_table_is_followed_as_well() -> None:
    t = np.linspace(0.0, 0.6, 90)
    m = driven(wt.MotionTable(t, 0.3 * np.sin(2.0 * t)))
    run = wt.simulate(m, duration=0.5, method="rk4", dt=0.1)
    assert_allclose(run.q, wt.kinematics(m, t=run.t).q, rtol=0, atol=1e-14)


def test_a_call_drives_otherwise_than_the_mechanism_says() -> None:
    m = driven(2.0)
    t = [0.0, 0.4]
    assert_allclose(wt.kinematics(m, {"crank": 1.5}, t).joint("crank")[1], 0.6)
    assert wt.kinematics(m, None, t).drivers == ("motor",)
    assert_allclose(wt.simulate(m, duration=0.1, drive={"crank": 1.5}).q[-1, 0], 0.15)


def test_drivers_follow_their_joint_through_edits() -> None:
    m = wt.rename(driven("t"), joints={"crank": "wheel"}, drivers={"motor": "servo"})
    assert (m.drivers[0].name, m.drivers[0].joint) == ("servo", "wheel")
    assert not wt.lock(wt.examples.load("double-pendulum"), {"lower": 0.3}).drivers


def test_a_cylinder_pushes_by_its_length() -> None:
    """A boom lifted by a distance, by the cosine rule; the force is the torque over the lever."""
    m = wt.Mechanism("crane")
    boom = wt.Inertia(3.0, (0.7, 0.1, 0.0), (0.1, 0.35, 0.4))
    m.add_body("boom", wt.Revolute("y"), inertia=boom)
    m.add_frame("foot", "ground", wt.Placement((0.3, 0.0, -0.4)))
    m.add_frame("eye", "boom", wt.Placement((0.9, 0.0, 0.0)))
    m.add_distance("cylinder", "foot", "eye")
    m.add_driver("pump", lambda t: 0.65 + 0.05 * np.sin(3.0 * t), joint="cylinder")
    t = np.linspace(0.0, 0.9, 7)
    motion = wt.kinematics(m, t=t, q_guess=np.array([0.1]))
    length = 0.65 + 0.05 * np.sin(3.0 * t)
    between = np.arccos((0.25 + 0.81 - length**2) / (2.0 * 0.5 * 0.9))
    angle = np.arctan2(0.4, 0.3) - between  # of the boom, down from the horizontal
    assert_allclose(motion.q[:, 0], angle, rtol=0, atol=1e-13)
    lever = 0.45 * np.sin(between) / length
    assert_allclose(motion.qd[:, 0], -0.15 * np.cos(3.0 * t) / lever, rtol=0, atol=1e-12)
    assert_allclose(motion.tau[:, 0], -motion.driving_force[:, 0] * lever, rtol=0, atol=1e-10)
    run = wt.simulate(m, motion.q[0], duration=0.9, sample=0.15)
    assert_allclose(run.q[:, 0], angle, rtol=0, atol=1e-13)
    assert_allclose(run.tau, motion.tau, rtol=0, atol=1e-9)


def test_a_driven_gear_moves_what_drives_it() -> None:
    m = wt.examples.load("double-pendulum")
    m.add_gear("belt", "upper", "lower", ratio=-2.0, offset=0.1)
    m.add_driver("lower", "0.1 + 0.3 * t")
    run = wt.simulate(m, duration=0.4, sample=0.2)
    assert_allclose(run.q, np.stack([-0.15 * run.t, 0.1 + 0.3 * run.t], axis=1), rtol=0, atol=1e-15)
    m.add_driver("upper", 1.0)
    with pytest.raises(wt.InputError, match="driver 'upper' of 'double-pendulum' is one too many"):
        wt.kinematics(m, t=[0.0])


def test_impossible_drivers_are_refused(tmp_path: Path) -> None:
    m = driven("t")
    for call, message in (
        (lambda: m.add_driver("b", "t", joint="crank"), "driver 'b': 'crank' is driven by 'motor' already"),
        (lambda: m.add_driver("b", "sin(t", joint="rocker"), "driver 'b': formula 'sin\\(t' of the time t: "),
        (lambda: m.add_driver("b", "q(t)", joint="rocker"), "'q' is no function of it; there are sin, cos"),
        (lambda: m.add_driver("b", "t.real", joint="rocker"), "'t.real' has no place in it"),
        (lambda: m.add_driver("b", [1, 2], joint="rocker"), r"driver 'b': \[1, 2\] is no motion"),
        (lambda: m.add_driver("b", 1.0, joint="knee"), "has no joint or loop or distance named 'knee'"),
        (lambda: m.add_driver("b", 1.0, "rocker", amplitude=np.nan), "amplitude is nan, must be finite"),
        (lambda: m.add_distance("d", "crank", "crank"), "distance 'd' is between two points of 'crank'"),
    ):
        with pytest.raises(wt.ModelError, match=message):
            call()
    ball = wt.Mechanism("ball")
    ball.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0))
    with pytest.raises(wt.ModelError, match="'ball' has 4 coordinates and 3 velocities"):
        ball.add_driver("ball", 1.0)
    for given in (([0.0], [[1.0]]), ([0.0, 0.0], [[1.0]]), (["a", "b"], [[1.0]]), ([0.0, 1.0], [[np.inf]])):
        with pytest.raises(wt.InputError, match="MotionSpline: "):
            wt.MotionSpline(*given)
    m.change("motor", position=np.sin)
    with pytest.raises(wt.FileError, match="follows the function 'sin' of Python, which no file can hold"):
        wt.save(m, tmp_path / "m.toml")
    text = 'format = 1\nname = "p"\n[[body]]\nname = "a"\njoint = { type = "revolute" }\n'
    text += '[[driver]]\nname = "a"\n'
    for more, message in (
        ("", "driver 'a' has no position, as position = { speed = 6.28 }"),
        (
            "position = { speed = 1.0, formula = 't' }",
            "driver 'a': a motion takes speed, or formula, or times",
        ),
        ("position = { formula = '1 +' }", "driver 'a': formula '1 +' of the time t: "),
    ):
        with pytest.raises(wt.FileError) as raised:
            wt.loads(text + more)
        assert message in str(raised.value)


def test_a_run_beyond_a_table_or_a_dead_centre_says_so() -> None:
    m = wt.examples.load("four-bar")
    table = wt.MotionTable([0.0, 0.1, 0.2, 0.3], [0.0, 0.1, 0.1, 0.2])
    with pytest.raises(wt.InputError, match=r"t = 0.5 s is outside of the table, 0 … 0.3 s"):
        wt.simulate(m, duration=0.5, drive={"crank": table})
    with pytest.raises(wt.InputError, match="stabilization, too"):
        wt.simulate(m, duration=0.5, drive={"crank": 1.0}, stabilization=0.05)
    with pytest.raises(wt.SimulationError) as raised:
        wt.simulate(m, duration=1.0, drive={"rocker": 1.0})
    assert "Its driver 'rocker' asks for what loops do not allow" in str(raised.value)
    assert "next to which joint 'crank' moves fastest" in str(raised.value)
    with pytest.raises(wt.SolverError) as known:
        wt.kinematics(m, {"rocker": 1.0}, np.linspace(0.0, 3.0, 31))
    beyond = float(str(known.value).split("t = ")[1].split(" s")[0])
    assert 0.99 * beyond < raised.value.time < 1.0001 * beyond


def crank_cut() -> wt.Mechanism:
    """A four-bar that hangs on its rocker; the crank's hinge on the ground closes the loop."""
    graph = wt.Graph("four-bar", gravity=(0.3, -9.81, 0.0))
    for name in ("crank", "coupler", "rocker"):
        graph.add_body(name, inertia=wt.Inertia(0.7, (0.1, 0.02, 0.0), (0.01, 0.02, 0.03)))
    hinge, at = wt.Revolute("z"), wt.Placement
    graph.add_joint("shaft", hinge, "ground", "crank")
    graph.add_joint("knee", hinge, "crank", "coupler", at((0.2, 0.0, 0.0)))
    graph.add_joint("pin", hinge, "coupler", "rocker", at((0.6, 0.0, 0.0)), at((0.5, 0.0, 0.0)))
    graph.add_joint("foot", hinge, "ground", "rocker", at((0.7, 0.0, 0.0)))
    graph.add_driver("motor", 5.0, joint="shaft")
    return graph.mechanism(cut=["shaft"])


def test_a_loop_joint_of_a_plane_is_driven_over_several_turns() -> None:
    """Where the tree counts its turns, a driver need not come round by steps of less than half of one."""
    m = crank_cut()
    assert [loop.name for loop in m.loops] == ["shaft"]
    t = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5])  # 2.5 rad from one to the next
    motion = wt.kinematics(m, t=t)
    angles = [wt.loop_joint_position(m, q, "shaft")[0] for q in motion.q]
    assert_allclose(angles, angles[0] + 5.0 * t, rtol=0, atol=1e-12)
    assert np.max(np.abs([wt.constraint_error(m, q) for q in motion.q])) < 1e-13
