"""K, k and δ of every loop joint type on random trees.

Source of truth: differentiation by the complex step, which is exact to rounding; table 8.1.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import closed
import randoms
import whippletree as wt
from whippletree.loops.equations.constraints import largest_by_owner, row_owners

STEP = 1e-30


@pytest.fixture(params=closed.LOOP_JOINTS)
def loop_joint(request):
    return request.param


@pytest.fixture(params=range(3))
def case(request, loop_joint):
    """A tree of five joints with one loop joint of the given type, and a consistent state."""
    rng = np.random.default_rng([request.param, closed.LOOP_JOINTS.index(loop_joint)])
    kinds = [name for name in randoms.JOINTS if name != "fixed"]
    m, q = closed.mechanism(rng, list(rng.choice(kinds, 5)), [loop_joint])
    return m, q, closed.velocity(rng, m, q), rng


def along(m, q, qd):
    return q + 1j * STEP * m.rate(q, qd)


def test_position_is_found_from_the_transform(loop_joint):
    rng = np.random.default_rng(7)
    for _ in range(10):
        joint = randoms.joint(rng, loop_joint)
        X = joint.transform(joint.random(rng))
        Y = joint.transform(joint.position_at(X))
        assert_allclose(Y.E, X.E, atol=1e-12)
        assert_allclose(Y.r, X.r, atol=1e-12)


def test_turns_of_a_screw_are_counted():
    for joint in (wt.Helical("y", pitch=0.3), wt.RackPinion(0.2)):
        q = np.array([17.3])
        assert_allclose(joint.position_at(joint.transform(q)), q, rtol=1e-14)


def test_error_is_zero_where_the_loop_is_closed(case):
    m, q, _, _ = case
    assert_allclose(wt.constraint_error(m, q), 0.0, atol=1e-13)


def test_jacobian_is_the_derivative_of_the_error(case, loop_joint):
    m, q, _, _ = case
    columns = [np.imag(wt.constraint_error(m, along(m, q, e))) / STEP for e in np.eye(m.nv)]
    K, slope = wt.constraint_jacobian(m, q), np.array(columns).T
    if loop_joint == "rolling-disc":  # slip ahead and to the left leaves no error of position
        assert_allclose(slope[:2], 0.0, atol=1e-12)
        K, slope = K[2:], slope[2:]
    assert_allclose(K, slope, atol=1e-12)


def test_bias_is_the_rate_of_the_jacobian(case):
    m, q, qd, _ = case
    rate = np.imag(wt.constraint_jacobian(m, along(m, q, qd))) / STEP
    expected = -rate @ qd
    assert_allclose(wt.constraint_bias(m, q, qd), expected, atol=1e-11 * (1.0 + np.abs(expected).max()))


def test_stabilization_adds_the_books_terms(case):
    m, q, _, rng = case
    q, qd, t = m.integrate(q, 0.01 * rng.normal(size=m.nv)), rng.normal(size=m.nv), 0.3
    expected = wt.constraint_bias(m, q, qd)
    expected = expected - 2 / t * (wt.constraint_jacobian(m, q) @ qd) - wt.constraint_error(m, q) / t**2
    actual = wt.constraint_bias(m, q, qd, stabilization=t)
    assert_allclose(actual, expected, rtol=1e-13, atol=1e-13)


TABLE_8_1 = {
    "fixed": (
        wt.Fixed(),
        np.eye(6),
        lambda X: [
            0.5 * (X[2, 3] - X[3, 2]),
            0.5 * (X[3, 1] - X[1, 3]),
            0.5 * (X[1, 2] - X[2, 1]),
            0.5 * (X[5, 3] - X[6, 2]),
            0.5 * (X[6, 1] - X[4, 3]),
            0.5 * (X[4, 2] - X[5, 1]),
        ],
    ),
    "revolute": (
        wt.Revolute("z"),
        np.eye(6)[:, [0, 1, 3, 4, 5]],
        lambda X: [X[2, 3], -X[1, 3], X[5, 3], -X[4, 3], X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2]],
    ),
    "prismatic": (
        wt.Prismatic("z"),
        np.eye(6)[:, :5],
        lambda X: [
            0.5 * (X[2, 3] - X[3, 2]),
            0.5 * (X[3, 1] - X[1, 3]),
            0.5 * (X[1, 2] - X[2, 1]),
            X[5, 3],
            -X[4, 3],
        ],
    ),
    "cylindrical": (
        wt.Cylindrical("z"),
        np.eye(6)[:, [0, 1, 3, 4]],
        lambda X: [X[2, 3], -X[1, 3], X[5, 3], -X[4, 3]],
    ),
    "spherical": (
        wt.Spherical(),
        np.eye(6)[:, 3:],
        lambda X: [
            X[5, 1] * X[3, 1] + X[5, 2] * X[3, 2] + X[5, 3] * X[3, 3],
            X[6, 1] * X[1, 1] + X[6, 2] * X[1, 2] + X[6, 3] * X[1, 3],
            X[4, 1] * X[2, 1] + X[4, 2] * X[2, 2] + X[4, 3] * X[2, 3],
        ],
    ),
}
"""Joint, T and δ of RBDA table 8.1, entries of sX_p counted from 1."""


@pytest.mark.parametrize("name", TABLE_8_1)
def test_error_agrees_with_table_8_1_for_small_errors(name):
    joint, T, formula = TABLE_8_1[name]
    rng = np.random.default_rng(3)
    m = wt.Mechanism("one body")
    m.add_body("body", wt.Free(), inertia=randoms.inertia(rng))
    m.add_loop("loop", joint, "ground", "body")
    X_J = joint.transform(joint.random(rng))
    q = wt.Free().position_at(X_J)
    error = 1e-5 * rng.normal(size=6)
    X = wt.Free().transform(wt.Free().integrate(q, error)).matrix()
    numbered_from_1 = np.zeros((7, 7))
    numbered_from_1[1:, 1:] = X
    expected = np.array(formula(numbered_from_1))
    ours = wt.constraint_error(m, wt.Free().integrate(q, error))
    # Both are Tᵀ d of the same d, on different bases of the same constraint forces.
    basis = joint.constraint_subspace(joint.neutral())
    change, *_ = np.linalg.lstsq(basis, T, rcond=None)
    assert_allclose(basis @ change, T, atol=1e-14)
    assert_allclose(change.T @ ours, expected, atol=1e-9)
    assert np.abs(expected).max() > 1e-6


def test_gears_are_constraints_too():
    rng = np.random.default_rng(5)
    m = randoms.tree(rng, ["revolute", "prismatic", "revolute"])
    m.add_gear("g", driver="b0", driven="b2", ratio=-1.7, offset=0.3)
    q = np.array([0.4, 0.2, 0.5])
    assert_allclose(wt.constraint_error(m, q), [0.5 + 1.7 * 0.4 - 0.3], rtol=1e-14)
    assert_allclose(wt.constraint_jacobian(m, q), [[1.7, 0.0, 1.0]])
    assert_allclose(wt.constraint_bias(m, q, np.ones(3)), [0.0])


def test_every_row_has_an_owner():
    rng = np.random.default_rng(8)
    m, _ = closed.mechanism(rng, ["revolute", "prismatic", "revolute", "spherical"], ["universal", "helical"])
    m.add_gear("g", driver="b0", driven="b2", ratio=-1.7)
    q = m.random(rng)
    error, owners = wt.constraint_error(m, q), np.array(row_owners(m))
    assert len(owners) == len(error) == 4 + 5 + 1
    largest = largest_by_owner(m, -error)
    assert list(largest) == ["loop0", "loop1", "g"]
    loops, gears = list(m.loops), list(m.gears)
    for name in largest:
        only = m.with_parts(
            loops=[loop for loop in loops if loop.name == name],
            gears=[gear for gear in gears if gear.name == name],
        )
        alone = wt.constraint_error(only, q)
        assert_allclose(error[owners == name], alone, rtol=0, atol=1e-14)
        assert largest[name] == pytest.approx(np.abs(alone).max(), rel=1e-14)
