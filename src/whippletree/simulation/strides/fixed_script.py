"""The script of steps of fixed length."""

from functools import cache
from typing import Any
from weakref import ref

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, where
from ..integrators import Integrator
from ..steppers import FixedSteps
from .motion import Motion
from .step_pieces import Segment, segments


def clock(number: Any, t: Any, length: Any, count: Any, duration: Any) -> tuple[Any, Any, Any]:
    """The number of the step that begins at t, its end and its length, s.

    Ends are multiples of the length, so that rounding does not add up; the last is the end of the run.
    """
    following = number + 1.0
    end = where(following < count, following * length, duration)
    return following, end, end - t


@cache
def _clock() -> Kernel:
    names = ("number", "t", "length", "count", "duration")
    return Kernel(simplify(trace(clock, dict.fromkeys(names, ()))), "clock")


class FixedScript:
    """Steps from one multiple of a length to the next.

    Args:
        motion: The memory.
        steps: Their lengths, and what each of them is.

    Attributes:
        constants: (3,) their length, s, their number, and the end of the last, s.
        number, following_number: Of the last step that was taken, and of the one being taken.
    """

    def __init__(self, motion: Motion, steps: FixedSteps) -> None:
        self.motion = motion
        self.constants = np.zeros(3)
        self.number, self.following_number = np.zeros(1), np.zeros(1)
        self.size, self.following = self.constants[:1], np.zeros(0)
        self.serve(steps)

    kept: Array | None = None

    def serve(self, steps: FixedSteps) -> None:
        """Take steps of another run, by the same integrator."""
        self._steps = ref(steps)
        self.constants[:] = steps.h, steps.count, steps.duration

    def end(self, h: float | None) -> None:
        """Steps of fixed length go on by themselves."""

    @property
    def steps(self) -> FixedSteps:
        """Those of the run that is served, which are not kept alive."""
        steps = self._steps()
        assert steps is not None
        return steps

    def begin(self, t: float, y: Array) -> None:
        self.number[0] = self.steps.number(t) - 1

    def within(self, kept: Array, y: Array, x: Array) -> Array:
        """Nothing is asked for within steps of fixed length."""
        return y

    def accepted(self) -> list[Instruction]:
        return []

    def commit(self) -> list[Instruction]:
        return [Copy(self.following_number, self.number)]

    def rejected(self) -> list[Instruction]:
        return []

    def shortened(self, length: Array) -> list[Instruction]:
        return []

    def step(self) -> tuple[list[Instruction], Array]:
        """From t and y to t_after and a state there, which is not brought back yet."""
        motion = self.motion
        call = Call(
            _clock(),
            [self.number, motion.t, *np.split(self.constants, 3)],
            [self.following_number, motion.t_after, motion.h],
        )
        found, raw = step_instructions(motion, self.steps.integrator)
        return [*motion.sampled([]), call, *found], raw


def step_instructions(motion: Motion, integrator: Integrator) -> tuple[list[Instruction], Array]:
    """Instructions for a step from t and y of length h, and where the state at its end is."""
    known, raw = [motion.t, motion.y, motion.h], np.zeros_like(motion.y)
    found: list[Instruction] = []
    for segment in segments(integrator, motion.m.nq, motion.m.nv):
        arguments = _arguments(segment, known)
        if arguments is None:
            arguments = [np.zeros(shape) for shape in segment.kernel.array_shapes()[len(known) :]]
            arguments = [part.reshape(part.size) for part in arguments]
            found.append(Call(segment.kernel, tuple(known), arguments))
        if segment.question is None:
            raw = arguments[0]
        else:
            answer = np.zeros(segment.answer)
            found += motion.answer(segment.question, arguments, answer)
            known.append(answer)
    return found, raw


def _arguments(segment: Segment, known: list[Array]) -> list[Array] | None:
    """Where results are that a piece only hands on; None if it computes some."""
    program = segment.kernel.program
    places = [(array, k) for array in known for k in range(array.size)]
    found, begin = [], 0
    for shape in segment.kernel.array_shapes()[len(known) :]:
        size = int(np.prod(shape))
        numbers = list(program.results[begin : begin + size])
        begin += size
        if not size or numbers != list(range(numbers[0], numbers[0] + size)) or numbers[-1] >= len(places):
            return None
        (array, first), (last_array, _) = places[numbers[0]], places[numbers[-1]]
        if array is not last_array:
            return None
        found.append(array[first : first + size])
    return found
