"""The corners of convex meshes, and what is wrong with those that are none."""

from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model.values import expect
from ...shapes import Mesh
from ...spatial import Array

CONVEX = 1e-6
"""Share of the volume of its hull that a mesh may lack and still count as convex."""


def corners_of(mesh: Mesh) -> Array:
    """(n, 3) the corners of a convex mesh, m; ModelError if it is none."""
    if mesh.vertices is None:
        raise ModelError(
            f"mesh {mesh.file!r} has no vertices, which contact needs: wt.hull_collisions(m) reads them "
            "from its file; or let a simpler shape touch in its place"
        )
    faces = b"" if mesh.faces is None else mesh.faces.tobytes()
    return _corners(mesh.file, mesh.scale, mesh.vertices.tobytes(), faces)


def convex_hull(mesh: Mesh) -> Mesh:
    """The convex hull of a mesh, with faces, as a mesh of the same file and scale.

    >>> import whippletree as wt
    >>> corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)])
    >>> wt.contact.convex_hull(wt.Mesh("corner.stl", vertices=corners)).vertices.shape
    (4, 3)
    """
    expect("convex_hull", "mesh", mesh, Mesh, "a wt.Mesh")
    if mesh.vertices is None:
        raise ModelError(f"mesh {mesh.file!r} has no vertices: give them, as Mesh(…, vertices=…)")
    hull = _hull(mesh.file, mesh.vertices)
    kept = np.sort(hull.vertices)
    numbers = np.full(len(mesh.vertices), -1)
    numbers[kept] = np.arange(len(kept))
    return Mesh(mesh.file, mesh.scale, mesh.vertices[kept], numbers[_outward(hull)])


@lru_cache(maxsize=64)
def _corners(file: str, scale: tuple[float, float, float], vertices: bytes, faces: bytes) -> Array:
    points = np.frombuffer(vertices).reshape(-1, 3) * np.array(scale)
    hull = _hull(file, points)
    if faces:
        a, b, c = points[np.frombuffer(faces, dtype=int).reshape(-1, 3).T]
        turned = -1.0 if np.prod(scale) < 0.0 else 1.0
        volume = turned * float(np.sum(np.cross(a, b) * c)) / 6.0
        if volume < 0.0:
            raise ModelError(
                f"mesh {file!r} has its normals inside out: its faces enclose {volume:.4g} m³; "
                "order their corners counter-clockwise from outside"
            )
        if volume < (1.0 - CONVEX) * hull.volume:
            raise ModelError(
                f"mesh {file!r} is not convex: it has {volume:.4g} m³, its hull {hull.volume:.4g} m³; "
                "split it, or take the hull: wt.contact.convex_hull(mesh)"
            )
    return points[np.sort(hull.vertices)]


def _hull(file: str, points: Array) -> Any:
    from scipy.spatial import ConvexHull, QhullError  # on use: it takes longer to import than all the rest

    try:
        return ConvexHull(points)
    except (QhullError, ValueError):
        raise ModelError(
            f"mesh {file!r} encloses no volume: its {len(points)} corners lie in a plane or on a line"
        ) from None


def _outward(hull: Any) -> Array:
    """Triangles of a hull of SciPy, counter-clockwise from outside."""
    triangles = np.array(hull.simplices)
    a, b, c = hull.points[triangles.T]
    inward = np.sum(np.cross(b - a, c - a) * hull.equations[:, :3], axis=1) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles
