"""Balls against a height field: sphere and capsule."""

from ....shapes import Heights, Shape
from ..balls import balls_of
from ..height_spline import patch
from ..touch import Pose, Touch
from .ball_landscape import ROUNDS, nearest, touch_at

FIRST = 2
"""Newton steps within the cell below the ball, to see in which cell the nearest point lies."""


def balls_on_heights(a: Shape, A: Pose, b: Heights, B: Pose) -> list[Touch]:
    """Each ball of a against the smooth surface through the samples of b, at its nearest point."""
    touches = []
    for center, radius in balls_of(a):
        place = B.R.T @ (A.p + A.R @ center - B.p)
        x, y, _ = place
        u, v = nearest(patch(b, x, y), place, x, y, FIRST)
        surface = patch(b, u, v)
        u, v = nearest(surface, place, u, v, ROUNDS)
        touches.append(touch_at(surface, place, u, v, radius, B))
    return touches
