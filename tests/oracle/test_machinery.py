"""Bundled machines against geometry solved by hand, matrices of textbooks and closed forms."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.linalg import eigh
from scipy.optimize import fsolve

import whippletree as wt
from poses import pose
from whippletree.examples.machinery import AXLE, EXCAVATOR, RUS, six_rus_points
from whippletree.examples.vehicles import SUSPENSION, TYRE, WHEELS
from whippletree.examples.walkers import KLANN, meeting

NEW = ("car", "excavator", "klann-leg", "oldham-coupling", "six-rus", "wishbone-axle")


@pytest.mark.parametrize("name", NEW)
def test_machines_are_closed_at_their_neutral_position_and_have_their_freedoms(name):
    m = wt.examples.load(name)
    assert_allclose(wt.constraint_error(m, m.neutral()), 0.0, atol=1e-14)
    freedoms = {
        "car": 7,
        "excavator": 3,
        "klann-leg": 1,
        "oldham-coupling": 1,
        "six-rus": 6,
        "wishbone-axle": 2,
    }
    assert wt.mobility(m, m.neutral()).mobility == freedoms[name]


def test_the_foot_of_klanns_leg_goes_where_circles_meet():
    m, n = wt.examples.load("klann-leg"), KLANN
    motion = wt.kinematics(m, {"crank": 2.0 * np.pi}, np.linspace(0.0, 1.0, 25))
    feet = []
    for angle in motion.joint("crank")[:, 0]:
        pin = (n["AC"] * np.cos(angle), n["AC"] * np.sin(angle))
        elbow = meeting((-0.388, -0.125), n["BH"], pin, n["CH"])
        knee = meeting(elbow, n["FH"], pin, n["CF"])
        hip = meeting(knee, n["EF"], (-0.146, 0.419), n["DE"])
        feet.append(meeting(hip, n["EG"], knee, n["FG"]))
    found = motion.frame("foot").position
    assert_allclose(found[:, :2], feet, rtol=0, atol=1e-12)
    # Nearly half of the turn the foot is within 3 cm of the ground, on more than half a metre.
    low = found[found[:, 1] < found[:, 1].min() + 0.03]
    assert len(low) > 10
    assert np.ptp(low[:, 0]) > 0.5


def test_cylinders_of_the_excavator_turn_its_links_by_the_law_of_cosines():
    m, p = wt.examples.load("excavator"), {name: np.array(point) for name, point in EXCAVATOR.items()}
    drive = {"boom-piston": 0.25, "stick-piston": -0.2, "bucket-piston": 0.1}
    motion = wt.kinematics(m, drive, np.linspace(0.0, 1.0, 6))

    def turn(pivot, foot, head, longer):
        """How far a link turns about a pivot as the cylinder between foot and head becomes longer."""
        a, b = np.linalg.norm(p[foot] - p[pivot]), np.linalg.norm(p[head] - p[pivot])
        length = np.linalg.norm(p[head] - p[foot])
        first, then = (np.arccos((a * a + b * b - c * c) / (2 * a * b)) for c in (length, length + longer))
        u, v = p[foot] - p[pivot], p[head] - p[pivot]
        return np.sign(u[0] * v[1] - u[1] * v[0]) * (then - first)

    for joint, cylinder in (("boom", "boom"), ("stick", "stick"), ("lever", "bucket")):
        longer = motion.joint(f"{cylinder}-piston")[:, 0]
        expected = turn(joint, f"{cylinder} foot", f"{cylinder} head", longer)
        assert_allclose(motion.joint(joint)[:, 0], expected, rtol=0, atol=1e-12)
    # What the cylinders bring in is what the machine gains.
    k, h = 3, 1e-5
    near = wt.kinematics(m, drive, motion.t[k] + h * np.arange(-2, 3))
    energies = [sum(wt.energy(m, q, qd)) for q, qd in zip(near.q, near.qd, strict=True)]
    rate = (energies[0] - 8 * energies[1] + 8 * energies[3] - energies[4]) / (12 * h)
    assert_allclose(near.power[2], rate, rtol=1e-7)


def test_oldhams_coupling_passes_every_angle_on():
    m = wt.examples.load("oldham-coupling")
    motion = wt.kinematics(m, {"input": 3.0}, np.linspace(0.0, 2.0, 9))
    assert_allclose(motion.joint("output"), motion.joint("input"), rtol=0, atol=1e-13)
    # The disc's centre runs round the circle over the offset, twice as fast.
    center = motion.frame("disc").position[:, :2] - [0.006, 0.008]
    assert_allclose(np.linalg.norm(center, axis=1), 0.01, rtol=1e-11)
    turned = np.unwrap(np.arctan2(center[:, 1], center[:, 0]))
    assert_allclose(turned - turned[0], 6.0 * motion.t, rtol=0, atol=1e-10)


def test_the_knuckle_of_the_axle_is_where_its_rods_keep_their_lengths():
    """Upper ball and tie ball as six unknowns: three balls keep their distances, as do arm and rod."""
    m, p = wt.examples.load("wishbone-axle"), {name: np.array(point) for name, point in AXLE.items()}
    q = wt.assemble(
        m, m.neutral() + 0.12 * np.eye(m.nq)[0] + 0.02 * np.eye(m.nq)[2], hold=["lower-arm", "rack"]
    )
    turn = wt.Revolute("x").transform(np.array([0.12])).E.T
    lower = p["lower axis"] + turn @ (p["lower ball"] - p["lower axis"])
    rack, axis = p["rack"] + [0.0, 0.02, 0.0], np.array([np.cos(0.06), 0.0, -np.sin(0.06)])

    def gaps(x):
        upper, tie = x[:3], x[3:]
        arm, at_first = upper - p["upper axis"], p["upper ball"] - p["upper axis"]
        pairs = [
            (upper - lower, p["upper ball"] - p["lower ball"]),
            (tie - lower, p["tie ball"] - p["lower ball"]),
            (tie - upper, p["tie ball"] - p["upper ball"]),
            (tie - rack, p["tie ball"] - p["rack"]),
            (arm, at_first),
        ]
        return [*(a @ a - b @ b for a, b in pairs), (arm - at_first) @ axis]

    found: Any = fsolve(gaps, np.concatenate([p["upper ball"], p["tie ball"]]) + 0.01, xtol=1e-13)
    T = pose(m, q, "knuckle")
    for ball, expected in (("lower ball", lower), ("upper ball", found[:3]), ("tie ball", found[3:])):
        assert_allclose(T[:3, :3] @ (p[ball] - p["lower ball"]) + T[:3, 3], expected, rtol=0, atol=1e-11)


def test_cranks_of_the_platform_stand_as_its_pose_asks():
    """For each crank a cos θ + b sin θ = c, from the length of its rod."""
    m = wt.examples.load("six-rus")
    feet, heads, turns = six_rus_points()
    center, lift = np.array([0.0, 0.0, RUS["height"]]), np.array([0.01, -0.015, 0.02])
    R = wt.Placement(rpy=(0.05, -0.08, 0.06)).rotation
    angles = []
    for foot, head, axes in zip(feet, heads, turns, strict=True):
        rod = np.linalg.norm(axes.T @ (head - foot) - [RUS["crank"], 0.0, 0.0])
        d = axes.T @ (center + lift + R @ (head - center) - foot)
        # The crank points along cos θ x - sin θ z.
        a, b = 2.0 * RUS["crank"] * d[0], -2.0 * RUS["crank"] * d[2]
        c = d @ d + RUS["crank"] ** 2 - rod**2
        both = np.arctan2(b, a) + np.array([1.0, -1.0]) * np.arccos(c / np.hypot(a, b))
        angles.append(both[np.argmin(np.abs(both))])
    q = m.neutral()
    for i, angle in enumerate(angles):
        q[m.q_index[m.joint_number(f"crank{i}")]] = angle
    q = wt.assemble(m, q, hold=[f"crank{i}" for i in range(6)])
    T = pose(m, q, "tool")
    assert_allclose(T[:3, 3], center + lift, rtol=0, atol=1e-11)
    assert_allclose(T[:3, :3], R, rtol=0, atol=1e-11)


def test_the_car_swings_as_the_ride_model_of_seven_freedoms():
    """M ẍ + K x = 0 of heave, pitch, roll and four wheels, as textbooks of vehicle dynamics have it."""
    m = wt.examples.load("car")
    for name in WHEELS:
        m.change(f"{name}-suspension", damping=0.0)
    rest = wt.equilibrium(m, m.neutral())
    K = np.diag([0.0] * 3 + [TYRE] * 4)
    for k, (x, y) in enumerate(WHEELS.values()):
        stretch = np.array([1.0, -x, y, *(-np.eye(4)[k])])  # how far the body's corner rises above the wheel
        K = K + SUSPENSION * np.outer(stretch, stretch)
    M = np.diag([1200.0, 2100.0, 450.0, *([40.0] * 4)])
    # It sinks in by what it weighs.
    sunk = np.linalg.solve(K, -9.81 * np.array([1200.0, 0, 0, *([40.0] * 4)]))
    assert_allclose(rest.q[:3], sunk[:3], rtol=1e-3, atol=1e-4)
    m.gravity = (0.0, 0.0, 0.0)  # level, without the tilt of its load
    squares = np.sort((2.0 * np.pi * wt.modes(m, m.neutral()).frequency) ** 2)
    assert_allclose(squares, eigh(K, M, eigvals_only=True), rtol=1e-10)


def test_the_slider_crank_in_space_takes_the_time_that_its_energy_allows():
    """It goes round one way only, so that t = ∫ dθ √(M / 2 (E - V)), with M and V out of its geometry."""

    def geometry(theta):
        """The slider's place, and the rod's direction, and both by the angle of the crank."""
        s, c = 0.08 * np.sin(theta), 0.08 * np.cos(theta)
        ball, by = np.array([0.0, 0.1 - s, 0.12 + c]), np.array([0.0, -c, -s])
        x = np.sqrt(0.09 - ball @ ball)
        x_by = -(ball @ by) / x
        return x, x_by, ball - [x, 0.0, 0.0], by - [x_by, 0.0, 0.0]

    def masses(theta):
        """M of ½ M θ̇², and V."""
        _, x_by, rod, rod_by = geometry(theta)
        axes = np.array([[1.0, 0.0, 0.0], np.cross([1.0, 0.0, 0.0], rod)])  # of the cross
        rates, left, *_ = np.linalg.lstsq(np.cross(axes, rod).T, rod_by)
        assert left < 1e-25
        spin = rates @ axes
        center = np.array([x_by, 0.0, 0.0]) + 0.5 * rod_by
        M = 1e-4 + 0.12 * 0.04**2 + 2.0 * x_by**2 + 0.5 * (center @ center)
        M += 4e-3 * (spin @ spin) - 3.6e-3 * (spin @ rod) ** 2 / 0.09
        return M, 9.81 * (0.12 * 0.04 * np.cos(theta) + 0.25 * rod[2])

    m, start = wt.examples.load("spatial-slider-crank"), wt.examples.start("spatial-slider-crank")
    assert start.q is not None
    assert start.qd is not None
    # The velocities that the library of benchmarks begins with.
    assert_allclose(
        wt.jacobian(m, start.q, "rod", "aligned") @ start.qd, [1.92, -0.96, 0.48, 0.24, 0, 0], atol=1e-15
    )
    run = wt.simulate(m, start.q, start.qd, 0.8, rtol=1e-12, atol=1e-13, sample=0.8)
    M, V = masses(0.0)
    energy = 0.5 * M * 36.0 + V

    def slowness(theta):
        M, V = masses(theta)
        return np.sqrt(0.5 * M / (energy - V))

    theta = run.q[-1, 0]
    assert theta > 5.0
    time = quad(slowness, 0.0, theta, epsabs=1e-13, epsrel=1e-13, limit=200)[0]
    assert_allclose(time, 0.8, rtol=0, atol=1e-11)
    assert_allclose(run.q[-1, 1] + 0.2, geometry(theta)[0], rtol=0, atol=1e-13)
