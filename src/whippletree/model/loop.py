"""A loop joint: what closes a kinematic loop of a spanning tree (RBDA §4.1, table 4.3)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..joints import Joint
from ..spatial import Array, Placement, Transform
from ..spatial.rotation import log
from .fields import expect_fields, keep_as_tuple
from .parts import (
    A_JOINT,
    A_PLACEMENT,
    LIMITS,
    NO_LIMITS,
    Fault,
    Limits,
    check_joint_part,
    limit_doubts,
    limit_faults,
)

if TYPE_CHECKING:
    from .mechanism import Mechanism

CLOSED = 1e-6
"""Gaps of a locked loop above this, in rad or as a share of its size, are no rounding."""


@dataclass(frozen=True)
class Loop:
    """A joint between two bodies that the tree carries already.

    The joint's predecessor frame sits in the body `predecessor` at `placement_p`, its successor
    frame in the body `successor` at `placement_s`; either body may be "ground". A loop joint has no
    variables of its own in q: its position follows from those of the two bodies (`loop_joint_position`).
    Damping, friction, spring, rest and stops are those of any joint, see `Body`. A rotor would be one more
    body: hang one on the predecessor, with an armature, and gear it to the loop joint, or let `Graph` do so.
    """

    name: str
    joint: Joint
    predecessor: str
    successor: str
    placement_p: Placement = field(default_factory=Placement)
    placement_s: Placement = field(default_factory=Placement)
    limits: Limits = NO_LIMITS
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: tuple[float, ...] | None = None
    actuated: bool = False

    def __post_init__(self) -> None:
        keep_as_tuple(self, "rest")
        placements = {"placement_p": A_PLACEMENT, "placement_s": A_PLACEMENT}
        kinds = {"joint": A_JOINT, "limits": LIMITS, **placements}
        expect_fields(self, f"loop {self.name!r}", kinds)


def on_both_ends(loop: Loop, X: Transform, wrench: Array) -> tuple[Array, Array]:
    """What a wrench (6,) of a loop joint does to its successor, in whose frame it is told, and predecessor.

    X leads from the joint's predecessor frame to its successor frame; both forces are in body coordinates.
    """
    # The predecessor feels the opposite, brought over by sX_pᵀ.
    return loop.placement_s.transform().T @ wrench, -(loop.placement_p.transform().T @ (X.T @ wrench))


def check_loop(m: "Mechanism", loop: Loop) -> None:
    """ModelError for a loop joint that closes or constrains nothing, or has the name of a gear.

    Loops and gears are told apart by their names, as those of the equations they add.
    """
    if m.has("gear", loop.name):
        raise ModelError(f"{m.name!r} has a gear named {loop.name!r} already: choose another name")
    if loop.predecessor == loop.successor:
        raise ModelError(
            f"loop {loop.name!r} of {m.name!r} joins {loop.successor!r} with itself and closes nothing: "
            "give two different bodies"
        )
    if loop.joint.nv == 6:
        raise ModelError(
            f"loop {loop.name!r} of {m.name!r}: a joint with 6 freedoms constrains nothing; leave it out"
        )
    check_joint_part(m, loop, f"loop {loop.name!r}", loop.name)


def loop_faults(loop: Loop) -> Iterator[Fault]:
    """Limits that are none."""
    return limit_faults(loop.limits, loop.name)


def loop_doubts(loop: Loop) -> Iterator[Fault]:
    """Limits of a turning joint that look like degrees."""
    return limit_doubts(loop.limits, loop.joint, loop.name)


def check_closed(loop: Loop, positions: Mapping[str, Array]) -> None:
    """ModelError for a loop joint that holds two places of one body together which are apart."""
    X = loop.placement_s.transform() @ loop.placement_p.transform().inverse()
    rest = X @ loop.joint.transform(loop.joint.position_at(X)).inverse()
    size = max(float(np.linalg.norm(place.position)) for place in (loop.placement_p, loop.placement_s))
    gap, turn = float(np.linalg.norm(rest.r)), float(np.linalg.norm(log(rest.E)))
    apart = gap > CLOSED * (size or 1.0)
    if apart or turn > CLOSED:
        by = f"{gap:.3g} m" if apart else f"{turn:.3g} rad"
        raise ModelError(
            f"loop {loop.name!r} would stay open by {by}, both of its ends being on "
            f"{loop.successor!r}: lock its joints at positions that close it, as those from wt.assemble"
        )
