"""A mechanism given as bodies and joints in any order, loops included (RBDA §4.1, 8.9, 10.2)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from ..errors import ModelError, with_article
from ..joints import Fixed, Joint
from ..joints.reversed import reverse
from ..spatial import Inertia, Placement
from .adding import PartAdder
from .fields import checked_name, meant
from .gear import Gear
from .graph_parts import GRAPH_BODY, GRAPH_JOINT, GraphBody, GraphJoint
from .kinds import KINDS, Kind, kind_of
from .loop import Loop
from .mechanism import GROUND, Mechanism
from .moved_parts import move_shapes, moved
from .parts import Body, Frame, Geometry, check_geometries
from .spanning_tree import choose_cut, spanning_tree
from .values import listed
from .wording import counted


class Graph(PartAdder):
    """Bodies and the joints between them, with no tree in mind; `mechanism` finds one.

    Every body has a frame of its own, in which its inertia, its joints, frames, springs, shapes and forces
    are told. Joints have damping, friction, springs, stops, rotors and motors, whether they are cut or not;
    gears and all other parts name joints and bodies, as those of a `Mechanism` do.

    Args:
        name: What to call it in messages.
        gravity: (3,) acceleration of free fall in the ground's frame, m/s².

    Attributes:
        name, gravity: As given.
        bodies, joints: By name, in the order they were added.
        ground_visuals, ground_collisions: What is seen and what can be touched of the ground.

    >>> import whippletree as wt
    >>> g = wt.Graph("triangle")
    >>> for body in ("a", "b"):
    ...     g.add_body(body, wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
    >>> g.add_joint("hinge", wt.Revolute("z"), "ground", "a", damping=0.2)
    >>> g.add_joint("slide", wt.Prismatic("x"), "a", "b", stiffness=50.0, limits=wt.Limits(0.0, 1.5))
    >>> g.add_joint("pin", wt.Revolute("z"), "ground", "b", wt.Placement((1.0, 0.0, 0.0)))
    >>> g.add_force("push", "b", force=(0.0, 3.0, 0.0))
    >>> m = g.mechanism()
    >>> m.joint_names, [loop.name for loop in m.loops]
    (['hinge', 'pin'], ['slide'])
    >>> g.mechanism(cut=["pin"]).joint_names
    ['hinge', 'slide']
    """

    def __init__(self, name: str, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        self._empty = Mechanism(name, gravity)
        self.bodies: dict[str, GraphBody] = {}
        self.joints: dict[str, GraphJoint] = {}
        self._parts: list[Any] = []
        self.ground_visuals: tuple[Geometry, ...] = ()
        self.ground_collisions: tuple[Geometry, ...] = ()

    @property
    def name(self) -> str:
        return self._empty.name

    @name.setter
    def name(self, name: str) -> None:
        self._empty.name = name

    @property
    def gravity(self) -> tuple[float, float, float]:
        return self._empty.gravity

    @gravity.setter
    def gravity(self, gravity: Any) -> None:
        self._empty.gravity = gravity

    def kinds(self) -> Iterator[tuple[Kind, tuple[Any, ...]]]:
        """Every kind with its parts: bodies and joints as this graph has them, then all others."""
        yield GRAPH_BODY, tuple(self.bodies.values())
        yield GRAPH_JOINT, tuple(self.joints.values())
        for kind in KINDS.values():
            if kind.part not in (Body, Loop):
                yield kind, tuple(part for part in self._parts if type(part) is kind.part)

    # Building

    def add_body(self, name: str, inertia: Inertia | None = None, **properties: Any) -> None:
        """Add a body; its inertia, visuals and collisions are given in its own frame."""
        self._check_properties(GRAPH_BODY, name, properties)
        self.add(GraphBody(name, Inertia.zero() if inertia is None else inertia, **properties))

    def add_joint(
        self,
        name: str,
        joint: Joint,
        predecessor: str,
        successor: str,
        placement_p: Placement | None = None,
        placement_s: Placement | None = None,
        **properties: Any,
    ) -> None:
        """Join two bodies, or a body and the ground, which need not be there yet.

        Args:
            name: Unique among joints.
            joint: How the successor may move against the predecessor.
            predecessor, successor: Names of bodies, or "ground".
            placement_p, placement_s: Where the joint's frames sit in the two bodies' own frames.
            properties: limits, armature, damping, friction, stiffness, rest and actuated, whether it has a
                motor; see `Body`.
        """
        placement_p = Placement() if placement_p is None else placement_p
        placement_s = Placement() if placement_s is None else placement_s
        self._check_properties(GRAPH_JOINT, name, properties)
        self.add(GraphJoint(name, joint, predecessor, successor, placement_p, placement_s, **properties))

    def add(self, part: Any) -> None:
        """Add a part of any kind but `Body` and `Loop`, in whose place are bodies and joints."""
        kind = self._kind(part)
        for fault in kind.faults(part):
            raise ModelError(f"{fault.title} of {self.name!r}: {fault.fault}{fault.hint}")
        self.append(part)

    def append(self, part: Any) -> None:
        """Add a part whose inertia and limits need not make sense: files hold such ones."""
        kind = self._kind(part)
        name = checked_name(part.name, kind.name)
        if name in {"body": [GROUND, *self.bodies], "joint": self.joints}.get(kind.name, ()):
            raise ModelError(
                f"{self.name!r} has {with_article(kind.name)} named {name!r} already: choose another name"
            )
        if kind is GRAPH_BODY:
            self.bodies[name] = part
        elif kind is GRAPH_JOINT:
            kind.check(self, part)  # pyright: ignore[reportArgumentType]  # it looks at the name alone
            self.joints[name] = part
        else:
            self._parts.append(part)

    def change(self, name: str, **properties: Any) -> None:
        """Give a joint, or else a body, other properties, as `change("pin", damping=0.2, actuated=True)`.

        Raises:
            ModelError: No such joint or body, no such property, or a value that cannot be.
        """
        is_joint = isinstance(name, str) and name in self.joints
        kind, table = (GRAPH_JOINT, self.joints) if is_joint else (GRAPH_BODY, self.bodies)
        if not isinstance(name, str) or name not in table:
            known = [*self.joints, *self.bodies]
            hint = meant(name, known)
            raise ModelError(
                f"{self.name!r} has no joint or body {name!r}; known: {', '.join(known) or 'none'}{hint}"
            )
        self._check_properties(kind, name, properties)
        new: Any = replace(table[name], **properties)
        for fault in kind.faults(new):
            raise ModelError(f"{fault.title} of {self.name!r}: {fault.fault}{fault.hint}")
        kind.check(self, new)  # pyright: ignore[reportArgumentType]  # as in append
        table[name] = new  # pyright: ignore[reportArgumentType]  # of the same kind as the old one

    def _kind(self, part: Any) -> Kind:
        rows = {GraphBody: GRAPH_BODY, GraphJoint: GRAPH_JOINT}
        if isinstance(part, Body | Loop):
            raise ModelError(
                f"{part.name!r} is a {type(part).__name__}, which belongs to a tree: a graph takes add_body "
                "and add_joint"
            )
        return rows[type(part)] if type(part) in rows else kind_of(part)

    def _check_properties(self, kind: Kind, name: str, properties: dict[str, Any]) -> None:
        known = [field.name for field in fields(kind.part) if field.name != "name"]
        for field in properties:
            if field not in known:
                near = meant(field, known)
                raise ModelError(
                    f"{kind.name} {name!r} has no property {field!r}; known: {', '.join(known)}{near}"
                )

    # Finding a tree

    def mechanism(self, cut: Sequence[str] | None = None) -> Mechanism:
        """The same as a spanning tree with loop joints; what is cut does not change how it moves.

        Joints with motors or rotors stay in the tree, if they can, then those with dry friction or in gears;
        apart from that every body is as near to the ground as it can be, which keeps rounding errors and the
        cost of the inertia matrix low (RBDA §10.2). Bodies are numbered so that those of a branch follow each
        other. A body's frame becomes that of its tree joint; its own is kept as a frame named after it, as
        "crank.origin". A joint with a rotor that is cut stays a joint, of a body without mass, as
        "pin.rotor", that is fixed to the successor by a loop joint, as "pin.closure".

        Args:
            cut: Names of the joints that become loop joints; chosen if None.
        """
        m, placed = self.built(cut)
        for kind, parts in self.kinds():
            if kind not in (GRAPH_BODY, GRAPH_JOINT):
                for part in parts:
                    m.add(placed(part))
        return m

    def built(self, cut: Sequence[str] | None = None) -> tuple[Mechanism, Callable[[Any], Any]]:
        """The tree and its loop joints alone, and what brings any other part into the tree's frames."""
        self._check_ends()
        chosen = self._chosen_cut() if cut is None else self._checked_cut(cut)
        tree = spanning_tree(self.name, self.bodies, self.joints, chosen)
        m = Mechanism(self.name, self.gravity)
        check_geometries(self.ground_visuals, "ground: visuals")
        check_geometries(self.ground_collisions, "ground: collisions")
        m.change(GROUND, visuals=self.ground_visuals, collisions=self.ground_collisions)
        # Where each body's own frame sits in the frame it gets.
        origins: dict[str, Placement | None] = {GROUND: None}
        for name, parent, child in tree:
            joint, body = self.joints[name], self.bodies[child]
            forward = joint.successor == child
            ends = (joint.placement_p, joint.placement_s)
            inner, outer = ends if forward else ends[::-1]
            origins[child] = origin = outer.inverse()
            m.append(
                Body(
                    child,
                    joint.joint if forward else reverse(joint.joint),
                    parent,
                    _seen(origins[parent], inner),
                    body.inertia.to_child(outer.transform()),
                    name,
                    armature=joint.armature,
                    visuals=move_shapes(body.visuals, origin),
                    collisions=move_shapes(body.collisions, origin),
                    **joint.properties(),
                )
            )
            m.append(Frame(f"{child}.origin", child, origin))
        kept = {name for name, _, _ in tree}
        for joint in self.joints.values():
            if joint.name not in kept:
                _close(m, joint, origins)

        def placed(part: Any) -> Any:
            kind = kind_of(part)
            own = {
                field: f"{name}.origin"
                for field, reference in kind.refers.items()
                if "frame" in reference.to and (name := getattr(part, field)) in self.bodies
            }
            return replace(moved(m, kind, part, lambda body: (body, origins[body])), **own)

        return m, placed

    def _check_ends(self) -> None:
        for joint in self.joints.values():
            for field in ("predecessor", "successor"):
                fault = self.end_fault(joint, field)
                if fault is not None:
                    raise ModelError(fault)

    def end_fault(self, joint: GraphJoint, field: str) -> str | None:
        """What is wrong with the "predecessor" or "successor" that a joint names, or None."""
        known = [GROUND, *self.bodies]
        body = getattr(joint, field)
        if body in known:
            return None
        return (
            f"joint {joint.name!r}: there is no body {body!r}; known: {', '.join(known)}{meant(body, known)}"
        )

    def _chosen_cut(self) -> set[str]:
        geared = {joint for part in self._parts if isinstance(part, Gear) for joint in part.joints}
        return choose_cut(self.bodies, self.joints, geared)

    def _checked_cut(self, cut: Sequence[str]) -> set[str]:
        for name in listed(cut, "cut", "joint names", list(self.joints)):
            if name not in self.joints:
                raise ModelError(f"{self.name!r} has no joint {name!r} to cut")
        return set(cut)

    def __repr__(self) -> str:
        bodies = counted(len(self.bodies), "body", "bodies")
        return f"<Graph {self.name!r}: {bodies}, {counted(len(self.joints), 'joint', 'joints')}>"


def _seen(origin: Placement | None, placement: Placement) -> Placement:
    return placement if origin is None else origin @ placement


def _close(m: Mechanism, joint: GraphJoint, origins: dict[str, Placement | None]) -> None:
    """Close a loop by a joint that is cut, or by a weld of the rotor that such a joint carries."""
    p, s = joint.predecessor, joint.successor
    at_p, at_s = _seen(origins[p], joint.placement_p), _seen(origins[s], joint.placement_s)
    if joint.armature:
        rotor = f"{joint.name}.rotor"
        properties = {"armature": joint.armature, **joint.properties()}
        m.append(Body(rotor, joint.joint, p, at_p, Inertia.zero(), joint.name, **properties))
        m.append(Loop(f"{joint.name}.closure", Fixed(), rotor, s, Placement(), at_s))
        return
    m.append(Loop(joint.name, joint.joint, p, s, at_p, at_s, **joint.properties()))
    if joint.actuated:
        m.warnings.append(
            f"joint {joint.name!r} has a motor but is cut: its force enters by loop_joint_wrenches"
        )
