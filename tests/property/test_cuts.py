"""The motion of a closed mechanism does not depend on where its loops are cut.

Source of truth: the same bodies and joints with another spanning tree.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import closed
import randoms
import whippletree as wt

LINKS = (("ground", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "ground"), ("b", "e"), ("e", "ground"))
KINDS = {
    "spatial": ["spherical", "revolute", "universal", "spherical", "cylindrical", "universal", "spherical"],
    "mixed": ["revolute", "spherical", "rack-pinion", "planar", "spherical-zyx", "translation", "free"],
    "other": [
        "helical",
        "universal",
        "spherical-exponential",
        "revolute",
        "planar",
        "spherical",
        "prismatic",
    ],
}


def graph(rng, kinds):
    """Bodies in general positions, joined in two coupled loops, each joint closed where they are."""
    where = {name: randoms.placement(rng) for name in "abcde"} | {"ground": wt.Placement()}
    g = wt.Graph("graph", gravity=rng.normal(size=3) * 5.0)
    for name in "abcde":
        g.add_body(name, randoms.inertia(rng))
    for number, ((p, s), kind) in enumerate(zip(LINKS, kinds, strict=True)):
        joint, at_p = randoms.joint(rng, kind), randoms.placement(rng)
        q = joint.random(rng)
        joint_s = where[p] @ at_p @ wt.Placement.of(joint.transform(q))
        g.add_joint(f"j{number}", joint, p, s, at_p, where[s].inverse() @ joint_s)
    return g, where


def cuts(g):
    """Every way to cut the two loops."""
    for pair in itertools.combinations(g.joints, 2):
        try:
            yield g.mechanism(cut=pair)
        except wt.ModelError:
            continue  # the two joints do not open both loops, or cut a body off


def position(m, where):
    """Joint positions that put every body where it is."""
    parts = []
    for body in m.bodies:
        own = m.frame(f"{body.name}.origin").placement.inverse()
        parent = m.frame(f"{body.parent}.origin").placement.inverse() if body.parent != "ground" else None
        at_parent = where[body.parent] if parent is None else where[body.parent] @ parent
        relative = (at_parent @ body.placement).inverse() @ (where[body.name] @ own)
        parts.append(body.joint.position_at(relative.transform()))
    return np.concatenate(parts)


@pytest.mark.parametrize("kinds", KINDS)
def test_accelerations_do_not_depend_on_the_cut(kinds):
    assert check_cuts(np.random.default_rng(len(kinds)), KINDS[kinds]) >= 8


@pytest.mark.parametrize("kinds", ["spatial", "other"])
def test_what_joints_and_bodies_have_does_not_depend_on_the_cut(kinds):
    assert check_cuts(np.random.default_rng(11), KINDS[kinds], every=3, equip=equipped, tolerance=1e-10) >= 2


def equipped(rng, g):
    """Springs, dampers, friction and stops in all joints; springs and forces on bodies."""
    for name, joint in g.joints.items():
        own = {"damping": rng.uniform(0.1, 0.5), "friction": rng.uniform(0.1, 0.5)}
        if joint.joint.carries_spring:
            own |= {"stiffness": rng.uniform(1, 5), "rest": tuple(joint.joint.random(rng))}
        if joint.joint.has_rates:
            own["limits"] = wt.Limits(-0.3, 0.2, stiffness=rng.uniform(3, 9), dissipation=0.3)
        g.change(name, **own)
    g.add_spring("spring", "a", rng.normal(size=3), "e", rng.normal(size=3), 20.0, 3.0, 0.4)
    g.add_frame("tool", "c", randoms.placement(rng))
    for name, on in (("push", "d"), ("pull", "tool")):
        g.add_force(name, on, rng.normal(size=3), rng.normal(size=3))


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.sampled_from(list(randoms.JOINTS)), min_size=7, max_size=7))
def test_accelerations_do_not_depend_on_the_cut_of_any_graph(seed, kinds):
    check_cuts(np.random.default_rng(seed), kinds, every=4)


def check_cuts(rng, kinds, every=1, equip=lambda rng, g: None, tolerance=1e-8):
    """Compare the accelerations of all bodies for pairs of cuts; how many were compared."""
    g, where = graph(rng, kinds)
    equip(rng, g)
    reference, a_ref = None, {}
    count = 0
    for m in itertools.islice(cuts(g), 0, None, every):
        if any(loop.joint.nv == 6 for loop in m.loops):
            continue
        q = position(m, where)
        assert_allclose(wt.constraint_error(m, q), 0.0, atol=1e-12)
        values = np.linalg.svd(wt.constraint_jacobian(m, q), compute_uv=False)
        if np.any((values > 1e-11 * values[0]) & (values < 1e-4 * values[0])):
            continue  # so near to a singular position that double precision cannot tell the rank
        frames = [f"{name}.origin" for name in "abcde"]
        J = np.concatenate([wt.jacobian(m, q, frame) for frame in frames])
        if reference is None:
            reference = J @ closed.velocity(rng, m, q)
        qd = np.linalg.lstsq(J, reference, rcond=None)[0]
        assert_allclose(J @ qd, reference, atol=1e-10)  # the same velocities of all bodies
        qdd = wt.forward_dynamics(m, q, qd, np.zeros(m.nv))
        for frame in frames:
            a = wt.frame_acceleration(m, q, qd, qdd, frame)
            assert_allclose(a, a_ref.setdefault(frame, a), atol=tolerance * (1 + np.abs(a).max()))
        count += 1
    return count


def test_bodies_are_as_near_to_the_ground_as_they_can_be():
    g, _ = graph(np.random.default_rng(1), KINDS["spatial"])
    m = g.mechanism()
    depth = {body.name: len(m.support(i)) for i, body in enumerate(m.bodies)}
    assert depth == {"a": 1, "b": 2, "c": 2, "d": 1, "e": 1}
    assert len(m.loops) == 2


def test_joints_with_motors_are_kept():
    g, _ = graph(np.random.default_rng(1), KINDS["spatial"])
    kept = ["j1", "j2", "j3"]
    for name in kept:
        g.change(name, actuated=True)
    assert not {loop.name for loop in g.mechanism().loops} & set(kept)
    for name in g.joints:
        g.change(name, actuated=True)
    m = g.mechanism()
    assert [warning.split("'")[1] for warning in m.warnings] == [loop.name for loop in m.loops]


def test_bodies_of_a_branch_follow_each_other():
    g, _ = graph(np.random.default_rng(1), KINDS["spatial"])
    m = g.mechanism(cut=["j4", "j6"])
    for i in range(len(m)):
        own = m.subtree(i)
        assert own == list(range(own[0], own[-1] + 1))


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (["j0"], "still has a loop through joint"),
        (["j0", "j4", "j6"], "no joint leads from the ground"),
        (["j9", "j0"], "has no joint 'j9' to cut"),
    ],
)
def test_impossible_cuts_are_refused(cut, words):
    g, _ = graph(np.random.default_rng(1), KINDS["spatial"])
    with pytest.raises(wt.ModelError, match=words):
        g.mechanism(cut=cut)


def test_joints_without_bodies_are_refused():
    g = wt.Graph("g")
    g.add_joint("j", wt.Revolute("z"), "ground", "nobody")
    with pytest.raises(wt.ModelError, match="joint 'j': there is no body 'nobody'"):
        g.mechanism()
    with pytest.raises(wt.ModelError, match="joins 'a' with itself"):
        g.add_joint("k", wt.Revolute("z"), "a", "a")
    with pytest.raises(wt.ModelError, match="joint named 'j' already"):
        g.add_joint("j", wt.Revolute("z"), "ground", "a")
    g.add_body("a")
    with pytest.raises(wt.ModelError, match="body named 'a' already"):
        g.add_body("a")
