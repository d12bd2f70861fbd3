"""Drivers of a mechanism, and distances: how they are read."""

from functools import cached_property

from .collection import PartCollection
from .driver_part import Distance, Driver


class DrivenCollection(PartCollection):
    """Parts among which there are drivers, and distances that they may drive."""

    @cached_property
    def distances(self) -> tuple[Distance, ...]:
        """The distances that have a name."""
        return tuple(self._parts["distance"])

    @cached_property
    def drivers(self) -> tuple[Driver, ...]:
        """The drivers: what moves as prescribed."""
        return tuple(self._parts["driver"])
