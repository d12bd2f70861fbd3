"""Against dynibo: that the benchmark gives it the same problems as our kernels."""

import dynibo
import numpy as np
import pytest

import whippletree as wt
from whippletree.benchmark.robots import robot_file


def test_arm():
    path = robot_file("ur5")
    m, robot = wt.load(path), dynibo.Robot.from_urdf(str(path))
    m.gravity = (0.0, 0.0, -9.80665)  # it has the standard's value
    rng = np.random.default_rng(3)
    q, qd, qdd = m.random(rng), rng.normal(size=m.nv), rng.normal(size=m.nv)
    tau = robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(wt.rnea(m, q, qd, qdd), tau, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(wt.aba(m, q, qd, tau), robot.forward_dynamics(q, qd, tau), rtol=1e-9)
    np.testing.assert_allclose(wt.crba(m, q).ravel(), robot.mass_matrix(q), rtol=1e-11, atol=1e-14)


def test_humanoid():
    """Its joints go breadth first, so only what no order changes is compared."""
    path = robot_file("g1")
    m, robot = wt.load(path, root=wt.Free()), dynibo.FloatingRobot.from_urdf(str(path))
    assert robot.generalized_count == m.nv == 35
    H = robot.mass_matrix(dynibo.BaseState(), np.zeros(robot.joint_count)).reshape(m.nv, m.nv)
    ours = np.linalg.eigvalsh(wt.crba(m, m.neutral()))
    np.testing.assert_allclose(np.linalg.eigvalsh(H), ours, rtol=1e-9)


def test_refusal():
    with pytest.raises(dynibo.ModelError, match="positive semi-definite"):
        dynibo.FloatingRobot.from_urdf(str(robot_file("anymal")))
