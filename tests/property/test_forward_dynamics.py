"""All roads of forward dynamics lead to the same accelerations, on random trees of every joint type.

Source of truth: each road for the others, inverse dynamics for all of them, and the differential
definitions of H and C.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.dynamics.hybrid_crba import forward_inertia

STEP = 1e-30
FAST = settings(derandomize=True, deadline=None, max_examples=60, database=None)
SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 15)
BRANCHING = st.sampled_from([0.0, 0.3, 0.6, 1.0])


def assert_same(a, b, tolerance=1e-9):
    """Equal to a share of the largest entry."""
    assert a.shape == b.shape
    scale = np.max(np.abs(b), initial=0.1)
    assert np.max(np.abs(a - b), initial=0.0) <= tolerance * scale


def joint_names(rng, size):
    """Types of joints, drawn evenly, each as likely in a large tree as in a small one."""
    return [str(name) for name in rng.choice(sorted(randoms.JOINTS), size=size)]


def forces(rng, m):
    return rng.normal(size=m.nv), rng.normal(size=(len(m), 6))


@FAST
@given(size=SIZES, seed=SEEDS, branching=BRANCHING)
def test_all_methods_agree(size, seed, branching):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, joint_names(rng, size), branching)
    q, qd = randoms.state(rng, m)
    tau, f_ext = forces(rng, m)
    expected = wt.forward_dynamics(m, q, qd, tau, f_ext=f_ext)
    assert {"aba", "crba", "aba-variant-1", "aba-variant-2", "divide-and-conquer"} <= set(wt.methods(m))
    for method in wt.methods(m):
        assert_same(wt.forward_dynamics(m, q, qd, tau, method, f_ext), expected)


@FAST
@given(size=SIZES, seed=SEEDS, branching=BRANCHING)
def test_inverse_dynamics_undoes_forward_dynamics(size, seed, branching):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, joint_names(rng, size), branching)
    q, qd = randoms.state(rng, m)
    tau, f_ext = forces(rng, m)
    qdd = wt.forward_dynamics(m, q, qd, tau, f_ext=f_ext)
    assert_same(wt.inverse_dynamics(m, q, qd, qdd, f_ext), tau)
    assert_same(wt.dynamics.rnea_base(m, q, qd, qdd, f_ext), tau)
    assert_same(wt.dynamics.inertia_product(m, q, qdd) + wt.bias_force(m, q, qd, f_ext), tau)


@FAST
@given(size=SIZES, seed=SEEDS, branching=BRANCHING)
def test_inertia_matrix_is_the_derivative_of_inverse_dynamics(size, seed, branching):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, joint_names(rng, size), branching)
    q, qd = randoms.state(rng, m)
    H = wt.crba(m, q)
    assert np.array_equal(H, H.T)
    assert np.all(np.linalg.eigvalsh(H) > 0)
    steps = 1j * STEP * np.eye(m.nv)
    derivative = [np.imag(wt.rnea(m, q, qd, step)) / STEP for step in steps]
    assert_same(np.array(derivative).reshape(H.shape), H, 1e-13)
    products = [wt.dynamics.inertia_product(m, q, column) for column in np.eye(m.nv)]
    assert_same(np.array(products).reshape(H.shape), H, 1e-13)
    assert_same(wt.inverse_inertia(m, q) @ H, np.eye(m.nv))


@FAST
@given(size=SIZES, seed=SEEDS, branching=BRANCHING)
def test_bias_is_gravity_and_velocity_terms(size, seed, branching):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, joint_names(rng, size), branching)
    q, qd = randoms.state(rng, m)
    gravity, coriolis = wt.gravity_force(m, q), wt.coriolis_force(m, q, qd)
    assert_same(gravity + coriolis, wt.bias_force(m, q, qd), 1e-12)
    assert_same(wt.bias_force(m, q, np.zeros(m.nv)), gravity, 1e-13)
    assert_same(wt.coriolis_force(m, q, 3.0 * qd), 9.0 * coriolis, 1e-12)


@FAST
@given(size=SIZES, seed=SEEDS, branching=BRANCHING)
def test_power_of_the_forces_is_the_rate_of_kinetic_energy(size, seed, branching):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, joint_names(rng, size), branching)
    q, qd = randoms.state(rng, m)
    tau, _ = forces(rng, m)
    qdd = wt.forward_dynamics(m, q, qd, tau)
    q_next, qd_next = q + 1j * STEP * m.rate(q, qd), qd + 1j * STEP * qdd
    energy = 0.5 * qd_next @ wt.crba(m, q_next) @ qd_next
    power = qd @ (tau - wt.gravity_force(m, q))
    scale = float(np.abs(qd) @ np.abs(tau)) + 1.0
    assert_allclose(np.imag(energy) / STEP, power, rtol=1e-9, atol=1e-9 * scale)


@FAST
@given(size=SIZES, seed=SEEDS, branching=BRANCHING, share=st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_hybrid_dynamics_solves_the_equation_of_motion(size, seed, branching, share):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, joint_names(rng, size), branching)
    q, qd = randoms.state(rng, m)
    tau, f_ext = forces(rng, m)
    qdd = rng.normal(size=m.nv)
    prescribed = [name for name in m.joint_names if rng.uniform() < share]
    given_qdd = np.zeros(m.nv, dtype=bool)
    for name in prescribed:
        given_qdd[m.v_index[m.joint_number(name)]] = True

    results = [
        wt.hybrid_dynamics(m, q, qd, tau, qdd, prescribed, method, f_ext) for method in ("aba", "crba")
    ]
    for full_tau, full_qdd in results:
        assert np.array_equal(full_qdd[given_qdd], qdd[given_qdd])
        assert np.array_equal(full_tau[~given_qdd], tau[~given_qdd])
        assert_same(wt.rnea(m, q, qd, full_qdd, f_ext), full_tau)
    for by_aba, by_crba in zip(*results, strict=True):
        assert_same(by_aba, by_crba)

    forward = [name not in prescribed for name in m.joint_names]
    H = wt.crba(m, q)
    assert_same(forward_inertia(m, q, forward), H[~given_qdd][:, ~given_qdd], 1e-13)


@FAST
@given(size=SIZES, seed=SEEDS, branching=BRANCHING)
def test_floating_base_agrees_with_a_joint_of_six_freedoms(size, seed, branching):
    rng = np.random.default_rng(seed)
    m = randoms.floating_tree(rng, joint_names(rng, size), branching)
    q, qd = randoms.state(rng, m)
    tau, f_ext = forces(rng, m)
    expected = wt.aba(m, q, qd, tau, f_ext)
    assert {"floating-aba", "floating-crba"} <= {*wt.methods(m)}
    for method in wt.methods(m):
        assert_same(wt.forward_dynamics(m, q, qd, tau, method, f_ext), expected)

    qdd_joints = rng.normal(size=m.nv - 6)
    a_0, tau_joints = wt.dynamics.floating_inverse_dynamics(m, q, qd, qdd_joints, f_ext)
    needed = wt.rnea(m, q, qd, np.concatenate([a_0, qdd_joints]), f_ext)
    assert_same(np.concatenate([np.zeros(6), tau_joints]), needed)


@FAST
@given(size=SIZES, seed=SEEDS, branching=BRANCHING)
def test_simplified_inertias_move_alike(size, seed, branching):
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, joint_names(rng, size), branching)
    q, qd = randoms.state(rng, m)
    tau, _ = forces(rng, m)
    qdd = rng.normal(size=m.nv)
    simple = wt.dynamics.simplify_inertias(m)
    assert_same(wt.rnea(simple, q, qd, qdd), wt.rnea(m, q, qd, qdd), 1e-12)
    assert_same(wt.crba(simple, q), wt.crba(m, q), 1e-12)
    assert_same(wt.aba(simple, q, qd, tau), wt.aba(m, q, qd, tau))
