"""Where joints of a driven mechanism turn back, and where it may go on in two ways."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .driven_steps import DrivenState, DrivenSteps
from .driven_system import joint_of_velocity

HALVINGS = 60
"""Steps after which a change of sign is found to the last digit of the time."""

SLOW = 1e-9
"""Share of the fastest joint below which a joint stands still."""


class TurningPoint(NamedTuple):
    """A position of note: the time, s, and the name of the joint that it is about."""

    t: float
    joint: str


def dead_centres(steps: DrivenSteps, states: Sequence[DrivenState]) -> tuple[TurningPoint, ...]:
    """Where a joint stands still though the only driver moves: dq/dx changes sign."""
    if len(steps.system.drivers) != 1:
        return ()
    found = []
    rates = np.array([state.G[:, 0] for state in states])
    still = SLOW * np.nanmax(np.abs(rates), initial=0.0)
    for n, k in np.argwhere((rates[1:] * rates[:-1] <= 0.0) & (np.abs(rates[1:]) > still)):
        if abs(rates[n, k]) > still or (rates[n, k] == 0.0 and n and rates[n - 1, k] * rates[n + 1, k] < 0.0):
            t = _crossing(steps, states[n], states[n + 1], lambda state, k=k: state.G[k, 0])
            found.append(TurningPoint(t, joint_of_velocity(steps.system.m, int(k))))
    return tuple(sorted(found))


def branch_points(steps: DrivenSteps, states: Sequence[DrivenState]) -> tuple[TurningPoint, ...]:
    """Where the equations of a driven motion are dependent: their determinant changes sign, or is zero."""
    found = []
    for before, after in pairwise(states):
        if after.is_singular:
            found.append(TurningPoint(after.t, _loose(steps, after)))
        elif before.determinant * after.determinant < 0.0:
            t = _crossing(steps, before, after, lambda state: state.determinant)
            near = steps.tried(before, t)
            found.append(TurningPoint(t, _loose(steps, near or before)))
    return tuple(found)


def _loose(steps: DrivenSteps, state: DrivenState) -> str:
    """The joint that moves most in what the equations leave open next to a state."""
    _, _, directions = np.linalg.svd(steps.system.matrix(state.q))
    return joint_of_velocity(steps.system.m, int(np.argmax(np.abs(directions[-1]))))


def _crossing(
    steps: DrivenSteps, before: DrivenState, after: DrivenState, value: Callable[[DrivenState], float]
) -> float:
    """The time between two states at which a value changes sign, by the Illinois method."""
    (a, fa), (b, fb) = ((state.t, value(state)) for state in (before, after))
    if fa == 0.0:
        return a
    for _ in range(HALVINGS):
        if fb == 0.0 or not abs(b - a) > 4e-16 * max(abs(a), abs(b)):
            break
        t = b - fb * (b - a) / (fb - fa)
        if t in (a, b):
            break
        state = steps.tried(before, t)
        f = np.nan if state is None else value(state)
        if not np.isfinite(f):  # next to where nothing is determined
            return t
        if f * fb < 0.0:
            a, fa = b, fb
        else:
            fa = 0.5 * fa
        b, fb = t, f
    return float(b)
