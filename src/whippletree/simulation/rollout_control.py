"""The forces of a rollout: number of steps, leading axes, where they are, and the code for them."""

from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.run.guarded import Guarded
from ..kernels.run.iterate import Iteration, Series
from ..model.mechanism import Mechanism
from ..model.values import whole_number
from ..spatial import Array
from .acting import check_function
from .given_arrays import as_rows, common_lead, must_be_finite, real_array
from .stepping import Feedback, Stepping, given_forces, linear_feedback, traced_control

Shape = tuple[int, ...]


class RolloutControl:
    """What acts in a rollout.

    Args:
        m: The mechanism.
        tau: As users give it to `rollout`, or InputError.
        steps: Likewise.
        dtype: Of the numbers computed with.

    Attributes:
        steps: How many.
        lead: Axes of the trajectories.
        arrays: What is given, each with the shape of one step's.
    """

    def __init__(self, m: Mechanism, tau: Any, steps: int | None, dtype: np.dtype[Any]) -> None:
        self.m = m
        self.tau = tau
        self.dtype = dtype
        given = None if steps is None else whole_number(steps, "steps")
        nq, nv = m.nq, m.nv
        self.arrays: list[tuple[Array, Shape]] = []
        names = ["tau"]
        if isinstance(tau, Feedback):
            for name in ("gain", "q"):
                if getattr(tau, name) is None:
                    raise InputError(f"tau.{name} is None: a Feedback has a gain and a position q to hold")
            names = ["tau.gain", "tau.q", "tau.qd", "tau.forward"]
            parts = {"gain": (tau.gain, (nv, 2 * nv)), "q": (tau.q, (nq,)), "qd": (tau.qd, (nv,))}
            for name, (value, shape) in {**parts, "forward": (tau.forward, (nv,))}.items():
                self.arrays.append((_numbers(value, shape, f"tau.{name}"), shape))
        elif callable(tau):
            check_function(tau, "tau")
        else:
            self.arrays.append((_numbers(tau, (nv,), "tau"), (nv,)))
        told = {
            array.shape[array.ndim - len(shape) - 1]
            for array, shape in self.arrays
            if array.ndim > len(shape)
        }
        if given is not None:
            told.add(given)
        if len(told) != 1:
            what = "not told: give steps" if not told else f"told as {', '.join(map(str, sorted(told)))}"
            where = "" if not told else ", by steps and by the shapes of tau: make them agree"
            raise InputError(f"the number of steps is {what}{where}")
        self.steps: int = told.pop()
        if self.steps > 1.0 / float(np.finfo(dtype).eps):
            raise InputError(f"the number of steps is {self.steps!r:.60}, more than {dtype} can count")
        self.arrays = [(array.astype(dtype, copy=False), shape) for array, shape in self.arrays]
        leads = {
            name: array.shape[: max(array.ndim - len(shape) - 1, 0)]
            for name, (array, shape) in zip(names, self.arrays, strict=False)  # none of a function
        }
        self.lead: Shape = common_lead(leads)

    def iteration(self, how: Stepping) -> Iteration | Guarded:
        """The code."""
        if isinstance(self.tau, Feedback):
            return linear_feedback(self.m, how)
        if callable(self.tau):
            return traced_control(self.m, how, self.tau)
        return given_forces(self.m, how)

    def series(self, lead: Shape, clocked: bool) -> list[Series]:
        """Where each input of each trajectory and step is; if clocked, the number of the step comes last."""
        clock = [Series.of(np.arange(self.steps, dtype=self.dtype)[None], ())]
        if callable(self.tau):
            return clock
        given = [
            Series.of(array if array.ndim == len(shape) else as_rows(array, lead, len(shape) + 1), shape)
            for array, shape in self.arrays
        ]
        return given + clock if clocked else given


def _numbers(value: Any, shape: Shape, name: str) -> Array:
    """The value as an array whose last axes are one step's; zeros for None."""
    if value is None:
        return np.zeros(shape)
    array = real_array(value, name)
    if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
        steps = ", ".join(["steps", *map(str, shape)])
        raise InputError(f"{name} has shape {array.shape}, expected {shape}, ({steps}) or (..., {steps})")
    must_be_finite(array, name)
    return array
