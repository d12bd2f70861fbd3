"""Whether what drivers prescribe is a motion: numbers all the time, no jumps, no infinite speed."""

import numpy as np

from ..api.prescribed import Course
from ..errors import InputError
from ..spatial import Array

LOOKS = 2001
"""Times of a run at which a driver is looked at."""

HALVINGS = 50
"""How often the span between two looks that fit together worst is halved: down to neighbouring numbers."""

JUMP = 1e-6
"""rad or m, or a share of what is larger than 1: differences that are left are of a jump."""

BEYOND = 1e3
"""Speeds there that are so many times those of all looks have no bound."""


def check_unbroken(course: Course, duration: float) -> None:
    """InputError, naming the driver and the time, for what no body can do between 0 and a duration, s.

    Positions at two neighbouring times differ by what the velocities there say, but for what is between
    them; where that is worst is looked at ever more closely. A corner, where the velocity jumps, may be.
    """
    course(np.array([0.0, duration]))  # what ends too early is told by the end
    t = np.linspace(0.0, duration, LOOKS)
    x, xd, _ = course(t)
    apart, jump = _misfits(t, x, xd), JUMP * max(1.0, float(np.max(np.abs(x))))
    k = int(np.argmax(apart))
    if apart[k] <= jump:
        return
    a, b = t[k], t[k + 1]
    for _ in range(HALVINGS):
        three = np.array([a, 0.5 * (a + b), b])
        if not a < three[1] < b:
            break
        first, second = _misfits(three, *course(three)[:2])
        a, b = three[:2] if first > second else three[1:]
    there = np.array([a, b])
    ends = course(there)
    change = abs(ends.x[1] - ends.x[0])
    if change > jump and _misfits(there, *ends[:2])[0] > 0.5 * change:
        raise InputError(
            f"drive of {course.name!r}: its position jumps from {ends.x[0]:.6g} to {ends.x[1]:.6g} at "
            f"t = {b:.9g} s: give a motion without jumps"
        )
    fastest = float(np.max(np.abs(ends.xd)))
    if fastest > BEYOND * max(1.0, float(np.max(np.abs(xd)))):
        raise InputError(
            f"drive of {course.name!r}: its velocity is {fastest:.2g} at t = {b:.9g} s and grows without "
            "bound there: give a motion of finite speed"
        )


def _misfits(t: Array, x: Array, xd: Array) -> Array:
    """(n - 1,) by how much positions x (n,) at times t differ from what velocities xd say."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.abs(np.diff(x) - 0.5 * np.diff(t) * (xd[1:] + xd[:-1]))
