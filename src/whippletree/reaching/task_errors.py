"""How far frames are from their targets, and how that changes with the joints."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from ..dynamics.jacobian import jacobian
from ..dynamics.kinematics import frame_pose
from ..dynamics.momentum import center_of_mass
from ..dynamics.momentum_derivatives import center_of_mass_derivative
from ..model.mechanism import Mechanism
from ..spatial import Array, arctan2, array, maximum, where
from ..spatial.rotation import to_quaternion
from ..spatial.scalar import less
from ..spatial.vectors import skew
from .goals import Task


def task_errors(
    m: Mechanism, q: Array, tasks: Sequence[Task], targets: Sequence[Array]
) -> tuple[Array, Array]:
    """The errors of all tasks and their derivatives along the unit velocities of the joints.

    A pose T is off its target T* by the turn φ with R = R* exp(φ×), rad, about axes of the frame, which are
    those of the target too; and by p - p*, m, along the world's axes. So are points and the centre of mass.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        tasks: What is to be brought somewhere.
        targets: (4, 4) or (3,) for each.

    Returns:
        (rows,) errors and (rows, nv) their Jacobian.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> errors, J = task_errors(m, np.array([0.3, 0.5]), [Task("tip", False)], [np.array([0.0, 0.0, -1.8])])
    >>> errors.round(3), J.round(3)[0]
    (array([-1.013,  0.   ,  0.148]), array([-1.652, -0.697]))
    """
    errors, rows = [], []
    for task, target in zip(tasks, targets, strict=True):
        if not task.frame:
            errors.append(center_of_mass(m, q) - target)
            rows.append(center_of_mass_derivative(m, q))
            continue
        T = frame_pose(m, q, task.frame)
        if not task.pose:
            errors.append(T[:3, 3] - target)
            rows.append(jacobian(m, q, task.frame, "aligned")[3:])
            continue
        phi, by_turn = turn(target[:3, :3].T @ T[:3, :3])
        J = jacobian(m, q, task.frame)
        errors += [phi, T[:3, 3] - target[:3, 3]]
        rows += [by_turn @ J[:3], T[:3, :3] @ J[3:]]
    return np.concatenate(errors), np.concatenate(rows)


def farthest(errors: Array, weights: Array) -> Any:
    """The square of the largest turn or distance of all tasks, rad² or m²; rows of weight 0 do not count.

    >>> farthest(np.array([0.3, 0.4, 9.0]), np.array([1.0, 2.0, 0.0]))
    np.float64(0.25)
    """
    counted = [where(weight > 0.0, e, 0.0) for weight, e in zip(weights, errors, strict=True)]
    parts = array(counted).reshape(-1, 3)
    return reduce(maximum, [part @ part for part in parts])


def widest(gaps: Array) -> Any:
    """The square of the largest gap of loops and gears, rad² or m²; 0 if there are none."""
    return reduce(maximum, gaps * gaps, 0.0)


def turn(R: Array) -> tuple[Array, Array]:
    """φ (3,) with R = exp(φ×), |φ| ≤ π, and D (3, 3) with dφ/dt = D ω, ω in the axes of the turned frame.

    D = 1 + φ×/2 + (1 - ½θ cot ½θ)/θ² (φ×)², θ = |φ|, is the inverse of `exp_jacobian`. With the quaternion
    (cos ½θ, sin ½θ φ/θ) at hand it has no singular place up to half a turn.

    >>> phi, D = turn(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> phi.round(4), D.round(4)[0]
    (array([0.    , 0.    , 1.5708]), array([ 0.7854, -0.7854,  0.    ]))
    """
    p = to_quaternion(R)
    sign = where(less(p[0], 0.0), -1.0, 1.0)
    w, v = sign * p[0], sign * p[1:]
    ss = v @ v
    small = less(ss, 1e-6)  # θ < 2e-3: what is left out of the series below is less than rounding
    s = np.sqrt(where(small, 1.0, ss))
    half = arctan2(s, w)
    phi = where(small, 2.0 + ss / 3.0 + 0.15 * ss * ss, 2.0 * half / s) * v
    by_square = where(small, _SERIES_0 + _SERIES_1 * ss, _coefficient(half, w, s, small))
    W = skew(phi)
    return phi, np.eye(3) + 0.5 * W + by_square * (W @ W)


_SERIES_0, _SERIES_1 = 1.0 / 12.0, 4.0 / 720.0
"""(1 - ½θ cot ½θ)/θ² = 1/12 + θ²/720 + …, and θ² = 4 sin²½θ + …."""


def _coefficient(half: Any, w: Any, s: Any, small: Any) -> Any:
    half = where(small, 1.0, half)
    return (1.0 - half * w / s) / (4.0 * half * half)
