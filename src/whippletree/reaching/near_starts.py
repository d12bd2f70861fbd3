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

CANDIDATES = 64
"""Positions among which all problems choose one."""

SLAB = 1024
"""Problems that choose at a time: how far all of them are from all candidates stays in the cache."""


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

    def __call__(self, wanted: Array, q0: Array, numbers: Array, starts: range) -> Array:
        """(count * len(starts), nq) a position for each of some problems and starts, problem by problem.

        Args:
            wanted: (count, numbers of all tasks) their targets.
            q0: (all problems, nq) which tell where held joints are; of what precision positions are to be.
            numbers: (count,) of the problems.
            starts: Numbers of starts; each has candidates of its own.
        """
        with np.errstate(over="ignore"):  # what is beyond all numbers of single precision is far from all
            wanted = wanted.astype(np.float32, copy=False)
        drawn = list(map(_candidates(self._asked, self._seed), starts))
        by_place = np.concatenate([some.by_place for some in drawn], axis=1)
        alone = np.concatenate([some.alone for some in drawn])
        chosen = np.empty((len(wanted), len(starts)), int)
        for at in range(0, len(wanted), SLAB):
            far = wanted[at : at + SLAB] @ by_place
            far += alone
            far.reshape(-1, len(starts), CANDIDATES).argmin(axis=2, out=chosen[at : at + SLAB])
        chosen += CANDIDATES * np.arange(len(starts))
        found = np.concatenate([some.q for some in drawn]).astype(q0.dtype).take(chosen.reshape(-1), axis=0)
        return self.hold(found, q0, np.repeat(numbers, len(starts)) if self._held else numbers)

    def hold(self, q: Array, q0: Array, numbers: Array) -> Array:
        """Positions q (count, nq) of some problems, in which what is held is put where q0 has it."""
        for index in self._held:
            q[:, index] = q0[numbers, index]
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
            point = slice(at + 3, at + 12, 4) if task.pose else slice(at, at + 3)
            scale[point] = 1.0 / (np.sqrt(np.mean(np.var(there[:, point], axis=0))) or 1.0)
            at += task.numbers
        b = there * scale
        by_place, alone = -(scale * b).T, 0.5 * np.einsum("ij,ij->i", b, b)
        return Candidates(q, np.ascontiguousarray(by_place, np.float32), alone.astype(np.float32))

    return drawn
