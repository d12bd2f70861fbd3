"""Loops with numbers as CAD gives them, limits of joints in assembly, and which reactions are unique."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt
from overconstrained import bennett, parallelogram, sarrus
from whippletree.api.reaction_history import reactions_along


def test_a_bennett_linkage_of_six_digits_moves_as_an_exact_one() -> None:
    exact, q0 = bennett()
    rounded, _ = bennett(3e-6)
    assert wt.mobility(exact, q0).mobility == 1
    with pytest.raises(wt.SolverError) as raised:
        wt.assemble(rounded, q0)
    remedy = "overconstrained: replace a revolute by a spherical or cylindrical joint, or give tolerance="
    assert f"Or it is {remedy}4e-06" in str(raised.value)
    q = wt.assemble(rounded, q0, tolerance=1e-5)
    assert_allclose(q, q0, rtol=0, atol=1e-5)
    report = wt.mobility(rounded, q)
    assert report.mobility == 0
    assert remedy in str(report)
    assert report.nearly is not None
    assert wt.mobility(rounded, q, tolerance=report.nearly).mobility == 1
    assert wt.compile(wt.mobility, rounded, tolerance=report.nearly)(q).mobility == 1
    qd = wt.project_velocity(exact, q0, np.array([3.0, 0.0, 0.0]))
    run = wt.simulate(rounded, q, qd, duration=0.6, tolerance=1e-5, sample=0.2)
    other = wt.simulate(exact, q0, qd, duration=0.6, sample=0.2)
    assert np.ptp(other.q[:, 0]) > 0.6
    assert_allclose(run.q, other.q, rtol=0, atol=2e-4)
    assert_allclose(run.qdd, other.qdd, rtol=0, atol=2e-2)
    assert 1e-6 < np.max(np.abs(run.constraint_error)) < 1e-5
    assert np.ptp(run.energy) < 1e-4 * np.ptp(other.kinetic)
    with pytest.raises(wt.InputError, match="reactions of a run with a tolerance are not told"):
        run.reactions()


def test_what_cannot_move_for_its_digits_is_told() -> None:
    m, q0 = bennett(3e-9)
    q = wt.assemble(m, q0, tolerance=1e-8)
    with pytest.warns(wt.OverconstrainedWarning, match="'bennett' cannot move: .* overconstrained: replace"):
        run = wt.simulate(m, q, duration=0.01)
    assert_allclose(run.q[-1], q, rtol=0, atol=2e-8)  # but for what was left open
    hinge = wt.examples.load("four-bar")
    at = hinge.loops[0].placement_s.position
    hinge.change("pin", placement_s=wt.Placement(at, rpy=(1e-6, 0.0, 0.0)))
    assert wt.mobility(hinge, hinge.neutral()).mobility == 0
    run = wt.simulate(hinge, duration=0.05, tolerance=1e-5)
    assert_allclose(run.q[-1], wt.simulate(wt.examples.load("four-bar"), duration=0.05).q[-1], atol=1e-6)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"tolerance": 0.0}, "tolerance is 0.0, expected a share above 0 and below 0.1"),
        ({"tolerance": 1e-5, "dynamics": "kkt"}, "tolerance is given: leave out dynamics"),
        ({"tolerance": 1e-5, "drive": {"crank": 1.0}}, "drive is given and tolerance, too"),
    ]
    for options, message in wrong:
        with pytest.raises(wt.InputError, match=message):
            wt.simulate(hinge, duration=0.1, **options)


def test_assembly_stays_within_limits_or_says_which_it_broke() -> None:
    m = wt.examples.load("four-bar")
    guess = np.array([1.0, 0.0, 0.0])
    free = wt.assemble(m, guess, hold=["crank"])
    m.change("rocker", limits=wt.Limits(-5.5, 0.2))
    within = wt.assemble(m, guess, hold=["crank"])
    assert within[0] == 1.0
    assert -5.5 <= within[2] <= 0.2 < free[2]
    assert_allclose(wt.constraint_error(m, within), 0.0, atol=1e-12)
    assert_allclose(m.kernel("assemble", hold=["crank"])(guess), within, rtol=0, atol=1e-9)
    m.change("rocker", limits=wt.Limits(-0.1, 0.2))
    with pytest.warns(
        wt.LimitsWarning,
        match=r"beyond limits of its joints, .* 'rocker' is at 0.33\d+, outside of -0.1 … 0.2",
    ):
        q = wt.assemble(m, guess, hold=["crank"])
    assert_allclose(q, free, rtol=0, atol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wt.assemble(m, guess)[2] <= 0.2 + 1e-9  # the crank gives way


@pytest.mark.parametrize("name", ["bennett", "sarrus", "two links", "three links"])
def test_reactions_are_marked_unique_where_they_are(name: str) -> None:
    """Against the null space of all joint equations at once, every body by itself (six equations each)."""
    if name == "bennett":
        m, q = bennett()
    else:
        m = sarrus() if name == "sarrus" else parallelogram(2 if name == "two links" else 3)
        q = m.neutral()
    assert wt.mobility(m, q).mobility == 1
    qd = wt.project_velocity(m, q, np.linspace(0.5, 1.5, m.nv))
    qdd = wt.forward_dynamics(m, q, qd, np.zeros(m.nv))
    joints = [(f.joint, m.parents[i], i, f.placement, wt.Placement()) for i, f in enumerate(m.bodies)]
    joints += [
        (f.joint, m.body_number(f.predecessor), m.body_number(f.successor), f.placement_p, f.placement_s)
        for f in m.loops
    ]
    X = wt.forward_kinematics(m, q)

    def world(body: int, place: wt.Placement) -> tuple[np.ndarray, np.ndarray]:
        R, r = (np.eye(3), np.zeros(3)) if body < 0 else (X[body][:3, :3], X[body][:3, 3])
        return R @ place.rotation, r + R @ place.position

    balance, columns = np.zeros((6 * len(m), 0)), []
    for joint, p, s, _, at_s in joints:
        R, r = world(s, at_s)
        T = joint.constraint_subspace(joint.neutral())
        force, moment = R @ T[3:], R @ T[:3]
        wrench = np.concatenate([moment + np.cross(r, force.T).T, force])
        block = np.zeros((6 * len(m), wrench.shape[1]))
        block[6 * s : 6 * s + 6] = wrench
        if p >= 0:
            block[6 * p : 6 * p + 6] -= wrench
        balance = np.concatenate([balance, block], axis=1)
        columns.append(np.concatenate([moment, force]))  # at the joint, in world axes
    size, rank = balance.shape[1], np.linalg.matrix_rank(balance, tol=1e-9)
    free = np.linalg.svd(balance)[2][rank:]
    assert size - rank == wt.mobility(m, q).constraints - wt.mobility(m, q).rank
    run = reactions_along(m, q[None], qd[None], qdd[None], np.zeros((1, m.nv)))
    first = 0
    for (joint, *_), own, label in zip(
        joints, columns, [*m.joint_names, *(loop.name for loop in m.loops)], strict=True
    ):
        part = own @ free[:, first : first + 6 - joint.nv].T if len(free) else np.zeros((6, 1))
        first += 6 - joint.nv
        expected = np.max(np.abs(part), axis=1) < 1e-9
        assert run.unique(label, "world")[0].tolist() == expected.tolist(), label
