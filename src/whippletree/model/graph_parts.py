"""Bodies and joints of a graph, of which no joint carries a body: each has a frame of its own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelError
from ..joints import Joint
from ..spatial import Inertia, Placement
from .fields import checked_name, expect_fields, keep_as_tuple
from .kinds import JOINT, PLACE, Kind, Name, on_body
from .parts import (
    A_JOINT,
    A_PLACEMENT,
    AN_INERTIA,
    LIMITS,
    NO_LIMITS,
    Fault,
    Geometry,
    Limits,
    check_geometries,
    check_joint_part,
    inertia_faults,
    limit_doubts,
    limit_faults,
)


@dataclass(frozen=True)
class GraphBody:
    """A rigid body; inertia and looks are given in its own frame, which no joint need be near."""

    name: str
    inertia: Inertia = field(default_factory=Inertia.zero)
    visuals: tuple[Geometry, ...] = ()
    collisions: tuple[Geometry, ...] = ()

    def __post_init__(self) -> None:
        expect_fields(self, f"body {self.name!r}", {"inertia": AN_INERTIA})
        for looks in ("visuals", "collisions"):
            check_geometries(getattr(self, looks), f"body {self.name!r}: {looks}")


@dataclass(frozen=True)
class GraphJoint:
    """A joint between two bodies, or a body and the ground; all but its ends is as in `Body`.

    Its frames sit at placement_p in the predecessor's own frame and at placement_s in the successor's.
    """

    name: str
    joint: Joint
    predecessor: str
    successor: str
    placement_p: Placement = field(default_factory=Placement)
    placement_s: Placement = field(default_factory=Placement)
    limits: Limits = NO_LIMITS
    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: tuple[float, ...] | None = None
    actuated: bool = False

    def __post_init__(self) -> None:
        keep_as_tuple(self, "rest")
        placements = {"placement_p": A_PLACEMENT, "placement_s": A_PLACEMENT}
        expect_fields(self, f"joint {self.name!r}", {"joint": A_JOINT, "limits": LIMITS, **placements})

    def other(self, body: str) -> str:
        """The body at its other end."""
        return self.predecessor if body == self.successor else self.successor

    def properties(self) -> dict[str, Any]:
        """What a joint of a tree and one of a loop have in common, by their fields."""
        names = ("limits", "damping", "friction", "stiffness", "rest", "actuated")
        return {name: getattr(self, name) for name in names}


def check_graph_joint(g: Any, joint: GraphJoint) -> None:
    """ModelError for a joint that joins nothing, or cannot have its properties."""
    for end in (joint.predecessor, joint.successor):
        checked_name(end, f"joint {joint.name!r}: body")
    if joint.predecessor == joint.successor:
        raise ModelError(f"joint {joint.name!r} of {g.name!r} joins {joint.predecessor!r} with itself")
    check_joint_part(g, joint, f"joint {joint.name!r}", joint.name)


def graph_body_faults(body: GraphBody) -> Iterator[Fault]:
    """An inertia that is no body's."""
    return inertia_faults(body.inertia, body.name)


def graph_joint_faults(joint: GraphJoint) -> Iterator[Fault]:
    """Limits that are none."""
    return limit_faults(joint.limits, joint.name)


def graph_joint_doubts(joint: GraphJoint) -> Iterator[Fault]:
    """Limits of a turning joint that look like degrees."""
    return limit_doubts(joint.limits, joint.joint, joint.name)


GRAPH_BODY = Kind(
    "body",
    "bodies",
    GraphBody,
    refers={},
    names={"name": Name("body", PLACE)},
    faults=graph_body_faults,
)
"""The row of a graph's bodies, in place of that of a mechanism's."""

GRAPH_JOINT = Kind(
    "joint",
    "joints",
    GraphJoint,
    refers={"predecessor": on_body("placement_p"), "successor": on_body("placement_s")},
    names={"name": Name("joint", JOINT)},
    check=check_graph_joint,
    faults=graph_joint_faults,
    doubts=graph_joint_doubts,
)
"""Likewise of its joints, in place of that of loops."""
