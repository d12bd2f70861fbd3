"""Steps of a stride that end where forces have a kink; see `Kinks`.

A step that meets a bound is taken again, to end shortly before it. Then comes a short one, which is taken
again to end just behind. Stages of a long one that ended there would be on both sides of the bound, as they
are less exact than its end. Where the bound is, the cubic through the ends of a step tells, the better the
closer its end is to it: two or three steps land there. One that is met soon after a step's start is met by a
short one at once, as slopes there tell when; so are many that are met nearly at once, as by legs that are
alike.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, maximum, minimum, where
from ..kinks import THERE, StopBound
from .motion import KINK, REJECTED, RETRY, Motion

CLOSE = 0.05
"""Share of a long step within which a bound is met by a short one."""

NEXT_TO, BEHIND = 3e-12, 0.5
"""Bounds that are met so near to the start or the end of a step, as a share of its length or, of short ones,
of the most that may be, are those it starts or ends at: the error of the slope there goes with that. And by
which share of it a step goes on beyond a bound. Several that are met about at once are passed together."""

SAME = 1.0 + 1e-6
"""Lengths do not differ that differ by less: that of a step is the difference of two times, and rounded."""

NO_TIME = 2e-15
"""Share of the time that is not told from none: nine units in its last place. What a force errs by within it
counts for all of the step that begins there."""

WITHIN = tuple(float(s) for s in np.linspace(0.0, 1.0, 9)[1:-1])
"""Shares of a step at which it is looked where a joint is, besides next to its ends."""

HALVES, NEWTON = 5, 4
"""Times that the part of a step with the bound in it is halved, and Newton's steps on the cubic then."""

Bounds = tuple[StopBound, ...]


class _Cubic:
    """How far a joint is past its bound, rad or m, a share s through a step."""

    def __init__(self, bound: StopBound, h: Any, y: Array, after: Array) -> None:
        x0, x1 = (bound.sign * (state[bound.at] - bound.value) for state in (y, after))
        v0, v1 = (bound.sign * h * state[bound.rate] for state in (y, after))
        self.terms = x0, v0, 3.0 * (x1 - x0) - 2.0 * v0 - v1, 2.0 * (x0 - x1) + v0 + v1

    def __call__(self, s: Any) -> Any:
        a, b, c, d = self.terms
        return a + s * (b + s * (c + s * d))

    def slope(self, s: Any) -> Any:
        _, b, c, d = self.terms
        return b + s * (2.0 * c + 3.0 * d * s)


def _next_to(t: Any, h: Any, short: Any) -> Any:
    """Time within which a bound is one that a step starts or ends at, s; see `clear`."""
    return maximum(NEXT_TO * maximum(h, short), NO_TIME * t)


def _looks(t: Any, h: Any, short: Any) -> list[Any]:
    """Shares of a step at which it is looked where a joint is."""
    edge = minimum(_next_to(t, h, short) / h, 0.5)
    return [edge, *(maximum(edge, minimum(1.0 - edge, s)) for s in WITHIN), 1.0 - edge]


def clear(t: Any, h: Any, y: Array, after: Array, short: Any, bounds: Bounds) -> Any:
    """1 if a step meets no bound, else 0.

    Args:
        t, h: Its end and its length, s.
        y, after: (nq + nv,) the states at its ends.
        short: Length up to which a step is a short one, on its way over a bound, s; 0 if there is none near.
        bounds: What may be met.
    """
    found, looks = 1.0, _looks(t, h, short)
    for bound in bounds:
        cubic = _Cubic(bound, h, y, after)
        values = [cubic(s) for s in looks]
        least = most = values[0]
        for value in values[1:]:
            least, most = minimum(least, value), maximum(most, value)
        found = found * where(least < -THERE, where(most > THERE, 0.0, 1.0), 1.0)
    return found


def landing(t: Any, h: Any, y: Array, after: Array, short: Any, bounds: Bounds) -> tuple[Any, Any, Any]:
    """The length of a step in place of one that is not `clear`, and up to what length steps are short ones.

    Returns:
        Length of the step, s; `short` for it, and for the one after it.
    """
    first, looks = 1.0, _looks(t, h, short)
    for bound in bounds:
        first = minimum(first, _first(_Cubic(bound, h, y, after), looks))
    left, close = h * first, CLOSE * h
    before = left > close
    # Each is shorter than h, or the bound would not have been met.
    long = where(before, left - 0.5 * close, close), where(before, 0.0, close), where(before, close, 0.0)
    over = left + BEHIND * _next_to(t, h, short), short, 0.0
    length, now, following = (where(h <= SAME * short, a, b) for a, b in zip(over, long, strict=True))
    return length, now, following


def _first(cubic: _Cubic, looks: list[Any]) -> Any:
    """The share of a step at which a bound is met first; 1 if it is not."""
    values = [cubic(s) for s in looks]
    met, start, end, sign = 0.0, 1.0, 1.0, 1.0
    for a, b, x, z in zip(looks, looks[1:], values, values[1:], strict=False):
        here = where(x * z < 0.0, 1.0 - met, 0.0)
        met = met + here
        start, end, sign = (
            where(here > 0.0, new, old)
            for new, old in ((a, start), (b, end), (where(x < 0.0, -1.0, 1.0), sign))
        )
    for _ in range(HALVES):
        middle = 0.5 * (start + end)
        same = sign * cubic(middle) > 0.0
        start, end = where(same, middle, start), where(same, end, middle)
    root = 0.5 * (start + end)
    for _ in range(NEWTON):
        slope = cubic.slope(root)
        better = root - cubic(root) / where(slope == 0.0, 1.0, slope)
        root = maximum(start, minimum(end, better))
    return root


def limited(
    t: Any, size: Any, y: Array, slope: Array, short: Any, wanted: Any, bounds: Bounds
) -> tuple[Any, Any]:
    """The length of a step that begins at t, s, and up to what length it is a short one.

    Args:
        t, size: Its start and the length it would have, s.
        y, slope: (nq + nv,), (nq + nv,) the state there, and its rate.
        short: Length up to which it is a short one, s; 0 if no bound is known to be near.
        wanted: Length of a long one, s.
        bounds: What may be met.
    """
    close = where(short > 0.0, short, CLOSE * wanted)
    soon = close
    for bound in bounds:
        x, v, a = bound.sign * (y[bound.at] - bound.value), bound.sign * y[bound.rate], slope[bound.rate]
        until = _until(x, v, bound.sign * a)
        soon = where(abs(x) > THERE, where(until > _next_to(t, 0.0, close), minimum(soon, until), soon), soon)
    near = where(short > 0.0, 1.0, where(soon < close, 1.0, 0.0))
    length = soon + BEHIND * _next_to(t, soon, close)
    return where(near > 0.0, minimum(size, length), size), where(near > 0.0, close, 0.0)


def _until(x: Any, v: Any, a: Any) -> Any:
    """When x + v s + a s²/2 becomes zero, that time which goes on from that of a = 0; -1 if never."""
    square = v * v - 2.0 * a * x
    below = abs(v) + np.sqrt(maximum(square, 0.0))
    found = -2.0 * x / where(below == 0.0, 1.0, below)
    return where(square < 0.0, -1.0, where(v < 0.0, -found, found))


@lru_cache(maxsize=32)
def _kernels(bounds: Bounds, n: int) -> tuple[Kernel, Kernel, Kernel]:
    """`clear`, `landing` and `limited`, for states of n numbers."""
    shapes = {"t": (), "h": (), "y": (n,), "after": (n,), "short": ()}

    def made(function: Any) -> Kernel:
        program = trace(lambda t, h, y, after, short: function(t, h, y, after, short, bounds), shapes)
        return Kernel(simplify(program), function.__name__)

    names = {"t": (), "size": (), "y": (n,), "slope": (n,), "short": (), "wanted": ()}
    program = trace(
        lambda t, size, y, slope, short, wanted: limited(t, size, y, slope, short, wanted, bounds), names
    )
    return made(clear), made(landing), Kernel(simplify(program), "limited")


class KinkLanding:
    """What ends steps at kinks.

    Args:
        motion: The memory.
        size: (1,) the length of the next step, s.
        shortened: Makes a step that was just taken one of a length (1,), s.
        raw: The end of a step that may be rejected.
        slope: (nq + nv,) at the end of one that was accepted.
        bounds: Where forces have kinks.
    """

    def __init__(
        self,
        motion: Motion,
        size: Array,
        shortened: Callable[[Array], list[Instruction]],
        raw: Array,
        slope: Array,
        bounds: Bounds,
    ) -> None:
        self._size, self._short, self._next = size, np.zeros(1), np.zeros(1)
        self._clear, self._landing, self._limited = _kernels(bounds, len(raw))
        step = motion.t_after, motion.h, motion.y
        self._accepted, self._rejected = ([*step, end, self._short] for end in (motion.after, raw))
        self._length, self._free, self._limit, self._limit_short = (np.zeros(1) for _ in range(4))
        self._behind = [motion.t, self._size, motion.y, slope, self._next, motion.wanted]
        self._again = [*shortened(self._length), Unless(np.zeros(1), RETRY)]

    def begin(self) -> None:
        """Go on from a state that steps have not led to."""
        self._short[:] = self._next[:] = 0.0

    def look(self) -> list[Instruction]:
        """What is done about a step that would be accepted."""
        return [Call(self._clear, self._accepted, [self._free]), Unless(self._free, KINK)]

    def commit(self) -> list[Instruction]:
        """What is after a step is before the next."""
        return [
            Call(self._limited, self._behind, [self._limit, self._limit_short]),
            *(Copy(*pair) for pair in ((self._limit, self._size), (self._limit_short, self._short))),
            Copy(np.zeros(1), self._next),
        ]

    def instructions(self) -> list[Instruction]:
        """What takes a step again that meets a kink; behind it, one goes on that was rejected and meets none.

        Without a look at those that were rejected, shorter and shorter ones would lead up to the kink.
        """
        found = list[Instruction]()
        for label, step in ((KINK, self._accepted), ("early", self._rejected)):
            now = np.zeros(1)
            land = Call(self._landing, step, [self._length, now, self._next])
            found += [Label(label), land, Copy(now, self._short), *self._again]
        return [
            *found,
            Label(REJECTED),
            Call(self._clear, self._rejected, [self._free]),
            Unless(self._free, "early"),
        ]
