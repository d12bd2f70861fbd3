"""A cylinder."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..spatial import Array, Inertia, Placement
from ..spatial.shapes import sizes
from .revolved import revolved
from .shape import Shape, Triangles, direction_of, numbers_of


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along z around the origin, radius and length in m.

    >>> import whippletree as wt
    >>> wt.Cylinder(0.5, 2.0).support((3.0, 4.0, 1.0))
    array([0.3, 0.4, 1. ])
    """

    kind: ClassVar[str] = "cylinder"

    radius: float
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", *sizes(self.radius, "cylinder", "radius", 1))
        object.__setattr__(self, "length", *sizes(self.length, "cylinder", "length", 1))

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        return Inertia.cylinder(self.radius, self.length, mass=mass, density=density, placement=placement)

    def support(self, direction: Any) -> Array:
        x, y, z = direction_of(direction)
        across = float(np.hypot(x, y))
        rim = self.radius / across if across > 0.0 else 0.0
        return np.array([rim * x, rim * y, -0.5 * self.length if z < 0.0 else 0.5 * self.length])

    def bounds(self) -> tuple[Array, Array]:
        half = np.array([self.radius, self.radius, 0.5 * self.length])
        return -half, half

    def triangles(self) -> Triangles:
        r, h = self.radius, 0.5 * self.length
        return revolved(np.array([(0.0, -h), (r, -h), (r, h), (0.0, h)]))

    def saved(self) -> dict[str, Any]:
        return {"size": (self.radius, self.length)}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        return cls(*numbers_of(saved, cls.kind, ("radius", "length")))
