"""Positions to begin again from: drawn at random, and of many the one whose frames are near their targets."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..api.compiling import compile
from ..spatial import Array
from .asked import Asked
from .places import places

POOL = 64
"""Positions that are drawn; of these each joint takes one by itself, so that there are very many."""

CANDIDATES = 128
"""Positions among which all problems choose one."""


class Candidates(NamedTuple):
    """Positions, and how far they lead from targets.

    Attributes:
        q: (count, nq) positions within limits, each joint drawn by itself.
        by_place: (numbers of all tasks, count) what targets are multiplied by,
        alone: (count,) and what is added then.
    """

    q: Array
    by_place: Array
    alone: Array


def rounded(numbers: Array) -> Array:
    """The numbers in single precision; those beyond all of these are infinite."""
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32)


class NearStarts:
    """Positions within limits near targets; joints that are held stay where they are.

    Args:
        asked: The mechanism and what is asked of it.
        seed: The same seed, the same positions.
    """

    def __init__(self, asked: Asked, seed: int) -> None:
        m, held = asked.m, asked.bounds.held
        self._asked, self._seed = asked, seed
        self._held = [index for i, index in enumerate(m.q_index) if m.v_index[i].start in held]

    def __call__(self, wanted: Array, q0: Array, starts: range) -> Array:
        """(count * len(starts), nq) a position for each of some problems and starts, problem by problem.

        Args:
            wanted: (count, numbers of all tasks) their targets.
            q0: (count, nq) which tell where held joints are.
            starts: Numbers of starts; each has candidates of its own.
        """
        drawn = list(map(_candidates(self._asked, self._seed), starts))
        far = rounded(wanted) @ np.concatenate([some.by_place for some in drawn], axis=1)
        far += np.concatenate([some.alone for some in drawn])
        chosen = far.reshape(len(wanted), len(starts), CANDIDATES).argmin(axis=2)
        chosen += CANDIDATES * np.arange(len(starts))
        found = np.concatenate([some.q for some in drawn]).take(chosen.reshape(-1), axis=0)
        return self.held(found, np.repeat(q0, len(starts), axis=0) if self._held else q0)

    def held(self, q: Array, q0: Array) -> Array:
        """(count, nq) positions q in double precision, what is held as in q0."""
        q = q.astype(float)
        for index in self._held:
            q[:, index] = q0[:, index]
        return q


@lru_cache(maxsize=16)
def _candidates(asked: Asked, seed: int) -> Callable[[int], Candidates]:
    """A function that gives those of a start, by its number.

    Half of ½ |R - R*|², φ² for small turns φ, and of |p - p*|² in the unit of the spread of p tell how far
    off one is: both are about 1 for things that have nothing to do with each other. What all candidates share
    is left out, so that a product of matrices is left, for which single precision does.
    """
    m, rng = asked.m, np.random.default_rng(seed)
    pool = np.array([m.random(rng) for _ in range(POOL)])
    seen = compile(places, m, tasks=asked.tasks)

    @lru_cache(maxsize=128)
    def drawn(start: int) -> Candidates:
        rng = np.random.default_rng([seed, start])
        q = np.empty((CANDIDATES, m.nq))
        for index in m.q_index:
            q[:, index] = pool[rng.integers(0, POOL, CANDIDATES), index]
        there = seen(q)
        scale = np.full(there.shape[1], np.sqrt(0.5))
        at = 0
        for task in asked.tasks:
            scale[at : at + 3] = 1.0 / (np.sqrt(np.mean(np.var(there[:, at : at + 3], axis=0))) or 1.0)
            at += task.numbers
        b = there * scale
        by_place, alone = -(scale * b).T, 0.5 * np.einsum("ij,ij->i", b, b)
        return Candidates(q, np.ascontiguousarray(by_place, np.float32), alone.astype(np.float32))

    return drawn
