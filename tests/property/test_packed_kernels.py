"""Packed results are those of the whole kernel, each once, to the last bit.

Source of truth: the whole kernel, and which entries of a mass matrix are zero by the branches of the tree.
"""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import whippletree as wt
from whippletree.kernels.run.kernel import Kernel
from whippletree.kernels.trace.recording import trace


def branched() -> wt.Mechanism:
    """A trunk of two bodies, two limbs of three."""
    m, rng = wt.Mechanism("branched"), np.random.default_rng(0)
    for name, parent in zip("abcdefgh", ["ground", "a", "b", "c", "d", "b", "f", "g"], strict=True):
        inertia = wt.Inertia(rng.uniform(1.0, 2.0), rng.normal(size=3), rng.uniform(2.0, 3.0, 3))
        placement = wt.Placement(rng.normal(size=3), rpy=rng.normal(size=3))
        m.add_body(name, wt.Revolute(rng.normal(size=3)), parent, placement, inertia)
    return m


def test_the_mass_matrix_keeps_one_triangle_without_the_zeros_between_limbs():
    m = branched()
    whole = m.kernel("crba")
    k = whole.packed()
    q = np.random.default_rng(1).normal(size=(3, 4, 8))
    values = k(q)
    # A triangle of 36, without 9 pairs of joints on different limbs and the constants of both last joints.
    assert values.shape == (3, 4, 36 - 9 - 2)
    assert_array_equal(k.unpack(values), whole(q))
    assert_array_equal(values, whole(q).reshape(3, 4, 64)[..., k.places])
    assert_array_equal(k(q[0, 0]), values[0, 0])
    assert_array_equal(pickle.loads(pickle.dumps(k))(q), values)
    assert k.packed() is k
    out = np.empty(values.shape)
    assert_array_equal(k(q, out=out), values)


def test_results_stay_nested_when_unpacked():
    program = trace(lambda x: {"a": [x[0], 2.0], "b": np.array([x[1], x[0], 0.0])}, {"x": (2,)})
    k = Kernel(program).packed()
    assert_array_equal(k.places, [0, 2])
    found = k.unpack(k([3.0, 5.0]))
    assert found["a"] == [3.0, 2.0]
    assert_array_equal(found["b"], [5.0, 3.0, 0.0])


def test_other_lengths_are_refused():
    k = branched().kernel("crba").packed()
    with pytest.raises(wt.InputError, match=r"values has shape \(3,\), expected \(\.\.\., 25\)"):
        k.unpack(np.zeros(3))
