"""The script of steps for stiff equations: Radau IIA.

A step tries Newton's method with matrices that were factored for another step, as long as that converges;
see `integrators/radau.py` for the formulas.
"""

from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, maximum, minimum, where
from ..integrators import radau
from ..steppers import ChosenSteps
from .chosen_lengths import ChosenLengths, ended, resumed
from .motion import END, RETRY, Motion
from .newton_systems import DenseSystems, NewtonSystems


def halved(h: Any, shortest: Any) -> tuple[Any, Any]:
    """The length after a Newton iteration that did not converge, s, and whether to go on."""
    return 0.5 * h, where(0.5 * h >= shortest, 1.0, 0.0)


def estimated_again(error: Any, rejected: Any) -> Any:
    """Whether the estimate of a large error is made better: only right after a step was rejected."""
    return where(error > 1.0, rejected, 0.0)


def total(slope: Array, weighed: Array) -> Array:
    """(n,) the right side of a second estimate."""
    return slope + weighed


def judged(
    h: Any,
    error: Any,
    h_before: Any,
    error_before: Any,
    count: Any,
    rate: Any,
    shortest: Any,
    wanted: Any,
) -> tuple[Any, Any, Any, Any, Any]:
    """What follows from the error of a step.

    Returns:
        Whether it is too large; the length of the next step; whether matrices have to be factored for it;
        whether by a new derivative; and if to go on.
    """
    safety = radau.SAFETY * (2 * radau.ITERATIONS + 1) / (2 * radau.ITERATIONS + count)
    change = safety * radau.factor(error, h, error_before, h_before)
    accepted = where(error <= 1.0, 1.0, 0.0)
    slow = accepted * where(count > 2.0, 1.0, 0.0) * where(rate > radau.SLOW, 1.0, 0.0)
    longer = minimum(radau.MOST, change)
    keeps = accepted * (1.0 - slow) * where(longer < radau.SAME, 1.0, 0.0)
    shorter = where(error < np.inf, maximum(radau.LEAST, change), radau.LEAST)
    follows = resumed(h * where(keeps > 0.0, 1.0, longer), h, wanted)
    size = where(accepted > 0.0, follows, h * shorter)
    return 1.0 - accepted, size, 1.0 - keeps, slow, where(size >= shortest, 1.0, 0.0)


@lru_cache(maxsize=64)
def _kernel(function: Callable[..., Any], n: int) -> Kernel:
    """One of the functions above, or of the method, for states of n numbers."""
    three = dict.fromkeys(("terms", "z", "w", "F"), (3, n))
    one = ("y", "y_before", "after", "f", "one", "weighed", "slope")
    known = {**three, **dict.fromkeys(one, (n,)), "pair": (n, 2), "tolerances": (3,)}
    if function is radau.error_size:
        known["error"] = (n,)
    names = signature(function).parameters
    return Kernel(simplify(trace(function, {name: known.get(name, ()) for name in names})), function.__name__)


class StiffScript(ChosenLengths):
    """Steps of Radau IIA.

    Args:
        motion: The memory.
        steps: Tolerances, and who takes the steps that are looked at by themselves.
        dense: Whether states within steps will be asked for.
        systems: Makes what solves linear systems, for the memory and two flags.

    Attributes:
        kept: (3, n) terms of the step that was taken last, see `radau.within`; None if it is not dense.
    """

    def __init__(
        self,
        motion: Motion,
        steps: ChosenSteps,
        dense: bool,
        systems: Callable[[Motion, Array, Array], NewtonSystems] = DenseSystems,
    ) -> None:
        n = len(motion.y)
        self._terms, self._f, self._bounds = np.zeros((3, n)), np.zeros(n), np.zeros(3)
        super().__init__(motion, steps, self._f, radau.EXPONENT)
        self.kept = self._terms if dense else None
        # Of the step before; zero if there is none.
        self._y_before, self._h_before, self._error_before = np.zeros(n), np.zeros(1), np.zeros(1)
        # Whether matrices have to be factored, J being computed anew; whether J is of this state.
        self._stale, self._fresh, self._current = np.zeros(1), np.zeros(1), np.zeros(1)
        self._rejected, self._slow, self._error = np.zeros(1), np.zeros(1), np.zeros(1)
        self.following, self._zero, self._one = np.zeros(n), np.zeros(1), np.ones(1)
        self._systems = systems(motion, self._fresh, self._current)

    def serve(self, steps: ChosenSteps) -> None:
        super().serve(steps)
        self._bounds[:] = steps.rtol, steps.atol, radau.newton_tolerance(steps.rtol)

    def begin(self, t: float, y: Array) -> None:
        super().begin(t, y)
        for place in (self._h_before, self._error_before, self._rejected, self._terms):
            place[:] = 0.0
        self._stale[0] = self._fresh[0] = 1.0

    def _newton(self) -> tuple[list[Instruction], Array, Array, Array]:
        """Instructions for z (3, n), how many steps that took, and the rate; or to a step that fails."""
        motion, n = self.motion, len(self.motion.y)
        z0, w0, z, w, F, Y = (np.zeros((3, n)) for _ in range(6))
        w_next, z_next, times = np.zeros((3, n)), np.zeros((3, n)), np.zeros(3)
        one, pair = np.zeros(n), np.zeros((n, 2))
        count, count_next, size, before, rate, done, converged = (np.zeros(1) for _ in range(7))
        found: list[Instruction] = [
            *motion.sampled(motion.slope(motion.t, motion.y, self._f)),
            Call(
                _kernel(ended, n),
                [motion.t, self.size, self._end, motion.sample],
                [motion.t_after, motion.h],
            ),
            Call(
                _kernel(radau.guessed, n),
                [self._terms, self._y_before, self._h_before, motion.y, motion.h],
                [z0, w0],
            ),
            Label("factor"),
            Unless(self._stale, "factored"),
            *self._systems.factored(),
            Copy(self._zero, self._stale),
            Label("factored"),
            *(Copy(*pair) for pair in ((z0, z), (w0, w), (self._zero, count), (self._zero, before))),
            Label("newton"),
            Call(_kernel(radau.stages, n), [motion.t, motion.h, motion.y, z], [times, Y]),
        ]
        for k in range(3):
            found += motion.slope(times[k : k + 1], Y[k], F[k])
        found += [
            Call(_kernel(radau.right_sides, n), [F, w, motion.h], [one, pair]),
            *self._systems.solve(one),
            *self._systems.solve_pair(pair),
            Call(
                _kernel(radau.updated, n),
                [w, one, pair, motion.y, self._bounds, count, before],
                [w_next, z_next, count_next, size, rate, done, converged],
            ),
            *(Copy(*pair) for pair in ((w_next, w), (z_next, z), (count_next, count), (size, before))),
            Unless(done, "newton"),
            Unless(converged, "failed"),
        ]
        return found, z, count, rate

    def step(self) -> tuple[list[Instruction], Array]:
        motion, n = self.motion, len(self.motion.y)
        found, z, count, rate = self._newton()
        raw, weighed, error, place, slope = (np.zeros(n) for _ in range(5))
        again, large, size = np.zeros(1), np.zeros(1), np.zeros(1)
        measure = Call(
            _kernel(radau.error_size, n), [error, motion.y, raw, self._bounds], [self._error, place]
        )
        found += [
            Call(_kernel(radau.error_side, n), [z, self._f, motion.y, motion.h], [raw, weighed, error]),
            *self._systems.solve(error),
            measure,
            Call(_kernel(estimated_again, n), [self._error, self._rejected], [again]),
            Unless(again, "judge"),
            *motion.slope(motion.t, place, slope),
            Call(_kernel(total, n), [slope, weighed], [error]),
            *self._systems.solve(error),
            measure,
            Label("judge"),
            Call(
                _kernel(judged, n),
                [
                    *(motion.h, self._error, self._h_before, self._error_before),
                    *(count, rate, motion.shortest, motion.wanted),
                ],
                [large, size, self._stale, self._slow, motion.good],
            ),
            Copy(size, self.size),
            Copy(size, motion.wanted),
            Unless(motion.good, END),
            Unless(large, "accurate"),
            Copy(self._one, self._rejected),
            Unless(self._zero, RETRY),
            Label("failed"),
            Unless(self._current, "anew"),
            Call(_kernel(halved, n), [motion.h, motion.shortest], [size, motion.good]),
            *(Copy(*pair) for pair in ((size, self.size), (size, motion.wanted), (self._one, self._stale))),
            Unless(motion.good, END),
            Unless(self._zero, RETRY),
            Label("anew"),
            *(Copy(self._one, flag) for flag in (self._fresh, self._stale)),
            Unless(self._zero, "factor"),
            Label("accurate"),
            Call(_kernel(radau.terms_through, n), [z], [self._terms]),
        ]
        return found, raw

    def within(self, kept: Array, y: Array, x: Array) -> Array:
        return radau.within(kept, y, x)

    def accepted(self) -> list[Instruction]:
        motion = self.motion
        return [
            *motion.slope(motion.t_after, motion.after, self.following),
            Copy(motion.y, self._y_before),
        ]

    def commit(self) -> list[Instruction]:
        pairs = (
            (self.following, self._f),
            (self.motion.h, self._h_before),
            (self._error, self._error_before),
            (self._slow, self._fresh),
            (self._slow, self._current),
            (self._zero, self._rejected),
        )
        return [Copy(*pair) for pair in pairs]

    def rejected(self) -> list[Instruction]:
        return []  # such a step is taken again within `step`

    def shortened(self, length: Array) -> list[Instruction]:
        # What was guessed from is that of the step that is taken again: nothing is known before it.
        pairs = (
            (length, self.size),
            (self._one, self._stale),
            (self._zero, self._h_before),
            (self._zero, self._error_before),
        )
        return [Copy(*pair) for pair in pairs]
