"""Lagrange's equations, conversions and local-frame recursion (Liu & Jain), on random trees.

Source of truth: the library's recursive algorithms, complex steps, and that every conversion leads back.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.api.compiling import record
from whippletree.dynamics.crba import crba
from whippletree.formulations import lagrange
from whippletree.kernels.derive.derivatives import jacobian

STEP = 1e-30
RATES = sorted(name for name in randoms.JOINTS if name not in ("spherical", "free", "planar", "rolling-disc"))
EVERY = sorted(randoms.JOINTS)


def tree(seed, names):
    """All these joints in one tree, with a state."""
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, [str(name) for name in rng.permutation(names)])
    return rng, m, *randoms.state(rng, m)


def assert_same(a, b, tolerance=1e-11):
    """Equal to a share of the largest entry."""
    assert np.shape(a) == np.shape(b)
    assert np.max(np.abs(a - b)) <= tolerance * np.max(np.abs(b))


# Equations of motion


@pytest.mark.parametrize("seed", range(4))
def test_equations_agree_with_the_recursive_algorithms(seed):
    rng, m, q, qd = tree(seed, EVERY)
    assert_same(lagrange.lagrange_mass_matrix(m, q), wt.crba(m, q))
    assert_same(lagrange.lagrange_coriolis(m, q, qd), wt.coriolis_force(m, q, qd))
    assert_same(lagrange.lagrange_gravity(m, q), -wt.gravity_force(m, q))
    qdd, f_ext = rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
    tau = wt.rnea(m, q, qd, qdd, f_ext)
    assert_same(lagrange.local_inverse_dynamics(m, q, qd, qdd, f_ext), tau)
    assert_same(lagrange.lagrange(m, q, qd, tau, f_ext), qdd, 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_coriolis_forces_follow_from_the_mass_matrix_alone(seed):
    _, m, q, qd = tree(seed, RATES)
    steps = [np.imag(wt.crba(m, q + 1j * STEP * unit)) / STEP for unit in np.eye(m.nv)]
    gradient = lagrange.mass_matrix_gradient(m, q)
    assert_same(gradient, np.array(steps))
    assert_same(lagrange.coriolis_from_mass_matrix(m, q, qd), wt.coriolis_force(m, q, qd))
    # The tutorial's note: column j of ∂M/∂q qd is (∂M/∂q_j) qd, which is not Ṁ.
    assert np.abs(np.einsum("jab,b->aj", gradient, qd) - np.einsum("jab,j->ab", gradient, qd)).max() > 0.1


def test_the_gradient_is_that_of_the_record():
    _, m, q, _ = tree(5, ["revolute", "universal", "prismatic", "spherical-exponential"])
    recorded = jacobian(record(crba, m), ["q"])(q)["q"]
    assert_same(np.moveaxis(lagrange.mass_matrix_gradient(m, q), 0, -1), recorded)


@pytest.mark.parametrize("name", ["spherical", "free", "planar"])
def test_quasi_velocities_have_no_gradient(name):
    m = randoms.tree(np.random.default_rng(2), ["revolute", name])
    q, qd = m.random(np.random.default_rng(3)), np.full(m.nv, 0.3)
    message = f"joint 'b1' of 'random', .*, has velocities that are not the rates .*nv = {m.nv - 1}"
    for call in (
        lambda: lagrange.mass_matrix_gradient(m, q),
        lambda: lagrange.coriolis_from_mass_matrix(m, q, qd),
    ):
        with pytest.raises(wt.ModelError, match=message):
            call()


def test_a_first_moment_without_mass_has_no_centre():
    m = wt.dynamics.simplify_inertias(randoms.tree(np.random.default_rng(1), ["prismatic", "revolute"]))
    assert "lagrange" not in wt.methods(m)
    message = r"body 'b1' of 'random' has a first moment of \(.*\) kg m and a mass of 0 kg"
    with pytest.raises(wt.ModelError, match=message):
        lagrange.lagrange_mass_matrix(m, np.array([0.1, 0.2]))
    with pytest.raises(wt.ModelError, match=f"method 'lagrange' does not apply: {message}"):
        wt.forward_dynamics(m, np.array([0.1, 0.2]), np.zeros(2), np.zeros(2), method="lagrange")


# Identities on the way


@pytest.mark.parametrize("seed", range(2))
def test_jacobians_are_derivatives_of_positions_and_rotations(seed):
    """(28)-(30), (57), and the two identities (7), (8) that Lagrange's equation rests on."""
    _, m, q, qd = tree(seed, RATES)
    J, Jd = lagrange.link_jacobians(m, q), lagrange.link_jacobian_rates(m, q, qd)
    columns = []
    for unit in np.eye(m.nv):
        moved = wt.forward_kinematics(m, q + 1j * STEP * unit)
        R, dR = np.real(moved[:, :3, :3]), np.imag(moved[:, :3, :3]) / STEP
        com = np.array([body.inertia.com for body in m.bodies])
        v = np.imag(moved[:, :3, 3]) / STEP + np.einsum("kab,kb->ka", dR, com)
        W = np.einsum("kab,kcb->kac", dR, R)
        assert_allclose(W, -np.swapaxes(W, 1, 2), rtol=0, atol=1e-14)
        columns.append(np.concatenate([v, np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)], axis=1))
    assert_same(J, np.moveaxis(np.array(columns), 0, -1), 1e-13)
    along = np.imag(lagrange.link_jacobians(m, q + 1j * STEP * qd)) / STEP
    assert_same(Jd, along, 1e-13)
    # (8), linear rows: ∂v/∂q_j = d(∂x/∂q_j)/dt.
    slopes = [np.imag(lagrange.link_jacobians(m, q + 1j * STEP * unit) @ qd) / STEP for unit in np.eye(m.nv)]
    assert_same(np.moveaxis(np.array(slopes), 0, -1)[:, :3], Jd[:, :3], 1e-12)


def test_columns_of_the_angular_jacobian_do_not_commute_42():
    _, m, q, _ = tree(7, RATES)
    gradient = np.array([lagrange.link_jacobian_rates(m, q, unit)[:, 3:] for unit in np.eye(m.nv)])
    J_w = lagrange.link_jacobians(m, q)[:, 3:]
    j = np.moveaxis(J_w, -1, 0)  # (nv, nb, 3)
    # ∂j_j/∂q_k - ∂j_k/∂q_j = j_k × j_j
    left = np.einsum("klaj->jkla", gradient) - np.einsum("jlak->jkla", gradient)
    assert_same(left, np.cross(j[None, :], j[:, None]), 1e-12)


def test_rates_hold_for_quasi_velocities():
    _, m, q, qd = tree(3, EVERY)
    along = np.imag(lagrange.link_jacobians(m, q + 1j * STEP * m.rate(q, qd))) / STEP
    assert_same(lagrange.link_jacobian_rates(m, q, qd), along, 1e-13)


# Velocities


@pytest.mark.parametrize("seed", range(3))
def test_velocities_there_and_back(seed):
    _, m, q, qd = tree(seed, EVERY)
    v, w = lagrange.cartesian_velocities(m, q, qd)
    for convert in (lagrange.generalized_velocities, lagrange.generalized_velocities_by_link):
        fit = convert(m, q, v, w)
        assert fit.rank == m.nv
        assert_same(fit.qd, qd, 1e-9)
        assert fit.residual < 1e-11


def test_any_independent_rows_give_the_same_velocity():
    rng, m, q, qd = tree(4, ["revolute", "universal", "prismatic", "spherical-zyx", "free"])
    J = lagrange.link_jacobians(m, q).reshape(-1, m.nv)
    for _ in range(4):
        rows = rng.permutation(len(J))[: m.nv + 6]
        assert np.linalg.matrix_rank(J[rows]) == m.nv
        assert_same(np.linalg.lstsq(J[rows], J[rows] @ qd)[0], qd, 1e-9)


def test_an_unreachable_velocity_leaves_a_residual_in_v():
    """(66) finds qd from ω alone: v may be anything, whatever the tutorial says below it."""
    rng, m, q, qd = tree(6, ["revolute", "universal", "spherical-exponential"])
    v, w = lagrange.cartesian_velocities(m, q, qd)
    torn = v + rng.normal(size=v.shape)
    by_link = lagrange.generalized_velocities_by_link(m, q, torn, w)
    assert_allclose(by_link.residual_w, 0.0, rtol=0, atol=1e-12)
    assert_allclose(by_link.residual_v, torn - v, rtol=0, atol=1e-12)
    assert by_link.residual > 0.5
    whole = lagrange.generalized_velocities(m, q, torn, w)
    assert whole.residual > 0.1
    J = lagrange.link_jacobians(m, q).reshape(-1, m.nv)
    left = np.concatenate([whole.residual_v, whole.residual_w], axis=1).ravel()
    assert_allclose(J.T @ left, 0.0, rtol=0, atol=1e-12)  # least squares: nothing more can be had


def test_by_link_is_no_least_squares_fit():
    rng, m, q, qd = tree(8, ["revolute", "universal", "spherical-zyx"])
    v, w = lagrange.cartesian_velocities(m, q, qd)
    noise = 0.1 * rng.normal(size=w.shape)
    J_w = lagrange.link_jacobians(m, q)[:, 3:].reshape(-1, m.nv)
    fitted = np.linalg.lstsq(J_w, (w + noise).ravel())[0]
    by_link = lagrange.generalized_velocities_by_link(m, q, v, w + noise).qd
    assert np.abs(by_link - fitted).max() > 0.01


def test_a_singular_position_has_a_smaller_rank():
    m = wt.Mechanism("gimbal")
    m.add_body("ball", wt.SphericalEuler("zyx"), inertia=wt.Inertia(1.3, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4)))
    for angle, rank in ((0.4, 3), (np.pi / 2, 2)):
        q = np.array([0.3, angle, 0.2])
        v, w = lagrange.cartesian_velocities(m, q, np.array([0.5, -0.4, 0.7]))
        for convert in (lagrange.generalized_velocities, lagrange.generalized_velocities_by_link):
            fit = convert(m, q, v, w)
            assert (fit.rank, fit.residual < 1e-12) == (rank, True)


# Forces


@pytest.mark.parametrize("seed", range(2))
def test_forces_there_and_back(seed):
    rng, m, q, _ = tree(seed, EVERY)
    Q = rng.normal(size=m.nv)
    points = rng.normal(size=(len(m), 3))
    zero = np.zeros((len(m), 3))

    general = lagrange.cartesian_forces(m, q, Q)
    assert_same(lagrange.generalized_force(m, q, general.f, general.torques), Q, 1e-10)
    known = lagrange.forces_and_joint_torques(m, q, points, Q)
    back = lagrange.generalized_force_of_joint_torques(m, q, points, known.f, known.torques)
    assert_same(back, Q, 1e-10)
    assert general.rank == known.rank == m.nv
    for fit in (general, known):
        assert_allclose(fit.residual, 0.0, rtol=0, atol=1e-11)

    # 71: what torques can do, they do; the rest is the residual.
    torques = lagrange.joint_torques(m, q, Q)
    done = lagrange.generalized_force_of_joint_torques(m, q, points, zero, torques.torques)
    assert_same(done + torques.residual, Q, 1e-10)
    assert not torques.f.any()
    turning = sum(np.linalg.matrix_rank(lagrange.local_jacobian(m, q, body.name)) for body in m.bodies)
    assert torques.rank == turning < m.nv


def test_joint_torques_do_it_all_where_joints_only_turn():
    rng, m, q, _ = tree(9, ["revolute", "universal", "spherical", "spherical-zyx", "spherical-exponential"])
    Q = rng.normal(size=m.nv)
    fit = lagrange.joint_torques(m, q, Q)
    assert fit.rank == m.nv
    assert_allclose(fit.residual, 0.0, rtol=0, atol=1e-12)
    for k, body in enumerate(m.bodies):  # least: nothing across the axes of the joint
        J = lagrange.local_jacobian(m, q, body.name)
        assert_same(J @ np.linalg.lstsq(J, fit.torques[k])[0], fit.torques[k])


def test_recovered_forces_are_the_least_of_all():
    rng, m, q, _ = tree(10, ["revolute", "universal", "prismatic"])
    Q = rng.normal(size=m.nv)
    fit = lagrange.cartesian_forces(m, q, Q)
    J = lagrange.link_jacobians(m, q)
    other = rng.normal(size=(len(m), 6))
    pulled = np.einsum("kaj,ka->j", J, other)
    flat = J.reshape(-1, m.nv)
    idle = other.ravel() - flat @ np.linalg.solve(flat.T @ flat, pulled)  # does no work
    assert_allclose(flat.T @ idle, 0.0, rtol=0, atol=1e-11)
    assert abs(np.concatenate([fit.f, fit.torques], axis=1).ravel() @ idle) < 1e-11


def test_torques_of_bodies_joints_and_centres():
    rng, m, q, _ = tree(11, EVERY)
    n = len(m)
    points, f, joint_torques = rng.normal(size=(3, n, 3))
    on_bodies = lagrange.body_torques(m, q, joint_torques)
    assert_same(lagrange.joint_torques_of_bodies(m, q, on_bodies), joint_torques)

    about = lagrange.torques_about_centers(m, q, points, f, on_bodies)
    assert_same(lagrange.torques_about_centers(m, q, points, -f, about), on_bodies)
    # (48), (67) and (69) are the same work.
    expected = lagrange.generalized_force(m, q, f, about)
    assert_same(lagrange.generalized_force_at_points(m, q, points, f, on_bodies), expected)
    assert_same(lagrange.generalized_force_of_joint_torques(m, q, points, f, joint_torques), expected)
    # And that of the library's frames: a point of each body, seen from it.
    poses = wt.forward_kinematics(m, q)
    total = np.zeros(m.nv)
    for k, body in enumerate(m.bodies):
        at = m.copy()
        at.add_frame("point", body.name, wt.Placement(poses[k, :3, :3].T @ (points[k] - poses[k, :3, 3])))
        J = wt.jacobian(at, q, "point", "aligned")
        total = total + J.T @ np.concatenate([on_bodies[k], f[k]])
    assert_same(total, expected)


@pytest.mark.parametrize("name", ["points", "f_links", "body_torques"])
def test_shapes_are_checked(name):
    m = wt.examples.load("tutorial-tree")
    given = dict.fromkeys(("points", "f_links", "body_torques"), np.zeros((4, 3)))
    given[name] = np.zeros((3, 4))
    message = rf"{name} has shape \(3, 4\), expected \(4, 3\): .* per body of"
    with pytest.raises(wt.InputError, match=message):
        lagrange.generalized_force_at_points(m, m.neutral(), **given)


# As a method of forward dynamics


def test_it_compiles_with_masses_left_open():
    rng, m, q, qd = tree(12, ["revolute", "prismatic", "spherical"])
    tau, f_ext = rng.normal(size=m.nv), rng.normal(size=(3, 6))
    k = wt.compile(lagrange.lagrange, m, inputs={"f_ext": (3, 6)}, parameters=["b1.mass", "b2.com.x"])
    heavy = wt.with_parameters(m, ["b1.mass", "b2.com.x"], np.array([2.7, 0.31]))
    expected = wt.aba(heavy, q, qd, tau, f_ext)
    assert_same(k(q, qd, tau, f_ext, np.array([2.7, 0.31])), expected, 1e-10)


def test_it_simulates():
    m = wt.examples.load("tutorial-tree")
    q0, qd0 = [0.4, -0.7, 0.3, 0.8, -0.5, 1.1, -0.9], np.full(7, 0.2)
    runs = [
        wt.simulate(m, q0, qd0, duration=0.3, dynamics=name, rtol=1e-11, atol=1e-12)
        for name in ("aba", "lagrange")
    ]
    assert runs[1].dynamics == "lagrange"
    assert_allclose(runs[1].q[-1], runs[0].q[-1], rtol=0, atol=1e-9)
