"""Where things are that are to be brought somewhere, as a row of numbers: 12 for a pose, 3 for a point."""

from collections.abc import Sequence

import numpy as np

from ..dynamics.kinematics import frame_pose
from ..dynamics.momentum import center_of_mass
from ..model.mechanism import Mechanism
from ..spatial import Array
from .goals import Task


def places(m: Mechanism, q: Array, tasks: Sequence[Task]) -> Array:
    """For each task the point and, of a pose, the rotation.

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


def as_targets(row: Array, tasks: Sequence[Task]) -> list[Array]:
    """(4, 4) or (3,) for each task, of numbers in the order of `places`.

    >>> as_targets(np.arange(1.0, 13.0), [Task("tool", True)])[0]
    array([[ 4.,  5.,  6.,  1.],
           [ 7.,  8.,  9.,  2.],
           [10., 11., 12.,  3.],
           [ 0.,  0.,  0.,  1.]])
    """
    found, at = [], 0
    for task in tasks:
        point = row[at : at + 3]
        if task.pose:
            turned = np.column_stack([row[at + 3 : at + 12].reshape(3, 3), point])
            found.append(np.vstack([turned, np.array([[0.0, 0.0, 0.0, 1.0]])]))
        else:
            found.append(point)
        at += task.numbers
    return found
