"""Balls and corners that a shape touches flat ground with."""

from functools import lru_cache
from typing import Any

import numpy as np

from ...shapes import Box, Capsule, Mesh, Shape, Sphere
from ...spatial import Array
from .convex_hull import corners_of

Ball = tuple[Array, float]
"""Centre (3,) in the shape's frame, and radius, m; a corner has radius 0."""


def balls_of(shape: Shape) -> tuple[Ball, ...]:
    """The balls and corners of a sphere, capsule, box or convex mesh."""
    if isinstance(shape, Mesh):
        return tuple((corner, 0.0) for corner in corners_of(shape))
    return _balls(shape)


@lru_cache(maxsize=256)
def _balls(shape: Any) -> tuple[Ball, ...]:
    if isinstance(shape, Sphere):
        return ((np.zeros(3), shape.radius),)
    if isinstance(shape, Capsule):
        return tuple((np.array([0.0, 0.0, end * shape.length]), shape.radius) for end in (-0.5, 0.5))
    assert isinstance(shape, Box)
    return tuple((corner, 0.0) for corner in shape.triangles()[0])
