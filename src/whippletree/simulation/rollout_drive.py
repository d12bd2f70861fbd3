"""Drivers in a rollout: recorded with the step, and what the starts of its trajectories are to them."""

from typing import Any, NamedTuple

import numpy as np

from ..analysis.driven_system import driven_gaps
from ..api.compiling import compile
from ..api.prescribed import Course, asked, course_of
from ..errors import InputError
from ..loops.equations.constraints import row_owners
from ..loops.equations.driven_rows import Coordinate, found
from ..loops.equations.rank import TOLERANCE
from ..loops.methods.driving_forces import driving_forces
from ..model.driver_part import Driver
from ..model.mechanism import Mechanism
from ..spatial import Array
from .closed_step import Rows
from .equations import limited
from .systems import Force
from .unbroken import corners_of

AGREES = 1e-6
"""rad or m: how far from its driver a start may be."""


class RolloutDrive(NamedTuple):
    """What is driven.

    Attributes:
        drivers: As the mechanism has them; within a step its own count, whose numbers may be open.
        driven: Their coordinates.
        rows: Numbers of independent constraints, those of the drivers last.
    """

    drivers: tuple[Driver, ...]
    driven: tuple[Coordinate, ...]
    rows: Rows

    def asked(self, m: Mechanism, begin: Array, t: Any) -> Array:
        """(3, nd) position, velocity and acceleration at a time; speeds start from begin (nd,)."""
        courses = [course_of(driver, begin[k], 0.0) for k, driver in enumerate(m.drivers)]
        return asked(courses, t)

    def forces(self, m: Mechanism, given: Force, begin: Array) -> Force:
        """Forces of the actuators, those of the drivers among them."""

        def force(t: Any, q: Array, qd: Array) -> Array:
            tau, xdd = limited(m, given(t, q, qd)), self.asked(m, begin, t)[2]
            return tau + driving_forces(m, q, qd, tau, xdd, driven=self.driven, rows=self.rows)

        return force


def rollout_drive(m: Mechanism, rows: Rows) -> RolloutDrive:
    """The drivers of a mechanism, with numbers of independent constraints of its loops."""
    nc, nd = len(row_owners(m)), len(m.drivers)
    driven = tuple(found(m, driver.joint) for driver in m.drivers)
    return RolloutDrive(m.drivers, driven, (*rows, *range(nc, nc + nd)))


def driven_starts(
    m: Mechanism, drive: RolloutDrive, q0: Array, qd0: Array, duration: float, opened: tuple[Any, ...]
) -> tuple[Array, Array]:
    """Where drivers begin, and velocities that agree with them.

    Args:
        m: The mechanism.
        drive: Its drivers.
        q0, qd0: (..., nq), (..., nv) the starts.
        duration: Of the trajectories, s.
        opened: Names of parameters and their values (..., n); or nothing.

    Returns:
        (..., nd) driven coordinates at the start, and (..., nv) velocities.

    Raises:
        InputError: A start contradicts a driver, drivers depend on each other, or one is not known for long
            enough.
    """
    nd = len(drive.driven)
    options = {"parameters": opened[0]} if opened else {}
    kernel = compile(driven_gaps, m, inputs={"target": (nd,)}, driven=drive.driven, **options)
    gaps, _, A = kernel(q0, np.zeros(nd), *opened[1:])
    x = gaps[..., gaps.shape[-1] - nd :]
    chosen = A[..., list(drive.rows), :]
    if np.any(np.linalg.matrix_rank(chosen, rtol=TOLERANCE) < len(drive.rows)):
        names = ", ".join(repr(driver.name) for driver in m.drivers)
        raise InputError(
            f"drivers {names} of {m.name!r}: loops, gears and the others hold one of them already"
        )
    wanted = np.zeros(A.shape[:-1])
    for k, driver in enumerate(m.drivers):
        # Numbers of the driver that are open differ from start to start.
        amplitude, offset = (_of(driver, field, opened) for field in ("amplitude", "offset"))
        from_there = x[..., k] - amplitude * driver.position.position(0.0)
        start = offset + (from_there if driver.position.begins_anywhere else 0.0)
        course = Course(driver.position, driver.name, start, amplitude)
        corners = corners_of([course_of(driver, 0.0, 0.0)], duration)
        if corners and len(drive.rows) < m.nv:
            raise InputError(
                f"drive of {driver.name!r}: its velocity jumps at t = {corners[0].t:.9g} s, which is a blow "
                "to joints that are not driven; steps of a rollout do not end there: use wt.simulate, or "
                "round the corner off"
            )
        at = course(np.zeros(()))
        wanted[..., A.shape[-2] - nd + k] = at.xd
        away = np.abs(x[..., k] - at.x)
        if np.any(away > AGREES):
            number = int(np.argmax(np.ravel(away)))
            there, begins = (np.ravel(np.broadcast_to(v, away.shape))[number] for v in (x[..., k], at.x))
            raise InputError(
                f"q0 of trajectory {number} has {there:.6g} for joint {driver.joint!r}, whose driver begins "
                f"at {begins:.6g}"
            )
    qd0 = np.broadcast_to(qd0, (*A.shape[:-2], m.nv))
    short = wanted - np.einsum("...ij,...j->...i", A, qd0)
    return x, qd0 + np.einsum("...ji,...i->...j", np.linalg.pinv(A, rcond=TOLERANCE), short)


def _of(driver: Driver, field: str, opened: tuple[Any, ...]) -> Any:
    """A number of a driver, or (...) numbers where it is open."""
    name = f"{driver.name}.{field}"
    if not opened or name not in opened[0]:
        return getattr(driver, field)
    return opened[1][..., opened[0].index(name)]
