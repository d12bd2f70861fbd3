"""Which joints of a graph make a tree, and which are cut (RBDA §4.1, 10.2)."""

from collections import deque
from collections.abc import Collection, Mapping

from ..errors import ModelError
from .graph_parts import GraphJoint
from .parts import GROUND

Joints = Mapping[str, GraphJoint]


def choose_cut(bodies: Collection[str], joints: Joints, geared: Collection[str]) -> set[str]:
    """Joints left over when a tree is grown from the best joints first.

    Best are those that cannot close a loop, as they constrain nothing; then those with a motor or a rotor,
    whose forces are then entries of tau; then those with dry friction, which costs steps of fixed length more
    in a loop joint, and those in gears, which then need not be solved for. Apart from that every body is as
    near to the ground as it can be.
    """
    depth = _depths(joints)
    far = len(bodies)

    def price(joint: GraphJoint) -> tuple[int, int]:
        levels = depth.get(joint.predecessor, far) + depth.get(joint.successor, far)
        if joint.joint.nv == 6:
            return -3, levels
        if joint.actuated or joint.armature:
            return -2, levels
        return -1 if joint.friction or joint.name in geared else 0, levels

    component = {body: body for body in (GROUND, *bodies)}

    def root(body: str) -> str:
        while component[body] != body:
            body = component[body]
        return body

    cut = set()
    for joint in sorted(joints.values(), key=price):
        a, b = root(joint.predecessor), root(joint.successor)
        if a == b:
            cut.add(joint.name)
        component[a] = b
    return cut


def spanning_tree(
    name: str, bodies: Collection[str], joints: Joints, cut: Collection[str]
) -> list[tuple[str, str, str]]:
    """Joint, parent and child of every tree joint, branch after branch, parents first.

    Raises:
        ModelError: What is left is no tree; the graph is called by its name.
    """
    kept = {joint: entry for joint, entry in joints.items() if joint not in cut}
    tree: list[tuple[str, str, str]] = []
    seen, stack = {GROUND}, [(GROUND, "")]
    while stack:
        body, arrived_by = stack.pop()
        if body != GROUND:
            tree.append((arrived_by, kept[arrived_by].other(body), body))
        for joint, other in reversed(_neighbours(body, kept)):
            if joint == arrived_by:
                continue
            if other in seen:
                raise ModelError(
                    f"the tree of {name!r} still has a loop through joint {joint!r} between "
                    f"{body!r} and {other!r}: cut one more joint of it"
                )
            seen.add(other)
            stack.append((other, joint))
    missing = [body for body in bodies if body not in seen]
    if missing:
        raise ModelError(
            f"no joint leads from the ground to {', '.join(map(repr, missing))} of {name!r}: "
            "add one, as Free() for a floating body, or cut fewer"
        )
    return tree


def _depths(joints: Joints) -> dict[str, int]:
    """How many joints each body is away from the ground, along the shortest way."""
    depth, queue = {GROUND: 0}, deque([GROUND])
    while queue:
        body = queue.popleft()
        for _, other in _neighbours(body, joints):
            if other not in depth:
                depth[other] = depth[body] + 1
                queue.append(other)
    return depth


def _neighbours(body: str, joints: Joints) -> list[tuple[str, str]]:
    """Joints at a body, and the bodies at their other ends."""
    return [
        (joint.name, joint.other(body))
        for joint in joints.values()
        if body in (joint.predecessor, joint.successor)
    ]
