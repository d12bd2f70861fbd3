"""Axial screws cost what RBDA table A.5 says, once what is known to be zero is folded away.

Source of truth: the table's recurring cost and, on inertias, its one-time cost for each angle, 2m + 3a.
"""

import numpy as np
import pytest

from whippletree.kernels.trace.recording import trace
from whippletree.spatial import ArticulatedInertia, Inertia, Transform, array
from whippletree.spatial.rotate import AxialRotation, Rotation
from whippletree.spatial.shift import AxialShift, Shift


def screw(k, c, s, d) -> Transform:
    """A turn about axis k with cosine c and sine s, and a shift along it by d."""
    i, j = (k + 1) % 3, (k + 2) % 3
    E, r = np.eye(3).tolist(), [0.0] * 3
    E[i][i], E[i][j], E[j][i], E[j][j], r[k] = c, s, -s, c, d
    return Transform(array(E), array(r))


def as_if_general(X: Transform) -> Transform:
    """The same transform, treated as any other."""
    general = Transform(X.E, X.r)
    vars(general).update(rotation=Rotation(X.E), shift=Shift(X.r))
    return general


def rigid(x) -> Inertia:
    return Inertia.from_parts(x[0], x[1:4], x[4:10])


def articulated(x) -> ArticulatedInertia:
    return ArticulatedInertia(x[:6], x[6:15].reshape(3, 3), x[15:21])


def numbers(inertia):
    """The entries of either kind of inertia, in a row."""
    if isinstance(inertia, Inertia):
        return np.concatenate([array([inertia.m]), inertia.h, inertia.I])
    return np.concatenate([inertia.M, inertia.H.ravel(), inertia.I])


TABLE = {
    "X m": (lambda X, x: X @ x, 6, 10, 6),
    "Xᵀ f": (lambda X, x: X.T @ x, 6, 10, 6),
    "X* f": (lambda X, x: X.force(x), 6, 10, 6),
    "X⁻¹ m": (lambda X, x: X.inverse_motion(x), 6, 10, 6),
    "X* I X⁻¹": (lambda X, x: numbers(rigid(x).to_child(X)), 10, 16 + 2, 15 + 3),
    "Xᵀ I X": (lambda X, x: numbers(rigid(x).to_parent(X)), 10, 16 + 2, 15 + 3),
    "X* I^A X⁻¹": (lambda X, x: numbers(articulated(x).to_child(X)), 21, 38 + 2, 40 + 3),
    "Xᵀ I^A X": (lambda X, x: numbers(articulated(x).to_parent(X)), 21, 38 + 2, 40 + 3),
}


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("name", TABLE)
def test_an_axial_screw_costs_what_the_table_says(name, axis):
    operation, size, multiplications, additions = TABLE[name]
    program = trace(
        lambda c, s, d, x: operation(screw(axis, c, s, d), x), {"c": (), "s": (), "d": (), "x": (size,)}
    )
    # A number added to itself is recorded as its double: the table's 3a of one-time cost are 1a + 2m here.
    assert program.cost["mul"] + program.cost["add"] == multiplications + additions
    assert sum(program.cost.values()) == multiplications + additions
    c, s, d, x = np.cos(0.7), np.sin(0.7), -0.4, np.random.default_rng(axis).normal(size=size)
    expected = operation(as_if_general(screw(axis, c, s, d)), x)
    np.testing.assert_allclose(program(c, s, d, x), expected, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("name", TABLE)
def test_an_axial_screw_is_the_transform_it_looks_like(name, axis):
    operation, size, *_ = TABLE[name]
    rng = np.random.default_rng(axis)
    X = screw(axis, np.cos(0.7), np.sin(0.7), -0.4)
    assert isinstance(X.rotation, AxialRotation)
    assert isinstance(X.shift, AxialShift)
    x = rng.normal(size=size)
    np.testing.assert_allclose(operation(X, x), operation(as_if_general(X), x), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("axis", range(3))
def test_columns_are_transformed_as_vectors_are(axis):
    X, columns = screw(axis, np.cos(0.7), np.sin(0.7), -0.4), np.random.default_rng(3).normal(size=(3, 4))
    for operation in (X.rotation.vector, X.rotation.T.vector, X.shift.cross):
        one_by_one = np.stack([operation(v) for v in columns.T], axis=1)
        np.testing.assert_array_equal(operation(columns), one_by_one)
    np.testing.assert_allclose(X.rotation.vector(columns), X.E @ columns, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(X.rotation.T.vector(columns), X.E.T @ columns, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(X.shift.cross(columns), np.cross(X.r, columns, axisb=0, axisc=0), rtol=1e-14)
