"""Lagrange's equations against what Liu and Jain print: local Jacobians, connectivity, figure 1.

Source of truth: eq 50-56 and 62-65 of the tutorial, written out here by hand.
"""

import numpy as np
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.formulations import lagrange

TREE = wt.examples.load("tutorial-tree")
Q = np.array([0.4, -0.7, 0.3, 0.8, -0.5, 1.1, -0.9])


def turn(axis, angle):
    """R of a turn about x, y or z, as in every textbook."""
    c, s = np.cos(angle), np.sin(angle)
    x = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return np.roll(x, "xyz".index(axis), axis=(0, 1))


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def ball(joint, q):
    """Ĵ_ω of a single body on a joint about a point."""
    m = wt.Mechanism("ball")
    m.add_body("ball", joint, inertia=wt.Inertia(0.7, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4)))
    return lagrange.local_jacobian(m, q, "ball")


def test_euler_angles_52():
    q = np.array([0.3, 0.8, -0.5])
    x, y = turn("x", q[0]), turn("y", q[1])
    printed = np.column_stack([[1, 0, 0], x @ [0, 1, 0], x @ y @ [0, 0, 1]])
    assert_allclose(ball(wt.SphericalEuler("xyz"), q), printed, rtol=0, atol=1e-15)
    assert_allclose(lagrange.local_jacobian(TREE, Q, "link2"), printed, rtol=0, atol=1e-15)


def test_exponential_map_54_both_lines():
    for q in (np.array([0.9, -1.7, 0.6]), np.array([0.2, 0.1, -0.3]), np.array([1.8, -1.5, 1.4])):
        theta, K = np.linalg.norm(q), skew(q)
        b, c = (1 - np.cos(theta)) / theta**2, (theta - np.sin(theta)) / theta**3
        R = np.eye(3) + np.sin(theta) / theta * K + b * K @ K  # 53
        J = ball(wt.SphericalExponential(), q)
        assert_allclose(J, R @ (np.eye(3) - b * K + c * K @ K), rtol=0, atol=1e-14)
        assert_allclose(J, np.eye(3) + b * K + c * K @ K, rtol=0, atol=1e-14)


def test_exponential_map_56_is_the_beginning_of_the_series():
    direction = np.array([0.6, -0.5, 0.7])
    for size in (1e-1, 1e-2, 1e-3):
        K = skew(size * direction)
        left = ball(wt.SphericalExponential(), size * direction) - (np.eye(3) + K / 2 + K @ K / 6)
        next_term = -(size**2) * (direction @ direction) * K / 24  # of (1 - cos θ)/θ² in 54
        assert_allclose(left, next_term, rtol=0, atol=0.1 * size**4)
        assert np.abs(left).max() > 0.02 * size**3
    assert_allclose(ball(wt.SphericalExponential(), np.zeros(3)), np.eye(3), rtol=0, atol=0)


def test_connectivity_64():
    one, zero = np.eye(3), np.zeros((3, 3))
    printed = np.block(
        [[one, zero, zero, zero], [-one, one, zero, zero], [zero, -one, one, zero], [zero, -one, zero, one]]
    )
    assert np.array_equal(lagrange.link_connectivity(TREE), printed)


def test_figure_1():
    assert [p + 1 for p in TREE.parents] == [0, 1, 2, 2]
    assert [body.joint.nv for body in TREE.bodies] == [2, 3, 1, 1]
    J1, J2, J3, J4 = (lagrange.local_jacobian(TREE, Q, f"link{k}") for k in (1, 2, 3, 4))
    R1, R2 = (pose[:3, :3] for pose in wt.forward_kinematics(TREE, Q)[:2])
    J_w = lagrange.link_jacobians(TREE, Q)[:, 3:]
    first = np.hstack([J1, np.zeros((3, 5))])
    fourth = np.hstack([J1, R1 @ J2, np.zeros((3, 1)), R2 @ J4])
    assert_allclose(J_w[0], first, rtol=0, atol=1e-15)
    assert_allclose(J_w[3], fourth, rtol=0, atol=1e-15)

    # 65: Ĵ_ω = Rᵀ D J_ω is block diagonal.
    R, D = lagrange.parent_rotations(TREE, Q), lagrange.link_connectivity(TREE)
    blocks = np.zeros((12, 7))
    for k, J in enumerate((J1, J2, J3, J4)):
        blocks[3 * k : 3 * k + 3, TREE.v_index[k]] = J
    assert_allclose(R.T @ D @ J_w.reshape(12, 7), blocks, rtol=0, atol=1e-15)
