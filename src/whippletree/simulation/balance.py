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

BLOCK, ROWS = 64, 256
"""States that are waited for before they are looked at, and those that are in one call at most."""

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


@cache
def _kernel() -> Kernel:
    shapes = {"past": (len(Past._fields),), "begin": (len(Begin._fields),), "t": ()}
    return Kernel(simplify(trace(weighed, {**shapes, "accounts": (len(Accounts._fields),), "power": (2,)})))


class Weighing:
    """`weighed` over many states, in machine code."""

    def __init__(self) -> None:
        self.past: Array = np.zeros(len(Past._fields))
        self.begin: Array = np.zeros(len(Begin._fields))
        self._t, self._accounts = np.zeros((ROWS, 1)), np.zeros((ROWS, len(Accounts._fields)))
        self._power, self._fine = np.zeros((ROWS, 2)), np.ones(1)
        t, accounts, power = np.zeros(1), np.zeros(len(Accounts._fields)), np.zeros(2)
        after = np.zeros_like(self.past)
        self._script = Script(
            [
                *(Label("state"), Read(self._t, t), Read(self._accounts, accounts), Read(self._power, power)),
                Call(_kernel(), [self.past, self.begin, t, accounts, power], [after, self._fine]),
                *(Copy(after, self.past), Unless(self._fine, "end"), Next(), Again("state")),
                *(Label("end"), Halt()),
            ]
        )

    def fine_along(self, t: Array, accounts: Array, power: Array | None) -> bool:
        """Go through states, see `Balance.add`; False at the first at which the motion has run away."""
        for first in range(0, len(t), ROWS):
            part = slice(first, first + ROWS)
            count = len(t[part])
            self._t[:count, 0], self._accounts[:count] = t[part], accounts[part]
            self._power[:count] = 0.0 if power is None else power[part]
            self._script(count, count)
            if not self._fine[0] > 0.0:
                return False
        return True


class Balance:
    """The energy of a run, step by step.

    Args:
        m: What moves.
        accounts: (5,) at t = 0.
        power: (2,) of the actuators and of forces from outside at t = 0, W.
    """

    def __init__(self, m: Mechanism, accounts: Array, power: tuple[float, float]) -> None:
        now = Accounts(*accounts.tolist())
        self._top = now.gravity + now.elastic
        self._rounding = UNSEEN * (m.once(_weight) + abs(self._top))
        begin = Begin(now.kinetic + self._top, self._top + self._rounding + now.elastic, m.once(_creep))
        powers = power[0], power[1] + now.brought, now.lost
        sums = {"r": 0.0, "doubt": 0.0, "given": now.kinetic, "unsure": 0.0}
        past = Past(
            0.0, begin.energy, *powers, **sums, lowest=self._top, error=0.0, at=0.0, gained=0.0, room=0.0
        )
        self._begin, self._past = begin, np.array(past)
        self._waiting: list[tuple[Array, Array, Array | None]] = []

    @property
    def past(self) -> Past:
        """What is known until now."""
        return Past(*self._past.tolist())

    @property
    def scale(self) -> float:
        """S, J."""
        past = self.past
        return past.given + self._top - past.lowest + self._rounding

    @property
    def share(self) -> float:
        """The largest error as a share of S."""
        return abs(self.past.error) / self.scale if self.past.error else 0.0

    def add(self, t: Array, accounts: Array, power: Array | None) -> None:
        """States at the ends of steps (n,), or behind an action, which takes no time.

        Args:
            t: (n,) s.
            accounts: (n, 5).
            power: (n, 2) of the actuators and of forces from outside, W; None if there is none.

        Raises:
            Runaway: The motion has made energy from nothing.
        """
        self._waiting.append((t, accounts, power))
        if sum(len(part[0]) for part in self._waiting) >= BLOCK:
            self.close()

    def close(self) -> None:
        """Look at what has been added since the last time; raises as `add` does."""
        waiting, self._waiting = self._waiting, []
        weighing: Weighing = SHELF.take(Weighing, Weighing)
        weighing.past[:], weighing.begin[:] = self._past, self._begin
        fine = all(weighing.fine_along(*part) for part in waiting)
        self._past = weighing.past.copy()
        SHELF.put(Weighing, weighing)
        if not fine:
            raise Runaway(self.past.t, self.past.gained, self.past.room)


def _creep(m: Mechanism) -> float:
    return STICK_SPEED * sum(body.friction * body.joint.nv for body in m.bodies)


def _weight(m: Mechanism) -> float:
    """J: what lifts all masses by 1 m."""
    mass = sum(float(body.inertia.m) for body in m.bodies)
    return mass * float(np.linalg.norm(m.gravity))
