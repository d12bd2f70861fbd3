"""Semi-recursive methods against what Yu, Mikkola, Pan and Escalona print, entry by entry.

The equations are written out here in two dimensions, as in the paper; the library has them in three.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.formulations import semi_recursive as sr

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])  # Ĩ
STEP = 1e-30
Z = np.array([0.37, 0.21, -0.58, 0.83, 0.29])
ZD = np.array([1.3, -0.7, 0.9, -1.1, 0.6])


def rocker():
    return wt.examples.load("quick-return-rocker")


def points(m, seed=0):
    """General reference points, none of them a centre of mass or a joint."""
    return np.random.default_rng(seed).normal(size=(len(m), 3)) * 0.2


def printed_places(m, z, p):
    """R_i, r_j and h_2 of figure 8, from the poses of the bodies."""
    poses = wt.forward_kinematics(m, z)
    R = [(T[:3, :3] @ u + T[:3, 3])[:2] for T, u in zip(poses, p, strict=True)]
    r = [T[:2, 3] for T in poses]
    h = poses[0][:2, :2] @ (np.array([0.16, 0.48]) / np.hypot(0.16, 0.48))
    return R, r, h


def column(upper, lower):
    return np.array([*upper, lower])


def test_V_is_equation_38():
    m = rocker()
    p = points(m)
    R, r, h = printed_places(m, Z, p)

    def pin(i, j):
        return column(TURN @ (R[i] - r[j]), 1.0)

    slide, none = column(h, 0.0), np.zeros(3)
    rows = [
        [pin(0, 0), none, none, none, none],
        [pin(1, 0), slide, none, none, none],
        [pin(2, 0), slide, pin(2, 2), none, none],
        [pin(3, 0), none, none, pin(3, 3), none],
        [pin(4, 0), none, none, pin(4, 3), pin(4, 4)],
    ]
    expected = np.concatenate([np.array(row).T for row in rows])
    V = sr.velocity_transformation(m, Z, p)
    assert_allclose(V[sr.planar_rows(m)], expected, rtol=0, atol=1e-15)
    out = np.delete(V, sr.planar_rows(m), axis=0)
    assert np.all(out == 0.0)  # nothing moves across the plane


def test_W_is_equation_39():
    m = rocker()
    rows = sr.planar_rows(m)
    _, r, h = printed_places(m, Z, np.zeros((5, 3)))
    b = [column(-TURN @ r[j], 1.0) for j in range(5)]
    b[1] = column(h, 0.0)
    R_d = np.zeros((15, 5))
    for j in range(5):
        R_d[3 * j : 3 * j + 3, j] = b[j]
    paths = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 0, 0, 1, 0], [1, 0, 0, 1, 1]]
    T = np.kron(paths, np.eye(3))
    assert_allclose(sr.joint_projection(m, Z)[rows], R_d, rtol=0, atol=1e-15)
    assert np.array_equal(sr.path_matrix(m)[np.ix_(rows, rows)], T)
    assert_allclose(sr.intermediate_transformation(m, Z)[rows], T @ R_d, rtol=0, atol=1e-15)
    p = points(m)
    R, _, _ = printed_places(m, Z, p)
    D = np.zeros((15, 15))
    for i in range(5):
        D[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = np.block([[np.eye(2), (TURN @ R[i])[:, None]], [0, 0, 1]])
    assert_allclose(sr.reference_transformation(m, Z, p)[np.ix_(rows, rows)], D, rtol=0, atol=1e-15)
    assert_allclose(sr.velocity_transformation(m, Z, p)[rows], D @ T @ R_d, rtol=0, atol=1e-15)


def test_products_are_equations_28_31_34():
    """As printed: e_i = -θ̇² R_i, d = (θ̇_i² - θ̇_{i-1}²) r_j and 2 ż θ̇ Ĩ h."""
    m = rocker()
    rows, p = sr.planar_rows(m), points(m)
    R, r, h = printed_places(m, Z, p)
    w = np.array([ZD[0], ZD[0], ZD[0] + ZD[2], ZD[0] + ZD[3], ZD[0] + ZD[3] + ZD[4]])
    before = np.array([0.0, w[0], w[1], w[0], w[3]])
    e = np.concatenate([column(-(w[i] ** 2) * R[i], 0.0) for i in range(5)])
    d = [column((w[j] ** 2 - before[j] ** 2) * r[j], 0.0) for j in range(5)]
    d[1] = column(2.0 * ZD[1] * w[0] * TURN @ h, 0.0)
    found = sr.classical_products(m, Z, ZD, p)
    assert_allclose(found.e[rows], e, rtol=0, atol=1e-14)
    assert_allclose(found.d[rows], np.concatenate(d), rtol=0, atol=1e-14)


def test_the_two_sets_of_products_must_not_be_mixed():
    m, p = rocker(), points(rocker())
    DT = sr.reference_transformation(m, Z, p) @ sr.path_matrix(m)
    expected = sr.velocity_transformation_rate(m, Z, ZD, p) @ ZD
    classical, spatial = sr.classical_products(m, Z, ZD, p), sr.spatial_products(m, Z, ZD, p)
    for own in (classical, spatial):
        assert_allclose(own.e + DT @ own.d, expected, rtol=0, atol=1e-14)
    for e, d in ((classical.e, spatial.d), (spatial.e, classical.d)):
        assert np.max(np.abs(e + DT @ d - expected)) > 1.0


def test_rates_of_V_are_equation_23_with_the_carrying_body():
    """V̇_3^2, the slide seen from the crank, turns with the rocker, not with the crank."""
    m = rocker()
    _, _, h = printed_places(m, Z, points(m))
    rate = sr.velocity_transformation_rate(m, Z, ZD)[sr.planar_rows(m)]
    assert_allclose(rate[6:9, 1], column(ZD[0] * TURN @ h, 0.0), rtol=0, atol=1e-15)
    assert np.linalg.norm(rate[6:8, 1] - (ZD[0] + ZD[2]) * TURN @ h) > 0.1


# Figure 1: ground, a hinge at P, body 1, a slide from Q to S, body 2


PIVOT, Q_BAR, TILT, AXIS = np.array([0.3, 0.2]), np.array([0.5, 0.15]), 0.4, np.array([0.8, 0.6])
POINTS = np.array([[0.21, -0.13, 0.0], [-0.17, 0.26, 0.0]])


def figure_1():
    m = wt.Mechanism("figure-1", gravity=(0.0, -9.81, 0.0))
    rod = wt.Inertia(1.3, (0.3, 0.1, 0.0), (0.02, 0.05, 0.07))
    m.add_body("one", wt.Revolute("z"), placement=wt.Placement((*PIVOT, 0.0)), inertia=rod)
    slide = wt.Prismatic((*(rotation(-TILT) @ AXIS), 0.0))
    place = wt.Placement((*Q_BAR, 0.0), rpy=(0.0, 0.0, TILT))
    m.add_body("two", slide, parent="one", placement=place, inertia=rod)
    return m


def rotation(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def test_coordinates_and_constraints_are_equations_2_5_10():
    m, z = figure_1(), np.array([0.7, 0.34])
    q = sr.planar_coordinates(m, z, POINTS)
    A_1, A_2 = rotation(z[0]), rotation(z[0] + TILT)
    u_P, u_Q, u_S = -A_1 @ POINTS[0, :2], A_1 @ (Q_BAR - POINTS[0, :2]), -A_2 @ POINTS[1, :2]
    h = A_1 @ AXIS
    R_1 = PIVOT - u_P
    R_2 = R_1 + u_Q + z[1] * h - u_S
    assert_allclose(q, [[*R_1, z[0]], [*R_2, z[0] + TILT]], rtol=0, atol=1e-15)
    C_q = np.zeros((4, 6))
    C_q[:2, :2], C_q[:2, 2] = np.eye(2), TURN @ u_P
    C_q[2, [2, 5]] = -1.0, 1.0
    C_q[3] = [*(-h @ TURN), -h @ (R_1 - R_2 - u_S), *(h @ TURN), -h @ u_S]
    assert_allclose(sr.planar_constraint_jacobian(m, q, POINTS), C_q, rtol=0, atol=1e-15)
    off = q + np.random.default_rng(1).normal(size=(2, 3)) * 0.3  # away from what the joints allow
    B_1, B_2 = rotation(off[0, 2]), rotation(off[1, 2])
    gap = off[0, :2] + B_1 @ (Q_BAR - POINTS[0, :2]) - off[1, :2] + B_2 @ POINTS[1, :2]
    C = [*(off[0, :2] - B_1 @ POINTS[0, :2] - PIVOT), off[1, 2] - off[0, 2] - TILT, (TURN @ B_1 @ AXIS) @ gap]
    assert_allclose(sr.planar_constraints(m, off, POINTS), C, rtol=0, atol=1e-15)
    for k in range(6):
        nudged = off + STEP * 1j * np.eye(6)[k].reshape(2, 3)
        derivative = np.imag(sr.planar_constraints(m, nudged, POINTS)) / STEP
        assert_allclose(sr.planar_constraint_jacobian(m, off, POINTS)[:, k], derivative, rtol=0, atol=1e-14)


def test_V_is_equation_11_and_spans_what_the_constraints_leave():
    m, z = figure_1(), np.array([0.7, 0.34])
    q = sr.planar_coordinates(m, z, POINTS)
    V = sr.velocity_transformation(m, z, POINTS)[sr.planar_rows(m)]
    turn = [*(TURN @ (q[0, :2] - PIVOT)), 1.0, *(TURN @ (q[1, :2] - PIVOT)), 1.0]
    slide = [0.0, 0.0, 0.0, *(rotation(z[0]) @ AXIS), 0.0]
    assert_allclose(V, np.array([turn, slide]).T, rtol=0, atol=1e-15)
    C_q = sr.planar_constraint_jacobian(m, q, POINTS)
    assert_allclose(C_q @ V, 0.0, rtol=0, atol=1e-15)
    for i in range(2):  # (47): only the sum over bodies vanishes
        part = C_q[:, 3 * i : 3 * i + 3] @ V[3 * i : 3 * i + 3]
        assert np.max(np.abs(part)) > 0.3


COORDINATES = ["one.x", "one.y", "one.theta", "two.x", "two.y", "two.theta"]
WITHOUT_R2 = {pair for pair in combinations(COORDINATES, 2) if not {"two.x", "two.y"} & {*pair}}


def test_six_of_fifteen_pairs_are_singular_and_named():
    """Every pair without a component of R_2: it does not tell the slide. The paper names one of them."""
    m, z = figure_1(), np.array([0.7, 0.34])
    C_q = sr.planar_constraint_jacobian(m, sr.planar_coordinates(m, z, POINTS), POINTS)
    V = sr.velocity_transformation(m, z, POINTS)[sr.planar_rows(m)]
    assert len(WITHOUT_R2) == 6
    for pair in WITHOUT_R2:
        told = f"^'{pair[0]}', '{pair[1]}' cannot be the independent coordinates of 'figure-1' at this q"
        held = "with them held, 'two.x', 'two.y' could still move"
        with pytest.raises(wt.SingularError, match=f"{told}: {held}"):
            sr.planar_partition(m, z, list(pair), POINTS)
    for pair in set(combinations(COORDINATES, 2)) - WITHOUT_R2:
        found = sr.planar_partition(m, z, list(pair), POINTS)
        assert found.H.shape == (6, 2)
        assert found.independent == pair
        assert 1.0 < found.condition < 1e3
        assert_allclose(C_q @ found.H, 0.0, rtol=0, atol=1e-13)
        chosen = [COORDINATES.index(name) for name in pair]
        assert_allclose(found.H @ V[chosen], V, rtol=0, atol=1e-13)  # the same motions as by V
    best = sr.planar_partition(m, z, points=POINTS)
    assert best.independent not in WITHOUT_R2
    assert best.condition < 10.0


def test_a_bad_choice_shows_in_its_condition():
    """Where the slide is nearly along x, R_2y hardly tells it."""
    m = figure_1()
    level = -np.arctan2(AXIS[1], AXIS[0])
    pair = ["one.theta", "two.y"]
    conditions = [sr.planar_partition(m, np.array([level + by, 0.3]), pair).condition for by in (1e-4, 0.5)]
    close, far = conditions
    assert far < 10.0
    assert 1e3 < close < 1e6


@pytest.mark.parametrize(
    ("independent", "message"),
    [
        (
            ["one.x", "two.z"],
            "'figure-1' has no reference coordinate 'two.z'; did you mean 'two.y' or 'two.x'",
        ),
        (
            ["one.x"],
            r"independent has 1 different names \('one.x'\), expected 2: one per freedom of the open",
        ),
        (["one.x", "one.x"], "independent has 1 different names .* expected 2"),
    ],
)
def test_wrong_names_of_coordinates_are_told(independent, message):
    with pytest.raises(wt.InputError, match=message):
        sr.planar_partition(figure_1(), np.array([0.7, 0.34]), independent)


# Section 7: the closed quick return


def test_closure_is_equations_56_57():
    """The library's loop constraints and the printed ones hold the same motions, four of five."""
    m = rocker()
    q = wt.assemble(m, m.neutral() + 0.1)
    guide = wt.forward_kinematics(m, m.neutral())[4][1, 3]

    def printed(z):
        poses = wt.forward_kinematics(m, z)
        pivot = poses[2] @ np.array([-0.16, -0.12, 0.0, 1.0])
        angle = z[0] + z[3] + z[4]
        return np.array([pivot[0], pivot[1], angle, guide - poses[4][1, 3]])

    assert_allclose(printed(q), 0.0, rtol=0, atol=1e-12)
    C_z = np.array([np.imag(printed(q + STEP * 1j * e)) / STEP for e in np.eye(5)]).T
    K = wt.constraint_jacobian(m, q)
    assert np.linalg.matrix_rank(C_z) == np.linalg.matrix_rank(K) == 4
    assert np.linalg.matrix_rank(np.concatenate([C_z, K]), tol=1e-10) == 4


def test_ten_seconds_of_the_closed_quick_return():
    """I and II, coordinate reduction and the whole equation, through the same integrator."""
    m = rocker()
    options: dict[str, Any] = {"duration": 10.0, "sample": 0.5, "rtol": 1e-10, "atol": 1e-12}
    runs = {
        name: wt.simulate(m, dynamics=name, **options)
        for name in ("grcr", "kkt", "semi-recursive-1", "semi-recursive-2")
    }
    expected = runs["grcr"]
    assert np.ptp(expected.q[:, 2]) > 4.0  # the crank swings far
    for name, run in runs.items():
        assert run.dynamics == name
        assert_allclose(run.q, expected.q, rtol=0, atol=1e-7)
        assert_allclose(run.qd, expected.qd, rtol=0, atol=1e-6)
        assert np.max(np.abs(run.constraint_error)) < 1e-12
    # Baumgarte pulls gaps together that it lets open first: below 1e-8 m here, and positions drift with them.
    run = wt.simulate(m, dynamics="semi-recursive-1", stabilization=wt.stabilization_time(m), **options)
    assert 1e-14 < np.max(np.abs(run.constraint_error)) < 1e-8
    assert_allclose(run.q, expected.q, rtol=0, atol=1e-6)


def test_the_quick_return_moves_alike_whichever_joints_are_cut():
    other, m = wt.examples.load("quick-return"), rocker()
    a = wt.forward_dynamics(other, other.neutral(), np.zeros(5), np.zeros(5))
    b = wt.forward_dynamics(m, m.neutral(), np.zeros(5), np.zeros(5), method="semi-recursive-2")
    rocker_of = [list(x.joint_names).index("rocker") for x in (other, m)]
    assert_allclose(b[rocker_of[1]], a[rocker_of[0]], rtol=1e-12)


# Appendix B


def follower(joint, on="ground", place=None):
    m = wt.Mechanism("follower", gravity=(1.1, -9.0, 0.0))
    body = wt.Inertia(1.7, (0.2, -0.1, 0.0), (0.03, 0.04, 0.06))
    if on != "ground":
        m.add_body(on, wt.Revolute("z"), placement=wt.Placement((0.2, 0.1, 0.0)), inertia=body)
    m.add_body("beam", joint, parent=on, placement=place or wt.Placement(), inertia=body)
    return m


def test_point_on_a_line_is_equation_B3():
    angle, z, u = 0.6, np.array([0.35, 0.8]), np.array([[0.3, -0.2, 0.0]])
    place = wt.Placement((0.1, 0.4, 0.0), rpy=(0.0, 0.0, angle))
    m = follower(sr.PointOnLine(), place=place)
    h = np.array([np.cos(angle), np.sin(angle)])
    away = rotation(angle + z[1]) @ u[0, :2]  # R_1 - r^P
    expected = np.array([[*h, 0.0], [*(TURN @ away), 1.0]]).T
    V = sr.velocity_transformation(m, z, u)[sr.planar_rows(m)]
    assert_allclose(V, expected, rtol=0, atol=1e-15)
    two = wt.Mechanism("carrier", gravity=m.gravity)  # a slide, a carrier without mass, a hinge
    two.add_body("carrier", wt.Prismatic("x"), placement=place)
    two.add_body("beam", wt.Revolute("z"), parent="carrier", inertia=m.bodies[0].inertia)
    qd, tau = np.array([0.9, -1.4]), np.array([0.3, 0.7])
    expected = wt.aba(two, z, qd, tau)
    for method in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, z, qd, tau, method), expected, rtol=1e-12)


def heart(z):
    """A smooth outline, not round, and its derivatives."""
    s = 0.09 + 0.02 * np.cos(z) + 0.01 * np.sin(2.0 * z)
    return s, -0.02 * np.sin(z) + 0.02 * np.cos(2.0 * z), -0.02 * np.cos(z) - 0.04 * np.sin(2.0 * z)


def table(count=48):
    return sr.CamTable(tuple(heart(2.0 * np.pi * k / count)[0] for k in range(count)))


@pytest.mark.parametrize("profile", [heart, table()])
def test_cam_and_follower_are_equations_B6_B7(profile):
    z, zd = np.array([0.7, 0.4, -0.3]), np.array([1.2, -0.8, 0.5])
    pivot, tip = np.array([0.2, 0.1]), np.array([-0.05, 0.15])
    found = sr.cam_transformation(profile, z, zd, pivot, tip)
    s, *_ = profile(z[0])
    a = s * np.array([np.cos(z[0] + z[1]), np.sin(z[0] + z[1])])
    b = -rotation(z[2]) @ tip
    assert_allclose(found.q, [*(pivot + a + b), z[2]], rtol=0, atol=1e-15)
    assert_allclose(found.V[:, 1], [*(TURN @ a), 0.0], rtol=0, atol=1e-15)
    assert_allclose(found.V[:, 2], [*(TURN @ b), 1.0], rtol=0, atol=1e-15)
    for k in range(3):
        nudged = sr.cam_transformation(profile, z + STEP * 1j * np.eye(3)[k], zd, pivot, tip)
        assert_allclose(found.V[:, k], np.imag(nudged.q) / STEP, rtol=0, atol=1e-14)
    moved = sr.cam_transformation(profile, z + STEP * 1j * zd, zd, pivot, tip)
    assert_allclose(found.V_rate, np.imag(moved.V) / STEP, rtol=0, atol=1e-13)


@pytest.mark.parametrize("profile", [heart, table()])
def test_the_joint_of_a_cam_moves_as_the_printed_coordinates(profile):
    """M and Q by (44) with V_2 of (B.7), against the tree in which the angle is counted from the cam."""
    m = follower(sr.CamFollower(profile), on="cam")
    z, zd = np.array([0.7, 0.4, -0.3]), np.array([1.2, -0.8, 0.5])
    to_joints = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 1.0]])  # cam, z_1, z_3 - z_2
    q, qd = to_joints @ z, to_joints @ zd
    found = sr.cam_transformation(profile, z, zd, np.array([0.2, 0.1]), np.zeros(2))
    inertia, g = m.bodies[1].inertia, np.array(m.gravity)[:2]
    u = rotation(z[2]) @ inertia.com[:2]
    J = inertia.about_com[2, 2] + inertia.m * u @ u
    M_2 = np.block([[inertia.m * np.eye(2), inertia.m * (TURN @ u)[:, None]], [inertia.m * TURN @ u, J]])
    Q_v = inertia.m * zd[2] ** 2 * column(u, 0.0)  # plus: (44) has the other sign
    Q_e = inertia.m * column(g, (TURN @ u) @ g)
    u_1 = rotation(z[1]) @ inertia.com[:2]
    M, Q = found.V.T @ M_2 @ found.V, found.V.T @ (Q_v + Q_e - M_2 @ (found.V_rate @ zd))
    M[1, 1] += inertia.about_com[2, 2] + inertia.m * u_1 @ u_1
    Q[1] += inertia.m * (TURN @ u_1) @ g
    for equations in (sr.joint_equations_1, sr.joint_equations_2):
        tree = equations(m, q, qd)
        assert_allclose(to_joints.T @ tree.M @ to_joints, M, rtol=0, atol=1e-13)
        assert_allclose(to_joints.T @ (tree.Q_v + tree.Q_e), Q, rtol=0, atol=1e-12)
    tau = np.array([0.4, -0.2, 0.1])
    expected = wt.aba(m, q, qd, tau)
    for name in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, q, qd, tau, name), expected, rtol=1e-11)


def test_a_cam_closes_a_loop_and_is_simulated():
    """A flat bar on a slide, lifted by a cam: the follower's point is held by the loop joint."""
    m = wt.Mechanism("cam-lift", gravity=(0.0, -9.81, 0.0))
    disk = wt.Inertia(0.8, (0.02, 0.01, 0.0), (0.01, 0.01, 0.02))
    m.add_body("cam", wt.Revolute("z"), inertia=disk)
    m.add_body("lifter", wt.Prismatic("y"), placement=wt.Placement((0.01, 0.08, 0.0)), inertia=disk)
    m.add_loop("contact", sr.CamFollower(table(12)), "cam", "lifter")
    q = wt.assemble(m, m.neutral(), hold=["cam"])
    assert wt.mobility(m, q).mobility == 1
    qd = wt.project_velocity(m, q, np.array([5.0, 0.0]), hold=["cam"])
    options: dict[str, Any] = {"duration": 1.0, "sample": 0.1, "rtol": 1e-10, "atol": 1e-12}
    runs = [wt.simulate(m, q, qd, dynamics=name, **options) for name in ("semi-recursive-1", "kkt")]
    assert np.ptp(runs[0].q[:, 1]) > 0.02
    assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-7)
    assert np.ptp(runs[0].energy) < 1e-6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([0.1, 0.2], [0, 0, 0], [0, 0], [0, 0]),
            r"z has shape \(2,\), expected \(3,\): one entry per",
        ),
        (
            ([0.1, 0.2, 0.3], [0, 0, 0], [0, 0, 0], [0, 0]),
            r"pivot has shape \(3,\), expected \(2,\): a point",
        ),
    ],
)
def test_wrong_coordinates_of_a_cam_are_told(arguments, message):
    with pytest.raises(wt.InputError, match=message):
        sr.cam_transformation(heart, *arguments)


def test_a_table_is_periodic_and_twice_continuously_differentiable():
    cam, step = table(12), 2.0 * np.pi / 12
    for k in range(-3, 15):
        angle = k * step
        assert_allclose(cam(angle)[0], heart(angle)[0], rtol=1e-13)
        left, right = cam(angle - 1e-9), cam(angle + 1e-9)
        assert_allclose(left, right, rtol=0, atol=1e-8)
    for angle in (0.3, 2.2, -1.7):
        assert_allclose(cam(angle), cam(angle + 4.0 * np.pi), rtol=0, atol=1e-13)
        derivatives = [np.imag(part) / STEP for part in cam(angle + STEP * 1j)[:2]]
        assert_allclose(cam(angle)[1:], derivatives, rtol=0, atol=1e-14)
    assert_allclose(table(400)(1.234), heart(1.234), rtol=1e-4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sr.CamTable((0.1, 0.2, 0.3)), r"radii have shape \(3,\), expected at least 4 numbers"),
        (
            lambda: sr.CamTable((0.1, 0.2, -0.3, 0.1)),
            "radii go from -0.3 to 0.2 m: all must be finite",
        ),
        (lambda: sr.CamFollower(lambda z: (0.1 + 0.01 * z, 0.01, 0.0)), "m a full turn on"),
        (lambda: sr.CamFollower(lambda z: (np.cos(z), -np.sin(z), -np.cos(z))), "must be above 0"),
        (
            lambda: sr.CamFollower(lambda z: (0.1 + 0.01 * np.sin(z), 0.01, 0.0)),
            "first derivative .* is 0.01",
        ),
        (
            lambda: sr.CamFollower(lambda z: (0.1 + 0.01 * np.sin(z), 0.01 * np.cos(z), 0.0)),
            "second derivative .* is 0 at -3.1 rad, but differences there make it .*: give s, ds/dz and",
        ),
    ],
)
def test_outlines_that_no_cam_has_are_refused(make, message):
    with pytest.raises(wt.ModelError, match=message):
        make()
