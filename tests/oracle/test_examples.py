"""Bundled mechanisms against closed forms from textbooks and against the makers' own models."""

from importlib import import_module
from importlib.metadata import distribution
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from poses import pose

G = 9.81
pin: Any = import_module("pinocchio")  # C++ without type information


def test_names_and_descriptions() -> None:
    for name in wt.examples.names():
        m = wt.examples.load(name)
        assert m.name == name
        assert m is not wt.examples.load(name)
        assert m == wt.examples.load(name)
        assert wt.problems(m) == []
        assert wt.examples.about(name).endswith(".")


@pytest.mark.parametrize("function", [wt.examples.load, wt.examples.about])
def test_unknown_example_is_refused(function) -> None:
    with pytest.raises(wt.InputError) as error:
        function("kite")
    known = ", ".join(wt.examples.names())
    assert str(error.value) == f"no example named 'kite'; known: {known}"


def test_cart_pole() -> None:
    """H and C of a cart (M) with a rod (m, 2l) hanging at the angle b from it, by Lagrange."""
    M, m, l = 1.5, 1.0, 0.5
    q, qd = np.array([0.3, 0.8]), np.array([-0.4, 1.7])
    c, s = np.cos(q[1]), np.sin(q[1])
    H = [[M + m, -m * l * c], [-m * l * c, 4 / 3 * m * l * l]]
    C = [m * l * s * qd[1] ** 2, m * G * l * s]
    example = wt.examples.load("cart-pole")
    np.testing.assert_allclose(wt.crba(example, q), H, rtol=1e-14)
    np.testing.assert_allclose(wt.bias_force(example, q, qd), C, rtol=1e-14)


def test_spherical_pendulum() -> None:
    """The bob at l (-sin b, sin a cos b, -cos a cos b): Lagrange in these two angles."""
    m, l = 2.0, 0.8
    (a, b), qd = q, v = np.array([0.7, -0.5]), np.array([1.3, -0.9])
    example = wt.examples.load("spherical-pendulum")
    tip = l * np.array([-np.sin(b), np.sin(a) * np.cos(b), -np.cos(a) * np.cos(b)])
    np.testing.assert_allclose(pose(example, q, "tip")[:3, 3], tip, rtol=1e-14)
    H = m * l * l * np.diag([np.cos(b) ** 2, 1.0])
    C = [
        -m * l * l * np.sin(2 * b) * v[0] * v[1] + m * G * l * np.sin(a) * np.cos(b),
        m * l * l * np.sin(b) * np.cos(b) * v[0] ** 2 + m * G * l * np.cos(a) * np.sin(b),
    ]
    np.testing.assert_allclose(wt.crba(example, q), H, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(wt.bias_force(example, q, qd), C, rtol=1e-13)


def test_furuta_pendulum() -> None:
    """Inertia matrix and bias of arm (M, L, rotor J) and rod (m, 2l) at the angle b, by Lagrange."""
    M, L, J, m, l = 0.25, 0.22, 1.2e-3, 0.13, 0.17
    q, v = np.array([0.4, 0.9]), np.array([2.3, -1.1])
    c, s = np.cos(q[1]), np.sin(q[1])
    I = 4 / 3 * m * l * l
    # The rod's centre is at (L, l s, -l c) in the arm: it moves along y with L and along x with -l s.
    H = [[J + M * L * L / 3 + m * L * L + I * s * s, m * L * l * c], [m * L * l * c, I]]
    C = [2 * I * s * c * v[0] * v[1] - m * L * l * s * v[1] ** 2, -I * s * c * v[0] ** 2 + m * G * l * s]
    example = wt.examples.load("furuta-pendulum")
    np.testing.assert_allclose(wt.crba(example, q), H, rtol=1e-13)
    np.testing.assert_allclose(wt.bias_force(example, q, v), C, rtol=1e-13)


def test_spinning_top_precesses_steadily() -> None:
    """At the tilt b the precession p and spin n with A p² cos b - C n p + m g l = 0 need no torque.

    n is the angular velocity about the stem, A and C the moments across and about it at the tip.
    """
    example = wt.examples.load("spinning-top")
    inertia = example.bodies[0].inertia
    A, C = inertia.matrix()[0, 0], inertia.matrix()[2, 2]
    b, p = 0.4, 3.7
    n = (A * p * p * np.cos(b) + inertia.m * G * inertia.com[2]) / (C * p)
    q = np.array([np.cos(b / 2), np.sin(b / 2), 0.0, 0.0])  # tilted about x
    up = np.array([0.0, np.sin(b), np.cos(b)])  # the vertical in the top's axes
    stem = np.array([0.0, 0.0, 1.0])
    spin = n - p * np.cos(b)
    qd = p * up + spin * stem
    # Precession carries the tilt along; in the top's axes the vertical turns back with the spin.
    qdd = p * -np.cross(spin * stem, up)
    np.testing.assert_allclose(wt.aba(example, q, qd, np.zeros(3)), qdd, rtol=1e-12, atol=1e-12)


def test_asymmetric_top_follows_eulers_equations() -> None:
    example = wt.examples.load("asymmetric-top")
    A, B, C = np.diag(example.bodies[0].inertia.about_com)
    x, y, z = w = np.array([0.3, 4.1, -0.7])
    q = np.array([0.4, -0.3, 0.8, *(np.array([0.5, -0.3, 0.7, 0.2]) / np.sqrt(0.87))])
    qdd = wt.aba(example, q, np.array([*w, 0, 0, 0]), np.zeros(6))
    expected = [(B - C) * y * z / A, (C - A) * z * x / B, (A - B) * x * y / C]
    np.testing.assert_allclose(qdd, [*expected, 0, 0, 0], rtol=1e-12, atol=1e-15)


ROBOTS = distribution("example-robot-data")
URDFS = {str(path).rsplit("/", 1)[-1]: ROBOTS.locate_file(path) for path in ROBOTS.files or []}


@pytest.mark.parametrize(
    ("example", "file", "base", "tip"),
    [
        ("six-axis-arm", "ur5_robot.urdf", "base", "tool0"),
        ("seven-axis-arm", "panda.urdf", "panda_link0", "panda_link8"),
    ],
)
def test_arm_has_the_geometry_of_the_makers_model(example: str, file: str, base: str, tip: str) -> None:
    m, rng = wt.examples.load(example), np.random.default_rng(7)
    model = pin.buildModelFromUrdf(str(URDFS[file]))
    data = model.createData()
    for _ in range(3):
        q = m.random(rng)
        pin.framesForwardKinematics(model, data, np.concatenate([q, np.zeros(model.nq - m.nq)]))
        of_base, of_tip = (data.oMf[model.getFrameId(name)] for name in (base, tip))
        expected = (of_base.inverse() * of_tip).homogeneous
        np.testing.assert_allclose(pose(m, q, "tool"), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_legged_robots_are_mirror_images_of_themselves(name: str) -> None:
    """Mirrored at the plane y = 0, every position has the mirrored inertia matrix and forces."""
    m, rng = wt.examples.load(name), np.random.default_rng(8)
    number, sign = np.arange(m.nv), np.ones(m.nv)
    for i, body in enumerate(m.bodies):
        other = (
            body.name.replace("left", "*").replace("right", "left").replace("*", "right")
        )  # swaps the sides
        number[m.v_index[i]] = np.arange(m.nv)[m.v_index[m.body_number(other)]]
        flip = [-1, 1, -1, 1, -1, 1] if body.name in ("pelvis", "trunk") else None
        sign[m.v_index[i]] = flip or (1.0 if body.joint == wt.Revolute("y") else -1.0)
    q, qd = m.neutral(), rng.normal(size=m.nv)
    angles = rng.normal(size=m.nv - 6)
    q[7:] = angles
    mirrored = m.neutral()
    mirrored[7:] = (sign[number] * np.concatenate([np.zeros(6), angles])[number])[6:]
    turn = np.array([0.6, 0.2, -0.5, 0.3]) / np.sqrt(0.74)
    q[3:7], mirrored[3:7] = turn, turn * np.array([1, -1, 1, -1])
    np.testing.assert_allclose(
        wt.bias_force(m, mirrored, (sign * qd)[number]),
        (sign * wt.bias_force(m, q, qd))[number],
        rtol=1e-10,
        atol=1e-11,
    )
    H = wt.crba(m, q) * np.outer(sign, sign)
    np.testing.assert_allclose(wt.crba(m, mirrored), H[np.ix_(number, number)], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("name", "soles", "height"), [("humanoid", 2, 0.955), ("quadruped", 4, 0.42)])
def test_legged_robots_stand_on_their_feet(name: str, soles: int, height: float) -> None:
    m = wt.examples.load(name)
    q = m.neutral()
    feet = [frame.name for frame in m.frames if frame.name.endswith(("sole", "foot"))]
    assert len(feet) == soles
    for foot in feet:
        assert pose(m, q, foot)[2, 3] == pytest.approx(-height, abs=1e-12)
    weight = sum(body.inertia.m for body in m.bodies) * G
    root = wt.bias_force(m, q, np.zeros(m.nv))[:6]
    np.testing.assert_allclose(root[3:], [0, 0, weight], rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(root[0], 0, atol=1e-12)
