"""Energy of a run held against the power of all that acts on it.

Energy changes by what actuators and outer forces bring in and by what dampers and friction take away:

    r(t) = E(t) - E(0) - ∫ (power + external_power - lost_power) dt

is the integrator's error. It is measured by what the run had to move with until then: its kinetic energy at
the start, the potential energy that it came down by, and the work that was brought in,

    S(t) = T(0) + V(0) - min V + ∫ (max(power, 0) + max(external_power, 0)) dt

which a motion that runs away does not enlarge, whatever it makes of energies. Integrals are sums over the
steps of the run, and what they may err by, half a step times the change of power over it, is no error.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .equations import Common
from .implicit import STICK_SPEED

SHARE = 0.05
"""Errors beyond this share of S are told at the end of a run."""

RUNAWAY = 2.0
"""A run whose energy has grown by so many S from nothing has no meaning any more."""

BLOCK = 64
"""States that are looked at together."""

SIGNS = np.array([1.0, 1.0, -1.0])
"""Of the powers of actuators, of outer forces, and of what is lost."""

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
        self.t, self.gained, self.scale = t, gained, scale


class Balance:
    """The energy of a run, step by step.

    Args:
        common: Compiled functions of what moves.
        q, qd: (1, nq), (1, nv) the state at t = 0.
        power: (1, 2) of the actuators and of forces from outside at t = 0, W.

    Attributes:
        scale: S, J.
        error: r where it is largest, J; 0 as long as integrals could err by as much.
        at: When that is, s.
    """

    def __init__(self, common: Common, q: Array, qd: Array, power: Array) -> None:
        self._common, self._waiting = common, 0
        self._states: list[tuple[Array, ...]] = [(np.zeros(1), q, qd, power)]
        (t,), (kinetic,), (potential,), (self._tension,), powers = self._weighed()
        self._top = float(potential)
        self._first = float(kinetic) + self._top
        self._last = t, self._first, powers[:, 0]
        self._lowest, self._rounding = self._top, UNSEEN * (common.m.once(_weight) + abs(self._top))
        self._given, self._error, self._doubt, self._unsure = float(kinetic), 0.0, 0.0, 0.0
        # Joints that friction holds give way that much in fixed steps, and bear what moves them.
        self._creep = STICK_SPEED * sum(body.friction * body.joint.nv for body in common.m.bodies)
        self.error, self.at = 0.0, 0.0

    @property
    def scale(self) -> float:
        return self._given + self._top - self._lowest + self._rounding

    @property
    def share(self) -> float:
        """The error as a share of S."""
        return abs(self.error) / self.scale if self.error else 0.0

    def add(self, t: Array, q: Array, qd: Array, power: Array) -> None:
        """States (n, nq), (n, nv) at the ends of steps (n,), or behind an action, which takes no time.

        Raises:
            Runaway: The motion has made energy from nothing.
        """
        self._states.append((t, q, qd, power))
        self._waiting += len(t)
        if self._waiting >= BLOCK:
            self.close()

    def close(self) -> None:
        """Look at what has been added since the last time; raises as `add` does."""
        if not self._waiting:
            return
        t, kinetic, potential, _, powers = self._weighed()
        before_t, before, before_powers = self._last
        with np.errstate(over="ignore", invalid="ignore"):
            energy = kinetic + potential
            h, change = _steps(before_t, t), _steps(before, energy)
            done = _work(h, np.concatenate([before_powers[:, None], powers], axis=1))
            brought, wrong = done.brought, change - done.net
            if not h.all():  # an action takes no time, and may change energy as it likes
                brought, wrong = np.where(h > 0.0, brought, np.abs(change)), np.where(h > 0.0, wrong, 0.0)
            r, given = self._error + np.cumsum(wrong), _sums(self._given, brought)
            doubt, unsure = _sums(self._doubt, done.doubt), _sums(self._unsure, done.brought_doubt)
            lowest = np.minimum(self._lowest, np.minimum.accumulate(potential))
            # Springs may have given all they held, and what came in may be more than the sum tells.
            room = (given + (self._top + self._rounding + self._tension)) - lowest
            gained = energy - self._first - unsure
            wild, excess = ~(gained <= (1.0 + RUNAWAY) * room), np.abs(r) - doubt - self._creep * t
        if wild.any():
            k = int(np.argmax(wild))
            raise Runaway(float(t[k]), float(gained[k]), float(room[k]))
        k = int(np.argmax(excess))
        if excess[k] > abs(self.error):
            self.error, self.at = float(np.copysign(excess[k], r[k])), float(t[k])
        self._last = float(t[-1]), float(energy[-1]), powers[:, -1]
        self._error, self._lowest = float(r[-1]), float(lowest[-1])
        self._doubt, self._given, self._unsure = _last(doubt), _last(given), _last(unsure)

    def _weighed(self) -> tuple[Array, Array, Array, Array, Array]:
        """Times, energies of motion, of place and of springs (n,), powers as `SIGNS` has them (3, n)."""
        t, q, qd, power = (_joined(column) for column in zip(*self._states, strict=True))
        self._states, self._waiting = [], 0
        kinetic, gravity, elastic = (np.asarray(part, dtype=float) for part in self._common.energies(q, qd))
        lost, constant = (np.asarray(part, dtype=float) for part in self._common.powers(q, qd))
        powers = np.stack([power[:, 0], power[:, 1] + constant, lost])
        return t, kinetic, gravity + elastic, elastic, powers


class _Work(NamedTuple):
    """What is done in steps, J: (n,), or 0 if no power acts.

    Attributes:
        net: Brought in, less what is lost.
        doubt: What that may err by.
        brought: Brought in.
        brought_doubt: What that may err by.
    """

    net: Array | float
    doubt: Array | float
    brought: Array | float
    brought_doubt: Array | float


def _work(h: Array, P: Array) -> _Work:
    """By powers P (3, n + 1) at the ends of steps h (n,), s."""
    if not P.any():
        return _Work(0.0, 0.0, 0.0, 0.0)
    work, inflow = 0.5 * h * (P[:, :-1] + P[:, 1:]), np.maximum(P[:2], 0.0)
    doubt, unsure = (0.5 * h * np.abs(np.diff(part)).sum(axis=0) for part in (P, inflow))
    return _Work(SIGNS @ work, doubt, np.maximum(work[:2], 0.0).sum(axis=0), unsure)


def _sums(first: float, parts: Array | float) -> Array | float:
    """(n,) a number and what is added to it, part by part; one number if nothing is."""
    return first + np.cumsum(parts) if isinstance(parts, np.ndarray) else first


def _last(sums: Array | float) -> float:
    return float(sums[-1]) if isinstance(sums, np.ndarray) else sums


def _steps(before: float, values: Array) -> Array:
    """(n,) from each value to the next, the first from one before."""
    found = np.empty_like(values)
    found[0] = values[0] - before
    np.subtract(values[1:], values[:-1], out=found[1:])
    return found


def _joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _weight(m: Mechanism) -> float:
    """J: what lifts all masses by 1 m."""
    mass = sum(float(body.inertia.m) for body in m.bodies)
    return mass * float(np.linalg.norm(m.gravity))
