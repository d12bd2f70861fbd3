"""A mesh in a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ModelError
from ..spatial import Array, Inertia, Placement
from ..spatial.scalar import real_numbers
from .shape import Shape, Triangles, direction_of, numbers_of


@dataclass(frozen=True)
class Mesh(Shape):
    """A surface of triangles in a file, which is not opened here.

    Args:
        file: Its path, as it was found or given.
        scale: Factors along x, y and z.
        vertices: (n, 3) its corners, m, before scaling; needed for `support` and `bounds`.
        faces: (k, 3) three numbers of corners for each triangle, counter-clockwise from outside; with the
            vertices needed for `inertia` and `triangles`.

    Meshes of one file and scale are equal. `support` and `bounds` are those of the convex hull as well.

    >>> import whippletree as wt
    >>> corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> wt.Mesh("corner.stl", (1.0, 1.0, 2.0), vertices=corners).support((0.1, 0.2, 0.3))
    array([0., 0., 2.])
    """

    kind: ClassVar[str] = "mesh"

    file: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    vertices: Array | None = field(default=None, compare=False, repr=False)
    faces: Array | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.file, str) or not self.file:
            raise ModelError(f"mesh: file is {self.file!r}, expected a path, as a text")
        scale = _array(self.scale, "scale")
        if scale.shape != (3,) or not np.all(np.isfinite(scale) & (scale != 0.0)):
            raise ModelError(
                f"mesh {self.file!r}: scale is {self.scale!r}, expected 3 finite numbers, none of them 0"
            )
        object.__setattr__(self, "scale", tuple(scale.tolist()))
        for name, what in (("vertices", "corners"), ("faces", "triangles")):
            if getattr(self, name) is not None:
                values = _array(getattr(self, name), name)
                if not np.all(np.isfinite(values)):
                    raise ModelError(f"mesh {self.file!r}: {name} are not all finite")
                if name == "faces":
                    if np.any(values % 1.0):
                        raise ModelError(f"mesh {self.file!r}: faces has numbers that are not whole")
                    values = values.astype(int)
                if values.ndim != 2 or values.shape[1] != 3 or not len(values):
                    raise ModelError(f"mesh: {name} has shape {values.shape}, expected (n, 3): {what}")
                values.flags.writeable = False
                object.__setattr__(self, name, values)
        if self.vertices is not None and self.faces is not None:
            last = len(self.vertices) - 1
            if np.any((self.faces < 0) | (self.faces > last)):
                raise ModelError(f"mesh {self.file!r}: faces names a corner that is not among 0 … {last}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.file, self.scale, self.vertices, self.faces)  # arrays that cannot be written

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        return Inertia.polyhedron(*self.triangles(), mass=mass, density=density, placement=placement)

    def support(self, direction: Any) -> Array:
        points = self._corners()
        return points[np.argmax(points @ direction_of(direction))]

    def bounds(self) -> tuple[Array, Array]:
        points = self._corners()
        return points.min(axis=0), points.max(axis=0)

    def triangles(self) -> Triangles:
        points = self._corners()
        if self.faces is None:
            raise ModelError(
                f"mesh {self.file!r} has no faces yet: give them, as Mesh(…, vertices=…, faces=…)"
            )
        mirrored = np.prod(self.scale) < 0.0
        return points, self.faces[:, ::-1] if mirrored else self.faces

    def saved(self) -> dict[str, Any]:
        return {"size": self.scale, "mesh": self.file}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        x, y, z = numbers_of(saved, cls.kind, ("scale along x", "along y", "along z"))
        return cls(saved.get("mesh", ""), (x, y, z))

    def _corners(self) -> Array:
        if self.vertices is None:
            raise ModelError(
                f"mesh {self.file!r} has no vertices yet: load the file and give them, as Mesh(…, vertices=…)"
            )
        return self.vertices * np.array(self.scale)


def _array(values: Any, name: str) -> Array:
    try:
        return real_numbers(values)
    except (TypeError, ValueError):
        raise ModelError(f"mesh: {name} is {values!r:.60}, expected numbers") from None
