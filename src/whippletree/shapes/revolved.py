"""Surfaces of revolution, as triangles."""

import numpy as np

from ..spatial import Array

AROUND, ALONG = 32, 16
"""Triangles around a full turn, and along half a circle."""


def half_circle(radius: float) -> Array:
    """(n, 2) distance from the axis and height, m, from the lowest to the highest point."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, ALONG + 1)
    profile = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    profile[[0, -1], 0] = 0.0
    return profile


def revolved(profile: Array) -> tuple[Array, Array]:
    """Corners and triangles of a profile (n, 2), distance from the z axis and height, turned about z.

    The profile goes up, from the axis to the axis.

    >>> points, faces = revolved(np.array([(0.0, -1.0), (1.0, 0.0), (0.0, 1.0)]))
    >>> points.shape, faces.shape
    ((34, 3), (64, 3))
    """
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    rings = [
        np.stack([r * np.cos(turn), r * np.sin(turn), np.full(AROUND, z)], axis=1) for r, z in profile[1:-1]
    ]
    ends = np.array([[0.0, 0.0, profile[0, 1]], [0.0, 0.0, profile[-1, 1]]])
    points = np.concatenate([*rings, ends])
    here, there = np.arange(AROUND), np.roll(np.arange(AROUND), -1)
    bottom, top = len(points) - 2, len(points) - 1
    last = AROUND * (len(rings) - 1)
    faces = [np.stack([np.full(AROUND, bottom), there, here], axis=1)]
    for k in range(len(rings) - 1):
        low, high = AROUND * k, AROUND * (k + 1)
        faces.append(np.stack([low + here, low + there, high + there], axis=1))
        faces.append(np.stack([low + here, high + there, high + here], axis=1))
    faces.append(np.stack([last + here, last + there, np.full(AROUND, top)], axis=1))
    return points, np.concatenate(faces)
