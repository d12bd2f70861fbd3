"""A sphere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..spatial import Array, Inertia, Placement
from ..spatial.shapes import sizes
from .revolved import half_circle, revolved
from .shape import Shape, Triangles, direction_of, numbers_of


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball around the origin, radius in m.

    >>> import whippletree as wt
    >>> wt.Sphere(0.5).support((0.0, 3.0, 4.0))
    array([0. , 0.3, 0.4])
    """

    kind: ClassVar[str] = "sphere"

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", *sizes(self.radius, "sphere", "radius", 1))

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        return Inertia.sphere(self.radius, mass=mass, density=density, placement=placement)

    def support(self, direction: Any) -> Array:
        d = direction_of(direction)
        return self.radius * d / np.linalg.norm(d)

    def bounds(self) -> tuple[Array, Array]:
        return np.full(3, -self.radius), np.full(3, self.radius)

    def triangles(self) -> Triangles:
        return revolved(half_circle(self.radius))

    def saved(self) -> dict[str, Any]:
        return {"size": (self.radius,)}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        return cls(*numbers_of(saved, cls.kind, ("radius",)))
