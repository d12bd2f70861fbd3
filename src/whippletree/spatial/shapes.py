"""Inertias of homogeneous shapes, by mass or by density, and from principal moments.

Each shape sits with its centre and axes at a placement in the body's frame; `Inertia` inherits
these constructors, so that they are called as `Inertia.box(...)`. A hollow shape not offered here is
the solid one plus the missing part `.scaled(-1.0)`.
"""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..errors import ModelError
from .placement import Placement
from .scalar import Array, real_numbers
from .vectors import dot


class Shapes:
    """The constructors of an inertia that start from a shape.

    All of them take either `mass`, kg, or `density`, kg/m³, and `placement`, where the shape's centre
    and axes sit in the body's frame; at the frame's origin and along its axes by default. Sizes are
    in m and may be zero, for plates, discs and points; these have no volume and need a mass.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, mass: Any, com: Any = ..., about_com: Any = ...) -> None: ...

    @classmethod
    def box(
        cls,
        size: Any,
        *,
        mass: float | None = None,
        density: float | None = None,
        placement: Placement | None = None,
    ) -> Self:
        """Solid box with edges a, b, c along x, y, z: I = m/12 (b² + c², a² + c², a² + b²).

        >>> from whippletree import Inertia
        >>> brick = Inertia.box((0.2, 0.1, 0.06), density=1800.0)
        >>> float(round(brick.m, 9)), brick.about_com.diagonal().round(6)
        (2.16, array([0.002448, 0.007848, 0.009   ]))
        """
        a, b, c = sizes(size, "box", "size (3 edges)", 3)
        m = _mass("box", mass, density, a * b * c)
        return cls._placed(m, np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 12.0, placement)

    @classmethod
    def rod(
        cls, start: Any, end: Any, *, mass: float | None = None, density_per_length: float | None = None
    ) -> Self:
        """Thin straight rod between two points of the body's frame: I = m/12 (l² 1 - l lᵀ), l = end - start.

        Its mass may be given per length instead, kg/m.

        >>> from whippletree import Inertia
        >>> rod = Inertia.rod((0, 0, 0), (0, 0, -0.6), mass=2.0)
        >>> rod.com, rod.about_com.diagonal().round(6)
        (array([ 0. ,  0. , -0.3]), array([0.06, 0.06, 0.  ]))
        """
        p, q = _point(start, "rod", "start"), _point(end, "rod", "end")
        line = q - p
        length = float(np.sqrt(dot(line, line)))
        m = _mass("rod", mass, density_per_length, length, density_name="density_per_length")
        about = m / 12.0 * (dot(line, line) * np.eye(3) - np.outer(line, line))
        return cls(m, (p + q) / 2.0, about)

    @classmethod
    def sphere(
        cls,
        radius: float,
        *,
        inner_radius: float = 0.0,
        mass: float | None = None,
        density: float | None = None,
        placement: Placement | None = None,
    ) -> Self:
        """Sphere, or spherical shell: I = 2m/5 (R⁵ - r⁵)/(R³ - r³) about every axis.

        A thin shell has inner_radius equal to radius, I = 2/3 m R², and needs a mass.

        >>> from whippletree import Inertia
        >>> ball, skin = Inertia.sphere(0.1, mass=3.0), Inertia.sphere(0.1, inner_radius=0.1, mass=3.0)
        >>> ball.about_com[0, 0].round(9), skin.about_com[0, 0].round(9)
        (np.float64(0.012), np.float64(0.02))
        """
        R, r = _radii(radius, inner_radius, "sphere")
        # Both differences are divided by R - r, which may vanish; R³ - r³ = (R - r)(R² + R r + r²).
        fifth, third = R**4 + R**3 * r + R**2 * r**2 + R * r**3 + r**4, R * R + R * r + r * r
        m = _mass("sphere", mass, density, 4.0 / 3.0 * np.pi * (R - r) * third)
        moment = 0.4 * fifth / third if third > 0.0 else 0.0
        return cls._placed(m, np.full(3, moment), placement)

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        *,
        inner_radius: float = 0.0,
        mass: float | None = None,
        density: float | None = None,
        placement: Placement | None = None,
    ) -> Self:
        """Cylinder or tube along z: I_z = m/2 (R² + r²), I_x = I_y = m/12 (3 (R² + r²) + l²).

        A thin open tube has inner_radius equal to radius and needs a mass; length 0 makes a disc.

        >>> from whippletree import Inertia
        >>> disc = Inertia.cylinder(0.3, 0.0, mass=4.0)
        >>> disc.about_com.diagonal().round(9)
        array([0.09, 0.09, 0.18])
        """
        R, r = _radii(radius, inner_radius, "cylinder")
        (l,) = sizes(length, "cylinder", "length", 1)
        m = _mass("cylinder", mass, density, np.pi * (R - r) * (R + r) * l)
        about_z, across = (R * R + r * r) / 2.0, (3.0 * (R * R + r * r) + l * l) / 12.0
        return cls._placed(m, np.array([across, across, about_z]), placement)

    @classmethod
    def capsule(
        cls,
        radius: float,
        length: float,
        *,
        mass: float | None = None,
        density: float | None = None,
        placement: Placement | None = None,
    ) -> Self:
        """Solid cylinder along z, of this length, with a half ball on each end.

        With m_c and m_s the masses of the cylinder and of both half balls together,
        I_z = m_c R²/2 + 2 m_s R²/5 and I_x = m_c (3R² + l²)/12 + m_s (2R²/5 + l²/4 + 3 l R/8).

        >>> from whippletree import Inertia
        >>> arm = Inertia.capsule(0.05, 0.4, density=1000.0)
        >>> float(round(arm.m, 6))
        3.665191
        """
        R, l = sizes((radius, length), "capsule", "radius and length", 2)
        cylinder, ball = R * R * l, 4.0 / 3.0 * R**3  # volumes over π
        m = _mass("capsule", mass, density, np.pi * (cylinder + ball))
        # A capsule of no radius is a thin rod: all of its mass is in the cylinder.
        share = cylinder / (cylinder + ball) if R > 0.0 else 1.0
        about_z = share * R * R / 2.0 + (1.0 - share) * 0.4 * R * R
        across = share * (3.0 * R * R + l * l) / 12.0
        across += (1.0 - share) * (0.4 * R * R + l * l / 4.0 + 3.0 * l * R / 8.0)
        return cls._placed(m, np.array([across, across, about_z]), placement)

    @classmethod
    def ellipsoid(
        cls,
        radii: Any,
        *,
        mass: float | None = None,
        density: float | None = None,
        placement: Placement | None = None,
    ) -> Self:
        """Solid ellipsoid with half axes a, b, c along x, y, z: I = m/5 (b² + c², a² + c², a² + b²).

        >>> from whippletree import Inertia
        >>> Inertia.ellipsoid((0.3, 0.2, 0.1), mass=5.0).about_com.diagonal().round(9)
        array([0.05, 0.1 , 0.13])
        """
        a, b, c = sizes(radii, "ellipsoid", "radii (3 half axes)", 3)
        m = _mass("ellipsoid", mass, density, 4.0 / 3.0 * np.pi * a * b * c)
        return cls._placed(m, np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 5.0, placement)

    @classmethod
    def polyhedron(
        cls,
        vertices: Any,
        faces: Any,
        *,
        mass: float | None = None,
        density: float | None = None,
        placement: Placement | None = None,
    ) -> Self:
        """Solid inside a closed surface of triangles, as the sum of tetrahedra from the origin to each.

        A tetrahedron with the corners 0, a, b, c has V = a · (b × c)/6, its centre at (a + b + c)/4 and
        ∫ x xᵀ dV = V/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ), s = a + b + c.

        Args:
            vertices: (n, 3) corners, m.
            faces: (k, 3) three numbers of corners for each triangle, counter-clockwise from outside.
            mass, density, placement: As for the other shapes; the placement is that of the corners' frame.

        >>> from whippletree import Inertia
        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> wedge = Inertia.polyhedron(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], density=6.0)
        >>> float(round(wedge.m, 12)), wedge.com
        (1.0, array([0.25, 0.25, 0.25]))
        """
        points, corners = _rows_of_three(vertices, "vertices"), _rows_of_three(faces, "faces")
        if np.any(corners % 1.0):
            raise ModelError("polyhedron: faces has numbers that are not whole: give numbers of corners")
        corners = corners.astype(int)
        if corners.min() < 0 or corners.max() >= len(points):
            raise ModelError(f"polyhedron: faces names a corner that is not among 0 … {len(points) - 1}")
        a, b, c = (points[corner] for corner in corners.T)
        volumes = np.sum(a * np.cross(b, c), axis=1) / 6.0
        volume = float(np.sum(volumes))
        if not volume > 0.0:
            raise ModelError(
                f"polyhedron has the volume {volume:g} m³: give a closed surface, its triangles "
                "counter-clockwise as seen from outside"
            )
        _check_closed(points, corners)
        s = a + b + c
        com = dot(volumes, s) / (4.0 * volume)
        second = sum(np.einsum("k,ki,kj->ij", volumes, x, x) for x in (s, a, b, c)) / (20.0 * volume)
        spread = second - np.outer(com, com)
        m = _mass("polyhedron", mass, density, volume)
        placement = _placed_at(placement, "polyhedron")
        R = placement.rotation
        about = dot(dot(R, np.trace(spread) * np.eye(3) - spread), R.T)
        return cls(m, placement.position + dot(R, com), m * about)

    @classmethod
    def from_principal_moments(cls, mass: float, moments: Any, placement: Placement | None = None) -> Self:
        """Inertia with these principal moments (3,), kg m², about its centre of mass.

        The placement gives the centre of mass and, as its axes, the principal axes in the body's frame.

        >>> from whippletree import Inertia, Placement
        >>> axes = Placement((0.1, 0.0, 0.0), rpy=(0.0, 0.0, np.pi / 2))
        >>> Inertia.from_principal_moments(2.0, (0.1, 0.2, 0.25), axes).about_com.diagonal().round(9)
        array([0.2 , 0.1 , 0.25])
        """
        placement = _placed_at(placement, "inertia")
        R, mass = placement.rotation, _mass("from_principal_moments", mass, None, 0.0)
        about = dot(R * _point(moments, "from_principal_moments", "moments"), R.T)
        return cls(mass, placement.position, about)

    @classmethod
    def _placed(cls, mass: float, moments_per_mass: Array, placement: Placement | None) -> Self:
        return cls.from_principal_moments(mass, mass * moments_per_mass, placement)


def _check_closed(points: Array, corners: Array) -> None:
    """ModelError for a surface with an edge that no other triangle runs through the other way round."""
    _, place = np.unique(points, axis=0, return_inverse=True)  # files may name a corner several times
    triangles = place.reshape(-1)[corners]
    edges = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    edges = edges[edges[:, 0] != edges[:, 1]]
    there, back = (edges[:, i] * len(points) + edges[:, 1 - i] for i in range(2))
    lone = np.setdiff1d(there, back)
    if len(lone) or not np.array_equal(np.sort(there), np.sort(back)):
        raise ModelError(
            f"polyhedron: the surface is open along {len(lone)} edges, or triangles lie on each other: "
            "give a closed one, its triangles counter-clockwise as seen from outside"
        )


def _placed_at(placement: Placement | None, shape: str) -> Placement:
    if placement is not None and not isinstance(placement, Placement):
        raise ModelError(f"{shape}: placement is {placement!r:.60}, expected a Placement")
    return Placement() if placement is None else placement


def _mass(
    shape: str, mass: float | None, density: float | None, volume: float, density_name: str = "density"
) -> float:
    """The mass, given itself or as a density times the volume, or the length of a rod."""
    if mass is None and density is None:
        raise ModelError(f"{shape} needs mass or {density_name}: give one of them")
    if mass is not None and density is not None:
        raise ModelError(f"{shape}: give either mass or {density_name}, not both")
    name, value = ("mass", mass) if density is None else (density_name, density)
    number = _finite(value, (), f"{shape}: {name}")
    if number < 0.0:
        raise ModelError(f"{shape}: {name} is {number:g}, must not be negative")
    if density is not None:
        if volume == 0.0:
            extent = "length" if shape == "rod" else "volume"
            raise ModelError(f"{shape} of no {extent} has no mass by {density_name}: give mass")
        number = number * volume
    return float(number)


def sizes(values: Any, shape: str, name: str, count: int) -> list[float]:
    """So many finite sizes of a shape, none of them negative; ModelError otherwise."""
    found = _finite(values, (count,) if count > 1 else (), f"{shape}: {name}").reshape(count)
    if np.any(found < 0.0):
        raise ModelError(f"{shape}: {name} is {values!r}, must not be negative")
    return [float(size) for size in found]


def _radii(radius: Any, inner_radius: Any, shape: str) -> tuple[float, float]:
    (outer,), (inner,) = sizes(radius, shape, "radius", 1), sizes(inner_radius, shape, "inner_radius", 1)
    if inner > outer:
        raise ModelError(f"{shape}: inner_radius {inner:g} m is larger than radius {outer:g} m")
    return outer, inner


def _point(values: Any, shape: str, name: str) -> Array:
    return _finite(values, (3,), f"{shape}: {name}")


def _rows_of_three(values: Any, name: str) -> Array:
    try:
        rows = real_numbers(values)
    except (TypeError, ValueError):
        raise ModelError(f"polyhedron: {name} is {values!r:.60}: give rows of three numbers") from None
    if rows.ndim != 2 or rows.shape[1] != 3 or not len(rows) or not np.all(np.isfinite(rows)):
        raise ModelError(f"polyhedron: {name} has shape {rows.shape}: give rows of three finite numbers")
    return rows


def _finite(values: Any, shape: tuple[int, ...], name: str) -> Array:
    """The values as finite floats of the given shape, or ModelError."""
    wanted = "a finite number" if shape == () else f"{shape[0]} finite numbers"
    try:
        result = real_numbers(values)
    except (TypeError, ValueError):
        raise ModelError(f"{name} is {values!r}: give {wanted}") from None
    if result.shape != shape or not np.all(np.isfinite(result)):
        raise ModelError(f"{name} is {values!r}: give {wanted}")
    return result
