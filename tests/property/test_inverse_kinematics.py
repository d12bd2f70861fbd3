"""Inverse kinematics: what was asked for is there, on trees and loops, and what is not is told."""

import numpy as np
import pytest

import whippletree as wt
from complex_steps import by_complex_step, error
from randoms import JOINTS, tree
from whippletree.reaching.goals import Task
from whippletree.reaching.task_errors import task_errors

ARM = wt.examples.load("seven-axis-arm")


def poses(m: wt.Mechanism, q: np.ndarray, frame: str) -> np.ndarray:
    return np.array([wt.frame_pose(m, row, frame) for row in q])


def within(m: wt.Mechanism, q: np.ndarray) -> bool:
    limits = [(body.limits, index) for body, index in zip(m.bodies, m.q_index, strict=True) if body.limits]
    return all(np.all((q[..., k] >= one.lower) & (q[..., k] <= one.upper)) for one, k in limits)


def test_reachable_poses_are_reached_from_random_starts() -> None:
    rng = np.random.default_rng(0)
    goals, starts = ([ARM.random(rng) for _ in range(600)] for _ in range(2))  # so many begin roughly
    targets = poses(ARM, np.array(goals), "tool").reshape(3, 200, 4, 4)
    starts = np.array(starts).reshape(3, 200, 7)
    found = wt.inverse_kinematics(ARM, {"tool": targets}, starts)
    assert found.solved.mean() >= 0.995
    assert found.q.shape == (3, 200, 7)
    assert within(ARM, found.q)
    there = poses(ARM, found.q.reshape(-1, 7), "tool").reshape(targets.shape)
    assert np.abs(there - targets)[found.solved].max() < 2e-6
    assert str(found).startswith(f"{found.solved.sum()} of 600 reached")
    again = wt.inverse_kinematics(ARM, {"tool": targets}, starts, threads=2)
    assert np.array_equal(again.q, found.q)


def ball_and_hinges() -> wt.Mechanism:
    m = wt.Mechanism("ball and hinges")
    at = wt.Placement((0.7, 0.1, 0.0))
    m.add_body("upper", wt.Spherical(), inertia=wt.Inertia(1.0))
    m.add_body("lower", wt.Revolute("y"), "upper", at, wt.Inertia(1.0), limits=wt.Limits(-2.1, 0.3))
    m.add_body("hand", wt.Revolute("z"), "lower", at, wt.Inertia(1.0))
    m.add_frame("tip", "hand", wt.Placement((0.4, 0.0, 0.2)))
    return m


def test_what_begins_in_single_precision_ends_in_double() -> None:
    m, rng = ball_and_hinges(), np.random.default_rng(5)
    goals, starts = (np.array([m.random(rng) for _ in range(600)]) for _ in range(2))
    goals[:200, 4] = 0.3  # at a limit, beyond which it is in single precision
    starts[:, 5] = goals[:, 5]  # the hand is held, at numbers that single precision does not have
    targets = poses(m, goals, "tip")[:, :3, 3]
    found = wt.inverse_kinematics(m, {"tip": targets}, starts, hold=["hand"], tolerance=1e-10)
    assert found.solved.all()
    assert np.array_equal(found.q[:, 5], starts[:, 5])
    assert np.abs(np.linalg.norm(found.q[:, :4], axis=1) - 1.0).max() < 1e-15
    assert within(m, found.q)
    assert (found.q[:, 4] == 0.3).any()
    assert np.linalg.norm(poses(m, found.q, "tip")[:, :3, 3] - targets, axis=1).max() < 2e-10


def test_starts_that_single_precision_does_not_resolve_are_kept_near() -> None:
    m, rng = ball_and_hinges(), np.random.default_rng(6)
    starts = np.array([m.random(rng) for _ in range(600)])
    starts[:, 5] += 5000.0  # turned many times
    near = np.array([m.integrate(q, 1e-2 * rng.normal(size=m.nv)) for q in starts])
    targets = poses(m, near, "tip")
    found = wt.inverse_kinematics(m, {"tip": targets}, starts)
    assert found.solved.mean() >= 0.995
    assert np.mean(np.abs(found.q[:, 5] - starts[:, 5]) < 0.5) > 0.95


def test_a_platform_on_six_legs_is_brought_where_it_is_wanted() -> None:
    m, rng = wt.examples.load("stewart-platform"), np.random.default_rng(1)
    goals = []
    while len(goals) < 4:
        q = wt.assemble(m, m.integrate(m.neutral(), 0.1 * rng.normal(size=m.nv)))
        goals += [q] if within(m, q) else []
    targets = poses(m, np.array(goals), "tool")
    found = wt.inverse_kinematics(m, {"tool": targets}, np.array([m.random(rng) for _ in goals]))
    assert found.solved.all()
    assert within(m, found.q)
    assert np.abs(poses(m, found.q, "tool") - targets).max() < 2e-6
    assert max(np.abs(wt.constraint_error(m, q)).max() for q in found.q) < 1e-8
    assert set(found.gap) == {"ball1", "ball2", "ball3", "ball4", "ball5"}


def test_loops_that_cannot_close_are_named() -> None:
    m = wt.examples.load("four-bar")
    m.change("rocker", placement=wt.Placement((7.0, 0.0, 0.0)))
    found = wt.inverse_kinematics(m, {"crank": m.frame("crank").placement}, starts=2)
    assert not found.solved
    assert found.hindrance == "loops"
    assert str(found).split("in rad or m, are ")[1].startswith("'pin' by ")


def test_several_frames_and_the_centre_of_mass_are_brought_together() -> None:
    q = np.array([0.5, -0.3, 0.4, -1.9, 0.3, 1.4, -0.6])
    points = {name: wt.frame_pose(ARM, q, name)[:3, 3] for name in ("tool", "link5")}
    middle = wt.center_of_mass(ARM, q)
    found = wt.inverse_kinematics(ARM, points, q + 0.2, center_of_mass=middle, hold=["joint7"])
    assert found.solved
    assert found.q[6] == q[6] + 0.2
    assert np.abs(wt.center_of_mass(ARM, found.q) - middle).max() < 1e-6
    assert list(found.distance) == ["tool", "link5", "center_of_mass"]


def test_weights_share_what_cannot_be_reached_and_zeros_leave_free() -> None:
    q = np.array([0.5, -0.3, 0.4, -1.9, 0.3, 1.4, -0.6])
    pose = wt.frame_pose(ARM, q, "tool")
    pose[:3, :3] = pose[:3, :3] @ wt.Placement(rpy=(0, 0, 2.9)).rotation  # beyond the last joint's limit
    free = wt.inverse_kinematics(ARM, {"tool": pose}, q, weights={"tool": (1, 1, 0, 1, 1, 1)}, starts=1)
    assert free.solved
    turn = pose[:3, :3].T @ wt.frame_pose(ARM, free.q, "tool")[:3, :3]
    assert abs(turn[2, 2] - 1.0) < 1e-10
    pulled = {"tool": [2.0, 0.0, 0.5], "link4": [0.0, 2.0, 0.5]}
    by = [
        wt.inverse_kinematics(ARM, pulled, q, weights={"tool": weight}, starts=4).distance["tool"]
        for weight in (1.0, 10.0)
    ]
    assert by[1] < by[0]


def test_of_many_solutions_the_one_near_what_is_preferred_is_taken() -> None:
    q = np.array([0.5, -0.3, 0.4, -1.9, 0.3, 1.4, -0.6])
    liked = q + np.array([0.2, 0.1, -0.3, 0.1, 0.2, -0.1, 0.2])
    found = wt.inverse_kinematics(ARM, {"tool": wt.frame_pose(ARM, q, "tool")}, prefer=liked)
    assert found.solved
    # What is left of the way cannot be gone without leaving the target.
    _, _, directions = np.linalg.svd(wt.jacobian(ARM, found.q, "tool"))
    assert abs(directions[6] @ (liked - found.q)) < 1e-4
    assert np.linalg.norm(liked - found.q) < np.linalg.norm(liked - q)


def test_errors_change_as_their_jacobian_says() -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        m = tree(rng, [str(name) for name in rng.permutation(list(JOINTS))[:6]])
        tasks = [Task(m.bodies[-1].name, True), Task(m.bodies[2].name, False), Task("", False)]
        turned = wt.Placement(rng.normal(size=3), rpy=rng.normal(size=3))
        target = np.eye(4)
        target[:3, :3], target[:3, 3] = turned.rotation, turned.position
        targets = [target, rng.normal(size=3), rng.normal(size=3)]
        q = m.random(rng)
        _, J = task_errors(m, q, tasks, targets)

        def errors(m: wt.Mechanism, q: np.ndarray, tasks=tasks, targets=targets) -> np.ndarray:
            return task_errors(m, q, tasks, targets)[0]

        assert error(J, by_complex_step(errors, m, {"q": q}, "q")) < 1e-12
    near = np.eye(4)
    near[:3, :3] = wt.Placement(rpy=(3e-4, -2e-4, 1e-4)).rotation  # where series are taken
    place = wt.Mechanism("ball")
    place.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, about_com=(1, 1, 1)))
    _, J = task_errors(place, place.neutral(), [Task("ball", True)], [near])

    def turn(m: wt.Mechanism, q: np.ndarray) -> np.ndarray:
        return task_errors(m, q, [Task("ball", True)], [near])[0]

    assert error(J, by_complex_step(turn, place, {"q": place.neutral()}, "q")) < 1e-12


def test_problems_are_told_by_number() -> None:
    found = wt.inverse_kinematics(ARM, {"tool": [[0.4, 0.1, 0.5], [0.0, 3.0, 0.5]]}, starts=4)
    assert found.why(0).startswith("reached: tool ")
    assert found.why(1).startswith("not reached after 4 starts: tool ")
    with pytest.raises(
        wt.InputError, match=r"number is 2, expected that of a problem: they have shape \(2,\)"
    ):
        found.why(2)
