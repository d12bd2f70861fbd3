"""Contact problems: three solvers agree, what has no solution is proved, forces obey their laws."""

from collections import Counter

import numpy as np
import pytest

import touching
import whippletree as wt
from random_impacts import agreement, random_problem
from whippletree.contact.problems.complementarity import residual, root_of
from whippletree.contact.problems.natural_map import natural_residual
from whippletree.loops.methods.projection import projection_pivots


def test_two_solvers_agree_and_count_the_solutions() -> None:
    rng = np.random.default_rng(11)
    counts = Counter(agreement(*random_problem(rng, case)) for case in range(300))
    assert set(counts) == {"unique", "many", "none"}
    assert min(counts.values()) >= 20


def test_lemke_agrees_on_small_problems() -> None:
    rng = np.random.default_rng(12)
    for case in range(100):
        k, n = int(rng.integers(1, 7)), int(rng.integers(1, 6))
        R, d = rng.normal(size=(k, n)), rng.normal(size=n)
        found, solution = wt.contact.lemke(R.T @ R, d), wt.contact.gauss_form(R, d)
        assert (found is None) == isinstance(solution, wt.contact.Unsolvable), case
        if found is not None:
            assert residual(R.T @ R, d, found) < 1e-9


def test_the_program_in_the_forces_agrees_on_definite_problems() -> None:
    rng = np.random.default_rng(13)
    for _ in range(60):
        n = int(rng.integers(1, 8))
        R, d = rng.normal(size=(n + 3, n)) * np.exp(rng.normal(size=n)), rng.normal(size=n)
        expected = wt.contact.gauss_form(R, d)
        assert isinstance(expected, wt.contact.ContactForces)
        assert expected.unique
        np.testing.assert_allclose(wt.contact.force_form(R.T @ R, d), expected.force, rtol=1e-9, atol=1e-11)
    with pytest.raises(wt.SolverError, match="contacts depend on each other; use gauss_form"):
        wt.contact.force_form(np.ones((2, 2)), -np.ones(2))


def test_active_contacts_are_a_basis_and_hold_as_equalities() -> None:
    rng = np.random.default_rng(14)
    for case in range(60):
        R, d = random_problem(rng, 15 * case)
        solution = wt.contact.gauss_form(R, d)
        if isinstance(solution, wt.contact.Unsolvable):
            continue
        current = wt.contact.current_contacts(d, solution)
        active = wt.contact.active_contacts(R, d, solution)
        assert set(np.flatnonzero(solution.force)) <= set(active) <= set(current)
        assert np.linalg.matrix_rank(R[:, active]) == len(active) == np.linalg.matrix_rank(R[:, current])
        force = np.zeros(len(d))
        force[active] = np.linalg.lstsq(R[:, active].T @ R[:, active], -d[active], rcond=None)[0]
        np.testing.assert_allclose(R @ force, R @ solution.force, atol=1e-8 * np.max(np.abs(d)))


def test_the_problem_of_a_body_is_that_of_a_mechanism_of_one() -> None:
    """RBDA 11.21 and 11.22 with normals and their rates told by hand, for balls on a floor and on a post."""
    m = wt.Mechanism("body")
    inertia = wt.Inertia(1.7, (0.1, -0.2, 0.05), np.diag([0.2, 0.3, 0.4]))
    m.add_body("body", wt.Free(), inertia=inertia)
    m.add_shape("ball", wt.Sphere(0.3), "body")
    m.add_shape("floor", wt.Plane())
    m.add_shape("post", wt.Sphere(0.5), placement=wt.Placement((0.4, 0.6, -0.2)))
    m.add_contact("low", "ball", "floor")
    m.add_contact("side", "ball", "post")
    rng = np.random.default_rng(15)
    q, qd = m.random(rng), rng.normal(size=6)
    problem, frames = wt.contact.contact_problem(m, q, qd, np.zeros(6)), wt.contact.contact_frames(m, q)
    pose, n = wt.frame_pose(m, q, "body"), frames.axes[:, 0]
    center, moves = pose[:3, 3], pose[:3, :3] @ qd[3:]
    between = center - np.array([0.4, 0.6, -0.2])
    n_rate = np.stack([np.zeros(3), (moves - n[1] * (n[1] @ moves)) / np.linalg.norm(between)])
    # The point midway: below the centre by the radius and half the gap; on the line to the post.
    gap_rate = n @ moves
    C_rate = np.stack(
        [moves - n[0] * 0.5 * gap_rate[0], n_rate[1] * (0.5 + 0.5 * frames.gap[1]) + 0.5 * gap_rate[1] * n[1]]
    )
    N = np.concatenate([np.cross(frames.point, n), n], axis=1).T
    rates = np.concatenate([np.cross(C_rate, n) + np.cross(frames.point, n_rate), n_rate], axis=1).T
    to_body = wt.Placement(pose[:3, 3], rotation=pose[:3, :3]).transform()
    world = inertia.to_parent(to_body)
    v = to_body.inverse_motion(qd)
    weight = world.m * np.array([0, 0, -9.81])
    force = np.concatenate([np.cross(world.com, weight), weight])
    M, d = wt.contact.body_problem(world, v, force, N, rates)
    np.testing.assert_allclose(M, problem.M[:, 0, :, 0], rtol=1e-11)
    np.testing.assert_allclose(d, problem.d[:, 0], rtol=1e-10, atol=1e-11)
    with pytest.raises(wt.InputError, match="inertia cannot be inverted"):
        wt.contact.body_problem(wt.Inertia(1.0), v, force, N, rates)


def test_a_root_gives_the_matrix_back() -> None:
    R = np.random.default_rng(1).normal(size=(3, 7))
    root = root_of(R.T @ R)
    assert root.shape == (3, 7)
    np.testing.assert_allclose(root.T @ root, R.T @ R, atol=1e-13)


def test_solvability_does_not_depend_on_units() -> None:
    rng = np.random.default_rng(4)
    for case in range(30):
        R, d = random_problem(rng, case)
        scale = 10.0 ** rng.integers(-6, 7, size=len(d))
        a = wt.contact.gauss_form(R, d)
        b = wt.contact.gauss_form(1e3 * R * scale, 1e-2 * d * scale)
        assert type(a) is type(b)


# Coulomb


def test_friction_forces_obey_coulomb() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        nc = int(rng.integers(1, 6))
        n = int(rng.integers(3, 3 * nc + 4))
        R, mu = rng.normal(size=(n, 3 * nc)), rng.uniform(0.0, 1.2, nc)
        M, d = (R.T @ R).reshape(nc, 3, nc, 3), (R.T @ rng.normal(size=n)).reshape(nc, 3)
        force = wt.contact.coulomb(M, d, mu)
        assert natural_residual(M, d, mu, force) <= 1e-12
        u, size = np.einsum("iajb,jb->ia", M, force) + d, np.max(np.abs(d))
        side = np.hypot(force[:, 1], force[:, 2])
        assert np.all(side <= mu * force[:, 0] + 1e-12 * np.max(force))
        assert np.all(u[:, 0] >= -1e-11 * size)
        slips = np.hypot(u[:, 1], u[:, 2]) > 1e-6 * size
        np.testing.assert_allclose(side[slips], (mu * force[:, 0])[slips], rtol=1e-7, atol=1e-9)
        assert np.all(np.sum(u[:, 1:] * force[:, 1:], axis=1) <= 1e-10 * size * np.max(force))


def test_a_problem_without_friction_is_the_complementarity_problem() -> None:
    rng = np.random.default_rng(6)
    R = rng.normal(size=(9, 9))
    M, d = (R.T @ R).reshape(3, 3, 3, 3), rng.normal(size=(3, 3))
    force = wt.contact.coulomb(M, d, np.zeros(3))
    expected = wt.contact.gauss_form(R[:, ::3], d[:, 0])
    assert isinstance(expected, wt.contact.ContactForces)
    np.testing.assert_allclose(force[:, 0], expected.force, atol=1e-10)


# Mechanisms


def leaning(friction: float) -> wt.Mechanism:
    """A crate on a floor, on a slope by gravity."""
    m = touching.crate(friction=friction)
    m.gravity = (2.0, 1.0, -9.0)
    return m


RESTING = np.array([0.3, -0.2, 0.1, 1, 0, 0, 0])


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.7])
def test_a_crate_on_a_slope_stays_or_slides(friction: float) -> None:
    m = leaning(friction)
    found = wt.contact.contact_forces(m, RESTING, np.zeros(6), np.zeros(6))
    assert found.rows == [0, 2, 4, 6]
    total = found.force.sum(axis=0)
    along = np.sqrt(5.0)
    assert total[0] == pytest.approx(45.0, abs=1e-9)
    slides = friction * 9.0 < along
    expected = -friction * 45.0 / along * np.array([2.0, 1.0]) if slides else -5.0 * np.array([2.0, 1.0])
    np.testing.assert_allclose(total[1:], expected, atol=1e-9)
    np.testing.assert_allclose(
        found.qdd, [0, 0, 0, *(np.array([2.0, 1.0, 0.0]) * max(0.0, 1.0 - friction * 9.0 / along))], atol=1e-9
    )
    assert found.unique == (None if friction else False)  # four legs carry in many ways


def test_sliding_friction_is_against_the_velocity() -> None:
    m = leaning(0.3)
    qd = np.array([0, 0, 0, -0.3, 0.4, 0.0])
    found = wt.contact.contact_forces(m, RESTING, qd, np.zeros(6))
    np.testing.assert_allclose(found.force.sum(axis=0), [45.0, 0.3 * 45 * 0.6, -0.3 * 45 * 0.8], atol=1e-8)


def test_forces_with_loops_are_those_of_the_whole_equation_with_the_contact_as_a_row() -> None:
    m = wt.examples.load("four-bar")
    at, body = np.array([0.3, 0.05, 0.1]), m.bodies[1].name
    m.add_shape("ball", wt.Sphere(0.05), body=body, placement=wt.Placement(at))
    q = wt.assemble(m, m.neutral())
    qd, tau = wt.project_velocity(m, q, np.array([0.7, 0.0, 0.0])), np.array([0.3, -0.2, 0.1])
    pose = wt.frame_pose(m, q, body)
    up = -np.array(m.gravity) / np.linalg.norm(m.gravity)
    side = np.cross(up, [0.6, 0.64, 0.48])
    side = side / np.linalg.norm(side)
    axes = np.stack([side, np.cross(up, side), up], axis=1)
    m.add_shape(
        "floor",
        wt.Plane(),
        placement=wt.Placement(pose[:3, 3] + pose[:3, :3] @ at - 0.05 * up, rotation=axes),
    )
    m.add_contact("touch", "ball", "floor", friction=0.0)
    found = wt.contact.contact_forces(m, q, qd, tau, rows=[0])
    J, bias = wt.contact.contact_jacobian(m, q)[0, 0], wt.contact.contact_bias(m, q, qd)[0, 0]
    H, C = wt.crba(m, q), wt.bias_force(m, q, qd)
    K, k = wt.constraint_jacobian(m, q), wt.constraint_bias(m, q, qd)
    rows = np.concatenate([K, J[None]])
    matrix = np.block([[H, -rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    solved = np.linalg.lstsq(matrix, np.concatenate([tau - C, k, [-bias]]), rcond=1e-11)[0]
    assert solved[-1] > 0.0
    assert found.force[0, 0] == pytest.approx(solved[-1], rel=1e-9)
    np.testing.assert_allclose(found.qdd, solved[: m.nv], atol=1e-9)


def test_the_problem_of_a_tree_compiles() -> None:
    m = touching.crate(friction=0.4)
    k = wt.compile(wt.contact.contact_problem, m)
    rng = np.random.default_rng(0)
    q, qd, tau = m.random(rng), rng.normal(size=6), rng.normal(size=6)
    for got, expected in zip(k(q, qd, tau), wt.contact.contact_problem(m, q, qd, tau), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)


def test_the_problem_of_a_linkage_compiles_with_pivots() -> None:
    m = wt.examples.load("four-bar")
    m.add_shape("ball", wt.Sphere(0.05), m.bodies[1].name, wt.Placement((0.3, 0.05, 0.1)))
    m.add_shape("floor", wt.Plane())
    m.add_contact("touch", "ball", "floor")
    q = wt.assemble(m, m.neutral())
    qd, tau = wt.project_velocity(m, q, np.array([0.7, 0.0, 0.0])), np.array([0.3, -0.2, 0.1])
    k = wt.compile(wt.contact.contact_problem, m, pivots=projection_pivots(m, q))
    for got, expected in zip(k(q, qd, tau), wt.contact.contact_problem(m, q, qd, tau), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-11)


# The slot of RBDA example 11.1


def slot(radius: float = 0.1, rho: float = 0.5) -> wt.Mechanism:
    """A ball between a floor and a ceiling that bend towards each other from where it is."""
    m = wt.Mechanism("slot", gravity=(0, 0, 0))
    m.add_body("disc", wt.Translation(), inertia=wt.Inertia(2.0))
    m.add_shape("ball", wt.Sphere(radius), body="disc")
    for turn, name in ((0.0, "floor"), (np.pi, "ceiling")):
        bent = wt.Landscape(lambda x, y: 0.5 * x * x / rho - radius)
        m.add_shape(name, bent, placement=wt.Placement(rpy=(turn, 0, 0)))
        m.add_contact(f"{name} wall", "ball", name, friction=0.0)
    return m


def test_a_disc_that_moves_in_its_slot_has_no_solution_and_the_walls_are_named() -> None:
    m, speed = slot(), np.array([0.8, 0, 0])
    problem = wt.contact.contact_problem(m, np.zeros(3), speed, np.zeros(3))
    np.testing.assert_allclose(problem.M[:, 0, :, 0], [[0.5, -0.5], [-0.5, 0.5]], atol=1e-15)
    np.testing.assert_allclose(problem.d[:, 0], -(0.8**2) / (0.5 - 0.1), rtol=1e-12)
    with pytest.raises(wt.SolverError, match=r"'ball' on 'floor'.*'ball' on 'ceiling'"):
        wt.contact.contact_forces(m, np.zeros(3), speed, np.zeros(3))


def test_a_disc_at_rest_in_its_slot_has_many_solutions() -> None:
    push = np.array([3.0, 0.0, 1.5])
    found = wt.contact.contact_forces(slot(), np.zeros(3), np.zeros(3), push)
    assert found.unique is False
    np.testing.assert_allclose(found.force[:, 0], [0.0, 1.5], atol=1e-12)
    np.testing.assert_allclose(found.qdd, [1.5, 0.0, 0.0], atol=1e-12)


# Faults


def test_a_jamming_rod_is_told_as_painleve() -> None:
    """A uniform rod that slides at the angle arctan 2 has no solution beyond the friction 4/3, in one way."""
    angle = np.arctan(2.0)
    q = np.array([0.2, 0.5 * np.sin(angle) + 1e-9, -angle])
    for friction, speed, jams in ((1.33, -1.0, False), (1.34, -1.0, True), (1.34, 1.0, False)):
        m = wt.Mechanism("rod")
        m.add_body("across", wt.Prismatic("x"))
        m.add_body("up", wt.Prismatic("z"), "across")
        rod = wt.Inertia.rod((-0.5, 0, 0), (0.5, 0, 0), mass=1.0)
        m.add_body("rod", wt.Revolute("y"), "up", inertia=rod)
        m.add_shape("tip", wt.Sphere(1e-9), body="rod", placement=wt.Placement((-0.5, 0, 0)))
        m.add_shape("floor", wt.Plane())
        m.add_contact("scrape", "tip", "floor", friction=friction)
        qd = np.array([speed, 0.0, 0.0])
        if jams:
            with pytest.raises(wt.SolverError, match="'rod', which touches by 'scrape': Painlevé's paradox"):
                wt.contact.contact_forces(m, q, qd, np.zeros(3))
        else:
            assert wt.contact.contact_forces(m, q, qd, np.zeros(3)).force[0, 0] > 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: wt.contact.gauss_form(np.ones((2, 3)), np.ones(2)),
            r"R has shape \(2, 3\), expected \(2, 2\)",
        ),
        (lambda: wt.contact.lemke(np.array([[1.0, 2.0], [0.0, 1.0]]), np.ones(2)), "M is not symmetric"),
        (lambda: wt.contact.lemke(-np.eye(2), np.ones(2)), "M has the eigenvalue -1, must be positive"),
        (lambda: wt.contact.least_distance(np.ones((2, 2)), np.array([np.nan, 1.0])), r"d\[0\] is nan"),
        (
            lambda: wt.contact.coulomb(np.eye(3).reshape(1, 3, 1, 3), np.ones((1, 3)), np.array([-0.1])),
            "friction has -0.1, must be 0 or more",
        ),
        (
            lambda: wt.contact.contact_forces(touching.crate(), RESTING, np.zeros(6), np.zeros(6), rows=[8]),
            "rows has 8: there are 8 candidates",
        ),
        (
            lambda: wt.contact.contact_forces(
                touching.crate(), RESTING, np.zeros(6), np.zeros(6), rows=[1, 1]
            ),
            "rows names a candidate twice",
        ),
    ],
)
def test_wrong_input_is_told(call, message: str) -> None:
    with pytest.raises(wt.InputError, match=message):
        call()
