"""Assembly: positions in which all loops are closed, from a guess."""

from collections.abc import Sequence

import numpy as np

from ...errors import SolverError
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...spatial import Array
from ...spatial.rotation import log
from ..equations.constraints import constraint_jacobian, largest_by_owner
from ..equations.local_motions import LocalMotions
from ..equations.loop_sizes import column_sizes, row_sizes
from ..equations.relations import gear_error, loop_position
from .held_loops import with_held_loops
from .projections import free_columns, project_position

CLOSED = 1e-9
"""Gaps below this, in rad and of a loop's size, count as closed; they are then reduced to rounding."""

NUDGES = (1e-3, 1e-2, 1e-1)
"""rad, or share of the loops' size: how far beside a guess the search begins again where it is stuck."""

STEPS = 200
"""Steps after which the search for a closed position ends."""


def assemble(m: Mechanism, q_guess: Array, hold: Sequence[str] = ()) -> Array:
    """A position near a guess in which all loops are closed and all gears agree.

    Levenberg's damped least squares over the gaps of RBDA 8.23, with large turns measured by their
    angle, so that a joint that is upside down does not pass for closed, and lengths by the size of the
    loops, so that a mechanism may be of any size.

    Args:
        m: The mechanism.
        q_guess: (nq,) joint positions, rad or m; the closer, the surer is the branch that is found.
        hold: Names of joints that must keep their guessed positions. A loop joint keeps the one nearest to
            where its two sides are at the guess.

    Returns:
        (nq,) joint positions with gaps at rounding level.

    Raises:
        SolverError: No closed position was found; names the loops that stay open and their gaps.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> q = wt.assemble(m, [1.0, 0.0, 0.0], hold=["crank"])
    >>> q.round(3)
    array([ 1.   , -1.079,  0.334])
    """
    m, hold = with_held_loops(m, q_guess, hold)
    free, rng, sizes = free_columns(m, hold), np.random.default_rng(0), column_sizes(m)
    found = [_nearest(m, q_guess, free)]
    # Where all bars lie in one line no small step closes a gap: then from beside it.
    for nudge in NUDGES:
        if _is_closed(m, found[-1][1]):
            break
        shift = np.zeros(m.nv)
        shift[free] = nudge * sizes[free] * rng.normal(size=len(free))
        found.append(_nearest(m, integrate(m, q_guess, shift), free))
    q, gaps = found[-1]
    if not _is_closed(m, gaps):
        raise SolverError(open_loops(m, found[0][1]))
    return project_position(m, q, hold)


def _is_closed(m: Mechanism, gaps: Array) -> bool:
    return bool(np.max(np.abs(gaps) / row_sizes(m), initial=0.0) < CLOSED)


def _nearest(m: Mechanism, q: Array, free: list[int]) -> tuple[Array, Array]:
    """A position where the gaps are smallest nearby, and these."""
    gaps, damping = closure_gaps(m, q), 1e-3
    rows, columns = row_sizes(m), column_sizes(m)[free]
    for _ in range(STEPS):
        if _is_closed(m, gaps) or damping > 1e8:
            break
        K, shares = constraint_jacobian(m, q)[:, free] * columns / rows[:, None], gaps / rows
        step = np.zeros(m.nv)
        step[free] = -columns * np.linalg.solve(K.T @ K + damping * np.eye(len(free)), K.T @ shares)
        closer = integrate(m, q, step)
        new = closure_gaps(m, closer)
        if np.sum((new / rows) ** 2) < shares @ shares:
            q, gaps, damping = closer, new, max(0.1 * damping, 1e-15)
        else:
            damping *= 10.0
    return q, gaps


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


def open_loops(m: Mechanism, gaps: Array) -> str:
    """Which loops stay open, and by how much."""
    largest, shares = largest_by_owner(m, gaps), largest_by_owner(m, gaps / row_sizes(m))
    found = [name for name, share in shares.items() if share >= CLOSED]
    found.sort(key=lambda name: -shares[name])
    listed = ", ".join(f"{name!r} by {largest[name]:.3g}" for name in found[:6])
    more = f", … ({len(found)} in all)" if len(found) > 6 else ""
    return (
        f"{m.name!r} cannot be assembled from this guess: still open, in rad or m, are {listed}{more}. "
        "Give a closer guess, hold fewer joints, or check lengths and placements of these loops"
    )
