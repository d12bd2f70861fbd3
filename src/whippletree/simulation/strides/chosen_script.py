"""The script of steps whose length is chosen: DOP853."""

from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any
from weakref import ref

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, maximum, minimum, where
from ..integrators.dop853 import (
    MORE,
    STAGES,
    error_norm,
    factor,
    first_length,
    moved,
    polynomial,
    stage_times,
    within,
)
from ..integrators.dop853_numbers import A_MORE, A, B
from ..steppers import ChosenSteps
from .motion import END, REJECTED, Motion

ALL = STAGES + 1 + MORE

SLOPES = 2, 4, 6, 9
"""Numbers of slopes that there are kernels for; others are rounded up."""

CUT = 0.999
"""A step shorter than this share of what was wanted was cut short."""


def planned(t: Any, size: Any, duration: Any, sample: Any) -> tuple[Any, Any, Array]:
    """End and length of a step from t that should have a length, and the times of its stages, s."""
    end, h = ended(t, size, duration, sample)
    return end, h, stage_times(t, h)


def ended(t: Any, size: Any, duration: Any, sample: Any) -> tuple[Any, Any]:
    """End and length of a step from t that should have a length, s, and ends at the next sample at last."""
    last = minimum(duration, sample)
    end = where(t + size > last, last, t + size)
    return end, end - t


def resumed(size: Any, h: Any, wanted: Any) -> Any:
    """The length of the next step, s: not less than was wanted of one that a sample or a kink cut short."""
    return where(h < CUT * wanted, maximum(size, wanted), size)


def judged(
    K: Array, y: Array, after: Array, h: Any, rejected: Any, tolerances: Array, shortest: Any, wanted: Any
) -> tuple[Any, Any, Any, Any]:
    """Whether a step is accurate enough; the length of the next; whether it was rejected; if to go on."""
    error = error_norm(K, y, after, h, tolerances[0], tolerances[1])
    accepted, size = where(error < 1.0, 1.0, 0.0), abs(h) * factor(error, rejected)
    size = where(accepted > 0.0, resumed(size, h, wanted), size)
    return accepted, size, 1.0 - accepted, where(size >= shortest, 1.0, 0.0)


@lru_cache(maxsize=64)
def _kernel(function: Callable[..., Any], n: int, stages: int) -> Kernel:
    """One of the functions above, or of the method, for states of n numbers."""
    known = {"y": (n,), "after": (n,), "K": (stages, n), "tolerances": (2,)}
    names = signature(function).parameters
    return Kernel(simplify(trace(function, {name: known.get(name, ()) for name in names})), function.__name__)


@lru_cache(maxsize=64)
def _move(n: int, slopes: int) -> Kernel:
    """`moved` by a number of slopes."""
    shapes = {"y": (n,), "h": (), "weights": (slopes,), **{f"slope{k}": (n,) for k in range(slopes)}}
    return Kernel(simplify(trace(moved, shapes)), "moved")


class ChosenScript:
    """Steps of DOP853.

    Args:
        motion: The memory.
        steps: Tolerances, and who takes the steps that are looked at by themselves.
        dense: Whether states within steps will be asked for.

    Attributes:
        kept: (7, n) terms of the step that was taken last, see `polynomial`; None if it is not dense.
    """

    def __init__(self, motion: Motion, steps: ChosenSteps, dense: bool) -> None:
        self.motion = motion
        n = len(motion.y)
        self._K, self.kept = np.zeros((ALL, n)), np.zeros((7, n)) if dense else None
        self._end, self._raw, self._tolerances = np.zeros(1), np.zeros(n), np.zeros(2)
        self.size = np.zeros(1)
        self._rejected, self._accepted = np.zeros(1), np.zeros(1)
        self.following = np.zeros(n)
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
        system, steps = self.motion.system, self.steps
        self._K[0] = f = system.slope(t, y)
        self._rejected[0] = 0.0
        if steps.following is None:
            left = steps.duration - t
            steps.following = first_length(
                lambda after, state: system.slope(t + after, state), y, f, left, steps.rtol, steps.atol
            )
        self.size[0] = self.motion.wanted[0] = steps.following

    def end(self, h: float | None) -> None:
        """Leave the next step to others, who begin with a length or with what would have been the next."""
        wanted = float(max(self.size[0], self.motion.wanted[0]))
        self.steps.h = self.steps.following = wanted if h is None else h

    def step(self) -> tuple[list[Instruction], Array]:
        motion, K, raw = self.motion, self._K, self._raw
        n = len(motion.y)
        plan, judge = (_kernel(function, n, STAGES) for function in (planned, judged))
        times, at = np.zeros(ALL), np.zeros(n)
        wanted = [motion.t, self.size, self._end, motion.sample]
        found: list[Instruction] = [
            *motion.sampled(motion.slope(motion.t, motion.y, K[0])),
            Call(plan, wanted, [motion.t_after, motion.h, times]),
        ]
        for stage in range(1, STAGES):
            found.append(self._moved(A[stage], at))
            found += motion.slope(times[stage : stage + 1], at, K[stage])
        tried = [K[:STAGES], motion.y, raw, motion.h, self._rejected, self._tolerances, motion.shortest]
        rejected, size = np.zeros(1), np.zeros(1)
        found += [
            self._moved(B, raw),
            Call(judge, [*tried, motion.wanted], [self._accepted, size, rejected, motion.good]),
            Copy(size, self.size),
            Copy(rejected, self._rejected),
            Unless(self._accepted, REJECTED),
            *self.rejected(),
        ]
        if self.kept is not None:
            found += motion.slope(motion.t_after, raw, K[STAGES])
            for k, weights in enumerate(A_MORE, start=STAGES + 1):
                found.append(self._moved(weights, at))
                found += motion.slope(times[k : k + 1], at, K[k])
            found.append(Call(_kernel(polynomial, n, ALL), [K, motion.y, raw, motion.h], [self.kept]))
        return found, raw

    def _moved(self, weights: dict[int, float], to: Array) -> Instruction:
        """From y by weights of slopes, stages counted from 1; slopes that do not count are not read."""
        size, stages = min(s for s in SLOPES if s >= len(weights)), [stage - 1 for stage in weights]
        more = size - len(stages)
        given = np.array([*weights.values(), *[0.0] * more])
        slopes = [self._K[stage] for stage in [*stages, *stages[:1] * more]]
        return Call(_move(len(to), size), [self.motion.y, self.motion.h, given, *slopes], [to])

    def within(self, kept: Array, y: Array, x: Array) -> Array:
        return within(kept, y, x)

    def accepted(self) -> list[Instruction]:
        return self.motion.slope(self.motion.t_after, self.motion.after, self.following)

    def commit(self) -> list[Instruction]:
        return [Copy(self.following, self._K[0])]

    def rejected(self) -> list[Instruction]:
        return [Copy(self.size, self.motion.wanted), Unless(self.motion.good, END)]

    def shortened(self, length: Array) -> list[Instruction]:
        return [Copy(length, self.size)]
