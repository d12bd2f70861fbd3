"""Planetary sets, differentials and belts against Willis' equation and accelerations written by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt


def about(m, name, axis):
    """The moment of inertia of a body about the axis of its joint through its own origin, kg m²."""
    inertia = m.bodies[m.body_number(name)].inertia
    return float(inertia.matrix()[axis, axis])


def by_hand(rates, inertias, torques):
    """Accelerations of independent speeds: rates (n, k) of n discs by them, with moments and torques (n,)."""
    G, J = np.array(rates), np.diag(inertias)
    return np.linalg.solve(G.T @ J @ G, G.T @ np.array(torques))


def test_a_planetary_set_obeys_willis():
    m = wt.examples.load("planetary-gear")
    rng = np.random.default_rng(1)
    q = m.random(rng)
    assert_allclose(24 * q[0] + 66 * q[1], 90 * q[2], atol=1e-13)
    qd = wt.gear_matrix(m) @ rng.normal(size=2)
    assert_allclose(24 * (qd[0] - qd[2]), -66 * (qd[1] - qd[2]), rtol=1e-12)  # seen from the carrier
    assert_allclose(21 * qd[3], -24 * (qd[0] - qd[2]), rtol=1e-12)  # teeth of planet and sun, likewise
    assert_allclose(21 * qd[3], 66 * (qd[1] - qd[2]), rtol=1e-12)  # and of planet and ring


@pytest.mark.parametrize("method", ["geared", "grcr", "lambda-first", "kkt", "sparse"])
def test_a_planetary_set_accelerates_as_its_wheels_do(method):
    m = wt.examples.load("planetary-gear")
    orbit = 3.0 * m.bodies[3].inertia.m * 0.045**2
    # Speeds of sun, ring, carrier with the planets' mass, and of a planet itself, by those of sun and ring.
    sun, ring = 24 / 90, 66 / 90
    spin = np.array([sun, ring]) + 24 / 21 * (np.array([sun, ring]) - np.array([1.0, 0.0]))
    rates = [[1.0, 0.0], [0.0, 1.0], [sun, ring], [sun, ring], spin]
    inertias = [about(m, name, 0) for name in ("sun", "ring", "carrier")]
    inertias += [orbit, 3.0 * about(m, "planet1", 0)]
    tau = np.array([1.3, -0.4, 0.9, 0.0, 0.0, 0.0])
    expected = by_hand(rates, inertias, [*tau[:3], 0.0, 0.0])
    found = wt.forward_dynamics(m, m.neutral(), np.zeros(6), tau, method)
    assert_allclose(found[:2], expected, rtol=1e-11)
    assert_allclose(found[2], sun * expected[0] + ring * expected[1], rtol=1e-11)


def test_torques_of_a_set_that_stands_still_are_as_its_teeth():
    m = wt.examples.load("planetary-gear")
    zero, tau = np.zeros(6), np.array([2.4, 6.6, -9.0, 0.0, 0.0, 0.0])
    torque = wt.inverse_dynamics(m, m.neutral(), zero, zero, actuated=["sun", "ring", "carrier"])
    assert_allclose(torque, 0.0, atol=1e-12)  # its planets balance each other
    lam = wt.constraint_forces(m, m.neutral(), zero, tau)
    assert_allclose(lam, [9.0, 0.0, 0.0, 0.0], atol=1e-12)  # N m on the carrier; planets turn with no effort
    assert_allclose(wt.forward_dynamics(m, m.neutral(), zero, tau), 0.0, atol=1e-10)


def test_a_differential_shares_torque_and_adds_speeds():
    m = wt.examples.load("differential")
    qd = wt.gear_matrix(m) @ [2.0, 3.0]
    names = m.joint_names
    speed = dict(zip(names, qd, strict=True))
    assert speed["case"] == 2.5
    assert_allclose(speed["spider"], 1.6 * (2.0 - 2.5))
    # Both wheels get half of the case's torque, whatever they do; spider and wheels go by hand.
    case, wheel, spider = about(m, "case", 1), about(m, "left", 1), about(m, "spider", 2)
    carried = m.bodies[3].inertia.matrix()[1, 1] + m.bodies[3].inertia.m * 0.05**2
    rates = [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0], [0.8, -0.8]]
    tau = dict.fromkeys(names, 0.0) | {"case": 80.0, "left": -12.0, "right": -30.0}
    expected = by_hand(rates, [case + carried, wheel, wheel, spider], [80.0, -12.0, -30.0, 0.0])
    q = m.neutral()
    m.gravity = (0.0, 0.0, 0.0)
    found = wt.forward_dynamics(m, q, np.zeros(4), np.array([tau[name] for name in names]))
    assert_allclose([found[names.index(side)] for side in ("left", "right")], expected, rtol=1e-11)
    # A wheel that is held still: the other turns twice as fast as the case.
    held = wt.project_velocity(m, q, qd, hold=["case"])
    assert_allclose(held[names.index("left")] + held[names.index("right")], 2.0 * qd[names.index("case")])


def test_a_belt_keeps_the_hand_in_its_direction():
    m = wt.examples.load("belt-arm")
    q = wt.assemble(m, np.array([0.0, 0.7, 0.0]), hold=["wheel", "arm"])
    R = wt.forward_kinematics(m, q)[m.body_number("hand")][:3, :3]
    assert_allclose(R, np.eye(3), atol=1e-14)
    # The hand only shifts: it weighs on the arm's end, and its moment on the belt alone.
    rod, hand = m.bodies[1].inertia, m.bodies[2].inertia
    com = 0.25 * rod.m * np.cos(0.7) + 0.5 * hand.m * np.cos(0.7)
    torque = wt.inverse_dynamics(m, q, np.zeros(3), np.zeros(3))
    assert_allclose(torque[m.joint_number("arm")], -9.81 * com, rtol=1e-12)
    assert_allclose(torque[m.joint_number("wheel")], -9.81 * hand.m * hand.com[0], rtol=1e-12)
    assert torque[m.joint_number("hand")] == 0.0
    # Let go of both: by hand from kinetic energy in arm and wheel, the belt taking the hand along.
    swing = about(m, "arm", 1) + 0.25 * hand.m
    turned = hand.about_com[1, 1] + hand.m * hand.com[0] ** 2
    mixed = 0.5 * hand.m * hand.com[0] * np.cos(0.7)  # the hand's own direction is 0, the arm's 0.7
    M = np.array([[about(m, "wheel", 1) + turned, mixed], [mixed, swing]])
    weight = 9.81 * np.array([hand.m * hand.com[0], com])
    found = wt.forward_dynamics(m, q, np.zeros(3), np.zeros(3))
    assert_allclose(found[:2], np.linalg.solve(M, weight), rtol=1e-11)
