"""Identities every joint type obeys, by type and in both polarities.

Source of truth: differentiation by the complex step along dq/dt, which is exact to rounding.
Among them is eq 2.45, which the book's own table 4.1 fails for the planar and the free joint.
"""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.spatial import crm

STEP = 1e-30
TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}
SEEDS = range(4)


@pytest.fixture(
    params=[(name, way, seed) for name in randoms.JOINTS for way in ("forward", "reversed") for seed in SEEDS]
)
def case(request):
    """A joint, a position and a velocity."""
    name, way, seed = request.param
    rng = np.random.default_rng(seed)
    joint = randoms.JOINTS[name](rng)
    if way == "reversed":
        joint = wt.Reversed(joint)
    return joint, joint.random(rng), rng.normal(size=joint.nv), rng


def rate(function, joint, q, qd):
    """The rate of a function of q while the joint moves with the velocity qd."""
    return np.imag(function(q + 1j * STEP * joint.rate(q, qd))) / STEP


def test_rate_of_the_transform_is_the_velocity(case):
    joint, q, qd, _ = case
    v_J = joint.motion_subspace(q) @ qd
    rate_of_X = rate(lambda q: joint.transform(q).matrix(), joint, q, qd)
    assert_allclose(rate_of_X, -crm(v_J) @ joint.transform(q).matrix(), **TIGHT)


def test_bias_is_the_rate_of_the_motion_subspace(case):
    joint, q, qd, _ = case
    rate_of_S = rate(joint.motion_subspace, joint, q, qd)
    assert_allclose(joint.motion_subspace_rate(q, qd), rate_of_S, **TIGHT)
    assert_allclose(joint.bias(q, qd), rate_of_S @ qd, **TIGHT)


def test_constraint_forces_do_no_work_and_complete_the_space(case):
    joint, q, _, _ = case
    S, T = joint.motion_subspace(q), joint.constraint_subspace(q)
    assert S.shape == (6, joint.nv)
    assert T.shape == (6, 6 - joint.nv)
    assert_allclose(T.T @ S, np.zeros((6 - joint.nv, joint.nv)), **TIGHT)
    assert np.linalg.matrix_rank(S) == joint.nv
    assert np.linalg.matrix_rank(T) == 6 - joint.nv


def test_frames_coincide_at_the_neutral_position(case):
    joint, _, _, _ = case
    assert_allclose(joint.transform(joint.neutral()).matrix(), np.eye(6), rtol=0, atol=1e-15)


def test_integrate_starts_with_the_velocity(case):
    joint, q, qd, _ = case
    reached = joint.integrate(q, 1j * STEP * qd)
    assert_allclose(np.imag(reached) / STEP, joint.rate(q, qd), **TIGHT)


def test_integrate_keeps_the_velocity_on_the_way(case):
    joint, q, qd, rng = case
    s = rng.uniform(0.3, 1.0)
    on_the_way = joint.integrate(q, (s + 1j * STEP) * qd)
    assert_allclose(np.imag(on_the_way) / STEP, joint.rate(np.real(on_the_way), qd), **TIGHT)


def test_difference_undoes_integrate(case):
    joint, q, _, rng = case
    dq = rng.uniform(-1.0, 1.0, joint.nv)
    q1 = joint.integrate(q, dq)
    assert_allclose(joint.difference(q, q1), dq, rtol=1e-11, atol=1e-11)
    assert_allclose(joint.difference(q, q), np.zeros(joint.nv), rtol=0, atol=1e-15)


def test_two_half_steps_make_a_whole_one(case):
    joint, q, qd, _ = case
    assert_allclose(joint.integrate(joint.integrate(q, 0.5 * qd), 0.5 * qd), joint.integrate(q, qd), **TIGHT)
