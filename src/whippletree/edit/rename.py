"""Give a mechanism and its parts other names."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import ModelError
from ..model.kinds import KINDS, with_names
from ..model.mechanism import GROUND, Mechanism
from ..model.values import expect
from .pieces import assemble


def rename(m: Mechanism, *, name: str | None = None, **names: Mapping[str, str]) -> Mechanism:
    """The mechanism under other names, each given as {old: new}; all are changed at once.

    A body and its joint have names of their own, even where these are equal.

    Args:
        m: The mechanism.
        name: That of the mechanism itself.
        names: By what they name: bodies, joints, frames, loops, gears, springs, forces, shapes, and kinds of
            your own by their plural.

    Raises:
        ModelError: An old name that is not there, or a new one that is taken.

    >>> import whippletree as wt
    >>> m = wt.rename(wt.examples.load("pendulum"), name="clock", bodies={"rod": "bob"})
    >>> m.name, m.bodies[0].name, m.bodies[0].joint_name
    ('clock', 'bob', 'rod')
    """
    expect("rename", "m", m, Mechanism, "a Mechanism")
    plurals = {kind.plural: kind.name for kind in KINDS.values()} | {"joints": "joint"}
    new: dict[str, Mapping[str, str]] = {}
    for plural, given in names.items():
        if plural not in plurals:
            raise ModelError(f"there are no {plural!r} to rename; known: {', '.join(plurals)}")
        expect("rename", plural, given, Mapping, 'a dictionary such as {"old": "new"}')
        new[plurals[plural]] = given
    for of, given in new.items():
        known = [known for known in m.names(of) if known != GROUND]
        for old in given:
            if old not in known:
                raise ModelError(f"{m.name!r} has no {of} named {old!r}; known: {', '.join(known) or 'none'}")

    def renamed(kinds: tuple[str, ...], named: Any) -> Any:
        def changed(old: str) -> str:
            of = next(of for of in kinds if m.has(of, old))
            return new.get(of, {}).get(old, old)

        return with_names(named, changed)

    parts: dict[str, list[Any]] = {}
    for kind, old_parts in m.kinds():
        asked = {field: (own.of,) for field, own in kind.own_names().items()}
        asked |= {field: reference.to for field, reference in kind.refers.items()}
        parts[kind.name] = [
            replace(part, **{field: renamed(kinds, getattr(part, field)) for field, kinds in asked.items()})
            for part in old_parts
        ]
    return assemble(m, parts, name)
