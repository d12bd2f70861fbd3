"""Set a mechanism on the ground at another body."""

from dataclasses import replace
from itertools import pairwise

from ..errors import ModelError
from ..joints import Free, Joint, reverse
from ..model.mechanism import GROUND, Body, Mechanism
from ..model.moved_parts import End, move_shapes, moved, seen_from
from ..model.values import expect
from ..spatial import Placement
from .pieces import assemble, mentions


def reroot(
    m: Mechanism,
    body: str,
    joint: Joint | None = None,
    placement: Placement | None = None,
    joint_name: str = "root",
) -> Mechanism:
    """The mechanism set on the ground at another body; the joint that held it there before is gone.

    The joints between the old root and the new one are turned round (RBDA table 4.2); q, qd and tau of
    every joint that is left mean what they meant. Bodies are numbered anew: from the new root to the
    old one, then the others in their old order. A body whose joint is turned round has its own frame
    at that joint from now on; `warnings` names these bodies.

    Args:
        m: The mechanism. Other trees on the same ground stay where they are.
        body: The new root.
        joint: What carries it on the ground; Free() by default.
        placement: Where on the ground this joint sits; at its origin by default.
        joint_name: Name of this joint.

    Raises:
        ModelError: No such body, a part that needs the joint that goes or is at a body's frame that moves, or
            a name that is taken.

    >>> import whippletree as wt
    >>> m = wt.reroot(wt.examples.load("humanoid"), "left_foot")
    >>> [b.name for b in m.bodies[:4]], m.bodies[1].joint_name
    (['left_foot', 'left_ankle', 'left_shank', 'left_thigh'], 'left_ankle_roll')
    """
    expect("reroot", "m", m, Mechanism, "a Mechanism")
    number = m.body_number(body)
    if number == -1:
        raise ModelError(f"{m.name!r} cannot be set on the ground at the ground: name one of its bodies")
    path = [m.bodies[i] for i in m.support(number)]
    gone = path[0].joint_name
    # The new frame of a body on the path, in its old one: at the joint that carries the next.
    shifts = {old.name: child.placement for old, child in pairwise(path)}
    for kind, part, reference, name in mentions(m):
        if "joint" in reference.to and name == gone:
            raise ModelError(
                f"joint {gone!r} holds {path[0].name!r} to the ground and would go, "
                f"but {kind.name} {part.name!r} needs it"
            )
        if "frame" in reference.to and name in shifts:
            raise ModelError(
                f"{kind.name} {part.name!r} is at the frame of body {name!r}, which would move to another "
                "joint: put it on a frame of its own, by add_frame"
            )
    back = {name: shift.inverse() for name, shift in shifts.items()}
    root = Body(
        body,
        Free() if joint is None else joint,
        GROUND,
        Placement() if placement is None else placement,
        path[-1].inertia,
        joint_name,
        visuals=path[-1].visuals,
        collisions=path[-1].collisions,
    )
    bodies = [root]
    for old, child in zip(path[-2::-1], path[:0:-1], strict=True):
        # The joint comes from the child, all that is matter from the body itself.
        bodies.append(
            replace(
                child,
                name=old.name,
                joint=reverse(child.joint),
                parent=child.name,
                placement=back.get(child.name, Placement()),
                inertia=old.inertia.to_child(shifts[old.name].transform()),
                visuals=move_shapes(old.visuals, back[old.name]),
                collisions=move_shapes(old.collisions, back[old.name]),
            )
        )
    on_path = {old.name for old in path}
    for other in m.bodies:
        if other.name not in on_path:
            bodies.append(replace(other, placement=seen_from(back.get(other.parent), other.placement)))

    def end(name: str) -> End:
        return name, back.get(name)

    parts = {kind.name: [moved(m, kind, part, end) for part in old] for kind, old in m.kinds()}
    made = assemble(m, {**parts, "body": bodies})
    if shifts:
        names = ", ".join(repr(name) for name in shifts)
        made.warnings.append(f"set on the ground at {body!r}: {names} have their frames at other joints now")
    return made
