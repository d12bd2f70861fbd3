"""Attach one mechanism to another."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

from ..errors import ModelError, with_article
from ..model.kinds import SHARING, Kind, names_in, with_names
from ..model.mechanism import GROUND, Mechanism
from ..model.moved_parts import End, body_fields, move_shapes, moved
from ..model.values import expect
from ..spatial import Placement
from .pieces import assemble, parts_of


def attach(
    m: Mechanism, other: Mechanism, frame: str, placement: Placement | None = None, prefix: str = ""
) -> Mechanism:
    """Both mechanisms as one, the ground of `other` being glued to a frame of `m`.

    Args:
        m: The one that stays as it is; name and gravity are its.
        other: The one that is attached, with all of its parts. What it has on a Free joint would fly: lock
            that joint first to mount it.
        frame: A frame or body of `m`, or "ground".
        placement: Where in that frame the ground of `other` comes to sit; at its origin by default.
        prefix: Put before every name of `other`.

    Raises:
        ModelError: No such frame, or a name that both have.

    >>> import whippletree as wt
    >>> rod = wt.examples.load("pendulum")
    >>> m = wt.attach(wt.examples.load("cart-pole"), rod, "tip", prefix="second_")
    >>> [b.name for b in m.bodies], m.parents
    (['cart', 'pole', 'second_rod'], (-1, 0, 1))
    """
    for name, value in (("m", m), ("other", other)):
        expect("attach", name, value, Mechanism, "a Mechanism")
    if placement is not None:
        expect("attach", "placement", placement, Placement, "a Placement")
    expect("attach", "prefix", prefix, str, "a text")
    seat = m.frame(frame)
    at = seat.placement if placement is None else seat.placement @ placement

    def end(old: str) -> End:
        return (seat.body, at) if old == GROUND else (prefix + old, None)

    parts = parts_of(m)
    for kind, theirs in other.kinds():
        new = [_prefixed(other, kind, part, prefix, end) for part in theirs]
        for field, name in kind.own_names().items():
            taken = {known for of in SHARING[name.unique] for known in m.names(of)}
            _refuse_common(m, other, name.unique, taken, [getattr(part, field) for part in new])
        parts[kind.name] += new
    # What stood on the ground of `other` stands on the seat now.
    looks = {
        "visuals": move_shapes(other.ground_visuals, at),
        "collisions": move_shapes(other.ground_collisions, at),
    }
    if seat.body != GROUND:
        host = parts["body"][m.body_number(seat.body)]
        given = {field: getattr(host, field) + shapes for field, shapes in looks.items()}
        parts["body"][m.body_number(seat.body)] = replace(host, **given)
    made = assemble(m, parts)
    if seat.body == GROUND:
        visuals, collisions = looks["visuals"], looks["collisions"]
        made.change(GROUND, visuals=m.ground_visuals + visuals, collisions=m.ground_collisions + collisions)
    made.warnings.extend(other.warnings)
    return made


def _prefixed(other: Mechanism, kind: Kind, part: Any, prefix: str, end: Callable[[str], End]) -> Any:
    """A part of the attached mechanism with its bodies and names as they are in the whole."""
    given = {field: prefix + getattr(part, field) for field in kind.own_names()}
    for field in kind.refers.keys() - body_fields(other, kind, part):
        if GROUND in names_in(getattr(part, field)):
            raise ModelError(
                f"{kind.name} {part.name!r} is on the ground of {other.name!r}, which will be elsewhere: "
                "put it on a frame of its own, by add_frame"
            )
        given[field] = with_names(getattr(part, field), lambda name: prefix + name)
    return replace(moved(other, kind, part, end), **given)


def _refuse_common(
    m: Mechanism, other: Mechanism, kind: str, taken: Collection[str], theirs: Iterable[str]
) -> None:
    for name in theirs:
        if name in taken:
            raise ModelError(
                f"{m.name!r} and {other.name!r} both have {with_article(kind)} named {name!r}: "
                "attach with a prefix, as prefix='second_'"
            )
