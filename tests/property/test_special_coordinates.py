"""Special coordinates of random trees of every joint type.

Source of truth: the two conditions and the block-diagonal equations of Deepak & Ghosal, other methods of
forward dynamics, complex steps in place of the closed rates, and appendices B and C.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag

import randoms
import whippletree as wt
from whippletree.spatial import Transform, array

special = wt.formulations.special_coordinates

STEP = 1e-30
SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(derandomize=True, deadline=None, max_examples=12, database=None)


def tree(seed, size=6):
    """A random tree, every second joint of it without a rotor; its state, forces and external forces."""
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.choice(sorted(randoms.JOINTS), size=size)]
    m = randoms.tree(rng, names, branching=0.6)
    for body in m.bodies[::2]:
        m.change(body.name, armature=0.0)
    return (m, *randoms.state(rng, m), rng.normal(size=m.nv), rng.normal(size=(len(m), 6)), rng)


def assert_same(a, b, tolerance=1e-10):
    """Equal to a share of the largest entry."""
    assert a.shape == b.shape
    assert np.max(np.abs(a - b), initial=0.0) <= tolerance * np.max(np.abs(b), initial=0.1)


def rates(function, m, q, qd):
    """The rates, along qd, of arrays that depend on q."""
    return [np.imag(array) / STEP for array in function(q + 1j * STEP * m.rate(q, qd))]


def velocities(m, q, qd):
    """ẏ of every node."""
    motion = special.tree_motion(m, q, qd, np.zeros(m.nv))
    return [special.velocity(*both) for both in zip(special.tree_nodes(m, q), motion, strict=True)]


def splitting(m, q):
    """A function of a body and its velocity: ẏ_c and ẏ_f by method 2."""
    parts, constraints = special.special_partitions(m, q), special.tree_constraints(m, q)
    M = special.joint_inertias(special.tree_nodes(m, q))

    def split(k, ydot):
        ydot_c, ydot_f = special.split_velocity(parts[k], M[k], constraints[k].G, ydot)
        assert_same(parts[k].E @ ydot_c + parts[k].D @ ydot_f, ydot)
        return ydot_c, ydot_f

    return split


@pytest.mark.parametrize("name", sorted(randoms.JOINTS))
def test_every_joint_type_moves_as_by_articulated_bodies(name):
    rng = np.random.default_rng(sorted(randoms.JOINTS).index(name))
    m = randoms.tree(rng, [name, "revolute", name, name], branching=0.4)
    q, qd = randoms.state(rng, m)
    tau, f_ext = rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
    expected = wt.aba(m, q, qd, tau, f_ext)
    assert_same(special.special_coordinates_dynamics(m, q, qd, tau, f_ext), expected, 1e-11)


@FEW
@given(seed=SEEDS)
def test_the_whole_system_and_the_recursion_have_one_solution(seed):
    m, q, qd, tau, f_ext, _ = tree(seed)
    nodes, constraints = special.tree_nodes(m, q), special.tree_constraints(m, q)
    motion = special.tree_motion(m, q, qd, tau, f_ext)
    ydd, lam = special.absolute_accelerations(nodes, constraints, motion)  # 7
    by_nodes, lam_by_nodes = special.rfda_accelerations(m, q, qd, tau, f_ext)  # 8
    qdd = wt.aba(m, q, qd, tau, f_ext)
    A, b = special.absolute_system(m, q, qd, tau, f_ext)
    assert_same(A @ np.concatenate([*ydd, *lam]), b)
    for k, parent in enumerate(m.parents):
        assert_same(by_nodes[k], ydd[k])
        assert_same(lam_by_nodes[k], lam[k])
        carried = nodes[k].B @ (ydd[parent] if parent != -1 else np.zeros(6))
        assert_same(constraints[k].G_d @ (ydd[k] - carried - motion[k].d), qdd[m.v_index[k]])


def let_fly(m, j):
    """Body j and all that it carries, with a free joint in place of its own."""
    free = wt.Mechanism("flying", gravity=m.gravity)
    free.add_body(m.bodies[j].name, wt.Free(), inertia=m.bodies[j].inertia)
    for k in m.subtree(j)[1:]:
        free.append(m.bodies[k])
    return free


@FEW
@given(seed=SEEDS)
def test_the_equation_of_a_node_is_that_of_its_subtree_without_its_joint(seed):
    m, q, qd, tau, f_ext, rng = tree(seed)
    M, f = special.rfda_by_joints(m, q, qd, tau, f_ext)  # 11, 12
    again = special.rfda_by_constraints(m, q, qd, tau, f_ext)  # 9, 10
    for k in range(len(m)):
        assert_same(again[0][k], M[k])
        assert_same(again[1][k], f[k])
    j = int(rng.integers(len(m)))
    flying, below = let_fly(m, j), m.subtree(j)[1:]
    pose = wt.forward_kinematics(m, q)[j]
    placed = wt.Placement(pose[:3, 3], rotation=pose[:3, :3])
    X = placed.transform()
    held = special.tree_constraints(m, q)[j].G_d[:, :6].T @ tau[m.v_index[j]]  # T_a τ, in the world
    v = wt.body_velocities(m, q, qd)[j]
    q_flying = np.concatenate([placed.position, placed.quaternion, *(q[m.q_index[k]] for k in below)])
    qd_flying = np.concatenate([v, *(qd[m.v_index[k]] for k in below)])
    tau_flying = np.concatenate([X.force(held), *(tau[m.v_index[k]] for k in below)])
    qdd = wt.aba(flying, q_flying, qd_flying, tau_flying, f_ext[[j, *below]])
    assert_same(M[j][:6, :6] @ X.inverse_motion(qdd[:6]), f[j][:6], 1e-9)
    inverse = wt.inverse_inertia(flying, q_flying)[:6, :6]
    assert_same(X.matrix() @ np.linalg.inv(M[j][:6, :6]) @ X.matrix().T, inverse, 1e-9)


@FEW
@given(seed=SEEDS)
def test_both_methods_satisfy_both_conditions(seed):
    m, q, _, _, _, rng = tree(seed)
    nodes, constraints = special.tree_nodes(m, q), special.tree_constraints(m, q)
    M = special.joint_inertias(nodes)
    for k, (G, Q, G_d) in enumerate(constraints):
        p, p_c, p_f = len(M[k]), len(G), len(G_d)
        E, D = special.joint_basis(G, G_d)  # 60
        assert_same(G @ E, np.eye(p_c))
        assert_same(D, nodes[k].H)
        assert_same(G @ nodes[k].B, -Q)
        C_c, C_f = rng.normal(size=(p_c, p_c)), rng.normal(size=(p_f, p_f))
        second = special.method_2(M[k], E, D)
        for part in (special.method_1(M[k], G, D, C_c, C_f), second):
            unit = special.Partition(*(A / np.linalg.norm(A, axis=0) for A in part))
            assert np.max(np.abs(G @ unit.D), initial=0.0) <= 1e-10 * np.max(np.abs(G), initial=0.0)
            assert np.max(np.abs(unit.D.T @ M[k] @ unit.E), initial=0.0) <= 1e-10 * np.max(np.abs(M[k]))
            assert np.linalg.cond(np.concatenate(unit, axis=1)) < 1e6
            terms = special.partition_terms(part, M[k], constraints[k], np.zeros(p_c))
            # (68): whatever C_c and C_f, the parent moves the body in one way.
            K = np.linalg.solve(D.T @ M[k] @ D, D.T @ M[k])
            assert_same(part.E @ terms.S, (np.eye(p) - D @ K) @ nodes[k].B, 1e-9)
        # Appendix C, for method 2 with (60): 67-71 and 73.
        assert_same(G @ second.E, np.eye(p_c))
        B_tilde = second.E @ Q
        assert np.max(np.abs(D.T @ M[k] @ B_tilde), initial=0.0) <= 1e-10 * np.max(np.abs(M[k] @ B_tilde))
        assert_same(B_tilde.T @ M[k] @ B_tilde, -B_tilde.T @ M[k] @ nodes[k].B)
        # Any other matrix keeps what is free and what is not (41), but the inertia couples the two.
        other = E + D @ rng.normal(size=(p_f, p_c))
        assert_same(G @ other, np.eye(p_c))
        if p_c and p_f:
            assert np.max(np.abs(D.T @ M[k] @ other)) > 1e-3


@FEW
@given(seed=SEEDS)
def test_equations_in_special_coordinates_are_block_diagonal(seed):
    m, q, qd, tau, f_ext, rng = tree(seed)
    j = int(rng.integers(len(m)))
    name, nodes = m.bodies[j].name, special.tree_nodes(m, q)
    bodies, T, e, columns = special.subtree_coordinates(m, q, name)
    assert bodies == m.subtree(j)
    assert not np.any(e)
    ydot, split = velocities(m, q, qd), splitting(m, q)
    vdot = np.concatenate([ydot[j], *(split(k, ydot[k])[1] for k in bodies[1:])])
    assert_same(T @ vdot, np.concatenate([ydot[k] for k in bodies]))
    # By appendix B from absolute coordinates, with a complex step for the rate of T.
    [Tdot] = rates(lambda at: [special.subtree_coordinates(m, at, name).T], m, q, qd)
    motion = special.tree_motion(m, q, qd, tau, f_ext)
    absolute, f = (
        np.asarray(block_diag(*(nodes[k].M for k in bodies))),
        np.concatenate([motion[k].f for k in bodies]),
    )
    mass, force = special.change_coordinates(absolute, f, T, Tdot @ vdot, np.zeros(len(f)))
    block, expected = special.special_equations(m, q, qd, tau, name, f_ext)
    for a, columns_a in enumerate(columns):
        for b, columns_b in enumerate(columns):
            if a != b:
                assert not np.any(block[columns_a, columns_b])
                assert np.max(np.abs(mass[columns_a, columns_b]), initial=0.0) <= 1e-10 * np.max(np.abs(mass))
    assert_same(mass, block)
    assert_same(force, expected, 1e-9)


@FEW
@given(seed=SEEDS)
def test_rates_as_the_paper_writes_them_give_the_same(seed):
    """Section 5.3 with dẼ/dt, dD̃/dt and dS/dt by complex steps: η, and f_d = f̂ of (57)."""
    m, q, qd, tau, f_ext, _ = tree(seed)
    nodes, constraints = special.tree_nodes(m, q), special.tree_constraints(m, q)
    motion = special.tree_motion(m, q, qd, tau, f_ext)
    M, f = special.rfda_by_joints(m, q, qd, tau, f_ext)
    parts, ydot = special.special_partitions(m, q), velocities(m, q, qd)
    eta = [part.eta for part in special.left_out(nodes, motion, M, f)]

    def inertias(at):
        return special.joint_inertias(special.tree_nodes(m, at))

    for rate, closed in zip(rates(inertias, m, q, qd), special.inertia_rates(nodes, motion, M), strict=True):
        assert_same(closed, rate)
    Edot = rates(lambda at: [part.E for part in special.special_partitions(m, at)], m, q, qd)
    Ddot = rates(lambda at: [part.D for part in special.special_partitions(m, at)], m, q, qd)
    Sdot = rates(lambda at: [-constraint.Q for constraint in special.tree_constraints(m, at)], m, q, qd)
    f_d, split = [moved.f for moved in motion], splitting(m, q)
    for k, parent in enumerate(m.parents):
        above = ydot[parent] if parent != -1 else np.zeros(6)
        S, _, M_c, _ = special.partition_terms(
            parts[k], M[k], constraints[k], np.zeros(len(constraints[k].G))
        )
        ydot_c, ydot_f = split(k, ydot[k])
        assert_same(ydot_c, S @ above)  # 22
        w = Edot[k] @ ydot_c + Ddot[k] @ ydot_f
        f_c, f_f = parts[k].E.T @ (f[k] - M[k] @ w), parts[k].D.T @ (f[k] - M[k] @ w)
        assert_same(eta[k], f_f, 1e-9)
        if parent != -1:
            f_d[parent] = f_d[parent] + S.T @ (f_c - M_c @ (Sdot[k] @ above))
    for k in range(len(m)):
        assert_same(f_d[k], f[k], 1e-9)


@FEW
@given(seed=SEEDS)
def test_free_velocities_are_made_of_terms_of_the_articulated_body_algorithm(seed):
    """With D̃ = S: M̃_f is its D, and ẏ_f = q̇ + D⁻¹ Uᵀ ẏ_j."""
    m, q, qd, _, _, _ = tree(seed)
    nodes, ydot, split = special.tree_nodes(m, q), velocities(m, q, qd), splitting(m, q)
    M = special.joint_inertias(nodes)
    for k, parent in enumerate(m.parents):
        S, I_A = nodes[k].H[:6], M[k][:6, :6]
        U = I_A @ S
        D = S.T @ U + m.bodies[k].armature * np.eye(S.shape[1])
        assert_same(nodes[k].H.T @ M[k] @ nodes[k].H, D)
        above = ydot[parent][:6] if parent != -1 else np.zeros(6)
        expected = qd[m.v_index[k]] + np.linalg.solve(D, U.T @ above)
        assert_same(split(k, ydot[k])[1], expected)


def test_joint_coordinates_come_by_a_change_of_coordinates():
    """Appendix B: from absolute to joint coordinates, where nothing of the constraints is left."""
    m, q, qd, tau, f_ext, _ = tree(5)
    nodes, constraints = special.tree_nodes(m, q), special.tree_constraints(m, q)
    motion = special.tree_motion(m, q, qd, tau, f_ext)

    T = joint_map(m, q)
    [Tdot] = rates(lambda at: [joint_map(m, at)], m, q, qd)
    absolute, f = (
        np.asarray(block_diag(*(node.M for node in nodes))),
        np.concatenate([moved.f for moved in motion]),
    )
    M, force = special.change_coordinates(absolute, f, T, Tdot @ qd, np.zeros(len(f)))
    assert_same(M, wt.crba(m, q))
    assert_same(force, tau - wt.bias_force(m, q, qd, f_ext))
    A, _ = special.node_system(nodes, constraints, motion)
    Psi = A[len(f) :, : len(f)]
    assert Psi.shape == (len(f) - m.nv, len(f))
    left, nu, rows = special.change_constraints(Psi, np.zeros(len(Psi)), T, np.zeros(len(f)))
    assert left.shape == (0, m.nv)
    assert nu.shape == (0,)
    assert rows == []


def joint_map(m, q):
    """(Σ p, nv) from joint velocities to ẏ of all nodes."""
    T = []
    for k, node in enumerate(special.tree_nodes(m, q)):
        above = T[node.parent] if node.parent != -1 else np.zeros((6, m.nv))
        T.append(node.B @ above + node.H @ np.eye(m.nv)[m.v_index[k]])
    return np.concatenate(T)


def test_a_change_that_contradicts_a_constraint_is_refused():
    Psi, T = np.array([[1.0, -1.0], [0.5, 2.0]]), np.array([[1.0], [1.0]])
    message = r"T and e contradict constraint 0: they make Psi @ udot 0\.2 and nu is 0\.3, whatever vdot is"
    with pytest.raises(wt.InputError, match=message):
        special.change_constraints(Psi, np.array([0.3, 0.1]), T, np.array([0.2, 0.0]))
    rows, nu, kept = special.change_constraints(Psi, np.array([0.2, 0.1]), T, np.array([0.2, 0.0]))
    assert kept == [1]
    assert_same(rows, np.array([[2.5]]))
    assert_same(nu, np.array([0.0]))


def test_joints_that_move_by_themselves_act_as_prescribed_ones_between():
    """c and ċ of a joint: the same as one more joint, without mass, whose motion is given."""
    rng = np.random.default_rng(11)
    m = randoms.tree(rng, ["revolute", "spherical", "universal"], branching=0.0)
    driven = wt.Mechanism("driven", gravity=m.gravity)
    slides = {0: wt.Prismatic(randoms.direction(rng)), 2: wt.Revolute(randoms.direction(rng))}
    for k, body in enumerate(m.bodies):
        parent, placement = body.parent, body.placement
        if k in slides:
            driven.add_body(f"rail {k}", slides[k], parent, placement)
            parent, placement = f"rail {k}", wt.Placement()
        driven.add_body(body.name, body.joint, parent, placement, body.inertia, armature=body.armature)
    q, qd = randoms.state(rng, m)
    tau, f_ext = rng.normal(size=m.nv), rng.normal(size=(3, 6))
    speed, push = {0: 0.7, 2: -1.3}, {0: 0.4, 2: 0.9}
    owners = [driven.body_number(body.name) for body in m.bodies]
    every_q, every_qd, every_tau, given = driven.neutral(), *(np.zeros(driven.nv) for _ in range(3))
    for k, i in enumerate(owners):
        every_q[driven.q_index[i]], every_qd[driven.v_index[i]] = q[m.q_index[k]], qd[m.v_index[k]]
        every_tau[driven.v_index[i]] = tau[m.v_index[k]]
    for k in slides:
        index = driven.v_index[driven.body_number(f"rail {k}")]
        every_qd[index], given[index] = speed[k], push[k]
    every_f = np.zeros((len(driven), 6))
    every_f[owners] = f_ext
    rails = [f"rail {k}" for k in slides]
    _, expected = wt.hybrid_dynamics(driven, every_q, every_qd, every_tau, given, rails, "aba", every_f)

    # A rail moves with its parent, so that ċ = S q̈ + v_j × c in the world.
    c, cdot = np.zeros((3, 6)), np.zeros((3, 6))
    poses, v = wt.forward_kinematics(driven, every_q), wt.body_velocities(driven, every_q, every_qd)
    for k in slides:
        i = driven.body_number(f"rail {k}")
        X = wt.Placement(poses[i][:3, 3], rotation=poses[i][:3, :3]).transform()
        S = X.inverse_motion(slides[k].motion_subspace(np.zeros(1)))[:, 0]
        c[k] = S * speed[k]
        v_j = X.inverse_motion(v[i]) - c[k]
        cdot[k] = S * push[k] + wt.spatial.cross_motion(v_j, c[k])
    own = np.concatenate([expected[driven.v_index[i]] for i in owners])
    assert_same(special.driven_dynamics(m, q, qd, tau, c, cdot, f_ext), own)
    nodes, motion = special.tree_nodes(m, q), special.tree_motion(m, q, qd, tau, f_ext, c, cdot)
    constraints = special.tree_constraints(m, q)
    ydd, _ = special.absolute_accelerations(nodes, constraints, motion)
    for by in (
        special.rfda_accelerations(m, q, qd, tau, f_ext, c, cdot)[0],
        special.solve_nodes(
            nodes, constraints, motion, *special.rfda_by_constraints(m, q, qd, tau, f_ext, c, cdot)
        )[0],
    ):
        for k in range(3):
            assert_same(by[k], ydd[k])
    # The same by ν = G c: a of (22) is what it adds to the constrained coordinates.
    M = special.joint_inertias(nodes)
    parts = special.special_partitions(m, q)
    terms = [
        special.partition_terms(parts[k], M[k], constraints[k], constraints[k].G @ motion[k].c)
        for k in range(3)
    ]
    mapped = special.subtree_map(nodes, parts, terms, 0)
    ydot = [special.velocity(*both) for both in zip(nodes, motion, strict=True)]
    vdot = np.concatenate([ydot[0], *(splitting(m, q)(k, ydot[k])[1] for k in (1, 2))])
    assert_same(mapped.T @ vdot + mapped.e, np.concatenate(ydot))
    assert np.any(mapped.e)


def test_compiled_and_simulated():
    m = wt.examples.load("double-pendulum")
    m.change("lower", armature=0.05)
    rng = np.random.default_rng(2)
    q, qd, tau, c, cdot = (rng.normal(size=size) for size in (2, 2, 2, (2, 6), (2, 6)))
    kernel = wt.compile(special.driven_dynamics, m)
    expected = special.driven_dynamics(m, q, qd, tau, c, cdot)
    assert_same(kernel(q, qd, tau, c, cdot), expected, 1e-12)
    runs = [wt.simulate(m, q, qd, duration=0.3, dynamics=name) for name in ("special-coordinates", "aba")]
    assert runs[0].dynamics == "special-coordinates"
    assert_same(runs[0].q[-1], runs[1].q[-1], 1e-9)


def test_rotors_are_where_armatures_are():
    m = wt.Mechanism("rotors")
    for name, armature in (("none", 0), ("some", 0.2), ("no", 0.0)):
        m.add_body(
            name, wt.Cylindrical("z"), inertia=randoms.inertia(np.random.default_rng(1)), armature=armature
        )
    assert [len(node.M) for node in special.tree_nodes(m, m.neutral())] == [6, 8, 6]
    assert [len(constraint.G) for constraint in special.tree_constraints(m, m.neutral())] == [4, 6, 4]


def test_nothing_has_no_equations():
    nothing = (wt.Mechanism("nothing"), *np.zeros((3, 0)))
    assert special.special_coordinates_dynamics(*nothing).shape == (0,)
    A, b = special.absolute_system(*nothing)
    assert (A.shape, b.shape) == ((0, 0), (0,))


@pytest.mark.parametrize("name", ["rfda_by_joints", "rfda_accelerations", "special_equations"])
def test_parts_are_compiled_too(name):
    m, state = wt.examples.load("double-pendulum"), np.array([[0.3, 0.5], [0.1, 0.2], [0.3, 0.1]])
    fixed: dict[str, Any] = {"body": "upper"} if name == "special_equations" else {}
    function = getattr(special, name)
    for found, expected in zip(
        wt.compile(function, m, **fixed)(*state), function(m, *state, **fixed), strict=True
    ):
        for a, b in zip(found, expected, strict=True):
            assert_same(np.asarray(a), np.asarray(b), 1e-12)


def test_every_way_of_recording_gives_the_same():
    rng = np.random.default_rng(4)
    m = randoms.tree(rng, ["universal", "fixed", "planar"], branching=0.0)
    q, qd = randoms.state(rng, m)
    tau, f_ext = rng.normal(size=m.nv), rng.normal(size=(3, 6))
    expected = wt.aba(m, q, qd, tau, f_ext)
    function = special.special_coordinates_dynamics
    in_body_frames = wt.compile(function, m, inputs={"f_ext": (3, 6)})
    assert_same(in_body_frames(q, qd, tau, f_ext), expected, 1e-11)
    open_armature = wt.compile(function, m, parameters=["b2.armature"])
    m.change("b2", armature=0.0)
    assert_same(open_armature(q, qd, tau, np.zeros(1)), wt.aba(m, q, qd, tau), 1e-11)


@dataclass(frozen=True)
class Cam(wt.Joint):
    """Turn about z and rise by lift · q²; which forces do no work it does not say."""

    lift: float = 0.3
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1

    def transform(self, q):
        turn = wt.Revolute("z").transform(q)
        return Transform(turn.E, np.array([0.0, 0.0, 1.0]) * (self.lift * q[0] * q[0]))

    def motion_subspace(self, q):
        return array([[0.0, 0.0, 1.0, 0.0, 0.0, 2.0 * self.lift * q[0]]]).T

    def motion_subspace_rate(self, q, qd):
        return array([[0.0, 0.0, 0.0, 0.0, 0.0, 2.0 * self.lift * qd[0]]]).T


def test_a_joint_that_knows_no_constraint_forces_is_no_obstacle():
    rng = np.random.default_rng(9)
    m = randoms.tree(rng, ["revolute"])
    m.add_body("cam", Cam(), "b0", randoms.placement(rng), randoms.inertia(rng))
    state = rng.normal(size=(3, 2))
    assert_same(special.special_coordinates_dynamics(m, *state), wt.aba(m, *state))
    with pytest.raises(wt.ModelError, match="give Cam a method constraint_subspace"):
        special.rfda_accelerations(m, *state)


def test_driving_constraints_that_say_nothing_new_are_refused():
    G, h_d = np.array([[1.0, 0.4, 0.2]]), np.eye(2)
    twice = np.array([[0.5, 0.2, 0.1], [0.0, 1.0, 0.3]])
    nothing = np.zeros((1, 3)), np.zeros(1)
    with pytest.raises(wt.SingularError, match=r"\[G; G_d\] is singular, its condition number being"):
        special.driven_joint(G, *nothing, twice, np.zeros((2, 3)), np.zeros(2), h_d)
    with pytest.raises(wt.SingularError, match="h_d is singular"):
        special.driven_joint(G, *nothing, twice, np.zeros((2, 3)), np.zeros(2), np.ones((2, 2)))
    with pytest.raises(wt.InputError, match=r"\[G; G_d\] has shape \(2, 3\), expected as many rows"):
        special.joint_basis(G, twice[:1])


def test_bodies_without_mass_are_refused_only_where_inertias_are_inverted():
    m = wt.examples.load("double-pendulum")
    point = wt.Inertia(0.7, (0.0, 0.1, -0.4))
    m.add_body("bob", wt.Revolute("y"), "lower", wt.Placement((0.0, 0.0, -1.0)), point)
    state = np.array([[0.3, 0.5, -0.2], [0.1, 0.2, 0.3], [0.0, 0.0, 0.1]])
    with pytest.raises(wt.ModelError, match="rfda_by_constraints: body 'upper' of 'double-pendulum' has"):
        special.rfda_by_constraints(m, *state)
    assert_same(special.special_coordinates_dynamics(m, *state), wt.aba(m, *state))


def test_bad_input_is_named():
    m = wt.examples.load("double-pendulum")
    state = np.array([[0.3, 0.5], [0.1, 0.2], [0.0, 0.0]])
    with pytest.raises(
        wt.InputError, match=r"c has shape \(6,\), expected \(2, 6\): one spatial vector per body"
    ):
        special.tree_motion(m, *state, c=np.zeros(6))
    with pytest.raises(wt.InputError, match="body is 'ground', which does not move: give a body of 'double-"):
        special.subtree_coordinates(m, state[0], "ground")
    with pytest.raises(wt.ModelError, match="'elbow'"):
        special.special_equations(m, *state, body="elbow")
    loops = wt.examples.load("four-bar")
    with pytest.raises(
        wt.ModelError, match="method 'special-coordinates' does not apply: 'four-bar' has loops"
    ):
        wt.forward_dynamics(loops, *np.zeros((3, 3)), method="special-coordinates")
