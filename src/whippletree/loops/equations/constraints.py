"""Loop constraints of a whole mechanism: K, k and δ (RBDA ch. 8)."""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, array
from .relations import position_errors, relations


def constraint_error(m: Mechanism, q: Array) -> Array:
    """δ: how far the loops are from being closed.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.23-8.27. Each loop joint has 6 - nv
    rows, each gear one.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nc,) angles and lengths, rad and m, loop after loop and then gear after gear, each along the
        joint's own constraint forces T in its successor's frame; zero where all loops are closed.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> abs(wt.constraint_error(m, m.neutral())).max() < 1e-15
    np.True_
    """
    return np.concatenate([np.zeros(0), *position_errors(m, q)])


def constraint_jacobian(m: Mechanism, q: Array) -> Array:
    """K: joint velocities with K qd = 0 keep the loops closed.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.17-8.20 and table 8.4. It is the
    derivative of `constraint_error` where that is zero.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nc, nv) rows as in `constraint_error`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.constraint_jacobian(m, m.neutral()).shape
    (5, 3)
    """
    return constraint_equation(m, q, np.zeros(m.nv))[0]


def constraint_bias(m: Mechanism, q: Array, qd: Array, stabilization: float | None = None) -> Array:
    """k: joint accelerations with K qdd = k keep the loops closed.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.15; with stabilization eq 8.21-8.24.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        stabilization: The time T_stab, s, in which errors of position and velocity are to decay, or
            None for no such term. A tenth of the time in which the mechanism moves noticeably is good.

    Returns:
        (nc,) rows as in `constraint_error`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.constraint_bias(m, m.neutral(), [0.0, 0.0, 0.0])
    array([0., 0., 0., 0., 0.])
    """
    return constraint_equation(m, q, qd, stabilization)[1]


def row_owners(m: Mechanism) -> list[str]:
    """(nc,) names of the loop or gear that each row of K, k and δ belongs to."""
    loops = [loop.name for loop in m.loops for _ in range(6 - loop.joint.nv)]
    return [*loops, *(gear.name for gear in m.gears)]


def largest_by_owner(m: Mechanism, values: Array) -> dict[str, float]:
    """The largest absolute value that the rows (nc,) of each loop or gear hold, by its name."""
    largest: dict[str, float] = {}
    for name, value in zip(row_owners(m), np.abs(values), strict=True):
        largest[name] = max(largest.get(name, 0.0), float(value))
    return largest


def stabilization_time(m: Mechanism) -> float:
    """T_stab, s, that suits a mechanism: a tenth of the time in which it falls by its own size.

    RBDA §8.3 wants the time between two glances at which the mechanism has moved noticeably; a factor of
    two does not matter. For a large industrial robot this gives about the 0.1 s of the book.

    Args:
        m: The mechanism. Without gravity, that of the earth sets the time scale.

    >>> import whippletree as wt
    >>> round(wt.stabilization_time(wt.examples.load("four-bar")), 3)
    0.027
    """
    places = [body.placement for body in m.bodies]
    places += [place for loop in m.loops for place in (loop.placement_p, loop.placement_s)]
    lengths = [float(np.linalg.norm(place.position)) for place in places]
    size = max([length for length in lengths if length > 0.0], default=1.0)
    return 0.1 * float(np.sqrt(size / (np.linalg.norm(m.gravity) or 9.81)))


def constraint_equation(
    m: Mechanism, q: Array, qd: Array, stabilization: float | None = None
) -> tuple[Array, Array]:
    """K (nc, nv) and k (nc,) of all loops and gears."""
    all_relations = relations(m, q, qd)
    rows = [row for relation in all_relations for row in spread(relation.columns, relation.K, m.nv)]
    K = array(rows) if rows else np.zeros((0, m.nv))
    k = np.concatenate([np.zeros(0), *(relation.k for relation in all_relations)])
    if stabilization is not None:
        rate = np.concatenate([np.zeros(0), *(relation.rate for relation in all_relations)])
        k = k + stabilizing_term(rate, constraint_error(m, q), stabilization)
    return K, k


def stabilizing_term(rate: Array, error: Array, stabilization: float) -> Array:
    """k_stab = -2α K q̇ - β² δ with α = β = 1/T_stab (RBDA 8.22)."""
    alpha = 1.0 / stabilization
    return -2.0 * alpha * rate - alpha * alpha * error


def spread(columns: list[int], block: Array, width: int) -> list[Array]:
    """The rows of a block (rows, len(columns)), spread to `width` columns with zeros between them."""
    rows = []
    for row in block:
        entries = [0.0] * width
        for column, value in zip(columns, row, strict=True):
            entries[column] = value
        rows.append(array(entries))
    return rows
