"""The script of steps whose length is chosen: DOP853."""

from typing import Any

import numpy as np

from ...kernels.run.rows import padded, scaled_squares, weighted_sum
from ...kernels.run.script import Call, Copy, Instruction, Unless
from ...spatial import Array, where
from ..integrators.dop853 import (
    EXPONENT,
    MORE,
    STAGES,
    TERMS,
    error_norm,
    factor,
    in_order,
    stage_times,
    within,
)
from ..integrators.dop853_numbers import A_MORE, E3, E5, A, B
from ..steppers import ChosenSteps
from .chosen_lengths import ChosenLengths, ended, of_scalars, resumed
from .motion import REJECTED, Motion

ALL = STAGES + 1 + MORE


def planned(t: Any, size: Any, duration: Any, sample: Any) -> tuple[Any, Any, Array]:
    """End and length of a step from t that should have a length, and the times of its stages, s."""
    end, h = ended(t, size, duration, sample)
    return end, h, stage_times(t, h)


def judged(
    five: Any, three: Any, n: Any, h: Any, rejected: Any, shortest: Any, wanted: Any
) -> tuple[Any, Any, Any, Any]:
    """Whether a step is accurate enough; the length of the next; whether it was rejected; if to go on."""
    error = error_norm(five, three, n, h)
    accepted, size = where(error < 1.0, 1.0, 0.0), abs(h) * factor(error, rejected)
    size = where(accepted > 0.0, resumed(size, h, wanted), size)
    return accepted, size, 1.0 - accepted, where(size >= shortest, 1.0, 0.0)


class ChosenScript(ChosenLengths):
    """Steps of DOP853.

    Args:
        motion: The memory.
        steps: Tolerances, and who takes the steps that are looked at by themselves.
        dense: Whether states within steps will be asked for.

    Attributes:
        kept: (7, n) terms of the step that was taken last, see `TERMS`; None if it is not dense.
    """

    def __init__(self, motion: Motion, steps: ChosenSteps, dense: bool) -> None:
        n = len(motion.y)
        room = padded(n)
        self._K, self.kept = np.zeros((ALL, room)), np.zeros((7, n)) if dense else None
        super().__init__(motion, steps, self._K[0], EXPONENT)
        self._y, self.following = np.zeros(room), np.zeros(n)
        self._rejected, self._accepted = np.zeros(1), np.zeros(1)

    def begin(self, t: float, y: Array) -> None:
        super().begin(t, y)
        self._rejected[0] = 0.0

    def step(self) -> tuple[list[Instruction], Array]:
        motion, K, y = self.motion, self._K, self._y
        n, room = len(motion.y), len(y)
        plan, judge = of_scalars(planned), of_scalars(judged)
        times, at, raw = np.zeros(ALL), np.zeros(room), np.zeros(room)
        error, five, three, count = np.zeros(room), np.zeros(1), np.zeros(1), np.full(1, float(n))
        wanted = [motion.t, self.size, self._end, motion.sample]
        found: list[Instruction] = [
            *motion.sampled(motion.slope(motion.t, motion.y, K[0, :n])),
            Call(plan, wanted, [motion.t_after, motion.h, times]),
            Copy(motion.y, y[:n]),
        ]
        for stage in range(1, STAGES):
            found.append(self._moved(A[stage], stage, at))
            found += motion.slope(times[stage : stage + 1], at[:n], K[stage, :n])
        found.append(self._moved(B, STAGES, raw))
        for weights, squares in ((E5, five), (E3, three)):
            summed = weighted_sum(error, np.zeros(room), np.ones(1), in_order(weights, STAGES), K)
            found += [summed, scaled_squares(squares, error, y, raw, self._tolerances)]
        tried = [five, three, count, motion.h, self._rejected, motion.shortest, motion.wanted]
        rejected, size = np.zeros(1), np.zeros(1)
        found += [
            Call(judge, tried, [self._accepted, size, rejected, motion.good]),
            Copy(size, self.size),
            Copy(rejected, self._rejected),
            Unless(self._accepted, REJECTED),
            *self.rejected(),
        ]
        if self.kept is not None:
            found += motion.slope(motion.t_after, raw[:n], K[STAGES, :n])
            for k, weights in enumerate(A_MORE, start=STAGES + 1):
                found.append(self._moved(weights, k, at))
                found += motion.slope(times[k : k + 1], at[:n], K[k, :n])
            for row, weights in zip(self.kept, TERMS, strict=True):
                found += [weighted_sum(at, np.zeros(room), motion.h, weights, K), Copy(at[:n], row)]
        return found, raw[:n]

    def _moved(self, weights: dict[int, float], stages: int, to: Array) -> Instruction:
        """From y by weights of the slopes of the first stages."""
        return weighted_sum(to, self._y, self.motion.h, in_order(weights, stages), self._K)

    def within(self, kept: Array, y: Array, x: Array) -> Array:
        return within(kept, y, x)

    def accepted(self) -> list[Instruction]:
        return self.motion.slope(self.motion.t_after, self.motion.after, self.following)

    def commit(self) -> list[Instruction]:
        return [Copy(self.following, self._K[0, : len(self.following)])]

    def rejected(self) -> list[Instruction]:
        return self.shown()

    def shortened(self, length: Array) -> list[Instruction]:
        return [Copy(length, self.size)]
