"""Where things are that are to be brought somewhere, in a row: three rows of a pose, or a point."""

from collections.abc import Sequence

import numpy as np

from ..dynamics.kinematics import frame_pose
from ..dynamics.momentum import center_of_mass
from ..model.mechanism import Mechanism
from ..spatial import Array
from .goals import Task


def places(m: Mechanism, q: Array, tasks: Sequence[Task]) -> Array:
    """For each task the point or the pose.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        tasks: What is to be brought somewhere.

    Returns:
        (3 or 12 for each task,) coordinates, m, or three rows of a 4 × 4 matrix, in the world's axes.
    """
    found = []
    for task in tasks:
        if not task.frame:
            found.append(center_of_mass(m, q))
            continue
        T = frame_pose(m, q, task.frame)
        found.append(T[:3].reshape(-1) if task.pose else T[:3, 3])
    return np.concatenate(found)


def as_targets(row: Array, tasks: Sequence[Task]) -> list[Array]:
    """(4, 4) or (3,) for each task, of numbers in the order of `places`.

    >>> as_targets(np.arange(1.0, 13.0), [Task("tool", True)])[0]
    array([[ 1.,  2.,  3.,  4.],
           [ 5.,  6.,  7.,  8.],
           [ 9., 10., 11., 12.],
           [ 0.,  0.,  0.,  1.]])
    """
    found, at = [], 0
    for task in tasks:
        numbers = row[at : at + task.numbers]
        found.append(np.vstack([numbers.reshape(3, 4), [0.0, 0.0, 0.0, 1.0]]) if task.pose else numbers)
        at += task.numbers
    return found
