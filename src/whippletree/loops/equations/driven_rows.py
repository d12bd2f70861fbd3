"""What drivers ask of a mechanism: that some of its coordinates move as prescribed (RBDA §8.2, §9.1)."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ...errors import InputError
from ...joints import Joint
from ...model import topology
from ...model.driver_part import Distance
from ...model.loop import Loop
from ...model.loop_coordinates import counted_turns, loop_coordinates
from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross
from .constraints import spread
from .local_motions import LocalMotions
from .relations import branch, loop_ends, loop_position, loop_rate


class Coordinate(NamedTuple):
    """One coordinate of a mechanism: of a tree joint, of a loop joint, or a distance, by its number."""

    of: Literal["joint", "loop", "distance"]
    number: int

    @property
    def is_own(self) -> bool:
        """Whether it is an entry of q."""
        return self.of == "joint"

    def name(self, m: Mechanism) -> str:
        if self.of == "joint":
            return m.joint_names[self.number]
        return (m.loops if self.of == "loop" else m.distances)[self.number].name

    def joint(self, m: Mechanism) -> Joint:
        return m.loops[self.number].joint if self.of == "loop" else m.bodies[self.number].joint

    def is_known_by_turns(self, m: Mechanism) -> bool:
        """Whether it is known but for whole turns: the angle of a loop's hinge whose turns nothing counts."""
        if self.of != "loop" or not self.joint(m).turns_endlessly:
            return False
        return counted_turns(m, m.loops[self.number]) is None


class DrivenRows(NamedTuple):
    """Driven coordinates x as functions of the joints: ẋ = W q̇ and ẍ = W q̈ + w.

    Attributes:
        x: (nd,) where they are, rad or m.
        W: (nd, nv) their rates by the joint velocities.
        w: (nd,) their accelerations where no joint accelerates.
    """

    x: Array
    W: Array
    w: Array


def driven_rows(m: Mechanism, q: Array, qd: Array, driven: Sequence[Coordinate]) -> DrivenRows:
    """x, W and w of the coordinates of some joints, tree joints and loop joints alike.

    Of a loop joint, x is found from where its two sides are, see `loop_coordinates`.
    Its acceleration is that of RBDA 3.44 along the joint's motion: where the constraint has T, this has
    S (SᵀS)⁻¹.

    Args:
        m: The mechanism.
        q, qd: (nq,), (nv,) its state.
        driven: Which, see `found`.
    """
    motions = LocalMotions(m, q, qd)
    x, W, w = [], [], []
    for coordinate in driven:
        if coordinate.of == "joint":
            i = coordinate.number
            row = q[m.q_index[i].start], spread([m.v_index[i].start], np.ones((1, 1)), m.nv), 0.0
        elif coordinate.of == "loop":
            row = _loop_row(m, m.loops[coordinate.number], motions)
        else:
            row = _distance_row(m, m.distances[coordinate.number], motions)
        x.append(row[0])
        W += row[1]
        w.append(row[2])
    return DrivenRows(array(x), array(W) if W else np.zeros((0, m.nv)), array(w))


Row = tuple[Any, list[Array], Any]
"""x, W and w of one coordinate."""


def _loop_row(m: Mechanism, loop: Loop, motions: LocalMotions) -> Row:
    base, p, s = loop_ends(m, loop)
    at_p, at_s = motions.of(base, p), motions.of(base, s)
    x = loop_coordinates(m, loop, motions.q, loop_position(m, loop, motions)[0])[0]
    rate = loop_rate(m, loop, motions, base)
    along = rate.T_a[:, 0]
    return x, _between(m, (base, p, s), along, along, motions), along @ (at_s.a - at_p.a - rate.c)


def _between(
    m: Mechanism, ends: tuple[int, int, int], at_p: Array, at_s: Array, motions: LocalMotions
) -> list[Array]:
    """The row (1, nv) of how two bodies' motions differ along spatial forces (6,), in base coordinates."""
    base, p, s = ends
    sides = [(i, -at_p) for i in branch(m, base, p)] + [(i, at_s) for i in branch(m, base, s)]
    columns = [k for i, _ in sides for k in range(m.v_index[i].start, m.v_index[i].stop)]
    block = np.concatenate([np.zeros(0), *(along @ motions.of(base, i).S for i, along in sides)])
    return spread(columns, block[None, :], m.nv)


def _distance_row(m: Mechanism, distance: Distance, motions: LocalMotions) -> Row:
    """d = |r|, ḋ = n · ṙ and d̈ = n · r̈ + (ṙ · ṙ - ḋ²)/d with n = r/d, r from one point to the other."""
    frames = [m.frame(name) for name in (distance.frame_a, distance.frame_b)]
    p, s = (m.body_number(frame.body) for frame in frames)
    base = topology.common_ancestor(m.parents, p, s)
    r, rd, rdd = np.zeros(3), np.zeros(3), np.zeros(3)
    points = []
    for frame, i, sign in zip(frames, (p, s), (-1.0, 1.0), strict=True):
        at = motions.of(base, i)
        point = (frame.placement.transform() @ at.X).r
        velocity = at.v[3:] + cross(at.v[:3], point)
        # The velocity of a spatial vector's own point is no acceleration of the body's (RBDA 2.47).
        acceleration = at.a[3:] + cross(at.a[:3], point) + cross(at.v[:3], velocity)
        r, rd, rdd = r + sign * point, rd + sign * velocity, rdd + sign * acceleration
        points.append(point)
    d = np.sqrt(r @ r)
    n = r / d
    rate = n @ rd
    along = [np.concatenate([cross(point, n), n]) for point in points]
    return d, _between(m, (base, p, s), along[0], along[1], motions), n @ rdd + (rd @ rd - rate * rate) / d


def found(m: Mechanism, name: str) -> Coordinate:
    """The coordinate of a joint that can be driven, by name.

    Raises:
        InputError: There is no such joint, or it has more than one coordinate, or none.
    """
    if m.has("joint", name):
        coordinate = Coordinate("joint", m.joint_number(name))
    elif m.has("loop", name):
        coordinate = Coordinate("loop", m.number("loop", name))
    elif m.has("distance", name):
        return Coordinate("distance", m.number("distance", name))
    else:
        known = ", ".join([*m.joint_names, *m.names("loop"), *m.names("distance")])
        hint = f"; body {name!r} is moved by joint {m.body(name).joint_name!r}" if m.has("body", name) else ""
        raise InputError(f"{m.name!r} has no joint named {name!r} to drive; known: {known}{hint}")
    joint = coordinate.joint(m)
    if joint.nq != 1 or joint.nv != 1 or not joint.has_rates:
        raise InputError(
            f"joint {name!r} of {m.name!r} cannot be driven: it has {joint.nq} coordinates and {joint.nv} "
            "velocities, and drivers move single ones, as of a hinge or a slider"
        )
    return coordinate
