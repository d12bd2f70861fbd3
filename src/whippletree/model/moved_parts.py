"""Parts whose bodies have got other frames, or are one with others: what is fixed to a body moves along."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..spatial import Placement
from .kinds import Kind
from .mechanism import Geometry, Mechanism

End = tuple[str, Placement | None]
"""A body, and where on it another one sits that used to carry the end of a part; None if it has not moved."""


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
    """Shapes of a body as they are on another, on which it sits at `where`."""
    return tuple(replace(shape, placement=where @ shape.placement) for shape in shapes)
