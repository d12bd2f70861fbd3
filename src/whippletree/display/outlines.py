"""Shapes as lines: their sharp edges or, where they are smooth, their outlines in three planes."""

import numpy as np

from ..shapes import Capsule, Ellipsoid, Mesh, Shape, Sphere
from ..spatial import Array, Placement

SHARP = np.cos(np.radians(40.0))
"""Cosine of the angle between triangles from which on their edge is sharp."""

MOST, ROUND = 400, 48
"""Edges beyond which a shape is drawn as a smooth one, and corners of a curve."""


def outline(shape: Shape) -> Array | None:
    """(n, 3) lines in the frame of a shape, with NaN between them; None without end or numbers.

    >>> import whippletree as wt
    >>> outline(wt.Box((0.4, 0.3, 0.2))).shape  # twelve edges
    (36, 3)
    >>> outline(wt.Sphere(0.1)).shape  # three circles
    (150, 3)
    """
    if isinstance(shape, Mesh) and (shape.vertices is None or shape.faces is None):
        return None
    if not np.all(np.isfinite(shape.bounds())):
        return None
    smooth = isinstance(shape, Sphere | Ellipsoid | Capsule)  # their triangles are not
    edges = np.zeros((0, 2, 3)) if smooth else _sharp_edges(*shape.triangles())
    if 0 < len(edges) <= MOST:
        gap = np.full((len(edges), 1, 3), np.nan)
        return np.concatenate([edges, gap], axis=1).reshape(-1, 3)
    angle = np.linspace(0.0, 2.0 * np.pi, ROUND + 1)
    curves = []
    for k in range(3):
        directions = np.zeros((len(angle), 3))
        directions[:, k], directions[:, k - 1] = np.cos(angle), np.sin(angle)
        curves += [*(shape.support(direction) for direction in directions), np.full(3, np.nan)]
    return np.array(curves)


def floor(placement: Placement, points: Array) -> Array:
    """(5, 3) a square of a plane below points (n, 3) of the world, as large as they are far apart.

    Args:
        placement: Of the plane, its normal along z.
        points: What is to be seen on it; NaN are passed over.
    """
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    x, y, n = placement.rotation.T
    middle, half = 0.5 * (low + high), 0.55 * max(float(np.max(high - low)), 0.1)
    middle = middle - ((middle - placement.position) @ n) * n
    corners = ((1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1))
    return np.array([middle + half * (a * x + b * y) for a, b in corners])


def _sharp_edges(points: Array, faces: Array) -> Array:
    """(k, 2, 3) ends of the edges at which triangles meet at an angle."""
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(sizes > 0.0, sizes, 1.0)
    sides: dict[tuple[int, int], list[int]] = {}
    for face, (a, b, c) in enumerate(faces):
        for ends in ((a, b), (b, c), (c, a)):
            sides.setdefault((min(ends), max(ends)), []).append(face)
    sharp = [
        ends for ends, both in sides.items() if len(both) == 2 and normals[both[0]] @ normals[both[1]] < SHARP
    ]
    return points[np.array(sharp, dtype=int).reshape(-1, 2)]
