"""Where a loop joint is: its own coordinates, which follow from those of the tree (RBDA §8.3)."""

from typing import Any, NamedTuple

import numpy as np

from ..joints import Joint
from ..joints.base import full_turns
from ..spatial import Array, Transform, array, known, minimum, where
from . import topology
from .loop import Loop
from .mechanism import Mechanism

PARALLEL = 0.1
"""rad: axes that include less count as parallel where turns are counted."""


def loop_coordinates(m: Mechanism, loop: Loop, q: Array, X: Transform) -> Array:
    """(nq of the loop joint,) where a loop joint is, as its own type counts it.

    The two sides of a hinge tell its angle but for whole turns. Where all that turns on the way round the
    loop turns about parallel axes, as in a planar linkage, the angles of the tree tell the turns: then the
    angle goes on over any number of them, and is the one in (-π, π] where all coordinates on that way are
    zero. Elsewhere no state tells them, and an angle is in (-π, π].

    Args:
        m: The mechanism.
        loop: One of its loops.
        q: (nq,) joint positions of the tree, rad or m.
        X: From the loop joint's predecessor frame to its successor frame, at q.
    """
    q_J, turns = loop.joint.position_at(X), counted_turns(m, loop)
    if turns is None:
        return q_J
    about = turns.zero + sum((sign * q[k] for k, sign in turns.signs.items()), start=0.0)
    angle = q_J[turns.own]
    counted = where(turns.least >= np.cos(PARALLEL), full_turns(angle, about), angle)
    return array([counted if k == turns.own else x for k, x in enumerate(q_J)])


class CountedTurns(NamedTuple):
    """The angle of a loop joint is zero + Σ sign · q but for small turns of axes that are not quite parallel.

    Attributes:
        own: Which of the loop joint's coordinates it is.
        zero: Its value where all of those q are zero, rad.
        signs: 1 or -1 by numbers of coordinates of the tree.
        least: The least cosine between two axes; directions of joints may be parameters that are open.
    """

    own: int
    zero: Any
    signs: dict[int, Any]
    least: Any


def counted_turns(m: Mechanism, loop: Loop) -> CountedTurns | None:
    """How the tree counts the turns of a loop joint; None if it does not, or if the joint does so itself."""
    angle = _angle(loop.joint)
    if angle is None or not _returns(loop.joint, angle[0]):
        return None
    own, axis = angle
    p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
    base, signs, least = topology.common_ancestor(m.parents, p, s), {}, 1.0
    sides = [(p, -1.0, loop.placement_p), (s, 1.0, loop.placement_s)]
    turned = [_branch(m, base, end, placement.rotation) for end, _, placement in sides]
    axis = turned[1][1] @ axis  # in the base's axes, all of the tree at zero
    for (_, side, _), (way, _) in zip(sides, turned, strict=True):
        for i, R in way:
            if _does_not_turn(m.bodies[i].joint):
                continue
            angle = _angle(m.bodies[i].joint)
            if angle is None:
                return None
            along = axis @ (R @ angle[1])
            least = minimum(least, abs(along))
            signs[m.q_index[i].start + angle[0]] = side * where(along > 0.0, 1.0, -1.0)
    if known(least) is not None and least < np.cos(PARALLEL):
        return None
    R_p, R_s = turned[0][1], turned[1][1]
    zero = loop.joint.position_at(Transform(R_s.T @ R_p, np.zeros(3)))[own]
    return CountedTurns(own, zero, signs, least)


def _branch(m: Mechanism, base: int, i: int, rotation: Array) -> tuple[list[tuple[int, Array]], Array]:
    """Joints from the base to a body with the axes of their frames, and those of a place on the body.

    All as rotations to the base's axes, where every joint is at zero.
    """
    way: list[int] = []
    while i != base:
        way.append(i)
        i = m.parents[i]
    R, frames = np.eye(3), []
    for i in reversed(way):
        R = R @ m.bodies[i].placement.rotation
        frames.append((i, R))
    return frames, R @ rotation


def _subspaces(joint: Joint) -> list[Array]:
    """S at zero and in general positions."""
    rng = np.random.default_rng(0)
    places = [joint.neutral(), joint.random(rng), joint.random(rng)]
    return [np.asarray(joint.motion_subspace(q), dtype=float) for q in places]


def _does_not_turn(joint: Joint) -> bool:
    return not any(S[:3].any() for S in _subspaces(joint))


def _angle(joint: Joint) -> tuple[int, Array] | None:
    """The one coordinate that turns a joint, and the axis (3,) about which; None if there is no such one."""
    first, *others = _subspaces(joint)
    columns = [k for k in range(joint.nv) if first[:3, k].any()]
    if len(columns) != 1 or not all(np.allclose(S[:3], first[:3], atol=1e-12) for S in others):
        return None
    (k,) = columns
    unit = np.eye(joint.nv)[k]
    general = joint.random(np.random.default_rng(1))
    if joint.nq != joint.nv or not np.array_equal(joint.rate(general, unit), unit):
        return None
    return k, first[:3, k]


def _returns(joint: Joint, k: int) -> bool:
    """Whether a joint is where it was after a full turn, unlike a screw."""
    turn: Any = joint.neutral()
    turn[k] = 2.0 * np.pi
    X = joint.transform(turn)
    return bool(np.allclose(X.E, np.eye(3), atol=1e-12) and np.allclose(X.r, 0.0, atol=1e-12))
