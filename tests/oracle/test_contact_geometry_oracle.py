"""Gaps and normals against the library coal, for the pairs that both know exactly."""

import importlib
from typing import Any

import numpy as np
import pytest

import touching
import whippletree as wt

coal: Any = importlib.import_module("coal")  # it has no type information

KINDS = [("sphere", "sphere"), ("sphere", "capsule"), ("capsule", "capsule"), ("sphere", "box")]


def solid(shape: wt.Shape):
    """The same shape as coal has it."""
    match shape:
        case wt.Sphere():
            return coal.Sphere(shape.radius)
        case wt.Capsule():
            return coal.Capsule(shape.radius, shape.length)
        case wt.Box():
            return coal.Box(*shape.size)
        case wt.Cylinder():
            return coal.Cylinder(shape.radius, shape.length)
        case wt.Ellipsoid():
            return coal.Ellipsoid(*shape.radii)
        case wt.Plane():
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    raise AssertionError(shape)


def coal_distance(m: wt.Mechanism, q) -> tuple[float, np.ndarray]:
    """Distance, and normal from b to a."""
    places = []
    for name in ("a", "b"):
        placed = m.shapes[m.number("shape", name)]
        pose = wt.frame_pose(m, q, placed.body)
        R = pose[:3, :3] @ placed.placement.rotation
        p = pose[:3, 3] + pose[:3, :3] @ placed.placement.position
        places.append(coal.Transform3s(R, p))
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance, request.gjk_tolerance = True, 1e-12
    a, b = (solid(shape.shape) for shape in m.shapes)
    gap = coal.distance(a, places[0], b, places[1], request, result)
    return gap, -np.array(result.normal)


@pytest.mark.parametrize("kinds", KINDS)
def test_rounded_pairs(kinds: tuple[str, str]) -> None:
    m = touching.pair(*(touching.SHAPES[kind] for kind in kinds))
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, _ = touching.state(m, rng, apart=1.5)
        expected, normal = coal_distance(m, q)
        frames = wt.contact.contact_frames(m, q)
        assert frames.gap[0] == pytest.approx(expected, abs=1e-9)
        if expected > 1e-3:
            np.testing.assert_allclose(frames.axes[0, 0], normal, atol=1e-8)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder", "ellipsoid"])
def test_solids_on_a_plane(kind: str) -> None:
    m = touching.pair(touching.SHAPES[kind], wt.Plane())
    rng = np.random.default_rng(2)
    for _ in range(20):
        q, _ = touching.state(m, rng)
        expected, normal = coal_distance(m, q)
        frames = wt.contact.contact_frames(m, q)
        lowest = int(np.argmin(frames.gap))
        assert frames.gap[lowest] == pytest.approx(expected, abs=1e-12)
        np.testing.assert_allclose(frames.axes[lowest, 0], normal, atol=1e-12)


def test_a_sphere_on_hills_touches_at_the_nearest_point() -> None:
    """Against the nearest of a fine grid of points, refined around the best."""
    m = touching.pair(wt.Sphere(0.1), touching.SHAPES["landscape"])
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, _ = touching.state(m, rng, apart=0.8)
        frames = wt.contact.contact_frames(m, q)
        placed = m.shapes[1]
        pose = wt.frame_pose(m, q, placed.body)
        R, p = (
            pose[:3, :3] @ placed.placement.rotation,
            pose[:3, :3] @ placed.placement.position + pose[:3, 3],
        )
        x, y, z = R.T @ (frames.point_a[0] + 0.1 * frames.axes[0, 0] - p)
        u, v, width, distance = x, y, 1.0, np.zeros(0)
        for _ in range(12):
            us, vs = np.meshgrid(*(c + width * np.linspace(-1, 1, 21) for c in (u, v)))
            distance = np.sqrt((us - x) ** 2 + (vs - y) ** 2 + (touching.hills(us, vs) - z) ** 2)
            best = np.unravel_index(np.argmin(distance), distance.shape)
            u, v, width = us[best], vs[best], 0.3 * width
        side = np.sign(z - touching.hills(x, y))
        assert frames.gap[0] == pytest.approx(side * distance.min() - 0.1, abs=1e-10)
