"""What contacts did, as entries of a trajectory's .npz file."""

from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError
from ...spatial import Array
from .contact_history import NO_CONTACTS, ContactEvent, ContactHistory

SHAPES: dict[str, tuple[int | None, ...]] = {
    "gap": (None,),
    "mode": (None,),
    "force": (None, 3),
    "impulse": (None, 3),
    "impact_loss": (),
    "friction_power": (),
    "patch": (None, 4),
    "stored": (),
}
"""Of each array what follows the number of states; None stands for the number of candidates."""

ENTRY, EVENTS = "contact_", "contact_events"
"""Entries are named after the arrays; times and rows of events are two columns."""

WORDS = {"impact", "closes", "sticks", "slips", "opens", "rests"}
"""What contacts do."""


def contact_entries(history: ContactHistory) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays and words that a file holds; none where nothing touched."""
    if not history.titles:
        return {}, {}
    arrays = {f"{ENTRY}{name}": np.asarray(getattr(history, name), dtype=float) for name in SHAPES}
    arrays[EVENTS] = np.array([(event.t, event.row) for event in history.events], dtype=float).reshape(-1, 2)
    return arrays, {"titles": history.titles, "events": [event.what for event in history.events]}


def contact_history(path: Path, entries: dict[str, Array], head: Any, n: int) -> ContactHistory:
    """The contacts of n states out of a file's entries; FileError for what does not fit together."""
    if not head:
        return NO_CONTACTS
    titles, words = [str(title) for title in head["titles"]], [str(word) for word in head["events"]]
    nc, arrays = len(titles), {}
    for name, rest in SHAPES.items():
        found, shape = entries[f"{ENTRY}{name}"], (n, *(nc if size is None else size for size in rest))
        if found.shape != shape:
            raise FileError(path, f"is damaged: {ENTRY}{name} has shape {found.shape}, expected {shape}")
        if not np.all(np.isfinite(found)):
            raise FileError(path, f"is damaged: {ENTRY}{name} has entries that are not finite")
        arrays[name] = found
    events = entries[EVENTS]
    if events.shape != (len(words), 2) or not np.all(np.isfinite(events)) or not set(words) <= WORDS:
        raise FileError(path, "is damaged: the events of contacts do not fit together")
    if not np.all(np.isin(events[:, 1], range(nc))) or not np.all(np.isin(arrays["mode"], (0, 1, 2))):
        raise FileError(path, "is damaged: contacts have modes or numbers that there are not")
    arrays["mode"] = arrays["mode"].astype(int)
    told = [ContactEvent(float(t), int(row), word) for (t, row), word in zip(events, words, strict=True)]
    return ContactHistory(tuple(titles), **arrays, events=tuple(told))
