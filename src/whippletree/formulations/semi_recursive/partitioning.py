"""Coordinate partitioning: some of the reference-point velocities as independent ones (Yu et al. §2.2)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError, SingularError
from ...loops.equations.rank import eliminate
from ...model.fields import meant
from ...model.mechanism import Mechanism
from ...model.values import listed
from ...spatial import Array
from .planar_constraints import planar_constraint_jacobian, planar_coordinates
from .spatial_constraints import spatial_constraint_jacobian, spatial_coordinates

WORST = 1e10
"""Condition of C_qd above which nothing useful is left of H."""

FREE = 1e-6
"""Share of the largest part of a motion below which a coordinate does not take part in it."""

PLANE, SPACE = ("x", "y", "theta"), ("x", "y", "z", "wx", "wy", "wz")
"""What the coordinates, or velocities, of a body are called behind its name."""


class CoordinatePartition(NamedTuple):
    """q̇ = H q̇^i.

    Attributes:
        H: (n, n - nc) (8), its rows in the order of the coordinates.
        independent, dependent: Names of the coordinates.
        condition: Of C_qd, the part of the Jacobian that is inverted; large where the choice is a bad one.
    """

    H: Array
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    condition: float


def planar_partition(
    m: Mechanism, q: Array, independent: Sequence[str] | None = None, points: Array | None = None
) -> CoordinatePartition:
    """H of q̇ = H q̇^i: all reference-point velocities of the plane from a choice of them.

    Yu et al., eq 6-8; H is 3 nb × (3 nb - nc), not 3 nb × nc as printed. V does the same without a choice
    to be made, and without anything to be inverted.

    Args:
        m: A mechanism in the x-y plane, of revolute and prismatic joints; its loops are left open.
        q: (nq,) joint positions, rad or m.
        independent: As many coordinates as there are freedoms, by their names: those of body "crank" are
            "crank.x", "crank.y" and "crank.theta". Chosen by elimination with complete pivoting if None.
        points: As in `planar_coordinates`.

    Raises:
        SingularError: The others do not follow from these coordinates.

    >>> import whippletree as wt
    >>> m = wt.examples.load("quick-return-rocker")
    >>> names = ["rocker.theta", "block.y", "crank.theta", "link.theta", "ram.theta"]
    >>> found = wt.formulations.semi_recursive.planar_partition(m, m.neutral(), names)
    >>> found.H.shape, round(found.condition, 1)
    ((15, 5), 5.5)
    >>> names[1] = "block.theta"
    >>> wt.formulations.semi_recursive.planar_partition(m, m.neutral(), names)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    whippletree.errors.SingularError: ... with them held, 'block.x', 'block.y', 'crank.x', 'crank.y' could ...
    """
    C_q = planar_constraint_jacobian(m, planar_coordinates(m, q, points), points)
    return _partition(m, C_q, PLANE, independent)


def spatial_partition(
    m: Mechanism, q: Array, independent: Sequence[str] | None = None, points: Array | None = None
) -> CoordinatePartition:
    """H of q̇ = H q̇^i in space, for joints of any type.

    Args:
        m: A mechanism; its loops are left open.
        q: (nq,) joint positions, rad or m.
        independent: As in `planar_partition`; those of body "crank" are "crank.x", "crank.y", "crank.z", the
            velocities of its reference point, and "crank.wx", "crank.wy", "crank.wz", in world axes.
        points: As in `spatial_coordinates`.

    Raises:
        SingularError: The others do not follow from these velocities.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.semi_recursive.spatial_partition(m, [0.3, 0.5], ["upper.wy", "lower.wy"]).H.shape
    (12, 2)
    """
    C_q = spatial_constraint_jacobian(m, spatial_coordinates(m, q, points), points)
    return _partition(m, C_q, SPACE, independent)


def _partition(
    m: Mechanism, C_q: Array, of_body: tuple[str, ...], independent: Sequence[str] | None
) -> CoordinatePartition:
    names = [f"{body.name}.{letter}" for body in m.bodies for letter in of_body]
    chosen = _best(C_q) if independent is None else _numbers(m, names, len(names) - len(C_q), independent)
    others = [k for k in range(len(names)) if k not in chosen]
    C_qd, C_qi = C_q[:, others], C_q[:, chosen]
    values = np.linalg.svd(C_qd, compute_uv=False)
    condition = float(values[0] / values[-1]) if len(values) and values[-1] > 0.0 else np.inf
    if len(values) and condition > WORST:
        raise SingularError(_why_not(m, C_q, names, chosen, others, condition))
    H = np.zeros((len(names), len(chosen)))
    H[chosen, range(len(chosen))] = 1.0
    H[others] = -np.linalg.solve(C_qd, C_qi)
    free, bound = (tuple(names[k] for k in part) for part in (chosen, others))
    return CoordinatePartition(H, free, bound, condition if len(values) else 1.0)


def _best(C_q: Array) -> list[int]:
    """Numbers of the coordinates that are left when the largest pivots have been taken."""
    return eliminate(C_q, np.zeros(len(C_q))).independent


def _numbers(m: Mechanism, names: list[str], count: int, given: Sequence[str]) -> list[int]:
    """Numbers of coordinates that are given by name, checked."""
    given = listed(given, "independent", "coordinates", names)
    for name in given:
        if name not in names:
            raise InputError(f"{m.name!r} has no reference coordinate {name!r}{meant(name, names)}")
    if len(set(given)) != count or len(given) != count:
        told = ", ".join(map(repr, given)) or "none"
        raise InputError(
            f"independent has {len(set(given))} different names ({told}), expected {count}: one per freedom "
            f"of the open loops of {m.name!r}"
        )
    return [names.index(name) for name in given]


def _why_not(
    m: Mechanism, C_q: Array, names: list[str], chosen: list[int], others: list[int], condition: float
) -> str:
    """What is wrong with a choice: what moves while the chosen coordinates stand still; and a better one."""
    motion = np.abs(np.linalg.svd(C_q[:, others])[2][-1])
    moving = [names[k] for k, share in zip(others, motion, strict=True) if share > FREE * motion.max()]
    better = [names[k] for k in _best(C_q)]
    bad, free, good = (", ".join(map(repr, some)) for some in ([names[k] for k in chosen], moving, better))
    return (
        f"{bad} cannot be the independent coordinates of {m.name!r} at this q: with them held, {free} could "
        f"still move (condition of C_qd {condition:.3g}, at most {WORST:g}). {good} can"
    )
