"""What a mechanism looks like: solids fixed to its bodies, as plain data."""

from dataclasses import dataclass, field

import numpy as np

from ..model.mechanism import Geometry, Mechanism
from ..model.parts import PlacedShape
from ..shapes import Ellipsoid, Shape
from ..spatial import Array, Inertia, Placement
from .plots import COLORS

Color = tuple[int, int, int]

GREY: Color = (190, 196, 204)
"""Of shapes that have no colour of their own."""

DARK: Color = (70, 78, 90)
"""Of what stands on the ground."""

ACCENT: Color = (235, 110, 30)
"""Of loop joints."""

BALL = 0.2
"""Share of the largest semi-axis below which an inertia's ellipsoid is not drawn thinner."""


@dataclass(frozen=True)
class Solid:
    """A shape at a placement in the frame of a body, -1 being the ground."""

    body: int
    shape: Shape
    placement: Placement = field(default_factory=Placement)
    color: Color = GREY
    opacity: float = 1.0


def body_color(i: int) -> Color:
    """The colour of body i: red, green, blue from 0 to 255."""
    if i < 0:
        return DARK
    code = COLORS[i % len(COLORS)]
    return (int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16))


def visual_solids(m: Mechanism) -> list[Solid]:
    """The shapes that bodies and the ground are given for pictures, and the named shapes.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> ball = wt.Geometry(wt.Sphere(0.1), color=(1.0, 0.5, 0.0, 1.0))
    >>> m.add_body("ball", wt.Free(), inertia=wt.Inertia(1.0), visuals=(ball,))
    >>> [(solid.shape, solid.color) for solid in visual_solids(m)]
    [(Sphere(radius=0.1), (255, 128, 0))]
    """
    owned: list[tuple[int, Geometry | PlacedShape]] = [(-1, shape) for shape in m.ground_visuals]
    owned += [(i, shape) for i, body in enumerate(m.bodies) for shape in body.visuals]
    owned += [(m.body_number(shape.body), shape) for shape in m.shapes]
    return [_solid(i, shape) for i, shape in owned]


def _solid(i: int, shape: Geometry | PlacedShape) -> Solid:
    color, opacity = GREY, 1.0
    if shape.color is not None:
        r, g, b, opacity = np.clip(shape.color, 0.0, 1.0).tolist()
        color = (round(255 * r), round(255 * g), round(255 * b))
    return Solid(i, shape.shape, shape.placement, color, opacity)


def semi_axes(inertia: Inertia) -> tuple[Array, Array]:
    """The solid ellipsoid of even density that has the mass and the moments of an inertia.

    With principal moments I₁ = m (b² + c²)/5 and so on, a² = 5 (I₂ + I₃ - I₁)/(2 m).

    Returns:
        (3,) semi-axes, m, and (3, 3) their directions in the body's frame, as columns.

    >>> ball = Inertia.sphere(radius=0.3, mass=2.0)
    >>> semi_axes(ball)[0].round(12)
    array([0.3, 0.3, 0.3])
    """
    moments, axes = np.linalg.eigh(np.asarray(inertia.about_com, dtype=float))
    if np.linalg.det(axes) < 0.0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    squares = 2.5 * (np.sum(moments) - 2.0 * moments) / float(inertia.m)
    return np.sqrt(np.maximum(squares, 0.0)), axes


def inertia_solid(m: Mechanism, i: int, smallest: float, largest: float, opacity: float) -> Solid | None:
    """The ellipsoid of a body's inertia, within bounds of its size in m; None without mass."""
    inertia = m.bodies[i].inertia
    if not float(inertia.m) > 0.0:
        return None
    axes, directions = semi_axes(inertia)
    thin = np.maximum(axes, BALL * np.max(axes))
    a, b, c = np.clip(thin, smallest, largest).tolist()
    placement = Placement(np.asarray(inertia.com, dtype=float), rotation=directions)
    return Solid(i, Ellipsoid((a, b, c)), placement, body_color(i), opacity)


def inertia_solids(m: Mechanism, smallest: float, largest: float, opacity: float = 0.35) -> list[Solid]:
    """The ellipsoids of all bodies that have mass."""
    found = (inertia_solid(m, i, smallest, largest, opacity) for i in range(len(m)))
    return [solid for solid in found if solid is not None]
