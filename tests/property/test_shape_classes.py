"""Shapes: farthest points are farthest, bounds hold them, inertias are closed forms, surfaces closed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import randoms
import whippletree as wt
from whippletree.shapes import SHAPES, Shape
from whippletree.shapes.revolved import ALONG, AROUND

WEDGE = np.array([(0.1, 0.0, 0.0), (1.0, 0.2, 0.0), (0.0, 1.1, 0.3), (0.0, 0.2, 1.3)])
SIDES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
CONVEX: dict[str, Shape] = {
    "box": wt.Box((0.4, 0.2, 0.6)),
    "sphere": wt.Sphere(0.35),
    "capsule": wt.Capsule(0.1, 0.6),
    "cylinder": wt.Cylinder(0.15, 0.7),
    "ellipsoid": wt.Ellipsoid((0.3, 0.2, 0.5)),
    "mesh": wt.Mesh("wedge.stl", (1.2, 0.8, 1.5), WEDGE, SIDES),
}
HILLS = wt.Heights.of(lambda x, y: 0.3 * np.sin(2.0 * x) * y, x=(-1.0, 2.0), y=(0.5, 1.5), samples=(7, 5))


def inside(name: str, p: np.ndarray) -> np.ndarray:
    """Which of the points (n, 3) lie in a shape of CONVEX."""
    x, y, z = p.T
    if name == "box":
        return np.all(np.abs(p) <= np.array([0.2, 0.1, 0.3]), axis=1)
    if name == "sphere":
        return np.linalg.norm(p, axis=1) <= 0.35
    if name == "capsule":
        return np.hypot(np.hypot(x, y), np.maximum(np.abs(z) - 0.3, 0.0)) <= 0.1
    if name == "cylinder":
        return (np.hypot(x, y) <= 0.15) & (np.abs(z) <= 0.35)
    return (x / 0.3) ** 2 + (y / 0.2) ** 2 + (z / 0.5) ** 2 <= 1.0


def points_of(name: str, rng: np.random.Generator) -> np.ndarray:
    low, high = CONVEX[name].bounds()
    if name == "mesh":
        return rng.dirichlet(np.ones(4), 3000) @ (WEDGE * np.array([1.2, 0.8, 1.5]))
    found = rng.uniform(1.2 * low, 1.2 * high, size=(6000, 3))
    return found[inside(name, found)]


@pytest.mark.parametrize("name", CONVEX)
@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_point_is_farther_than_the_farthest(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape, d = CONVEX[name], rng.normal(size=3) * 10.0 ** rng.integers(-3, 4)
    far = shape.support(d)
    points = points_of(name, rng)
    assert len(points) > 500
    scale = 1e-12 * np.linalg.norm(d)
    assert np.max(points @ d) <= far @ d + scale
    low, high = shape.bounds()
    assert np.all(low - 1e-12 <= far)
    assert np.all(far <= high + 1e-12)
    if name != "mesh":  # it is a point of the shape itself, and none outside
        assert inside(name, (1.0 - 1e-9) * far[None])[0]


@pytest.mark.parametrize("name", CONVEX)
def test_bounds_are_tight_and_axes_are_supported(name: str) -> None:
    shape = CONVEX[name]
    low, high = shape.bounds()
    for k in range(3):
        assert shape.support(np.eye(3)[k])[k] == pytest.approx(high[k], rel=1e-14)
        assert shape.support(-np.eye(3)[k])[k] == pytest.approx(low[k], rel=1e-14)


def closed_form(name: str, m: float) -> tuple[list[float], float]:
    """Principal moments of mass m, and the volume: textbook formulas."""
    if name == "box":
        return [m / 12 * (0.04 + 0.36), m / 12 * (0.16 + 0.36), m / 12 * (0.16 + 0.04)], 0.048
    if name == "sphere":
        return [0.4 * m * 0.35**2] * 3, 4 / 3 * np.pi * 0.35**3
    if name == "cylinder":
        across = m / 12 * (3 * 0.15**2 + 0.7**2)
        return [across, across, m / 2 * 0.15**2], np.pi * 0.15**2 * 0.7
    if name == "ellipsoid":
        return [m / 5 * (0.04 + 0.25), m / 5 * (0.09 + 0.25), m / 5 * (0.09 + 0.04)], 4 / 3 * np.pi * 0.03
    r, l = 0.1, 0.6
    tube, ball = np.pi * r**2 * l, 4 / 3 * np.pi * r**3
    share = m / (tube + ball)
    # Half balls: 83/320 m r² about their own centres, which are 3 r/8 from the flat side.
    half = ball / 2 * share
    across = tube * share * (3 * r**2 + l**2) / 12
    across += 2 * half * (83 / 320 * r**2 + (l / 2 + 3 * r / 8) ** 2)
    return [across, across, tube * share * r**2 / 2 + ball * share * 0.4 * r**2], tube + ball


@pytest.mark.parametrize("name", [name for name in CONVEX if name != "mesh"])
def test_inertias_are_the_closed_forms(name: str) -> None:
    moments, volume = closed_form(name, 2.5)
    found = CONVEX[name].inertia(mass=2.5)
    assert_allclose(found.about_com, np.diag(moments), rtol=1e-13, atol=1e-16)
    assert_allclose(CONVEX[name].inertia(density=700.0).m, 700.0 * volume, rtol=1e-13)
    at = randoms.placement(np.random.default_rng(1))
    placed = CONVEX[name].inertia(mass=2.5, placement=at)
    assert_allclose(placed.com, at.position, rtol=1e-13)
    assert_allclose(placed.about_com, at.rotation @ np.diag(moments) @ at.rotation.T, rtol=1e-12, atol=1e-14)


def test_a_polyhedron_is_what_it_is_made_of() -> None:
    """A box by its triangles, anywhere; a tetrahedron by its second moments, m/20 (4 c cᵀ·4 + Σ p pᵀ)."""
    at = randoms.placement(np.random.default_rng(2))
    box = wt.Box((0.4, 0.2, 0.6))
    found = wt.Inertia.polyhedron(*box.triangles(), density=300.0, placement=at)
    expected = box.inertia(density=300.0, placement=at)
    assert_allclose(found.matrix(), expected.matrix(), rtol=1e-12, atol=1e-13)
    p = WEDGE * np.array([1.2, 0.8, 1.5])
    mesh, com = CONVEX["mesh"].inertia(mass=3.0), np.mean(p, axis=0)
    assert_allclose(mesh.com, com, rtol=1e-13)
    second = 3.0 / 20.0 * (16.0 * np.outer(com, com) + p.T @ p)
    assert_allclose(
        wt.Inertia.from_parts(mesh.m, mesh.h, mesh.I).matrix()[:3, :3],
        np.trace(second) * np.eye(3) - second,
        rtol=1e-12,
        atol=1e-13,
    )
    mirrored = wt.Mesh("wedge.stl", (-1.2, 0.8, 1.5), WEDGE, SIDES).inertia(density=10.0)
    assert_allclose(mirrored.m, CONVEX["mesh"].inertia(density=10.0).m, rtol=1e-13)
    assert_allclose(mirrored.com, com * np.array([-1.0, 1.0, 1.0]), rtol=1e-13)


def polygon(n: int) -> float:
    """Share of a circle's square radius that a regular polygon covers."""
    return n / 2 * np.sin(2 * np.pi / n)


def ball(r: float, heights: np.ndarray) -> float:
    """Volume of a stack of frustums whose rings lie on a ball, over the polygon's share."""
    radii, z = np.sqrt(np.maximum(r**2 - heights**2, 0.0)), heights
    return float(np.sum(np.diff(z) * (radii[1:] ** 2 + radii[1:] * radii[:-1] + radii[:-1] ** 2) / 3.0))


@pytest.mark.parametrize("name", CONVEX)
def test_surfaces_are_closed_and_turned_outwards(name: str) -> None:
    points, faces = CONVEX[name].triangles()
    edges = [(a, b) for face in faces.tolist() for a, b in zip(face, face[1:] + face[:1], strict=True)]
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)
    low, high = CONVEX[name].bounds()
    assert np.all(points >= low - 1e-12)
    assert np.all(points <= high + 1e-12)
    z = np.sin(np.linspace(-0.5 * np.pi, 0.5 * np.pi, ALONG + 1))
    stack = ball(1.0, z) * polygon(AROUND)
    expected = {
        "box": 0.048,
        "sphere": 0.35**3 * stack,
        "capsule": 0.1**3 * stack + polygon(AROUND) * 0.1**2 * 0.6,
        "cylinder": polygon(AROUND) * 0.15**2 * 0.7,
        "ellipsoid": 0.03 * stack,
        "mesh": CONVEX["mesh"].inertia(density=1.0).m,
    }
    assert_allclose(wt.Inertia.polyhedron(points, faces, density=1.0).m, expected[name], rtol=1e-12)


def test_a_plane_is_all_below_it() -> None:
    low, high = wt.Plane().bounds()
    assert low.tolist() == [-np.inf] * 3
    assert high.tolist() == [np.inf, np.inf, 0.0]
    points, faces = wt.Plane().triangles()
    (a, b, c) = points[faces[0]]
    assert np.cross(b - a, c - a)[2] > 0.0


def test_heights_go_through_their_samples() -> None:
    points, faces = HILLS.triangles()
    assert (len(points), len(faces)) == (35, 48)
    for x, y, z in points:
        assert_allclose(HILLS.height(x, y), z, rtol=0, atol=1e-14)
        assert_allclose(z, 0.3 * np.sin(2.0 * x) * y, rtol=0, atol=1e-14)
    rng = np.random.default_rng(3)
    for face in faces:  # inside a triangle the surface is flat
        share = rng.dirichlet(np.ones(3))
        x, y, z = share @ points[face]
        assert_allclose(HILLS.height(x, y), z, rtol=0, atol=1e-13)
        a, b, c = points[face]
        assert np.cross(b - a, c - a)[2] > 0.0
    low, high = HILLS.bounds()
    assert_allclose(low, [-1.0, 0.5, -np.inf])
    assert_allclose(high, [2.0, 1.5, points[:, 2].max()])
    same = wt.Heights(np.array(HILLS.heights), (-1, 2), (0.5, 1.5))
    assert same == HILLS
    assert hash(same) == hash(HILLS)
    assert wt.Heights(HILLS.heights + 1e-9, HILLS.x, HILLS.y) != HILLS
    assert wt.Plane() != HILLS


@pytest.mark.parametrize("shape", [*CONVEX.values(), wt.Plane(), HILLS], ids=lambda shape: shape.kind)
def test_what_a_file_says_is_the_shape(shape: Shape) -> None:
    assert type(shape).read(shape.saved()) == shape
    assert SHAPES[shape.kind] is type(shape)


W: Any = wt  # where arguments are wrong
MESSAGES: list[tuple[Any, str]] = [
    (lambda: W.Box((0.1, -0.2, 0.3)), "box: size (3 edges) is (0.1, -0.2, 0.3), must not be negative"),
    (lambda: W.Box(0.1), "box: size (3 edges) is 0.1: give 3 finite numbers"),
    (lambda: W.Sphere(float("nan")), "sphere: radius is nan: give a finite number"),
    (lambda: W.Capsule(0.1, -1.0), "capsule: radius and length is (0.1, -1.0), must not be negative"),
    (lambda: W.Cylinder(0.1, -1.0), "cylinder: length is -1.0, must not be negative"),
    (lambda: W.Ellipsoid((0.1, 0.2)), "ellipsoid: radii (3 half axes) is (0.1, 0.2): give 3 finite numbers"),
    (lambda: W.Plane().inertia(mass=1.0), "a plane has no inertia: it has no end; put it on the ground"),
    (
        lambda: W.Plane().support((0, 0, 1)),
        "a plane has no farthest point: it has no end; measure heights above it",
    ),
    (
        lambda: HILLS.inertia(mass=1.0),
        "heights have no inertia: they have no lower end; put them on the ground",
    ),
    (
        lambda: HILLS.support((0, 0, 1)),
        "heights have no farthest point: they are not convex and have no lower end",
    ),
    (lambda: HILLS.height(2.5, 1.0), "heights: x is 2.5, outside of -1 … 2 m"),
    (
        lambda: W.Heights(np.zeros((1, 3)), (0, 1), (0, 1)),
        "heights has shape (1, 3): give at least 2 × 2 numbers, in m",
    ),
    (
        lambda: W.Heights([[1, 2], [3]], (0, 1), (0, 1)),
        "heights: give rows of numbers, all of one length, in m",
    ),
    (
        lambda: W.Heights(np.zeros((2, 2)), (0, 1), (1, 1)),
        "heights: y is (1, 1), expected a lower and a higher number, in m",
    ),
    (
        lambda: W.Heights.read({"size": (0, 1, 0, 1)}),
        "heights: a height field needs heights, rows of numbers",
    ),
    (lambda: W.Mesh(""), "mesh: file is '', expected a path, as a text"),
    (
        lambda: W.Mesh("a.stl", (1, 2)),
        "mesh 'a.stl': scale is (1, 2), expected 3 finite numbers, none of them 0",
    ),
    (
        lambda: W.Mesh("a.stl", (1.0, 0.0, 1.0)),
        "mesh 'a.stl': scale is (1.0, 0.0, 1.0), expected 3 finite numbers, none of them 0",
    ),
    (
        lambda: W.Mesh("a.stl").bounds(),
        "mesh 'a.stl' has no vertices yet: load the file and give them, as Mesh(…, vertices=…)",
    ),
    (
        lambda: W.Mesh("a.stl", vertices=np.eye(3)).inertia(mass=1.0),
        "mesh 'a.stl' has no faces yet: give them, as Mesh(…, vertices=…, faces=…)",
    ),
    (
        lambda: W.Mesh("a.stl", vertices=np.eye(4)),
        "mesh: vertices has shape (4, 4), expected (n, 3): corners",
    ),
    (lambda: W.Mesh("a.stl", vertices="corners"), "mesh: vertices is 'corners', expected numbers"),
    (
        lambda: W.Mesh("a.stl", vertices=WEDGE, faces=SIDES[:, ::-1]).inertia(mass=1.0),
        "polyhedron has the volume -0.208833 m³: give a closed surface, its triangles counter-clockwise as "
        "seen from outside",
    ),
    (
        lambda: W.Sphere(0.1).support((0, 0, 0)),
        "direction is (0, 0, 0): give three finite numbers, not all zero",
    ),
    (lambda: W.Sphere(0.1).support("up"), "direction is 'up': give three numbers"),
    (
        lambda: W.Inertia.polyhedron(WEDGE[:, :2], SIDES, mass=1.0),
        "polyhedron: vertices has shape (4, 2): give rows of three finite numbers",
    ),
    (
        lambda: W.Inertia.polyhedron(WEDGE, "all", mass=1.0),
        "polyhedron: faces is 'all': give rows of three numbers",
    ),
    (
        lambda: W.Inertia.polyhedron(WEDGE, SIDES + 1, mass=1.0),
        "polyhedron: faces names a corner that is not among 0 … 3",
    ),
    (
        lambda: W.Capsule.read({"size": (0.1,)}),
        "size of a capsule is [0.1], expected 2 numbers: radius, length",
    ),
    (lambda: W.Plane.read({"size": (0.1,)}), "size of a plane is [0.1], expected 0 numbers: none"),
    (
        lambda: W.Geometry("cone"),
        "geometry: shape is 'cone', expected one of Box, Sphere, Capsule, Cylinder, Ellipsoid, Plane, Mesh, "
        "Heights, as Box((0.1, 0.2, 0.3))",
    ),
    (
        lambda: W.Geometry(wt.Sphere(0.1), (0, 0, 1)),
        "geometry: placement is (0, 0, 1), expected a Placement such as Placement((0, 0, 1))",
    ),
    (
        lambda: W.Geometry(wt.Sphere(0.1), color=(1, 0, 0)),
        "geometry: color is (1, 0, 0), expected red, green, blue and opacity, each from 0 to 1",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[message for _, message in MESSAGES])
def test_what_is_no_shape_is_refused(call: Any, message: str) -> None:
    with pytest.raises(wt.ModelError) as error:
        call()
    assert str(error.value) == message
