"""An ellipsoid."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..spatial import Array, Inertia, Placement
from ..spatial.shapes import sizes
from .revolved import half_circle, revolved
from .shape import Shape, Triangles, direction_of, numbers_of


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid around the origin with three half axes along x, y and z, m.

    >>> import whippletree as wt
    >>> wt.Ellipsoid((0.3, 0.2, 0.1)).support((0.0, 0.0, -2.0))
    array([ 0. ,  0. , -0.1])
    """

    kind: ClassVar[str] = "ellipsoid"

    radii: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", tuple(sizes(self.radii, "ellipsoid", "radii (3 half axes)", 3)))

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        return Inertia.ellipsoid(self.radii, mass=mass, density=density, placement=placement)

    def support(self, direction: Any) -> Array:
        # The farthest point of the unit ball along A d, stretched by A, the half axes.
        axes = np.array(self.radii)
        stretched = axes * direction_of(direction)
        length = float(np.linalg.norm(stretched))
        return axes * stretched / length if length > 0.0 else np.zeros(3)

    def bounds(self) -> tuple[Array, Array]:
        axes = np.array(self.radii)
        return -axes, axes

    def triangles(self) -> Triangles:
        points, faces = revolved(half_circle(1.0))
        return points * np.array(self.radii), faces

    def saved(self) -> dict[str, Any]:
        return {"size": self.radii}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        a, b, c = numbers_of(saved, cls.kind, ("half axis along x", "along y", "along z"))
        return cls((a, b, c))
