"""What scripts have in common whose steps are as long as tolerances let them be."""

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any
from weakref import ref

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Copy, Instruction, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, maximum, minimum, where
from ..steppers import ChosenSteps
from .first_step import FirstStep
from .motion import END, Motion

CUT = 0.999
"""A step shorter than this share of what was wanted was cut short."""


def ended(t: Any, size: Any, duration: Any, sample: Any) -> tuple[Any, Any]:
    """End and length of a step from t that should have a length, s, and ends at the next sample at last."""
    last = minimum(duration, sample)
    end = where(t + size > last, last, t + size)
    return end, end - t


def resumed(size: Any, h: Any, wanted: Any) -> Any:
    """The length of the next step, s: not less than was wanted of one that a sample or a kink cut short."""
    return where(h < CUT * wanted, maximum(size, wanted), size)


@cache
def of_scalars(function: Callable[..., Any]) -> Kernel:
    """A function of numbers alone as machine code."""
    return Kernel(simplify(trace(function, dict.fromkeys(signature(function).parameters, ()))))


class ChosenLengths:
    """Steps whose lengths are chosen.

    Args:
        motion: The memory.
        steps: Tolerances, and who takes the steps that are looked at by themselves.
        slope: (n or more,) where the slope at the start is written.
        exponent, further: See `FirstStep`.

    Attributes:
        size: (1,) the length of the next step, s, before it is cut short.
    """

    def __init__(
        self, motion: Motion, steps: ChosenSteps, slope: Array, exponent: int, further: int = 0
    ) -> None:
        self.motion = motion
        self._slope = slope[: len(motion.y)]
        self.size, self._end, self._tolerances = np.zeros(1), np.zeros(1), np.zeros(2)
        self._first = FirstStep(motion, slope, exponent, further)
        self.serve(steps)

    def serve(self, steps: ChosenSteps) -> None:
        """Take steps of another run."""
        self._steps, self._end[0] = ref(steps), steps.duration
        self._tolerances[:] = steps.rtol, steps.atol

    @property
    def steps(self) -> ChosenSteps:
        """Those of the run that is served, which are not kept alive."""
        steps = self._steps()
        assert steps is not None
        return steps

    def begin(self, t: float, y: Array) -> None:
        """Go on from a state: its slope, and the length of the first step."""
        steps = self.steps
        if steps.following is None:
            steps.following = self._first.length(steps.duration - t, steps.rtol, steps.atol)
        else:
            self._slope[:] = self.motion.system.slope(t, y)
        self.size[0] = self.motion.wanted[0] = steps.following

    def end(self, h: float | None) -> None:
        """Leave the next step to others, who begin with a length or with what would have been the next."""
        wanted = float(max(self.size[0], self.motion.wanted[0]))
        self.steps.h = self.steps.following = wanted if h is None else h

    def shown(self) -> list[Instruction]:
        """Instructions that tell the length of the next step, and end where a decision is needed before."""
        return [Copy(self.size, self.motion.wanted), Unless(self.motion.good, END)]
