"""Derivatives of the dynamics of real robots on fixed and free roots. Source of truth: Pinocchio."""

import numpy as np
import pytest

import whippletree as wt
from pinocchio_cases import TOLERANCE, case, distance, pin
from whippletree.benchmark.robots import ROBOTS

NAMES = ["ur5", "panda", "anymal", "g1", "talos"]

every_robot = pytest.mark.parametrize("name", NAMES)
every_root = pytest.mark.parametrize("free", [False, True], ids=["fixed", "free"])


@every_robot
@every_root
def test_inverse_dynamics(name, free):
    c = case(ROBOTS[name][0], free)
    data = c.model.createData()
    expected = pin.computeRNEADerivatives(c.model, data, c.pin_q, c.pin_qd, c.pin_qdd)
    T, scale = c.convention.velocity_matrix(c.q), np.outer(c.scale, c.scale)
    found = wt.rnea_derivatives(c.m, c.q, c.qd, c.qdd)
    for mine, theirs in zip(found[:2], expected[:2], strict=True):
        assert distance(T @ mine @ T.T / scale, theirs / scale) < TOLERANCE
    assert distance(T @ found[2] @ T.T / scale, c.pin_inertia() / scale) < TOLERANCE


@every_robot
@every_root
def test_forward_dynamics(name, free):
    c = case(ROBOTS[name][0], free)
    data = c.model.createData()
    by_q, by_qd, upper = pin.computeABADerivatives(c.model, data, c.pin_q, c.pin_qd, c.pin_tau)
    expected = by_q, by_qd, np.triu(upper) + np.triu(upper, 1).T
    T, scale = c.convention.velocity_matrix(c.q), np.outer(c.scale, c.scale)
    found = wt.aba_derivatives(c.m, c.q, c.qd, c.tau)
    for mine, theirs in zip(found, expected, strict=True):
        assert distance(T @ mine @ T.T * scale, theirs * scale) < TOLERANCE
