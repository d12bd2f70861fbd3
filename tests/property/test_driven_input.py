"""What `kinematics` refuses, and how it keeps its branch."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from whippletree.examples.bars import Linkage


@pytest.fixture(scope="module")
def four_bar() -> wt.Mechanism:
    return wt.examples.load("four-bar")


@pytest.mark.parametrize(
    ("drive", "message"),
    [
        (
            {"crank": 1.0, "rocker": 0.5},
            "driver 'rocker' of 'four-bar' is one too many: 'crank' and the loops already determine it. The "
            "mobility is 1",
        ),
        ({}, "'four-bar' has 1 freedom and 0 drivers: drive "),
        ({"crnk": 1.0}, "'four-bar' has no joint named 'crnk' to drive; known: crank, coupler, rocker, pin"),
        (
            {"crank": "fast"},
            "drive of 'crank': formula 'fast' of the time t: 'fast' is not known; there are t and pi",
        ),
        (
            {"crank": (1.0, 2.0)},
            "drive of 'crank': (1.0, 2.0) is no motion: expected a speed, a formula, a function of time, a "
            "MotionTable or a spline",
        ),
        (
            {"crank": lambda t: 1.0 if t > 0 else 2.0},
            "drive of 'crank' cannot be recorded, and its rates are found that way",
        ),
        ({"crank": lambda t: np.array([t, t])}, "drive of 'crank' gives 2 numbers, expected one"),
        (["crank"], "drive is ['crank'], expected motions by joint, as {'crank': 6.28}"),
    ],
)
def test_wrong_drivers_are_refused(four_bar, drive, message):
    with pytest.raises(wt.InputError) as raised:
        wt.kinematics(four_bar, drive, [0.0, 0.1])
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("t", "message"),
    [
        ([0.0, 0.2, 0.1], "t[2] is 0.1, not after t[1] = 0.2"),
        ([], "t is [], expected times (n,), finite, at least one"),
        ([0.0, np.inf], "expected times (n,), finite, at least one"),
        ("now", "t is 'now', expected times (n,)"),
    ],
)
def test_wrong_times_are_refused(four_bar, t, message):
    with pytest.raises(wt.InputError) as raised:
        wt.kinematics(four_bar, {"crank": 1.0}, t)
    assert message in str(raised.value)


def test_joints_of_many_coordinates_are_not_driven():
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, (0.1, 0.2, 0.3)))
    with pytest.raises(wt.InputError, match="cannot be driven: it has 4 coordinates and 3 velocities"):
        wt.kinematics(m, {"ball": 1.0}, [0.0])


def test_what_cannot_be_reached_is_told_with_time_and_joint(four_bar):
    """A rocker swings; driven on, it comes to where crank and coupler are in line."""
    with pytest.raises(wt.SolverError) as raised:
        wt.kinematics(four_bar, {"rocker": 1.0}, np.linspace(0.0, 3.0, 31))
    message = str(raised.value)
    assert "'four-bar' cannot follow its driver 'rocker' beyond t = " in message
    assert (
        "where joint 'coupler' does not go on" in message or "where joint 'crank' does not go on" in message
    )
    beyond = float(message.split("t = ")[1].split(" s")[0])
    # There crank and coupler lie in one line; the rocker has √0.2504 m, the ground 0.7 m.
    reach = 0.2 + np.sqrt(0.6**2 + 0.34**2)
    turned = np.arctan2(0.5, 0.02)
    most = np.pi - np.arccos((0.2504 + 0.49 - reach**2) / (2.0 * np.sqrt(0.2504) * 0.7)) - turned
    least = np.pi - np.arccos((0.2504 + 0.49 - (reach - 0.4) ** 2) / (2.0 * np.sqrt(0.2504) * 0.7)) - turned
    assert min(abs(beyond - abs(most)), abs(beyond - abs(least))) < 1e-5
    with pytest.raises(
        wt.SolverError, match=r"at t = 0 s, where driver 'rocker' begins: 'four-bar' cannot be"
    ):
        wt.kinematics(four_bar, {"rocker": lambda t: 1.5 + t}, [0.0, 1.0])


def parallelogram() -> wt.Mechanism:
    linkage = Linkage("parallelogram")
    a, b, c, d = (0.0, 0.0), (0.1, 0.2), (0.6, 0.2), (0.5, 0.0)
    linkage.bar("crank", a, b)
    linkage.bar("coupler", b, c, parent="crank")
    linkage.bar("rocker", d, c)
    linkage.pin("pin", c, "coupler", "rocker")
    return linkage.m


def test_a_parallelogram_stays_one_and_tells_where_it_need_not():
    m = parallelogram()
    t = np.linspace(0.0, 2.0 * np.pi, 50)
    motion = wt.kinematics(m, {"crank": 1.0}, t)
    assert_allclose(motion.q[:, 2], t, rtol=0, atol=1e-12)
    assert_allclose(motion.q[:, 1], -t, rtol=0, atol=1e-12)
    start = np.arctan2(0.2, 0.1)
    assert_allclose(
        [p.t for p in motion.branch_points], [np.pi - start, 2.0 * np.pi - start], rtol=0, atol=1e-6
    )
    assert {p.joint for p in motion.branch_points} <= {"coupler", "rocker"}
    exact = wt.kinematics(
        m, {"crank": lambda t: t - start}, [2.9, np.pi, 3.4], (2.9 - start) * np.array([1, -1, 1])
    )
    assert [p.t for p in exact.branch_points] == [np.pi]
    assert np.isnan(exact.qd[1, 1])
    assert np.all(np.isfinite(exact.q))
    assert_allclose(exact.q[:, 2], exact.q[:, 0], rtol=0, atol=1e-6)


def test_long_steps_keep_the_branch_that_short_ones_have(four_bar):
    short = wt.kinematics(four_bar, {"crank": -1.0}, np.linspace(0.0, 6.0, 121))
    long = wt.kinematics(four_bar, {"crank": -1.0}, np.linspace(0.0, 6.0, 4))
    assert_allclose(long.q, short.q[::40], rtol=0, atol=1e-12)
    assert_allclose(long.qdd, short.qdd[::40], rtol=0, atol=1e-11)


def test_tables_are_smooth_and_say_where_they_end():
    t = np.linspace(0.0, 2.0, 21)
    table = wt.MotionTable(t, np.sin(t))
    at = np.array([0.3, 1.234])
    assert_allclose(table(at).x, np.sin(at), rtol=0, atol=1e-6)
    assert_allclose(table(at).xdd, -np.sin(at), rtol=0, atol=1e-2)
    with pytest.raises(wt.InputError, match=r"t = 2.5 s is outside of the table, 0 … 2 s"):
        table(np.array([1.0, 2.5]))
    turning = wt.MotionTable([0.0, 0.5, 1.0], [0.0, 1.0, 0.0], periodic=True)
    assert_allclose(turning(np.array([1.5])).x, 1.0)
    for given, message in (
        (([0.0, 1.0, 1.0, 2.0], [0, 1, 2, 3]), r"t\[2\] is 1, not after t\[1\] = 1"),
        (([0.0, 1.0], [0, 1]), r"expected both \(n,\) with n of at least 4"),
        (([0.0, 1.0, 2.0, np.nan], [0, 1, 2, 3]), "must be finite"),
        ((["a"], [0]), "expected numbers"),
    ):
        with pytest.raises(wt.InputError, match=message):
            wt.MotionTable(*given)
    with pytest.raises(wt.InputError, match="begins with 0 and ends with 1: a periodic motion"):
        wt.MotionTable([0.0, 1.0, 2.0], [0.0, 2.0, 1.0], periodic=True)


def test_transmission_angles_and_frames(four_bar):
    m = four_bar.copy()
    m.add_frame("start", "coupler")
    m.add_frame("end", "coupler", wt.Placement((0.6, 0.34, 0.0)))
    m.add_frame("foot", "rocker")
    motion = wt.kinematics(m, {"crank": 1.0}, np.linspace(0.0, 6.0, 7))
    angle = motion.transmission_angle("start", "end", "foot")
    # By the law of cosines, from the diagonal between crank pin and foot.
    diagonal = np.linalg.norm(motion.frame("start").position - [0.7, 0.0, 0.0], axis=1)
    coupler, rocker = np.hypot(0.6, 0.34), np.hypot(0.02, 0.5)
    cosine = (coupler**2 + rocker**2 - diagonal**2) / (2.0 * coupler * rocker)
    assert_allclose(angle, np.arccos(cosine), rtol=0, atol=1e-12)
    end = motion.frame("end")
    assert_allclose(end.body_velocity[3], wt.frame_velocity(m, motion.q[3], motion.qd[3], "end"), atol=1e-13)
    with pytest.raises(wt.InputError, match="coincides with"):
        motion.transmission_angle("start", "end", "end")


def test_accelerations_are_projected(four_bar):
    rng = np.random.default_rng(3)
    q = wt.assemble(four_bar, np.array([0.4, 0.0, 0.0]), hold=["crank"])
    qd = wt.project_velocity(four_bar, q, rng.normal(size=3))
    qdd = wt.project_acceleration(four_bar, q, qd, rng.normal(size=3), hold=["crank"])
    K, k = wt.constraint_jacobian(four_bar, q), wt.constraint_bias(four_bar, q, qd)
    assert_allclose(K @ qdd, k, rtol=0, atol=1e-12)


def test_reactions_are_asked_for_by_name(four_bar):
    motion = wt.kinematics(four_bar, {"crank": 1.0}, [0.0, 0.4])
    found = motion.reactions()
    joints, loops = wt.reactions(four_bar, motion.q[1], motion.qd[1], motion.tau[1])
    assert_allclose(found.of("rocker")[1], joints[2], rtol=0, atol=1e-10)
    assert_allclose(found.of("pin")[1], loops[0], rtol=0, atol=1e-10)
    with pytest.raises(wt.InputError, match="has no joint or loop joint named 'pn'; known: crank, coupler"):
        found.of("pn")
    with pytest.raises(wt.InputError, match="axes is 'wrld', expected one of 'body', 'world'"):
        found.unique("pin", "wrld")


def test_what_cannot_move_needs_no_kinematics():
    m = wt.Mechanism("truss")
    m.add_body("left", wt.Revolute("y"))
    m.add_body("right", wt.Revolute("y"), placement=wt.Placement((1.0, 0.0, 0.0)))
    ends = wt.Placement((0.5, 0.0, 0.7)), wt.Placement((-0.5, 0.0, 0.7))
    m.add_loop("apex", wt.Revolute("y"), "left", "right", *ends)
    with pytest.raises(wt.InputError, match="'truss' has no freedom and no driver: it stands still"):
        wt.kinematics(m, {}, [0.0, 1.0])


def test_motions_of_many_positions_do_not_depend_on_how_many_are_asked_for(four_bar):
    """More than there is room for at once, against every hundredth of them, copied in between."""
    t = np.linspace(0.0, 9.0, 1201)
    many, few = (wt.kinematics(four_bar, {"crank": "t + 0.3 * sin(t)"}, at) for at in (t, t[::100]))
    for found in (many, copy.deepcopy(many)):
        assert_allclose(found.q[::100], few.q, rtol=0, atol=1e-13)
        assert_allclose(found.qdd[::100], few.qdd, rtol=0, atol=1e-11)
        assert_allclose([at.t for at in found.dead_centres], [at.t for at in few.dead_centres], atol=1e-9)


BROKEN = {
    "a jump": (
        lambda t: wt.where(t < 0.5123, 0.3, 0.9),
        "its position jumps from 0.3 to 0.9 at t = 0.5123 s",
    ),
    "a pole": ("tan(3.3*t)", "at t = 0.475998887 s and grows without bound"),
    "infinite speed": (lambda t: np.sqrt(abs(t - 0.51234)), "at t = 0.51234 s and grows without bound"),
    "no number for a while": (
        lambda t: wt.where(abs(t - 0.41234) < 0.01, np.nan, np.sin(t)),
        "its position is nan at t = 0.4025 s, expected a finite number",
    ),
    "no number at a step": (
        lambda t: wt.where(abs(t - 0.4124) < 1e-6, np.nan, np.sin(t)),
        "its position is nan at t = 0.4124 s, expected a finite number",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_motions_that_no_body_can_follow_are_refused(what):
    """Within a run, where neither its start nor its end tells; looks 0.5 ms apart and steps of 0.1 ms."""
    motion, message = BROKEN[what]
    m = wt.examples.load("pendulum")
    with pytest.raises(wt.InputError) as raised:
        wt.simulate(m, duration=1.0, method="rk4", dt=1e-4, drive={"rod": motion})
    assert str(raised.value).startswith("drive of 'rod': ")
    assert message in str(raised.value)
    if what != "no number at a step":
        m.add_driver("motor", motion, "rod")
        with pytest.raises(wt.InputError, match="drive of 'motor': its "):
            wt.rollout(m, [0.0], [0.0], steps=1000)


@pytest.mark.parametrize("motion", [lambda t: abs(t - 0.51234), lambda t: 0.1 * np.sin(1e4 * t), 1e12])
def test_corners_and_fast_motions_are_followed(motion):
    run = wt.simulate(wt.examples.load("pendulum"), duration=1.0, method="rk4", drive={"rod": motion})
    end = 1e12 if motion == 1e12 else motion(1.0)
    assert_allclose(run.q[-1] - run.q[0], end - (0.0 if motion == 1e12 else motion(0.0)), rtol=1e-12)
