"""A cylinder against a plane: the lowest point of each rim, and three points fixed on it.

A cylinder that rolls or rocks touches at the lowest points. One that stands flat has no lowest point: the
fixed ones hold it.
"""

import numpy as np

from ....shapes import Cylinder, Plane
from ..touch import Pose, Touch, unit
from .ball_plane import on_plane

FIXED = np.array([(np.cos(turn), np.sin(turn), 0.0) for turn in 2.0 * np.pi / 3.0 * np.arange(3)])
"""Directions of the points fixed on a rim, in the cylinder's axes."""


def cylinder_on_plane(a: Cylinder, A: Pose, b: Plane, B: Pose) -> list[Touch]:
    """Four candidates a rim, the lower point first."""
    n, k = B.R[:, 2], A.R[:, 2]
    _, down = unit((n @ k) * k - n, A.R[:, 0])
    touches = []
    for end in (-0.5, 0.5):
        center = A.p + end * a.length * k
        points = [center + a.radius * down, *(center + a.radius * (A.R @ fixed) for fixed in FIXED)]
        touches += [on_plane(point, 0.0, B) for point in points]
    return touches
