"""A mechanism as lines: bodies between their joints, springs, gears, shapes, paths of frames."""

from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..model.mechanism import GROUND, Mechanism
from ..shapes import Plane
from ..spatial import Array
from .gearing import Wheel, wheels
from .outlines import floor, outline
from .stage import FLAT, named_frames, tips

ZIGZAG = 10
"""Corners of a spring."""

CIRCLE = 48
"""Corners of a gear wheel."""


class Stroke(NamedTuple):
    """A line that moves.

    Attributes:
        kind: "bar", "spring", "gear", "shape", for planes "floor", or "rail", along which a body slides.
        body: Whose colour it has; -1: that of the ground.
        points: (frames, n, 3) in the world; NaN where a line ends and the next begins.
    """

    kind: str
    body: int
    points: Array


def strokes(m: Mechanism, poses: Array) -> list[Stroke]:
    """All lines but for the paths of frames.

    Args:
        m: The mechanism.
        poses: (frames, nb, 4, 4) of all bodies, in each picture.

    Raises:
        InputError: There is no body to be drawn.
    """
    found = []
    for i, body in enumerate(m.bodies):
        for tip in tips(m, i) or [np.asarray(body.inertia.com, dtype=float)]:
            found.append(Stroke("bar", i, placed(poses, i, np.stack([np.zeros(3), tip]))))
    if not found:
        raise InputError(f"{m.name!r} has no body to be drawn")
    bars = np.concatenate([stroke.points.reshape(-1, 3) for stroke in found])
    wide = 0.03 * float(np.max(np.ptp(bars, axis=0)))
    for spring in m.springs:
        a = placed(poses, m.body_number(spring.body_a), np.asarray(spring.point_a)[None])[:, 0]
        b = placed(poses, m.body_number(spring.body_b), np.asarray(spring.point_b)[None])[:, 0]
        found.append(Stroke("spring", -1, _zigzag(a, b, wide)))
    found += [Stroke("gear", wheel.body, placed(poses, wheel.body, _circle(wheel))) for wheel in wheels(m)]
    return found + _rails(m, poses) + _shapes(m, poses, bars)


def _rails(m: Mechanism, poses: Array) -> list[Stroke]:
    """Where bodies slide along a line of the ground, as far as they go. What moves in a plane has no rail."""
    found = []
    for i, body in enumerate(m.bodies):
        S = body.joint.motion_subspace(body.joint.neutral())
        if body.parent != GROUND or body.joint.nv != 1 or np.any(S[:3]):
            continue
        path = poses[:, i, :3, 3]
        far = np.argmax(np.linalg.norm(path - path[0], axis=1))
        way = (path - path[0]) @ (path[far] - path[0])
        ends = path[[np.argmin(way), np.argmax(way)]]
        if np.linalg.norm(ends[1] - ends[0]) > FLAT:
            found.append(Stroke("rail", -1, placed(poses, -1, ends)))
    return found


def _shapes(m: Mechanism, poses: Array, bars: Array) -> list[Stroke]:
    """The lines of shapes, and planes below all else; bars (n, 3) are what else is to be seen."""
    found = []
    for shape in m.shapes:
        lines = outline(shape.shape)
        if lines is not None:
            i, at = m.body_number(shape.body), shape.placement
            found.append(Stroke("shape", i, placed(poses, i, lines @ at.rotation.T + at.position)))
    seen = np.concatenate([bars, *(stroke.points.reshape(-1, 3) for stroke in found)])
    for shape in m.shapes:
        if isinstance(shape.shape, Plane) and shape.body == GROUND:
            found.append(Stroke("floor", -1, placed(poses, -1, floor(shape.placement, seen))))
    return found


def traces(m: Mechanism, poses: Array) -> dict[str, Array]:
    """(frames, 3) the paths of all frames that bodies carry, by their names."""
    found = {}
    for frame in m.frames:
        if frame.body != GROUND and frame in named_frames(m, frame.body):
            point = np.asarray(frame.placement.position, dtype=float)[None]
            found[frame.name] = placed(poses, m.body_number(frame.body), point)[:, 0]
    return found


def placed(poses: Array, i: int, points: Array) -> Array:
    """(frames, n, 3) points (n, 3) of a body, or of the ground, -1, in the world."""
    if i < 0:
        return np.broadcast_to(points, (len(poses), *points.shape))
    return points @ np.swapaxes(poses[:, i, :3, :3], 1, 2) + poses[:, i, None, :3, 3]


def _zigzag(a: Array, b: Array, wide: float) -> Array:
    """(frames, n, 3) the line of a spring between two points (frames, 3)."""
    way = b - a
    # Across it: as far as possible from the axis to which it is nearest.
    k = np.argmin(np.max(np.abs(way), axis=0))
    across = np.cross(way, np.eye(3)[k])
    size = np.linalg.norm(across, axis=1, keepdims=True)
    across = across / np.where(size > 0.0, size, 1.0)
    s = np.concatenate([[0.0, 0.15], 0.15 + 0.7 * (np.arange(ZIGZAG) + 0.5) / ZIGZAG, [0.85, 1.0]])
    side = np.concatenate([[0.0, 0.0], wide * (-1.0) ** np.arange(ZIGZAG), [0.0, 0.0]])
    return a[:, None] + s[:, None] * way[:, None] + side[:, None] * across[:, None]


def _circle(wheel: Wheel) -> Array:
    """(n, 3) the rim of a wheel and one spoke, in the frame of its body."""
    angle = np.linspace(0.0, 2.0 * np.pi, CIRCLE + 1)
    rim = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1) * wheel.radius
    return np.concatenate([np.zeros((1, 3)), rim]) @ wheel.placement.rotation.T + wheel.placement.position
