"""Driven mechanisms against closed forms, their derivatives taken by mpmath, and against other cuts."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.examples.walkers import JANSEN

TURN = np.linspace(0.0, 2.0 * np.pi, 37)


def wound(t: Any) -> Any:
    """An angle that goes round, unevenly."""
    return t + 0.2 * np.sin(t)


def wound_mp(t: Any) -> Any:
    return t + mpmath.mpf("0.2") * mpmath.sin(t)


def meeting(a: Any, ra: Any, b: Any, rb: Any) -> Any:
    """Where two circles meet, to the left of the way from a to b; points are complex."""
    d = abs(b - a)
    along = (d**2 + ra**2 - rb**2) / (2 * d)
    return a + (along + 1j * mpmath.sqrt(ra**2 - along**2)) * (b - a) / d


def test_a_crank_slider_follows_its_closed_form():
    m = wt.examples.load("crank-slider")
    motion = wt.kinematics(m, {"crank": wound}, TURN)
    start = np.arctan2(0.12, 0.09)
    angle, rate, second = start + wound(TURN), 1.0 + 0.2 * np.cos(TURN), -0.2 * np.sin(TURN)
    s, c = 0.15 * np.sin(angle), 0.15 * np.cos(angle)
    root = np.sqrt(0.25 - s * s)
    x = c + root - (0.09 + np.sqrt(0.25 - 0.12**2))
    v = -s - s * c / root  # by the angle
    a = -c - (c * c - s * s) / root - (s * c) ** 2 / root**3
    assert_allclose(motion.joint("slider")[:, 0], x, rtol=0, atol=1e-13)
    assert_allclose(motion.qd[:, 2], v * rate, rtol=0, atol=1e-12)
    assert_allclose(motion.qdd[:, 2], a * rate**2 + v * second, rtol=0, atol=1e-11)
    assert np.all(motion.q[:, 0] == wound(TURN))
    dead = [(p.joint, np.sin(start + wound(p.t))) for p in motion.dead_centres]
    assert [name for name, _ in dead] == ["slider", "slider"]
    assert_allclose([value for _, value in dead], 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("at", [3, 20])
def test_a_jansen_leg_follows_its_closed_form(at):
    m = wt.examples.load("jansen-leg")
    motion = wt.kinematics(m, {"crank": wound}, TURN)
    foot = motion.frame("foot")

    def place(t: Any) -> Any:
        n = {letter: mpmath.mpf(value) for letter, value in JANSEN.items()}
        pivot, pin = mpmath.mpc(-n["a"], -n["l"]), n["m"] * mpmath.expj(wound_mp(t))
        top = meeting(pivot, n["b"], pin, n["j"])
        heel = meeting(pivot, n["d"], top, n["e"])
        knee = meeting(pin, n["k"], pivot, n["c"])
        ankle = meeting(knee, n["g"], heel, n["f"])
        return meeting(knee, n["i"], ankle, n["h"])

    with mpmath.workdps(40):
        found = [mpmath.diff(place, mpmath.mpf(TURN[at]), order) for order in range(3)]
    for of, expected, tolerance in zip(
        (foot.position, foot.velocity[:, 3:], foot.acceleration[:, 3:]),
        found,
        (1e-12, 1e-11, 1e-9),
        strict=True,
    ):
        assert_allclose(of[at, :2], [float(expected.real), float(expected.imag)], rtol=0, atol=tolerance)


def test_a_four_bar_takes_what_its_energy_asks_for():
    """Over a turn, power is the rate of energy, by its Fourier series, and what dampers take."""
    m = wt.examples.load("four-bar")
    m.change("rocker", stiffness=3.0, damping=0.2)
    m.add_spring("coil", "ground", (0.3, 0.9, 0), "coupler", (0.3, 0.2, 0), stiffness=40.0, length=0.2)
    t = np.arange(128) * (2.0 * np.pi / 128)
    motion = wt.kinematics(m, {"crank": wound}, t)
    kinetic, potential = m.kernel("energy")(motion.q, motion.qd)
    spectrum = np.fft.rfft(kinetic + potential) * 1j * np.arange(65)
    lost = 0.2 * motion.qd[:, 2] ** 2
    assert_allclose(motion.power - lost, np.fft.irfft(spectrum), rtol=0, atol=1e-8 * np.max(motion.power))
    # The same force by inverse dynamics, and the same motion by forward dynamics.
    k = 50
    tau = wt.inverse_dynamics(m, motion.q[k], motion.qd[k], motion.qdd[k], actuated=["crank"])
    assert_allclose(motion.tau[k], tau, rtol=0, atol=1e-10)
    assert_allclose(wt.forward_dynamics(m, motion.q[k], motion.qd[k], tau), motion.qdd[k], rtol=0, atol=1e-9)


def test_a_stewart_platform_follows_its_legs():
    m = wt.examples.load("stewart-platform")
    legs = [np.deg2rad([10.0, 110.0, 130.0, 230.0, 250.0, 350.0])]
    legs += [np.deg2rad([50.0, 70.0, 170.0, 190.0, 290.0, 310.0])]
    feet = np.array([0.8 * np.cos(legs[0]), 0.8 * np.sin(legs[0]), 0.0 * legs[0]]).T
    heads = np.array([0.4 * np.cos(legs[1]), 0.4 * np.sin(legs[1]), 0.0 * legs[1]]).T

    def center(t: Any) -> Any:
        return [0.05 * np.sin(t), 0.03 * np.cos(2.0 * t) - 0.03, 1.0 + 0.04 * np.sin(3.0 * t)]

    def stroke(i: int) -> Callable[[Any], Any]:
        length = np.linalg.norm(heads[i] + [0.0, 0.0, 1.0] - feet[i])

        def leg(t: Any) -> Any:
            c, s = np.cos(0.2 * np.sin(t)), np.sin(0.2 * np.sin(t))  # turned about z
            x, y, z = center(t)
            head = [x + c * heads[i, 0] - s * heads[i, 1], y + s * heads[i, 0] + c * heads[i, 1], z]
            apart = [h - f for h, f in zip(head, feet[i], strict=True)]
            return np.sqrt(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2) - length

        return leg

    t = np.linspace(0.0, 1.5, 16)
    motion = wt.kinematics(m, {f"leg{i}": stroke(i) for i in range(6)}, t)
    tool = motion.frame("tool")
    assert_allclose(tool.position, np.array(center(t)).T, rtol=0, atol=1e-12)
    second = np.array([-0.05 * np.sin(t), -0.12 * np.cos(2.0 * t), -0.36 * np.sin(3.0 * t)]).T
    assert_allclose(tool.acceleration[:, 3:], second, rtol=0, atol=1e-9)
    turn = np.arctan2(tool.rotation[:, 1, 0], tool.rotation[:, 0, 0])
    assert_allclose(turn, 0.2 * np.sin(t), rtol=0, atol=1e-12)
    power = np.sum(motion.driving_force * motion.qd[:, [3 * i + 2 for i in range(6)]], axis=1)
    assert_allclose(power, motion.power, rtol=1e-10)


def test_a_loop_joint_is_driven_as_a_tree_joint_is():
    """The quick return twice, its crank's pivot being a tree joint and a cut; the cut turns the other way."""
    first, second = (wt.examples.load(name) for name in ("quick-return", "quick-return-rocker"))
    one = wt.kinematics(first, {"crank": wound}, TURN)
    two = wt.kinematics(second, {"pivot": wound}, TURN)
    for name in ("ram", "rocker"):
        assert_allclose(one.frame(name).position, two.frame(name).position, rtol=0, atol=1e-12)
        assert_allclose(one.frame(name).acceleration, two.frame(name).acceleration, rtol=0, atol=1e-10)
    assert_allclose(one.driving_force, two.driving_force, rtol=0, atol=1e-9)
    assert_allclose(one.power, two.power, rtol=0, atol=1e-9)
    held, cut = one.reactions(), two.reactions()
    for ours, theirs in (("crank", "pivot"), ("link", "link"), ("rocker", "rocker")):
        unique = held.unique(ours, "world")
        assert np.all(unique == cut.unique(theirs, "world"))
        assert unique[0].tolist() == [False, False, True, True, True, False]
        # The moment about the hinge is that of the driver where it is, and zero elsewhere. What is not unique
        # is the same, too.
        scale = np.max(np.abs(held.of(ours, "world")))
        assert_allclose(held.of(ours, "world"), cut.of(theirs, "world"), rtol=0, atol=1e-10 * scale)
    assert_allclose(cut.of("pivot")[:, 2], two.driving_force[:, 0], rtol=0, atol=1e-12)


def pushed() -> wt.Mechanism:
    """A four-bar that a cylinder pushes, a driver of a distance: its rod weighs nothing."""
    m = wt.examples.load("four-bar")
    m.add_frame("foot", "ground", wt.Placement((0.45, -0.2, 0.0)))
    m.add_frame("eye", "coupler", wt.Placement((0.35, 0.15, 0.0)))
    m.add_distance("cylinder", "foot", "eye")
    return m


def test_a_driver_pushes_where_it_is():
    """A cylinder by its distance, against the same force given at its two ends; hinges transmit no moment."""
    m = pushed()
    motion = wt.kinematics(m, {"cylinder": 0.05}, np.linspace(0.0, 0.3, 4))
    run = wt.simulate(m, drive={"cylinder": 0.05}, duration=0.3, sample=0.3, method="rk4", dt=0.05)
    along, found = motion.reactions(), run.reactions()
    names = ("crank", "coupler", "rocker", "pin")
    assert np.max(np.abs(motion.tau[:, :2])) > 1.0
    for name in names:
        assert_allclose(along.of(name)[:, 2], 0.0, rtol=0, atol=1e-10)
        assert_allclose(found.of(name)[[0, -1]], along.of(name)[[0, -1]], rtol=0, atol=1e-7)
    k = 2
    a, b = (wt.frame_pose(m, motion.q[k], name)[:3, 3] for name in ("foot", "eye"))
    push = motion.driving_force[k, 0] * (b - a) / np.linalg.norm(b - a)
    f_ext = wt.frame_forces(m, motion.q[k], {"eye": [0.0, 0.0, 0.0, *push]}, "aligned")
    joints, loops = wt.reactions(m, motion.q[k], motion.qd[k], np.zeros(3), f_ext)
    assert_allclose(along.joints[k], joints, rtol=0, atol=1e-9)
    assert_allclose(along.loops[k], loops, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("name", "way"), [("four-bar", 100.0), ("four-bar", -300.0), ("jansen-leg", 62.8)])
def test_positions_far_apart_are_those_of_small_steps(name: str, way: float) -> None:
    """Gaps come back with every turn of a joint: they tell neither their number nor the branch."""
    m, few = wt.examples.load(name), 4
    many = few * int(abs(way) * 5)
    fine = wt.kinematics(m, {"crank": way}, np.linspace(0.0, 1.0, many + 1))
    coarse = wt.kinematics(m, {"crank": way}, np.linspace(0.0, 1.0, few + 1))
    assert_allclose(coarse.q, fine.q[:: many // few], rtol=0, atol=1e-12)
