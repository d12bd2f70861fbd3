"""Back to closed loops: the nearest positions and velocities that satisfy the constraints."""

from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...model.values import joint_numbers
from ...spatial import Array
from ..equations.constraints import constraint_equation, constraint_error, constraint_jacobian
from ..equations.loop_sizes import column_sizes, row_sizes
from ..equations.near_dependence import checked_tolerance
from ..equations.rank import TOLERANCE
from ..equations.relations import velocities
from .held_loops import HeldRates, held_apart, held_rates, with_held_loops

STEPS = 8
"""Newton steps after which a small gap should be closed; each squares the error."""


def project_position(m: Mechanism, q: Array, hold: Sequence[str] = (), tolerance: float = TOLERANCE) -> Array:
    """The position near q at which all loops are closed; for gaps that are small already.

    Newton's method with the shortest step in the joint variables, lengths by the size of the loops. From a
    rough guess, `assemble` is the way.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with small gaps.
        hold: Names of joints that must not move, loop joints among them.
        tolerance: Share below which singular values of the constraints count as zero.

    Returns:
        (nq,) joint positions with gaps at rounding level, or as small as they get.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> q = wt.project_position(m, np.array([0.01, 0.0, 0.0]), hold=["crank"])
    >>> q[0], bool(abs(wt.constraint_error(m, q)).max() < 1e-14)
    (np.float64(0.01), True)
    """
    checked_tolerance(tolerance)
    m, hold = with_held_loops(m, q, hold)
    free = free_columns(m, hold)
    error, sizes = constraint_error(m, q), m.once(row_sizes)
    size = float(np.max(np.abs(error) / sizes, initial=0.0))
    for _ in range(STEPS):
        if size == 0.0:
            break
        closer = integrate(m, q, _shortest(m, constraint_jacobian(m, q), -error, sizes, free, tolerance))
        new_error = constraint_error(m, closer)
        new_size = float(np.max(np.abs(new_error) / sizes))
        if new_size >= size:  # rounding is all that is left
            break
        q, error, size = closer, new_error, new_size
    return q


def project_velocity(m: Mechanism, q: Array, qd: Array, hold: Sequence[str] = ()) -> Array:
    """The velocity nearest to qd that keeps all loops closed.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s.
        hold: Names of joints, loop joints among them, whose velocities must not change, as that of a driven
            crank.

    Returns:
        (nv,) joint velocities with K qd = 0, as far as the held ones allow.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.project_velocity(m, m.neutral(), np.array([2.0, 0.0, 0.0]), hold=["crank"]).round(3)
    array([ 2.   , -2.387,  0.377])
    """
    K = constraint_jacobian(m, q)
    return qd + _held_shortest(m, K, -(K @ qd), held_rates(m, q, hold))


def project_acceleration(m: Mechanism, q: Array, qd: Array, qdd: Array, hold: Sequence[str] = ()) -> Array:
    """The acceleration nearest to qdd that keeps all loops closed.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        qdd: (nv,) joint accelerations, rad/s² or m/s².
        hold: Names of joints, loop joints among them, whose accelerations must not change.

    Returns:
        (nv,) joint accelerations with K qdd = k, as far as the held ones allow.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> qd = wt.project_velocity(m, m.neutral(), np.array([2.0, 0.0, 0.0]), hold=["crank"])
    >>> wt.project_acceleration(m, m.neutral(), qd, np.zeros(3), hold=["crank"]).round(3)
    array([0.   , 1.096, 1.88 ])
    """
    K, k = constraint_equation(m, q, qd)
    return qdd + _held_shortest(m, K, k - K @ qdd, held_rates(m, q, hold))


def free_columns(m: Mechanism, hold: Sequence[str]) -> list[int]:
    """Numbers of the velocity variables of all joints that are not held.

    Raises:
        InputError: A loop joint is among them, which has none; `with_held_loops` takes these out before.
    """
    _, loops = held_apart(m, hold)
    if loops:
        raise InputError(
            f"hold names the loop joint {loops[0]!r} of {m.name!r}, which a kernel or derivative cannot hold"
            ": hold a joint of the tree, or call wt.assemble itself"
        )
    held = {k for i in joint_numbers(m, hold, "hold") for k in velocities(m, i)}
    return [k for k in range(m.nv) if k not in held]


def _held_shortest(m: Mechanism, K: Array, right: Array, held: HeldRates) -> Array:
    """(nv,) the shortest x with K x = right that leaves held joints what they are."""
    W, sizes, joints = held
    rows = np.concatenate([m.once(row_sizes), sizes])
    right = np.concatenate([right, np.zeros(len(W))])
    return _shortest(m, np.concatenate([K, W]), right, rows, free_columns(m, joints))


def _shortest(
    m: Mechanism, K: Array, right: Array, rows: Array, free: list[int], tolerance: float = TOLERANCE
) -> Array:
    """(nv,) the shortest x with K x = right, by least squares, zero but for the free entries.

    Lengths count by the size of loops, in gaps, `rows`, and in x: which constraints are independent is then
    the same in a mechanism of any size.
    """
    x, columns = np.zeros(m.nv), m.once(column_sizes)[free]
    scaled = K[:, free] * columns / rows[:, None]
    x[free] = columns * np.linalg.lstsq(scaled, right / rows, rcond=tolerance)[0]
    return x
