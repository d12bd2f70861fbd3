"""What gears and rolling joints look like: wheels on the axes about which they turn."""

from typing import NamedTuple

import numpy as np

from ..joints import Joint
from ..model.mechanism import Mechanism
from ..spatial import Array, Placement
from .stage import FLAT, along, poses, reach

BELT = 0.4
"""Share of the wheels that would roll on each other which pulleys of a belt have."""

SMALL = 0.15
"""Radius of a wheel where two joints turn about one axis, in lengths of a body."""


class Wheel(NamedTuple):
    """A wheel: the body that it turns with, its radius, m, and its frame there, z along the axis."""

    body: int
    radius: float
    placement: Placement


def wheels(m: Mechanism) -> list[Wheel]:
    """The wheels of all gears between joints that turn about an axis, and those that roll.

    Wheels of joints that turn against each other roll on each other; where they turn the same way they are
    pulleys of a belt, with a gap between them. Of a gear with several drivers those are drawn that are beside
    the driven wheel, on parallel axes: a carrier is what its planet hangs on, and no wheel. Loop joints have
    none.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("pair", gravity=(0, 0, 0))
    >>> m.add_body("a", wt.Revolute("z"), inertia=wt.Inertia(1.0, about_com=(1, 1, 1)))
    >>> m.add_body("b", wt.Revolute("z"), placement=wt.Placement((0.3, 0, 0)), inertia=m.bodies[0].inertia)
    >>> m.add_gear("mesh", driver="a", driven="b", ratio=-2.0)
    >>> [(wheel.body, round(wheel.radius, 12)) for wheel in wheels(m)]
    [(0, 0.2), (1, 0.1)]
    """
    found = _rolling(m)
    X = poses(m, m.neutral())
    for gear, driver, signed in ((each, *term) for each in m.gears for term in each.terms):
        if not (m.has("joint", driver) and m.has("joint", gear.driven)):
            continue
        pair = [m.joint_number(name) for name in (driver, gear.driven)]
        axes = [axis for i in pair if (axis := _axis(m.bodies[i].joint)) is not None]
        if len(axes) < len(pair):
            continue
        apart = _distance(X[pair[0]], axes[0], X[pair[1]])
        u, v = (X[i][:3, :3] @ axis for i, axis in zip(pair, axes, strict=True))
        beside = apart > FLAT and abs(u @ v) > 1.0 - 1e-6 and pair[0] not in m.support(pair[1])
        if len(gear.terms) > 1 and not beside:
            continue
        ratio = abs(float(signed))
        sizes = [ratio / (1.0 + ratio), 1.0 / (1.0 + ratio)]
        whole = apart * (1.0 if signed < 0.0 else BELT) if apart > FLAT else 2.0 * SMALL * reach(m)
        for i, axis, size in zip(pair, axes, sizes, strict=True):
            known = any(w.body == i and abs(w.radius - size * whole) < FLAT for w in found)
            if size * whole > FLAT and not known:
                found.append(Wheel(i, size * whole, along(axis)))
    return found


def _rolling(m: Mechanism) -> list[Wheel]:
    """The wheels of joints that roll, with their tyres on the successor's side."""
    mounted = [(i, body.joint, Placement()) for i, body in enumerate(m.bodies)]
    mounted += [(m.body_number(loop.successor), loop.joint, loop.placement_s) for loop in m.loops]
    axle = along(np.array([0.0, 1.0, 0.0]))
    return [
        Wheel(i, joint.wheel_radius, at @ axle) for i, joint, at in mounted if joint.wheel_radius is not None
    ]


def _axis(joint: Joint) -> Array | None:
    """(3,) the axis about which a joint of one freedom turns; None if it does not."""
    S = np.asarray(joint.motion_subspace(joint.neutral()), dtype=float)
    turns = joint.nv == 1 and np.linalg.norm(S[:3, 0]) > 1e-9
    return S[:3, 0] / np.linalg.norm(S[:3, 0]) if turns else None


def _distance(X: Array, axis: Array, other: Array) -> float:
    """From an axis of one body to the origin of another, m."""
    u, way = X[:3, :3] @ axis, other[:3, 3] - X[:3, 3]
    return float(np.linalg.norm(way - (way @ u) * u))
