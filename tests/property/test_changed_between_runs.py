"""What is kept of a mechanism for its next run never meets another: whatever changes between two runs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import whippletree as wt

OPTIONS: dict[str, dict[str, Any]] = {
    "rk4": {"method": "rk4", "dt": 0.01},
    "DOP853": {"rtol": 1e-9},
}


def arm() -> wt.Mechanism:
    """Two links, the second a thin rod, which is looked at for its inertia."""
    m = wt.Mechanism("arm")
    link = wt.Inertia(1.3, com=(0.0, 0.05, -0.4), about_com=(0.2, 0.25, 0.3))
    m.add_body("upper", wt.Revolute("y"), inertia=link)
    thin = wt.Inertia(0.7, com=(0.0, 0.0, -0.3))
    m.add_body("lower", wt.Revolute("y"), "upper", wt.Placement((0.0, 0.0, -0.8)), thin)
    m.add_shape("skin", wt.Sphere(0.05), body="lower", placement=wt.Placement((0.0, 0.0, -0.5)))
    m.add_shape("wall", wt.Plane(), placement=wt.Placement((-0.69, 0.0, 0.0), rpy=(0.0, np.pi / 2, 0.0)))
    return m


def spring(m: wt.Mechanism) -> None:
    m.add_spring("s", "ground", (0.5, 0, 0), "lower", (0, 0, -0.4), stiffness=20.0, damping=0.5, length=0.2)


def gravity(m: wt.Mechanism) -> None:
    m.gravity = (0.3, 0.0, -3.7)


def mass(m: wt.Mechanism) -> None:
    m.change("lower", inertia=wt.Inertia(1.9, com=(0.0, 0.1, -0.2)))


def damping(m: wt.Mechanism) -> None:
    m.change(m.bodies[0].joint_name, damping=0.8)


def stiff_damping(m: wt.Mechanism) -> None:
    m.change(m.bodies[1].joint_name, damping=1e5)


def stops(m: wt.Mechanism) -> None:
    m.change(m.bodies[0].joint_name, limits=wt.Limits(-2.0, 0.41, stiffness=50.0))


def effort(m: wt.Mechanism) -> None:
    m.change(m.bodies[0].joint_name, limits=wt.Limits(effort=0.2))


def force(m: wt.Mechanism) -> None:
    m.add_force("push", "lower", force=(0.0, 0.0, 2.0))


def driver(m: wt.Mechanism) -> None:
    m.add_driver("motor", joint=m.bodies[0].joint_name, position=1.5)


def contact(m: wt.Mechanism) -> None:
    m.add_contact("touch", "skin", "wall", friction=0.2)


def body(m: wt.Mechanism) -> None:
    place, ball = wt.Placement((0.0, 0.0, -0.6)), wt.Inertia.sphere(0.1, mass=0.4)
    m.add_body("hand", wt.Revolute("x"), "lower", place, ball)


CHANGES: list[Callable[[wt.Mechanism], None]] = [
    *(spring, gravity, mass, damping, stiff_damping, stops, effort, force, driver, contact, body),
]


def run(m: wt.Mechanism, method: str) -> wt.Trajectory:
    q, qd = np.zeros(m.nv), np.zeros(m.nv)
    q[:2], qd[:2] = (0.4, 0.3), (0.5, -0.4)
    given: dict[str, Any] = {} if m.drivers else {"control": lambda t, q, qd: [0.6, *np.zeros(len(qd) - 1)]}
    return wt.simulate(m, None if m.drivers else q, qd, 0.1, **given, **OPTIONS[method])


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_between_two_runs_is_seen(change: Callable[[wt.Mechanism], None]) -> None:
    """A run after a change is, to the last bit, that of a mechanism that was built so; another one before."""
    m = arm()
    before = run(m, "DOP853")
    change(m)
    after = run(m, "DOP853")
    fresh = arm()
    change(fresh)
    expected = run(fresh, "DOP853")
    assert after.method == expected.method
    for name in ("t", "q", "qd", "tau", "energy", "lost_power"):
        np.testing.assert_array_equal(getattr(after, name), getattr(expected, name))
    assert before.q.shape != after.q.shape or np.max(np.abs(before.q[-1] - after.q[-1])) > 1e-6
    assert before.mechanism == arm()
    np.testing.assert_array_equal(run(arm(), "DOP853").q, before.q)


def test_what_a_run_gives_may_be_changed_without_harm() -> None:
    """Neither the mechanism of a trajectory nor its arrays are those of the next run."""
    m = arm()
    first = run(m, "rk4")
    kept, energy = first.q.copy(), first.energy.copy()
    assert first.mechanism is not None
    gravity(first.mechanism)
    first.mechanism.name = "other"
    first.q[:] = first.qd[:] = first.tau[:] = 7.0
    again = run(m, "rk4")
    np.testing.assert_array_equal(again.q, kept)
    np.testing.assert_array_equal(again.energy, energy)
    assert again.name == "arm"


def test_a_mechanism_that_changes_on_the_way_is_that_of_the_start() -> None:
    """A control that builds on does not change the run it belongs to."""
    m, other = arm(), arm()

    def control(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        if not m.springs:
            spring(m)
        return [0.6, 0.0]

    expected = run(other, "rk4")
    found = wt.simulate(m, [0.4, 0.3], [0.5, -0.4], 0.1, control, **OPTIONS["rk4"])
    np.testing.assert_array_equal(found.q, expected.q)
    assert found.mechanism == other
