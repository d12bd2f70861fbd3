"""Rigid-body inertia: ten numbers, never a 6×6 matrix (RBDA §2.13, tables A.3 and A.4)."""

from numbers import Real
from typing import Any

import numpy as np

from ..errors import ModelError, is_masked
from .rotate import lower, symmetric
from .scalar import Array, known, real_numbers
from .shapes import Shapes
from .transform import Transform
from .vectors import cross, dot, skew


class Inertia(Shapes):
    """Spatial inertia of a rigid body in some frame: mass, first moment and rotational inertia.

    Args:
        mass: kg.
        com: (3,) centre of mass in the body's frame, m.
        about_com: (3, 3) rotational inertia about the centre of mass, kg m², or its three diagonal
            entries; in the axes of the body's frame. Zero by default: a point mass.

    Attributes:
        m: mass, kg.
        h: (3,) first moment m c, kg m.
        I: (6,) lower triangle of the rotational inertia about the frame's origin, kg m².

    >>> import whippletree as wt
    >>> rod = wt.Inertia(mass=2.0, com=(0.5, 0, 0), about_com=np.diag([0, 1 / 6, 1 / 6]))
    >>> float(round(rod.I[5], 12))
    0.666666666667
    """

    __slots__ = ("I", "h", "m")

    m: Any
    h: Array
    I: Array

    def __init__(self, mass: Any, com: Any = (0.0, 0.0, 0.0), about_com: Any = None) -> None:
        c = _entries(com, "com")
        moments = np.zeros((3, 3)) if about_com is None else _entries(about_com, "about_com")
        if _entries(mass, "mass").ndim:
            raise ModelError(f"mass is {mass!r}, expected a number, in kg")
        if c.shape != (3,):
            raise ModelError(f"com has shape {c.shape}, expected three numbers, in m")
        if moments.shape not in ((3,), (3, 3)):
            raise ModelError(
                f"about_com has shape {moments.shape}, expected a (3, 3) matrix or its three diagonal entries"
            )
        if moments.ndim == 1:
            moments = np.diag(moments)
        elif moments.dtype.kind == "f" and np.abs(moments - moments.T).max() > 1e-9 * np.abs(moments).max():
            raise ModelError(f"about_com is not symmetric: {moments.tolist()}; give both halves equal")
        self.m = mass
        self.h = mass * c
        # Parallel-axis theorem, 2.63: I = I_C + m c× (c×)ᵀ.
        self.I = lower(moments) - mass * lower(dot(skew(c), skew(c)))

    @staticmethod
    def from_parts(m: Any, h: Array, I: Array) -> "Inertia":
        """Inertia from mass, first moment (3,) and lower triangle (6,) about the origin."""
        inertia = object.__new__(Inertia)
        inertia.m, inertia.h, inertia.I = m, h, I
        return inertia

    @staticmethod
    def zero() -> "Inertia":
        """No inertia at all, as a massless link has."""
        return Inertia.from_parts(0.0, np.zeros(3), np.zeros(6))

    @property
    def com(self) -> Array:
        """(3,) centre of mass, m; the origin for a body without mass."""
        return np.zeros(3) if known(self.m) == 0.0 else self.h / self.m

    @property
    def about_com(self) -> Array:
        """(3, 3) rotational inertia about the centre of mass, kg m²."""
        return symmetric(self.I) + self.m * dot(skew(self.com), skew(self.com))

    def __add__(self, other: "Inertia") -> "Inertia":
        """Inertia of two bodies that move as one, both in the same frame. 10a."""
        if not isinstance(other, Inertia):
            return NotImplemented
        return Inertia.from_parts(self.m + other.m, self.h + other.h, self.I + other.I)

    def scaled(self, factor: Any) -> "Inertia":
        """The inertia of the same shape, `factor` times as dense. 10m."""
        return Inertia.from_parts(factor * self.m, factor * self.h, factor * self.I)

    def __matmul__(self, v: Array) -> Array:
        """I v: momentum of the velocity v (6,), or columns of (6, k). 24m + 18a."""
        w, u = v[:3], v[3:]
        h = self.h
        return np.concatenate([symmetric(self.I) @ w + cross(h, u), self.m * u - cross(h, w)])

    def to_child(self, X: Transform) -> "Inertia":
        """X* I X⁻¹: from coordinates in A to coordinates in B, X going from A to B. 49m + 52a."""
        m, h, I = self.m, self.h, self.I
        for step in reversed(X.steps):
            R, y = step.rotation, h - m * step.r
            h, I = R.vector(y), R.symmetric(I + step.shift.rigid_moments(h, y))
        return Inertia.from_parts(m, h, I)

    def to_parent(self, X: Transform) -> "Inertia":
        """Xᵀ I X: from coordinates in B to coordinates in A, X going from A to B. 49m + 52a."""
        m, h, I = self.m, self.h, self.I
        for step in X.steps:
            R = step.rotation.T
            y = R.vector(h)
            h = y + m * step.r
            I = R.symmetric(I) - step.shift.rigid_moments(y, h)
        return Inertia.from_parts(m, h, I)

    def matrix(self) -> Array:
        """(6, 6) matrix (RBDA 2.63)."""
        h = skew(self.h)
        return np.block([[symmetric(self.I), h], [-h, self.m * np.eye(3)]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Inertia):
            return NotImplemented
        return self.m == other.m and bool(np.all(self.h == other.h)) and bool(np.all(self.I == other.I))

    def __hash__(self) -> int:
        return hash((self.m, *self.h, *self.I))

    def __repr__(self) -> str:
        moments = np.array2string(self.about_com, separator=", ").replace("\n", "")
        return f"Inertia(mass={self.m}, com={np.array2string(self.com, separator=', ')}, about_com={moments})"


def _entries(values: Any, name: str) -> Array:
    """The values as an array of any scalar; ModelError for texts, None, and what is not finite."""
    if is_masked(values):
        raise ModelError(f"{name} has masked entries: give numbers for them")
    try:
        entries = np.array(values)
        symbolic = entries.ravel().tolist() if entries.dtype.kind == "O" else []
        if entries.dtype.kind != "c" and all(isinstance(entry, Real) for entry in symbolic):
            entries, symbolic = real_numbers(values), []
    except (TypeError, ValueError):
        raise ModelError(f"{name} is {values!r:.60}, expected numbers") from None
    if not all(hasattr(type(entry), "__radd__") for entry in symbolic):
        raise ModelError(f"{name} is {values!r:.60}, expected numbers")
    if not symbolic and not np.all(np.isfinite(entries)):
        raise ModelError(f"{name} is {values!r}: give finite numbers")
    return entries
