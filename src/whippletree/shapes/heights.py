"""A height field: the ground of a landscape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from operator import index
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ModelError
from ..spatial import Array, Inertia, Placement
from ..spatial.scalar import real_numbers
from .shape import Shape, Triangles, numbers_of

MOST = 10_000_000
"""Samples of a function, at most."""


@dataclass(frozen=True, eq=False)
class Heights(Shape):
    """The surface z = f(x, y) over a rectangle, by heights on an even grid, and all that lies below it.

    Args:
        heights: (nx, ny) z, m: heights[i, j] at the i-th of nx even places along x and the j-th along y.
        x, y: The rectangle, as lowest and highest coordinate, m.

    Each cell of the grid is two triangles, cut from its lower left to its upper right corner. What touches
    is the smooth surface through the samples, a natural bicubic spline, over which balls roll without a jolt.

    >>> import whippletree as wt
    >>> slope = wt.Heights.of(lambda x, y: 0.5 * x, x=(0.0, 2.0), y=(-1.0, 1.0), samples=(3, 2))
    >>> slope.heights.tolist(), slope.height(1.5, 0.2)
    ([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]], 0.75)
    """

    kind: ClassVar[str] = "heights"

    heights: Array
    x: tuple[float, float]
    y: tuple[float, float]

    def __post_init__(self) -> None:
        try:
            z = real_numbers(self.heights)
        except (TypeError, ValueError):
            raise ModelError("heights: give rows of numbers, all of one length, in m") from None
        if z.ndim != 2 or min(z.shape) < 2:
            raise ModelError(f"heights has shape {z.shape}: give at least 2 × 2 numbers, in m")
        if not np.all(np.isfinite(z)):
            i, j = np.argwhere(~np.isfinite(z))[0]
            raise ModelError(f"heights[{i}, {j}] is {z[i, j]}: give finite numbers, in m")
        z.flags.writeable = False
        object.__setattr__(self, "heights", z)
        for axis in ("x", "y"):
            given = getattr(self, axis)
            try:
                low, high = real_numbers(given).tolist()
            except (TypeError, ValueError):
                low, high = np.nan, np.nan
            if not (isinstance(low, float) and -np.inf < low < high < np.inf):
                raise ModelError(f"heights: {axis} is {given}, expected a lower and a higher number, in m")
            object.__setattr__(self, axis, (low, high))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.heights, self.x, self.y)  # an array that cannot be written

    @classmethod
    def of(cls, function: Callable[[float, float], Any], x: Any, y: Any, samples: tuple[int, int]) -> Self:
        """The heights of a function z = f(x, y), m, at so many places along x and along y."""
        if not callable(function):
            raise ModelError(f"heights: function is {function!r:.60}, expected a function of x and y")
        try:
            n, k = (index(count) for count in samples)
        except (TypeError, ValueError):
            n = k = 0
        if min(n, k) < 2 or n * k > MOST:
            raise ModelError(f"heights: samples is {samples!r:.60}, expected two whole numbers, from 2 on")
        edges = cls(np.zeros((n, k)), x, y)
        along_x, along_y = np.linspace(*edges.x, n), np.linspace(*edges.y, k)
        rows: Any = [[function(a, b) for b in along_y] for a in along_x]
        return cls(rows, edges.x, edges.y)

    def height(self, x: float, y: float) -> float:
        """z of the surface at a place, m; ModelError outside of the rectangle."""
        (i, s), (j, t) = self._cell(x, self.x, 0), self._cell(y, self.y, 1)
        z = self.heights
        if s >= t:  # the triangle on the side of x
            return float(z[i, j] + s * (z[i + 1, j] - z[i, j]) + t * (z[i + 1, j + 1] - z[i + 1, j]))
        return float(z[i, j] + t * (z[i, j + 1] - z[i, j]) + s * (z[i + 1, j + 1] - z[i, j + 1]))

    def _cell(self, value: float, edges: tuple[float, float], axis: int) -> tuple[int, float]:
        """Number of the cell along an axis, and the share of it that lies before the place."""
        low, high = edges
        if not isinstance(value, Real):
            raise ModelError(f"heights: {'xy'[axis]} is {value!r:.60}, expected a number, in m")
        if not low <= value <= high:
            raise ModelError(f"heights: {'xy'[axis]} is {value:.6}, outside of {low:g} … {high:g} m")
        cells = self.heights.shape[axis] - 1
        at = (value - low) / (high - low) * cells
        cell = min(int(at), cells - 1)
        return cell, at - cell

    def inertia(
        self, *, mass: float | None = None, density: float | None = None, placement: Placement | None = None
    ) -> Inertia:
        raise ModelError("heights have no inertia: they have no lower end; put them on the ground")

    def support(self, direction: Any) -> Array:
        raise ModelError("heights have no farthest point: they are not convex and have no lower end")

    def bounds(self) -> tuple[Array, Array]:
        low, high = zip(self.x, self.y, (-np.inf, float(np.max(self.heights))), strict=True)
        return np.array(low), np.array(high)

    def triangles(self) -> Triangles:
        nx, ny = self.heights.shape
        x, y = np.meshgrid(np.linspace(*self.x, nx), np.linspace(*self.y, ny), indexing="ij")
        points = np.stack([x, y, self.heights], axis=-1).reshape(-1, 3)
        first = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).ravel()
        right, up = first + ny, first + 1
        halves = [np.stack([first, right, right + 1], axis=1), np.stack([first, right + 1, up], axis=1)]
        return points, np.concatenate(halves)

    def saved(self) -> dict[str, Any]:
        return {"size": (*self.x, *self.y), "heights": self.heights}

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Self:
        meaning = ("lowest x", "highest x", "lowest y", "highest y")
        x0, x1, y0, y1 = numbers_of(saved, cls.kind, meaning)
        if "heights" not in saved:
            raise ModelError("heights: a height field needs heights, rows of numbers")
        return cls(saved["heights"], (x0, x1), (y0, y1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Heights):
            return NotImplemented
        return (self.x, self.y) == (other.x, other.y) and np.array_equal(self.heights, other.heights)

    def __hash__(self) -> int:
        return hash((self.x, self.y, self.heights.shape, *self.heights.flat))
