"""Conversions between representations of rotation, at general, small and half-turn angles.

Source of truth: the inverse conversion, orthogonality, the complex step, and the matrix exponential's
own power series.
"""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from whippletree.spatial import Placement, skew
from whippletree.spatial.rotation import (
    axis_rotation,
    exp,
    exp_jacobian,
    exp_jacobian_rate,
    from_euler,
    from_quaternion,
    from_rpy,
    log,
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_product,
    quaternion_rate,
    to_euler,
    to_quaternion,
    to_rpy,
)

ANGLES = [0.0, 1e-200, 1e-12, 1e-8, 1e-4, 0.1, 0.9999, 1.0001, 2.5, np.pi - 1e-4, np.pi - 1e-9, np.pi]
SEQUENCES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] and s[1] != s[2]]
STEP = 1e-30
MIDDLES = [0.6, -1.1, 1e-7, 1e-12, 3e-13, 1e-15, 0.0, np.pi, np.pi / 2, -np.pi / 2, np.pi / 2 - 2e-12]


def rotation_vector(angle: float, seed: int = 3) -> np.ndarray:
    direction = np.random.default_rng(seed).normal(size=3)
    return direction / np.linalg.norm(direction) * angle


def power_series(w: np.ndarray) -> np.ndarray:
    W, term, total = skew(w), np.eye(3), np.eye(3)
    for k in range(1, 60):
        term = term @ W / k
        total = total + term
    return total


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_and_logarithm(angle):
    w = rotation_vector(angle)
    R = exp(w)
    assert_allclose(R, power_series(w), atol=1e-14)
    assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    # At a half turn both signs are right, and either comes out.
    sign = 1.0 if log(R) @ w >= 0 else -1.0
    assert_allclose(sign * log(R), w, rtol=1e-14, atol=1e-15)
    assert_allclose(from_quaternion(quaternion_exp(w)), R, atol=1e-15)
    assert_allclose(quaternion_log(quaternion_exp(w)), w, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("angle", [*ANGLES[3:], 4.0, 6.0])
def test_rate_of_the_exponential(angle):
    w, wd = rotation_vector(angle), np.array([0.4, -0.7, 0.9])
    turning = exp(w).T @ np.imag(exp(w + 1j * STEP * wd)) / STEP
    expected = [turning[2, 1], turning[0, 2], turning[1, 0]]
    assert_allclose(exp_jacobian(w) @ wd, expected, rtol=1e-13, atol=1e-14)
    assert_allclose(exp_jacobian_rate(w, wd), np.imag(exp_jacobian(w + 1j * STEP * wd)) / STEP, atol=2e-15)


def test_rate_of_the_exponential_at_zero():
    wd = np.array([0.4, -0.7, 0.9])
    assert_allclose(exp_jacobian(np.zeros(3)), np.eye(3), atol=0)
    assert_allclose(exp_jacobian_rate(np.zeros(3), wd), -0.5 * skew(wd), atol=0)


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize(
    "middle",
    [0.6, 1e-7, 1e-12, 3e-13, 0.0, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-7, np.pi / 2 - 2e-12, np.pi, -1.1],
)
def test_euler_angles_there_and_back(sequence, middle):
    R = from_euler(np.array([0.3, middle, -2.2]), sequence)
    assert_allclose(from_euler(to_euler(R, sequence), sequence), R, atol=1e-14)


def test_there_are_twelve_sequences():
    assert len(SEQUENCES) == 12


def test_roll_pitch_yaw_are_turns_about_fixed_axes():
    roll, pitch, yaw = 0.3, -0.8, 2.1
    x, y, z = np.eye(3)
    expected = axis_rotation(z, yaw) @ axis_rotation(y, pitch) @ axis_rotation(x, roll)
    assert_allclose(from_rpy(np.array([roll, pitch, yaw])), expected, atol=1e-15)
    assert_allclose(to_rpy(expected), [roll, pitch, yaw], atol=1e-15)


@pytest.mark.parametrize("seed", range(40))
def test_quaternion_there_and_back(seed):
    rng = np.random.default_rng(seed)
    # Squashing one entry after another brings every branch of the conversion, and its borders.
    p = rng.normal(size=4) * np.where(np.arange(4) == seed % 4, 1.0, 10.0 ** -(seed // 4))
    p = p / np.linalg.norm(p)
    again = to_quaternion(from_quaternion(p))
    assert_allclose(again * np.sign(again @ p), p, atol=5e-16)


def test_quaternions_multiply_as_rotations():
    rng = np.random.default_rng(0)
    p, q = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 4)))
    P, Q = from_quaternion(p), from_quaternion(q)
    assert_allclose(from_quaternion(quaternion_product(p, q)), P @ Q, atol=1e-15)
    assert_allclose(from_quaternion(quaternion_conjugate(p)), P.T, atol=1e-15)


def test_quaternion_rate_turns_the_matrix():
    p, w = quaternion_exp(rotation_vector(1.3)), np.array([0.5, -0.2, 0.8])
    rate = np.imag(from_quaternion(p + 1j * STEP * quaternion_rate(p, w))) / STEP
    assert_allclose(rate, from_quaternion(p) @ skew(w), atol=1e-15)


def test_axis_rotation_is_exact_about_coordinate_axes():
    for k in range(3):
        R = axis_rotation(np.eye(3)[k], 0.7)
        assert np.all(R[k] == np.eye(3)[k])
        assert np.all(R[:, k] == np.eye(3)[k])


def test_placements_compose_and_invert():
    rng = np.random.default_rng(1)
    A, B = (Placement(rng.normal(size=3), quaternion=rng.normal(size=4)) for _ in range(2))
    point = rng.normal(size=3)
    inner = B.rotation @ point + B.position
    both = A @ B
    assert_allclose(both.rotation @ point + both.position, A.rotation @ inner + A.position, atol=1e-14)
    unity = A @ A.inverse()
    assert_allclose(unity.rotation, np.eye(3), atol=1e-15)
    assert_allclose(unity.position, np.zeros(3), atol=1e-15)
    assert_allclose(Placement(A.position, rpy=A.rpy).rotation, A.rotation, atol=1e-15)
    assert_allclose(Placement(A.position, rotation=A.rotation).quaternion, A.quaternion, atol=0)
