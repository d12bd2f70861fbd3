"""What the changes of a mechanism share: its parts, moved and put together again."""

from collections.abc import Iterable
from dataclasses import replace

from ..mechanism import Body, Frame, Gear, Geometry, Mechanism
from ..spatial import Placement


def assemble(
    like: Mechanism,
    bodies: Iterable[Body],
    frames: Iterable[Frame],
    gears: Iterable[Gear],
    name: str | None = None,
) -> Mechanism:
    """A mechanism of these parts; the rest and, unless another is given, the name are those of `like`."""
    made = Mechanism(like.name if name is None else name, like.gravity)
    for body in bodies:
        made.append(body)
    for frame in frames:
        made.add_frame(frame.name, frame.body, frame.placement)
    for gear in gears:
        made.add_gear(gear.name, gear.driver, gear.driven, gear.ratio, gear.offset)
    made.ground_visuals.extend(like.ground_visuals)
    made.ground_collisions.extend(like.ground_collisions)
    made.warnings.extend(like.warnings)
    return made


def seen_from(where: Placement | None, placement: Placement) -> Placement:
    """A placement on a body that sits at `where`; the same numbers, untouched, if it has not moved."""
    return placement if where is None else where @ placement


def move_frame(frame: Frame, body: str, where: Placement | None) -> Frame:
    return Frame(frame.name, body, seen_from(where, frame.placement))


def move_shapes(shapes: Iterable[Geometry], where: Placement) -> tuple[Geometry, ...]:
    return tuple(replace(shape, placement=where @ shape.placement) for shape in shapes)
