"""What the changes of a mechanism share: its parts, moved and put together again."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..model.force import Force
from ..model.loop import Loop
from ..model.mechanism import Body, Frame, Gear, Geometry, Mechanism
from ..model.spring import Spring
from ..spatial import Placement


def assemble(
    like: Mechanism,
    bodies: Iterable[Body],
    frames: Iterable[Frame],
    gears: Iterable[Gear],
    springs: Iterable[Spring],
    loops: Iterable[Loop],
    name: str | None = None,
    forces: Iterable[Force] | None = None,
) -> Mechanism:
    """A mechanism of these parts; the rest, and name and forces unless given, are those of `like`."""
    made = Mechanism(like.name if name is None else name, like.gravity)
    for body in bodies:
        made.append(body)
    for frame in frames:
        made.add_frame(frame.name, frame.body, frame.placement)
    for gear in gears:
        made.add_gear(gear.name, gear.driver, gear.driven, gear.ratio, gear.offset)
    made.springs.extend(springs)
    made.forces.extend(like.forces if forces is None else forces)
    for loop in loops:
        ends = (loop.predecessor, loop.successor, loop.placement_p, loop.placement_s)
        made.add_loop(loop.name, loop.joint, *ends)
    made.ground_visuals.extend(like.ground_visuals)
    made.ground_collisions.extend(like.ground_collisions)
    made.warnings.extend(like.warnings)
    return made


def seen_from(where: Placement | None, placement: Placement) -> Placement:
    """A placement on a body that sits at `where`; the same numbers, untouched, if it has not moved."""
    return placement if where is None else where @ placement


def move_frame(frame: Frame, body: str, where: Placement | None) -> Frame:
    return Frame(frame.name, body, seen_from(where, frame.placement))


End = tuple[str, Placement | None]
"""A body, and where on it another one sits that used to carry the end of a spring or loop joint."""


def move_loop(loop: Loop, p: End, s: End) -> Loop:
    """The loop joint with its predecessor and successor frames on other bodies."""
    return replace(
        loop,
        predecessor=p[0],
        placement_p=seen_from(p[1], loop.placement_p),
        successor=s[0],
        placement_s=seen_from(s[1], loop.placement_s),
    )


def move_spring(spring: Spring, a: End, b: End) -> Spring:
    """The spring with its ends on other bodies."""
    return replace(
        spring,
        body_a=a[0],
        point_a=move_point(spring.point_a, a[1]),
        body_b=b[0],
        point_b=move_point(spring.point_b, b[1]),
    )


def move_point(point: tuple[float, float, float], where: Placement | None) -> tuple[float, float, float]:
    if where is None:
        return point
    x, y, z = where.position + where.rotation @ np.array(point)
    return (float(x), float(y), float(z))


def move_shapes(shapes: Iterable[Geometry], where: Placement) -> tuple[Geometry, ...]:
    return tuple(replace(shape, placement=where @ shape.placement) for shape in shapes)
