"""What drivers prescribe as a motion: numbers all the time, no jumps, no infinite speed; and its corners.

Between two times, positions differ by the integral of the velocities and velocities by that of the
accelerations. Where a quadrature does not say so, the span is halved, and its halves again, until it does or
only neighbouring numbers are left: there is a jump, of the position or of the velocity.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..api.prescribed import Course
from ..errors import InputError
from ..model.driver_motions import MotionSpline
from ..spatial import Array

LOOKS = 2001
"""Times of a run at which a driver is looked at."""

SPANS = 250
"""Parts of a run that are looked at first."""

CHUNK, MOST = 4096, 4_000_000
"""Spans that are looked at together, and in all."""

JUMP = 1e-6
"""rad or m, or a share of what is larger than 1: differences of positions that are left are of a jump."""

CORNER = 1e-9
"""Share of the largest velocity: differences of velocities that are left are of a corner."""

ROUNDING = 64.0 * float(np.finfo(float).eps)
"""Share of the time that rounding in what drivers compute from it makes at most."""

FINE, BEYOND = 1e-10, 1e3
"""Share of a run's time within which speeds have no bound that are so many times those of all looks."""

BESIDE = 8.0
"""Neighbouring numbers from a corner to where a step ends before it, or begins behind it."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


class Corner(NamedTuple):
    """Where the speed of a driver jumps.

    Attributes:
        before: The last time before it, s.
        t: When it is, s: of neighbouring numbers the one with the fewest digits.
        after: The first time behind it, s.
    """

    before: float
    t: float
    after: float


def corners_of(courses: Sequence[Course], duration: float) -> tuple[Corner, ...]:
    """The corners of all drivers between 0 and a duration, s, one after the other.

    Raises:
        InputError: A driver asks for what no body can do; names it and the time.
    """
    found = sorted(pair for course in courses for pair in _corners(course, duration))
    corners = list[Corner]()
    for a, b in found:
        near = BESIDE * float(np.spacing(b))
        if corners and a - near <= corners[-1].after + near:
            corners[-1] = corners[-1]._replace(after=b + near)
        else:
            corners.append(Corner(a - near, min(a, b, key=lambda t: len(repr(t))), b + near))
    return tuple(corners)


def _corners(course: Course, duration: float) -> Iterator[tuple[float, float]]:
    """Neighbouring times, the one before and the one behind a corner."""
    course(np.array([0.0, duration]))  # what ends too early is told by the end
    x, xd, xdd = (float(np.max(np.abs(part))) for part in course(np.linspace(0.0, duration, LOOKS)))
    jump, corner = JUMP * max(1.0, x), CORNER * xd + ROUNDING * duration * xdd
    for a, b in _breaks(course, duration, jump, corner, BEYOND * max(1.0, xd)):
        ends = course(np.array([a, b]))
        if abs(ends.x[1] - ends.x[0]) > jump:
            raise InputError(
                f"drive of {course.name!r}: its position jumps from {ends.x[0]:.6g} to {ends.x[1]:.6g} at "
                f"t = {b:.9g} s: give a motion without jumps"
            )
        if not abs(ends.xd[1] - ends.xd[0]) > corner:
            continue
        if a <= 0.0:
            raise InputError(
                f"drive of {course.name!r}: its velocity is {ends.xd[0]:.6g} at t = 0 s and "
                f"{ends.xd[1]:.6g} right behind it: let it start with the one that it goes on with"
            )
        yield a, b


def _breaks(
    course: Course, duration: float, jump: float, corner: float, fastest: float
) -> list[tuple[float, float]]:
    """Spans of neighbouring numbers over which positions or velocities differ by more than rates say."""
    edges = _edges(course, duration)
    pending, found, count = _chunks(edges[:-1], edges[1:]), list[tuple[float, float]](), 0
    while pending:
        a, b = pending.pop()
        count += len(a)
        if count > MOST:
            raise InputError(
                f"drive of {course.name!r} changes so often within {duration:g} s that {MOST} looks do not "
                "tell whether it has jumps: shorten the run"
            )
        broken, speed = _broken(course, a, b, jump, corner)
        a, b, speed = a[broken], b[broken], speed[broken]
        endless = np.flatnonzero((speed > fastest) & (b - a < FINE * duration))
        if len(endless):
            k = int(endless[0])
            raise InputError(
                f"drive of {course.name!r}: its velocity is {speed[k]:.2g} at t = {b[k]:.9g} s and grows "
                "without bound there: give a motion of finite speed"
            )
        middle = 0.5 * (a + b)
        last = (middle <= a) | (middle >= b) | (b - a < ROUNDING * 1e-4 * duration)
        found += zip(a[last].tolist(), b[last].tolist(), strict=True)
        a, middle, b = a[~last], middle[~last], b[~last]
        pending += _chunks(np.concatenate([a, middle]), np.concatenate([middle, b]))
    joined = list[tuple[float, float]]()
    for a, b in sorted(found):
        if joined and a <= joined[-1][1] + BESIDE * np.spacing(b):
            a = joined.pop()[0]
        joined.append((a, b))
    return joined


def _edges(course: Course, duration: float) -> Array:
    """Times between which it is looked at first, those among them where one polynomial follows another."""
    even, position = np.linspace(0.0, duration, SPANS + 1), course.position
    if not isinstance(position, MotionSpline):
        return even
    own, period = position.breaks, float(position.breaks[-1] - position.breaks[0])
    if position.periodic and duration / period * len(own) < MOST // 16:
        rounds = np.arange(np.floor(-own[0] / period), np.ceil((duration - own[0]) / period) + 1.0)
        own = (own[:-1] + period * rounds[:, None]).ravel()
    return np.unique(np.concatenate([even, own[(own > 0.0) & (own < duration)]]))


def _chunks(a: Array, b: Array) -> list[tuple[Array, Array]]:
    return [(a[k : k + CHUNK], b[k : k + CHUNK]) for k in range(0, len(a), CHUNK)]


def _broken(course: Course, a: Array, b: Array, jump: float, corner: float) -> tuple[Array, Array]:
    """(n,) whether there is more between times a and b (n,) than a quadrature says, and the largest speed."""
    half = 0.5 * (b - a)
    inside = 0.5 * (a + b)[:, None] + half[:, None] * NODES
    t = np.column_stack([a, np.clip(inside, a[:, None], b[:, None]), b])
    x, xd, xdd = (part.reshape(t.shape) for part in course(t.ravel()))
    with np.errstate(over="ignore", invalid="ignore"):
        moved, sped = (half * (part[:, 1:-1] @ WEIGHTS) for part in (xd, xdd))
        fastest, most = (np.max(np.abs(part), axis=1) for part in (xd, xdd))
        there = np.abs(x[:, -1] - x[:, 0] - moved) <= jump + ROUNDING * b * fastest
        fits = there & (np.abs(xd[:, -1] - xd[:, 0] - sped) <= corner + ROUNDING * b * most)
    return ~fits, fastest
