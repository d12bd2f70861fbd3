"""Inertia that may be moved across a joint (RBDA §9.7), for every joint type.

Source of truth: the conditions of eq 9.30, on general inertias and at general positions, and the zeros
that table 9.7 promises.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.spatial import crf

SHARES_NOTHING = {"free", "rolling-disc"}


def pair(joint, rng):
    """A body on a joint on another one, whose frames are the joint's."""
    m = wt.Mechanism("pair")
    m.add_body("one", wt.Free(), inertia=randoms.inertia(rng))
    m.add_body("two", joint, "one", inertia=randoms.inertia(rng))
    return m


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("way", ["forward", "reversed"])
@pytest.mark.parametrize("name", randoms.JOINTS)
def test_moved_inertia_meets_the_conditions(name, way, seed):
    rng = np.random.default_rng(seed)
    joint = randoms.JOINTS[name](rng)
    joint = wt.Reversed(joint) if way == "reversed" else joint
    m = pair(joint, rng)
    simple = wt.dynamics.simplify_inertias(m)
    before, after = (x.bodies[1].inertia.matrix() for x in (m, simple))
    moved = before - after
    assert np.any(moved) != (name in SHARES_NOTHING)
    assert_allclose(
        simple.bodies[0].inertia.matrix() - m.bodies[0].inertia.matrix(), moved, rtol=0, atol=1e-14
    )

    q, v = joint.random(rng), rng.normal(size=6)
    S, X = joint.motion_subspace(q), joint.transform(q).matrix()
    assert_allclose(moved @ S, np.zeros(S.shape), rtol=0, atol=1e-14)
    assert_allclose(X.T @ moved @ X, moved, rtol=0, atol=1e-13)
    assert_allclose(S.T @ crf(v) @ moved @ v, np.zeros(joint.nv), rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("joint", "zeros"),
    [
        (wt.Revolute("z"), ["m", "hz", "Ixx"]),
        (wt.Revolute("x"), ["m", "hx", "Iyy"]),
        (wt.Prismatic("y"), ["Ixx", "Iyx", "Iyy", "Izx", "Izy", "Izz"]),
        (wt.Spherical(), ["m"]),
        (wt.Universal("x", "y"), ["m"]),
        (wt.Cylindrical("z"), ["Ixx"]),
        (wt.Translation(), ["Ixx", "Iyx", "Iyy", "Izx", "Izy", "Izz"]),
        (wt.Fixed(), ["m", "hx", "hy", "hz", "Ixx", "Iyx", "Iyy", "Izx", "Izy", "Izz"]),
        (wt.Free(), []),
    ],
)
def test_zeros_are_exact(joint, zeros):
    names = ["m", "hx", "hy", "hz", "Ixx", "Iyx", "Iyy", "Izx", "Izy", "Izz"]
    inertia = wt.dynamics.simplify_inertias(pair(joint, np.random.default_rng(8))).bodies[1].inertia
    values = [inertia.m, *inertia.h, *inertia.I]
    assert [name for name, value in zip(names, values, strict=True) if value == 0.0] == zeros


def test_everything_else_is_kept():
    rng = np.random.default_rng(9)
    m = randoms.tree(rng, ["revolute", "prismatic", "helical", "spherical", "revolute"])
    m.add_gear("belt", "b0", "b4", ratio=1.7, offset=0.2)
    m.add_frame("tool", "b3", randoms.placement(rng))
    m.add_spring("s", "b0", (0.1, 0.2, 0.3), "b3", (0.3, 0.1, 0.2), stiffness=2.0, damping=0.1, length=0.5)
    m.add_loop("ball", wt.Spherical(), predecessor="b1", successor="b4")
    m.warnings.append("a note")
    simple = wt.dynamics.simplify_inertias(m)
    assert simple != m
    for was, body in zip(m.bodies, simple.bodies, strict=True):
        assert replace(body, inertia=was.inertia) == was
    back = simple.with_parts(bodies=m.bodies)
    assert back == m
    assert (simple.warnings, simple.parents, simple.q_index) == (m.warnings, m.parents, m.q_index)

    simple.add_body("more", wt.Revolute("x"), "b2", inertia=randoms.inertia(rng))
    simple.warnings.append("another")
    assert (len(m), len(simple)) == (5, 6)
    assert m.parents == simple.parents[:5]
    assert m.warnings == ["a note"]


def test_closed_loops_move_alike():
    m = wt.examples.load("four-bar")
    simple = wt.dynamics.simplify_inertias(m)
    q, qd, tau = m.neutral(), np.zeros(m.nv), np.array([0.7, -0.2, 0.3])
    expected = wt.forward_dynamics(m, q, qd, tau)
    assert_allclose(wt.forward_dynamics(simple, q, qd, tau), expected, rtol=1e-12, atol=1e-12)


def test_methods_that_invert_inertias_no_longer_apply():
    rng = np.random.default_rng(10)
    m = randoms.tree(rng, ["revolute", "spherical"])
    assert "divide-and-conquer" in wt.methods(m)
    assert "divide-and-conquer" not in wt.methods(wt.dynamics.simplify_inertias(m))
