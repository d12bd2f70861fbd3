"""Identities of kinematics, energy and momentum on random trees of every joint type.

Source of truth: differentiation by the complex step, which is exact to rounding.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import randoms
import whippletree as wt

STEP = 1e-30
REFERENCES = ("body", "world", "aligned")


@pytest.fixture(params=range(8))
def case(request):
    """A tree that holds every joint type, a state, and a frame on its last body."""
    rng = np.random.default_rng(request.param)
    names = list(rng.permutation(list(randoms.JOINTS)))
    m = randoms.tree(rng, names)
    m.add_frame("tool", f"b{len(names) - 1}", randoms.placement(rng))
    q, qd = randoms.state(rng, m)
    return m, q, qd, rng


def along(m, q, qd):
    """q moved by an imaginary step along qd."""
    return q + 1j * STEP * m.rate(q, qd)


def rate(value):
    return np.imag(value) / STEP


def test_frame_velocity_is_the_rate_of_the_pose(case):
    m, q, qd, _ = case
    pose, rates = wt.frame_pose(m, q, "tool"), rate(wt.frame_pose(m, along(m, q, qd), "tool"))
    turning, velocity = pose[:3, :3].T @ rates[:3, :3], pose[:3, :3].T @ rates[:3, 3]
    expected = [turning[2, 1], turning[0, 2], turning[1, 0], *velocity]
    assert_allclose(wt.frame_velocity(m, q, qd, "tool"), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("reference", REFERENCES)
def test_jacobian_times_velocity_is_the_frame_velocity(case, reference):
    m, q, qd, _ = case
    v = wt.dynamics.body_to_reference(m, q, "tool", wt.frame_velocity(m, q, qd, "tool"), reference)
    assert_allclose(wt.jacobian(m, q, "tool", reference) @ qd, v, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("reference", REFERENCES)
def test_jacobian_rate_is_the_derivative_of_the_jacobian(case, reference):
    m, q, qd, _ = case
    expected = rate(wt.jacobian(m, along(m, q, qd), "tool", reference))
    actual = wt.jacobian_rate(m, q, qd, "tool", reference)
    assert_allclose(actual, expected, rtol=1e-11, atol=1e-11)


def test_accelerations_are_the_rates_of_velocities(case):
    m, q, qd, rng = case
    qdd = rng.normal(size=m.nv)
    moved = wt.body_velocities(m, along(m, q, qd), qd + 1j * STEP * qdd)
    expected = rate(moved)
    assert_allclose(wt.body_accelerations(m, q, qd, qdd), expected, rtol=1e-11, atol=1e-10)


def test_frame_acceleration_is_the_second_derivative_of_position(case):
    m, q, qd, rng = case
    qdd = rng.normal(size=m.nv)
    v = wt.jacobian(m, along(m, q, qd), "tool", "aligned") @ (qd + 1j * STEP * qdd)
    R = wt.frame_pose(m, q, "tool")[:3, :3]
    a = wt.frame_acceleration(m, q, qd, qdd, "tool")
    assert_allclose(np.concatenate([R @ a[:3], R @ a[3:]]), rate(v), rtol=1e-11, atol=1e-10)


def test_kinetic_energy_is_half_the_quadratic_form_of_the_inertia_matrix(case):
    m, q, qd, _ = case
    assert_allclose(wt.kinetic_energy(m, q, qd), 0.5 * qd @ wt.crba(m, q) @ qd, rtol=1e-12)


def test_gravity_is_the_gradient_of_potential_energy(case):
    m, q, qd, _ = case
    power = rate(wt.potential_energy(m, along(m, q, qd)))
    still = np.zeros(m.nv)
    assert_allclose(wt.bias_force(m, q, still) @ qd, power, rtol=1e-10)


def test_power_balance(case):
    m, q, qd, rng = case
    tau, f_ext = rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
    qdd = wt.aba(m, q, qd, tau, f_ext)
    kinetic, potential = wt.energy(m, along(m, q, qd), qd + 1j * STEP * qdd)
    power = tau @ qd + np.sum(f_ext * wt.body_velocities(m, q, qd))
    assert_allclose(rate(kinetic + potential), power, rtol=1e-9)


def test_momentum_is_the_sum_over_bodies(case):
    m, q, qd, _ = case
    total = np.zeros(6)
    for body, v, pose in zip(
        m.bodies, wt.body_velocities(m, q, qd), wt.forward_kinematics(m, q), strict=True
    ):
        R, r = pose[:3, :3], pose[:3, 3]
        h = body.inertia.matrix() @ v
        total += np.concatenate([R @ h[:3] + np.cross(r, R @ h[3:]), R @ h[3:]])
    assert_allclose(wt.momentum(m, q, qd), total, rtol=1e-11, atol=1e-11)


def test_linear_momentum_is_the_moving_mass(case):
    m, q, qd, _ = case
    velocity = rate(wt.center_of_mass(m, along(m, q, qd)))
    assert_allclose(wt.momentum(m, q, qd)[3:], wt.total_mass(m) * velocity, rtol=1e-11, atol=1e-11)


def test_centroidal_matrix_shifts_the_momentum(case):
    m, q, qd, _ = case
    h, c = wt.momentum(m, q, qd), wt.center_of_mass(m, q)
    expected = np.concatenate([h[:3] - np.cross(c, h[3:]), h[3:]])
    assert_allclose(wt.centroidal_momentum_matrix(m, q) @ qd, expected, rtol=1e-11, atol=1e-10)


@settings(derandomize=True, deadline=None, max_examples=60, database=None)
@given(
    size=st.integers(1, 15),
    seed=st.integers(0, 2**32 - 1),
    branching=st.sampled_from([0.0, 0.3, 0.6, 1.0]),
)
def test_floating_tree_keeps_its_momentum(size, seed, branching):
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.choice(sorted(randoms.JOINTS), size=size)]
    m = _weightless(randoms.floating_tree(rng, names, branching))
    q, qd = randoms.state(rng, m)
    tau = rng.normal(size=m.nv)
    tau[:6] = 0.0
    qdd = wt.aba(m, q, qd, tau)
    h = wt.momentum(m, along(m, q, qd), qd + 1j * STEP * qdd)
    # Relative to the terms that cancel each other.
    terms = np.abs(wt.momentum_matrix(m, q)) @ np.abs(qdd)
    assert np.max(np.abs(rate(h))) < 1e-11 * np.max(terms)


def _weightless(m):
    """The same tree without gravity and without rotors, whose reaction on the bodies is left out (9.28)."""
    other = wt.Mechanism(m.name, gravity=(0.0, 0.0, 0.0))
    for body in m.bodies:
        other.add_body(body.name, body.joint, body.parent, body.placement, body.inertia)
    return other
