"""Motions that drivers prescribe, with their rates, in numbers and to be recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import InputError, ModelError
from ..kernels.derive.derivatives import forward
from ..kernels.simplify.passes import simplify
from ..kernels.trace.inline import inlined
from ..kernels.trace.program import Program
from ..kernels.trace.recording import trace
from ..kernels.trace.refusal import TraceError
from ..model.driver_motions import ConstantSpeed, DriverMotion, MotionSpline, Prescribed
from ..model.driver_part import Driver
from ..model.mechanism import Mechanism
from ..spatial import Array, array

MANY = 64
"""Pieces of a spline beyond which it is evaluated in numbers: recorded, it takes them all into account."""


@dataclass(frozen=True, eq=False)
class Course:
    """start + amplitude · position(t) of a driver.

    Attributes:
        position: What it follows.
        name: Of the driver, for messages.
        start, amplitude: See above.
    """

    position: DriverMotion
    name: str
    start: Any
    amplitude: Any

    def __call__(self, t: Array) -> Prescribed:
        """At times t (n,), s, in numbers.

        Raises:
            InputError: A table or spline says nothing about some time, a function gives no finite number.
        """
        t = np.asarray(t, dtype=float)
        if isinstance(self.position, MotionSpline | ConstantSpeed):
            parts = self.position(t)
        else:
            # By NumPy: a function of the time alone is asked for once for all times.
            found = (np.asarray(part.flat(t)) for part in self._programs)
            parts = [np.broadcast_to(part, (*t.shape, 1))[..., 0] for part in found]
        for part, what in zip(parts, ("position", "velocity", "acceleration"), strict=True):
            if not np.all(np.isfinite(part)):
                at = np.flatnonzero(~np.isfinite(part))[0]
                value, when = np.ravel(part)[at], np.ravel(t)[at]
                found = f"its {what} is {value} at t = {when:g} s"
                raise InputError(f"drive of {self.name!r}: {found}, expected a finite number")
        x, xd, xdd = (self.amplitude * part for part in parts)
        return Prescribed(self.start + x, xd, xdd)

    @cached_property
    def _programs(self) -> tuple[Program, Program, Program]:
        """Position, velocity and acceleration as programs of the time.

        Raises:
            InputError: It cannot be recorded, or gives not just one number.
        """
        name, position = self.name, self.position.position
        try:
            program = simplify(trace(lambda t: position(t), {"t": ()}))
            if program.n_outputs != 1:
                raise InputError(
                    f"drive of {name!r} gives {program.n_outputs} numbers, expected one: the position at "
                    "time t"
                )
            rate = simplify(forward(program, ["t"]))
            return program, rate, simplify(forward(rate, ["t"]))
        except TraceError as error:
            raise InputError(
                f"drive of {name!r} cannot be recorded, and its rates are found that way: {error}. Or give "
                "a wt.MotionTable"
            ) from error

    @property
    def is_recordable(self) -> bool:
        return not isinstance(self.position, MotionSpline) or len(self.position.breaks) <= MANY

    def recorded(self, t: Any) -> tuple[Any, Any, Any]:
        """The same at a traced time: position, velocity and acceleration."""
        x, xd, xdd = (inlined(part, t) for part in self._programs)
        xd, xdd = (_only(part) for part in (xd, xdd))
        return self.start + self.amplitude * _only(x), self.amplitude * xd, self.amplitude * xdd


def _only(value: Any) -> Any:
    """The one number of a program's result, however it is nested."""
    while isinstance(value, dict | list | tuple):
        (value,) = value.values() if isinstance(value, dict) else value
    return np.ravel(np.array(value, dtype=object))[0]


def asked(courses: Sequence[Course], t: Any) -> Array:
    """(3, nd) positions, velocities and accelerations of all drivers at a traced time."""
    columns = [course.recorded(t) for course in courses]
    return array([[column[k] for column in columns] for k in range(3)]).reshape(3, len(courses))


def course_of(driver: Driver, x0: Any, t0: float) -> Course:
    """What a driver does; a motion that begins anywhere does so at x0 at the time t0, s."""
    start = driver.offset
    if driver.position.begins_anywhere:
        start = start + x0 - driver.amplitude * driver.position.position(t0)
    return Course(driver.position, driver.name, start, driver.amplitude)


def drivers_of(m: Mechanism, drive: Mapping[str, Any] | None) -> tuple[Driver, ...]:
    """The drivers of a mechanism and those of a call, which take the place of its own for the same joints.

    Raises:
        InputError: `drive` is no such mapping, or what it gives is no motion.
    """
    if drive is None:
        return m.drivers
    if not isinstance(drive, Mapping):
        raise InputError(f"drive is {drive!r}, expected motions by joint, as {{'crank': 6.28}}")
    given = []
    for name, position in drive.items():
        try:
            given.append(Driver(name, name, position))
        except ModelError as error:
            raise InputError(str(error).replace("driver", "drive of", 1)) from None
    return (*(driver for driver in m.drivers if driver.joint not in drive), *given)
