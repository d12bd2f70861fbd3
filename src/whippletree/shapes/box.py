"""A box."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..spatial import Array, Inertia, Placement
from ..spatial.shapes import sizes
from .shape import Shape, Triangles, direction_of, numbers_of


@dataclass(frozen=True)
class Box(Shape):
    """A box around the origin with three edges along x, y and z, m.

    >>> import whippletree as wt
    >>> wt.Box((0.4, 0.2, 0.6)).support((1.0, -2.0, 0.5))
    array([ 0.2, -0.1,  0.3])
    """

    kind: ClassVar[str] = "box"

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", tuple(sizes(self.size, "box", "size (3 edges)", 3)))

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        return Inertia.box(self.size, mass=mass, density=density, placement=placement)

    def support(self, direction: Any) -> Array:
        return np.where(direction_of(direction) < 0.0, -0.5, 0.5) * np.array(self.size)

    def bounds(self) -> tuple[Array, Array]:
        half = 0.5 * np.array(self.size)
        return -half, half

    def triangles(self) -> Triangles:
        corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        # Two for each side; corner 4 i + 2 j + k lies at the ends i, j, k of the edges along x, y, z.
        sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        faces = [half for a, b, c, d in sides for half in ((a, b, c), (a, c, d))]
        return corners * np.array(self.size), np.array(faces)

    def saved(self) -> dict[str, Any]:
        return {"size": self.size}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        x, y, z = numbers_of(saved, cls.kind, ("edge along x", "along y", "along z"))
        return cls((x, y, z))
