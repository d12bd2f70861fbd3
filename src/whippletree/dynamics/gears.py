"""Gears: joint positions q = γ(y) of a smaller set of independent ones (RBDA §9.6)."""

import functools
import itertools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.gear import Train, trains
from ..model.mechanism import Mechanism
from ..spatial import Array, array
from .triangle import ancestors


@dataclass(frozen=True)
class Gearing:
    """How each joint velocity follows from the independent ones.

    Attributes:
        rows: For each of the nv velocities how many times as fast it is as independent ones, by their
            numbers; None if it is the independent one itself.
        size: How many independent velocities there are.
    """

    rows: list[dict[int, float | None]]
    size: int


def gearing(m: Mechanism) -> Gearing:
    """The gears of a mechanism, chains of gears multiplied out."""
    ends = trains(m)
    start, size = {}, 0
    for i, body in enumerate(m.bodies):
        if i in ends[i].factors:
            start[i] = size
            size += body.joint.nv
    rows: list[dict[int, float | None]] = []
    for i, body in enumerate(m.bodies):
        if i in start:
            rows.extend({start[i] + k: None} for k in range(body.joint.nv))
        else:
            rows.append({start[driver]: factor for driver, factor in ends[i].factors.items()})
    return Gearing(rows, size)


def gear_matrix(m: Mechanism) -> Array:
    """G with qd = G yd: all joint velocities from the independent ones (RBDA §9.6).

    Args:
        m: A mechanism; without gears G is the unit matrix.

    Returns:
        (nv, ny) in each row: 1 for an independent joint, for a driven one the ratio to each of its drivers,
        or the product of the ratios of a chain of gears. ny = nv - number of gears; yd holds the velocities
        of the joints that no gear drives, in their order. Gears of loop joints are left out.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> m.add_gear("belt", driver="upper", driven="lower", ratio=-2.0)
    >>> wt.gear_matrix(m)
    array([[ 1.],
           [-2.]])
    """
    g = gearing(m)
    rows = [[0.0] * g.size for _ in range(m.nv)]
    for row, factors in zip(rows, g.rows, strict=True):
        for column, ratio in factors.items():
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
        if i in ends[i].factors:
            independent[i] = y[start : start + body.joint.nq]
            start += body.joint.nq
    parts = [
        independent[i] if i in train.factors else _along(train, independent) for i, train in enumerate(ends)
    ]
    return np.concatenate([np.zeros(0), *parts])


def _along(train: Train, independent: dict[int, Array]) -> Array:
    """The position of a driven joint."""
    terms = [factor * independent[driver] for driver, factor in train.factors.items()]
    return functools.reduce(operator.add, terms) + train.offset


def projected_inertia(H: Array, lam: Sequence[int], g: Gearing) -> Array:
    """(ny, ny) GᵀHG of a branch-sparse H (nv, nv) with expanded parents lam (RBDA 9.26-9.27).

    Only entries that may differ from zero are touched, and nothing is multiplied by 1.
    """
    entries: dict[tuple[int, int], Any] = {}
    for i in range(len(lam)):
        for j in (i, *ancestors(lam, i)):
            for (a, ratio_a), (b, ratio_b) in itertools.product(g.rows[i].items(), g.rows[j].items()):
                if i == j and a < b:  # of H[i][i] both halves of GᵀHG have one
                    continue
                term = _times(ratio_a, _times(ratio_b, H[i][j]))
                if a == b and i != j:
                    term = term + term
                key = (max(a, b), min(a, b))
                entries[key] = entries[key] + term if key in entries else term
    rows = [[entries.get((max(a, b), min(a, b)), 0.0) for b in range(g.size)] for a in range(g.size)]
    return array(rows) if rows else np.zeros((0, 0))


def projected_force(tau: Array, g: Gearing) -> Array:
    """(ny,) Gᵀτ of joint forces (nv,)."""
    sums: list[Any] = [0.0] * g.size
    for value, factors in zip(tau, g.rows, strict=True):
        for column, ratio in factors.items():
            sums[column] = sums[column] + _times(ratio, value)
    return array(sums)


def lifted(x: Array, g: Gearing) -> Array:
    """(nv,) G x of an independent velocity or acceleration (ny,)."""
    rows = [[_times(ratio, x[column]) for column, ratio in factors.items()] for factors in g.rows]
    return array([functools.reduce(operator.add, terms) for terms in rows])


def _times(ratio: float | None, value: Any) -> Any:
    return value if ratio is None else ratio * value
