"""A mechanism drawn from its joints: a symbol for each, and rods between those of one body."""

import numpy as np

from ..joints import Joint
from ..model.mechanism import Mechanism
from ..shapes import Box, Capsule, Cylinder, Sphere
from ..spatial import Array, Placement
from .gearing import wheels
from .solids import ACCENT, DARK, Color, Solid, body_color
from .stage import FLAT, along, tips

RAIL = 40.0
"""Length of the rail of an unlimited sliding joint, in radii of a joint's symbol."""


def skeleton(m: Mechanism, width: float) -> list[Solid]:
    """Joint symbols with the radius `width`, and rods; joints of loops stand out by their colour.

    A joint that turns about one axis is a cylinder along it, one that only slides a box on a rail, one
    that turns about several a ball. Gears are discs.

    >>> import whippletree as wt
    >>> [solid.shape.kind for solid in skeleton(wt.examples.load("cart-pole"), 0.02)]
    ['cylinder', 'box', 'cylinder', 'capsule']
    """
    found: list[Solid] = []
    for i, body in enumerate(m.bodies):
        parent = m.parents[i]
        limits = body.limits.lower, body.limits.upper
        found += symbol(body.joint, width, (parent, body.placement), (i, Placement()), limits, body_color(i))
        if parent < 0 and _turns(body.joint) in (1, 2, 3) and body.joint.nv < 6:
            found.append(_foot(body.placement, body.joint, width))
        found += _rods(m, i, width)
    for loop in m.loops:
        p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
        sides = (p, loop.placement_p), (s, loop.placement_s)
        found += symbol(loop.joint, 1.08 * width, *sides, (-np.inf, np.inf), ACCENT)
    for wheel in wheels(m):
        disc = Cylinder(wheel.radius, 0.8 * width)
        found.append(Solid(wheel.body, disc, wheel.placement, body_color(wheel.body), opacity=0.6))
    return found


Side = tuple[int, Placement]


def symbol(
    joint: Joint, width: float, predecessor: Side, successor: Side, limits: tuple[float, float], color: Color
) -> list[Solid]:
    """What a joint between two bodies, each with the placement of the joint's frame in it, looks like."""
    S = np.asarray(joint.motion_subspace(joint.neutral()), dtype=float)
    turns = _turns(joint)
    body, placement = successor
    if joint.nv == 6:
        return []
    if joint.nv == 0:
        return [Solid(body, Box((2.0 * width, 2.0 * width, 2.0 * width)), placement, color)]
    if turns == 0 and joint.nv == 1:
        axis = S[3:, 0]
        rail = _rail(axis, limits, width)
        at = predecessor[1] @ rail[1]
        block = placement @ along(axis)
        return [
            Solid(predecessor[0], Cylinder(0.35 * width, rail[0]), at, DARK),
            Solid(body, Box((2.2 * width, 2.2 * width, 3.6 * width)), block, color),
        ]
    if turns == 1:
        k = int(np.argmax(np.linalg.norm(S[:3], axis=0)))
        height = 3.2 * width if joint.nv == 1 else 5.0 * width
        return [Solid(body, Cylinder(width, height), placement @ along(S[:3, k]), color)]
    if turns == 0:
        return [Solid(body, Box((2.6 * width, 2.6 * width, 2.6 * width)), placement, color)]
    return [Solid(body, Sphere(1.25 * width), placement, color)]


def _turns(joint: Joint) -> int:
    """About how many axes a joint turns."""
    S = np.asarray(joint.motion_subspace(joint.neutral()), dtype=float)
    return int(np.linalg.matrix_rank(S[:3])) if S.size else 0


def _rail(axis: Array, limits: tuple[float, float], width: float) -> tuple[float, Placement]:
    """Length and placement of the rail along an axis, between limits where there are some."""
    lower, upper = limits
    if not np.isfinite(lower + upper):
        lower, upper = -0.5 * RAIL * width, 0.5 * RAIL * width
    frame = along(axis)
    middle = 0.5 * (lower + upper) * np.asarray(axis, dtype=float)
    return max(upper - lower, width), Placement(middle, rotation=frame.rotation)


def _foot(placement: Placement, joint: Joint, width: float) -> Solid:
    """The bearing of a joint on the ground."""
    S = np.asarray(joint.motion_subspace(joint.neutral()), dtype=float)
    if _turns(joint) > 1:
        return Solid(-1, Sphere(width), placement, DARK)
    k = int(np.argmax(np.linalg.norm(S[:3], axis=0)))
    return Solid(-1, Cylinder(1.5 * width, 2.0 * width), placement @ along(S[:3, k]), DARK)


def _rods(m: Mechanism, i: int, width: float) -> list[Solid]:
    """Rods from a body's joint to all that is joined to it and to its frames; to its mass, without any."""
    rods = []
    for tip in tips(m, i) or [np.asarray(m.bodies[i].inertia.com, dtype=float)]:
        length = float(np.linalg.norm(tip))
        if length > FLAT:
            placement = Placement(0.5 * tip, rotation=along(tip).rotation)
            rods.append(Solid(i, Capsule(0.5 * width, length), placement, body_color(i)))
    return rods
