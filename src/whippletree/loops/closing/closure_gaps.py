"""How far loops are from being closed, also where they are far from it."""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array
from ...spatial.rotation import log
from ..equations.local_motions import LocalMotions
from ..equations.loop_sizes import row_sizes
from ..equations.relations import gear_error, loop_position

CLOSED = 1e-9
"""Gaps below this, in rad and of a loop's size, count as closed; they are then reduced to rounding."""


def closure_gaps(m: Mechanism, q: Array) -> Array:
    """(nc,) as `constraint_error`, but with turns by their angle, which stays large up to half a turn."""
    motions = LocalMotions(m, q, np.zeros(m.nv))
    gaps = []
    for loop in m.loops:
        X, joint, q_J = loop_position(m, loop, motions)
        X_err = X @ joint.transform(q_J).inverse()
        d = np.concatenate([log(X_err.E.T), X_err.E @ X_err.r])
        gaps.append(joint.constraint_subspace(q_J).T @ d)
    gaps += [gear_error(m, gear, motions) for gear in m.gears]
    return np.concatenate([np.zeros(0), *gaps])


def is_closed(m: Mechanism, gaps: Array, tolerance: float = CLOSED) -> bool:
    """Whether gaps (nc,) count as none, in rad and as shares of their loops' sizes."""
    return bool(np.max(np.abs(gaps) / m.once(row_sizes), initial=0.0) < tolerance)
