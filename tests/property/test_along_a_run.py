"""Accelerations, reactions and frames along a run, against those of single states and of other cuts."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import whippletree as wt


def busy() -> wt.Mechanism:
    m = wt.examples.load("four-bar")
    m.change("rocker", stiffness=2.0, damping=0.1)
    m.add_frame("pen", "coupler", wt.Placement((0.3, 0.3, 0.1)))
    m.add_spring("coil", "ground", (0.3, 0.9, 0), "coupler", (0.3, 0.2, 0), stiffness=40.0, length=0.2)
    return m


def test_a_run_tells_its_accelerations_reactions_and_frames(tmp_path: Path) -> None:
    m = busy()

    def outside(t: float, q: np.ndarray, qd: np.ndarray) -> dict[str, list[float]]:
        return {"pen": [0.1, 0.2, 0.3 * np.cos(t), 1.0, q[0], 0.5]}

    run = wt.simulate(
        m,
        duration=0.4,
        control=lambda t, q, qd: [0.3 * np.sin(5.0 * t), 0.0, 0.0],
        external=outside,
        sample=0.1,
    )
    found = run.reactions()
    for k in (0, 3):
        q, qd, tau = run.q[k], run.qd[k], run.tau[k]
        f_ext = wt.frame_forces(m, q, outside(run.t[k], q, qd))
        qdd = wt.forward_dynamics(m, q, qd, tau, f_ext=f_ext)
        assert_allclose(run.qdd[k], qdd, rtol=0, atol=1e-9)
        joints, loops = wt.reactions(m, q, qd, tau, f_ext)
        assert_allclose(found.joints[k], joints, rtol=0, atol=1e-9)
        assert_allclose(found.of("pin")[k], loops[0], rtol=0, atol=1e-9)
        pen = run.frame("pen")
        assert_allclose(pen.pose[k], wt.frame_pose(m, q, "pen"), rtol=0, atol=1e-13)
        assert_allclose(pen.body_velocity[k], wt.frame_velocity(m, q, qd, "pen"), rtol=0, atol=1e-12)
        acceleration = wt.frame_acceleration(m, q, qd, run.qdd[k], "pen")
        assert_allclose(pen.body_acceleration[k], acceleration, rtol=0, atol=1e-11)
    run.save(tmp_path / "run.npz")
    again = wt.load_trajectory(tmp_path / "run.npz")
    with pytest.raises(
        wt.InputError, match="forces from outside acted in this run, and a file does not hold"
    ):
        again.reactions()
    run.save(tmp_path / "run.csv")
    with pytest.raises(wt.InputError, match="does not say what moved, as it was read from a table"):
        _ = wt.load_trajectory(tmp_path / "run.csv").qdd


def test_a_saved_run_tells_the_same(tmp_path: Path) -> None:
    run = wt.simulate(busy(), duration=0.2, sample=0.1)
    run.save(tmp_path / "run.npz")
    again = wt.load_trajectory(tmp_path / "run.npz")
    assert_allclose(again.qdd, run.qdd, rtol=0, atol=1e-12)
    assert_allclose(again.reactions().loops, run.reactions().loops, rtol=0, atol=1e-12)


def test_contacts_count_in_accelerations() -> None:
    m = wt.Mechanism("crate")
    m.add_body("crate", wt.Translation(), inertia=wt.Inertia.box((0.4, 0.3, 0.2), mass=5.0))
    m.add_shape("hull", wt.Sphere(0.1), body="crate")
    m.add_shape("floor", wt.Plane())
    m.add_contact("rest", "hull", "floor", friction=0.3)
    run = wt.simulate(m, [0.0, 0.0, 0.1], [1.0, 0.0, 0.0], duration=0.2, sample=0.1)
    assert_allclose(run.qdd, np.tile([-0.3 * 9.81, 0.0, 0.0], (len(run), 1)), rtol=0, atol=1e-6)
    with pytest.raises(wt.InputError, match="reactions of a run with contacts are not told"):
        run.reactions()


@pytest.mark.parametrize("cut", ["first", "second"])
def test_a_redundant_link_leaves_its_share_open(cut: str) -> None:
    """A parallelogram with a third parallel bar: in the plane too, no one can tell how the bars share."""
    m = wt.Mechanism("coupled", gravity=(0.0, -9.81, 0.0))
    bar = wt.Inertia(1.0, (0.05, 0.2, 0.0), (0.01, 0.01, 0.01))
    for k in range(3):
        m.add_body(f"bar{k}", wt.Revolute("z"), placement=wt.Placement((0.5 * k, 0, 0)), inertia=bar)
    top = wt.Placement((0.1, 0.4, 0.0))
    first = 0 if cut == "first" else 1
    m.add_body(
        "beam", wt.Revolute("z"), f"bar{first}", top, wt.Inertia(4.0, (0.4, 0.05, 0.0), (0.1, 0.3, 0.3))
    )
    for k in range(3):
        if k != first:
            at = wt.Placement((0.5 * (k - first), 0.0, 0.0))
            m.add_loop(f"pin{k}", wt.Revolute("z"), f"bar{k}", "beam", top, at)
    run = wt.simulate(m, duration=0.2, sample=0.1)
    found = run.reactions()
    names = {k: f"pin{k}" if k != first else "beam" for k in range(3)}
    unique = np.array([found.unique(names[k], "world")[1] for k in range(3)])
    # Along the bars nothing tells; across them each carries what its own inertia asks for.
    assert not unique[:, 3:5].any()
    assert np.all(unique[:, 2])
    total = sum(found.of(names[k], "world")[1, 3:5] for k in range(3))
    beam = run.frame("beam")
    # It only shifts, so that its origin accelerates as its centre does.
    expected = 4.0 * (beam.acceleration[1, 3:5] + np.array([0.0, 9.81]))
    assert_allclose(total, expected, rtol=0, atol=1e-8)
