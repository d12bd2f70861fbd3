"""Balls and corners against a plane: sphere, capsule, box, convex mesh."""

from typing import Any

from ....shapes import Plane, Shape
from ....spatial import Array
from ..balls import balls_of
from ..touch import Pose, Touch


def balls_on_plane(a: Shape, A: Pose, b: Plane, B: Pose) -> list[Touch]:
    """Each ball or corner of a against the plane z = 0 of b."""
    return [on_plane(A.p + A.R @ center, radius, B) for center, radius in balls_of(a)]


def on_plane(center: Array, radius: Any, B: Pose) -> Touch:
    """A ball around a point (3,) of the world against the plane z = 0 at a pose."""
    n = B.R[:, 2]
    height = n @ (center - B.p)
    return Touch(height - radius, n, center - radius * n, center - height * n)
