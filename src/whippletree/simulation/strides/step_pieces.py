"""An integrator's step cut into pieces: what it computes itself between the questions it asks of a motion.

The step is recorded as it is written. Where it asks for accelerations or for a position, the arguments are
the results of one piece, and the answer is an input of all that follow. So a piece knows nothing of the
mechanism, and what the mechanism does is compiled once, however often a step asks for it.
"""

from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array
from ..integrators import Integrator


class Segment(NamedTuple):
    """A piece of a step.

    Attributes:
        kernel: Of t, y, h and all answers so far, to the arguments of the question, or to the state after.
        question: What is asked of the motion, a method of `System`; None: nothing, the step is complete.
        answer: How many numbers answer it.
    """

    kernel: Kernel
    question: str | None
    answer: int


@lru_cache(maxsize=64)
def segments(integrator: Integrator, nq: int, nv: int) -> tuple[Segment, ...]:
    """The pieces of a step of (nq + nv,) numbers, in order."""
    found: list[Segment] = []
    while not found or found[-1].question is not None:
        found.append(_segment(integrator, nq, nv, [segment.answer for segment in found]))
    return tuple(found)


def _segment(integrator: Integrator, nq: int, nv: int, answers: list[int]) -> Segment:
    asked: list[str] = []

    def piece(t: Any, y: Array, h: Any, *known: Array) -> tuple[Any, ...]:
        try:
            return (integrator.step(_Asked(nq, list(known)), t, y, h),)
        except _QuestionError as question:
            asked.append(question.name)
            return question.arguments

    shapes = {f"answer{k}": (size,) for k, size in enumerate(answers)}
    program = simplify(trace(piece, {"t": (), "y": (nq + nv,), "h": (), **shapes}))
    sizes = {"slope": nq + nv, "acceleration": nv, "moved": nq, "stepped": nq + nv}
    name = asked[0] if asked else None
    return Segment(Kernel(program, "segment"), name, sizes[name] if name else 0)


class _QuestionError(Exception):
    """The first question whose answer is not known yet."""

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.name, self.arguments = name, arguments


class _Asked:
    """A motion that knows its first answers."""

    def __init__(self, nq: int, known: list[Array]) -> None:
        self.nq, self._known = nq, known

    def _answer(self, name: str, *arguments: Any) -> Array:
        if self._known:
            return self._known.pop(0)
        raise _QuestionError(name, tuple(np.array(part, dtype=object) for part in arguments))

    def slope(self, t: Any, y: Array) -> Array:
        return self._answer("slope", t, y)

    def acceleration(self, t: Any, q: Array, qd: Array, h: Any) -> Array:
        return self._answer("acceleration", t, q, qd, h)

    def moved(self, q: Array, qd: Array, h: Any) -> Array:
        return self._answer("moved", q, qd, h)

    def stepped(self, q: Array, qd: Array, qdd: Array, h: Any) -> Array:
        return self._answer("stepped", q, qd, qdd, h)

    def midpoint_derivative(self, t: Any, q: Array, qd: Array, h: Any) -> NoReturn:
        raise NotImplementedError("derivatives of what is being recorded are not at hand")
