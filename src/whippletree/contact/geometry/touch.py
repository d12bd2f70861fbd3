"""What the geometry of a pair of shapes tells: poses in, candidates for a contact out."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array, array, where

TINY = 1e-24
"""m²: squares of lengths below this are taken for zero, and what they would divide gets another value."""


SWITCH = -0.6
"""Normals below this z, in the touched shape's axes, have other tangents; no side of any shape is there."""


class Pose(NamedTuple):
    """Where a shape is in the world: R (3, 3), columns are its axes, and p (3,), its origin, m."""

    R: Array
    p: Array


class Touch(NamedTuple):
    """A candidate for a contact between shapes a and b, in world coordinates.

    Attributes:
        gap: Distance along the normal, m; negative where they overlap.
        normal: (3,) unit vector from b to a: the direction in which b pushes a.
        point_a, point_b: (3,) the nearest points of a and of b, m: point_a = point_b + gap · normal.
        feature: A number for the faces, edges or corners that they lie on, where it is not always the same.
    """

    gap: Any
    normal: Array
    point_a: Array
    point_b: Array
    feature: Any = 0.0


PairFunction = Callable[[Any, Pose, Any, Pose], list[Touch]]
"""Candidates of shape a at a pose and shape b at another; as many for every pose. No branches on values."""


def swapped(function: PairFunction) -> PairFunction:
    """The same pair the other way round."""

    def other(a: Any, A: Pose, b: Any, B: Pose) -> list[Touch]:
        return [Touch(t.gap, -t.normal, t.point_b, t.point_a, t.feature) for t in function(b, B, a, A)]

    return other


def between(center_a: Array, radius_a: float, center_b: Array, radius_b: float, fallback: Array) -> Touch:
    """The candidate of two balls; the fallback (3,) is the normal if their centres are one."""
    length, n = unit(center_a - center_b, fallback)
    return Touch(length - (radius_a + radius_b), n, center_a - radius_a * n, center_b + radius_b * n)


def unit(d: Array, fallback: Array) -> tuple[Any, Array]:
    """Length of a vector (3,), and its direction, or the fallback where it has none."""
    square = d @ d
    none = square < TINY
    length = np.sqrt(where(none, 1.0, square))
    return where(none, 0.0, length), where(none, fallback, d / length)


def clamp(x: Any, low: Any, high: Any) -> Any:
    """x, or the bound that it has passed."""
    x = where(x < low, low, x)
    return where(x > high, high, x)


def beyond(x: Any, low: Any, high: Any) -> Any:
    """Which bound x has passed: -1, 1, or 0 if none."""
    return where(x < low, -1.0, where(x > high, 1.0, 0.0))


def tangents(n: Array, axes: Array) -> tuple[Array, Array]:
    """Two unit vectors (3,) that make a right-handed frame (n, t1, t2) with a unit normal n.

    They are fixed in the axes (3, 3) of the touched shape as long as the normal is, and turn with it. For
    the normal along its z axis they are its x and y axes. (Duff et al., Building an orthonormal basis,
    revisited, 2017.)
    """
    x, y, z = axes.T @ n
    sign = where(z < SWITCH, -1.0, 1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    t1 = array([1.0 + sign * x * x * a, sign * b, -sign * x])
    t2 = array([b, sign + y * y * a, -y])
    return axes @ t1, axes @ t2
