"""The length of the first step of a run, in machine code."""

from functools import cache, partial
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.rows import padded, scaled_squares, weighted_sum
from ...kernels.run.script import Call, Copy, Halt, Label, Script, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, where
from ..integrators.dop853 import FURTHEST, first_length_after, first_try
from .motion import END, Motion


class FirstStep:
    """The length to begin with, of a motion in memory.

    It is a hundred times the one at which slopes were looked at, at most, which by itself is far too short
    for a start at rest, as velocities there grow by any number of times. So from the most it goes on looking.

    Args:
        motion: The memory.
        slope: (n or more,) where the slope at the start is written, too.
        exponent: A length goes by the inverse of this root of the error.
        further: How often it looks once more; 0 gives what `first_length` does.
    """

    def __init__(self, motion: Motion, slope: Array, exponent: int, further: int = 0) -> None:
        self._motion, n = motion, len(motion.y)
        self._left, self._found, self._tolerances = np.zeros(1), np.zeros(1), np.zeros(2)
        y, f, at, there, change = (np.zeros(padded(n)) for _ in range(5))
        d0, d1, d2, count, h, one = (np.zeros(1), np.zeros(1), np.zeros(1), *np.ones((3, 1)))
        count[0] = n
        t, bounded = np.zeros((2, 1))
        guess, later, choose, bound = _kernels(exponent)
        look = [
            Call(later, [motion.t, h], [t]),
            weighted_sum(at, y, h, one, f[None]),
            *motion.slope(t, at[:n], there[:n]),
            weighted_sum(change, there, -one, one, f[None]),
            scaled_squares(d2, change, y, y, self._tolerances),
            Call(choose, [d1, d2, count, h, self._left], [self._found]),
        ]
        go_on = [Call(bound, [h, self._found], [bounded]), Unless(bounded, END), Copy(self._found, h)]
        self._script = Script(
            [
                *motion.slope(motion.t, motion.y, slope[:n]),
                *(Copy(motion.y, y[:n]), Copy(slope[:n], f[:n])),
                scaled_squares(d0, y, y, y, self._tolerances),
                scaled_squares(d1, f, y, y, self._tolerances),
                Call(guess, [d0, d1, count, self._left], [h]),
                *look,
                *(further * [*go_on, *look]),
                *(Label(END), Halt()),
            ]
        )

    def length(self, left: float, rtol: float, atol: float) -> float:
        """From where the motion is, s, with so much time left, s; see `first_length`."""
        self._left[0], self._tolerances[:] = left, (rtol, atol)
        self._script(1, 1)
        self._motion.raise_fault()
        return float(self._found[0])


def at_most(h: Any, found: Any) -> Any:
    """Whether a length is the most that there may be by a look at h, s."""
    return where(found >= (1.0 - 1e-9) * (FURTHEST * h), 1.0, 0.0)


@cache
def _kernels(exponent: int) -> tuple[Kernel, ...]:
    guess = trace(first_try, dict.fromkeys(("d0", "d1", "n", "duration"), ()))
    later = trace(lambda t, h: t + h, {"t": (), "h": ()})
    names = ("d1", "d2", "n", "h", "duration")
    choose = trace(partial(first_length_after, exponent=exponent), dict.fromkeys(names, ()))
    bound = trace(at_most, {"h": (), "found": ()})
    return tuple(Kernel(simplify(program)) for program in (guess, later, choose, bound))
