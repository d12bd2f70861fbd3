"""Positions to begin again from: drawn at random, and of many the one whose frames are near their targets."""

from collections.abc import Sequence

import numpy as np

from ..dynamics.kinematics import frame_pose
from ..dynamics.momentum import center_of_mass
from ..kernels.run.kernel import Kernel
from ..model.mechanism import Mechanism
from ..spatial import Array
from .bounds_of_joints import JointBounds
from .goals import Goals, Task

POOL = 64
"""Positions that are drawn; of these each joint takes one by itself, so that there are very many."""

CANDIDATES = 64
"""Positions among which all problems choose."""


def places(m: Mechanism, q: Array, tasks: Sequence[Task]) -> Array:
    """Where the things are that are to be brought somewhere: for each its point and, of a pose, its rotation.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        tasks: What is to be brought somewhere.

    Returns:
        (3 or 12 for each task,) coordinates, m, and entries of rotation matrices, in the world's axes.
    """
    found = []
    for task in tasks:
        if not task.frame:
            found.append(center_of_mass(m, q))
            continue
        T = frame_pose(m, q, task.frame)
        found += [T[:3, 3], *T[:3, :3]] if task.pose else [T[:3, 3]]
    return np.concatenate(found)


class NearStarts:
    """Positions within limits, each joint drawn by itself; joints that are held stay where they are.

    Args:
        m: The mechanism.
        goals: What is asked for.
        bounds: What is held.
        kernel: `places`, compiled.
        seed: The same seed, the same positions.
    """

    def __init__(self, m: Mechanism, goals: Goals, bounds: JointBounds, kernel: Kernel, seed: int) -> None:
        self._m, self._rng, self._kernel = m, np.random.default_rng(seed), kernel
        self._held = [index for i, index in enumerate(m.q_index) if m.v_index[i].start in bounds.held]
        self._pool: Array | None = None
        self._goals = goals

    def __call__(self, numbers: Array, q: Array, copies: int) -> Array:
        """(count * copies, nq) so many positions for each of some problems, those of one side by side.

        Args:
            numbers: (count,) of the problems.
            q: (count, nq) which tell where held joints are.
            copies: How many for each, `CANDIDATES` at most.
        """
        drawn = self._draw(CANDIDATES)
        far = self._apart(drawn, numbers)
        if copies == 1:
            chosen = np.argmin(far, axis=1)
        else:
            chosen = np.argpartition(far, copies - 1, axis=1)[:, :copies].reshape(-1)
        found = drawn[chosen]
        for index in self._held:
            found[:, index] = np.repeat(q[:, index], copies, axis=0)
        return found

    def _draw(self, count: int) -> Array:
        """(count, nq) positions."""
        if self._pool is None:  # most calls never begin again
            self._pool = np.array([self._m.random(self._rng) for _ in range(POOL)])
        found = np.empty((count, self._m.nq))
        for index in self._m.q_index:
            found[:, index] = self._pool[self._rng.integers(0, POOL, count), index]
        return found

    def _apart(self, q: Array, numbers: Array) -> Array:
        """(count, CANDIDATES) how far targets are from where things are in positions q.

        It is half of ½ |R - R*|², φ² for small turns φ, and of |p - p*|² in the unit of the spread of p: both
        are about 1 for things that have nothing to do with each other. What all candidates share is left out,
        so that a product of matrices is left, for which single precision does.
        """
        there = self._kernel(q)
        wanted, scale = [], np.full(there.shape[1], np.sqrt(0.5))
        at = 0
        for task, target in zip(self._goals.tasks, self._goals.of(numbers), strict=True):
            scale[at : at + 3] = 1.0 / (np.sqrt(np.mean(np.var(there[:, at : at + 3], axis=0))) or 1.0)
            wanted += [target[:, :3, 3], target[:, :3, :3].reshape(-1, 9)] if task.pose else [target]
            at += 12 if task.pose else 3
        a = np.empty((len(numbers), at + 1), np.float32)
        np.concatenate([*wanted, np.ones((len(numbers), 1))], axis=1, out=a, casting="same_kind")
        b = there * scale
        half = 0.5 * np.einsum("ij,ij->i", b, b)
        return a @ np.column_stack([-scale * b, half]).astype(np.float32).T
