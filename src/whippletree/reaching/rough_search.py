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
from .near_starts import NearStarts, rounded
from .places import as_targets
from .task_errors import farthest, widest

STEPS = 8
"""Steps between two looks."""

FIRST = 2
"""How often `STEPS` are taken at the first start, which a user may have chosen."""

PATIENCE = 8
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
        self._wanted, self._weights = rounded(goals.wanted), rounded(goals.weights)

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
        at, wanted, tried = np.arange(len(numbers)), self._wanted.take(numbers, axis=0), starts.start
        found, counts = rounded(q0.take(numbers, axis=0)), np.full(len(numbers), tried)
        least = np.full(len(numbers), np.inf, np.float32)
        while len(at) and tried < starts.stop:
            copies, rounds = min(max(1, LANES // len(at)), starts.stop - tried), 1 + tried // PATIENCE
            if tried == 0:
                copies, rounds, begin = 1, FIRST, found
            else:
                begin = elsewhere(wanted, q0.take(numbers.take(at), axis=0), range(tried, tried + copies))
            q, off = self._lead(rounded(begin), np.repeat(wanted, copies, axis=0), rounds)
            tried += copies
            best = off.reshape(-1, copies).argmin(axis=1) + copies * np.arange(len(at))
            off = off.take(best)
            better = np.flatnonzero(off < least.take(at))
            found[at.take(better)] = q.take(best.take(better), axis=0)
            least[at], counts[at] = np.fmin(off, least.take(at)), tried
            far = np.flatnonzero(off > NEARBY**2)
            at, wanted = at.take(far), wanted.take(far, axis=0)
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
