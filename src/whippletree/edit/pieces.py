"""What the changes of a mechanism share: its parts, moved and put together again."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..model.kinds import Kind, Reference, names_in
from ..model.mechanism import GROUND, Mechanism

Parts = dict[str, list[Any]]
"""The parts of a mechanism, by kind."""


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
                for name in names_in(getattr(part, field)):
                    yield kind, part, reference, name
