"""Identities of spatial algebra (RBDA tables 2.1, 2.3, 2.5) on general values.

Source of truth: the 6×6 matrices the book writes, multiplied out with NumPy.
"""

import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
from whippletree.errors import ModelError
from whippletree.spatial import (
    ArticulatedInertia,
    Inertia,
    Transform,
    crf,
    crm,
    cross_force,
    cross_motion,
    factor_spd,
    screw,
    solve_3x3,
)
from whippletree.spatial.rotate import Rotation, rotation_product, symmetric
from whippletree.spatial.rotation import exp

assert_tight = functools.partial(assert_allclose, rtol=1e-13, atol=1e-13)


@pytest.fixture(params=range(5))
def rng(request):
    return np.random.default_rng(request.param)


def transform(rng) -> Transform:
    return Transform(exp(rng.normal(size=3)), rng.normal(size=3))


def articulated(rng) -> ArticulatedInertia:
    A = rng.normal(size=(6, 6))
    return ArticulatedInertia.from_matrix(A @ A.T)


def test_transform_is_its_matrix(rng):
    X, Y, m, f = transform(rng), transform(rng), rng.normal(size=6), rng.normal(size=(6, 3))
    A, F = X.matrix(), X.force_matrix()
    assert_tight(F, np.linalg.inv(A).T)
    assert_tight(X @ m, A @ m)
    assert_tight(X.T @ f, A.T @ f)
    assert_tight(X.force(f), F @ f)
    assert_tight(X.inverse_motion(m), np.linalg.inv(A) @ m)
    assert_tight((X @ Y).matrix(), A @ Y.matrix())
    assert_tight(X.inverse().matrix(), np.linalg.inv(A))


def test_homogeneous_matrix_takes_points_back(rng):
    X, point = transform(rng), rng.normal(size=3)
    assert_tight((X.homogeneous() @ [*point, 1.0])[:3], X.E.T @ point + X.r)
    assert_tight(X.homogeneous() @ X.inverse().homogeneous(), np.eye(4))


def test_cross_operators_are_their_matrices(rng):
    v, m, f = rng.normal(size=(3, 6))
    assert_tight(cross_motion(v, m), crm(v) @ m)
    assert_tight(cross_force(v, f), crf(v) @ f)


def test_cross_identities(rng):
    v, m, f, u = rng.normal(size=(4, 6))
    X = transform(rng)
    assert_tight(cross_motion(v, m), -cross_motion(m, v))
    assert_tight(cross_motion(v, m) @ f, -m @ cross_force(v, f))
    assert_allclose(X @ cross_motion(v, m), cross_motion(X @ v, X @ m), rtol=1e-12, atol=1e-12)
    assert_allclose(X.force(cross_force(v, f)), cross_force(X @ v, X.force(f)), rtol=1e-12, atol=1e-12)
    jacobi = cross_motion(v, cross_motion(m, u)) + cross_motion(m, cross_motion(u, v))
    assert_allclose(jacobi + cross_motion(u, cross_motion(v, m)), np.zeros(6), atol=1e-12)


def test_power_does_not_depend_on_coordinates(rng):
    X, m, f = transform(rng), rng.normal(size=6), rng.normal(size=6)
    assert_allclose((X @ m) @ X.force(f), m @ f, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("make", [randoms.inertia, articulated], ids=["rigid", "articulated"])
def test_inertia_is_its_matrix(rng, make):
    A, B, X, v = make(rng), make(rng), transform(rng), rng.normal(size=(6, 2))
    M, T = A.matrix(), X.matrix()
    inverse = np.linalg.inv(T)
    assert_tight(M, M.T)
    assert_tight(A @ v, M @ v)
    assert_tight((A + B).matrix(), M + B.matrix())
    assert_tight(A.scaled(2.5).matrix(), 2.5 * M)
    assert_allclose(A.to_parent(X).matrix(), T.T @ M @ T, rtol=1e-12, atol=1e-12)
    assert_allclose(A.to_child(X).matrix(), inverse.T @ M @ inverse, rtol=1e-12, atol=1e-12)


def test_articulated_plus_rigid(rng):
    A, B = articulated(rng), randoms.inertia(rng)
    assert_tight((A + B).matrix(), A.matrix() + B.matrix())
    assert_tight(ArticulatedInertia.rigid(B).matrix(), B.matrix())


def test_articulated_minus_outer_product(rng):
    A, U = articulated(rng), rng.normal(size=(6, 2))
    D = np.array([[2.0, 0.3], [0.3, 1.5]])
    reduced = A.minus_outer(U, U @ D)
    assert_tight(reduced.matrix(), A.matrix() - U @ D @ U.T)


def test_inertia_remembers_what_it_was_made_of(rng):
    I = randoms.inertia(rng)
    again = type(I)(I.m, I.com, I.about_com)
    assert_tight(again.matrix(), I.matrix())


def test_rotations_of_matrices(rng):
    E, F, A = exp(rng.normal(size=3)), exp(rng.normal(size=3)), rng.normal(size=(3, 3))
    lt = rng.normal(size=6)
    assert_tight(rotation_product(E, F), E @ F)
    assert_tight(Rotation.of(E).general(A), E @ A @ E.T)
    assert_tight(symmetric(Rotation.of(E).symmetric(lt)), E @ symmetric(lt) @ E.T)


@pytest.mark.parametrize("tilt", [1e-12, 1e-9, 0.0])
def test_a_small_tilt_is_not_lost(rng, tilt):
    E = exp(np.array([0.0, tilt, 0.0])) @ exp(np.array([0.0, 0.0, 0.7]))
    A, lt = rng.normal(size=(3, 3)), rng.normal(size=6)
    assert_allclose(Rotation.of(E).general(A), E @ A @ E.T, atol=1e-15)
    assert_allclose(symmetric(Rotation.of(E).symmetric(lt)), E @ symmetric(lt) @ E.T, atol=2e-15)


def test_screw_rebuilds_the_motion(rng):
    m = rng.normal(size=6)
    direction, point, pitch = screw(m)
    rebuilt = np.concatenate([direction, np.cross(point, direction) + pitch * direction])
    assert_tight(rebuilt, m)
    assert_allclose(point @ direction, 0.0, atol=1e-13)


@pytest.mark.parametrize("n", range(7))
def test_small_positive_definite_solve(rng, n):
    A = rng.normal(size=(n, n + 2))
    A, b = A @ A.T, rng.normal(size=(n, 2))
    assert_allclose(factor_spd(A).solve(b), np.linalg.solve(A, b), rtol=1e-10, atol=1e-10)
    assert_allclose(factor_spd(A).solve(b[:, 0]), np.linalg.solve(A, b)[:, 0], rtol=1e-10, atol=1e-10)


def test_solve_by_cramers_rule(rng):
    A, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    assert_allclose(solve_3x3(A, b), np.linalg.solve(A, b), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("com", "about_com", "message"),
    [
        (
            (0.0, 0.0, 0.0),
            [[0.02, 0.005, 0.0], [0.0, 0.03, 0.0], [0.0, 0.0, 0.04]],
            "about_com is not symmetric",
        ),
        ((0.0, 0.0, 0.0), (1.0, 0.0, 1.0, 0.0, 0.0, 1.0), r"about_com has shape \(6,\)"),
        ((0.0, 0.0, 0.0), np.eye(4), r"about_com has shape \(4, 4\)"),
        ((0.0, 0.0, 0.0), 1.0, r"about_com has shape \(\)"),
        ((0.1, 0.2), None, r"com has shape \(2,\), expected three numbers, in m"),
    ],
)
def test_an_inertia_takes_nothing_by_halves(com, about_com, message):
    with pytest.raises(ModelError, match=message):
        Inertia(1.0, com, about_com)


def test_rounding_does_not_make_an_inertia_asymmetric(rng):
    R = exp(rng.normal(size=3))
    moments = R @ np.diag([1.0, 1e-7, 1.0]) @ R.T
    assert_allclose(Inertia(1.0, (0.0, 0.0, 0.0), moments).about_com, moments, rtol=1e-12, atol=1e-15)
