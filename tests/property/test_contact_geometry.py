"""Shapes that touch: Jacobian and bias are the derivatives of gaps and velocities, for every pair."""

from typing import Any

import numpy as np
import pytest

import touching
import whippletree as wt
from whippletree.contact.geometry.pair_table import PAIRS
from whippletree.contact.geometry.shape_pairs.convex_convex import CONVEX_KINDS
from whippletree.spatial import Array

CLOSED = [*(kinds for kinds in PAIRS if kinds != ("box", "box")), ("plane", "box"), ("box", "sphere")]


def difference(f, h: float = 1e-3) -> Any:
    """df/dt at 0, by differences of sixth order."""
    weights = ((1, 45.0), (2, -9.0), (3, 1.0))
    return sum(w * (f(k * h) - f(-k * h)) for k, w in weights) / (60.0 * h)


@pytest.mark.parametrize(("kind_a", "kind_b"), CLOSED)
def test_jacobian_and_bias_are_derivatives(kind_a: str, kind_b: str) -> None:
    rng = np.random.default_rng(7)
    m = touching.pair(touching.SHAPES[kind_a], touching.SHAPES[kind_b])
    for _ in range(3):
        q, qd = touching.state(m, rng)

        def at(t: float, q: Array = q, qd: Array = qd) -> Array:
            return m.integrate(q, t * qd)

        J, frames = wt.contact.contact_jacobian(m, q), wt.contact.contact_frames(m, q)
        assert J.shape == (len(wt.contact.candidates(m)), 3, m.nv)
        velocity = wt.contact.contact_velocity(m, q, qd)
        np.testing.assert_allclose(velocity, J @ qd, atol=1e-13)
        np.testing.assert_allclose(velocity[:, 0], difference(lambda t: wt.contact.gaps(m, at(t))), atol=1e-9)
        bias = difference(lambda t, qd=qd: wt.contact.contact_velocity(m, at(t), qd))
        np.testing.assert_allclose(wt.contact.contact_bias(m, q, qd), bias, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(frames.gap, wt.contact.gaps(m, q), atol=1e-15)
        np.testing.assert_allclose(
            frames.point_a - frames.point_b, frames.gap[:, None] * frames.axes[:, 0], atol=1e-14
        )
        products = frames.axes @ np.swapaxes(frames.axes, 1, 2)
        np.testing.assert_allclose(products, np.broadcast_to(np.eye(3), products.shape), atol=1e-14)
        assert np.all(np.linalg.det(frames.axes) > 0.9)


@pytest.mark.parametrize(("kind_a", "kind_b"), [*CLOSED, ("box", "box")])
def test_kernels_say_the_same(kind_a: str, kind_b: str) -> None:
    m = touching.pair(touching.SHAPES[kind_a], touching.SHAPES[kind_b])
    q, qd = touching.state(m, np.random.default_rng(3))

    def everything(m, q, qd):
        frames = wt.contact.contact_frames(m, q)
        return frames.gap, frames.axes, frames.point, wt.contact.contact_velocity(m, q, qd)

    for got, expected in zip(wt.compile(everything, m)(q, qd), everything(m, q, qd), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-13)


@pytest.mark.parametrize("kinds", [("capsule", "plane"), ("sphere", "box"), ("sphere", "landscape")])
def test_bias_and_jacobian_compile(kinds: tuple[str, str]) -> None:
    m = touching.pair(*(touching.SHAPES[kind] for kind in kinds))
    q, qd = touching.state(m, np.random.default_rng(5))
    bias, J = wt.compile(wt.contact.contact_bias, m), wt.compile(wt.contact.contact_jacobian, m)
    np.testing.assert_allclose(bias(q, qd), wt.contact.contact_bias(m, q, qd), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(J(q), wt.contact.contact_jacobian(m, q), atol=1e-13)


def test_a_sphere_inside_a_box_leaves_by_the_nearest_side() -> None:
    m = touching.pair(wt.Sphere(0.05), wt.Box((3.0, 4.0, 5.0)))
    rng = np.random.default_rng(2)
    for _ in range(5):
        q, qd = touching.state(m, rng, apart=0.0)
        gap = wt.contact.gaps(m, q)[0]
        assert -1.55 < gap < -0.05
        rate = difference(lambda t, q=q, qd=qd: wt.contact.gaps(m, m.integrate(q, t * qd)), 1e-5)
        np.testing.assert_allclose(wt.contact.contact_velocity(m, q, qd)[:, 0], rate, atol=1e-8)


def test_a_flat_cylinder_and_a_lying_one_stand_on_their_rims() -> None:
    m = wt.Mechanism("tin")
    m.add_body("tin", wt.Free(), inertia=wt.Inertia.cylinder(0.3, 1.0, mass=2.0))
    m.add_shape("rim", wt.Cylinder(0.3, 1.0), "tin")
    m.add_shape("floor", wt.Plane())
    m.add_contact("rest", "rim", "floor")
    standing = np.array([0.1, 0.2, 0.5, 1, 0, 0, 0])
    flat = wt.contact.gaps(m, standing)
    assert np.sum(np.abs(flat) < 1e-15) == 4
    lying = wt.contact.gaps(m, np.array([0.1, 0.2, 0.3, np.sqrt(0.5), np.sqrt(0.5), 0, 0]))
    np.testing.assert_allclose(lying[[0, 4]], 0.0, atol=1e-15)
    assert np.all(lying > -1e-15)
    bias = wt.contact.contact_bias(m, standing, np.array([0.3, 0.2, 0.1, 0, 0, 0]))
    assert np.all(np.isfinite(bias))


@pytest.mark.parametrize(
    "kinds",
    [
        ("cylinder", "cylinder"),
        ("cylinder", "box"),
        ("mesh", "mesh"),
        ("ellipsoid", "capsule"),
        ("mesh", "box"),
    ],
)
def test_searched_pairs_move_as_their_gaps_do(kinds: tuple[str, str]) -> None:
    m = touching.pair(*(touching.SHAPES[kind] for kind in kinds))
    rng = np.random.default_rng(4)
    for _ in range(3):
        q, qd = touching.state(m, rng, apart=2.5)
        rate = difference(lambda t, q=q, qd=qd: wt.contact.gaps(m, m.integrate(q, t * qd)), 1e-3)
        np.testing.assert_allclose(wt.contact.contact_velocity(m, q, qd)[:, 0], rate, atol=1e-4)
        assert np.all(np.isfinite(wt.contact.contact_bias(m, q, qd)))
    with pytest.raises(TypeError, match="found by search, which cannot be recorded"):
        wt.compile(wt.contact.gaps, m)


def test_two_boxes_move_as_their_gaps_do() -> None:
    """Of 25 candidates some turn to another face or edge within the differences, which their normals tell."""
    m, rng, h = (
        touching.pair(wt.Box((0.3, 0.5, 0.7)), wt.Box((0.6, 0.2, 0.4))),
        np.random.default_rng(5),
        1e-5,
    )
    steady = []
    for _ in range(4):
        q, qd = touching.state(m, rng)
        places = [m.integrate(q, k * h * qd) for k in (-3, 0, 3)]
        ends = [wt.contact.contact_frames(m, at).axes[:, 0] for at in places]
        stays = np.abs(ends[0] - 2.0 * ends[1] + ends[2]).max(axis=1) < 1e-6
        rate = difference(lambda t, q=q, qd=qd: wt.contact.gaps(m, m.integrate(q, t * qd)), h)
        velocity, bias = wt.contact.contact_velocity(m, q, qd), wt.contact.contact_bias(m, q, qd)
        np.testing.assert_allclose(velocity[stays, 0], rate[stays], atol=1e-8)
        turned = difference(
            lambda t, q=q, qd=qd: wt.contact.contact_velocity(m, m.integrate(q, t * qd), qd), h
        )
        np.testing.assert_allclose(bias[stays], turned[stays], rtol=1e-6, atol=1e-6)
        frames = wt.contact.contact_frames(m, q)
        apart = frames.gap[:, None] * frames.axes[:, 0]
        np.testing.assert_allclose(frames.point_a - frames.point_b, apart, atol=1e-13)
        steady.append(stays.sum())
    assert min(steady) > 20


@pytest.mark.parametrize(
    ("turn", "shift", "points"),
    [(np.pi / 4, (0.0, 0.0), 8), (0.0, (0.07, 0.03), 4), (0.3, (0.05, -0.06), 4), (np.pi / 4, (0.1, 0.0), 5)],
)
def test_a_box_lies_on_a_box_with_the_corners_of_what_both_cover(turn, shift, points) -> None:
    m = wt.Mechanism("stack")
    m.add_shape("lower", wt.Box((0.2, 0.2, 0.1)), placement=wt.Placement((0, 0, 0.05)))
    m.add_body(
        "upper",
        wt.Free(),
        placement=wt.Placement((0, 0, 0.15)),
        inertia=wt.Inertia(2.0, (0, 0, 0), np.eye(3)),
    )
    m.add_shape("hull", wt.Box((0.2, 0.2, 0.1)), "upper")
    m.add_contact("lie", "hull", "lower", friction=0.5)
    q = np.array([*shift, 0.0, np.cos(turn / 2), 0, 0, np.sin(turn / 2)])
    frames = wt.contact.contact_frames(m, q)
    rows = np.flatnonzero(np.abs(frames.gap) < 1e-12)
    assert frames.gap.min() > -1e-12
    np.testing.assert_allclose(
        frames.axes[rows, 0], np.broadcast_to([0.0, 0.0, 1.0], (len(rows), 3)), atol=1e-12
    )
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    own = (frames.point[rows, :2] - np.array(shift)) @ R
    for place in (frames.point[rows, :2], own):  # on both, and on the rim of one
        assert np.abs(place).max() < 0.1 + 1e-9
    rim = np.maximum(np.abs(frames.point[rows, :2]).max(axis=1), np.abs(own).max(axis=1))
    np.testing.assert_allclose(rim, 0.1, atol=1e-9)
    assert len(np.unique(frames.point[rows].round(9), axis=0)) == points
    held = wt.contact.contact_forces(m, q, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(held.qdd, 0.0, atol=1e-9)
    np.testing.assert_allclose(held.force.sum(axis=0)[0], 2.0 * 9.81, rtol=1e-10)


def test_all_convex_kinds_have_a_shape_here() -> None:
    assert set(touching.SOLIDS) == CONVEX_KINDS
