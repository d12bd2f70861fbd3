"""Any two convex shapes, by the library coal: the nearest points, numbers only."""

from functools import lru_cache
from typing import Any

import numpy as np

from ....errors import ModelError, with_article
from ....shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from ....spatial import Array
from ..convex_hull import convex_hull, corners_of
from ..duals import Dual, moving, rates_of, values_of
from ..touch import Pose, Touch

CONVEX_KINDS = frozenset({"sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh"})

TOLERANCE = 1e-10
"""Of the search for the nearest points. That for the depth of an overlap keeps coal's own, 1e-6."""

STEP = 1e-5
"""s: rates are differences over twice this time, good to about 1e-5 of curvature times speed squared."""


def nearest_points(a: Any, A: Pose, b: Any, B: Pose) -> list[Touch]:
    """One candidate, at the nearest points, or where an overlap is left by the shortest way."""
    numbers = [*A.R.flat, *A.p, *B.R.flat, *B.p]
    if any(isinstance(x, Dual) for x in numbers):
        return [_moving(a, A, b, B)]
    if not all(isinstance(x, float | int) for x in numbers):
        raise TypeError(
            f"{with_article(a.kind)} on {with_article(b.kind)} is found by search, which cannot be recorded: "
            "use shapes that touch in closed form, as capsules and boxes on planes"
        )
    return [_nearest(a, A, b, B)]


def _moving(a: Any, A: Pose, b: Any, B: Pose) -> Touch:
    """Value and rate of the nearest points, from the poses a moment before and after."""
    before, here, after = (_nearest(a, _carried(A, t), b, _carried(B, t)) for t in (-STEP, 0.0, STEP))
    rates = [(np.asarray(y) - np.asarray(x)) / (2.0 * STEP) for x, y in zip(before, after, strict=True)]
    n, point_a, point_b = (moving(x, rate) for x, rate in zip(here[1:4], rates[1:4], strict=True))
    return Touch(Dual(here.gap, float(rates[0])), n, point_a, point_b)


def _carried(pose: Pose, time: float) -> Pose:
    """The pose so much later at the same velocity; the turn stays one to second order."""
    u, _, v = np.linalg.svd(values_of(pose.R) + time * rates_of(pose.R))
    return Pose(u @ v, values_of(pose.p) + time * rates_of(pose.p))


def _nearest(a: Any, A: Pose, b: Any, B: Pose) -> Touch:
    coal = _coal(a.kind, b.kind)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance, request.gjk_tolerance = True, TOLERANCE
    places = [coal.Transform3s(np.array(P.R, dtype=float), np.array(P.p, dtype=float)) for P in (A, B)]
    gap = coal.distance(_solid(a), places[0], _solid(b), places[1], request, result)
    n = -np.array(result.normal)  # coal's leads from a to b
    return Touch(float(gap), n, np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2()))


def _coal(kind_a: str, kind_b: str) -> Any:
    try:
        import coal  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ModelError(
            f"contact of {with_article(kind_a)} with {with_article(kind_b)} needs the library coal: "
            "pip install coal, which there is for Linux and macOS; elsewhere use shapes that touch in closed "
            "form, as spheres and capsules"
        ) from None
    return coal


def _solid(shape: Any) -> Any:
    if isinstance(shape, Mesh):
        corners_of(shape)  # refuses what is not convex
        hull = convex_hull(shape)
        assert hull.faces is not None
        points, faces = hull.triangles()
        return _polyhedron(points.tobytes(), np.ascontiguousarray(faces).tobytes())
    return _primitive(shape)


@lru_cache(maxsize=256)
def _primitive(shape: Any) -> Any:
    coal = _coal(shape.kind, shape.kind)
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length)
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, shape.length)
    if isinstance(shape, Ellipsoid):
        return coal.Ellipsoid(*shape.radii)
    assert isinstance(shape, Box)
    return coal.Box(*shape.size)


@lru_cache(maxsize=64)
def _polyhedron(points: bytes, faces: bytes) -> Any:
    coal = _coal("mesh", "mesh")
    corners: Array = np.frombuffer(points).reshape(-1, 3)
    vertices = coal.StdVec_Vec3s()
    for corner in corners:
        vertices.append(corner)
    triangles = coal.StdVec_Triangle()
    for i, j, k in np.frombuffer(faces, dtype=int).reshape(-1, 3).tolist():
        triangles.append(coal.Triangle(i, j, k))
    return coal.Convex(vertices, triangles)
