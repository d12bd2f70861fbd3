"""Positions to begin again from, many at a time."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .bounds_of_joints import JointBounds

POOL = 64
"""Positions that are drawn; of these each joint takes one by itself, so that there are very many."""


class RandomStarts:
    """Positions within limits, each joint drawn by itself; joints that are held stay where they are.

    Args:
        m: The mechanism.
        bounds: What is held.
        seed: The same seed, the same positions.
    """

    def __init__(self, m: Mechanism, bounds: JointBounds, seed: int) -> None:
        self._m, self._rng = m, np.random.default_rng(seed)
        self._held = [index for i, index in enumerate(m.q_index) if m.v_index[i].start in bounds.held]
        self._pool: Array | None = None

    def __call__(self, q: Array) -> Array:
        """(count, nq) as many positions as given, which tell where held joints are."""
        if self._pool is None:  # most calls never begin again
            self._pool = np.array([self._m.random(self._rng) for _ in range(POOL)])
        found = np.empty_like(q)
        for index in self._m.q_index:
            found[:, index] = self._pool[self._rng.integers(0, POOL, len(q)), index]
        for index in self._held:
            found[:, index] = q[:, index]
        return found
