"""What a shape is: the class every shape derives from."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ModelError, with_article
from ..spatial import Array, Inertia, Placement
from ..spatial.scalar import real_numbers

Triangles = tuple[Array, Array]
"""(n, 3) corners, m, and (k, 3) three of their numbers for each triangle, counter-clockwise from outside."""


class Shape(ABC):
    """A solid in a frame of its own, m; a `Geometry` or `PlacedShape` says where on a body it sits.

    A shape is a small frozen dataclass. One of a user's own derives from this class; nothing has to be
    registered, unless it is to be saved.
    """

    kind: ClassVar[str]
    """Its name in files: "box" …"""

    @abstractmethod
    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        """Inertia of the homogeneous solid, by mass, kg, or density, kg/m³, in the frame it is placed in."""

    @abstractmethod
    def support(self, direction: Any) -> Array:
        """(3,) a point of the shape that is farthest along a direction (3,) of any length."""

    @abstractmethod
    def bounds(self) -> tuple[Array, Array]:
        """(3,) lowest and (3,) highest coordinates, m; infinite where the shape has no end."""

    @abstractmethod
    def triangles(self) -> Triangles:
        """Its surface, for a picture: round ones by flat triangles."""

    @abstractmethod
    def saved(self) -> dict[str, Any]:
        """What a file says of it beside its kind: "size" and, if it must be, more."""

    @classmethod
    @abstractmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        """The shape of which a file says this; inverse of `saved`, with lists for tuples and arrays."""

    def _has_no(self, what: str, instead: str) -> ModelError:
        return ModelError(f"{with_article(self.kind)} has no {what}: {instead}")


def direction_of(direction: Any) -> Array:
    """(3,) the direction as floats; ModelError if it is none."""
    try:
        d = real_numbers(direction)
    except (TypeError, ValueError):
        raise ModelError(f"direction is {direction!r}: give three numbers") from None
    if d.shape != (3,) or not np.all(np.isfinite(d)) or not np.any(d):
        raise ModelError(f"direction is {direction!r}: give three finite numbers, not all zero")
    return d


def numbers_of(saved: Mapping[str, Any], kind: str, meaning: tuple[str, ...]) -> tuple[float, ...]:
    """The numbers of "size", as many as there are meanings; ModelError if there are more or fewer."""
    if not isinstance(saved, Mapping):
        raise ModelError(f"{with_article(kind)} is saved as {saved!r:.60}, expected what a file says of it")
    size = tuple(saved.get("size", ()))
    if len(size) != len(meaning):
        told = ", ".join(meaning) or "none"
        raise ModelError(
            f"size of {with_article(kind)} is {list(size)}, expected {len(meaning)} numbers: {told}"
        )
    return size
