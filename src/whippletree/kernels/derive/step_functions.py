"""Results that depend on an input by steps alone: their derivative is 0 or does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from ...errors import InputError
from ..trace.ops import OPS
from ..trace.program import Program, operands
from ..trace.unroll import unrolled


def refuse_steps(program: Program, wrt: Sequence[str], name: str) -> None:
    """InputError if a result depends on some of these inputs through floor and comparisons alone.

    >>> from whippletree.kernels.trace.recording import trace
    >>> refuse_steps(trace(lambda x: x.__floor__() * x, {"x": ()}), ["x"], "sawtooth")
    >>> refuse_steps(trace(lambda x: x.__floor__(), {"x": ()}), ["x"], "stairs")
    Traceback (most recent call last):
    ...
    whippletree.errors.InputError: stairs depends on x by floor alone: its derivative is 0 between steps and \
does not exist at them. Leave x out of wrt, or let the function vary without steps
    """
    program = unrolled(program)
    smooth: list[bool] = [False] * program.n_values
    steps: list[str] = [""] * program.n_values  # how a value depends by steps
    first = 0
    for entry in program.inputs:
        argument = entry.part.argument if entry.part else entry.name
        for number in range(first, first + entry.size):
            smooth[number] = argument in wrt
        first += entry.size
    nans = {program.first_constant + k for k, value in enumerate(program.constants) if isnan(value)}
    for op, out, numbers in operands(program):
        row = OPS[op]
        if nans.intersection(numbers):  # a guard: no step, but an end of what is known
            numbers = numbers[1:]
        smooth_before = any(smooth[number] for number in numbers)
        by_steps = next((steps[number] for number in numbers if steps[number]), "")
        if row.is_condition and smooth_before:
            by_steps = by_steps or "comparisons"
        elif op == "floor" and smooth_before:
            by_steps = by_steps or "floor"
        else:
            smooth[out] = smooth_before
        steps[out] = by_steps
    for result in program.results:
        if steps[result] and not smooth[result]:
            listed = " and ".join(wrt)
            raise InputError(
                f"{name} depends on {listed} by {steps[result]} alone: its derivative is 0 between steps "
                f"and does not exist at them. Leave {listed} out of wrt, or let the function vary without "
                "steps"
            )
