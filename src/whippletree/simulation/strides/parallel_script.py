"""The script of steps whose stages are evaluated side by side: PIRK."""

from typing import Any

import numpy as np

from ...kernels.run.rows import padded, scaled_squares, weighted_sum, weighted_sums
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...spatial import Array, where
from ..integrators.pirk import BEND, EXPONENT, FAR, STAGES, TERMS, A, B, C, Tried, ahead, tried, within
from ..steppers import ChosenSteps
from .chosen_lengths import ChosenLengths, ended, of_scalars, resumed
from .motion import REJECTED, Motion

FURTHER = 3
"""How often it looks for a longer first step: such steps cost more than others, and grow slowly."""

BEGUN, CORRECT = "slopes taken for constant", "correct"


def planned(t: Any, size: Any, duration: Any, sample: Any, before: Any) -> tuple[Any, Any, Array, Array, Any]:
    """What a step from t begins with that should have a length, s.

    Args:
        t: Where it begins, s.
        size: The length it should have, s.
        duration, sample: Where it ends at last, s.
        before: The length of the step whose slopes are known, s; 0 if there is none.

    Returns:
        Its end and its length, s; times of its stages, s; weights of the terms of the step before, see
        `ahead`; above 0 if its first slopes are found by these.
    """
    end, h = ended(t, size, duration, sample)
    ratio = h / where(before > 0.0, before, h)
    follows = where(before > 0.0, where(ratio <= FAR, 1.0, 0.0), 0.0)
    return end, h, np.array([t + share * h for share in C]), ahead(ratio), follows


def judged(
    squares: Any,
    rough: Any,
    n: Any,
    h: Any,
    follows: Any,
    rejected: Any,
    shortest: Any,
    wanted: Any,
    count: Any,
    first: Any,
    last: Any,
) -> tuple[Any, ...]:
    """What to do after a correction, see `tried`.

    Args:
        squares, rough, n, h, follows, rejected: As there.
        shortest, wanted: Steps below the one, s, need a decision; the length but for what cuts it short, s.
        count, first, last: Of what was known after the correction before.

    Returns:
        Whether it is done, and whether it is accurate enough; the length of the next step, s; whether it was
        rejected; if to go on; and count, first and last of what is known now.
    """
    found = tried(squares, rough, n, h, follows, rejected, Tried(0.0, 0.0, 0.0, count, first, last))
    size = where(found.accepted > 0.0, resumed(found.size, h, wanted), found.size)
    good = where(found.done > 0.0, where(size >= shortest, 1.0, 0.0), 1.0)
    return found.done, found.accepted, size, 1.0 - found.accepted, good, found.count, found.first, found.last


class ParallelScript(ChosenLengths):
    """Steps of PIRK.

    Args:
        motion: The memory.
        steps: Tolerances, and who takes the steps that are looked at by themselves.
        dense: Whether states within steps will be asked for.

    Attributes:
        kept: (8, n) terms of the slope of the step that was taken last, times its length; see `TERMS`. None
            if it is not dense.
    """

    def __init__(self, motion: Motion, steps: ChosenSteps, dense: bool) -> None:
        n = len(motion.y)
        room = padded(n)
        self._slopes = np.zeros((STAGES + 1, room))  # at the start and at all stages
        super().__init__(motion, steps, self._slopes[0], EXPONENT, FURTHER)
        self._y, self.following = np.zeros(room), self._slopes[-1, :n]
        # Of the step before: the slopes at its stages, and its length.
        self._before, self._length = np.zeros((STAGES, room)), np.zeros(1)
        self._rejected, self._accepted = np.zeros((2, 1))
        self.kept = np.zeros((STAGES, n)) if dense else None

    def begin(self, t: float, y: Array) -> None:
        super().begin(t, y)
        self._rejected[0] = self._length[0] = 0.0

    def step(self) -> tuple[list[Instruction], Array]:
        motion, y, slopes = self.motion, self._y, self._slopes
        n, room = len(motion.y), len(y)
        plan, judge = of_scalars(planned), of_scalars(judged)
        start, evaluated = slopes[0], slopes[1:]
        times, states = np.zeros(STAGES), np.zeros((STAGES, room))
        of_terms, coming = np.zeros((2, STAGES, STAGES))
        raw, change, nothing = np.zeros((3, room))
        one, never, zeros, count = np.ones(1), np.zeros(1), np.zeros(3), np.full(1, float(n))
        follows, squares, rough, done, size, rejected = np.zeros((6, 1))
        known, found = np.zeros(3), np.zeros(3)
        wanted = [motion.t, self.size, self._end, motion.sample, self._length]
        tried = [squares, rough, count, motion.h, follows, self._rejected, motion.shortest, motion.wanted]
        told = [done, self._accepted, size, rejected, motion.good]
        return (
            [
                *motion.sampled([*motion.slope(motion.t, motion.y, start[:n]), Copy(never, self._length)]),
                Call(plan, wanted, [motion.t_after, motion.h, times, of_terms, follows]),
                Copy(motion.y, y[:n]),
                Copy(zeros, known),
                Unless(follows, BEGUN),
                weighted_sums(coming, nothing[:STAGES], one, of_terms, TERMS),
                weighted_sums(states, y, self._length, coming, self._before),
                *motion.slopes(times, states, evaluated),
                Unless(never, CORRECT),
                Label(BEGUN),
                *(Copy(start, row) for row in evaluated),
                Label(CORRECT),
                weighted_sums(states, y, motion.h, A, evaluated),
                *motion.slopes(times, states, evaluated),
                weighted_sum(raw, y, motion.h, B, evaluated),
                weighted_sum(change, raw, -one, one, states[-1:]),  # the last stage is at the end
                scaled_squares(squares, change, y, raw, self._tolerances),
                weighted_sum(change, nothing, motion.h, BEND, slopes),
                scaled_squares(rough, change, y, raw, self._tolerances),
                Call(judge, [*tried, *np.split(known, 3)], [*told, *np.split(found, 3)]),
                Copy(found, known),
                Unless(done, CORRECT),
                Copy(size, self.size),
                Copy(rejected, self._rejected),
                Unless(self._accepted, REJECTED),
                *self.rejected(),
                *self._shown_within(evaluated),
            ],
            raw[:n],
        )

    def _shown_within(self, evaluated: Array) -> list[Instruction]:
        """Instructions that keep the terms of the step, from the slopes at its stages."""
        if self.kept is None:
            return []
        terms = np.zeros_like(evaluated)
        copies = [Copy(*pair) for pair in zip(terms[:, : self.kept.shape[1]], self.kept, strict=True)]
        return [weighted_sums(terms, np.zeros(len(terms[0])), self.motion.h, TERMS, evaluated), *copies]

    def within(self, kept: Array, y: Array, x: Array) -> Array:
        return within(kept, y, x)

    def accepted(self) -> list[Instruction]:
        return []

    def commit(self) -> list[Instruction]:
        start, evaluated = self._slopes[0], self._slopes[1:]
        last = Copy(evaluated[-1], start)
        return [Copy(evaluated, self._before), Copy(self.motion.h, self._length), last]

    def rejected(self) -> list[Instruction]:
        return self.shown()

    def shortened(self, length: Array) -> list[Instruction]:
        return [Copy(length, self.size)]
