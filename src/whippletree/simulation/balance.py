"""Energy of a run held against the power of all that acts on it.

Energy changes by what actuators and outer forces bring in and by what dampers and friction take away:

    r(t) = E(t) - E(0) - ∫ (power + external_power - lost_power) dt

is the integrator's error. It is measured by what the run had to move with until then: its kinetic energy at
the start, the potential energy that it came down by, and the work that was brought in,

    S(t) = T(0) + V(0) - min V + ∫ (max(power, 0) + max(external_power, 0)) dt

which a motion that runs away does not enlarge, whatever it makes of energies. Integrals are sums over the
steps of the run, and what they may err by, half a step times the change of power over it, is no error.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..kernels.run.kernel import Kernel
from ..kernels.run.script import Again, Call, Copy, Halt, Label, Next, Read, Script, Unless
from ..kernels.simplify.passes import simplify
from ..kernels.trace.recording import trace
from ..model.mechanism import Mechanism
from ..spatial import Array, array, maximum, minimum, where
from .equations import Accounts
from .implicit import STICK_SPEED
from .strides.shelf import SHELF

SHARE = 0.05
"""Errors beyond this share of S are told at the end of a run."""

RUNAWAY = 2.0
"""A run whose energy has grown by so many S from nothing has no meaning any more."""

BLOCK, TOGETHER, ROWS = 64, 8, 256
"""States that are waited for before they are looked at, those that one call of a kernel looks at, and calls
that one script makes at most."""

UNSEEN = 1e-9
"""Share of the largest potential energy, and of what lifts all masses by 1 m, that is rounding."""


class Runaway(ArithmeticError):
    """A motion that has made energy from nothing.

    Attributes:
        t: When it was seen, s.
        gained: What nothing brought, J.
        scale: S and what springs held at the start, J.
    """

    def __init__(self, t: float, gained: float, scale: float) -> None:
        self.t = t
        self.gained = gained
        self.scale = scale


STATE = 1 + len(Accounts._fields) + 2
"""Numbers of a state: when, its accounts, and the powers of actuators and of forces from outside."""


class Past(NamedTuple):
    """What is known of a run until a state.

    Attributes:
        t, energy: Of the state, s and J.
        acting, outside, lost: Powers there: of the actuators, of other forces, and of what is lost, W.
        r: The error, J, and `doubt`, what the sums may err by.
        given: What there was and what was brought in, J, and `unsure`, what that may err by.
        lowest: The least potential energy, J.
        error, at: r where it is furthest beyond doubt, J, 0 if it is not, and when that was, s.
        gained, room: What the energy has grown by without doubt, and what it may, J.
    """

    t: Any
    energy: Any
    acting: Any
    outside: Any
    lost: Any
    r: Any
    doubt: Any
    given: Any
    unsure: Any
    lowest: Any
    error: Any
    at: Any
    gained: Any
    room: Any


class Begin(NamedTuple):
    """What the sums of a run are held against.

    Attributes:
        energy: At the start, J.
        top: What the potential energy came down from, what springs held then, and rounding, J.
        creep: Joints that friction holds give way that much in fixed steps, and bear what moves them, W.
    """

    energy: Any
    top: Any
    creep: Any


def weighed(past: Array, begin: Array, t: Any, accounts: Array, power: Array) -> tuple[Array, Any]:
    """The past of the next state of a run, and above 0 unless it has run away.

    Args:
        past, begin: See `Past` and `Begin`.
        t: Of the state, s; that of the state before if an action led to it.
        accounts: See `Accounts`.
        power: (2,) of the actuators and of forces from outside, W.
    """
    was, (first, top, creep), now = Past(*past), Begin(*begin), Accounts(*accounts)
    potential = now.gravity + now.elastic
    energy, h = now.kinetic + potential, t - was.t
    outside = power[1] + now.brought
    before, after = (was.acting, was.outside, was.lost), (power[0], outside, now.lost)
    pairs = list(zip(before, after, strict=True))
    work = [0.5 * h * (a + b) for a, b in pairs]
    # An action takes no time, and may change energy as it likes.
    change, moves = energy - was.energy, h > 0.0
    r = was.r + where(moves, change - (work[0] + work[1] - work[2]), 0.0)
    given = was.given + where(moves, maximum(work[0], 0.0) + maximum(work[1], 0.0), abs(change))
    doubt = was.doubt + 0.5 * h * sum(abs(b - a) for a, b in pairs)
    unsure = was.unsure + 0.5 * h * sum(abs(maximum(b, 0.0) - maximum(a, 0.0)) for a, b in pairs[:2])
    lowest = minimum(was.lowest, potential)
    # Springs may have given all they held, and what came in may be more than the sum tells.
    room, gained = given + top - lowest, energy - first - unsure
    excess = abs(r) - doubt - creep * t
    worse = excess > abs(was.error)
    error, at = where(worse, where(r < 0.0, -excess, excess), was.error), where(worse, t, was.at)
    found = Past(t, energy, *after, r, doubt, given, unsure, lowest, error, at, gained, room)
    return array(list(found)), where(gained <= (1.0 + RUNAWAY) * room, 1.0, 0.0)


def weighed_along(past: Array, begin: Array, states: Array) -> tuple[Array, Any]:
    """`weighed` for states (n, 8) in order, each t, accounts and power; above 0 if all are fine."""
    fine = 1.0
    for state in states:
        past, now = weighed(past, begin, state[0], state[1:-2], state[-2:])
        fine = minimum(fine, now)
    return past, fine


@cache
def _kernel(states: int) -> Kernel:
    shapes = {"past": (len(Past._fields),), "begin": (len(Begin._fields),), "states": (states, STATE)}
    return Kernel(simplify(trace(weighed_along, shapes)))


def beginning(accounts: Array, acting: Any, outside: Any, weight: Any, creep: Any) -> tuple[Any, ...]:
    """What a run is held against, the past of its first state, its potential energy, and rounding, J.

    Args:
        accounts: See `Accounts`, at the start.
        acting, outside: Powers of the actuators and of forces from outside there, W.
        weight: What lifts all masses by 1 m, J.
        creep: See `Begin`.
    """
    now = Accounts(*accounts)
    top = now.gravity + now.elastic
    rounding = UNSEEN * (weight + abs(top))
    begin = Begin(now.kinetic + top, top + rounding + now.elastic, creep)
    r = doubt = unsure = error = at = gained = room = 0.0
    powers, sums = (acting, outside + now.brought, now.lost), (r, doubt, now.kinetic, unsure, top)
    past = Past(0.0, begin.energy, *powers, *sums, error, at, gained, room)
    return array(list(begin)), array(list(past)), top, rounding


@cache
def _beginning() -> Kernel:
    shapes = {"accounts": (len(Accounts._fields),), "acting": (), "outside": (), "weight": (), "creep": ()}
    return Kernel(simplify(trace(beginning, shapes)), "beginning")


class States(NamedTuple):
    """States in order.

    Attributes:
        t: (n,) s.
        accounts: (n, 5).
        power: (n, 2) of the actuators and of forces from outside, W; None if there is none.
    """

    t: Array
    accounts: Array
    power: Array | None

    def among(self, first: int, end: int) -> "States":
        """Some of them."""
        power = None if self.power is None else self.power[first:end]
        return States(self.t[first:end], self.accounts[first:end], power)

    def write(self, rows: Array) -> None:
        """Write them into rows (n or more, 8); what takes no time changes nothing: others are as the last."""
        n = len(self.t)
        rows[:n, 0], rows[:n, 1:-2] = self.t, self.accounts
        rows[:n, -2:] = 0.0 if self.power is None else self.power
        rows[n:] = rows[n - 1]


def _joined(parts: list[States]) -> States:
    t, accounts, powers = zip(*parts, strict=True)
    given = [np.zeros((len(at), 2)) if power is None else power for at, power in zip(t, powers, strict=True)]
    return States(np.concatenate(t), np.concatenate(accounts), np.concatenate(given))


class Weighing:
    """`weighed` over many states, in machine code.

    Args:
        together: States of one call of a kernel, of whose past only the last is known.
    """

    def __init__(self, together: int) -> None:
        self._past, self._begin = np.zeros(len(Past._fields)), np.zeros(len(Begin._fields))
        self._states, self._fine = np.zeros((ROWS, together * STATE)), np.ones(1)
        self._places = self._states.reshape(-1, STATE)
        states, after = np.zeros(together * STATE), np.zeros_like(self._past)
        self._script = Script(
            [
                *(Label("states"), Read(self._states, states)),
                Call(_kernel(together), [self._past, self._begin, states], [after, self._fine]),
                *(Copy(after, self._past), Unless(self._fine, "end"), Next(), Again("states")),
                *(Label("end"), Halt()),
            ]
        )

    def along(self, past: Array, begin: Array, states: States) -> tuple[Array, bool]:
        """The past of the last state, or of the first at which the motion has run away."""
        self._past[:], self._begin[:] = past, begin
        place = self._places
        for first in range(0, len(states.t), len(place)):
            part = states if len(states.t) <= len(place) else states.among(first, first + len(place))
            rows = -(-len(part.t) * ROWS // len(place))
            part.write(place[: rows * len(place) // ROWS])
            self._script(rows, rows)
            if not self._fine[0] > 0.0:
                return self._past.copy(), False
        return self._past.copy(), True


def _along(together: int, past: Array, begin: Array, states: States) -> tuple[Array, bool]:
    """The same by a script that others use, too; of few states, without."""
    if len(states.t) <= together:
        few = np.empty((together, STATE))
        states.write(few)
        found, fine = _kernel(together)(past, begin, few)
        return found, bool(fine > 0.0)
    key = Weighing, together
    weighing: Weighing = SHELF.take(key, lambda: Weighing(together))
    found = weighing.along(past, begin, states)
    SHELF.put(key, weighing)
    return found


class Balance:
    """The energy of a run, step by step.

    Args:
        m: What moves.
        accounts: (5,) at t = 0.
        power: (2,) of the actuators and of forces from outside at t = 0, W.
    """

    def __init__(self, m: Mechanism, accounts: Array, power: tuple[float, float]) -> None:
        begun = _beginning()(accounts, *power, m.once(_weight), m.once(_creep))
        self._begin, self._past, self._top, self._rounding = begun
        self._waiting: list[States] = []

    @property
    def past(self) -> Past:
        """What is known until now."""
        return Past(*self._past.tolist())

    def scale(self, past: Past) -> float:
        """S, J, by what is known."""
        return past.given + self._top - past.lowest + self._rounding

    def add(self, t: Array, accounts: Array, power: Array | None) -> None:
        """States at the ends of steps (n,), or behind an action, which takes no time.

        Args:
            t: (n,) s.
            accounts: (n, 5).
            power: (n, 2) of the actuators and of forces from outside, W; None if there is none.

        Raises:
            Runaway: The motion has made energy from nothing.
        """
        self._waiting.append(States(t, accounts, power))
        if sum(len(part.t) for part in self._waiting) >= BLOCK:
            self.close()

    def close(self) -> None:
        """Look at what has been added since the last time; raises as `add` does."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        states = waiting[0] if len(waiting) == 1 else _joined(waiting)
        before = self._past
        self._past, fine = _along(TOGETHER, before, self._begin, states)
        if not fine:  # somewhere among those of one call: which was the first
            self._past, fine = _along(1, before, self._begin, states)
        if not fine:
            raise Runaway(self.past.t, self.past.gained, self.past.room)


def _creep(m: Mechanism) -> float:
    return STICK_SPEED * sum(body.friction * body.joint.nv for body in m.bodies)


def _weight(m: Mechanism) -> float:
    """J: what lifts all masses by 1 m."""
    mass = sum(float(body.inertia.m) for body in m.bodies)
    return mass * float(np.linalg.norm(m.gravity))
