"""A mechanism given as bodies and joints in any order, loops included (RBDA §4.1, 8.9, 10.2)."""

from collections import deque
from collections.abc import Sequence
from typing import Any

from ..errors import ModelError
from ..joints import Joint
from ..joints.reversed import reverse
from ..spatial import Inertia, Placement
from .fields import meant
from .loop import Loop
from .mechanism import GROUND, Mechanism


class Graph:
    """Bodies and the joints between them, with no tree in mind; `mechanism` finds one.

    Args:
        name: What to call it in messages.
        gravity: (3,) acceleration of free fall in the ground's frame, m/s².

    >>> import whippletree as wt
    >>> g = wt.Graph("triangle")
    >>> for body in ("a", "b"):
    ...     g.add_body(body, wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
    >>> g.add_joint("hinge", wt.Revolute("z"), "ground", "a")
    >>> g.add_joint("slide", wt.Prismatic("x"), "a", "b")
    >>> g.add_joint("pin", wt.Revolute("z"), "ground", "b", wt.Placement((1.0, 0.0, 0.0)))
    >>> m = g.mechanism()
    >>> m.joint_names, [loop.name for loop in m.loops]
    (['hinge', 'pin'], ['slide'])
    >>> g.mechanism(cut=["pin"]).joint_names
    ['hinge', 'slide']
    """

    def __init__(self, name: str, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        self._empty = Mechanism(name, gravity)
        self.bodies: dict[str, Inertia] = {}
        self.joints: dict[str, Loop] = {}
        self.actuated: set[str] = set()

    def add_body(self, name: str, inertia: Inertia | None = None) -> None:
        """Add a body; its inertia is given in its own frame."""
        if name in self.bodies or name == GROUND:
            raise ModelError(f"{self._empty.name!r} has a body named {name!r} already: choose another name")
        self.bodies[name] = Inertia.zero() if inertia is None else inertia

    def add_joint(
        self,
        name: str,
        joint: Joint,
        predecessor: str,
        successor: str,
        placement_p: Placement | None = None,
        placement_s: Placement | None = None,
        actuated: bool = False,
    ) -> None:
        """Join two bodies, or a body and the ground, which need not be there yet.

        Args:
            name: Unique among joints.
            joint: How the successor may move against the predecessor.
            predecessor, successor: Names of bodies, or "ground".
            placement_p, placement_s: Where the joint's frames sit in the two bodies' own frames.
            actuated: Whether the joint has a motor; such joints are the last to be cut.
        """
        if name in self.joints:
            raise ModelError(f"{self._empty.name!r} has a joint named {name!r} already: choose another name")
        if predecessor == successor:
            raise ModelError(f"joint {name!r} of {self._empty.name!r} joins {predecessor!r} with itself")
        placements = placement_p or Placement(), placement_s or Placement()
        self.joints[name] = Loop(name, joint, predecessor, successor, *placements)
        if actuated:
            self.actuated.add(name)

    def mechanism(self, cut: Sequence[str] | None = None) -> Mechanism:
        """The same as a spanning tree with loop joints.

        Joints with motors stay in the tree, if they can; apart from that every body is as near to the
        ground as it can be, which keeps rounding errors and the cost of the inertia matrix low (RBDA
        §10.2). Bodies are numbered so that those of a branch follow each other. A body's frame becomes
        that of its tree joint; its own is kept as a frame named after it, as "crank.origin".

        Args:
            cut: Names of the joints that become loop joints; chosen if None.
        """
        self._check_ends()
        tree = self._tree(self._choose_cut() if cut is None else self._checked_cut(cut))
        m = Mechanism(self._empty.name, self._empty.gravity)
        frames = {GROUND: Placement()}
        for name, parent, child in tree:
            joint = self.joints[name]
            forward = joint.successor == child
            inner, outer = (
                (joint.placement_p, joint.placement_s) if forward else (joint.placement_s, joint.placement_p)
            )
            frames[child] = outer
            m.add_body(
                child,
                joint.joint if forward else reverse(joint.joint),
                parent=parent,
                placement=frames[parent].inverse() @ inner if parent != GROUND else inner,
                inertia=self.bodies[child].to_child(outer.transform()),
                joint_name=name,
            )
            m.add_frame(f"{child}.origin", child, outer.inverse())
        kept = {name for name, _, _ in tree}
        for joint in self.joints.values():
            if joint.name not in kept:
                p, s = joint.predecessor, joint.successor
                at_p, at_s = frames[p].inverse() @ joint.placement_p, frames[s].inverse() @ joint.placement_s
                m.add_loop(joint.name, joint.joint, p, s, at_p, at_s)
                if joint.name in self.actuated:
                    m.warnings.append(
                        f"joint {joint.name!r} has a motor but is cut: its force enters by loop_joint_force"
                    )
        return m

    def _check_ends(self) -> None:
        for joint in self.joints.values():
            for body in (joint.predecessor, joint.successor):
                if body not in self.bodies and body != GROUND:
                    known = ", ".join([GROUND, *self.bodies])
                    near = meant(body, [GROUND, *self.bodies])
                    raise ModelError(f"joint {joint.name!r}: there is no body {body!r}; known: {known}{near}")

    def _choose_cut(self) -> set[str]:
        """Joints left over when a tree is grown from the best joints first."""
        depth = self._depths()
        far = len(self.bodies)

        def price(joint: Loop) -> tuple[bool, int]:
            levels = depth.get(joint.predecessor, far) + depth.get(joint.successor, far)
            return joint.name not in self.actuated, levels

        component = {body: body for body in (GROUND, *self.bodies)}

        def root(body: str) -> str:
            while component[body] != body:
                body = component[body]
            return body

        cut = set()
        for joint in sorted(self.joints.values(), key=price):
            a, b = root(joint.predecessor), root(joint.successor)
            if a == b:
                cut.add(joint.name)
            component[a] = b
        return cut

    def _checked_cut(self, cut: Sequence[str]) -> set[str]:
        for name in cut:
            if name not in self.joints:
                raise ModelError(f"{self._empty.name!r} has no joint {name!r} to cut")
        return set(cut)

    def _depths(self) -> dict[str, int]:
        """How many joints each body is away from the ground, along the shortest way."""
        depth, queue = {GROUND: 0}, deque([GROUND])
        while queue:
            body = queue.popleft()
            for _, other in self._neighbours(body, self.joints):
                if other not in depth:
                    depth[other] = depth[body] + 1
                    queue.append(other)
        return depth

    def _tree(self, cut: set[str]) -> list[tuple[str, str, str]]:
        """Joint, parent and child of every tree joint, branch after branch, parents first."""
        kept = {name: joint for name, joint in self.joints.items() if name not in cut}
        tree: list[tuple[str, str, str]] = []
        seen, stack = {GROUND}, [(GROUND, "")]
        while stack:
            body, arrived_by = stack.pop()
            if body != GROUND:
                parent = kept[arrived_by].predecessor
                tree.append((arrived_by, parent if parent != body else kept[arrived_by].successor, body))
            for name, other in reversed(self._neighbours(body, kept)):
                if name == arrived_by:
                    continue
                if other in seen:
                    raise ModelError(
                        f"the tree of {self._empty.name!r} still has a loop through joint {name!r} between "
                        f"{body!r} and {other!r}: cut one more joint of it"
                    )
                seen.add(other)
                stack.append((other, name))
        missing = [body for body in self.bodies if body not in seen]
        if missing:
            raise ModelError(
                f"no joint leads from the ground to {', '.join(map(repr, missing))} of {self._empty.name!r}: "
                "add one, as Free() for a floating body, or cut fewer"
            )
        return tree

    def _neighbours(self, body: str, joints: dict[str, Loop]) -> list[tuple[str, str]]:
        """Joints at a body, and the bodies at their other ends."""
        ends = [(joint.name, joint.predecessor, joint.successor) for joint in joints.values()]
        return [(name, s if body == p else p) for name, p, s in ends if body in (p, s)]
