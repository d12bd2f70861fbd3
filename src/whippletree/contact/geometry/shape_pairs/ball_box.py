"""A sphere against a box, inside of it too."""

import numpy as np

from ....shapes import Box, Sphere
from ....spatial import Array, array, maximum, minimum, where
from ..touch import TINY, Pose, Touch, beyond, clamp


def sphere_on_box(a: Sphere, A: Pose, b: Box, B: Pose) -> list[Touch]:
    """One candidate, at the point of the box that is nearest to the sphere's centre."""
    return [ball_on_box(A.p, a.radius, b, B)]


def ball_on_box(center: Array, radius: float, b: Box, B: Pose) -> Touch:
    """A ball around a point (3,) of the world against a box; from inside it leaves by the nearest side."""
    x, half = B.R.T @ (center - B.p), 0.5 * np.array(b.size)
    nearest = array([clamp(x_i, -h, h) for x_i, h in zip(x, half, strict=True)])
    d = x - nearest
    square = d @ d
    inside = square < TINY
    length = np.sqrt(where(inside, 1.0, square))
    depth = [h - maximum(x_i, -x_i) for x_i, h in zip(x, half, strict=True)]
    sides = [where(x_i < 0.0, -1.0, 1.0) for x_i in x]
    by_x, by_y = depth[0] <= minimum(depth[1], depth[2]), depth[1] <= depth[2]
    way_out = [where(by_x, sides[0], 0.0)]
    way_out += [where(by_x, 0.0, where(by_y, sides[1], 0.0)), where(by_x, 0.0, where(by_y, 0.0, sides[2]))]
    least = minimum(depth[0], minimum(depth[1], depth[2]))
    n = B.R @ where(inside, array(way_out), d / length)
    distance = where(inside, -least, length)
    sides_passed = [beyond(x_i, -h, h) for x_i, h in zip(x, half, strict=True)]
    feature = sides_passed[0] + 3.0 * sides_passed[1] + 9.0 * sides_passed[2]
    return Touch(distance - radius, n, center - radius * n, center - distance * n, feature)
