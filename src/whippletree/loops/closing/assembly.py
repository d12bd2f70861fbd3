"""Assembly: positions in which all loops are closed, from a guess."""

from collections.abc import Sequence

import numpy as np

from ...errors import LimitsWarning, SolverError, tell
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...spatial import Array
from ..equations.constraints import constraint_jacobian, largest_by_owner
from ..equations.loop_sizes import column_sizes, row_sizes
from ..equations.near_dependence import REMEDY, SUSPECT, checked_tolerance
from ..equations.rank import TOLERANCE
from .closure_gaps import CLOSED, closure_gaps, is_closed
from .held_loops import with_held_loops
from .projections import free_columns, project_position
from .within_limits import assembled_within, broken_limits

NUDGES = (1e-3, 1e-2, 1e-1)
"""rad, or share of the loops' size: how far beside a guess the search begins again where it is stuck."""

STEPS = 200
"""Steps after which the search for a closed position ends."""


def assemble(m: Mechanism, q_guess: Array, hold: Sequence[str] = (), tolerance: float = CLOSED) -> Array:
    """A position near a guess in which all loops are closed and all gears agree.

    Levenberg's damped least squares over the gaps of RBDA 8.23, with large turns measured by their
    angle, so that a joint that is upside down does not pass for closed, and lengths by the size of the
    loops, so that a mechanism may be of any size. Where that leads a joint beyond its limits, another
    position within them is looked for.

    Args:
        m: The mechanism.
        q_guess: (nq,) joint positions, rad or m; the closer, the surer is the branch that is found.
        hold: Names of joints that must keep their guessed positions. A loop joint keeps the one nearest to
            where its two sides are at the guess.
        tolerance: Gaps below this, in rad and as a share of a loop's size, count as closed. With lengths and
            angles rounded, as they come from CAD, overconstrained loops close by no more than those digits.

    Returns:
        (nq,) joint positions with gaps at rounding level or, of loops that do not close any further, within
        the tolerance.

    Raises:
        SolverError: No closed position was found; names the loops that stay open and their gaps.

    Warns:
        LimitsWarning: Joints are beyond their limits, and no closed position was found within; names them.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> q = wt.assemble(m, [1.0, 0.0, 0.0], hold=["crank"])
    >>> q.round(3)
    array([ 1.   , -1.079,  0.334])
    """
    checked_tolerance(tolerance)
    m, hold = with_held_loops(m, q_guess, hold)
    return kept_within_limits(m, closed_near(m, q_guess, hold, tolerance), q_guess, hold, tolerance)


def closed_near(m: Mechanism, q_guess: Array, hold: Sequence[str] = (), tolerance: float = CLOSED) -> Array:
    """What `assemble` finds without regard to limits of joints; only joints of the tree are held."""
    free, rng, sizes = free_columns(m, hold), np.random.default_rng(0), m.once(column_sizes)
    found = [_nearest(m, q_guess, free, tolerance)]
    # Where all bars lie in one line no small step closes a gap: then from beside it.
    for nudge in NUDGES:
        if is_closed(m, found[-1][1], tolerance):
            break
        shift = np.zeros(m.nv)
        shift[free] = nudge * sizes[free] * rng.normal(size=len(free))
        found.append(_nearest(m, integrate(m, q_guess, shift), free, tolerance))
    q, gaps = found[-1]
    if not is_closed(m, gaps, tolerance):
        raise SolverError(open_loops(m, found[0][1]))
    return project_position(m, q, hold, rank_tolerance(tolerance))


def rank_tolerance(tolerance: float) -> float:
    """Share below which constraints count as dependent on others, if gaps below a tolerance are none."""
    return max(TOLERANCE, tolerance) if tolerance > CLOSED else TOLERANCE


def kept_within_limits(
    m: Mechanism, q: Array, q_guess: Array, hold: Sequence[str], tolerance: float = CLOSED
) -> Array:
    """A closed position q (nq,), or another one if joints are beyond their limits there."""
    broken = broken_limits(m, q)
    if not broken:
        return q
    other = assembled_within(m, q_guess, hold, tolerance)
    if other is not None:
        return other
    tell(
        f"{m.name!r} is assembled beyond limits of its joints, as no position within them was found: "
        f"{'; '.join(broken)}. Give another guess, or other limits",
        LimitsWarning,
    )
    return q


def _nearest(m: Mechanism, q: Array, free: list[int], tolerance: float) -> tuple[Array, Array]:
    """A position where the gaps are smallest nearby, and these."""
    gaps, damping = closure_gaps(m, q), 1e-3
    rows, columns = m.once(row_sizes), m.once(column_sizes)[free]
    for _ in range(STEPS):
        if is_closed(m, gaps, tolerance) or damping > 1e8:
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


def open_loops(m: Mechanism, gaps: Array) -> str:
    """Which loops stay open, and by how much."""
    largest, shares = largest_by_owner(m, gaps), largest_by_owner(m, gaps / row_sizes(m))
    found = [name for name, share in shares.items() if share >= CLOSED]
    found.sort(key=lambda name: -shares[name])
    listed = ", ".join(f"{name!r} by {largest[name]:.3g}" for name in found[:6])
    more = f", … ({len(found)} in all)" if len(found) > 6 else ""
    told = (
        f"{m.name!r} cannot be assembled from this guess: still open, in rad or m, are {listed}{more}. "
        "Give a closer guess, hold fewer joints, or check lengths and placements of these loops"
    )
    least = max(shares.values(), default=0.0)
    return f"{told}. Or it is {REMEDY.format(2.0 * least)}" if least < SUSPECT else told
