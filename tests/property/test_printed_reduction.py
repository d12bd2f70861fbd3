"""RCR, ACS and GCL as Critchley & Anderson print them.

Source of truth: the equations of the paper, the whole equation of motion (kkt), and an integration of the
paper's five-bar by hand.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import closed
import randoms
import whippletree as wt
from whippletree.api.forward_methods import METHODS
from whippletree.examples.linkages import four_bar_tree
from whippletree.examples.rings import ring
from whippletree.formulations.reduction.local_kinematics import dependences, places
from whippletree.formulations.reduction.opened import opened
from whippletree.formulations.reduction.world import partial_velocities, world

reduction = wt.formulations.reduction
START = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0])
FIVE = ["q1", "q2", "q3", "q4", "q5"]


def five_bar():
    m = wt.examples.load("five-bar")
    return m, wt.assemble(m, START + np.array([0.3, 0.1, -0.2, 0.15]))


def closed_ring(hinges, planar=0, carrier=None):
    """A ring, carried somewhere, and a position in which it is closed."""
    m = ring(hinges, planar, carrier)
    q = m.neutral()
    if carrier is not None:
        q[m.q_index[0]] = carrier.random(np.random.default_rng(7))
    return m, q


def state(m, q, seed=0):
    rng = np.random.default_rng(seed)
    return closed.velocity(rng, m, q), rng.normal(size=m.nv), rng.normal(size=(len(m), 6))


def close_to_kkt(found, m, q, qd, tau, f_ext, share=1.0, stabilization=None):
    expected = wt.loops.kkt(m, q, qd, tau, f_ext, stabilization)
    assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max() / share)


# One loop


def test_the_five_bar_by_every_choice_of_dependents():
    m, q = five_bar()
    qd, tau, f_ext = state(m, q)
    refused = []
    for names in itertools.combinations(FIVE, 3):
        try:
            found = reduction.acs(m, q, qd, tau, f_ext, dependents=names)
        except wt.SingularError:
            refused.append(names)
        else:
            close_to_kkt(found, m, q, qd, tau, f_ext)
    # Both slides move along the ground, so q4 and q5 never depend together.
    assert refused == [names for names in itertools.combinations(FIVE, 3) if {"q4", "q5"} <= {*names}]


def test_a_ring_by_every_choice_of_dependents():
    """Each as exact as its six axes let it be: one choice has a condition number of 8e3."""
    m, q = closed_ring(7)
    qd, tau, f_ext = state(m, q)
    closure, end = m.loops[0].placement_s, wt.frame_pose(m, q, m.bodies[-1].name)
    turned = end[:3, :3] @ closure.rotation[:, 2]
    last = np.concatenate([turned, np.cross(end[:3, :3] @ closure.position + end[:3, 3], turned)])
    axes = np.column_stack([wt.jacobian(m, q, m.bodies[-1].name, "world"), last])
    names = [*m.joint_names, "closure"]
    for chosen in itertools.combinations(range(8), 6):
        found = reduction.acs(m, q, qd, tau, f_ext, dependents=[names[k] for k in chosen])
        # Found: 2e-16 of the condition number, 2e-15 for the poor one.
        share = 1e-11 / (4e-15 * np.linalg.cond(axes[:, chosen]))
        close_to_kkt(found, m, q, qd, tau, f_ext, share)


@pytest.mark.parametrize("base", [None, wt.Revolute("y"), wt.Free()], ids=["ground", "hinge", "free"])
@pytest.mark.parametrize("stabilization", [None, 0.1])
def test_rings_on_bases_that_move(base, stabilization):
    m, q = closed_ring(8, carrier=base)
    m.change("hinge3", armature=0.3)
    m.change("hinge7", armature=0.2)
    qd, tau, f_ext = state(m, q)
    for method in (reduction.rcr, reduction.acs, reduction.gcl):
        found = method(m, q, qd, tau, f_ext, stabilization=stabilization)
        close_to_kkt(found, m, q, qd, tau, f_ext, stabilization=stabilization)
    names = ["closure", "hinge0", "hinge2", "hinge4", "hinge5", "hinge7"]  # p is the base itself
    found = reduction.acs(m, q, qd, tau, f_ext, stabilization, dependents=names)
    close_to_kkt(found, m, q, qd, tau, f_ext, 0.1, stabilization)


def test_open_loops_are_pulled_together_alike():
    m, q = closed_ring(8, carrier=wt.Revolute("y"))
    rng = np.random.default_rng(2)
    q, qd, tau = q + 1e-3 * rng.normal(size=m.nq), rng.normal(size=m.nv), rng.normal(size=m.nv)
    for method in (reduction.rcr, reduction.acs, reduction.gcl):
        close_to_kkt(method(m, q, qd, tau, None, stabilization=0.05), m, q, qd, tau, None, 1.0, 0.05)


def test_kinematics_of_a_loop_keep_its_phantom_where_it_is():
    """Eq 24, 36, 45 and 78 with independent coordinates between dependent ones."""
    m, q = closed_ring(9)
    rng = np.random.default_rng(5)
    found = opened(m)
    (loop,) = found.loops
    P = partial_velocities(m, q, found)
    dependents = [loop.path[k] for k in (2, 3, 5, 7, 8, 9)]
    R = np.eye(6)
    for k in reversed(dependents):
        left = R @ P[k]
        R = R - np.outer(left, left) / (P[k] @ left)
    assert_allclose(R, 0.0, atol=1e-10)  # six coordinates hold the phantom altogether
    dependent = dependences(P, dependents)
    links = loop.path[2:]
    independent = [k for k in links if k not in dependents]
    at = places(P, links, dependent, independent)
    A_p, A_t, u = rng.normal(size=6), rng.normal(size=6), {k: rng.normal() for k in independent}
    end = at[loop.phantom]
    A_n = end.Y @ A_p + end.Z @ A_t + sum(end.H[r] * u[r] for r in independent)
    assert_allclose(A_n, -A_t, atol=1e-9)
    A = A_p
    for k in links:
        place = at[k]
        if k in dependent:
            u[k] = place.y @ A_p + place.z @ A_t + sum(place.h[r] * u[r] for r in independent)
            assert_allclose(dependent[k].W, np.eye(6) + dependent[k].X)
        A = A + P[k] * u[k]
        by_p = place.Y @ A_p + place.Z @ A_t + sum((place.H[r] * u[r] for r in place.H), np.zeros(6))
        assert_allclose(by_p, A, atol=1e-9)


def test_the_phantom_has_what_is_known_of_its_acceleration():
    """Eq 2 and 24: with u̇ from any method, Σ P u̇ + A_t of the phantom against its base vanishes."""
    m, q = five_bar()
    qd, tau, f_ext = state(m, q)
    now = world(m, q, qd, tau, f_ext, None, opened(m))
    K, k = wt.constraint_jacobian(m, q), wt.constraint_bias(m, q, qd)
    qdd = wt.loops.kkt(m, q, qd, tau, f_ext)
    assert_allclose(K @ qdd, k, atol=1e-12)
    A = sum(now.P[link] * qdd[now.opened.links[link].variable] for link in now.opened.loops[0].path[:-1])
    slide = now.P[now.opened.loops[0].phantom]
    missing = A + now.known_acceleration(0)
    assert_allclose(missing - slide * (slide @ missing) / (slide @ slide), 0.0, atol=1e-12)


# Coupled loops


def coupled(seed=1):
    """Two spatial loops that share joints and have different bases."""
    rng = np.random.default_rng(seed)
    kinds = ["revolute", "revolute", "spherical", "universal", "revolute", "cylindrical", "revolute"]
    m = randoms.tree(rng, [*kinds, "revolute"], 0.0)
    q = m.random(rng)
    closed.close(rng, m, q, "outer", "revolute", -1, 6)
    closed.close(rng, m, q, "inner", "spherical", 0, 7)
    return m, q


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_coupled_loops_with_different_bases(seed):
    m, q = coupled(seed)
    bases = {loop.base for loop in opened(m).loops}
    assert len(bases) == 2
    qd, tau, f_ext = state(m, q)
    chosen = reduction.gcl_dependents(m, q)
    share = reduction.gcl_quality(m, q, chosen)
    close_to_kkt(reduction.gcl(m, q, qd, tau, f_ext), m, q, qd, tau, f_ext, min(1.0, (share / 0.05) ** 2))
    with pytest.raises(wt.ModelError, match=r"rcr: the loops of 'random' that end with .* share joint"):
        reduction.rcr(m, q, qd, tau)


def test_a_planar_part_of_a_ring_is_adjusted_by_a_fictitious_joint():
    m, q = closed_ring(4, 4)
    qd, tau, f_ext = state(m, q)
    assert reduction.gcl_dependents(m, q).walk == 0
    close_to_kkt(reduction.gcl(m, q, qd, tau, f_ext), m, q, qd, tau, f_ext, 0.01)
    (inner, outer) = reduction.adjusted_loops(m, q)[0]
    assert (inner.fictitious, outer.fictitious) == (3, 0)
    assert len(inner.dependents) + inner.fictitious == 6  # as many as the loop determines
    assert outer.dependents == ["hinge10", "hinge11", "closure"]
    assert inner.coordinates + outer.coordinates == [*m.joint_names, "closure"]
    with pytest.raises(
        wt.SingularError, match=r"of the pivot of 'hinge9' \S+ is left, that is zero, when those"
    ):
        reduction.rcr(m, q, qd, tau)
    assert "rcr" not in wt.methods(m)
    assert {"acs", "gcl"} <= {*wt.methods(m)}


def test_a_loop_is_passed_the_other_way_round_where_that_is_better():
    """The last three of five parallel hinges lie in one plane; §5 turns the loop round."""
    m = wt.Mechanism("turned")
    rod, tip = wt.Inertia(1.0, (0.5, 0.0, 0.0), (0.01, 0.1, 0.1)), wt.Placement((1.0, 0.0, 0.0))
    for name, parent in zip("abcd", ("ground", "a", "b", "c"), strict=True):
        m.add_body(name, wt.Revolute("z"), parent, wt.Placement() if parent == "ground" else tip, rod)
    q = np.array([1.2, -1.0, -1.1, 0.0])
    end = wt.forward_kinematics(m, q)[-1] @ np.array([1.0, 0.0, 0.0, 1.0])
    m.add_loop("e", wt.Revolute("z"), "ground", "d", wt.Placement(end[:3]), tip)
    qd, tau, f_ext = state(m, q)
    with pytest.raises(wt.SingularError, match=r"of the pivot of 'c' \S+ is left, that is zero"):
        reduction.rcr(m, q, qd, tau)
    found = reduction.gcl_dependents(m, q)
    assert (found.walk, found.names(m)) == (1, [["c", "b", "a"]])
    assert reduction.gcl_quality(m, q, found) > 0.05
    close_to_kkt(reduction.gcl(m, q, qd, tau, f_ext), m, q, qd, tau, f_ext)


# Refusals


def test_the_last_coordinates_of_the_five_bar_are_refused_with_their_zero_pivot():
    m, q = five_bar()
    rest = np.zeros(4)
    with pytest.raises(wt.SingularError) as caught:
        reduction.acs(m, q, rest, rest, dependents=["q3", "q4", "q5"])
    assert str(caught.value) == (
        "'q3', 'q4', 'q5' cannot depend together: of the pivot of 'q4' 0.0e+00 is left, that is zero, once "
        "the loop of 'five-bar' that ends with joint 'q5' is solved for 'q5'. Choose another one instead"
    )
    with pytest.raises(wt.SingularError, match=r"of the pivot of 'q4' \S+ is left, that is zero"):
        wt.compile(reduction.acs, m, dependents=["q3", "q4", "q5"])
    with pytest.raises(wt.SingularError, match=r"the last 3 .*, 'q3', 'q4', 'q5', cannot .*'q4' 0\.0e"):
        reduction.rcr(m, q, rest, rest)
    with pytest.raises(wt.ModelError, match="'rcr' does not apply: the last 3 coordinates of the loop of"):
        wt.forward_dynamics(m, q, rest, rest, method="rcr")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ["q2", "q6"],
            "'q6' is no coordinate of a loop of 'five-bar': give some of 'q1', 'q2', 'q3'",
        ),
        (
            ["q2", "q5"],
            "determines 3 of its coordinates here, but 2 are given, 'q2', 'q5': give 3 of",
        ),
        ("q2", r"dependents is 'q2', expected a list of names, as \['q2'\]"),
    ],
)
def test_wrong_lists_of_dependents_name_the_coordinates(names, message):
    m, q = five_bar()
    with pytest.raises(wt.InputError, match=message):
        reduction.acs(m, q, np.zeros(4), np.zeros(4), dependents=names)


def test_too_many_dependents_are_refused():
    m, q = closed_ring(9)
    with pytest.raises(wt.SingularError, match=r"of the pivot of 'hinge0' .* is left, that is zero"):
        reduction.named_dependents(
            m, q, ["closure", "hinge0", "hinge1", "hinge2", "hinge3", "hinge4", "hinge5"]
        )


def test_a_joint_of_several_freedoms_is_named_whole_or_one_by_one():
    rng = np.random.default_rng(4)
    m = randoms.tree(rng, ["revolute", "spherical", "universal", "revolute", "revolute"], 0.0)
    q = m.random(rng)
    closed.close(rng, m, q, "closure", "revolute", -1, 4)
    qd, tau, f_ext = state(m, q)
    whole = reduction.named_dependents(m, q, ["b1", "b2[1]", "b3", "closure"])
    assert whole.names(m) == [["b1[0]", "b1[1]", "b1[2]", "b2[1]", "b3", "closure"]]
    # Pivots are squares of shares: found 2e-14 over the square of the least one, which is 0.013.
    share = 1e-11 / (4e-14 / reduction.dependents_quality(m, q, whole) ** 2)
    close_to_kkt(reduction.acs(m, q, qd, tau, f_ext, dependents=whole), m, q, qd, tau, f_ext, share)


def test_dependents_of_several_loops_are_named_together():
    m = four_bar_tree(2)
    q = m.neutral()
    qd, tau, f_ext = state(m, q)
    found = opened(m)
    names = [found.links[k].name for loop in found.loops for k in found.coordinates(loop)[-3:]]
    assert len(names) == 3 * len(m.loops) == 9
    chosen = reduction.named_dependents(m, q, names)
    assert chosen == reduction.rcr_dependents(m, q)
    close_to_kkt(reduction.acs(m, q, qd, tau, f_ext, dependents=names), m, q, qd, tau, f_ext)
    with pytest.raises(
        wt.InputError, match=f"that ends with joint '{found.loops[-1].name}' determines 3 of its"
    ):
        reduction.acs(m, q, qd, tau, dependents=names[:-1])


def test_messages_follow_names():
    for name in ("first", "second"):
        m, q = five_bar()
        m = wt.rename(m, name=name)
        with pytest.raises(wt.ModelError, match=f"the last 3 coordinates of the loop of '{name}'"):
            wt.forward_dynamics(m, q, np.zeros(4), np.zeros(4), method="rcr")


def test_what_is_in_the_way_is_named():
    m = wt.examples.load("delta-robot")
    q, rest = wt.assemble(m, m.neutral()), np.zeros(m.nv)
    with pytest.raises(wt.ModelError, match=r"'gcl' does not apply: .* both need coordinate '.*', which"):
        wt.forward_dynamics(m, q, rest, rest, method="gcl")
    with pytest.raises(wt.ModelError, match=r"'acs' does not apply: .* share joint '.*', method 'gcl'"):
        wt.forward_dynamics(m, q, rest, rest, method="acs")
    tree = wt.examples.load("double-pendulum")
    with pytest.raises(wt.ModelError, match="gcl: 'double-pendulum' has no loops"):
        reduction.gcl(tree, np.zeros(2), np.zeros(2), np.zeros(2))


def test_other_trees_are_tried_for_loops_that_share_joints():
    m = wt.examples.load("peaucellier")
    q = wt.assemble(m, m.neutral())
    qd, tau, f_ext = state(m, q)
    assert reduction.gcl_dependents(m, q).walk > 1
    assert ("gcl" in wt.methods(m), "rcr" in wt.methods(m)) == (True, False)
    close_to_kkt(reduction.gcl(m, q, qd, tau, f_ext), m, q, qd, tau, f_ext)


# Choices elsewhere


def test_a_choice_for_fewer_constraints_is_worth_nothing_elsewhere():
    m = wt.examples.load("four-bar")
    q = wt.assemble(m, m.neutral())
    good = reduction.acs_dependents(m, q)
    assert reduction.dependents_quality(m, q, good) > 0.2
    for less in itertools.combinations(good.links[0], 2):
        fewer = good._replace(links=(less,))
        assert reduction.dependents_quality(m, q, fewer) == 0.0
        assert reduction.gcl_quality(m, q, fewer) == 0.0


def test_a_fictitious_joint_that_serves_here_only_is_refused_for_kernels():
    """q3 and q5 of a chain of hinges on one line: at this position the loop does not see the one between."""
    m, q = closed_ring(9)
    chosen = reduction.gcl_dependents(m, q)
    skipped = chosen.links[0][1:]
    wrong = chosen._replace(links=((opened(m).loops[0].path[0], *skipped),))
    assert reduction.gcl_quality(m, q, wrong) == 0.0  # the coordinate left out between them is seen
    assert reduction.dependents_quality(m, q, wrong) > 1e-3  # ACS would take them
    qd, tau, f_ext = state(m, q)
    close_to_kkt(reduction.acs(m, q, qd, tau, f_ext, dependents=wrong), m, q, qd, tau, f_ext, 1e-2)


# Forces


@pytest.mark.parametrize(
    "build", [lambda: closed_ring(8), lambda: closed_ring(7, carrier=wt.Free()), coupled]
)
def test_forces_in_joints_are_those_of_the_whole_equation(build):
    m, q = build()
    qd, tau, f_ext = state(m, q)
    assert np.linalg.matrix_rank(K := wt.constraint_jacobian(m, q)) == len(K)
    for found, expected in zip(
        reduction.reduced_reactions(m, q, qd, tau, f_ext), wt.reactions(m, q, qd, tau, f_ext), strict=True
    ):
        assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_forces_that_are_not_unique_still_move_the_bodies():
    m = wt.examples.load("stephenson-six-bar")
    q = wt.assemble(m, m.neutral())
    qd, tau, f_ext = state(m, q)
    joints, loops = reduction.reduced_reactions(m, q, qd, tau, f_ext)
    other, _ = wt.reactions(m, q, qd, tau, f_ext)
    for i, body in enumerate(m.bodies):
        S = body.joint.motion_subspace(q[m.q_index[i]])
        assert_allclose(S.T @ joints[i], tau[m.v_index[i]], atol=1e-9)
    plane = [2, 3, 4] if abs(np.array(m.gravity)[2]) < 1 else [1, 3, 5]
    assert_allclose(joints[:, plane], other[:, plane], rtol=0, atol=1e-9 * np.abs(other).max())
    assert loops.shape == (len(m.loops), 6)


# The paper's five-bar


def test_five_bar_by_acs_and_gcl_through_simulate(monkeypatch):
    """§6, fig. 7; the numbers at 2 s are those of an integration by hand, of other unknowns."""
    m = wt.examples.load("five-bar")
    rest = np.zeros(4)
    at_once = [-1.89183205, 0.0, 1.89183205, -2.67545455]

    def as_printed(m, q):
        return reduction.named_dependents(m, q, ["q2", "q3", "q5"])

    monkeypatch.setitem(METHODS, "acs-printed", replace(METHODS["acs"], choose=as_printed))
    for method in ("acs-printed", "gcl"):
        assert_allclose(wt.forward_dynamics(m, START, rest, rest, method[:3]), at_once, atol=5e-9)
        run = wt.simulate(m, START, rest, duration=2.0, dynamics=method, rtol=1e-10, atol=1e-10, sample=1.0)
        end = run.q[-1]
        assert_allclose([end[0], end[1], end[3]], [0.576100424, 1.511392911, -0.344582312], rtol=0, atol=2e-9)
        assert np.abs(run.constraint_error).max() < 1e-12
