"""A loop joint: what closes a kinematic loop of a spanning tree (RBDA §4.1, table 4.3)."""

from collections.abc import Collection
from dataclasses import dataclass, field

from ..errors import ModelError
from ..joints import Joint
from ..spatial import Placement


@dataclass(frozen=True)
class Loop:
    """A joint between two bodies that the tree carries already.

    The joint's predecessor frame sits in the body `predecessor` at `placement_p`, its successor
    frame in the body `successor` at `placement_s`; either body may be "ground". A loop joint has no
    variables of its own in q: its position follows from those of the two bodies.
    """

    name: str
    joint: Joint
    predecessor: str
    successor: str
    placement_p: Placement = field(default_factory=Placement)
    placement_s: Placement = field(default_factory=Placement)


def check_loop(loop: Loop, mechanism: str, taken: Collection[str]) -> None:
    """Raise ModelError for a loop joint whose name is taken, or that closes or constrains nothing."""
    if loop.name in taken:
        raise ModelError(
            f"{mechanism!r} has a joint or loop named {loop.name!r} already: choose another name"
        )
    if not isinstance(loop.joint, Joint):
        raise ModelError(
            f"loop {loop.name!r}: joint is {loop.joint!r}, expected a joint such as Revolute('z')"
        )
    if loop.predecessor == loop.successor:
        raise ModelError(
            f"loop {loop.name!r} of {mechanism!r} joins {loop.successor!r} with itself and closes nothing: "
            "give two different bodies"
        )
    if loop.joint.nv == 6:
        raise ModelError(
            f"loop {loop.name!r} of {mechanism!r}: a joint with 6 freedoms constrains nothing; leave it out"
        )
