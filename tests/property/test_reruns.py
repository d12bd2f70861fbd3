"""Runs that go as one before them went: the same to the last bit, whatever ran before."""

import sys
import threading
import warnings
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import whippletree as wt
from whippletree.examples.linkages import four_bars
from whippletree.simulation import driver, reruns
from whippletree.simulation.integrators import INTEGRATORS

MECHANISMS = {
    "six-axis-arm": lambda: wt.examples.load("six-axis-arm"),
    "spinning-top": lambda: wt.examples.load("spinning-top"),
    "quadruped": lambda: wt.examples.load("quadruped"),
    "four-bar": lambda: wt.examples.load("four-bar"),
    "five-bar": lambda: wt.examples.load("five-bar"),
    "stewart-platform": lambda: wt.examples.load("stewart-platform"),
    "wishbone-axle": lambda: wt.examples.load("wishbone-axle"),
    "hanging-four-bars": lambda: four_bars(3, raised=-1.0),
}
WAYS = {
    "DOP853": {"method": "DOP853"},
    "Radau": {"method": "Radau", "rtol": 1e-6},
    "auto": {"rtol": 1e-9, "atol": 1e-11},
    "rk4": {"method": "rk4", "dt": 2e-3},
    "euler": {"method": "euler"},
}


def starts(m, count=3):
    """States near the one where it is assembled."""
    rng, found = np.random.default_rng(3), []
    q = wt.assemble(m, m.neutral()) if m.loops else m.neutral()
    for _ in range(count):
        near = m.integrate(q, 0.02 * rng.normal(size=m.nv))
        near = wt.assemble(m, near) if m.loops else near
        qd = 0.3 * rng.normal(size=m.nv)
        found.append((near, wt.project_velocity(m, near, qd) if m.loops else qd))
    return found


def run(m, q, qd, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.EnergyWarning)
        warnings.simplefilter("ignore", wt.StepLengthWarning)
        return wt.simulate(m, q, qd, progress=False, **options)


def same(a, b):
    for field in fields(a):
        one, other = getattr(a, field.name), getattr(b, field.name)
        if isinstance(one, np.ndarray):
            assert one.shape == other.shape, field.name
            assert one.tobytes() == other.tobytes(), field.name
        elif field.name not in ("mechanism", "acting"):
            assert one == other, field.name
    assert a.mechanism == b.mechanism


@pytest.fixture
def counted(monkeypatch):
    """How many runs were set up."""
    made, plain = [], driver.Run
    monkeypatch.setattr(driver, "Run", lambda *arguments: made.append(1) or plain(*arguments))
    return made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_rerun_is_the_same_to_the_last_bit(name, way, counted):
    m, options = MECHANISMS[name](), {"duration": 0.05, **WAYS[way]}
    first, *others = starts(m)
    run(m, *first, **options)
    counted.clear()
    again = [run(m, *start, **options) for start in others]
    assert not counted
    fresh = [run(MECHANISMS[name](), *start, **options) for start in others]
    for a, b in zip(again, fresh, strict=True):
        same(a, b)


def test_the_integrator_is_chosen_again():
    """A strong damper that is in line with what it damps has no lever there, and makes nothing stiff."""

    def damped():
        m = wt.Mechanism("damped", gravity=(0.0, 0.0, 0.0))
        m.add_body("arm", wt.Revolute("z"), inertia=wt.Inertia.box((1.0, 0.1, 0.1), mass=2.0))
        m.add_spring("d", "ground", (2.0, 0.0, 0.0), "arm", (0.5, 0.0, 0.0), stiffness=0.0, damping=1e5)
        return m

    m, methods = damped(), set()
    for angle in (0.7, 0.8, 0.0, 0.9, 1e-3):
        found = run(m, [angle], [0.0], duration=0.5)
        same(found, run(damped(), [angle], [0.0], duration=0.5))
        methods.add(found.method)
    assert methods == {"DOP853", "Radau"}


def test_control_as_machine_code(counted):
    def made():
        m = wt.examples.load("six-axis-arm")
        return m, wt.compile(lambda m, t, q, qd: -2e-4 * qd - 3e-3 * q + 0.1 * t, m, inputs={"t": ()})

    m, control = made()
    first, second, third = starts(m)
    for options in ({"method": "rk4"}, {"method": "DOP853"}):
        run(m, *first, duration=0.05, control=control, **options)
        counted.clear()
        found = run(m, *second, duration=0.05, control=control, **options)
        assert not counted
        fresh, own = made()
        same(found, run(fresh, *second, duration=0.05, control=own, **options))
        assert np.any(found.tau)
        assert not np.any(run(m, *third, duration=0.05, **options).tau)


def test_what_is_to_be_decided_is():
    m = wt.examples.load("four-bar")
    (q, qd), (other, fast) = starts(m, 2)
    run(m, q, qd, duration=0.05)
    long = run(m, other, fast, duration=0.05)
    assert len(long) > 2
    # A start at a singular position, one that is open, one that is no number.
    flat = wt.examples.load("four-bars")
    begin = wt.assemble(flat, flat.neutral())
    bent = run(flat, begin, np.zeros(flat.nv), duration=0.05).q[-1]
    for _ in range(2):
        run(flat, wt.assemble(flat, bent), np.zeros(flat.nv), duration=0.01)
    run(flat, begin, np.zeros(flat.nv), duration=0.01)
    with pytest.raises(wt.WhippletreeError, match="open"):
        run(m, q + 0.1, qd, duration=0.05)
    with pytest.raises(wt.InputError, match="finite"):
        run(m, np.full(m.nq, np.nan), qd, duration=0.05)


def test_a_motion_that_is_too_fast_is_told():
    m = wt.examples.load("double-pendulum")
    run(m, [0.1, 0.2], [0.0, 0.1], duration=0.05)
    with pytest.raises(wt.SimulationError, match="no step can follow"):
        run(m, [0.1, 0.2], [0.0, 1e90], duration=0.05)
    same(
        run(m, [0.3, 0.2], [0.0, 0.1], duration=0.05),
        run(wt.examples.load("double-pendulum"), [0.3, 0.2], [0.0, 0.1], duration=0.05),
    )


def test_warnings_come_again():
    m = wt.Mechanism("sprung")  # at 1,700 rad/s, beside so much that moves that its energy is little
    m.add_body("load", wt.Prismatic("y"), inertia=wt.Inertia(100.0))
    m.add_body("mass", wt.Prismatic("x"), inertia=wt.Inertia(0.3))
    m.add_spring("s", "ground", (-1.0, 0.0, 0.0), "mass", (0.0, 0.0, 0.0), stiffness=867e3, length=1.0)
    for start in (0.001, 0.002, 0.003):
        with pytest.warns(wt.StepLengthWarning, match=r"dt is 0.001 s"):
            wt.simulate(m, [0.1, start], [10.0, 0.0], 0.05, method="euler", progress=False)
    arm = wt.examples.load("double-pendulum")
    for start in (1.0, 1.1, 1.2):
        with pytest.warns(wt.EnergyWarning):
            wt.simulate(arm, [start, 2.0], [0.0, 0.0], 1.0, method="euler", dt=0.05, progress=False)


def test_a_mechanism_that_changes_has_no_reruns(counted):
    m = wt.examples.load("pendulum")
    for _ in range(2):
        run(m, [0.5], [0.0], duration=0.1)
    m.change("rod", inertia=wt.Inertia(2.0, (0.0, 0.01, -0.7)))
    counted.clear()
    found = run(m, [0.5], [0.0], duration=0.1)
    assert counted
    assert found.mechanism is not None
    assert found.mechanism.bodies[0].inertia.m == 2.0


def test_what_a_name_stands_for_may_change(monkeypatch):
    m = wt.examples.load("pendulum")
    found = {}
    for name in ("rk4", "euler"):
        monkeypatch.setitem(INTEGRATORS, "mine", INTEGRATORS[name])
        for _ in range(2):
            found[name] = run(m, [0.5], [0.3], duration=0.1, method="mine").q[-1, 0]
        assert found[name] == run(m, [0.5], [0.3], duration=0.1, method=name).q[-1, 0]
    assert found["rk4"] != found["euler"]


def test_options_are_checked_again():
    m = wt.examples.load("pendulum")
    for _ in range(2):
        run(m, [0.5], [0.0], duration=0.1, method="rk4")
    for wrong in ({"duration": -1.0}, {"dt": 0.0}, {"rtol": np.nan}, {"impacts": "none"}, {"sample": -1.0}):
        with pytest.raises(wt.InputError):
            run(m, [0.5], [0.0], **{"duration": 0.1, "method": "rk4", **wrong})
    wrong: Any = "yes"
    with pytest.raises(wt.InputError, match="progress"):
        wt.simulate(m, [0.5], [0.0], 0.1, method="rk4", progress=wrong)


def test_starts_of_the_user_stay_his():
    m = wt.examples.load("double-pendulum")
    q0, qd0 = np.array([0.4, 0.3]), np.array([0.1, 0.2])
    first = run(m, q0, qd0, duration=0.1)
    q0[:], qd0[:] = 9.0, 9.0
    assert first.q[0].tolist() == [0.4, 0.3]
    second = run(m, np.array([0.4, 0.3]), np.array([0.1, 0.2]), duration=0.1)
    second.q[:] = 0.0
    same(run(m, [0.4, 0.3], [0.1, 0.2], duration=0.1), first)


def test_threads_do_not_share_a_rerun():
    m = wt.examples.load("six-axis-arm")
    begins = starts(m, 8)
    run(m, *begins[0], duration=0.2)
    alone = [run(m, *begin, duration=0.2) for begin in begins]
    found = {}

    def many(k):
        for _ in range(20):
            found[k] = run(m, *begins[k], duration=0.2)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with warnings.catch_warnings():
            threads = [threading.Thread(target=many, args=(k,)) for k in range(len(begins))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    for k, other in enumerate(alone):
        same(found[k], other)


def test_nothing_that_was_recorded_is_kept(monkeypatch):
    kept = []
    plain = reruns.Rerun

    def watched(*arguments):
        kept.append(plain(*arguments))
        return kept[-1]

    monkeypatch.setattr(reruns, "Rerun", watched)
    m = wt.examples.load("pendulum")
    for _ in range(3):
        run(m, [0.5], [0.0], duration=0.1)
        assert len(kept) == 1
        assert kept[0]._run.log.count == 0


def test_a_rerun_that_runs_away_warns_once():
    """A spring that is far too stiff for its step, which the start may feel, or not."""

    def sprung():
        m = wt.Mechanism("sprung", gravity=(0.0, 0.0, 0.0))
        m.add_body("mass", wt.Prismatic("x"), inertia=wt.Inertia(0.3))
        m.add_spring("s", "ground", (-1.0, 0.0, 0.0), "mass", (0.0, 0.0, 0.0), stiffness=4e6, length=1.0)
        return m

    def told(m, start):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            try:
                wt.simulate(m, [start], [0.0], 0.02, method="rk4", progress=False)
            except wt.SimulationError as error:
                return [str(warning.message) for warning in found], str(error)
        return [str(warning.message) for warning in found], ""

    m = sprung()
    for start in (0.0, 0.002, 0.0, 0.003):
        assert told(m, start) == told(sprung(), start)
    assert told(m, 0.002)[1]
