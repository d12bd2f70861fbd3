"""Whether steps of fixed length can follow the fastest that happens at the start.

One step of an integrator, y⁺ = Φ(y), is linearized by differences. Of a change at a rate λ that it follows,
Φ' has the eigenvalue μ = 1 + h λ + …; of one that it takes at the end of the step, and of one that closed
loops do not allow, an eigenvalue between 0 and 1. So |μ - 1| beyond 1 tells of what a step is too long for:
for semi-implicit Euler it is exactly h ω of an oscillation at ω, which runs away above 2.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ..errors import StepLengthWarning, tell
from ..kernels.run.guarded import Guarded
from ..kernels.run.iterate import Iteration, Series
from ..kernels.trace.precision import DOUBLE, SINGLE, Precision
from ..model.mechanism import Mechanism
from ..spatial import Array
from .faults import joint_of
from .spectrum import spectral_bound

LIMIT = 1.5
"""The largest |μ - 1| of steps that are short enough: an oscillation then has four of them."""

MOST = 100
"""Velocities up to which steps are looked at; the work grows with the cube."""

HALVINGS = 60
"""How often a step is halved in the search for one that is short enough."""

DIFFERENCE = {DOUBLE: 1e-6, SINGLE: 3e-3}
"""Of central differences: rad, m, and per second; a share of what is larger than 1."""

JUMP = 3.0
"""Slopes that are less by this over ten times the distance are of a jump: a joint that starts to slip."""

Steps = Callable[[Array, float], Array]
"""States (n, nq + nv) after a step of a length, s, from states (n, nq + nv)."""


def check_step_length(
    m: Mechanism,
    steps: Steps,
    y: Array,
    h: float,
    method: str,
    who: str = "",
    precision: Precision = DOUBLE,
    smooth: bool = False,
) -> None:
    """Warn if steps of length h from y are too long to follow the fastest change there.

    Args:
        m: The mechanism.
        steps: One step, of several states.
        y: (nq + nv,) where it starts.
        h: The step, s.
        method: Name of the integrator.
        who: Of several trajectories, which.
        precision: Of the steps.
        smooth: Whether what acts is so at the start: differences to one side, half the work, tell it then.
    """
    if m.nv > MOST:
        return
    difference = DIFFERENCE[precision]
    if smooth and _bound(steps, y, h, difference) <= LIMIT:
        return
    size, worst = _fastest(steps, y, h, difference)
    if size <= LIMIT or size > JUMP * _fastest(steps, y, h, 10.0 * difference)[0]:
        return
    joint, enough = joint_of(m, int(np.argmax(worst[m.nq :]))), h
    for _ in range(HALVINGS):
        enough *= 0.5
        if _fastest(steps, y, enough, difference)[0] <= LIMIT:
            break
    rate = LIMIT / enough
    tell(
        f"dt is {h:g} s, but joint {joint!r} of {m.name!r} changes at a rate of about {rate:.2g}/s at the "
        f"start{who}, which {method!r} follows in steps of up to {enough:.2g} s: reduce dt, let 'euler' take "
        "the damping of tau at the end of its steps by implicit_damping, or use simulate with a method that "
        "chooses its steps",
        StepLengthWarning,
    )


def check_rollout(
    m: Mechanism,
    iteration: Iteration | Guarded,
    starts: Sequence[Array],
    series: Sequence[Series],
    method: str,
    singular: Array,
) -> None:
    """Look at the first trajectory and at the fastest of a rollout.

    Args:
        m: The mechanism.
        iteration: Its steps.
        starts: q (n, nq) and qd (n, nv) at the start, n being 1 for what all have in common.
        series: The length of a step, and what else its steps are given.
        method: Name of the integrator.
        singular: (n,) which starts are at singular positions of loops: what happens there has no rate.
    """
    precision = iteration.precision
    dtype = np.dtype(precision.dtype)
    speed = np.max(np.abs(starts[1]), axis=1, initial=0.0)
    for k in sorted({0, int(np.argmax(speed))}):
        if singular[k]:
            continue

        def steps(states: Array, h: float, k: int = k) -> Array:
            own = [part.part(0, 1, np.full(len(states), k)) for part in series[1:]]
            begin = [np.ascontiguousarray(part, dtype) for part in np.split(states, [m.nq], axis=1)]
            places = [np.empty((len(states), 1, part.shape[1]), dtype) for part in begin]
            iteration(begin, [Series(np.array(h, dtype), 0, 0), *own], places, steps=1, every=1, threads=1)
            return np.concatenate([place[:, 0] for place in places], axis=1, dtype=float)

        y = np.concatenate([start[k if len(start) > 1 else 0] for start in starts], dtype=float)
        who = f" of trajectory {k}" if max(map(len, starts)) > 1 else ""
        check_step_length(m, steps, y, float(series[0].array), method, who, precision)


def _bound(steps: Steps, y: Array, h: float, difference: float) -> float:
    """A bound of the largest |μ - 1|, by differences to one side."""
    n, width = len(y), difference * np.maximum(1.0, np.abs(y))
    states = np.empty((n + 1, n))
    states[:] = y
    states.ravel()[:: n + 1][:n] += width
    ends = steps(states, h)
    if not np.vdot(ends, ends) < np.inf:
        return np.inf
    change = (ends[:n] - ends[n]) / width[:, None]
    change.ravel()[:: n + 1] -= 1.0
    return spectral_bound(change.T, LIMIT)


def _fastest(steps: Steps, y: Array, h: float, difference: float) -> tuple[float, Array]:
    """The largest |μ - 1|, and the size of its eigenvector's entries (nq + nv,); 0 if it is not known.

    Where a bound of it is within `LIMIT`, that is told, and no vector.
    """
    n, width = len(y), difference * np.maximum(1.0, np.abs(y))
    states = np.empty((2 * n, n))
    states[:] = y
    states.ravel()[:: n + 1][:n] += width
    states[n:].ravel()[:: n + 1] -= width
    with np.errstate(all="ignore"):
        ends = steps(states, h)
        change = (ends[:n] - ends[n:]) / (2.0 * width[:, None])
    change.ravel()[:: n + 1] -= 1.0
    change = change.T
    bound = spectral_bound(change, LIMIT)
    if bound <= LIMIT:
        return bound, np.zeros(n)
    if not np.isfinite(change).all():
        return 0.0, np.zeros(n)  # the run itself will tell what is wrong
    values, vectors = np.linalg.eig(change)
    k = int(np.argmax(np.abs(values)))
    return float(np.abs(values[k])), np.abs(vectors[:, k])
