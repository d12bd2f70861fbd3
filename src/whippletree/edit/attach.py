"""Attach one mechanism to another."""

from collections.abc import Iterable
from dataclasses import replace

from ..errors import ModelError
from ..model.loop import Loop
from ..model.mechanism import GROUND, Body, Frame, Mechanism
from ..model.values import expect
from ..spatial import Placement
from .pieces import End, assemble, move_loop, move_shapes, move_spring, seen_from


def attach(
    m: Mechanism, other: Mechanism, frame: str, placement: Placement | None = None, prefix: str = ""
) -> Mechanism:
    """Both mechanisms as one, the ground of `other` being glued to a frame of `m`.

    Args:
        m: The one that stays as it is; name and gravity are its.
        other: The one that is attached, with its joints, frames, gears, springs, forces and loops. What it
            has on a Free joint would fly: lock that joint first to mount it.
        frame: A frame or body of `m`, or "ground".
        placement: Where in that frame the ground of `other` comes to sit; at its origin by default.
        prefix: Put before every name of `other`.

    Raises:
        ModelError: No such frame, or a name that both have.

    >>> import whippletree as wt
    >>> rod = wt.examples.load("pendulum")
    >>> m = wt.attach(wt.examples.load("cart-pole"), rod, "tip", prefix="second_")
    >>> [b.name for b in m.bodies], m.parents
    (['cart', 'pole', 'second_rod'], [-1, 0, 1])
    """
    for name, value in (("m", m), ("other", other)):
        expect("attach", name, value, Mechanism, "a Mechanism")
    if placement is not None:
        expect("attach", "placement", placement, Placement, "a Placement")
    seat = m.frame(frame)
    at = seat.placement if placement is None else seat.placement @ placement

    def renamed(old: str) -> str:
        return seat.body if old == GROUND else prefix + old

    bodies = [
        replace(
            body,
            name=prefix + body.name,
            joint_name=prefix + body.joint_name,
            parent=renamed(body.parent),
            placement=seen_from(at if body.parent == GROUND else None, body.placement),
        )
        for body in other.bodies
    ]
    frames = [
        Frame(
            prefix + old.name,
            renamed(old.body),
            seen_from(at if old.body == GROUND else None, old.placement),
        )
        for old in other.frames
    ]
    gears = [
        replace(gear, name=prefix + gear.name, driver=prefix + gear.driver, driven=prefix + gear.driven)
        for gear in other.gears
    ]

    def end(old: str) -> End:
        return (seat.body, at) if old == GROUND else (prefix + old, None)

    springs = [
        replace(move_spring(spring, end(spring.body_a), end(spring.body_b)), name=prefix + spring.name)
        for spring in other.springs
    ]
    forces = [replace(force, name=prefix + force.name, frame=prefix + force.frame) for force in other.forces]
    loops = [
        replace(move_loop(loop, end(loop.predecessor), end(loop.successor)), name=prefix + loop.name)
        for loop in other.loops
    ]
    for kind, ours, theirs in (
        ("body or frame", [*m.bodies, *m.frames], [*bodies, *frames]),
        ("gear", m.gears, gears),
        ("spring", m.springs, springs),
        ("force", m.forces, forces),
    ):
        _refuse_common(m, other, kind, [x.name for x in ours], [x.name for x in theirs])
    _refuse_common(m, other, "joint", _joints(m.bodies, m.loops), _joints(bodies, loops))
    # What stood on the ground of `other` stands on the seat now.
    visuals, collisions = move_shapes(other.ground_visuals, at), move_shapes(other.ground_collisions, at)
    ours = [
        replace(body, visuals=body.visuals + visuals, collisions=body.collisions + collisions)
        if body.name == seat.body
        else body
        for body in m.bodies
    ]
    made = assemble(
        m,
        [*ours, *bodies],
        [*m.frames, *frames],
        [*m.gears, *gears],
        [*m.springs, *springs],
        [*m.loops, *loops],
        forces=[*m.forces, *forces],
    )
    if seat.body == GROUND:
        made.ground_visuals.extend(visuals)
        made.ground_collisions.extend(collisions)
    made.warnings.extend(other.warnings)
    return made


def _joints(bodies: Iterable[Body], loops: Iterable[Loop]) -> list[str]:
    return [body.joint_name for body in bodies] + [loop.name for loop in loops]


def _refuse_common(
    m: Mechanism, other: Mechanism, kind: str, ours: Iterable[str], theirs: Iterable[str]
) -> None:
    taken = set(ours)
    for name in theirs:
        if name in taken:
            raise ModelError(
                f"{m.name!r} and {other.name!r} both have a {kind} named {name!r}: "
                "attach with a prefix, as prefix='second_'"
            )
