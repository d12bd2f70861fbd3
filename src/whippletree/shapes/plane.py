"""A plane, with all that lies below it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..spatial import Array, Inertia, Placement
from .shape import Shape, Triangles, numbers_of

SHOWN = 10.0
"""m: edge of the square that a picture shows of a plane."""


@dataclass(frozen=True)
class Plane(Shape):
    """The plane z = 0, and the half space z < 0 below it: a floor, or a wall where it is placed so.

    >>> import whippletree as wt
    >>> wt.Plane().bounds()[1]
    array([inf, inf,  0.])
    """

    kind: ClassVar[str] = "plane"

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        raise self._has_no("inertia", "it has no end; put it on the ground")

    def support(self, direction: Any) -> Array:
        raise self._has_no("farthest point", "it has no end; measure heights above it")

    def bounds(self) -> tuple[Array, Array]:
        return np.full(3, -np.inf), np.array([np.inf, np.inf, 0.0])

    def triangles(self) -> Triangles:
        corners = (
            0.5 * SHOWN * np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
        )
        return corners, np.array([(0, 1, 2), (0, 2, 3)])

    def saved(self) -> dict[str, Any]:
        return {"size": ()}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        return cls(*numbers_of(saved, cls.kind, ()))
