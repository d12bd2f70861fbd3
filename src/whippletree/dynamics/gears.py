"""Gears: joint positions q = γ(y) of a smaller set of independent ones (RBDA §9.6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.gear import trains
from ..model.mechanism import Mechanism
from ..spatial import Array, array
from .triangle import ancestors


@dataclass(frozen=True)
class Gearing:
    """How each joint velocity follows from the independent ones; one entry for each of the nv velocities.

    Attributes:
        column: The independent velocity that it follows.
        ratio: How many times as fast, or None if it is the independent one itself.
        size: How many independent velocities there are.
    """

    column: list[int]
    ratio: list[float | None]
    size: int


def gearing(m: Mechanism) -> Gearing:
    """The gears of a mechanism, chains of gears multiplied out."""
    ends = trains(m)
    driven = {m.joint_number(gear.driven) for gear in m.gears}
    start, size = {}, 0
    for i, body in enumerate(m.bodies):
        if i not in driven:
            start[i] = size
            size += body.joint.nv
    column: list[int] = []
    ratio: list[float | None] = []
    for i, body in enumerate(m.bodies):
        driver, factor, _ = ends[i]
        column += range(start[driver], start[driver] + body.joint.nv)
        ratio += [factor if i in driven else None] * body.joint.nv
    return Gearing(column, ratio, size)


def gear_matrix(m: Mechanism) -> Array:
    """G with qd = G yd: all joint velocities from the independent ones (RBDA §9.6).

    Args:
        m: A mechanism; without gears G is the unit matrix.

    Returns:
        (nv, ny) one nonzero entry in each row: 1 for an independent joint, for a driven one the
        ratio, or the product of the ratios of a chain of gears. ny = nv - number of gears; yd holds
        the velocities of the joints that no gear drives, in their order.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> m.add_gear("belt", driver="upper", driven="lower", ratio=-2.0)
    >>> wt.gear_matrix(m)
    array([[ 1.],
           [-2.]])
    """
    g = gearing(m)
    rows = [[0.0] * g.size for _ in range(m.nv)]
    for row, column, ratio in zip(rows, g.column, g.ratio, strict=True):
        row[column] = 1.0 if ratio is None else ratio
    return array(rows) if rows else np.zeros((0, 0))


def gear_positions(m: Mechanism, y: Array) -> Array:
    """γ(y): all joint positions from the independent ones (RBDA §9.6).

    Args:
        m: A mechanism.
        y: (nq - number of gears,) positions of the joints that no gear drives, in their order.

    Returns:
        (nq,) positions of all joints, which every gear agrees with.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> m.add_gear("belt", driver="upper", driven="lower", ratio=-2.0, offset=0.5)
    >>> wt.gear_positions(m, [0.1])
    array([0.1, 0.3])
    """
    ends = trains(m)
    independent: dict[int, Array] = {}
    start = 0
    for i, body in enumerate(m.bodies):
        if ends[i][0] == i:
            independent[i] = y[start : start + body.joint.nq]
            start += body.joint.nq
    parts = [
        independent[i] if driver == i else factor * independent[driver] + offset
        for i, (driver, factor, offset) in enumerate(ends)
    ]
    return np.concatenate([np.zeros(0), *parts])


def projected_inertia(H: Array, lam: Sequence[int], g: Gearing) -> Array:
    """(ny, ny) GᵀHG of a branch-sparse H (nv, nv) with expanded parents lam (RBDA 9.26-9.27).

    Only entries that may differ from zero are touched, and nothing is multiplied by 1.
    """
    entries: dict[tuple[int, int], Any] = {}
    for i in range(len(lam)):
        for j in (i, *ancestors(lam, i)):
            term = _times(g.ratio[i], _times(g.ratio[j], H[i][j]))
            a, b = g.column[i], g.column[j]
            if a == b and i != j:
                term = term + term
            key = (max(a, b), min(a, b))
            entries[key] = entries[key] + term if key in entries else term
    rows = [[entries.get((max(a, b), min(a, b)), 0.0) for b in range(g.size)] for a in range(g.size)]
    return array(rows) if rows else np.zeros((0, 0))


def projected_force(tau: Array, g: Gearing) -> Array:
    """(ny,) Gᵀτ of joint forces (nv,)."""
    sums: list[Any] = [0.0] * g.size
    for value, column, ratio in zip(tau, g.column, g.ratio, strict=True):
        sums[column] = sums[column] + _times(ratio, value)
    return array(sums)


def lifted(x: Array, g: Gearing) -> Array:
    """(nv,) G x of an independent velocity or acceleration (ny,)."""
    return array([_times(ratio, x[column]) for column, ratio in zip(g.column, g.ratio, strict=True)])


def _times(ratio: float | None, value: Any) -> Any:
    return value if ratio is None else ratio * value
