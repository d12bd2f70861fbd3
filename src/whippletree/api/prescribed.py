"""Motions that drivers prescribe, with their rates: a speed, a table, or a function of time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from ..errors import InputError
from ..kernels.derive.derivatives import forward
from ..kernels.simplify.passes import simplify
from ..kernels.trace.recording import trace
from ..kernels.trace.refusal import TraceError
from ..spatial import Array
from ..spatial.scalar import real_numbers


class Prescribed(NamedTuple):
    """A motion at some times: position, rad or m, velocity and acceleration, each (n,)."""

    x: Array
    xd: Array
    xdd: Array


Motion = Callable[[Array], Prescribed]
"""Of times (n,), s."""


class MotionTable:
    """A motion through points of a table, twice continuously differentiable: a cubic spline.

    Args:
        t: (n,) times, s, ascending, at least four, or three of a motion that repeats itself.
        x: (n,) positions, rad or m.
        periodic: Whether it begins again after the last time, with x[-1] = x[0].

    >>> import whippletree as wt
    >>> lift = wt.MotionTable([0.0, 1.0, 2.0, 3.0], [0.0, 0.2, 0.3, 0.0])
    >>> lift(np.array([1.0, 2.5])).x.round(4)
    array([0.2   , 0.2188])
    """

    def __init__(self, t: Any, x: Any, periodic: bool = False) -> None:
        try:
            self.t, self.x = real_numbers(t), real_numbers(x)
        except (TypeError, ValueError):
            raise InputError(f"MotionTable: t and x are {t!r} and {x!r}, expected numbers") from None
        least = 3 if periodic else 4
        if self.t.ndim != 1 or self.t.shape != self.x.shape or len(self.t) < least:
            raise InputError(
                f"MotionTable: t has shape {self.t.shape} and x {self.x.shape}, expected both "
                f"(n,) with n of at least {least}"
            )
        if not (np.all(np.isfinite(self.t)) and np.all(np.isfinite(self.x))):
            raise InputError("MotionTable: every time and position must be finite")
        if np.any(np.diff(self.t) <= 0.0):
            k = int(np.argmax(np.diff(self.t) <= 0.0))
            raise InputError(
                f"MotionTable: t[{k + 1}] is {self.t[k + 1]:g}, not after t[{k}] = {self.t[k]:g}"
            )
        if periodic and self.x[0] != self.x[-1]:
            raise InputError(
                f"MotionTable: x begins with {self.x[0]:g} and ends with {self.x[-1]:g}: a periodic "
                "motion ends where it began"
            )
        self.periodic = periodic
        self._spline = CubicSpline(self.t, self.x, bc_type="periodic" if periodic else "not-a-knot")

    def __call__(self, t: Array) -> Prescribed:
        """The motion at times t (n,), s; outside of the table an InputError, unless it is periodic."""
        t = np.asarray(t, dtype=float)
        outside = (t < self.t[0]) | (t > self.t[-1])
        if not self.periodic and np.any(outside):
            worst = float(np.ravel(t)[np.argmax(np.ravel(outside))])
            raise InputError(
                f"MotionTable: t = {worst:g} s is outside of the table, {self.t[0]:g} … {self.t[-1]:g} s"
            )
        return Prescribed(*(np.asarray(self._spline(t, nu)) for nu in range(3)))


class _Speed(NamedTuple):
    """Constant speed from a position x0 at the time t0."""

    speed: float
    x0: float
    t0: float

    def __call__(self, t: Array) -> Prescribed:
        t = np.asarray(t, dtype=float)
        rest = np.zeros(t.shape)
        return Prescribed(self.x0 + self.speed * (t - self.t0), rest + self.speed, rest)


def motion_of(given: Any, name: str, x0: float, t0: float) -> Motion:
    """What a user gave for the joint `name`, as a motion.

    Args:
        given: A speed, rad/s or m/s, that starts from x0 at the time t0; a `MotionTable`; or a function of
            time that gives a position, whose rates are found by recording it.
        name: Of the joint, for messages.
        x0, t0: See `given`.
    """
    if isinstance(given, MotionTable):
        return given
    if not callable(given):
        try:
            speed = float(given)
        except (TypeError, ValueError):
            speed = np.nan
        if not np.isfinite(speed):
            raise InputError(
                f"drive of {name!r} is {given!r}, expected a speed, a function of time or a MotionTable"
            )
        return _Speed(speed, x0, t0)
    try:
        program = simplify(trace(lambda t: given(t), {"t": ()}))
        if program.n_outputs != 1:
            raise InputError(
                f"drive of {name!r} gives {program.n_outputs} numbers, expected one: the position at time t"
            )
        rate = simplify(forward(program, ["t"]))
        second = simplify(forward(rate, ["t"]))
    except TraceError as error:
        raise InputError(
            f"drive of {name!r} cannot be recorded, and its rates are found that way: {error}. Or give "
            "a wt.MotionTable"
        ) from error

    def motion(t: Array) -> Prescribed:
        t = np.asarray(t, dtype=float)
        # By NumPy: a function of the time alone is asked for once for all times, and not worth compiling.
        parts = (part.flat(t) for part in (program, rate, second))
        return Prescribed(*(np.broadcast_to(part, (*t.shape, 1))[..., 0] for part in parts))

    return motion
