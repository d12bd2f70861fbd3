"""What the changes of a mechanism share: its parts, moved and put together again."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..model.kinds import Kind, Reference
from ..model.mechanism import GROUND, Geometry, Mechanism
from ..spatial import Placement

Parts = dict[str, list[Any]]
"""The parts of a mechanism, by kind."""

End = tuple[str, Placement | None]
"""A body, and where on it another one sits that used to carry the end of a part; None if it has not moved."""


def assemble(like: Mechanism, parts: Mapping[str, Iterable[Any]], name: str | None = None) -> Mechanism:
    """A mechanism of these parts, by kind; kinds not given, and all the rest, are those of `like`."""
    made = Mechanism(like.name if name is None else name, like.gravity)
    for kind, old in like.kinds():
        for part in parts.get(kind.name, old):
            made.append(part)
    made.change(GROUND, visuals=like.ground_visuals, collisions=like.ground_collisions)
    made.warnings.extend(like.warnings)
    return made


def parts_of(m: Mechanism) -> Parts:
    """All parts of a mechanism, in lists of one's own."""
    return {kind.name: list(parts) for kind, parts in m.kinds()}


def mentions(m: Mechanism) -> Iterator[tuple[Kind, Any, Reference, str]]:
    """Every name of another part that a part has, with what it may stand for."""
    for kind, parts in m.kinds():
        for part in parts:
            for field, reference in kind.refers.items():
                yield kind, part, reference, getattr(part, field)


def body_fields(m: Mechanism, kind: Kind, part: Any) -> list[str]:
    """The fields of a part that name a body or the ground, but for those that may name a frame instead."""
    return [
        field
        for field, reference in kind.refers.items()
        if "body" in reference.to and "frame" not in reference.to and m.has("body", getattr(part, field))
    ]


def moved(m: Mechanism, kind: Kind, part: Any, end: Callable[[str], End]) -> Any:
    """The part with what is fixed to bodies on those, and in those places, that `end` tells for each body."""
    given: dict[str, Any] = {}
    for field in body_fields(m, kind, part):
        given[field], where = end(getattr(part, field))
        for fixed in kind.refers[field].fixed:
            given[fixed] = seen_from(where, getattr(part, fixed))
    return replace(part, **given)


def seen_from(where: Placement | None, fixed: Any) -> Any:
    """A placement, or a point (3,), on a body that sits at `where`; untouched if it has not moved."""
    if where is None:
        return fixed
    if isinstance(fixed, Placement):
        return where @ fixed
    return tuple((where.position + where.rotation @ np.array(fixed)).tolist())


def move_shapes(shapes: Iterable[Geometry], where: Placement) -> tuple[Geometry, ...]:
    return tuple(replace(shape, placement=where @ shape.placement) for shape in shapes)
