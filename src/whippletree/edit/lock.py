"""Lock joints."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, ModelError
from ..joints import Fixed
from ..model.loop import Loop
from ..model.mechanism import GROUND, Body, Frame, Gear, Limits, Mechanism
from ..model.spring import Spring
from ..model.values import expect, vector
from ..spatial import Array, Placement
from ..spatial.rotation import log
from .pieces import assemble, move_frame, move_loop, move_shapes, move_spring, seen_from

CLOSED = 1e-6
"""Gaps of a locked loop above this, in m or rad, are no rounding."""

_NO_MOTION: dict[str, Any] = {
    "limits": Limits(),
    "armature": 0.0,
    "damping": 0.0,
    "friction": 0.0,
    "stiffness": 0.0,
    "rest": None,
}


def lock(m: Mechanism, positions: Mapping[str, Any]) -> Mechanism:
    """The mechanism with joints held at given positions, and so with fewer coordinates.

    A body whose joint is locked becomes part of its parent: inertias are added, shapes, frames and
    the bodies it carries move over, and its name stays as a frame. The ground has no inertia, so a body
    locked to the ground stays a body, on a Fixed joint. Armature, damping, friction, spring and limits of
    a locked joint are gone with its motion. A spring or loop joint between two points that are now on one
    body is left out, and `warnings` names it.

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
    gears = [gear for gear in m.gears if not _gear_is_locked(m, gear, locked)]
    bodies: dict[str, Body] = {}
    merged: list[Frame] = []
    # The body that each body is now part of, and where on it; None where it is still itself.
    host: dict[str, tuple[str, Placement | None]] = {GROUND: (GROUND, None)}
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
    frames = [move_frame(frame, *host[frame.body]) for frame in m.frames]
    left_out: list[str] = []
    springs: list[Spring] = []
    for spring in m.springs:
        a, b = host[spring.body_a], host[spring.body_b]
        if a[0] == b[0]:
            left_out.append(f"spring {spring.name!r}")
        else:
            springs.append(move_spring(spring, a, b))
    loops: list[Loop] = []
    for loop in m.loops:
        moved = move_loop(loop, host[loop.predecessor], host[loop.successor])
        if moved.predecessor == moved.successor:
            _must_be_closed(moved)
            left_out.append(f"loop {loop.name!r}")
        else:
            loops.append(moved)
    made = assemble(m, bodies.values(), [*frames, *merged], gears, springs, loops)
    made.warnings += [f"{what} is left out: both of its ends are on one body now" for what in left_out]
    return made


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
    if joint.nq == 1 and np.ndim(value) == 0:
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


def _must_be_closed(loop: Loop) -> None:
    """ModelError for a loop joint that holds two places of one body together which are apart."""
    X = loop.placement_s.transform() @ loop.placement_p.transform().inverse()
    joint = loop.joint.plain()
    rest = X @ joint.transform(joint.position_at(X)).inverse()
    gap = max(float(np.linalg.norm(part)) for part in (rest.r, log(rest.E)))
    if gap > CLOSED:
        raise ModelError(
            f"loop {loop.name!r} would stay open by {gap:.3g} m or rad, both of its ends being on "
            f"{loop.successor!r}: lock its joints at positions that close it, as those from wt.assemble"
        )


def _gear_is_locked(m: Mechanism, gear: Gear, locked: Mapping[int, Array]) -> bool:
    """Whether both joints of a gear are locked, where it lets them be; ModelError if only one is."""
    driver, driven = (locked.get(m.joint_number(joint)) for joint in (gear.driver, gear.driven))
    if driver is None and driven is None:
        return False
    if driver is None or driven is None:
        held, other = (gear.driven, gear.driver) if driver is None else (gear.driver, gear.driven)
        raise ModelError(
            f"gear {gear.name!r} couples {held!r}, which is to be locked, to {other!r}: lock both "
            f"({gear.driven} = {gear.ratio:g} · {gear.driver} + {gear.offset:g})"
        )
    expected = gear.ratio * driver[0] + gear.offset
    if abs(driven[0] - expected) > 1e-9 * max(1.0, abs(expected)):
        raise ModelError(
            f"gear {gear.name!r} holds {gear.driven!r} at {expected:g} while {gear.driver!r} is at "
            f"{driver[0]:g}: it cannot be locked at {driven[0]:g}"
        )
    return True
