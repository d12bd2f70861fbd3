"""Inertias of shapes against the volume integrals that define them, by Gauss quadrature."""

from collections.abc import Callable

import numpy as np
import pytest

import whippletree as wt

DENSITY = 730.0
WHERE = wt.Placement((0.3, -0.7, 0.4), rpy=(0.5, -0.8, 1.1))


def line(low: float, high: float, n: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights, exact for polynomials of degree 11."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * w


def grid(*lines: tuple[np.ndarray, np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """All combinations of the points, with the products of their weights."""
    points = [p.ravel() for p in np.meshgrid(*(p for p, _ in lines), indexing="ij")]
    weights = np.prod([w.ravel() for w in np.meshgrid(*(w for _, w in lines), indexing="ij")], axis=0)
    return points, weights


def turn() -> tuple[np.ndarray, np.ndarray]:
    """A full turn; equal weights are exact for the sines and cosines that occur."""
    return np.arange(12) * np.pi / 6, np.full(12, np.pi / 6)


def box(a: float, b: float, c: float) -> tuple[np.ndarray, np.ndarray]:
    points, weights = grid(*(line(-edge / 2, edge / 2) for edge in (a, b, c)))
    return np.array(points).T, weights


def tube(inner: float, outer: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    (r, angle, z), w = grid(line(inner, outer), turn(), line(-length / 2, length / 2))
    return np.array([r * np.cos(angle), r * np.sin(angle), z]).T, w * r


def ball(
    inner: float, outer: float, cosines: tuple[float, float] = (-1.0, 1.0)
) -> tuple[np.ndarray, np.ndarray]:
    """A ball, or the zone of one between two cosines of the angle from the z axis."""
    (r, angle, c), w = grid(line(inner, outer), turn(), line(*cosines, n=12))
    s = np.sqrt(1 - c * c)
    return np.array([r * s * np.cos(angle), r * s * np.sin(angle), r * c]).T, w * r * r


def capsule(radius: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    (p0, w0), (p1, w1), (p2, w2) = (
        tube(0, radius, length),
        ball(0, radius, (0.0, 1.0)),
        ball(0, radius, (-1.0, 0.0)),
    )
    up = np.array([0, 0, length / 2])
    return np.concatenate([p0, p1 + up, p2 - up]), np.concatenate([w0, w1, w2])


def ellipsoid(*radii: float) -> tuple[np.ndarray, np.ndarray]:
    points, weights = ball(0, 1)
    return points * np.array(radii), weights * np.prod(radii)


SOLIDS: dict[str, tuple[Callable[..., wt.Inertia], tuple, dict, tuple[np.ndarray, np.ndarray]]] = {
    "box": (wt.Inertia.box, ((0.4, 0.7, 0.25),), {}, box(0.4, 0.7, 0.25)),
    "sphere": (wt.Inertia.sphere, (0.35,), {}, ball(0, 0.35)),
    "hollow sphere": (wt.Inertia.sphere, (0.35,), {"inner_radius": 0.21}, ball(0.21, 0.35)),
    "cylinder": (wt.Inertia.cylinder, (0.35, 0.9), {}, tube(0, 0.35, 0.9)),
    "tube": (wt.Inertia.cylinder, (0.35, 0.9), {"inner_radius": 0.21}, tube(0.21, 0.35, 0.9)),
    "capsule": (wt.Inertia.capsule, (0.35, 0.9), {}, capsule(0.35, 0.9)),
    "ellipsoid": (wt.Inertia.ellipsoid, ((0.4, 0.7, 0.25),), {}, ellipsoid(0.4, 0.7, 0.25)),
}


def integral(points: np.ndarray, masses: np.ndarray, where: wt.Placement = WHERE) -> np.ndarray:
    """(6, 6) spatial inertia about the body's origin of point masses given in the shape's frame."""
    p = points @ where.rotation.T + where.position
    first = masses @ p
    second = np.einsum("k,ki,kj->ij", masses, p, p)
    cross = np.array([[0, -first[2], first[1]], [first[2], 0, -first[0]], [-first[1], first[0], 0]])
    about_origin = np.trace(second) * np.eye(3) - second
    return np.block([[about_origin, cross], [-cross, masses.sum() * np.eye(3)]])


@pytest.mark.parametrize("name", SOLIDS)
def test_solid_by_density_is_its_volume_integral(name: str) -> None:
    make, sizes, options, (points, weights) = SOLIDS[name]
    made = make(*sizes, density=DENSITY, placement=WHERE, **options)
    expected = integral(points, DENSITY * weights)
    np.testing.assert_allclose(made.matrix(), expected, rtol=0, atol=1e-13 * np.max(expected))


@pytest.mark.parametrize("name", SOLIDS)
def test_solid_by_mass_has_that_mass_and_the_same_shape(name: str) -> None:
    make, sizes, options, (points, weights) = SOLIDS[name]
    made = make(*sizes, mass=2.7, placement=WHERE, **options)
    expected = integral(points, 2.7 * weights / weights.sum())
    np.testing.assert_allclose(made.matrix(), expected, rtol=0, atol=1e-13 * np.max(expected))
    assert made.m == 2.7


@pytest.mark.parametrize("name", SOLIDS)
def test_solid_sits_at_the_frame_by_default(name: str) -> None:
    make, sizes, options, (points, weights) = SOLIDS[name]
    expected = integral(points, DENSITY * weights, wt.Placement())
    made = make(*sizes, density=DENSITY, **options)
    np.testing.assert_allclose(made.matrix(), expected, rtol=0, atol=1e-13 * np.max(expected))


def test_rod_is_its_line_integral() -> None:
    start, end = np.array([0.3, -0.2, 0.7]), np.array([-0.4, 0.9, 0.1])
    t, w = line(0, 1)
    points, length = start + t[:, None] * (end - start), np.linalg.norm(end - start)
    expected = integral(points, 1.9 * length * w, wt.Placement())
    by_length = wt.Inertia.rod(start, end, density_per_length=1.9)
    by_mass = wt.Inertia.rod(start, end, mass=1.9 * float(length))
    np.testing.assert_allclose(by_length.matrix(), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(by_mass.matrix(), expected, rtol=0, atol=1e-14)


def test_thin_shells_are_the_limit_of_thick_ones() -> None:
    """Closed forms of a thin spherical shell, 2/3 m R², and of a thin open tube."""
    shell = wt.Inertia.sphere(0.3, inner_radius=0.3, mass=2.0)
    np.testing.assert_allclose(shell.about_com, 2 / 3 * 2.0 * 0.09 * np.eye(3), rtol=1e-14)
    pipe = wt.Inertia.cylinder(0.3, 0.8, inner_radius=0.3, mass=2.0)
    across = 2.0 * (0.09 / 2 + 0.64 / 12)
    np.testing.assert_allclose(pipe.about_com, np.diag([across, across, 2.0 * 0.09]), rtol=1e-14)


def test_shapes_without_volume() -> None:
    """A capsule of no radius is a rod, one of no length a ball, and a ball of no radius a point."""
    rod = wt.Inertia.rod((0, 0, -0.4), (0, 0, 0.4), mass=2.0)
    np.testing.assert_allclose(wt.Inertia.capsule(0.0, 0.8, mass=2.0).matrix(), rod.matrix(), atol=1e-16)
    ball_ = wt.Inertia.sphere(0.3, mass=2.0)
    np.testing.assert_allclose(wt.Inertia.capsule(0.3, 0.0, mass=2.0).matrix(), ball_.matrix(), rtol=1e-14)
    assert wt.Inertia.sphere(0.0, mass=2.0) == wt.Inertia(2.0)


def test_hollow_box_by_taking_out_the_inside() -> None:
    outer, inner = box(0.4, 0.7, 0.25), box(0.3, 0.6, 0.15)
    made = wt.Inertia.box((0.4, 0.7, 0.25), density=DENSITY)
    made = made + wt.Inertia.box((0.3, 0.6, 0.15), density=DENSITY).scaled(-1.0)
    expected = [integral(points, DENSITY * weights, wt.Placement()) for points, weights in (outer, inner)]
    np.testing.assert_allclose(made.matrix(), expected[0] - expected[1], atol=1e-13)


def test_principal_moments_and_axes() -> None:
    moments = (0.31, 0.47, 0.59)
    made = wt.Inertia.from_principal_moments(1.7, moments, WHERE)
    np.testing.assert_allclose(made.com, WHERE.position, rtol=1e-15)
    # I e = λ e for each axis of the placement.
    np.testing.assert_allclose(
        made.about_com @ WHERE.rotation, WHERE.rotation * np.array(moments), rtol=0, atol=1e-15
    )


MESSAGES = [
    (lambda: wt.Inertia.box((1, 1, 1)), "box needs mass or density: give one of them"),
    (lambda: wt.Inertia.box((1, 1, 1), mass=1, density=1), "box: give either mass or density, not both"),
    (
        lambda: wt.Inertia.rod((0, 0, 0), (1, 0, 0)),
        "rod needs mass or density_per_length: give one of them",
    ),
    (lambda: wt.Inertia.box((1, 2), mass=1.0), "box: size (3 edges) is (1, 2): give 3 finite numbers"),
    (lambda: wt.Inertia.box("abc", mass=1.0), "box: size (3 edges) is 'abc': give 3 finite numbers"),
    (
        lambda: wt.Inertia.box((1, 2, -3), mass=1.0),
        "box: size (3 edges) is (1, 2, -3), must not be negative",
    ),
    (
        lambda: wt.Inertia.sphere(float("nan"), mass=1.0),
        "sphere: radius is nan: give a finite number",
    ),
    (
        lambda: wt.Inertia.cylinder(0.1, 1.0, inner_radius=0.2, mass=1.0),
        "cylinder: inner_radius 0.2 m is larger than radius 0.1 m",
    ),
    (lambda: wt.Inertia.sphere(0.1, mass=-1.0), "sphere: mass is -1, must not be negative"),
    (lambda: wt.Inertia.sphere(0.1, density=-1.0), "sphere: density is -1, must not be negative"),
    (
        lambda: wt.Inertia.box((1, 1, 0), density=1.0),
        "box of no volume has no mass by density: give mass",
    ),
    (
        lambda: wt.Inertia.rod((1, 1, 0), (1, 1, 0), density_per_length=1.0),
        "rod of no length has no mass by density_per_length: give mass",
    ),
    (
        lambda: wt.Inertia.from_principal_moments(1.0, (1.0, 2.0)),
        "from_principal_moments: moments is (1.0, 2.0): give 3 finite numbers",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[message for _, message in MESSAGES])
def test_wrong_shapes_are_refused(call: Callable[[], wt.Inertia], message: str) -> None:
    with pytest.raises(wt.ModelError) as error:
        call()
    assert str(error.value) == message
