"""Semi-recursive methods on random mechanisms of every joint type: identities, and agreement with others."""

import numpy as np
import pytest
from matplotlib.text import Annotation
from numpy.testing import assert_allclose

import closed
import randoms
import whippletree as wt
from whippletree.formulations import semi_recursive as sr
from whippletree.formulations.semi_recursive.velocity_transformation import transfer
from whippletree.spatial import skew

NAMES = list(randoms.JOINTS)
BOTH = ("semi-recursive-1", "semi-recursive-2")
STEP = 1e-30


def case(kind, seed):
    """A tree with this joint type and four others, a state, and reference points in general position."""
    rng = np.random.default_rng(seed)
    m = randoms.tree(rng, [kind, *(str(name) for name in rng.choice(NAMES, 4)), kind])
    q, qd = randoms.state(rng, m)
    return rng, m, q, qd, rng.normal(size=(len(m), 3))


@pytest.mark.parametrize("kind", NAMES)
def test_transformations(kind):
    _, m, q, qd, points = case(kind, 1)
    V, rate = sr.velocity_transformation(m, q, points), sr.velocity_transformation_rate(m, q, qd, points)
    D, T, R_d = sr.reference_transformation(m, q, points), sr.path_matrix(m), sr.joint_projection(m, q)
    size = 1.0 + np.abs(V).max()
    assert_allclose(D @ T @ R_d, V, rtol=0, atol=1e-13 * size)
    assert_allclose(T @ R_d, sr.intermediate_transformation(m, q), rtol=0, atol=1e-13 * size)
    moved = sr.velocity_transformation(m, q + STEP * 1j * m.rate(q, qd), points)
    assert_allclose(rate, np.imag(moved) / STEP, rtol=0, atol=1e-12 * (1.0 + np.abs(rate).max()))
    for e, d in (sr.classical_products(m, q, qd, points), sr.spatial_products(m, q, qd, points)):
        assert_allclose(e + D @ T @ d, rate @ qd, rtol=0, atol=1e-12 * (1.0 + np.abs(rate @ qd).max()))
    # Velocities of points, by another road.
    for i, body in enumerate(m.bodies):
        m.add_frame(f"{body.name}.point", body.name, wt.Placement(points[i]))
        expected = wt.jacobian(m, q, f"{body.name}.point", "aligned")
        rows = V[6 * i : 6 * i + 6]
        assert_allclose(np.concatenate([rows[3:], rows[:3]]), expected, rtol=0, atol=1e-13 * size)


def test_transfers_of_appendices_C_and_D():
    R = np.random.default_rng(3).normal(size=(3, 3))
    B = {(i, j): transfer(R[i] - R[j]) for i in range(3) for j in range(3)}
    assert_allclose(B[2, 0], B[2, 1] @ B[1, 0], rtol=0, atol=1e-15)  # (C.3)
    assert_allclose(np.linalg.inv(transfer(R[1])) @ B[1, 0] @ transfer(R[0]), np.eye(6), atol=1e-14)  # (D.2)


def projected_by_matrices(m, q, qd, f_ext, points):
    """(51) and (52) as they stand, with all matrices whole."""
    M, Q_v, Q_e = sr.reference_point_equations(m, q, qd, f_ext, points)
    D, T, R_d = sr.reference_transformation(m, q, points), sr.path_matrix(m), sr.joint_projection(m, q)
    e, d = sr.classical_products(m, q, qd, points)
    P = R_d.T @ T.T @ D.T
    rotors = np.concatenate([np.zeros(0), *(np.full(body.joint.nv, body.armature) for body in m.bodies)])
    return P @ M @ D @ T @ R_d + np.diag(rotors), P @ (Q_v - M @ e - M @ D @ T @ d), P @ Q_e


@pytest.mark.parametrize("kind", NAMES)
def test_trees_agree_with_the_articulated_body_algorithm(kind):
    for seed in (2, 3):
        rng, m, q, qd, points = case(kind, seed)
        tau, f_ext = rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
        H, C = wt.crba(m, q), wt.bias_force(m, q, qd, f_ext)
        for equations in (sr.joint_equations_1, sr.joint_equations_2, projected_by_matrices):
            M, Q_v, Q_e = equations(m, q, qd, f_ext, points)
            assert_allclose(M, H, rtol=0, atol=1e-11 * np.abs(H).max(initial=1.0))
            assert_allclose(Q_v + Q_e, -C, rtol=0, atol=1e-11 * np.abs(C).max(initial=1.0))
            assert_allclose(
                Q_e,
                -wt.bias_force(m, q, np.zeros(m.nv), f_ext),
                rtol=0,
                atol=1e-11 * np.abs(C).max(initial=1.0),
            )
        expected = wt.aba(m, q, qd, tau, f_ext)
        for name in BOTH:
            found = wt.forward_dynamics(m, q, qd, tau, name, f_ext)
            assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max(initial=1e-3))


@pytest.mark.parametrize("kind", [name for name in NAMES if name != "free"])
def test_constraints_in_space_leave_what_V_spans(kind):
    _, m, q, _, points = case(kind, 4)
    poses = sr.spatial_coordinates(m, q, points)
    assert_allclose(sr.spatial_constraints(m, poses, points), 0.0, rtol=0, atol=1e-11)
    C_q, V = sr.spatial_constraint_jacobian(m, poses, points), sr.velocity_transformation(m, q, points)
    assert C_q.shape == (6 * len(m) - m.nv, 6 * len(m))
    assert np.linalg.matrix_rank(C_q) == len(C_q)
    assert_allclose(C_q @ V, 0.0, rtol=0, atol=1e-11 * np.abs(V).max(initial=1.0))
    found = sr.spatial_partition(m, q, points=points)
    assert_allclose(C_q @ found.H, 0.0, rtol=0, atol=1e-10 * np.abs(found.H).max(initial=1.0))
    names = [f"{body.name}.{part}" for body in m.bodies for part in ("x", "y", "z", "wx", "wy", "wz")]
    chosen = [names.index(name) for name in found.independent]
    assert sorted([*found.independent, *found.dependent]) == sorted(names)
    assert_allclose(found.H @ V[chosen], V, rtol=0, atol=1e-10 * np.abs(V).max(initial=1.0))


@pytest.mark.parametrize("seed", range(6))
def test_closed_mechanisms_agree_with_the_loop_solvers(seed):
    rng = np.random.default_rng(seed)
    joints = [str(name) for name in rng.choice(NAMES, 6)]
    loops = [str(name) for name in rng.choice(closed.LOOP_JOINTS, 1 + seed % 2)]
    m, q = closed.mechanism(rng, ["revolute", "spherical", *joints], loops)
    qd, tau, f_ext = closed.velocity(rng, m, q), rng.normal(size=m.nv), rng.normal(size=(len(m), 6))
    values = np.linalg.svd(wt.constraint_jacobian(m, q), compute_uv=False)
    assert values[values > 1e-9 * values[0]][-1] > 1e-3 * values[0]  # these seeds are not near singular
    expected = wt.forward_dynamics(m, q, qd, tau, "grcr", f_ext)
    for name in (*BOTH, "kkt"):
        found = wt.forward_dynamics(m, q, qd, tau, name, f_ext)
        assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max(), err_msg=name)


@pytest.mark.parametrize("name", BOTH)
def test_stabilization_is_that_of_the_other_solvers(name):
    rng = np.random.default_rng(5)
    m = wt.examples.load("quick-return-rocker")
    q, qd, tau = 1e-4 * rng.normal(size=5), rng.normal(size=5), rng.normal(size=5)
    solve = {"semi-recursive-1": sr.semi_recursive_1, "semi-recursive-2": sr.semi_recursive_2}[name]
    expected = wt.loops.kkt(m, q, qd, tau, stabilization=0.2)
    assert_allclose(
        solve(m, q, qd, tau, stabilization=0.2), expected, rtol=0, atol=1e-10 * np.abs(expected).max()
    )
    assert np.max(np.abs(solve(m, q, qd, tau) - expected)) > 0.1


@pytest.mark.parametrize("function", [sr.semi_recursive_1, sr.semi_recursive_2])
def test_they_compile(function):
    rng = np.random.default_rng(6)
    m = randoms.tree(rng, ["revolute", "spherical", "prismatic"])
    q, qd = randoms.state(rng, m)
    tau = rng.normal(size=m.nv)
    assert_allclose(wt.compile(function, m)(q, qd, tau), wt.aba(m, q, qd, tau), rtol=1e-11)
    loop = wt.examples.load("quick-return-rocker")
    q, tau = loop.neutral(), rng.normal(size=5)
    qd = wt.project_velocity(loop, q, rng.normal(size=5))
    kernel = wt.compile(function, loop, at=q)
    assert_allclose(kernel(q, qd, tau), wt.loops.kkt(loop, q, qd, tau), rtol=1e-10)


# The joints of appendix B


def egg(z):
    s = 0.4 + 0.1 * np.cos(z) + 0.05 * np.sin(2.0 * z)
    return s, -0.1 * np.sin(z) + 0.1 * np.cos(2.0 * z), -0.1 * np.cos(z) - 0.2 * np.sin(2.0 * z)


OWN = [
    sr.PointOnLine(),
    sr.CamFollower(egg),
    sr.CamFollower(sr.CamTable(tuple(egg(2.0 * np.pi * k / 16)[0] for k in range(16)))),
]


@pytest.mark.parametrize("joint", OWN)
def test_own_joints_are_joints(joint):
    rng = np.random.default_rng(8)
    q, qd = joint.random(rng), rng.normal(size=2)
    X, S, T = joint.transform(q), joint.motion_subspace(q), joint.constraint_subspace(q)
    moved = joint.transform(q + STEP * 1j * qd)
    v_J = S @ qd
    assert_allclose(np.imag(moved.E) / STEP, -skew(v_J[:3]) @ X.E, rtol=0, atol=1e-14)
    assert_allclose(X.E @ (np.imag(moved.r) / STEP), v_J[3:], rtol=0, atol=1e-14)
    rate = np.imag(joint.motion_subspace(q + STEP * 1j * qd)) / STEP
    assert_allclose(joint.motion_subspace_rate(q, qd), rate, rtol=0, atol=1e-13)
    assert_allclose(T.T @ S, 0.0, rtol=0, atol=1e-15)
    assert np.linalg.matrix_rank(T) == 4
    assert_allclose(joint.position_at(X), q, rtol=0, atol=1e-14)
    assert len(joint.units) == len(joint.labels) == 2


@pytest.mark.parametrize("joint", OWN)
def test_own_joints_move_in_trees_and_loops_by_every_method(joint, monkeypatch):
    monkeypatch.setitem(randoms.JOINTS, "own", lambda rng: joint)
    rng = np.random.default_rng(9)
    m = randoms.tree(rng, ["own", "revolute", "own", "spherical", "own"])  # some of them reversed
    (q, qd), tau = randoms.state(rng, m), rng.normal(size=m.nv)
    expected = wt.aba(m, q, qd, tau)
    assert_allclose(wt.rnea(m, q, qd, expected), tau, rtol=0, atol=1e-11)
    for name in wt.methods(m):
        assert_allclose(wt.forward_dynamics(m, q, qd, tau, name), expected, rtol=1e-9)
    closed.close(rng, m, q, "loop", "own", 1, 4)
    qd = closed.velocity(rng, m, q)
    expected = wt.forward_dynamics(m, q, qd, tau, "kkt")
    for name in (*BOTH, "grcr"):
        found = wt.forward_dynamics(m, q, qd, tau, name)
        assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


# Figures


def arrows(axis):
    """How far each arrow of a panel reaches, in the axes of the panel."""
    return [np.subtract(arrow.xy, arrow.xyann) for arrow in axis.texts if isinstance(arrow, Annotation)]


def test_a_figure_shows_the_columns_of_V(tmp_path):
    m, z = wt.examples.load("quick-return-rocker"), np.array([0.37, 0.21, -0.58, 0.83, 0.29])
    points = np.random.default_rng(7).normal(size=(5, 3)) * 0.2
    figure = wt.draw_velocity_transformation(m, z, points, tmp_path / "columns.png")
    assert (tmp_path / "columns.png").stat().st_size > 10_000
    V = sr.velocity_transformation(m, z, points).reshape(5, 6, 5)
    for k, carried in enumerate(([0, 1, 2, 3, 4], [1, 2], [2], [3, 4], [4])):
        drawn = np.array(arrows(figure.axes[k]))
        expected = V[carried, :2, k]
        assert_allclose(drawn / np.abs(drawn).max(), expected / np.abs(expected).max(), rtol=0, atol=1e-12)
    assert len(figure.axes[5].lines) == 11  # entries of T in (39)


def test_a_figure_in_space():
    m = wt.examples.load("spherical-pendulum")
    titles = [axis.get_title("left") for axis in wt.draw_velocity_transformation(m, m.neutral()).axes]
    assert len(titles) == m.nv + 1
    with pytest.raises(wt.InputError, match=r"points has shape \(7, 3\), expected \(1, 3\): one per body"):
        wt.draw_velocity_transformation(m, m.neutral(), np.zeros((7, 3)))


# Refusals


def test_planar_equations_refuse_joints_that_leave_the_plane_by_name():
    m = wt.examples.load("quick-return-rocker")
    m.add_body("wheel", wt.Revolute("x"), parent="ram", joint_name="axle", inertia=wt.Inertia(0.1))
    message = r"^planar_rows: joint 'axle' of 'quick-return-rocker', Revolute\(.*\), moves bodies out of"
    with pytest.raises(wt.ModelError, match=message):
        sr.planar_rows(m)
    with pytest.raises(wt.ModelError, match=r"^planar_coordinates: joint 'axle'"):
        sr.planar_coordinates(m, m.neutral())


@pytest.mark.parametrize("joint", [wt.Planar("z"), wt.Fixed(), sr.PointOnLine()])
def test_planar_constraints_refuse_other_joints_by_name(joint):
    m = wt.examples.load("quick-return-rocker")
    m.add_body("plate", joint, parent="ram", joint_name="pad", inertia=wt.Inertia(0.1))
    assert len(sr.planar_rows(m)) == 18
    message = r"joint 'pad' of 'quick-return-rocker' is .*: spatial_constraints takes any joint"
    with pytest.raises(wt.ModelError, match=message):
        sr.planar_partition(m, m.neutral())
    poses = sr.spatial_coordinates(m, m.neutral())
    assert_allclose(sr.spatial_constraints(m, poses), 0.0, rtol=0, atol=1e-14)


def test_planar_constraints_refuse_axes_turned_over():
    m = wt.examples.load("quick-return-rocker")
    m.add_body("flap", wt.Revolute("z"), parent="ram", placement=wt.Placement(rpy=(np.pi, 0.0, 0.0)))
    with pytest.raises(wt.ModelError, match=r"joint 'flap' of .* has its z axis along -z of the body before"):
        sr.planar_coordinates(m, m.neutral())


class Slider(wt.Joint):
    """A joint that nobody has told how to close a loop."""

    nq, nv = 1, 1

    def transform(self, q):
        return wt.Prismatic("x").transform(q)

    def motion_subspace(self, q):
        return wt.Prismatic("x").motion_subspace(q)


def test_constraints_in_space_refuse_joints_that_cannot_close_a_loop_by_name():
    m = wt.examples.load("pendulum")
    m.add_body("bead", Slider(), parent=m.bodies[-1].name, joint_name="wire", inertia=wt.Inertia(0.2))
    with pytest.raises(wt.ModelError, match=r"joint 'wire' of 'pendulum': .* cannot close a loop"):
        sr.spatial_constraints(m, sr.spatial_coordinates(m, m.neutral()))
    q, qd, tau = np.array([0.3, 0.2]), np.array([0.5, -0.7]), np.array([0.1, 0.4])
    for name in BOTH:  # its motion is all that these need
        assert_allclose(wt.forward_dynamics(m, q, qd, tau, name), wt.aba(m, q, qd, tau), rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"points": np.zeros((2, 3))}, r"points has shape \(2, 3\), expected \(5, 3\): one point per body"),
        ({"points": np.full((5, 3), np.nan)}, "points"),
    ],
)
def test_wrong_points_are_told(arguments, message):
    m = wt.examples.load("quick-return-rocker")
    with pytest.raises(wt.InputError, match=message):
        sr.velocity_transformation(m, m.neutral(), **arguments)


@pytest.mark.parametrize(
    ("function", "shape"), [(sr.planar_constraints, "(5, 3)"), (sr.spatial_constraints, "(5, 7)")]
)
def test_wrong_coordinates_are_told(function, shape):
    with pytest.raises(wt.InputError, match=rf"has shape \(4, 2\), expected \({shape[1:-1]}\)"):
        function(wt.examples.load("quick-return-rocker"), np.zeros((4, 2)))
