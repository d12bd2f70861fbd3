"""Lock joints."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ..errors import InputError
from ..joints import Fixed
from ..model.kinds import Kind, names_in
from ..model.mechanism import GROUND, Body, Frame, Limits, Mechanism
from ..model.moved_parts import End, body_fields, move_shapes, moved, seen_from
from ..model.values import expect, vector
from ..spatial import Array, Placement
from .pieces import Parts, assemble

_NO_MOTION: dict[str, Any] = {
    "limits": Limits(),
    "armature": 0.0,
    "damping": 0.0,
    "friction": 0.0,
    "stiffness": 0.0,
    "rest": None,
    "actuated": False,
}


def lock(m: Mechanism, positions: Mapping[str, Any]) -> Mechanism:
    """The mechanism with joints held at given positions, and so with fewer coordinates.

    A body whose joint is locked becomes part of its parent: inertias are added, shapes, frames and
    the bodies it carries move over, and its name stays as a frame. The ground has no inertia, so a body
    locked to the ground stays a body, on a Fixed joint. Armature, damping, friction, spring and limits of
    a locked joint are gone with its motion. A spring or loop joint between two points that are now on one
    body, and whatever needs a joint that is locked, is left out, and `warnings` names it.

    Args:
        m: The mechanism.
        positions: For each joint to lock, by name, its position (nq of the joint,), rad or m; a plain
            number for a joint of one variable, () for a Fixed one.

    Raises:
        ModelError: No such joint, a gear whose other joint would have to move or be elsewhere, or a loop
            that would stay open.
        InputError: A position that is none of this joint.

    >>> import whippletree as wt
    >>> m = wt.lock(wt.examples.load("double-pendulum"), {"lower": 0.5})
    >>> m.nv, [frame.name for frame in m.frames]
    (1, ['tip', 'lower'])
    >>> float(m.bodies[0].inertia.m)
    2.0
    """
    expect("lock", "m", m, Mechanism, "a Mechanism")
    expect("lock", "positions", positions, Mapping, 'a dictionary such as {"elbow": 0.5}')
    locked = {m.joint_number(joint): _position(m, joint, value) for joint, value in positions.items()}
    bodies: dict[str, Body] = {}
    merged: list[Frame] = []
    # The body that each body is now part of, and where on it; None where it is still itself.
    host: dict[str, End] = {GROUND: (GROUND, None)}
    for i, body in enumerate(m.bodies):
        parent, where = host[body.parent]
        body = replace(body, parent=parent, placement=seen_from(where, body.placement))
        if i in locked:
            placement = body.placement @ Placement.of(body.joint.transform(locked[i]))
            if parent != GROUND:
                host[body.name] = (parent, placement)
                merged.append(Frame(body.name, parent, placement))
                bodies[parent] = _merge(bodies[parent], body, placement)
                continue
            body = replace(body, joint=Fixed(), placement=placement, **_NO_MOTION)
        host[body.name] = (body.name, None)
        bodies[body.name] = body
    parts: Parts = {"body": list(bodies.values())}
    left_out = _move_parts(m, {m.bodies[i].joint_name: q for i, q in locked.items()}, host.__getitem__, parts)
    _check_on_ground(m, bodies.values(), host)
    parts["frame"] += merged
    made = assemble(m, parts)
    made.warnings += left_out
    return made


def _check_on_ground(m: Mechanism, bodies: Iterable[Body], host: Mapping[str, End]) -> None:
    """ModelError for a part between bodies that all stand still now, where that must not be: an open loop."""
    still = {GROUND: Placement()}
    for body in bodies:
        if body.joint.nv == 0 and body.parent in still:
            still[body.name] = still[body.parent] @ body.placement

    def end(old: str) -> End:
        name, where = host[old]
        return (GROUND, seen_from(still[name], where or Placement())) if name in still else (name, where)

    for kind, parts in m.kinds():
        for part in parts:
            ends = body_fields(m, kind, part)
            new = moved(m, kind, part, end) if len(ends) > 1 else part
            if len(ends) > 1 and all(getattr(new, field) == GROUND for field in ends):
                kind.lost(new, {})


def _move_parts(
    m: Mechanism, locked: Mapping[str, Array], end: Callable[[str], End], parts: Parts
) -> list[str]:
    """Collect all parts but bodies, those left out excepted, which are told."""
    gone: dict[str, set[str]] = {"joint": set(locked)}
    warnings: list[str] = []
    for kind, old in m.kinds():
        if kind.name == "body":
            continue
        parts[kind.name] = []
        for part in old:
            new = moved(m, kind, part, end)
            reason = _reason_to_go(m, kind, part, new, gone)
            if reason is None:
                parts[kind.name].append(new)
            else:
                kind.lost(new, locked)
                gone.setdefault(kind.name, set()).add(part.name)
                warnings.append(f"{kind.name} {part.name!r} is left out: {reason}")
    return warnings


def _reason_to_go(m: Mechanism, kind: Kind, old: Any, new: Any, gone: Mapping[str, set[str]]) -> str | None:
    """Why a part has no place once joints are locked, or None."""
    for field, reference in kind.refers.items():
        for of, name in product(reference.to, names_in(getattr(old, field))):
            if name in gone.get(of, ()):
                return f"{of} {name!r} is {'locked' if of == 'joint' else 'left out'}"
    ends = body_fields(m, kind, old)
    before, after = (len({getattr(part, field) for field in ends}) for part in (old, new))
    return "both of its ends are on one body now" if before > after == 1 else None


def _merge(parent: Body, child: Body, where: Placement) -> Body:
    """The parent with the matter and the shapes of a child that sits on it at a placement."""
    return replace(
        parent,
        inertia=parent.inertia + child.inertia.to_parent(where.transform()),
        visuals=parent.visuals + move_shapes(child.visuals, where),
        collisions=parent.collisions + move_shapes(child.collisions, where),
    )


def _position(m: Mechanism, joint_name: str, value: Any) -> Array:
    """The position of one joint, checked."""
    joint = m.bodies[m.joint_number(joint_name)].joint
    if joint.nq == 1 and not isinstance(value, list | tuple) and np.ndim(value) == 0:
        value = [value]
    q = vector(
        value,
        (joint.nq,),
        f"position of joint {joint_name!r}",
        f"one entry per coordinate of the joint (nq = {joint.nq})",
    )
    if q.dtype.kind != "f":
        raise InputError(f"position of joint {joint_name!r} is {value!r}: a joint is locked at plain numbers")
    fault = joint.position_fault(q)
    if fault is not None:
        raise InputError(f"position of joint {joint_name!r}: {fault}")
    return q
