"""A capsule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..spatial import Array, Inertia, Placement
from ..spatial.shapes import sizes
from .revolved import half_circle, revolved
from .shape import Shape, Triangles, direction_of, numbers_of


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along z around the origin, with a half ball on each end; length without these, m.

    >>> import whippletree as wt
    >>> wt.Capsule(0.1, 0.6).support((0.0, 0.0, -1.0))
    array([ 0. ,  0. , -0.4])
    """

    kind: ClassVar[str] = "capsule"

    radius: float
    length: float

    def __post_init__(self) -> None:
        radius, length = sizes((self.radius, self.length), "capsule", "radius and length", 2)
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "length", length)

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        return Inertia.capsule(self.radius, self.length, mass=mass, density=density, placement=placement)

    def support(self, direction: Any) -> Array:
        d = direction_of(direction)
        end = np.array([0.0, 0.0, -0.5 * self.length if d[2] < 0.0 else 0.5 * self.length])
        return end + self.radius * d / np.linalg.norm(d)

    def bounds(self) -> tuple[Array, Array]:
        half = np.array([self.radius, self.radius, 0.5 * self.length + self.radius])
        return -half, half

    def triangles(self) -> Triangles:
        profile = half_circle(self.radius)
        lower, upper = profile[: len(profile) // 2 + 1], profile[len(profile) // 2 :]
        end = np.array([0.0, 0.5 * self.length])
        return revolved(np.concatenate([lower - end, upper + end]))

    def saved(self) -> dict[str, Any]:
        return {"size": (self.radius, self.length)}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        return cls(*numbers_of(saved, cls.kind, ("radius", "length")))
