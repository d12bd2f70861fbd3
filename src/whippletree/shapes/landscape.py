"""A landscape: a height function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ModelError
from ..spatial import Array, Inertia, Placement
from ..spatial.shapes import sizes
from .heights import Heights
from .shape import Shape, Triangles

SAMPLES = 65
"""Places along each edge of the picture of a landscape."""


@dataclass(frozen=True)
class Landscape(Shape):
    """The surface z = f(x, y), m, without end, and all that lies below it.

    Args:
        function: f. It is differentiated and recorded: it may do what functions to be compiled may do.
        shown: Edge of the square around the origin that pictures show, m.

    A file cannot hold a function; `Heights.of(function, …)` is a shape that it can.

    >>> import whippletree as wt
    >>> hills = wt.Landscape(lambda x, y: 0.1 * np.sin(x) * np.cos(2.0 * y))
    >>> hills.bounds()[0]
    array([-inf, -inf, -inf])
    """

    kind: ClassVar[str] = "landscape"

    function: Callable[[Any, Any], Any]
    shown: float = 10.0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"landscape: function is {self.function!r}, expected a function of x and y")
        (shown,) = sizes(self.shown, "landscape", "shown", 1)
        object.__setattr__(self, "shown", shown)

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        raise self._has_no("inertia", "it has no end; put it on the ground")

    def support(self, direction: Any) -> Array:
        raise self._has_no("farthest point", "it has no end")

    def bounds(self) -> tuple[Array, Array]:
        return np.full(3, -np.inf), np.full(3, np.inf)

    def triangles(self) -> Triangles:
        edge = (-0.5 * self.shown, 0.5 * self.shown)
        return Heights.of(self.function, edge, edge, (SAMPLES, SAMPLES)).triangles()

    def saved(self) -> dict[str, Any]:
        return {"size": ()}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        raise ModelError("a landscape is a function, which a file cannot hold: use heights")
