"""Events looked for by machine code: those of Python, and never by a record that is out of date."""

import numpy as np
import pytest

import whippletree as wt
from whippletree.simulation.events import Watch
from whippletree.simulation.memoryless import what_it_reads
from whippletree.simulation.strides import plain_steps

LEVEL, TABLE = 0.3, np.array([0.1, 0.2])


@pytest.fixture
def at_once(monkeypatch):
    """Machine code from the first step on, and no look in Python at steps in which nothing happens."""

    def refused(*_):
        raise AssertionError("looked at in Python")

    monkeypatch.setattr(plain_steps, "LOOKS", -1)
    return lambda: monkeypatch.setattr(Watch, "quiet", refused)


def events(m: wt.Mechanism) -> list[wt.Event]:
    return [
        wt.Event(lambda t, q, qd: q[0] + 0.2 * q[1] - LEVEL, "level"),
        wt.Event(lambda t, q, qd: wt.forward_kinematics(m, q)[1][2, 3] + 0.4, "elbow", 1),
        wt.Event(lambda t, q, qd: np.sin(q[1]) - TABLE[1], "table", -1),
        wt.Event(lambda t, q, qd: t - 1.7, "late"),
    ]


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
def test_events_are_those_that_python_finds(at_once, monkeypatch, method):
    m = wt.examples.load("double-pendulum")
    given = {"q0": [1.0, 0.5], "duration": 3.0, "method": method, "progress": False}
    with monkeypatch.context() as patch:
        patch.setattr(plain_steps, "LOOKS", 10**9)
        slow = wt.simulate(m, **given, events=events(m))
    at_once()
    quick = wt.simulate(m, **given, events=events(m))
    assert {event.name for event in quick.events} == {"level", "elbow", "table", "late"}
    assert [event.name for event in quick.events] == [event.name for event in slow.events]
    np.testing.assert_allclose(
        [event.t for event in quick.events], [event.t for event in slow.events], rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(quick.q, slow.q, rtol=0, atol=1e-12)


def test_what_an_action_changes_is_read_again(at_once):
    """A wall that is moved away on the way to it: a number that the event's function has from around it."""
    at_once()
    m = wt.Mechanism("slide", gravity=(0.0, 0.0, 0.0))
    m.add_body("block", wt.Prismatic("x"), inertia=wt.Inertia(1.3))
    wall = 0.6

    def moved(t, q, qd):
        nonlocal wall
        wall = 0.9
        return q, qd

    given = [
        wt.Event(lambda t, q, qd: q[0] - 0.2, "mark", action=moved),
        wt.Event(lambda t, q, qd: q[0] - wall, "wall"),
    ]
    run = wt.simulate(m, [0.0], [2.0], duration=1.0, method="rk4", events=given)
    assert [found.name for found in run.events] == ["mark", "wall"]
    assert [found.t for found in run.events] == pytest.approx([0.1, 0.45], abs=1e-12)


def test_functions_that_decide_or_remember_are_asked_in_python(monkeypatch):
    """One branches by a value, one counts its calls, and a control could change what they read."""
    monkeypatch.setattr(plain_steps, "LOOKS", -1)
    m, seen = wt.examples.load("pendulum"), []
    branching = wt.Event(lambda t, q, qd: q[0] if q[0] > -9.0 else 1.0, "branching")
    counting = wt.Event(lambda t, q, qd: seen.append(t) or q[0], "counting")
    plain = wt.Event(lambda t, q, qd: q[0], "plain")
    times = []
    for event, control in ((branching, None), (counting, None), (plain, lambda t, q, qd: np.zeros(1))):
        run = wt.simulate(m, [0.5], duration=2.0, control=control, method="rk4", dt=0.01, events=[event])
        times.append([found.t for found in run.events])
    assert len(seen) > 400
    assert len(times[0]) == 2
    np.testing.assert_allclose(times[1:], times[:1] * 2, rtol=0, atol=1e-13)


def test_what_functions_read_is_told_or_not_known():
    m, array, number = wt.examples.load("pendulum"), np.array([1.0, 2.0]), 3.0
    before = what_it_reads(lambda t, q, qd: array[0] * q[0] + number + m.nq)
    assert before is not None

    def reading(array, number, m):
        return what_it_reads(lambda t, q, qd: array[0] * q[0] + number + m.nq)

    same, heavier = reading(array.copy(), 3.0, m.copy()), m.copy()
    heavier.gravity = (0.0, 0.0, -1.0)
    assert same == reading(array, number, m)
    for other in ((array + 1.0, number, m), (array, 4.0, m), (array, number, heavier)):
        assert reading(*other) != same
    rng, kept = np.random.default_rng(0), {"level": 1.0}

    def writing(t, q, qd):
        array[0] = t
        return q[0]

    unknown = [
        lambda t, q, qd: q[0] - rng.normal(),
        lambda t, q, qd: q[0] - np.random.normal(),  # noqa: NPY002
        lambda t, q, qd: q[0] - kept["level"],
        lambda t, q, qd: 1.0 if isinstance(q[0], float) else -1.0,
        writing,
        kept.get,
    ]
    assert [what_it_reads(function) for function in unknown] == [None] * len(unknown)
