"""An ellipsoid against a plane."""

import numpy as np

from ....shapes import Ellipsoid, Plane
from ..touch import Pose, Touch
from .ball_plane import on_plane


def ellipsoid_on_plane(a: Ellipsoid, A: Pose, b: Plane, B: Pose) -> list[Touch]:
    """Its farthest point along -n: -D² n / |D n| in its own axes, D being its half axes."""
    axes = np.array(a.radii)
    stretched = axes * (A.R.T @ B.R[:, 2])
    farthest = A.R @ (-axes * stretched / np.sqrt(stretched @ stretched))
    return [on_plane(A.p + farthest, 0.0, B)]
