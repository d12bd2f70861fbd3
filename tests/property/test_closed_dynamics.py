"""Forward and inverse dynamics of random mechanisms with loops: every road leads to the same place.

Source of truth: the equations of motion themselves, H q̈ + C - τ ⊥ motions that keep the loops closed,
which no solver is asked to check.
"""

import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import closed
import randoms
import whippletree as wt
from whippletree.loops.equations.rank import independent_rows

TREE_JOINTS = list(randoms.JOINTS)
PLANAR_JOINTS = ["revolute", "prismatic", "planar"]
SEMI_RECURSIVE = ("semi-recursive-1", "semi-recursive-2")
BY_FORCES = ("lambda-first", "kkt", "sparse", "augmented", *SEMI_RECURSIVE)  # solve for the forces in loops


def planar(rng, joints, loops):
    """A mechanism in the x-y plane, with loop joints of three dimensions, so that many rows are redundant."""
    made = {
        "revolute": lambda: wt.Revolute("z"),
        "prismatic": lambda: wt.Prismatic((*rng.normal(size=2), 0.0)),
    }
    made["planar"] = lambda: wt.Planar("z")

    def place():
        return wt.Placement((*rng.normal(size=2), 0.0), rpy=(0.0, 0.0, rng.uniform(-3.0, 3.0)))

    m = wt.Mechanism("planar", gravity=(1.0, -9.0, 0.0))
    for i, kind in enumerate(joints):
        parent = "ground" if rng.uniform() < 0.3 else closed.body_name(int(rng.integers(-1, i)))
        inertia = wt.Inertia(rng.uniform(0.5, 2.0), (*rng.normal(size=2), 0.0), rng.uniform(0.5, 1.0, 3))
        m.add_body(f"b{i}", made[kind](), parent=parent, placement=place(), inertia=inertia)
    q = m.random(rng)
    for number, kind in enumerate(loops):
        p, s = (int(i) for i in rng.choice(len(joints) + 1, 2, replace=False) - 1)
        joint, placement_p = made[kind](), place()
        at_p = closed.pose(m, q, p) @ placement_p @ wt.Placement.of(joint.transform(joint.random(rng)))
        placement_s = closed.pose(m, q, s).inverse() @ at_p
        m.add_loop(f"loop{number}", joint, closed.body_name(p), closed.body_name(s), placement_p, placement_s)
    return m, q


spatial_cases = st.tuples(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from(TREE_JOINTS), min_size=2, max_size=8),
    st.lists(st.sampled_from(closed.LOOP_JOINTS), min_size=1, max_size=4),
)
planar_cases = st.tuples(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from(PLANAR_JOINTS), min_size=2, max_size=8),
    st.lists(st.sampled_from(PLANAR_JOINTS), min_size=1, max_size=4),
)


def check_all_methods(m, q, rng):
    qd, tau, f_ext = closed.velocity(rng, m, q), rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
    K, k = wt.constraint_jacobian(m, q), wt.constraint_bias(m, q, qd)
    _, values, V = np.linalg.svd(K)
    largest = values.max(initial=0.0)
    if np.any((values > 1e-11 * largest) & (values < 1e-5 * largest)):
        return "singular"  # so nearly that double precision cannot tell the rank
    motions = V[int(np.sum(values > 1e-9 * largest)) :].T
    expected = wt.forward_dynamics(m, q, qd, tau, method="projection", f_ext=f_ext)
    scale = 1.0 + np.abs(expected).max(initial=0.0)
    residual = motions.T @ (wt.rnea(m, q, qd, expected, f_ext) - tau)
    H = wt.crba(m, q)
    assert_allclose(residual, 0.0, atol=1e-9 * scale * np.abs(H).max(initial=0.0))
    assert_allclose(K @ expected, k, atol=1e-8 * scale * np.abs(K).max(initial=0.0))
    methods = wt.methods(m)
    assert {"grcr", "lambda-first", "projection", "clusters", "kkt", "sparse"} <= set(methods)
    for method in methods:
        try:
            actual = wt.forward_dynamics(m, q, qd, tau, method=method, f_ext=f_ext)
        except wt.SingularError:
            assert method in ("rcr", "gcl")  # they refuse where the last coordinates are not a valid choice
            continue
        rounding = rounding_of_forces(m, q, qd, tau, f_ext) if method in BY_FORCES else 0.0
        assert_allclose(actual, expected, atol=1e-8 * scale + rounding, err_msg=method)
        if len(K) == len(values) == m.nv - motions.shape[1]:  # no constraint is redundant: forces are unique
            pull = wt.rnea(m, q, qd, actual, f_ext) - tau
            own = np.linalg.lstsq(K.T, pull, rcond=None)[0]
            lam = wt.constraint_forces(m, q, qd, tau, f_ext)
            size = 1.0 + np.abs(lam).max() + np.abs(H).max(initial=0.0) * scale / values[-1]
            assert_allclose(own, lam, atol=1e-8 * size, err_msg=method)
    unique = len(K) == m.nv - motions.shape[1]
    return f"mobility {motions.shape[1]}, reactions are {'' if unique else 'not '}unique"


def rounding_of_forces(m, q, qd, tau, f_ext):
    """What rounding in K H⁻¹ Kᵀ, whose condition is the square of that of K, does to accelerations."""
    K, H = wt.constraint_jacobian(m, q), wt.crba(m, q)
    kept = K[independent_rows(K)]
    free = np.linalg.solve(H, tau - wt.rnea(m, q, qd, np.zeros(m.nv), f_ext))
    condition = np.linalg.cond(kept @ np.linalg.solve(H, kept.T)) if kept.size else 1.0
    return np.finfo(float).eps * condition * np.abs(free).max(initial=0.0)


@pytest.mark.parametrize("kind", TREE_JOINTS)
def test_every_joint_type_in_the_tree_of_a_loop_and_as_its_loop_joint(kind):
    """A chain that holds the joint type and two coupled loops across it, one of them of this type."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        m = randoms.tree(rng, ["revolute", "spherical", kind, "universal", "prismatic", "revolute"], 0.0)
        q = m.random(rng)
        closed.close(rng, m, q, "outer", "spherical", -1, 5)
        if kind in closed.LOOP_JOINTS and kind != "fixed":
            closed.close(rng, m, q, "inner", kind, 1, 4)
        check_all_methods(m, q, rng)
        if kind == "fixed":
            n, p = closed.mechanism(rng, ["free", "revolute", "spherical", "revolute"], ["fixed"])
            check_all_methods(n, p, rng)


@settings(max_examples=60, deadline=None)
@example((0, ["fixed", "fixed"], ["revolute"]))  # nothing to move
@given(spatial_cases)
def test_all_methods_agree_on_spatial_mechanisms(case):
    seed, joints, loops = case
    rng = np.random.default_rng(seed)
    event(check_all_methods(*closed.mechanism(rng, joints, loops), rng))


@settings(max_examples=40, deadline=None)
@example((99087, ["revolute", "revolute"], ["revolute"]))  # a triangle that is almost flat
@given(planar_cases)
def test_all_methods_agree_on_planar_mechanisms(case):
    seed, joints, loops = case
    rng = np.random.default_rng(seed)
    event(check_all_methods(*planar(rng, joints, loops), rng))


@pytest.mark.parametrize("seed", range(6))
def test_stabilization_enters_every_solver_alike(seed):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, ["revolute"] * 8, branching=0.0)
    q = m.random(rng)
    closed.close(rng, m, q, "first", "spherical", 3, -1)
    closed.close(rng, m, q, "second", "universal", 0, 7)
    q, qd = m.integrate(q, 1e-4 * rng.normal(size=m.nv)), rng.normal(size=m.nv)
    tau = rng.normal(size=m.nv)
    expected = wt.loops.kkt(m, q, qd, tau, stabilization=0.2)
    K, k = wt.constraint_jacobian(m, q), wt.constraint_bias(m, q, qd, stabilization=0.2)
    assert_allclose(K @ expected, k, atol=1e-9 * np.abs(expected).max())
    for solve in (
        wt.loops.grcr,
        wt.loops.lambda_first,
        wt.loops.projection,
        wt.loops.cluster_projection,
        wt.loops.sparse,
    ):
        actual = solve(m, q, qd, tau, stabilization=0.2)
        assert_allclose(actual, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(6))
def test_gears_and_loops_together(seed):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, ["revolute", "revolute", "spherical", "prismatic", "revolute", "helical"], 0.3)
    m.add_gear("gear", driver="b0", driven="b4", ratio=-1.3, offset=0.2)
    q = m.random(rng)
    q[m.q_index[4]] = -1.3 * q[m.q_index[0]] + 0.2
    closed.close(rng, m, q, "loop", "spherical", 5, -1)
    check_all_methods(m, q, rng)


@pytest.mark.parametrize("seed", range(8))
def test_inverse_dynamics_undoes_forward_dynamics(seed):
    rng = np.random.default_rng(seed)
    m, q = closed.mechanism(rng, ["revolute"] * 5 + ["universal"], ["spherical"])
    qd, tau = closed.velocity(rng, m, q), rng.normal(size=m.nv)
    qdd = wt.forward_dynamics(m, q, qd, tau)
    found = wt.inverse_dynamics(m, q, qd, qdd)
    assert_allclose(wt.forward_dynamics(m, q, qd, found), qdd, atol=1e-9 * (1 + np.abs(qdd).max()))
    assert found @ found <= tau @ tau * (1 + 1e-9)  # the shortest of all that do it
    report = wt.mobility(m, q)
    own = [name for name in m.joint_names if name in report.independent]
    assert wt.actuation(m, q, own).rank == report.mobility
    chosen = wt.inverse_dynamics(m, q, qd, qdd, actuated=own)
    assert_allclose(wt.forward_dynamics(m, q, qd, chosen), qdd, atol=1e-8 * (1 + np.abs(qdd).max()))
    idle = [
        k for i, name in enumerate(m.joint_names) if name not in own for k in [*range(m.nv)[m.v_index[i]]]
    ]
    assert_allclose(chosen[idle], 0.0)


@pytest.mark.parametrize("seed", range(8))
def test_reactions_balance_every_body(seed):
    """Newton's law body by body, with the wrench of every joint, tree or loop, on either side."""
    rng = np.random.default_rng(seed)
    m, q = closed.mechanism(rng, ["revolute"] * 4 + ["spherical", "universal"], ["universal", "revolute"])
    qd, tau, f_ext = closed.velocity(rng, m, q), rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
    joints, loops = wt.reactions(m, q, qd, tau, f_ext)
    qdd = wt.loops.kkt(m, q, qd, tau, f_ext)
    v, a = wt.body_velocities(m, q, qd), wt.body_accelerations(m, q, qd, qdd)
    poses = [np.linalg.inv(T) for T in wt.forward_kinematics(m, q)]
    total = np.array(f_ext)

    def to_world(i, f):
        """A wrench in the coordinates of body i, to the world's."""
        T = np.eye(4) if i == -1 else np.linalg.inv(poses[i])
        force = T[:3, :3] @ f[3:]
        return np.concatenate([T[:3, :3] @ f[:3] + np.cross(T[:3, 3], force), force])

    world = [to_world(i, total[i]) for i in range(len(m))]
    for i, parent in enumerate(m.parents):
        world[i] = world[i] + to_world(i, joints[i])
        if parent != -1:
            world[parent] = world[parent] - to_world(i, joints[i])
    for loop, wrench in zip(m.loops, loops, strict=True):
        s, p = m.body_number(loop.successor), m.body_number(loop.predecessor)
        in_world = to_world(s, loop.placement_s.transform().T @ wrench)
        if s != -1:
            world[s] = world[s] + in_world
        if p != -1:
            world[p] = world[p] - in_world
    for i, body in enumerate(m.bodies):
        R = np.linalg.inv(poses[i])[:3, :3] if i != -1 else np.eye(3)
        weight = body.inertia @ np.concatenate([np.zeros(3), R.T @ np.array(m.gravity)])
        momentum = body.inertia @ v[i]
        w, u = v[i][:3], v[i][3:]
        gyroscopic = np.concatenate(
            [np.cross(w, momentum[:3]) + np.cross(u, momentum[3:]), np.cross(w, momentum[3:])]
        )
        needed = to_world(i, body.inertia @ a[i] + gyroscopic - weight)
        assert_allclose(world[i], needed, atol=1e-9 * (1 + np.abs(needed).max()))


@pytest.mark.parametrize("seed", range(4))
def test_a_force_in_a_loop_joint_does_its_work(seed):
    rng = np.random.default_rng(seed)
    for kind in closed.LOOP_JOINTS:
        if kind == "fixed":
            continue
        m, q = closed.mechanism(rng, ["revolute"] * 4 + ["spherical", "planar"], [kind])
        qd = closed.velocity(rng, m, q)
        rate = wt.loop_joint_velocity(m, q, qd, "loop0")
        u = rng.normal(size=len(rate))
        power = wt.loop_joint_force(m, q, "loop0", u) @ qd
        assert_allclose(power, u @ rate, atol=1e-11 * (1 + abs(float(power))), err_msg=kind)
        joint = m.loops[0].joint
        h = 1e-30
        moved = wt.loop_joint_position(m, q + 1j * h * m.rate(q, qd), "loop0")
        here = np.real(wt.loop_joint_position(m, q, "loop0"))
        assert_allclose(np.imag(moved) / h, joint.rate(here, rate), atol=1e-11 * (1 + np.abs(rate).max()))


@settings(max_examples=5, deadline=None)
@example((0, ["revolute", "revolute"], ["revolute", "revolute"]))  # a rigid frame: nothing is free
@given(planar_cases)
def test_planar_mechanisms_keep_closed_and_keep_their_energy(case):
    """A second of motion under gravity alone."""
    seed, joints, loops = case
    m, q = planar(np.random.default_rng(seed), joints, loops)
    run = wt.simulate(m, q, duration=1.0, rtol=1e-9, atol=1e-11)
    assert run.t[-1] == 1.0
    assert np.max(np.abs(run.constraint_error)) < 1e-10
    assert np.ptp(run.energy) <= 1e-6 * (1.0 + np.max(run.kinetic))
