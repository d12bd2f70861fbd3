"""Operations of spatial arithmetic cost no more than RBDA table A.4 says, all their numbers counting.

Source of truth: the table's cost column, multiplications and additions.
"""

from collections import Counter

import numpy as np
import pytest

import randoms
from counting import counting, values
from whippletree.spatial import ArticulatedInertia, Inertia, Transform, cross_force, cross_motion
from whippletree.spatial.rotate import Rotation, rotation_product
from whippletree.spatial.rotation import exp


class Operands:
    """General spatial quantities, either of floats or of counting scalars."""

    def __init__(self, wrap):
        rng = np.random.default_rng(3)
        self.X, self.X2 = (Transform(wrap(exp(rng.normal(size=3))), wrap(rng.normal(size=3))) for _ in "12")
        self.v, self.v2, self.f = (wrap(rng.normal(size=6)) for _ in "123")
        self.I, self.I2 = (self.rigid(randoms.inertia(rng), wrap) for _ in "12")
        self.IA, self.IA2 = (self.articulated(rng.normal(size=(6, 6)), wrap) for _ in "12")
        self.alpha = wrap([rng.normal()])[0]
        self.A = wrap(rng.normal(size=(3, 3)))
        self.lt = wrap(rng.normal(size=6))

    @staticmethod
    def rigid(inertia, wrap):
        return Inertia.from_parts(wrap([inertia.m])[0], wrap(inertia.h), wrap(inertia.I))

    @staticmethod
    def articulated(A, wrap):
        A = ArticulatedInertia.from_matrix(A @ A.T)
        return ArticulatedInertia(wrap(A.M), wrap(A.H), wrap(A.I))


TABLE = {
    "scale v": (lambda o: o.alpha * o.v, 6, 0),
    "scale I": (lambda o: o.I.scaled(o.alpha), 10, 0),
    "scale I^A": (lambda o: o.IA.scaled(o.alpha), 21, 0),
    "v + v": (lambda o: o.v + o.v2, 0, 6),
    "I + I": (lambda o: o.I + o.I2, 0, 10),
    "I^A + I^A": (lambda o: o.IA + o.IA2, 0, 21),
    "I^A + I": (lambda o: o.IA + o.I, 0, 15),
    "v · f": (lambda o: o.v @ o.f, 6, 5),
    "v × v": (lambda o: cross_motion(o.v, o.v2), 18, 12),
    "v ×* f": (lambda o: cross_force(o.v, o.f), 18, 12),
    "I v": (lambda o: o.I @ o.v, 24, 18),
    "I^A v": (lambda o: o.IA @ o.v, 36, 30),
    "X X": (lambda o: o.X @ o.X2, 33, 24),
    "X⁻¹": (lambda o: o.X.inverse(), 9, 6),
    "X v": (lambda o: o.X @ o.v, 24, 18),
    "X⁻¹ v": (lambda o: o.X.inverse_motion(o.v), 24, 18),
    "X* f": (lambda o: o.X.force(o.f), 24, 18),
    "Xᵀ f": (lambda o: o.X.T @ o.f, 24, 18),
    "X* I X⁻¹": (lambda o: o.I.to_child(o.X), 52, 56),
    "Xᵀ I X": (lambda o: o.I.to_parent(o.X), 52, 56),
    "X* I^A X⁻¹": (lambda o: o.IA.to_child(o.X), 137, 137),
    "Xᵀ I^A X": (lambda o: o.IA.to_parent(o.X), 137, 137),
    # §A.5
    "E E": (lambda o: rotation_product(o.X.E, o.X2.E), 24, 15),
    "E A Eᵀ": (lambda o: Rotation.of(o.X.E).general(o.A), 40, 39),
    "E A Eᵀ, A symmetric": (lambda o: Rotation.of(o.X.E).symmetric(o.lt), 28, 29),
}


def numbers(result):
    """The entries of any spatial quantity, in a row."""
    if isinstance(result, Transform):
        return np.concatenate([values(result.E).ravel(), values(result.r)])
    if isinstance(result, Inertia):
        return np.array([values([result.m])[0], *values(result.h), *values(result.I)])
    if isinstance(result, ArticulatedInertia):
        return np.concatenate([values(result.M), values(result.H).ravel(), values(result.I)])
    return values(np.atleast_1d(result)).ravel()


@pytest.mark.parametrize("name", TABLE)
def test_operation_costs_no_more_than_the_table(name):
    operation, multiplications, additions = TABLE[name]
    tally: Counter[str] = Counter()
    result = operation(Operands(lambda x: counting(x, tally)))
    assert set(tally) <= {"mul", "add"}
    assert tally["mul"] <= multiplications
    assert tally["add"] <= additions
    assert np.allclose(numbers(result), numbers(operation(Operands(np.asarray))), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(
    ("operation", "cost"),
    [
        (lambda o: o.I.to_child(o.X), {"mul": 49, "add": 52}),
        (lambda o: o.I.to_parent(o.X), {"mul": 49, "add": 52}),
        (lambda o: o.IA.to_child(o.X), {"mul": 126, "add": 136}),
        (lambda o: o.IA.to_parent(o.X), {"mul": 126, "add": 136}),
    ],
)
def test_congruence_costs_what_its_docstring_says(operation, cost):
    tally: Counter[str] = Counter()
    operation(Operands(lambda x: counting(x, tally)))
    assert dict(tally) == cost


def test_congruence_is_cheaper_than_six_by_six_matrices():
    """The count of a dense Xᵀ I X is 432m + 360a (RBDA §A.3)."""
    tally: Counter[str] = Counter()
    X, A = (counting(np.random.default_rng(0).normal(size=(6, 6)), tally) for _ in "12")
    assert (X.T @ A @ X).shape == (6, 6)
    assert dict(tally) == {"mul": 432, "add": 360}
