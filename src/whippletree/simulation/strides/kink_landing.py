"""Steps of a stride that end where forces have a kink; see `Kinks`.

A step that meets a bound is taken again, to end just behind it. Where that is, the cubic through the ends of
the step tells, the better the closer its end is to the bound: two or three steps land there.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, maximum, minimum, where
from ..kinks import THERE, StopBound

NEXT_TO, BEHIND = 1e-4, 0.5e-4
"""Bounds that are met so near to the start or the end of a step, as a share of the length that is wanted of
steps, are those it starts or ends at, for the error goes with the cube of that; and by which share a step
goes on beyond a bound. Several that are met nearly at once are so passed together."""

WITHIN = tuple(float(s) for s in np.linspace(0.0, 1.0, 9)[1:-1])
"""Shares of a step at which it is looked where a joint is, besides next to its ends."""

NEWTON = 4
"""Newton's steps on the cubic, from where a straight line leads."""

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


def _looks(h: Any, wanted: Any) -> list[Any]:
    """Shares of a step h at which it is looked where a joint is."""
    edge = minimum(NEXT_TO * wanted / h, 0.5)
    return [edge, *(maximum(edge, minimum(1.0 - edge, s)) for s in WITHIN), 1.0 - edge]


def clear(h: Any, y: Array, after: Array, wanted: Any, bounds: Bounds) -> Any:
    """1 if a step meets no bound, else 0.

    Args:
        h: Its length, s.
        y, after: (nq + nv,) the states at its ends.
        wanted: How long steps would be but for what cuts them short, s.
        bounds: What may be met.
    """
    found, looks = 1.0, _looks(h, wanted)
    for bound in bounds:
        cubic = _Cubic(bound, h, y, after)
        values = [cubic(s) for s in looks]
        least = most = values[0]
        for value in values[1:]:
            least, most = minimum(least, value), maximum(most, value)
        found = found * where(least < -THERE, where(most > THERE, 0.0, 1.0), 1.0)
    return found


def landing(h: Any, y: Array, after: Array, wanted: Any, bounds: Bounds) -> Any:
    """The length of a step that ends just behind the first bound that this one meets, s; see `clear`."""
    first, looks = 1.0, _looks(h, wanted)
    for bound in bounds:
        cubic = _Cubic(bound, h, y, after)
        values = [cubic(s) for s in looks]
        met, root = 0.0, 1.0
        for a, b, x, z in zip(looks, looks[1:], values, values[1:], strict=False):
            here = where(x * z < 0.0, 1.0 - met, 0.0)
            met, root = met + here, where(here > 0.0, a + (b - a) * x / where(here > 0.0, x - z, 1.0), root)
        for _ in range(NEWTON):
            slope = cubic.slope(root)
            better = root - cubic(root) / where(slope == 0.0, 1.0, slope)
            root = where(met > 0.0, maximum(looks[0], minimum(looks[-1], better)), root)
        first = minimum(first, root)
    return h * first + BEHIND * wanted  # which is shorter than h, or it would not have been met


@lru_cache(maxsize=32)
def landing_kernels(bounds: Bounds, n: int) -> tuple[Kernel, Kernel]:
    """`clear` and `landing`, for states of n numbers."""
    shapes = {"h": (), "y": (n,), "after": (n,), "wanted": ()}

    def made(function: Any) -> Kernel:
        program = trace(lambda h, y, after, wanted: function(h, y, after, wanted, bounds), shapes)
        return Kernel(simplify(program), function.__name__)

    return made(clear), made(landing)
