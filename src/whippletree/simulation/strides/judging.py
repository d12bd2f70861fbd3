"""Whether a step needs no decision."""

from functools import lru_cache
from typing import Any

from ...kernels.run.kernel import Kernel
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, where

HUGE = 1e300
"""States beyond this have run away."""


def plain(t: Any, y: Array, watch: Array, bounds: Array, until: Any) -> tuple[Any, Any]:
    """Whether a step ends in a state that needs no decision, and whether another follows.

    Args:
        t: End of the step, s.
        y: (nq + nv,) the state at its end.
        watch, bounds: (4,) gap, margin and turn of the loops, and how well what was chosen suits; and what
            they may be: at most, at least, at most, and at least.
        until: Bound of t, s.
    """
    size = sum((abs(entry) for entry in y), 0.0)
    good = where(size < HUGE, 1.0, 0.0)
    for k, at_most in enumerate((True, False, True, False)):
        holds = watch[k] <= bounds[k] if at_most else watch[k] >= bounds[k]
        good = good * where(holds, 1.0, 0.0)
    return good, where(t < until, 1.0, 0.0)


@lru_cache(maxsize=32)
def plain_kernel(n: int) -> Kernel:
    """`plain` for states of n numbers."""
    shapes = {"t": (), "y": (n,), "watch": (4,), "bounds": (4,), "until": ()}
    return Kernel(simplify(trace(plain, shapes)), "plain")
