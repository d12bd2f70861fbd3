"""Damped least squares with bounds: the steps of inverse kinematics (Levenberg 1944, Sugihara 2011).

With errors e, their Jacobian J and weights W, E = ½ eᵀ W² e falls along

    δ = -(Jᵀ W² J + λ 1)⁻¹ Jᵀ W² e,    λ = ν (2 E + ω),

Sugihara's damping times ν. It vanishes with the error, so that the first steps are short and the last
ones those of Newton. As by Levenberg, a step that does not lower E is not taken, and ν is raised; else it is
lowered. At a bound the projection of Bertsekas (1982) holds: a joint that stands there and would leave is
left out of the step, and all others stop at theirs.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..loops.closing.closure_gaps import closure_gaps
from ..loops.equations.constraints import constraint_jacobian
from ..model.mechanism import Mechanism
from ..model.positions import difference, integrate
from ..spatial import Array, array, factor_spd, maximum, minimum, repeat, where
from .bounds_of_joints import JointBounds
from .goals import Task
from .task_errors import task_errors

LEAST = 1e-12
"""ω: the damping that is left where there is no error, so that singular positions have a step too."""

LOWERED, RAISED = 0.5, 4.0
"""By what ν is multiplied after a step that was taken, and after one that was not."""


class Slope(NamedTuple):
    """E at a position, its gradient, the matrix of Gauss and Newton (its lower triangle), errors and gaps."""

    cost: Any
    gradient: Array
    triangle: Array
    errors: Array
    gaps: Array


def descend(
    m: Mechanism,
    q: Array,
    damping: Any,
    targets: Sequence[Array],
    weights: Array,
    closing: Any,
    liking: Any,
    liked: Array,
    tasks: tuple[Task, ...],
    bounds: JointBounds,
    count: int,
) -> tuple[Array, Any, Array, Array, Array, Any]:
    """So many steps from a position towards targets.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m; what is beyond a bound is put on it.
        damping: ν.
        targets: (4, 4) or (3,) for each task.
        weights: (rows,) the diagonal of W.
        closing: Weight of the gaps of loops and gears.
        liking: Weight of the way to the liked position.
        liked: (nq,) the position to be near to.
        tasks: What is to be brought somewhere.
        bounds: Those of the joints, and which joints are held.
        count: How many steps.

    Returns:
        (nq,) the position reached, ν, (rows,) the errors there, (nc,) the gaps, (nv,) the gradient of E, 0
        for joints that are held, and E.
    """
    free = np.array([float(k not in bounds.held) for k in range(m.nv)])

    def slope(q: Array) -> Slope:
        errors, J = task_errors(m, q, tasks, targets)
        gaps = np.zeros(0)
        e, J = weights * errors, weights[:, None] * J
        if m.loops or m.gears:
            gaps = closure_gaps(m, q)
            e = np.concatenate([e, closing * gaps])
            J = np.concatenate([J, closing * constraint_jacobian(m, q)])
        J = J * free
        way = free * difference(m, liked, q)
        A = [J[:, i] @ J[:, j] + (liking if i == j else 0.0) for i in range(m.nv) for j in range(i + 1)]
        cost, gradient = 0.5 * (e @ e + liking * (way @ way)), J.T @ e + liking * way
        return Slope(cost, gradient, array(A), errors, gaps)

    def step(state: tuple[Array, Any, Slope]) -> tuple[Array, Any, Slope]:
        q, nu, here = state
        moves = bounds.may_move(m, q, here.gradient)
        A = np.zeros((m.nv, m.nv), dtype=object)
        entries = iter(here.triangle)
        for i in range(m.nv):
            for j in range(i + 1):
                A[i, j] = moves[i] * moves[j] * next(entries)
            A[i, i] = A[i, i] + nu * (2.0 * here.cost + LEAST) + (1.0 - moves[i])
        there = bounds.within(m, integrate(m, q, factor_spd(A).solve(-moves * here.gradient)))
        new = slope(there)
        better = new.cost < here.cost
        nu = where(better, maximum(LOWERED * nu, 1e-4), minimum(RAISED * nu, 1e8))
        chosen = [where(better, a, b) for a, b in zip(new, here, strict=True)]
        return where(better, there, q), nu, Slope(*chosen)

    q = bounds.within(m, integrate(m, q, np.zeros(m.nv)))  # rounded ones: within, and quaternions of norm 1
    q, nu, last = repeat(count, step, (q, damping, slope(q)))
    return q, nu, last.errors, last.gaps, last.gradient, last.cost
