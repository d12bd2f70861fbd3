"""Closure of loops as plain functions of the position, in which no angle is found back from its sine."""

import numpy as np

from ...errors import ModelError
from ...joints.base import perpendicular
from ...model.loop import Loop
from ...model.mechanism import Mechanism
from ...spatial import Array, Transform, array
from .local_motions import LocalMotions
from .relations import gear_error, loop_ends


def closure_equations(m: Mechanism, q: Array) -> Array:
    """Φ with Φ(q) = 0 where loops are closed and gears engage, to be read.

    Like `constraint_error` it has 6 - nv rows for each loop joint and one for each gear, and vanishes at the
    same positions nearby. It asks for less: the two points of the joint fall together, in the axes of
    the last body that carries both or, where the joint slides, across the directions in which it does; its
    axis has the same direction on both sides. Nothing is put where it would be nearest first.

    Args:
        m: The mechanism; loop joints turn about one axis, about a point or not at all, and may slide.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nc,) lengths, m, and cosines between directions.

    Raises:
        ModelError: A loop joint is not of that kind, as a universal or a helical one.
    """
    motions = LocalMotions(m, q, np.zeros(m.nv))
    rows = [_loop_rows(m, loop, motions) for loop in m.loops]
    return np.concatenate([np.zeros(0), *rows, *(gear_error(m, gear, motions) for gear in m.gears)])


def _loop_rows(m: Mechanism, loop: Loop, motions: LocalMotions) -> Array:
    base, p, s = loop_ends(m, loop)
    X_p = loop.placement_p.transform() @ motions.of(base, p).X
    X_s = loop.placement_s.transform() @ motions.of(base, s).X
    turns, slides = _freedoms(loop)
    return np.concatenate([_points(X_p, X_s, slides), _directions(X_p, X_s, turns)])


def _freedoms(loop: Loop) -> tuple[Array, Array]:
    """Axes about which a joint turns and along which it slides, (k, 3) each, the same on both sides."""
    joint = loop.joint.plain()
    S = np.asarray(joint.motion_subspace(joint.neutral()), dtype=float)
    elsewhere = np.asarray(joint.motion_subspace(joint.random(np.random.default_rng(0))), dtype=float)
    turns = [column[:3] for column in S.T if column[:3].any()]
    slides = [column[3:] for column in S.T if column[3:].any()]
    if len(turns) + len(slides) != joint.nv or len(turns) == 2 or not np.array_equal(S, elsewhere):
        raise ModelError(
            f"loop {loop.name!r}, {loop.joint!r}, has no closure in plain sines and cosines: take a joint "
            "that turns about one axis or about a point, or slides, or both, as Revolute, Prismatic, "
            "Cylindrical, Spherical, Planar or Fixed"
        )
    return np.array(turns).reshape(-1, 3), np.array(slides).reshape(-1, 3)


def _points(X_p: Transform, X_s: Transform, slides: Array) -> Array:
    """The successor's origin seen from the predecessor's, across the directions of sliding."""
    apart = X_s.r - X_p.r
    if len(slides) == 0:
        return apart
    across = perpendicular(slides[0]) if len(slides) == 1 else (np.cross(slides[0], slides[1]),)
    return array([axis @ X_p.rotate(apart) for axis in across if len(slides) < 3])


def _directions(X_p: Transform, X_s: Transform, turns: Array) -> Array:
    """Cosines that vanish where the successor's directions are those that a turn about the axis leaves."""
    if len(turns) == 3:
        return np.zeros(0)
    if len(turns) == 1:
        axis = X_s.rotate_back(turns[0])
        return array([X_p.rotate_back(across) @ axis for across in perpendicular(turns[0])])
    x, y, z = np.eye(3)
    return array([X_p.rotate_back(a) @ X_s.rotate_back(b) for a, b in ((y, z), (z, x), (x, y))])
