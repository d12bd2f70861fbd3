"""Bundled mechanisms that touch, against closed forms, printed numbers and what must be conserved."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

import whippletree as wt
from whippletree.examples.touching_legs import ANGLE, RATE, SLOPE, walker_state
from whippletree.simulation.touching.holding import Held

G = 9.81
FINE: Any = {"rtol": 1e-11, "atol": 1e-12}


def begun(name: str) -> tuple[wt.Mechanism, wt.examples.Start]:
    return wt.examples.load(name), wt.examples.start(name)


def weight(m: wt.Mechanism) -> float:
    return G * sum(body.inertia.m for body in m.bodies)


def test_starts():
    for name in wt.examples.names():
        m, start = begun(name)
        if not m.contacts:
            continue
        assert wt.contact.gaps(m, m.neutral()).min() > -1e-12, name
        if start.q is not None:
            assert start.qd is not None
            assert wt.contact.gaps(m, start.q).min() > -1e-12, name
            assert (
                wt.contact.contact_velocity(m, start.q, start.qd)[:, 0].shape
                == wt.contact.gaps(m, start.q).shape
            )


def walker(foot: float) -> wt.Mechanism:
    """The simplest walker with feet of this mass, kg, and its first two stones."""
    m, source = wt.Mechanism("walker"), wt.examples.load("simplest-walker")
    leg = wt.Inertia(foot, (0, -1, 0))
    for body, inertia in zip(source.bodies, (wt.Inertia(1.0) + leg, leg), strict=True):
        m.append(body)
        m.change(body.name, inertia=inertia)
    for part in (*source.shapes, *source.contacts[:2]):
        m.add(part)
    return m


def stride(m: wt.Mechanism, state: Any) -> tuple[wt.Trajectory, int, Any]:
    """A run, its state just before the step, and what follows: angle and rate of the leg that stands then."""
    run = wt.simulate(m, *walker_state(m, *state), duration=1.28, sample=0.01, rtol=1e-12, atol=1e-13)
    (hit,) = run.contacts.times("impact", 1)
    before = int(np.searchsorted(run.t, hit))
    q, qd = run.q[before + 1], run.qd[before + 1]
    assert q[3] == pytest.approx(2.0 * (q[0] + q[3]), abs=1e-8)  # both feet are on the ground
    return run, before, np.array([q[0] + q[3], (qd[0] + qd[3]) / np.sqrt(G)])


def of_stride(m: wt.Mechanism, state: Any, run: wt.Trajectory, before: int) -> Any:
    """The derivative of a stride by where it starts: small changes, carried along the run and over its step.

    While the left foot, a point, stands, velocities are S ν with a constant S, and small changes of positions
    likewise. Those of accelerations follow from Sᵀ RNEA(q, qd, qdd) = 0. The step comes when the gap closes;
    changes of velocities after it follow from H (qd⁺ - qd⁻) = Kᵀ p and K qd⁺ = 0.
    """
    S = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])  # the hip moves across the leg
    (angle, rate), unit, rest = state, np.sqrt(G), np.zeros(4)
    jacobian, forces = wt.contact.contact_jacobian, wt.derivative(wt.rnea, m, wrt=("q", "qd", "qdd")).program
    Q, V, F = (x[: before + 1] for x in (run.q, run.qd, run.contacts.force[:, 0]))
    A = [wt.aba(m, q, qd, jacobian(m, q)[0].T @ f) for q, qd, f in zip(Q, V, F, strict=True)]
    slopes = []
    for by in map(forces, Q, V, A):
        of_state = S.T @ np.hstack([by["q"] @ S, by["qd"] @ S])
        slopes.append(-np.linalg.solve(S.T @ by["qdd"] @ S, of_state))
    slope = make_interp_spline(run.t[: before + 1], slopes, k=9)

    def change(t: float, d: Any) -> Any:
        d = d.reshape(4, 2)
        return np.concatenate([d[2:], slope(t) @ d]).ravel()

    swing = -2.0 * rate * np.sin(2.0 * angle), np.cos(2.0 * angle) - 1.0  # of φ', as `walker_state` has it
    d = np.array([[1.0, 0.0], [-2.0, 0.0], [0.0, unit], np.multiply(unit, swing)])
    d = solve_ivp(change, (0.0, run.t[before]), d.ravel(), "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    dq, dqd = S @ d.reshape(2, 2, 2)

    q, qd, after, p = Q[-1], V[-1], run.qd[before + 1], run.contacts.impulse[before + 1, 1, :2]
    H, K, dK = wt.crba(m, q), jacobian(m, q)[1, :2], wt.derivative(jacobian, m).program(q)["q"][1, :2]
    later = -(K[0] @ dq) / (K[0] @ qd)
    dq, dqd = dq + np.outer(qd, later), dqd + np.outer(A[-1], later)
    dH = forces(q, rest, after - qd)["q"] - forces(q, rest, rest)["q"]  # of H (qd⁺ - qd⁻), by q
    struck = H @ dqd + (np.einsum("kij,k->ij", dK, p) - dH) @ dq
    held = -np.einsum("kij,i->kj", dK, after) @ dq
    system = np.block([[H, -K.T], [K, np.zeros((2, 2))]])
    dqd = np.linalg.solve(system, np.vstack([struck, held]))[:4]
    return np.array([dq[0] + dq[3], (dqd[0] + dqd[3]) / unit])


def of_garcia(state: Any) -> Any:
    """The same with feet that have no mass, of any scalar (Garcia et al., eqs. 1, 2 and 4)."""

    def slope(_: float, y: Any) -> Any:
        theta, w, phi, rate = y
        fall = np.sin(theta - SLOPE)
        return np.array([w, fall, rate, fall + np.sin(phi) * (w * w - np.cos(theta - SLOPE))])

    theta, w = state
    y = np.array([theta, w, 2.0 * theta, w * (1.0 - np.cos(2.0 * theta))], dtype=complex)
    t = 3.88
    for _ in range(4):  # to where φ = 2 θ, by Newton's steps in time, which may be complex as well
        run = solve_ivp(lambda s, y, t=t: t * slope(s, y), (0, 1), y, "DOP853", rtol=1e-12, atol=1e-14)
        y = run.y[:, -1]
        t = -(y[2] - 2.0 * y[0]) / (y[3] - 2.0 * y[1])
    return np.array([-y[0], np.cos(2.0 * y[0]) * y[1]])


def test_the_simplest_walker_has_the_fixed_point_and_the_eigenvalues_of_garcia(
    monkeypatch: pytest.MonkeyPatch,
):
    """Feet without mass are the limit of light ones, by polynomials in their mass."""
    point = np.array([ANGLE, RATE])
    np.testing.assert_allclose(of_garcia(point), point, rtol=0.0, atol=1e-11)
    exact = np.column_stack([of_garcia(point + 1e-30j * e).imag / 1e-30 for e in np.eye(2)])
    values = np.linalg.eigvals(exact)
    np.testing.assert_allclose(values.real, -0.19009984, atol=1e-8)
    np.testing.assert_allclose(np.abs(values.imag), 0.55759878, atol=1e-8)

    # Feet of 1e-9 m, as the example has them, roll: that would tell by 2e-8.
    monkeypatch.setattr("whippletree.examples.touching_legs.FOOT", 1e-12)
    walkers = [walker(foot) for foot in (1e-4, 2e-4, 3e-4, 4e-4, 5e-4)]
    runs = [stride(m, point) for m in walkers]
    derivatives = [of_stride(m, point, *run[:2]) for m, run in zip(walkers, runs, strict=True)]
    h = 4e-6
    for e, column in zip(np.eye(2), derivatives[-1].T, strict=True):  # of runs indeed, as differences tell
        ahead, behind = (stride(walkers[-1], point + sign * h * e)[2] for sign in (1, -1))
        np.testing.assert_allclose((ahead - behind) / (2.0 * h), column, rtol=0.0, atol=3e-6)

    to_none = [5, -10, 10, -5, 1]
    limit, derivative = (np.tensordot(to_none, x, 1) for x in ([run[2] for run in runs], derivatives))
    np.testing.assert_allclose(limit, point, rtol=0.0, atol=2e-10)
    np.testing.assert_allclose(derivative, exact, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.eigvals(derivative), values, rtol=0.0, atol=2e-9)


def test_the_simplest_walker_walks():
    m, start = begun("simplest-walker")
    run = wt.simulate(m, start.q, start.qd, start.duration)
    steps = np.diff([0.0, *np.unique(run.contacts.times("impact"))])
    np.testing.assert_allclose(steps * np.sqrt(G), 3.88246375285, rtol=1e-3)
    assert len(steps) == 4
    assert run.contacts.gap.min() > -1e-12
    # What a step loses is what the slope gives: the weight of the hip over the height of a step.
    losses = run.contacts.impact_loss[run.contacts.impact_loss > 0.0]
    np.testing.assert_allclose(losses, G * 2.0 * np.sin(ANGLE) * np.sin(0.009), rtol=1e-3)


def test_the_simplest_walker_falls_behind_its_last_stone_and_lies_still():
    """Hip and feet come to rest on the floor, which carries the weight of all."""
    m, start = begun("simplest-walker")
    run = wt.simulate(m, start.q, start.qd, 12.0)
    on_floor = [row for row, title in enumerate(run.contacts.titles) if "'floor'" in title]
    assert len(on_floor) == 3
    np.testing.assert_allclose(run.contacts.mode[-1, on_floor], 1)
    np.testing.assert_allclose(run.contacts.gap[-1, on_floor], 0.0, atol=1e-12)
    np.testing.assert_allclose(run.qd[-1], 0.0, atol=1e-9)
    pressed = run.contacts.force[-1, :, 0].sum()
    assert pressed == pytest.approx(weight(m) * np.cos(SLOPE), rel=1e-9)


def test_one_disc_rolls_and_one_slips():
    m, t, slope = wt.examples.load("discs-on-slope"), 0.7, np.radians(20.0)
    run = wt.simulate(m, duration=t, **FINE)
    assert set(map(tuple, run.contacts.mode)) == {(1, 2, 0, 0)}
    rolls, slips = 2 / 3 * G * np.sin(slope), G * (np.sin(slope) - 0.04 * np.cos(slope))
    np.testing.assert_allclose(run.q[-1, [1, 4]], [0.5 * rolls * t**2, 0.5 * slips * t**2], atol=1e-9)
    turned = [rolls / 0.2, 2 * 0.04 * G * np.cos(slope) / 0.2]
    np.testing.assert_allclose(run.q[-1, [0, 3]], -0.5 * np.array(turned) * t**2, atol=1e-9)


def test_a_box_slides_down_a_slope_to_rest():
    m, start = begun("box-on-slope")
    run = wt.simulate(m, start.q, start.qd, start.duration, sample=0.1)
    slope, speed = np.radians(15.0), 1.5
    slowing = G * (0.5 * np.cos(slope) - np.sin(slope))
    np.testing.assert_allclose(run.contacts.times("sticks"), speed / slowing, atol=1e-8)
    np.testing.assert_allclose(run.q[-1, :3], [speed**2 / (2 * slowing), 0, 0], atol=1e-8)
    along = np.linalg.norm(run.contacts.force[-1].sum(axis=0)[1:])
    assert along == pytest.approx(weight(m) * np.sin(slope), rel=1e-9)


def test_a_falling_rod_strikes_with_one_end():
    """Poisson's law with a contact that sticks: compression stops it, expansion gives 0.4 of that back."""
    m, start = begun("falling-rod")
    run = wt.simulate(m, start.q, start.qd, 0.4)
    angle, radius, inertia = np.radians(60.0), 0.02, 1.0 / 12.0
    fall = 1.0 - 0.5 * np.sin(angle) - radius
    x, z = -0.5 * np.cos(angle), -0.5 * np.sin(angle) - radius
    A = np.eye(2) + np.array([[x * x, -x * z], [-x * z, z * z]]) / inertia  # normal, then along x
    compression = np.linalg.solve(A, [np.sqrt(2 * G * fall), 0.0])
    back = 0.4 * compression[0]
    impulse = compression + np.array([back, -A[1, 0] / A[1, 1] * back])
    (hit,) = np.flatnonzero(run.contacts.impact_loss)
    assert run.t[hit] == pytest.approx(np.sqrt(2 * fall / G), abs=1e-10)
    np.testing.assert_allclose(run.contacts.impulse[hit, 0, :2], impulse, rtol=1e-8)
    assert 0.0 < impulse[1] < 0.9 * impulse[0]


def test_painleves_rod_is_told_by_name_and_jams_where_surfaces_give_way():
    m, start = begun("painleve-rod")
    with pytest.raises(wt.SimulationError, match=r"Painlevé's paradox at 'tip' on 'floor'.*compliant"):
        wt.simulate(m, start.q, start.qd, start.duration)
    for friction, told in ((1.333, False), (1.334, True)):  # the critical one is 4/3
        m.change("slide", friction=friction)
        if told:
            with pytest.raises(wt.SimulationError, match="Painlevé"):
                wt.simulate(m, start.q, start.qd, 1e-4)
        else:
            wt.simulate(m, start.q, start.qd, 1e-4)
    m.change("slide", friction=1.5, stiffness=1e6, damping=100.0)
    q, qd = wt.rollout(m, start.q, start.qd, dt=2e-6, steps=50_000, every=50, contacts="compliant")
    gap = wt.compile(wt.contact.gaps, m)(q)[:, 0]
    slip = wt.compile(wt.contact.contact_velocity, m)(q, qd)[:, 0, 1]
    jammed = int(np.argmax(slip > -1e-3))
    # The tip stops within milliseconds, although it was not falling, and leaves the floor.
    assert 0 < jammed * 1e-4 < 0.01
    assert gap.min() > -2e-3
    assert gap[-1] > 1e-3


def rolling(t: float, y: Any, m: wt.Mechanism) -> Any:
    """Rates of up and of angular velocity, in the axes of a rattleback that rolls.

    With r from the mass centre to that point, v = r × ω there: m (v' + ω × v) = f + weight, and
    I ω' + ω × I ω = r × f (Kane & Levinson 1982).
    """
    n, w = y[:3], y[3:]
    body = m.bodies[0].inertia
    D = np.array([0.2, 0.03, 0.02]) ** 2
    size = np.sqrt(n @ (D * n))
    nd = np.cross(n, w)
    r = -D * n / size - body.com
    rd = -D * nd / size + D * n * (n @ (D * nd)) / size**3
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    v = np.cross(r, w)
    rest = body.m * (np.cross(rd, w) + np.cross(w, v) + G * n)
    left = body.about_com - body.m * cross @ cross
    wd = np.linalg.solve(left, np.cross(r, rest) - np.cross(w, body.about_com @ w))
    return np.concatenate([nd, wd])


def test_a_rattleback_rolls_as_kane_and_levinson_say():
    m, start = begun("rattleback")
    assert start.q is not None
    assert start.qd is not None
    run = wt.simulate(m, start.q, start.qd, 0.25, rtol=1e-10, atol=1e-11)
    tilt = 2.0 * np.arctan2(start.q[4], start.q[3])
    begin = [0.0, np.sin(tilt), np.cos(tilt), *start.qd[:3]]
    own = solve_ivp(rolling, (0.0, 0.25), begin, args=(m,), rtol=1e-10, atol=1e-12, method="DOP853")
    np.testing.assert_allclose(run.qd[-1, :3], own.y[3:, -1], atol=1e-7)
    assert np.all(run.contacts.mode == 1)
    assert np.ptp(run.energy) < 1e-9 * run.energy[0]


def test_a_rattleback_turns_back():
    m, start = begun("rattleback")
    assert start.q is not None
    assert start.qd is not None
    spins = np.array([1.0, -1.0])[:, None]
    _, qd = wt.rollout(m, start.q, spins * start.qd, dt=5e-4, steps=8000, every=10)
    wrong, right = qd[0, :, 2], qd[1, :, 2]
    assert wrong[0] == pytest.approx(-5.0, abs=0.1)
    assert wrong.max() > 0.5
    assert right.min() > 4.0


def test_dominoes_fall_one_after_the_other():
    m, start = begun("dominoes")
    run = wt.simulate(m, start.q, start.qd, start.duration, rtol=1e-10, atol=1e-11)
    hits = np.unique(run.contacts.times("impact"))
    at = np.searchsorted(run.t, hits[0])
    # The edge, 48 mm up, meets the back of the next one 12.5 mm ahead, less the ball's radius.
    assert np.sin(run.q[at, 0]) == pytest.approx((0.02 - 0.0075 - 1e-4) / 0.048, abs=1e-10)
    np.testing.assert_allclose(run.qd[at + 1, :2], 0.5 * run.qd[at, 0], rtol=1e-9)
    first = [np.min(run.t[np.abs(run.qd[:, k]) > 1e-6]) for k in range(8)]
    assert np.all(np.diff(first) > 0.0)
    assert run.q[-1, -1] == pytest.approx(np.pi / 2, abs=1e-9)  # on the floor, and the others on each other
    assert np.all(np.diff(run.q[-1]) > 0.0)
    assert np.abs(run.qd[-1]).max() < 1e-9


def test_a_geneva_wheel_turns_by_quarters():
    m, start = begun("geneva-wheel")
    run = wt.simulate(m, start.q, start.qd, 3.1)
    play = 2e-4 / (np.sqrt(2.0) - 1.0) / 0.1  # rad, where the pin is nearest to the wheel's axis
    turned = np.mod(run.q[:, 0] + np.pi, 2 * np.pi) - np.pi
    engaged, strokes = np.abs(turned) < np.pi / 4, np.floor((run.q[:, 0] + np.pi / 4) / (2 * np.pi)) - 1.0
    wheel = -np.pi / 4 - np.arctan2(np.sin(turned), np.sqrt(2.0) - np.cos(turned)) - strokes * np.pi / 2
    np.testing.assert_allclose(run.q[engaged, 1], wheel[engaged], atol=1.5 * play)
    assert run.q[-1, 1] == pytest.approx(-np.pi, abs=play)
    assert len(run.contacts.times("closes")) == 4
    assert run.contacts.gap.min() > -1e-12


def test_without_friction_nothing_happens_where_slip_turns():
    """At the deepest point of a slot, rounding must not tell a direction that the next moment belies."""
    held = Held(np.array([2, 2]), np.zeros((2, 2)), np.zeros((2, 3)), np.array([0.0, 0.4]))
    along = held.directions(np.array([[0.0, -3e-16, 0.0], [0.0, -3e-16, 0.0]]))
    np.testing.assert_array_equal(along, [[0.0, 0.0], [-1.0, 0.0]])


def test_a_roller_follows_its_cam_and_jumps_where_that_is_too_fast():
    m, start = begun("cam-and-roller")
    run = wt.simulate(m, start.q, start.qd, 1.0)
    e, reach = 0.025, 0.08
    rise = e * np.cos(run.q[:, 0]) + np.sqrt(reach**2 - (e * np.sin(run.q[:, 0])) ** 2)
    np.testing.assert_allclose(run.q[:, 1], rise - reach - e, atol=1e-12)
    assert np.all(run.contacts.mode == 1)
    assert run.contacts.force[..., 0].min() > 0.0
    # At the top the follower falls away with ω²e (1 + e/(R + r)): more than weight and spring press it.
    press = G + 400.0 * 0.08 / 0.25
    critical = np.sqrt(press / (e * (1.0 + e / reach)))
    assert start.qd is not None
    for share, opens in ((0.98, False), (1.02, True)):
        spun = wt.simulate(m, start.q, start.qd * share * critical / 8.0, 1e-3)
        assert (spun.contacts.mode[0, 0] == 0) == opens


def test_a_gripper_lifts_a_box_if_there_is_friction():
    m, start = begun("gripper")
    forces = np.empty((5, 10, 3))
    q, _ = wt.rollout(m, start.q, start.qd, start.control, steps=2500, every=500, contact_forces=forces)
    assert q[-1, 2] == pytest.approx(0.2, abs=1e-3)
    np.testing.assert_allclose(forces[-1, 8:, 0], 8.0, rtol=1e-3)
    up = np.array([0.0, 0.0, 1.0])
    axes = wt.contact.contact_frames(m, q[-1]).axes
    held = np.einsum("ck,ckj->j", forces[-1, 8:], axes[8:]) @ up
    assert held == pytest.approx(-0.5 * G, rel=1e-4)  # on the pads; their shapes are the first
    for side in ("left", "right"):  # 0.5 kg would need 4.905 N of friction, and 0.3 of 16 N is 4.8
        m.change(f"{side} grip", friction=0.3)
    q, _ = wt.rollout(m, start.q, start.qd, start.control, steps=2500, every=500)
    assert q[-1, 2] < 1e-3
    assert q[-1, 7] == pytest.approx(0.2, abs=0.01)


def test_a_dropped_quadruped_comes_to_rest():
    m, start = begun("dropped-quadruped")
    forces = np.empty((3, 4, 3))
    q, qd = wt.rollout(m, start.q, start.qd, steps=9000, every=3000, contact_forces=forces)
    np.testing.assert_allclose(forces[-1].sum(axis=0), [weight(m), 0, 0], atol=1e-9 * weight(m))
    assert np.abs(qd[-1]).max() < 1e-9
    assert np.abs(q[-1] - q[-2]).max() < 1e-7


def test_a_quadruped_trots():
    m, start = begun("trotting-quadruped")
    forces = np.empty((4000, 4, 3))
    q, _ = wt.rollout(m, start.q, start.qd, start.control, steps=4000, contact_forces=forces)
    upright = 1.0 - 2.0 * (q[:, 4] ** 2 + q[:, 5] ** 2)
    assert upright.min() > 0.99
    # Legs of 0.307 m that sweep 0.4 rad in a fifth of a second, less what feet slip.
    speed = (q[-1, 0] - q[-2001, 0]) / 2.0
    assert 0.7 < speed / (0.42 * np.cos(0.75) * 0.4 / 0.2) < 1.0
    # Over five beats, all that the feet press is the weight, and diagonals do it in turn.
    normal = forces[-2000:, :, 0]
    assert normal.sum(axis=1).mean() == pytest.approx(weight(m), rel=1e-2)
    one, other = normal[:, [0, 3]].sum(axis=1), normal[:, [1, 2]].sum(axis=1)
    assert np.corrcoef(one, other)[0, 1] < -0.2


def test_a_robot_of_linkages_stands_with_loops_closed():
    m, start = begun("standing-linkage-quadruped")
    run = wt.simulate(m, start.q, start.qd, 4.0)
    np.testing.assert_allclose(run.contacts.force[-1].sum(axis=0), [weight(m), 0, 0], atol=1e-6)
    assert np.abs(run.constraint_error).max() < 1e-10
    assert np.abs(run.contacts.gap).max() < 1e-12
    assert np.all(run.contacts.mode == 1)
    assert np.abs(run.qd[-1]).max() < 1e-8
