"""Moments at which something happens: zeros of functions of the state along a motion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..spatial import Array

State = Callable[[float], tuple[Array, Array]]
"""q and qd at a time within a step."""


@dataclass(frozen=True)
class Event:
    """A moment to be found: when a function of the state passes through zero.

    Args:
        function: function(t, q, qd) gives a number.
        name: Told in `Trajectory.events`.
        direction: 1 for passing from below zero only, -1 from above only, 0 for both.
        terminal: Whether the simulation ends there.

    An event is seen if the function has different signs at the two ends of a step, and located between
    them to rounding; two passages within one step cancel and are not seen.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> bottom = wt.Event(lambda t, q, qd: q[0], "bottom", terminal=True)
    >>> run = wt.simulate(m, [0.1], [0.0], duration=2.0, events=[bottom])
    >>> round(float(run.t[-1]), 4), run.events[0].name
    (0.4097, 'bottom')
    """

    function: Callable[[float, Array, Array], Any]
    name: str
    direction: int = 0
    terminal: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"event {self.name!r}: function is {self.function!r}, expected f(t, q, qd)")
        if self.direction not in (-1, 0, 1):
            raise InputError(f"event {self.name!r}: direction is {self.direction!r}, expected -1, 0 or 1")

    def value(self, t: float, q: Array, qd: Array) -> float:
        """The function's value, checked."""
        value = np.asarray(self.function(t, q.copy(), qd.copy()), dtype=float)
        if value.size != 1 or not np.isfinite(value).all():
            raise InputError(f"event {self.name!r} at t = {t:g}: function gives {value}, expected a number")
        return float(value.reshape(()))

    def passes(self, before: float, after: float) -> bool:
        """Whether values at the ends of a step show a passage; a zero at the start was reported before."""
        rises, falls = before < 0.0 <= after, before > 0.0 >= after
        return (rises and self.direction >= 0) or (falls and self.direction <= 0)


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, the time, s, and the state then."""

    name: str
    t: float
    q: Array
    qd: Array


class Watch:
    """The events of one simulation, looked for step by step."""

    def __init__(self, events: Sequence[Event], t: float, q: Array, qd: Array) -> None:
        for event in events:
            if not isinstance(event, Event):
                raise InputError(f"events holds {event!r}, expected Event(function, name)")
        self.events = list(events)
        self.occurred: list[Occurrence] = []
        self._values = [event.value(t, q, qd) for event in self.events]

    def look(self, t0: float, t1: float, state: State) -> float | None:
        """Find all events in a step, up to the first terminal one; its time if there is one."""
        found: list[tuple[float, Event]] = []
        after = [event.value(t1, *state(t1)) for event in self.events]
        for event, before, value in zip(self.events, self._values, after, strict=True):
            if event.passes(before, value):
                found.append((_locate(event, before, value, t0, t1, state), event))
        self._values = after
        for t, event in sorted(found, key=lambda pair: pair[0]):
            self.occurred.append(Occurrence(event.name, t, *state(t)))
            if event.terminal:
                return t
        return None


def _locate(event: Event, before: float, after: float, t0: float, t1: float, state: State) -> float:
    from scipy.optimize import brentq  # on use: it takes longer to import than all the rest

    if after == 0.0:
        return t1

    def value(t: float) -> float:
        # The ends are known; taken from there, so that their signs are the ones that were seen.
        return before if t == t0 else after if t == t1 else event.value(t, *state(t))

    root: Any = brentq(value, t0, t1, xtol=1e-14 * max(1.0, abs(t1)), rtol=4 * np.finfo(float).eps)
    return float(root)
