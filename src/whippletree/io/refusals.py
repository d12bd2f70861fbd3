"""What a format has no words for, gathered to be told at once when a mechanism is to be written in it."""

from collections.abc import Iterable
from pathlib import Path

from ..errors import FileError
from ..model.mechanism import Mechanism

SHOWN = 6
"""So many are told, then how many more there are."""


class Refusals:
    """The parts of a mechanism that cannot be written, by their names."""

    def __init__(self, path: Path, format_name: str) -> None:
        self._path, self._format = path, format_name
        self._told: dict[str, None] = {}

    def add(self, what: str) -> None:
        """Note a part, and why it cannot be said, as "spring 'bungee'"."""
        self._told.setdefault(what)

    def other_kinds(self, m: Mechanism, written: Iterable[str]) -> None:
        """Note all parts of kinds that are not among those written."""
        for kind, parts in m.kinds():
            if kind.name not in written:
                for part in parts:
                    self.add(f"{kind.name} {part.name!r}")

    def tell(self) -> None:
        """FileError, if there was anything."""
        if self._told:
            listed = "; ".join(list(self._told)[:SHOWN])
            more = f"; and {len(self._told) - SHOWN} more" if len(self._told) > SHOWN else ""
            raise FileError(
                self._path,
                f"cannot be written, {self._format} has no words for: {listed}{more}. A .toml file says all",
            )


def text(values: Iterable[float]) -> str:
    """Numbers as they stand in a file, to the last bit."""
    return " ".join(repr(float(value) + 0.0) for value in values)
