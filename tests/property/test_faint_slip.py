"""Where slip begins and ends its direction is stiff: implicit steps in strides, the same as one by one."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation import run_parts
from whippletree.simulation.integrators.radau import ALPHA, BETA, GAMMA
from whippletree.simulation.touching import faint_slip, faint_systems
from whippletree.spatial import maximum

RATE = 7.0
"""1/s: of pushes."""


def puck():
    """A lump on a floor that is pushed now and then: it begins to slip, turns, and stops."""
    m = wt.Mechanism("puck")
    m.add_body("along", wt.Prismatic("x"), inertia=wt.Inertia.sphere(0.1, mass=0.2))
    m.add_body("across", wt.Prismatic("y"), "along", inertia=wt.Inertia.sphere(0.1, mass=0.3))
    m.add_body(
        "arm",
        wt.Revolute("y"),
        "across",
        inertia=wt.Inertia(0.1, (0.1, 0.0, 0.0), about_com=1e-4 * np.eye(3)),
    )
    m.add_body("up", wt.Prismatic("z"), "across", inertia=wt.Inertia.sphere(0.1, mass=0.8))
    m.add_shape("skin", wt.Sphere(0.1), "up")
    m.add_shape("floor", wt.Plane())
    m.add_contact("rub", "skin", "floor", friction=0.5)

    def control(t, q, qd):
        push = 8.0 * maximum(np.sin(RATE * t), 0.0) ** 2
        return np.array([push * np.cos(5.0 * t), push * np.sin(5.0 * t), -0.3 * qd[2], 0.0])

    return m, np.array([0.0, 0.0, 0.4, 0.1]), np.zeros(4), control


@pytest.fixture
def lone_steps(monkeypatch):
    """The lengths of steps that are taken one by one."""
    found, step = [], faint_slip.FaintSteps.step

    def counted(self, *parts):
        taken = step(self, *parts)
        found.append(taken)
        return taken

    monkeypatch.setattr(faint_slip.FaintSteps, "step", counted)
    return found


def test_slip_begins_and_ends_in_strides_as_step_by_step(lone_steps, monkeypatch):
    """Few steps are left to Python, and events, forces and the motion are the same."""
    m, q, qd, control = puck()
    named = {"duration": 2.0, "control": control, "sample": 0.01, "rtol": 1e-9, "atol": 1e-11}
    quick = wt.simulate(m, q, qd, **named)
    changes, lone = [event[1:] for event in quick.contacts.events], len(lone_steps)
    assert changes.count((0, "slips")) >= 2
    assert changes.count((0, "sticks")) >= 2
    assert lone < 60 + 6 * len(changes)  # at first, machine code does not pay
    monkeypatch.setattr(run_parts, "touching_strides", lambda *_: None)
    plain = wt.simulate(m, q, qd, **named)
    assert len(lone_steps) - lone > 4 * lone
    assert changes == [event[1:] for event in plain.contacts.events]
    times = [[event.t for event in run.contacts.events] for run in (quick, plain)]
    np.testing.assert_allclose(*times, rtol=0, atol=1e-8)
    np.testing.assert_allclose(quick.t, plain.t, rtol=0, atol=1e-8)
    np.testing.assert_allclose(quick.q, plain.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(quick.qd, plain.qd, rtol=0, atol=1e-7)
    np.testing.assert_allclose(quick.contacts.gap, 0.0, atol=1e-15)


def test_systems_of_faint_slip_are_those_of_all_numbers():
    """x of (σ - U V) x = b, real and complex, against the whole matrix."""
    rng = np.random.default_rng(1)
    n, nv, nc, h = 11, 5, 3, 0.013
    slopes, V = rng.normal(size=(2 * nc, n)), 40.0 * rng.normal(size=(nc, nv))
    U, S = faint_systems.by_angles(1e-3 * slopes, V)
    J = np.zeros((n, n))
    J[:, n - nv :] = U @ V
    np.testing.assert_allclose(S, V @ U[n - nv :], rtol=1e-14)
    small, pairs = faint_systems.shifted(S, h)
    b, c = rng.normal(size=n), rng.normal(size=(n, 2))
    x = faint_systems.solved(U, b, np.linalg.solve(small, faint_systems.seen(V, b)), h)
    np.testing.assert_allclose((GAMMA / h) * x - J @ x, b, rtol=0, atol=1e-10)
    angles = np.linalg.solve(pairs[..., 0] + 1j * pairs[..., 1], faint_systems.seen(V, c) @ [1.0, 1j])
    z = faint_systems.solved_pair(U, c, np.stack([angles.real, angles.imag], axis=1), h) @ [1.0, 1j]
    np.testing.assert_allclose((ALPHA + 1j * BETA) / h * z - J @ z, c @ [1.0, 1j], rtol=0, atol=1e-10)


def test_angles_of_slip_by_velocities_are_derivatives():
    """V against differences of the directions themselves; of contacts that stick or part, zero."""
    rng = np.random.default_rng(2)
    nc, nv, faint = 4, 6, 1e-8
    J, qd = rng.normal(size=(nc, 3, nv)), rng.normal(size=nv)
    closed, sticks, friction = (
        np.array([1.0, 1.0, 0.0, 1.0]),
        np.array([0.0, 1.0, 0.0, 0.0]),
        np.full(nc, 0.4),
    )
    slip = (J @ qd)[:, 1:]
    along = 0.8 * slip + 0.6 * np.stack([-slip[:, 1], slip[:, 0]], axis=1)  # slip has turned since, not back
    along /= np.linalg.norm(along, axis=1, keepdims=True)

    def directions(qd):
        V, turned = faint_systems.turned_directions(J, qd, closed, sticks, along, friction, faint)
        return V, 0.5 * (turned[0::2] + turned[1::2]) / np.cos(faint_systems.TURN), turned

    V, now, turned = directions(qd)
    for i in range(nc):
        (x, y), rubs = now[i, i], i in (0, 3)
        np.testing.assert_allclose(np.hypot(x, y), float(rubs), atol=1e-14)
        for k in range(nv):
            step = 1e-6 * np.eye(nv)[k]
            (x1, y1), (x0, y0) = directions(qd + step)[1][i, i], directions(qd - step)[1][i, i]
            turn = (x * (y1 - y0) - y * (x1 - x0)) / 2e-6
            np.testing.assert_allclose(V[i, k], turn, rtol=1e-6, atol=1e-7)
        (x0, y0), (x1, y1) = turned[2 * i + 1, i], turned[2 * i, i]
        expected = float(rubs) * np.sin(2.0 * faint_systems.TURN)
        np.testing.assert_allclose(x0 * y1 - y0 * x1, expected, atol=1e-14)


def test_driven_motions_go_by_explicit_strides_however_long():
    """They never come to rest, where implicit steps would be long; what is let go does."""
    m, q, qd, control = puck()
    m.change("along", damping=5000.0)
    end = wt.Event(lambda t, q, qd: t - 0.01, "enough", terminal=True)
    named = {"duration": 600.0, "events": [end]}
    assert wt.simulate(m, q, qd, control=control, **named).method == "DOP853"
    assert wt.simulate(m, q, qd, **named).method == "Radau"
