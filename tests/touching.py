"""Mechanisms with shapes that may touch, for the tests of contact."""

from typing import Any

import numpy as np

import whippletree as wt

TETRAHEDRON = np.array([(0.5, 0.1, -0.2), (-0.3, 0.4, -0.1), (-0.2, -0.5, -0.15), (0.1, 0.05, 0.6)])
MESH = wt.Mesh(
    "rock.stl",
    (0.9, 1.1, 0.8),
    vertices=TETRAHEDRON,
    faces=np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]),
)


def hills(x: Any, y: Any) -> Any:
    """A height function, m."""
    return 0.3 * np.sin(0.7 * x + 0.2) * np.cos(0.9 * y) + 0.05 * x * y


SOLIDS: dict[str, wt.Shape] = {
    "sphere": wt.Sphere(0.23),
    "capsule": wt.Capsule(0.12, 0.5),
    "cylinder": wt.Cylinder(0.21, 0.47),
    "box": wt.Box((0.3, 0.5, 0.7)),
    "ellipsoid": wt.Ellipsoid((0.35, 0.2, 0.15)),
    "mesh": MESH,
}
GROUNDS: dict[str, wt.Shape] = {
    "plane": wt.Plane(),
    "landscape": wt.Landscape(hills),
    "heights": wt.Heights.of(hills, (-4.0, 4.0), (-3.0, 5.0), (5, 4)),
}
SHAPES = SOLIDS | GROUNDS


def pair(a: wt.Shape, b: wt.Shape, **properties: float) -> wt.Mechanism:
    """Two free bodies, each with a joint and a shape at a general place; both sides move."""
    m = wt.Mechanism("pair")
    inertia = wt.Inertia(1.3, (0.1, -0.05, 0.07), np.diag([0.11, 0.13, 0.15]))
    for name, shape in (("a", a), ("b", b)):
        m.add_body(f"base {name}", wt.Free(), inertia=inertia)
        m.add_body(
            f"body {name}",
            wt.Revolute((0.36, 0.48, 0.8)),
            f"base {name}",
            wt.Placement((0.1, 0.2, -0.1), rpy=(0.4, -0.2, 0.3)),
            inertia,
        )
        m.add_shape(name, shape, f"body {name}", wt.Placement((0.05, -0.1, 0.08), rpy=(-0.3, 0.5, 0.2)))
    m.add_contact("touch", "a", "b", **properties)
    return m


def state(m: wt.Mechanism, rng: np.random.Generator, apart: float = 0.6) -> tuple[Any, Any]:
    """A position in which the two bodies of `pair` are near each other, and a velocity."""
    q, qd = m.random(rng), rng.normal(size=m.nv)
    for base in range(0, len(m), 2):
        away = (apart if base == 0 else 0.0) * np.array([0.3, 0.2, 0.9])
        q[m.q_index[base]][:3] = 0.4 * rng.normal(size=3) + away
    return q, qd


def crate(size: Any = (0.4, 0.3, 0.2), mass: float = 5.0, **properties: float) -> wt.Mechanism:
    """A box on a floor."""
    m = wt.Mechanism("crate")
    m.add_body("crate", wt.Free(), inertia=wt.Inertia.box(size, mass=mass))
    m.add_shape("hull", wt.Box(size), "crate")
    m.add_shape("floor", wt.Plane())
    m.add_contact("rest", "hull", "floor", **properties)
    return m


def leg(**properties: Any) -> tuple[wt.Mechanism, Any]:
    """A four-bar linkage that hangs on a slide, with a foot on its coupler."""
    m = wt.Mechanism("leg")
    m.add_body("hip", wt.Prismatic("z"), inertia=wt.Inertia.box((0.3, 0.1, 0.1), mass=2.0))
    bar = wt.Inertia.rod((0, 0, 0), (0, 0, -0.3), mass=0.4)
    m.add_body("front", wt.Revolute("y"), "hip", wt.Placement((0.1, 0, 0)), bar)
    m.add_body("back", wt.Revolute("y"), "hip", wt.Placement((-0.1, 0, 0)), bar)
    shank = wt.Inertia.rod((0, 0, 0), (-0.2, 0, 0), mass=0.3)
    m.add_body("shank", wt.Revolute("y"), "front", wt.Placement((0, 0, -0.3)), shank)
    m.add_loop(
        "knee", wt.Revolute("y"), "shank", "back", wt.Placement((-0.22, 0, 0)), wt.Placement((0, 0, -0.3))
    )
    m.add_shape("foot", wt.Sphere(0.05), "shank", wt.Placement((-0.05, 0, -0.2)))
    m.add_shape("floor", wt.Plane())
    m.add_contact("stand", "foot", "floor", **properties)
    return m, wt.assemble(m, np.array([0.8, 0.4, 0.4, -0.4]), hold=["hip", "front"])


def ball(joint: wt.Joint | None = None, **properties: Any) -> wt.Mechanism:
    """A ball over a floor, with one contact."""
    m = wt.Mechanism("ball")
    m.add_body("ball", joint or wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    m.add_shape("skin", wt.Sphere(0.1), "ball")
    m.add_shape("floor", wt.Plane())
    m.add_contact("bounce", "skin", "floor", **properties)
    return m
