"""The first steps towards targets, in single precision: half the time of double, and as good far away.

They lead near solutions, from where steps in double precision end soon.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from ..api.compiling import compile
from ..kernels.run.kernel import Kernel
from ..model.mechanism import Mechanism
from ..spatial import Array, maximum
from .asked import Asked
from .bounds_of_joints import JointBounds
from .damped_least_squares import descend
from .goals import Goals, Task
from .near_starts import NearStarts
from .places import as_targets
from .task_errors import farthest, widest

STEPS = 8
"""Steps between two looks."""

FIRST = 2
"""How often `STEPS` are taken at the first start, which a user may have chosen."""

PATIENCE = 16
"""After so many starts each one gets `STEPS` more steps."""

LANES = 512
"""Fewer problems than this take several starts at once."""

NEARBY = 1e-4
"""rad and m: errors up to this are left to double precision."""

RESOLVED = 100.0
"""rad and m: single precision has numbers up to this to a tenth of `NEARBY`."""

MANY = 512
"""So many problems are worth a kernel in single precision."""

DAMPING = 0.1
"""ν at a start."""


def approach(
    m: Mechanism,
    q: Array,
    damping: Any,
    wanted: Array,
    weights: Array,
    tasks: tuple[Task, ...],
    bounds: JointBounds,
    count: int,
) -> tuple[Array, Any, Any]:
    """As `descend` for targets alone: the position, ν, and the square of the largest error or gap there."""
    given = {"tasks": tasks, "bounds": bounds, "count": count}
    targets = as_targets(wanted, tasks)
    q, nu, errors, gaps, *_ = descend(m, q, damping, targets, weights, 1.0, 0.0, m.neutral(), **given)
    return q, nu, maximum(farthest(errors, weights), widest(gaps))


def worth_it(q0: Array, goals: Goals) -> bool:
    """Whether there are many problems, and all their numbers small enough."""
    if len(q0) < MANY:
        return False
    return all(max(rows.max(), -rows.min()) <= RESOLVED for rows in (q0, goals.wanted))


class RoughSearch:
    """The search in single precision for one mechanism and one list of tasks.

    Args:
        asked: The mechanism and what is asked of it.
        goals: What is asked for.
        threads: How many.
    """

    def __init__(self, asked: Asked, goals: Goals, threads: int) -> None:
        self._kernel, self._options = _approaching(asked), {} if threads == 1 else {"threads": threads}
        # Weights beyond all numbers lead nowhere, and double precision goes on.
        with np.errstate(over="ignore"):
            self._wanted, self._weights = (x.astype(np.float32) for x in (goals.wanted, goals.weights))

    def __call__(
        self, numbers: Array, q0: Array, elsewhere: NearStarts, starts: range
    ) -> tuple[Array, Array]:
        """Positions (count, nq) near solutions, or as near as starts led; and (count,) starts tried.

        Args:
            numbers: (count,) of problems.
            q0: (all problems, nq) the start with number 0.
            elsewhere: All others.
            starts: Those to try until one leads near.
        """
        left, wanted, tried = np.arange(len(numbers)), self._wanted.take(numbers, axis=0), starts.start
        q0 = q0.take(numbers, axis=0).astype(np.float32)
        found, counts = q0.copy(), np.full(len(numbers), tried)
        least = np.full(len(numbers), np.inf, np.float32)
        while len(left) and tried < starts.stop:
            if tried == 0:
                copies = 1
                q, off = self._lead(q0, wanted, FIRST)
            else:
                copies = min(max(1, LANES // len(left)), starts.stop - tried)
                begin = elsewhere(wanted, q0, left, range(tried, tried + copies))
                q, off = self._lead(begin, np.repeat(wanted, copies, axis=0), 1 + tried // PATIENCE)
            tried += copies
            if copies > 1:
                best = off.reshape(-1, copies).argmin(axis=1) + copies * np.arange(len(left))
                q, off = q.take(best, axis=0), off.take(best)
            better = np.flatnonzero(off < least.take(left))
            found[left.take(better)] = q.take(better, axis=0)
            least[left], counts[left] = np.fmin(off, least.take(left)), tried
            far = np.flatnonzero(off > NEARBY**2)
            left, wanted = left.take(far), wanted.take(far, axis=0)
        return found, counts

    def _lead(self, q: Array, wanted: Array, rounds: int) -> tuple[Array, Array]:
        """Where so many times `STEPS` lead from q, those that are near excepted, and how far it is off."""
        q, nu, off = self._run(q, np.full(len(q), DAMPING, np.float32), wanted)
        for _ in range(rounds - 1):
            on = np.flatnonzero(off > NEARBY**2)
            if not len(on):
                break
            q[on], nu[on], off[on] = self._run(q.take(on, axis=0), nu.take(on), wanted.take(on, axis=0))
        return q, off

    def _run(self, q: Array, nu: Array, wanted: Array) -> Any:
        return self._kernel(q, nu, wanted, self._weights, **self._options)


@lru_cache(maxsize=16)
def _approaching(asked: Asked) -> Kernel:
    """`approach`, compiled."""
    tasks = asked.tasks
    inputs = {
        "damping": (),
        "wanted": (sum(task.numbers for task in tasks),),
        "weights": (sum(task.rows for task in tasks),),
    }
    options = {"tasks": tasks, "bounds": asked.bounds, "count": STEPS}
    return compile(approach, asked.m, inputs=inputs, dtype="float32", **options)
