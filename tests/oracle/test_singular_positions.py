"""Mechanisms with loops that pass, or start at, positions where branches of their motion meet.

Source of truth: on its branch each of them moves as something without loops, whose equation is known.
"""

import dataclasses
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import whippletree as wt
from whippletree.examples.linkages import four_bars
from whippletree.simulation import law_in_use
from whippletree.simulation.attempts import Attempt
from whippletree.simulation.bridge import Bridging
from whippletree.simulation.closing import Closing, OpenLoop
from whippletree.simulation.continued import continuations
from whippletree.simulation.crossing import Crossing
from whippletree.simulation.equations import common
from whippletree.simulation.factors import Factors
from whippletree.simulation.ways_on import WaysOn

TIGHT: Any = {"rtol": 1e-10, "atol": 1e-12}


def alike(windows: int, angle: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """N four-bars whose bars all have the same angle, and couplers that do not turn."""
    q, qd = np.array([angle, -angle] * windows + [angle]), np.array([speed, -speed] * windows + [speed])
    return q, qd


def swing(windows: int, angle: float, speed: float, end: float, **more: Any) -> Any:
    """Such bars until a time, s: θ'' = -K cos θ (IFToMM benchmark A02)."""
    K = 9.81 * ((windows + 1) / 2 + windows) / ((windows + 1) / 3 + windows)
    start, tight = [angle, speed], {"rtol": 1e-13, "atol": 1e-13}
    return solve_ivp(lambda t, y: [y[1], -K * np.cos(y[0])], (0.0, end), start, "DOP853", **tight, **more)


def bar(windows: int, angle: float, speed: float, times: np.ndarray) -> np.ndarray:
    """The angle of such bars over time."""
    return swing(windows, angle, speed, times[-1], t_eval=times).y[0]


def half_swing(windows: int) -> float:
    """s: how long bars that are let go where they lie flat take to lie flat again."""
    return float(swing(windows, 0.0, 0.0, 2.0, events=lambda t, y: y[1] if t else -1.0).t_events[0][0])


def check_alike(run: wt.Trajectory, windows: int, expected: np.ndarray, atol: float) -> None:
    for k in range(windows + 1):
        np.testing.assert_allclose(run.q[:, 2 * k], expected, rtol=0, atol=atol)
    np.testing.assert_allclose(run.q[:, 1::2], -run.q[:, 0:-1:2], rtol=0, atol=atol)
    assert np.max(np.abs(run.constraint_error)) < 1e-13
    assert np.ptp(run.energy) < 1e-8 * np.max(run.kinetic)


@pytest.mark.parametrize(
    ("windows", "duration", "times"), [(1, 10, 10), (2, 10, 10), (5, 10, 10), (40, 3, 3)]
)
def test_four_bars_turn_through_their_singular_positions(windows, duration, times):
    """The IFToMM benchmark A02: twice a turn all bars lie in one line, where each may fold instead."""
    run = wt.simulate(four_bars(windows), *alike(windows, np.pi / 2, -1.0), duration, **TIGHT)
    check_alike(run, windows, bar(windows, np.pi / 2, -1.0, run.t), 1e-7)
    assert np.sum(np.diff(np.sign(np.sin(run.q[:, 0]))) != 0) == times


def test_tight_tolerances_do_not_stop_at_singular_positions():
    run = wt.simulate(four_bars(1), *alike(1, np.pi / 2, -1.0), 10.0, rtol=1e-12, atol=1e-14)
    check_alike(run, 1, bar(1, np.pi / 2, -1.0, run.t), 1e-8)


@pytest.mark.parametrize(
    ("method", "dt", "atol"), [("rk4", 0.01, 1e-4), ("rk4", 1e-3, 1e-8), ("rk6", 0.01, 1e-7)]
)
def test_fixed_steps_pass_singular_positions(method, dt, atol):
    run = wt.simulate(four_bars(2), *alike(2, 0.4, -2.0), 2.0, method=method, dt=dt)
    np.testing.assert_allclose(np.diff(run.t), dt, rtol=1e-9)
    expected = bar(2, 0.4, -2.0, run.t)
    assert np.sum(np.diff(np.sign(np.sin(expected))) != 0) == 3
    np.testing.assert_allclose(run.q[:, 0], expected, rtol=0, atol=atol)
    assert np.max(np.abs(run.constraint_error)) < 1e-13


@pytest.mark.parametrize("method", ["RK45", "PIRK", "Radau", "BDF"])
def test_every_method_passes_singular_positions(method):
    run = wt.simulate(four_bars(1), *alike(1, 0.4, -2.0), 2.0, method=method, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(run.q[:, 0], bar(1, 0.4, -2.0, run.t), rtol=0, atol=2e-5)
    assert np.max(np.abs(run.constraint_error)) < 1e-13


def test_samples_and_events_inside_a_passage():
    """Samples as close to the singular position as it gets, and one at it."""
    flat = wt.Event(lambda t, q, qd: np.sin(q[0]), "flat")
    run = wt.simulate(four_bars(2), *alike(2, 0.3, -2.5), 0.2, sample=2e-4, events=[flat], **TIGHT)
    check_alike(run, 2, bar(2, 0.3, -2.5, run.t), 1e-8)
    assert [event.name for event in run.events] == ["flat"]
    np.testing.assert_allclose(run.events[0].q, 0.0, rtol=0, atol=1e-9)
    assert np.min(np.abs(np.sin(run.q[:, 0]))) < 1e-3


@pytest.mark.parametrize("windows", [1, 2, 5])
def test_states_inside_a_passage_are_as_exact_as_others(windows):
    """Velocities were brought back to what constraints ask for that are next to none: 5e-9 J off."""
    q, qd = alike(windows, 0.5, 6.0)
    run = wt.simulate(four_bars(windows), q, qd, duration=1.0, sample=5e-4, rtol=1e-12, atol=1e-14)
    flat = np.abs(np.sin(run.q[:, 0])) < 0.01
    assert np.count_nonzero(flat) > 5
    np.testing.assert_allclose(run.energy[flat], run.energy[0], rtol=0, atol=5e-10)


def test_a_start_at_a_singular_position_goes_where_its_velocity_leads():
    together = wt.simulate(four_bars(2), *alike(2, 0.0, -3.0), 1.0, **TIGHT)
    check_alike(together, 2, bar(2, 0.0, -3.0, together.t), 1e-8)
    # Or the first bar stays where it is, and coupler and second bar turn as one, of twice the weight.
    folded = wt.simulate(four_bars(1), np.zeros(3), [0.0, -3.0, -3.0], 1.0, **TIGHT)
    expected = solve_ivp(
        lambda t, y: [y[1], -1.5 * 9.81 * np.cos(y[0])],
        (0, 1),
        [0.0, -3.0],
        "DOP853",
        folded.t,
        rtol=1e-13,
        atol=1e-13,
    ).y[0]
    np.testing.assert_allclose(folded.q, np.outer(expected, [0, 1, 1]), rtol=0, atol=1e-8)
    with pytest.raises(wt.InputError, match="singular position of 'four-bars', and qd0 leads along none"):
        wt.simulate(four_bars(1), np.zeros(3), [-3.0, 1.0, -5.0], 1.0)


@pytest.mark.parametrize("windows", [1, 3])
def test_a_start_from_rest_at_a_singular_position_falls(windows):
    run = wt.simulate(four_bars(windows), duration=0.9, **TIGHT)
    check_alike(run, windows, bar(windows, 0.0, 0.0, run.t), 1e-6)


@pytest.mark.parametrize("windows", [1, 2, 5, 40])
@pytest.mark.parametrize("duration", [1e-3, 1e-2, 0.1])
def test_runs_from_a_singular_position_may_be_short(windows, duration):
    """A step no longer than they are ended where it can hardly be told from singular, and the run with it."""
    run = wt.simulate(four_bars(windows), duration=duration)
    expected = bar(windows, 0.0, 0.0, run.t)
    atol = 1e-9 + 1e-14 / abs(
        expected[-1]
    )  # gaps are rounded, and so are angles, the nearer to flat the more
    for k in range(windows + 1):
        np.testing.assert_allclose(run.q[:, 2 * k], expected, rtol=0, atol=atol)
    np.testing.assert_allclose(run.q[:, 1::2], -run.q[:, 0:-1:2], rtol=0, atol=atol)
    assert np.max(np.abs(run.constraint_error)) < 1e-13


@pytest.mark.parametrize("windows", [1, 5])
def test_functions_are_not_asked_behind_the_end_of_a_run(windows):
    """Though the step away from a singular position goes on there."""
    asked = []

    def control(t, q, qd):
        asked.append(t)
        return np.zeros(2 * windows + 1)

    run = wt.simulate(four_bars(windows), duration=0.01, control=control)
    assert max(asked) == 0.01
    np.testing.assert_allclose(run.q[:, 0], bar(windows, 0.0, 0.0, run.t), rtol=0, atol=1e-9)


def sampled(windows, period, end, angle, speed, torque):
    """Angle and speed of such bars in the end, the first of them pushed by what is held for a period."""
    J, G = (windows + 1) / 3 + windows, 9.81 * ((windows + 1) / 2 + windows)
    y, tight = np.array([angle, speed]), dict[str, Any](rtol=1e-13, atol=1e-13)
    for k in range(round(end / period)):
        tau = torque(k * period, *y)
        pushed = solve_ivp(
            lambda t, y, tau=tau: [y[1], (tau - G * np.cos(y[0])) / J], (0, period), y, "DOP853", **tight
        )
        y = pushed.y[:, -1]
    return y


@pytest.mark.parametrize(("angle", "speed"), [(0.0, 0.0), (0.5, 6.0)])
@pytest.mark.parametrize(("windows", "period"), [(1, 0.05), (1, 0.002), (5, 0.005)])
def test_controls_are_sampled_next_to_singular_positions(windows, period, angle, speed):
    """Where steps are longer than a sample; what the control gave was held for all of them, 0.02 rad off."""
    asked, (q, qd) = [], alike(windows, angle, speed)

    def torque(t, angle, speed):
        return 3.0 * np.sin(30.0 * t) - 0.5 * speed

    def control(t, q, qd):
        asked.append(t)
        return np.array([torque(t, q[0], qd[0]), *np.zeros(2 * windows)])

    end = 0.4 if angle == 0.0 else 0.8
    run = wt.simulate(four_bars(windows), q, qd, end, control, control_dt=period)
    expected = sampled(windows, period, end, angle, speed, torque)
    np.testing.assert_allclose([run.q[-1, 0], run.qd[-1, 0]], expected, rtol=0, atol=2e-8)
    np.testing.assert_allclose(np.unique(asked), period * np.arange(round(end / period) + 1), atol=1e-12)
    assert asked == sorted(asked)


def test_loops_that_stay_open_next_to_a_singular_position_are_told(monkeypatch):
    """Also where a way is found anew from a sample on."""

    def after(*_):
        raise OpenLoop("pin", 0.1)

    monkeypatch.setattr(WaysOn, "after", after)
    with pytest.raises(wt.SimulationError, match="loop 'pin' is open by"):
        wt.simulate(four_bars(1), duration=0.5, control=lambda t, q, qd: np.zeros(3), control_dt=0.01)


def test_controls_that_are_held_through_a_singular_position_are_told(monkeypatch):
    """Where no way is found anew from a sample on."""
    monkeypatch.setattr(WaysOn, "_found_anew", lambda *_: Attempt())
    told = "'four-bars' is close .* from t = 0.01 to .* asked every 0.01 s, holds all that time what it gave"
    with pytest.warns(wt.HeldControlWarning, match=told):
        wt.simulate(four_bars(1), duration=0.5, control=lambda t, q, qd: np.zeros(3), control_dt=0.01)


@pytest.mark.parametrize("rtol", [1e-8, 1e-10, 1e-12])
def test_coming_to_rest_at_a_singular_position_is_told(rtol):
    """After half a swing from where it lay flat it lies flat again, at rest: nothing says how to go on."""
    with pytest.raises(
        wt.SimulationError, match=r"comes to rest .* close to a singular position, .* joint 'bar0' moves"
    ) as caught:
        wt.simulate(four_bars(1), duration=2.0, rtol=rtol, atol=1e-2 * rtol)
    assert abs(caught.value.time - half_swing(1)) < 1e-5


@pytest.mark.parametrize("rtol", [1e-8, 1e-12])
def test_turning_round_next_to_a_singular_position_is_no_rest_there(rtol):
    """Bars that lie flat for a moment, and turn round 3e-5 rad behind it, go back on their way."""
    speed = -np.sqrt(2.0 * 9.81 * 2.0 / (5.0 / 3.0) * np.sin(3e-5))
    run = wt.simulate(four_bars(1), *alike(1, 0.0, speed), 2.0, rtol=rtol, atol=1e-2 * rtol)
    check_alike(run, 1, bar(1, 0.0, speed, run.t), 1e3 * rtol)


def test_a_linkage_that_only_nearly_lies_flat_folds():
    """With bars of a slightly different length the branches do not meet: the motion turns sharply."""
    m = wt.Mechanism("nearly", gravity=(0.0, -9.81, 0.0))
    rod = wt.Inertia(1.0, (0.5, 0, 0), (0.0, 1 / 12, 1 / 12))
    tip = wt.Placement((1.0, 0, 0))
    m.add_body("left", wt.Revolute("z"), inertia=rod)
    m.add_body("coupler", wt.Revolute("z"), "left", tip, rod)
    m.add_body("right", wt.Revolute("z"), placement=wt.Placement((1.0, 0, 0)), inertia=rod)
    m.add_loop("pin", wt.Revolute("z"), "coupler", "right", wt.Placement((0.999, 0, 0)), tip)
    q = wt.assemble(m, np.array([1.2, -1.2, 1.2]), hold=["left"])
    run = wt.simulate(m, q, duration=3.0, **TIGHT)
    assert np.min(np.abs(np.sin(run.q[:, 0]))) < 0.05
    assert np.ptp(run.energy) < 1e-7
    assert np.max(np.abs(run.constraint_error)) < 1e-13


def test_peaucellier_folds_flat_and_guides_its_pen():
    m = wt.examples.load("peaucellier")
    run = wt.simulate(m, duration=4.0, **TIGHT)
    pen = np.array([wt.forward_kinematics(m, q)[m.body_number("outer-upper")] for q in run.q])
    at = m.frame("pen").placement
    x = pen[:, 0, 3] + np.einsum("nj,j->n", pen[:, 0, :3], np.array(at.position))
    np.testing.assert_allclose(x, x[0], rtol=0, atol=1e-12)
    assert np.ptp(run.energy) < 1e-8 * np.max(run.kinetic)
    assert np.max(np.abs(run.constraint_error)) < 1e-13
    # The arms lie on each other where their difference is what it was at the start, 2 · 0.297, less.
    between = run.q[:, 1] - run.q[:, 2]
    assert np.max(between) - np.min(between) > 0.5


def test_a_delta_robot_without_stops_swings_through_parallel_rods():
    """Where all its rods are parallel, its plate might turn as well."""
    m = wt.Mechanism("free", gravity=(0, 0, -9.81))
    stopped = wt.examples.load("delta-robot")
    for body in stopped.bodies:
        m.append(dataclasses.replace(body, limits=wt.Limits()))
    for loop in stopped.loops:
        m.add(loop)
    run = wt.simulate(m, duration=1.2, rtol=1e-9, atol=1e-11)
    arms = run.q[:, m.q_index[m.joint_number("arm0")].start]
    parallel = np.arccos(-0.14 / 0.3)  # elbows as far from the middle as the plate's corners
    assert np.sum(np.diff(np.sign(arms - parallel)) != 0) == 2
    plates = np.array([wt.forward_kinematics(m, q)[m.body_number("plate")][:3, :3] for q in run.q])
    np.testing.assert_allclose(plates, np.broadcast_to(np.eye(3), plates.shape), rtol=0, atol=1e-10)
    assert np.ptp(run.energy) < 1e-7 * np.max(run.kinetic)
    assert np.max(np.abs(run.constraint_error)) < 1e-13


LINKAGES = [name for name in wt.examples.names() if (m := wt.examples.load(name)).loops and not m.contacts]


@pytest.mark.parametrize("name", LINKAGES)
def test_bundled_linkages_move_for_ten_seconds(name):
    """From their default start, at the default tolerance; Andrews' squeezer spins up too fast for that."""
    m = wt.examples.load(name)
    duration = 0.1 if name == "andrews-squeezer" else 10.0
    run = wt.simulate(m, duration=duration)
    assert run.t[-1] == duration
    assert np.max(np.abs(run.constraint_error)) < 1e-12
    if not np.any(run.lost_power):  # nothing damps; Oldham's shafts have no reason to turn, and stay at rest
        assert np.ptp(run.energy) <= 1e-6 * np.max(run.kinetic)
    assert wt.simulate(m, duration=1e-3).t[-1] == 1e-3


def ring(links: int) -> tuple[wt.Mechanism, np.ndarray]:
    """Links in a ring, one of them the ground."""
    m, length = wt.Mechanism("ring"), 0.5
    rod = wt.Inertia.rod((0, 0, 0), (length, 0, 0), mass=1.0)
    parent, place = "ground", wt.Placement()
    for k in range(links - 1):
        m.add_body(f"link{k}", wt.Revolute("y"), parent=parent, placement=place, inertia=rod)
        parent, place = f"link{k}", wt.Placement((length, 0, 0))
    m.add_loop("close", wt.Revolute("y"), "ground", parent, place, place)
    return m, wt.assemble(m, np.full(links - 1, 2.0 * np.pi / links))


@pytest.mark.parametrize("dynamics", ["grcr", "auto"])
def test_a_ring_of_twelve_links_goes_on_at_tight_tolerances(dynamics):
    """Dependent coordinates wear out in regular positions, too, and are chosen anew before it shows."""
    m, q = ring(12)
    run = wt.simulate(m, q, duration=1.0, rtol=1e-12, atol=1e-14, dynamics=dynamics)
    assert np.ptp(run.energy) < 1e-10 * np.max(run.kinetic)
    assert np.max(np.abs(run.constraint_error)) < 1e-12


def test_worn_coordinates_are_seen_by_steps_that_become_short(monkeypatch):
    """Their least pivot need not tell: a Stewart platform near its gimbals lost four digits at 2 % of it."""
    monkeypatch.setattr(law_in_use, "WORN", 0.0)
    monkeypatch.setattr(law_in_use, "WORN_MOST", 0.0)
    m, q = ring(12)
    run = wt.simulate(m, q, duration=2.0, rtol=1e-12, atol=1e-14, dynamics="grcr")
    assert len(run.t) < 2000


def test_rods_on_gimbals_go_on_where_dependent_coordinates_wear_out_again_and_again():
    """By 147 choices, each of them compiled, this came as far as 3.68 s; by constraint forces it goes on."""
    m = wt.examples.load("six-rus")
    q = wt.assemble(m, m.neutral())
    qd = wt.project_velocity(m, q, 2.0 * np.random.default_rng(0).normal(size=m.nv))
    run = wt.simulate(m, q, qd, 4.0, rtol=1e-12, atol=1e-14)
    assert run.dynamics == "grcr, lambda-first"
    assert np.ptp(run.energy) < 1e-10 * np.max(run.kinetic)
    assert np.max(np.abs(run.constraint_error)) < 1e-13


def test_a_ring_of_six_links_loses_nothing_in_any_step():
    m, q = ring(6)
    qd = wt.project_velocity(m, q, np.array([3.0, -2.0, 1.0, 4.0, -1.0]))
    run = wt.simulate(m, q, qd, duration=3.0, rtol=1e-12, atol=1e-14)
    assert np.max(np.abs(np.diff(run.energy))) < 1e-11 * np.max(run.kinetic)
    assert np.ptp(run.energy) < 1e-10 * np.max(run.kinetic)


@pytest.mark.parametrize("windows", [1, 2])
def test_singular_positions_inside_a_step_are_seen(windows, monkeypatch):
    """Steps so long that both of their ends are far away from the singular position between them."""
    taken = []
    leave = Crossing._leave_behind
    monkeypatch.setattr(Crossing, "_leave_behind", lambda self, p: (taken.append(p), leave(self, p))[1])
    for options in ({"method": "rk4", "dt": 0.1}, {}):
        taken.clear()
        run = wt.simulate(four_bars(windows), *alike(windows, np.pi / 2, -5.0), 2.0, **options)
        angles = np.floor(run.q[:, 0] / np.pi)
        assert len(taken) == round(angles[0] - angles[-1]) > 2
        np.testing.assert_allclose(run.q[:, 1], -run.q[:, 0], rtol=0, atol=1e-12)


def test_two_legs_lie_flat_at_about_the_same_time():
    m = wt.examples.load("linkage-quadruped")
    q, names = wt.assemble(m, m.neutral()), [body.joint_name for body in m.bodies]
    qd = np.zeros(m.nv)
    for leg, speed in (("lf", 8.0), ("rf", 8.008)):
        for part, sign in (("shank", 1.0), ("crank", 1.0), ("bar", -1.0)):
            qd[m.v_index[names.index(f"{leg}-{part}")]] = sign * speed
    for tolerance in (1e-8, 1e-12):
        run = wt.simulate(m, q, qd, 1.0, rtol=tolerance, atol=1e-2 * tolerance)
        assert np.ptp(run.energy) < 10.0 * tolerance * np.max(run.kinetic)
        assert np.max(np.abs(run.constraint_error)) < 1e-14


@pytest.mark.parametrize("seed", [6, 137])
def test_legs_graze_flat_positions_and_lie_flat_one_after_the_other(seed):
    """Thrown by 137, a leg is flat twice within 4 ms, 0.15 mrad apart between; by 6, two legs within 6 ms."""
    m = wt.examples.load("linkage-quadruped")
    q = wt.assemble(m, m.neutral())
    qd = wt.project_velocity(m, q, 12.0 * np.random.default_rng(seed).normal(size=m.nv))
    for tolerance in (1e-8, 1e-12):
        run = wt.simulate(m, q, qd, 0.22, rtol=tolerance, atol=1e-2 * tolerance)
        # Next to a flat position rounding grows by the inverse square of the distance.
        assert np.ptp(run.energy) < 1e-8 * np.max(run.kinetic)
        assert np.max(np.abs(run.constraint_error)) < 1e-14


def turning_legs(geared: bool) -> wt.Mechanism:
    """A parallelogram with a crooked rotor on its coupler; or the same held in shape by gears."""
    m = wt.Mechanism("legs", gravity=(0.0, -9.81, 0.0))
    rod, tip = wt.Inertia.rod((0, 0, 0), (1.0, 0, 0), mass=1.0), wt.Placement((1.0, 0, 0))
    m.add_body("left", wt.Revolute("z"), inertia=rod)
    m.add_body("coupler", wt.Revolute("z"), "left", tip, rod)
    m.add_body("right", wt.Revolute("z"), placement=tip, inertia=rod)
    ball = wt.Inertia.sphere(0.05, mass=0.1, placement=wt.Placement((0.03, 0, 0)))
    m.add_body("rotor", wt.Revolute("z"), "coupler", wt.Placement((0.5, 0, 0)), ball)
    if geared:
        m.add_gear("opposite", "left", "coupler", -1.0)
        m.add_gear("alike", "left", "right", 1.0)
    else:
        m.add_loop("pin", wt.Revolute("z"), "coupler", "right", tip, tip)
    return m


@pytest.mark.parametrize(("speed", "spin"), [(0.3, 300.0), (1.0, 300.0), (3.0, 1000.0)])
def test_a_slow_passage_beside_a_fast_motion(speed, spin, monkeypatch):
    """It takes many steps to follow the rotor while its parallelogram is next to flat.

    A single step across erred by 4e-8 at rtol 1e-12, as rounding errors over the square of a short way do;
    what two gears hold is never singular, and tells what is right.
    """
    built = []
    across = Bridging.across
    monkeypatch.setattr(Bridging, "across", lambda *given: built.append(across(*given)) or built[-1])
    angle = 0.02 * speed
    q, qd = np.array([angle, -angle, angle, 0.3]), np.array([-speed, speed, -speed, spin])
    run = wt.simulate(turning_legs(False), q, qd, 0.06, rtol=1e-12, atol=1e-14)
    expected = wt.simulate(turning_legs(True), q, qd, 0.06, rtol=1e-12, atol=1e-14)
    assert built
    assert run.q[0, 0] > 0.0 > run.q[-1, 0]
    np.testing.assert_allclose(run.q[-1], expected.q[-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.qd[-1], expected.qd[-1], rtol=0, atol=1e-9)
    assert np.ptp(run.energy) < 1e-11 * np.max(run.kinetic)


def test_a_constraint_goes_on_through_where_it_fades():
    """Its direction at flat is known from before: the motion that all bars share is free, and stays so."""
    m = four_bars(1)
    closing = Closing(m, common(m))
    angles = 0.3 * 0.8 ** np.arange(20)
    q = np.array([[angle, -angle, angle] for angle in angles])
    closing.is_regular(q[0])
    rows, _ = closing.ordered(q[-1])
    (continuation,) = continuations(closing, (rows[:-1], rows[-1:]), -angles, q)
    for t in (-angles[-1], 0.0, angles[-1]):
        assert abs(continuation.at(t) @ np.array([1.0, -1.0, 1.0])) < 1e-12
        assert np.linalg.norm(continuation.at(t)) > 0.5


@pytest.mark.parametrize("times", [(0.003,), (-0.001, 0.0004), (0.002, 0.002, -0.03), (0.01, 1e-5, 0.02)])
def test_times_of_all_constraints_that_become_dependent(times):
    """Behind a singular position its constraints are still the weakest, while those of the next come."""
    rng = np.random.default_rng(5)
    left, right = (np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (6, 9))
    values = np.diag([2.0, 1.3, 0.9, 1.1, 0.8, 1.7])
    rates = np.zeros((6, 6))
    for k, (time, speed) in enumerate(zip(times, (2.0, 0.7, 1.1), strict=False)):
        values[k, k], rates[k, k] = speed * time, -speed
    factors = Factors(left @ values @ right[:6], 6)
    found = factors.times_to_singular(left @ rates @ right[:6])
    np.testing.assert_allclose(np.sort(found), np.sort(times), rtol=1e-6)
