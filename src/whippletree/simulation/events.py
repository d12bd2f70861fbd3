"""Events: moments at which a function of the state passes through zero, and what happens then."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import flag, position, vector
from ..spatial import Array, where
from ..spatial.scalar import real_numbers
from .acting import check_function

State = Callable[[float], tuple[Array, Array]]
"""q and qd at a time within a step."""

Moved = Callable[[Array, Array, float], Array]
"""The position after moving with a velocity for a time, s."""

Action = Callable[[float, Array, Array], tuple[Any, Any]]
"""(t, q, qd) to the q and qd with which the motion goes on."""

INSIDE = 1e-6
"""How far inside a step, as a share of it, a function is looked at to see where it tends."""

CLOSER = 10
"""How often it is looked at ten times closer to a start where it was zero, for hops shorter than that."""

SHORTEST = 1e-13
"""s at 1 s: times are not told apart below this, as they have 16 digits."""

MOVE = 1e-6
"""rad or m: the motion over which it is seen where a function goes from zero."""


@dataclass(frozen=True)
class Event:
    """A moment to be found: when a function of the state passes through zero.

    Args:
        function: function(t, q, qd) gives a number.
        name: Told in `Trajectory.events`.
        direction: 1 for passing from below zero only, -1 from above only, 0 for both.
        terminal: Whether the simulation ends there.
        action: action(t, q, qd) gives the (q, qd) with which the motion goes on: a ball bounces, a mass is
            caught. Both states are recorded, at one time. None: the motion is not changed.

    A function is evaluated in machine code once a run is long enough to be worth it, if it can be recorded
    and reads nothing that may change unseen: its arguments, numbers, tuples, arrays, mechanisms, functions of
    this library, of NumPy and of its own kind. Others are called at the end of every step.

    An event is seen if the function has different signs at the two ends of a step, or comes to zero and
    turns back within it, and located to rounding. After an action the function is taken to be zero: the
    event happens again only after the function has left zero. So an action that sends it away from zero, as
    a bounce does, must send it away for a time that can be measured; where that time shrinks to nothing, as
    with ever lower bounces, the simulation ends with an error.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> bottom = wt.Event(lambda t, q, qd: q[0], "bottom", terminal=True)
    >>> run = wt.simulate(m, [0.1], [0.0], duration=2.0, events=[bottom])
    >>> round(float(run.t[-1]), 4), run.events[0].name
    (0.4097, 'bottom')
    >>> wall = wt.Event(lambda t, q, qd: q[0], "wall", -1, action=lambda t, q, qd: (q, -0.5 * qd))
    >>> run = wt.simulate(m, [0.1], [0.0], duration=2.0, events=[wall])
    >>> [round(event.t, 3) for event in run.events], bool(np.all(run.q > -1e-12))
    ([0.41, 1.229], True)
    """

    function: Callable[[float, Array, Array], Any]
    name: str
    direction: int = 0
    terminal: bool = False
    action: Action | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"name of an event is {self.name!r}: give a text that is not empty")
        check_function(self.function, f"event {self.name!r}: function")
        flag(self.terminal, f"event {self.name!r}: terminal")
        if not isinstance(self.direction, int) or self.direction not in (-1, 0, 1):
            raise InputError(f"event {self.name!r}: direction is {self.direction!r}, expected -1, 0 or 1")
        if self.action is not None:
            check_function(self.action, f"event {self.name!r}: action")

    def value(self, t: float, q: Array, qd: Array) -> float:
        """The function's value, checked."""
        found = self.function(t, q.copy(), qd.copy())
        try:
            value = real_numbers(found)
        except (TypeError, ValueError):
            value = np.zeros(0)
        if value.size != 1 or not np.isfinite(value).all():
            raise InputError(f"event {self.name!r} at t = {t:g}: function gives {found}, expected a number")
        return float(value.reshape(()))

    def passes(self, before: float, after: float) -> bool:
        """Whether values at the ends of a step show a passage in the direction that counts."""
        rises, falls = before < 0.0 <= after, before > 0.0 >= after
        return (rises and self.direction >= 0) or (falls and self.direction <= 0)

    @property
    def stops(self) -> bool:
        """Whether the step that meets it ends there."""
        return self.terminal or self.action is not None


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, the time, s, and the state then, before any action."""

    name: str
    t: float
    q: Array
    qd: Array


class Stop(NamedTuple):
    """A time within a step, s, at which events end it."""

    t: float
    events: tuple[Event, ...]


class Stall(ArithmeticError):
    """An event that would happen again at once, for ever."""

    def __init__(self, event: Event) -> None:
        self.event = event


class Watch:
    """The events of one simulation, looked for step by step."""

    def __init__(self, events: Sequence[Event], t: float, q: Array, qd: Array) -> None:
        if type(events) is not tuple and (
            isinstance(events, str | Event) or not isinstance(events, Iterable)
        ):
            raise InputError(f"events is {events!r}, expected a list of Event(function, name)")
        for event in events:
            if not isinstance(event, Event):
                raise InputError(f"events holds {event!r}, expected Event(function, name)")
        self.events: list[Event] = list(events)
        self.occurred: list[Occurrence] = []
        self._values = [event.value(t, q, qd) for event in self.events]
        self._sides = [0.0] * len(self.events)

    def look(self, t0: float, t1: float, state: State) -> Stop | None:
        """Find all events in a step, up to the first that ends it; None if none does."""
        found: list[tuple[float, Event]] = []
        after = [event.value(t1, *state(t1)) for event in self.events]
        for event, before, value, side in zip(self.events, self._values, after, self._sides, strict=True):
            found += [(t, event) for t in _passages(event, before, value, side, t0, t1, state)]
        self._values, self._sides = after, [0.0] * len(self.events)
        found.sort(key=lambda pair: pair[0])
        for t, event in found:
            if event.stops:
                together = tuple(other for at, other in found if at == t)
                self.occurred += [Occurrence(other.name, t, *state(t)) for other in together]
                return Stop(t, together)
            self.occurred.append(Occurrence(event.name, t, *state(t)))
        return None

    @property
    def settled(self) -> bool:
        """Whether no function is at zero, so that signs tell what happens."""
        return 0.0 not in self._values and not any(self._sides)

    @property
    def values(self) -> list[float]:
        """Of the functions where it was looked last."""
        return self._values

    def pass_by(self, values: Sequence[float]) -> None:
        """Steps were taken in which nothing happened, at whose end functions have values."""
        self._values = list(values)

    def quiet(self, t: Array, y: Array, slope: Array, nq: int) -> int:
        """Number of steps in which nothing happens, up to the first in which something may.

        Args:
            t: (n + 1,) start of the first step and ends of all, s.
            y, slope: (n + 1, nq + nv) states and dy/dt there.
            nq: How many numbers of a state are positions.
        """
        if not self.settled:
            return 0
        near = INSIDE * np.diff(t)[:, None]
        states = (t[1:], y[1:]), (t[:-1] + near[:, 0], y[:-1] + near * slope[:-1])
        states = *states, (t[1:] - near[:, 0], y[1:] - near * slope[1:])
        for k in range(len(near)):
            after, first, last = (
                [event.value(float(at[k]), state[k, :nq], state[k, nq:]) for event in self.events]
                for at, state in states
            )
            for before, *values in zip(self._values, after, first, last, strict=True):
                if not keeps_away(before, *values):
                    return k
            self._values = after
        return len(near)

    def go_on(self, stop: Stop, q: Array, qd: Array, moved: Moved) -> None:
        """Look on from a state that actions have left; what has just happened begins at zero."""
        values = [event.value(stop.t, q, qd) for event in self.events]
        speed = float(np.max(np.abs(qd), initial=0.0))
        self._values, self._sides = list(values), [0.0] * len(values)
        for k, event in enumerate(self.events):
            if event in stop.events:
                self._values[k] = 0.0
                if speed:  # to which side of zero the velocity alone leads
                    ahead = event.value(stop.t, moved(q, qd, MOVE / speed), qd)
                    self._sides[k] = float(np.sign(ahead - values[k]))


def keeps_away(before: Any, after: Any, first: Any, last: Any) -> Any:
    """1 if a function with these values at the ends of a step and next to them comes not to zero, else 0."""
    side = where(before > 0.0, 1.0, -1.0)
    turns = where(side * (first - before) >= 0.0, 0.0, where(side * (last - after) >= 0.0, 0.0, 1.0))
    return where(before * after > 0.0, 1.0 - turns, 0.0)


def _passages(
    event: Event, before: float, after: float, side: float, t0: float, t1: float, state: State
) -> list[float]:
    """Times at which a function passes through zero in a step, in the event's direction.

    It was zero at the start if `before` is 0; `side` then tells where the velocity leads from there.
    """

    def value(t: float) -> float:
        # The ends are known; taken from there, so that their signs are the ones that were seen.
        return before if t == t0 else after if t == t1 else event.value(t, *state(t))

    near = INSIDE * (t1 - t0)
    start, first = t0, value(t0 + near)
    if before == 0.0:  # it was told before; where the function goes from there is what counts
        start, before = t0 + near, first
        if side * before < 0.0 and event.passes(side, before):  # it has been there and back
            for k in range(1, CLOSER):
                closer = t0 + near * 0.1**k
                if closer > t0 + SHORTEST * max(1.0, t0) and side * value(closer) > 0.0:
                    return [_root(value, closer, start)]
            raise Stall(event)
    if before * after < 0.0 or after == 0.0:
        return [_root(value, start, t1)] if event.passes(before, after) else []
    side = np.sign(before)
    if side * (first - before) >= 0.0 and start == t0:
        return []
    if side * (value(t1 - near) - after) >= 0.0:
        return []
    # It tends to zero from both ends: does it get there in between?
    turn = _lowest(lambda t: side * value(t), start, t1)
    if side * value(turn) >= 0.0:
        return []
    ends = ((start, turn, before, -side), (turn, t1, -side, after))
    return [_root(value, a, b) for a, b, from_, to in ends if event.passes(from_, to)]


def _lowest(function: Callable[[float], float], t0: float, t1: float) -> float:
    """The time between two at which a function with one valley is lowest."""
    from scipy.optimize import minimize_scalar  # on use: it takes longer to import than all the rest

    fine = {"xatol": 1e-10 * (t1 - t0)}
    found: Any = minimize_scalar(function, bounds=(t0, t1), method="bounded", options=fine)
    return float(found.x)


def _root(value: Callable[[float], float], t0: float, t1: float) -> float:
    from scipy.optimize import brentq  # on use: it takes longer to import than all the rest

    if value(t1) == 0.0:
        return t1
    root: Any = brentq(value, t0, t1, xtol=1e-14 * max(1.0, abs(t1)), rtol=4 * np.finfo(float).eps)
    return float(root)


def jumped(m: Mechanism, name: str, t: float, given: Any) -> tuple[Array, Array]:
    """q and qd as the action of an event has given them, checked."""
    what = f"action of event {name!r} at t = {t:g}"
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InputError(f"{what} gives {given!r}, expected q and qd")
    q = position(m, given[0], f"q of {what}")
    qd = vector(given[1], (m.nv,), f"qd of {what}", f"one entry per velocity (nv = {m.nv})")
    return np.array(q, dtype=float), np.array(qd, dtype=float)
