"""What contacts did over a motion, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...model.values import whole_number
from ...spatial import Array

WHAT = ("impact", "closes", "sticks", "slips", "opens", "rests")
"""What contacts do."""


class ContactEvent(NamedTuple):
    """Something that a contact did: when, s, which row of `candidates`, and what.

    What: "impact", "closes", "sticks", "slips", "opens", or "rests": the time at which ever lower hops end.
    """

    t: float
    row: int
    what: str


@dataclass(frozen=True, eq=False)
class ContactHistory:
    """Contacts along a trajectory of n states, nc candidates each, in the order of `wt.contact.candidates`.

    Attributes:
        titles: (nc,) the candidates in words.
        gap: (n, nc) m.
        mode: (n, nc) 0 open, 1 sticking, 2 slipping.
        force: (n, nc, 3) on shape a along n, t1 and t2 of `contact_frames`, N.
        impulse: (n, nc, 3) of the impact that led to a state, likewise, N s; zero elsewhere.
        impact_loss: (n,) the energy that it took, J.
        friction_power: (n,) what friction takes, and dampers of surfaces that give way, W; `lost_power` of
            the trajectory holds it.
        patch: (n, nc, 4) where surfaces that give way are: z of `PatchState` (2), and x (2), m; 0 for rigid
            ones.
        stored: (n,) the energy in them, J; `elastic` of the trajectory holds it.
        events: What happened, in its order.
    """

    titles: tuple[str, ...]
    gap: Array
    mode: Array
    force: Array
    impulse: Array
    impact_loss: Array
    friction_power: Array
    patch: Array
    stored: Array
    events: tuple[ContactEvent, ...]

    def __repr__(self) -> str:
        nc = len(self.titles)
        return f"<ContactHistory: {len(self.gap)} states, {nc} candidates, {len(self.events)} events>"

    def times(self, what: str, row: int | None = None) -> list[float]:
        """When something happened, s, to one candidate or to any."""
        if not isinstance(what, str) or what not in WHAT:
            raise InputError(f"what is {what!r:.60}: give one of {', '.join(WHAT)}")
        if row is not None and whole_number(row, "row", 0) >= len(self.titles):
            raise InputError(f"row is {row}: there are {len(self.titles)} candidates, counted from 0")
        return [event.t for event in self.events if event.what == what and row in (None, event.row)]


def history(
    titles: tuple[str, ...],
    rows: Sequence[tuple[Any, ...]],
    events: Sequence[ContactEvent],
    count: int | None = None,
) -> ContactHistory:
    """Out of rows, one a state or columns of many, of the eight fields between titles and events.

    Only the first states count, if a number is given.
    """
    nc = len(titles)
    shapes = ((nc,), (nc,), (nc, 3), (nc, 3), (), (), (nc, 4), ())
    parts = [
        np.concatenate(
            [np.zeros((0, *shape)), *(np.reshape(row[k], (np.size(row[4]), *shape)) for row in rows)]
        )[:count]
        for k, shape in enumerate(shapes)
    ]
    gap, mode, *others = parts
    return ContactHistory(titles, gap, mode.astype(int), *others, events=tuple(events))


def merged(titles: tuple[str, ...], parts: Sequence[tuple[list[int], ContactHistory]]) -> ContactHistory:
    """One out of those of some candidates each, given with their rows, of the same states."""
    n, nc = len(parts[0][1].gap), len(titles)
    of_all: dict[str, Any] = {}
    for name in ("gap", "mode", "force", "impulse", "patch"):
        first = getattr(parts[0][1], name)
        of_all[name] = np.zeros((n, nc, *first.shape[2:]), dtype=first.dtype)
        for rows, part in parts:
            of_all[name][:, rows] = getattr(part, name)
    for name in ("impact_loss", "friction_power", "stored"):
        of_all[name] = sum(getattr(part, name) for _, part in parts)
    told = [event._replace(row=rows[event.row]) for rows, part in parts for event in part.events]
    return ContactHistory(titles, **of_all, events=tuple(sorted(told, key=lambda event: event.t)))


NO_CONTACTS = history((), (), ())
"""Of a motion in which nothing touched, or of which a file does not tell."""
