"""Events looked for by machine code: those of Python, and never by a record that is out of date."""

import functools
import time
from typing import NamedTuple

import numpy as np
import pytest
from numpy import random as drawn
from numpy.random import normal as drawn_normal

import whippletree as wt
from whippletree.simulation.events import Watch
from whippletree.simulation.memoryless import memoryless
from whippletree.simulation.strides import plain_steps
from whippletree.simulation.strides.event_lookout import lookout_kernel

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


def test_what_functions_read_is_told():
    m, array, number = wt.examples.load("pendulum"), np.array([1.0, 2.0]), 3.0

    def reading(array, number, m):
        found = memoryless(lambda t, q, qd: array[0] * q[0] + number + m.nq)
        assert found is not None
        return found.key

    same, heavier, renamed = reading(array, number, m), m.copy(), m.copy()
    heavier.gravity = (0.0, 0.0, -1.0)
    renamed.name = "other"
    assert same == reading(array.copy(), 3.0, m.copy())
    others = ((array + 1.0, number, m), (array, 4.0, m), (array, 3, m), (array[:1], number, m))
    for other in (*others, (array, number, heavier), (array, number, renamed)):
        assert reading(*other) != same
    assert reading(array, 0.0, m) != reading(array, -0.0, m)


def test_a_frame_that_was_moved_is_looked_at_where_it_is_now(at_once):
    """The same function of two mechanisms that move alike, and of one before and after a change."""
    at_once()

    def passage(m):
        event = wt.Event(lambda t, q, qd: wt.frame_pose(m, q, "mark")[0, 3] - 0.1, "passed")
        run = wt.simulate(m, [-0.5], duration=1.0, method="rk4", dt=0.01, events=[event])
        return float(run.events[0].q[0])

    near, far = wt.examples.load("pendulum"), wt.examples.load("pendulum")
    near.add_frame("mark", "rod", wt.Placement((0.0, 0.0, -0.4)))
    far.add_frame("mark", "rod", wt.Placement((0.0, 0.0, -0.8)))
    angles = [passage(near), passage(far)]
    near.change("mark", placement=wt.Placement((0.0, 0.0, -0.5)))
    angles.append(passage(near))
    assert np.abs(angles) == pytest.approx(np.arcsin([0.1 / 0.4, 0.1 / 0.8, 0.1 / 0.5]), abs=1e-10)


class Moody(float):
    """A number that is another one each time it is added."""

    def __radd__(self, other):
        return other + np.random.random()  # noqa: NPY002

    __add__ = __radd__


class Watched(np.ndarray):
    """An array that counts how often it is read."""

    seen = 0

    def __getitem__(self, key):  # pyright: ignore[reportIncompatibleMethodOverride]
        type(self).seen += 1
        return float(self.seen)


class Threshold(NamedTuple):
    """A tuple that looks at a clock."""

    level: float

    @property
    def now(self):
        return self.level + time.time()


class Rising:
    """A function that is an object."""

    level = 0.0

    def __call__(self, t, q, qd):
        self.level += 1.0
        return q[0] - self.level

    rise = __call__


def attribute(t, q, qd):
    return q[0] - attribute.level  # pyright: ignore[reportFunctionMemberAccess]


def known_attribute(t, q, qd):
    return q[0] - known_attribute.size  # pyright: ignore[reportFunctionMemberAccess]


attribute.level = known_attribute.size = 0.3  # pyright: ignore[reportFunctionMemberAccess]
COUNT = np.zeros(1)


def in_place(t, q, qd):
    count = COUNT
    count += 1.0
    return q[0] - count[0]


def negated(t, q, qd):
    return q[0] - np.negative(COUNT, COUNT)[0]  # the second is where the result goes


def by_error(t, q, qd):
    try:
        return float(q[0])
    except TypeError:  # what a symbol raises
        return 1.0


def by_kind(t, q, qd):
    match q[0]:
        case float():
            return q[0]
    return 1.0


def importing(t, q, qd):
    from time import time as clock

    return q[0] - clock()


def counting(t, q, qd, seen=[]):  # noqa: B006
    seen += [t]
    return q[0] - len(seen)


def raising_level():
    level = 0.0

    def function(t, q, qd):
        nonlocal level
        level += 1.0
        return q[0] - level

    return function


@wt.checked
def own_algorithm(m, q):
    return q[0] + KEPT["level"]


@functools.lru_cache
def cached(level):
    return level


def executed(names):
    exec("def function(t, q, qd): return q[0] - level()", names)
    return names["function"]


M, KEPT, SEEN = wt.examples.load("pendulum"), {"level": 1.0}, [0.3]
RNG, MOODY, WATCHED = np.random.default_rng(0), Moody(1.0), np.zeros(2).view(Watched)
THRESHOLD, TEXT, MASKED = Threshold(0.3), "%s", np.ma.masked_array([0.1], [True])
OWN_UFUNC, TURNS = np.frompyfunc(lambda x: x + SEEN[0], 1, 1), iter(range(9))
NAMES = type("Names", (dict,), {"__missing__": lambda self, name: time.time})()
UNKNOWN = {
    "generator of random numbers": lambda t, q, qd: q[0] - RNG.normal(),
    "random numbers of numpy": lambda t, q, qd: q[0] - np.random.normal(),  # noqa: NPY002
    "numpy.random by another name": lambda t, q, qd: q[0] - drawn.normal(),  # noqa: NPY002
    "a function of numpy.random": lambda t, q, qd: q[0] - drawn_normal(),  # noqa: NPY002
    "memory that is not set": lambda t, q, qd: q[0] - np.empty(1)[0],
    "a file": lambda t, q, qd: q[0] - np.loadtxt("level.txt"),
    "a mechanism's file": lambda t, q, qd: q[0] - wt.load("arm.urdf").nq,
    "a clock": lambda t, q, qd: q[0] - time.time(),
    "a clock of numpy": lambda t, q, qd: q[0] - np.datetime64("now").astype(float),
    "a function of C": time.time,
    "a method of C": KEPT.get,
    "a dictionary": lambda t, q, qd: q[0] - KEPT["level"],
    "a list": lambda t, q, qd: q[0] - SEEN[0],
    "a default that changes": counting,
    "nonlocal": raising_level(),
    "an attribute of a function": attribute,
    "an attribute of a class": lambda t, q, qd: q[0] - Rising.level,
    "an attribute of a module": lambda t, q, qd: q[0] - np.level,  # pyright: ignore[reportAttributeAccessIssue]
    "an object": Rising(),
    "a method": Rising().rise,
    "part of a function": functools.partial(lambda level, t, q, qd: q[0] - level[0], SEEN),
    "a cache": lambda t, q, qd: q[0] - cached(1.0),
    "a decorated function of a user": lambda t, q, qd: own_algorithm(M, q),
    "an iterator": lambda t, q, qd: q[0] - next(TURNS),
    "a generator": lambda t, q, qd: q[0] - sum(x for x in qd),
    "a number of a class of a user": lambda t, q, qd: q[0] + MOODY,
    "an array of a class of a user": lambda t, q, qd: q[0] + WATCHED[0],
    "a masked array": lambda t, q, qd: q[0] + MASKED[0],
    "a tuple of a class of a user": lambda t, q, qd: q[0] + THRESHOLD.now,
    "a ufunc of a user": lambda t, q, qd: OWN_UFUNC(q[0]),
    "a function that is vectorized": lambda t, q, qd: np.vectorize(lambda x: x + SEEN[0])(q)[0],
    "names that are made up": executed(NAMES),
    "builtins of a user": executed({"__builtins__": {"level": time.time}}),
    "import": importing,
    "an error caught": by_error,
    "a kind matched": by_kind,
    "a kind asked for": lambda t, q, qd: 1.0 if isinstance(q[0], float) else -1.0,
    "a class asked for": lambda t, q, qd: 1.0 if q[0].__class__ is float else -1.0,
    "a kind of array": lambda t, q, qd: 1.0 if q.dtype == float else -1.0,
    "identity": lambda t, q, qd: 1.0 if q[0] is q[0] else -1.0,
    "an address": lambda t, q, qd: q[0] - id(q),
    "a hash": lambda t, q, qd: q[0] - hash(q[0]),
    "a text": lambda t, q, qd: q[0] - len(str(q[0])),
    "a text with a number": lambda t, q, qd: q[0] - len("%s" % q[0]),  # noqa: UP031
    "a text with a number, from around": lambda t, q, qd: q[0] - len(TEXT % q[0]),
    "an f-string": lambda t, q, qd: q[0] - len(f"{q[0]}"),
    "a set of numbers": lambda t, q, qd: q[0] - len({q[0], 0.3}),
    "attributes by name": lambda t, q, qd: q[0] - getattr(M, "nq"),  # noqa: B009
    "a name that is not there": lambda t, q, qd: q[0] - not_there,  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_functions_that_may_remember_or_tell_symbols_apart_are_not_recorded(what):
    assert memoryless(UNKNOWN[what]) is None


@pytest.mark.parametrize(
    ("function", "told"),
    [(in_place, "read-only"), (negated, "read-only"), (known_attribute, "no attribute 'size'")],
)
def test_what_is_read_is_apart_and_cannot_be_written_to(function, told):
    """Nothing tells what these do until they are called; they are not recorded, as the record refuses it."""
    before, found = COUNT.copy(), memoryless(function)
    assert found is not None
    with pytest.raises((ValueError, AttributeError), match=told):
        found.function(0.0, np.ones(1), np.ones(1))
    assert lookout_kernel([wt.Event(function, "hidden")], 1, 1) is None
    np.testing.assert_array_equal(COUNT, before)
    assert COUNT.flags.writeable


def test_functions_that_call_each_other_are_recorded_with_what_all_read():
    shift = 0.25

    def below(x, n):
        return x - shift if n == 0 else below(x, n - 1) * TABLE[0]

    def with_keyword(t, q, qd, *, weights=(2.0, 3.0)):
        return sum([w * below(x, 2) for w, x in zip(weights, q, strict=True)]) + np.sin(t)

    found, q = memoryless(with_keyword), np.array([0.3, -0.7])
    assert found is not None
    assert found.function(0.4, q, q) == with_keyword(0.4, q, q)
    shift = 0.5
    later = memoryless(with_keyword)
    assert later is not None
    assert later.key != found.key
    assert later.function(0.4, q, q) == with_keyword(0.4, q, q) != found.function(0.4, q, q)
