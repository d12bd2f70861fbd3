"""Where things are in the world and how large: what the picture is composed from."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..model.mechanism import Mechanism
from ..model.parts import Frame, PlacedShape
from ..shapes import Mesh
from ..spatial import Array, Placement

FLAT = 1e-6
"""m: what is closer than this is in one place, or in one plane."""

SMALLEST = 0.05
"""m: a mechanism without extent is looked at as if it were so large."""

FAR = 1.5
"""How far from its middle, in sizes of the mechanism, a path is kept in the picture."""

FIELD = np.radians(40.0)
"""Angle that the picture is high."""

BRIGHT = np.array([1.0, -1.5, 0.75])
"""From where a spatial mechanism is looked at, z being up."""


def poses(m: Mechanism, q: Array) -> Array:
    """(nb + 1, 4, 4) from body to world coordinates; the last one, -1, is the ground's."""
    return np.concatenate([np.asarray(forward_kinematics(m, q)).reshape(-1, 4, 4), np.eye(4)[None]])


def ends(m: Mechanism, i: int) -> list[Array]:
    """Points of a body, or of the ground for -1, at which others are joined to it; in its own frame."""
    name = "ground" if i < 0 else m.bodies[i].name
    found = [body.placement.position for body in m.bodies if body.parent == name]
    found += [loop.placement_p.position for loop in m.loops if loop.predecessor == name]
    found += [loop.placement_s.position for loop in m.loops if loop.successor == name]
    return [np.asarray(point, dtype=float) for point in found]


def named_frames(m: Mechanism, body: str) -> list[Frame]:
    """The frames of a body but for the one that a `Graph` keeps of it, which lies where its maker had it."""
    return [frame for frame in m.frames if frame.body == body and frame.name != f"{body}.origin"]


def tips(m: Mechanism, i: int) -> list[Array]:
    """Where bars lead from a body's joint: to all that is joined to it, its frames and springs, each once."""
    name = m.bodies[i].name
    found = [np.asarray(frame.placement.position, dtype=float) for frame in named_frames(m, name)]
    found += _spring_ends(m, name)
    distinct: list[Array] = []
    for point in ends(m, i) + found:
        if all(np.linalg.norm(point - other) > FLAT for other in [np.zeros(3), *distinct]):
            distinct.append(point)
    return distinct


def _spring_ends(m: Mechanism, name: str) -> list[Array]:
    """Points of a body, or of the ground, at which springs pull."""
    sides = [side for s in m.springs for side in ((s.body_a, s.point_a), (s.body_b, s.point_b))]
    return [np.array(point) for body, point in sides if body == name]


def along(axis: Array) -> Placement:
    """A frame whose z axis is along the given one."""
    z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return Placement(rotation=np.column_stack([x, np.cross(z, x), z]))


def points(m: Mechanism, q: Array) -> Array:
    """(n, 3) places in the world that a picture has to hold: joints, frames, springs, masses, shapes."""
    X = poses(m, q)
    found: list[Array] = []
    for i in range(-1, len(m)):
        own = ends(m, i)
        name = "ground" if i < 0 else m.bodies[i].name
        own += [frame.placement.position for frame in named_frames(m, name)]
        shapes = m.ground_visuals if i < 0 else m.bodies[i].visuals
        own += [shape.placement.position for shape in shapes]
        own += [point for shape in m.shapes if shape.body == name for point in _extent(shape)]
        own += _spring_ends(m, name)
        if i >= 0:
            own += [np.zeros(3), np.asarray(m.bodies[i].inertia.com, dtype=float)]
        found += [X[i, :3, :3] @ point + X[i, :3, 3] for point in own]
    return np.array(found) if found else np.zeros((1, 3))


def _extent(placed: PlacedShape) -> list[Array]:
    """Corners of the box that holds a shape, or its place where it has no end or only a file knows it."""
    if isinstance(placed.shape, Mesh):
        return [np.asarray(placed.placement.position, dtype=float)]
    low, high = placed.shape.bounds()
    if not np.all(np.isfinite([low, high])):
        return [np.asarray(placed.placement.position, dtype=float)]
    corners = (np.where(choice, high, low) for choice in product((False, True), repeat=3))
    return [placed.placement.rotation @ corner + placed.placement.position for corner in corners]


def reach(m: Mechanism) -> float:
    """A typical length of the mechanism's bodies, m: the median distance between joints of a body."""
    lengths = [
        float(np.linalg.norm(point))
        for i in range(len(m))
        for point in (ends(m, i) or [np.asarray(m.bodies[i].inertia.com, dtype=float)])
    ]
    real = [length for length in lengths if length > 1e-6]
    return float(np.median(real)) if real else 4.0 * SMALLEST


@dataclass(frozen=True)
class Stage:
    """How a mechanism is set into the picture.

    Attributes:
        up: Index of the coordinate axis that points up.
        middle, size: (3,) centre and largest extent of the mechanism, m.
        camera: (3,) from where it is looked at, m.
        floor: Height of the grid along `up`, m.
        width: Radius of a joint's symbol, m.
    """

    up: int
    middle: Array
    size: float
    camera: Array
    floor: float
    width: float


def stage(m: Mechanism, q: Array, path: Array | None = None) -> Stage:
    """The picture for a mechanism at the position q (nq,), with room for the positions of a path (n, nq).

    Up is against gravity, where that is along a coordinate axis, else z. A plane mechanism is looked at
    along its normal, any other from above and aside.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> stage(m, wt.assemble(m, m.neutral())).up
    1
    """
    up = _up(m)
    own = bool(m.shapes or m.ground_visuals or any(body.visuals for body in m.bodies))
    found = points(m, q)
    low, high = found.min(axis=0), found.max(axis=0)
    middle, size = 0.5 * (low + high), max(float(np.max(high - low)), SMALLEST)
    if path is not None:
        passed = np.concatenate([found, *(points(m, there) for there in path)])
        found = np.clip(passed, middle - FAR * size, middle + FAR * size)  # what falls is not run after
        low, high = found.min(axis=0), found.max(axis=0)
        middle, size = 0.5 * (low + high), max(float(np.max(high - low)), SMALLEST)
    radius = float(np.max(np.linalg.norm(found - middle, axis=1)))
    width = float(np.clip(0.08 * reach(m), 0.008 * size, 0.045 * size))
    normal = plane_normal(m, q)
    if normal is not None and abs(normal[up]) > 0.5:
        if any(m.gravity):  # it lies on the ground
            normal = None
        else:
            up = (up + 2) % 3
    if normal is None:
        aside = np.roll(BRIGHT, up - 2)
    else:
        aside = np.sign(normal[np.argmax(np.abs(normal))] or 1.0) * normal
        aside = -aside if up == 2 else aside  # seen along y with z up, x points to the right
        aside = aside + 0.18 * np.eye(3)[up] + 0.22 * np.eye(3)[(up + 1) % 3]
    distance = max((2.2 if own else 2.6) * size, 1.1 * radius / np.sin(0.5 * FIELD))
    camera = middle + distance * aside / np.linalg.norm(aside)
    # Shapes may stand on the ground; the symbols of joints reach below the lowest point.
    room = 0.0 if own else 2.0 * width
    floor = min(0.0, float(low[up]) - room) if low[up] < room - 1e-6 else 0.0
    return Stage(up, middle, size, camera, floor, width)


def _up(m: Mechanism) -> int:
    g = np.abs(np.array(m.gravity))
    k = int(np.argmax(g))
    return k if g[k] > 0.0 and np.sum(g > 1e-9 * g[k]) == 1 else 2


def plane_normal(m: Mechanism, q: Array) -> Array | None:
    """(3,) unit normal of the plane in which all bodies move, or None."""
    X = poses(m, q)
    turns, shifts = [], []
    for i, body in enumerate(m.bodies):
        S = np.asarray(body.joint.motion_subspace(q[m.q_index[i]]), dtype=float)
        for column in S.T:
            turn, shift = X[i, :3, :3] @ column[:3], X[i, :3, :3] @ column[3:]
            (turns if np.linalg.norm(turn) > 1e-9 else shifts).append(
                turn / np.linalg.norm(turn) if np.linalg.norm(turn) > 1e-9 else shift
            )
    if not turns:
        return None
    normal = turns[0]
    parallel = all(abs(abs(turn @ normal) - 1.0) < 1e-9 for turn in turns)
    across = all(abs(shift @ normal) < 1e-9 for shift in shifts)
    return normal if parallel and across else None
