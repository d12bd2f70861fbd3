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


def test_two_boxes_a_millimetre_apart() -> None:
    """Corner on face, edge on edge and all between: the least of the gaps is the distance."""
    m, rng, found = wt.Mechanism("pair"), np.random.default_rng(1), set()
    for name, size in (("a", (0.3, 0.5, 0.7)), ("b", (0.6, 0.2, 0.4))):
        m.add_body(f"body {name}", wt.Free(), inertia=wt.Inertia(1.0))
        m.add_shape(name, wt.Box(size), f"body {name}")
    m.add_contact("touch", "a", "b")
    for _ in range(60):
        q, way = m.random(rng), rng.normal(size=3)
        way /= np.linalg.norm(way)
        q[:3], q[7:10] = 2.0 * way, 0.0
        for _ in range(20):  # straight in, until they almost touch
            distance, normal = coal_distance(m, q)
            q[:3] += (1e-3 - distance) / (normal @ way) * way
        expected, normal = coal_distance(m, q)
        frames = wt.contact.contact_frames(m, q)
        nearest = int(np.argmin(frames.gap))
        found.add(nearest // 8)
        assert frames.gap[nearest] == pytest.approx(expected, abs=1e-9)
        np.testing.assert_allclose(frames.axes[nearest, 0], normal, atol=1e-6)
    assert found >= {0, 1, 2}  # corners of either, and edges


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


def on_field(field: wt.Heights, radius: float = 0.05) -> wt.Mechanism:
    m = wt.Mechanism("ball")
    m.add_body("ball", wt.Translation(), inertia=wt.Inertia.sphere(radius, mass=0.4))
    m.add_shape("skin", wt.Sphere(radius), "ball")
    m.add_shape("field", field)
    m.add_contact("roll", "skin", "field", friction=0.0)
    return m


def test_a_field_of_a_slope_is_that_slope_beyond_its_rim_too():
    slope = wt.Heights.of(lambda x, y: 0.3 * x - 0.2 * y + 0.1, (0.0, 2.0), (-1.0, 1.0), (5, 4))
    m, n = on_field(slope), np.array([-0.3, 0.2, 1.0]) / np.sqrt(1.13)
    for place in ((0.7, 0.3, 0.9), (1.0, -1.0, 0.5), (3.5, -2.0, 1.0), (-1.0, 4.0, -0.4)):
        frames = wt.contact.contact_frames(m, np.array(place))
        assert frames.gap[0] == pytest.approx(n @ (np.array(place) - [0, 0, 0.1]) - 0.05, abs=1e-13)
        np.testing.assert_allclose(frames.axes[0, 0], n, atol=1e-13)


def test_a_field_goes_through_its_samples_and_to_its_function():
    """By order 4 away from the rim, where its curvature is not that of the function."""
    place, errors = np.array([0.31, 0.22, 0.45]), []
    smooth = wt.Mechanism("ball")
    smooth.add_body("ball", wt.Translation(), inertia=wt.Inertia(0.4))
    smooth.add_shape("skin", wt.Sphere(0.05), "ball")
    smooth.add_shape("hills", wt.Landscape(touching.hills))
    smooth.add_contact("roll", "skin", "hills")
    exact = wt.contact.gaps(smooth, place)[0]
    for samples in (13, 25):
        field = wt.Heights.of(touching.hills, (-3.0, 3.0), (-3.0, 3.0), (samples, samples))
        errors.append(abs(wt.contact.gaps(on_field(field), place)[0] - exact))
    assert errors[0] < 1e-3
    assert errors[1] < errors[0] / 10.0
    point = on_field(wt.Heights.of(touching.hills, (-3.0, 3.0), (-3.0, 3.0), (7, 7)), 1e-9)
    for x, y in ((-3.0, 1.0), (1.0, 2.0), (2.0, -2.0)):
        assert wt.contact.gaps(point, np.array([x, y, touching.hills(x, y)]))[0] == pytest.approx(
            -1e-9, abs=1e-14
        )


def test_a_ball_slides_through_a_field_without_loss():
    bowl = wt.Heights.of(lambda x, y: 0.5 * x * x + 0.3 * y * y, (-1.5, 1.5), (-1.5, 1.5), (7, 7))
    m = on_field(bowl)
    q = np.array([0.9, 0.4, 0.0])
    for _ in range(30):
        q[2] -= wt.contact.gaps(m, q)[0]
    run = wt.simulate(m, q, duration=1.0)
    assert np.ptp(run.energy) < 1e-6
    assert np.abs(run.contacts.gap).max() < 1e-9
    assert run.contacts.times("opens") == []
    stepped, _ = wt.rollout(m, q, np.zeros(3), dt=1e-3, steps=1000, every=1000, contacts="rigid")
    np.testing.assert_allclose(stepped[-1], run.q[-1], atol=5e-3)


def test_fields_of_too_many_samples_are_told():
    m = on_field(wt.Heights(np.zeros((60, 50)), (0.0, 1.0), (0.0, 1.0)))
    with pytest.raises(wt.ModelError, match=r"heights of 60 × 50 samples may not touch, at most 2500 in all"):
        wt.contact.gaps(m, np.zeros(3))
