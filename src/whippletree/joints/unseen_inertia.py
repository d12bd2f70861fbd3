"""Shares of an inertia that a joint leaves unseen (RBDA §9.7, table 9.7).

The table has revolute, prismatic and spherical joints. It is extended to all joint types by the motions
they share with those: joints about a point pass on a point mass, joints that keep all directions the
moments of inertia, joints that keep one axis parallel the transverse moments.
"""

from typing import Any

import numpy as np

from ..spatial.inertia import Inertia
from ..spatial.rotate import lower, symmetric
from ..spatial.scalar import Array
from .base import perpendicular


def point_mass(I: Inertia) -> Inertia:
    """The whole mass, at the origin: for joints that turn about it."""
    return Inertia.from_parts(I.m, np.zeros(3), np.zeros(6))


def moments(I: Inertia) -> Inertia:
    """All moments of inertia: for joints that do not turn."""
    return Inertia.from_parts(0.0, np.zeros(3), I.I)


def transverse_moments(axis: Any, I: Inertia) -> Inertia:
    """Equal moments about all directions across an axis: for joints that turn about parallels of it."""
    return Inertia.from_parts(0.0, np.zeros(3), _transverse(np.array(axis), I))


def mass_on_axis(axis: Any, I: Inertia) -> Inertia:
    """The mass, as far out along the axis as it is, and transverse moments: for joints that turn about it."""
    along = np.array(axis)
    return Inertia.from_parts(I.m, (I.h @ along) * along, _transverse(along, I))


def _transverse(axis: Array, I: Inertia) -> Array:
    """(6,) equal moments about all directions across the axis: as large as that about one of them."""
    first, _ = perpendicular(axis)
    moment = first @ symmetric(I.I) @ first
    return moment * lower(np.eye(3) - np.outer(axis, axis))
