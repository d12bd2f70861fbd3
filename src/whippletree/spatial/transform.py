"""Plücker coordinate transforms, kept as the pair (E, r) (RBDA §2.8, tables A.3 and A.4)."""

from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from .rotate import AxialRotation, Rotation, rotation_product
from .scalar import Array
from .shift import AxialShift, Shift
from .vectors import cross, dot, skew


@dataclass(frozen=True, eq=False)
class Transform:
    """X = rot(E) xlt(r): from coordinates in a frame A to coordinates in a frame B.

    E is (3, 3) and takes A's coordinates of a 3-vector to B's; r is (3,), the position of B's
    origin in A, m. `X @ v` transforms a motion vector, `X.T @ f` brings a force vector back from
    B to A, `X1 @ X2` composes (X2 is applied first), `X.inverse()` goes from B to A.
    """

    E: Array
    r: Array

    @overload
    def __matmul__(self, other: "Transform") -> "Transform": ...
    @overload
    def __matmul__(self, other: Array) -> Array: ...
    def __matmul__(self, other: "Transform | Array") -> "Transform | Array":
        """X1 X2 of a transform (33m + 24a), or X m of a motion vector (6,) or (6, k) (24m + 18a)."""
        if isinstance(other, Transform):
            return Transform(rotation_product(self.E, other.E), other.r + dot(other.E.T, self.r))
        w, v = other[:3], other[3:]
        return np.concatenate([self.rotate(w), self.rotate(v - self.lever(w))])

    @cached_property
    def rotation(self) -> Rotation | AxialRotation:
        """What E does to vectors and matrices."""
        return Rotation.of(self.E)

    @cached_property
    def shift(self) -> Shift | AxialShift:
        """What r adds to them."""
        return Shift.of(self.r)

    @property
    def steps(self) -> "tuple[Transform, ...]":
        """The transforms that make up this one, the last being applied first: itself alone."""
        return (self,)

    @property
    def T(self) -> "TransposedTransform":
        """Xᵀ, which takes force vectors from B's coordinates to A's."""
        return TransposedTransform(self)

    # On plain numbers NumPy's own products are quicker than finding out what they could leave out.

    def rotate(self, u: Array) -> Array:
        """E u of a 3-vector, free of any origin, or of columns (3, k). 9m + 6a."""
        return self.rotation.vector(u) if _symbolic(self.E, u) else dot(self.E, u)

    def rotate_back(self, u: Array) -> Array:
        """Eᵀ u, the way back. 9m + 6a."""
        return self.rotation.T.vector(u) if _symbolic(self.E, u) else dot(self.E.T, u)

    def lever(self, u: Array) -> Array:
        """r × u of a 3-vector, or of columns (3, k). 6m + 3a."""
        return self.shift.cross(u) if _symbolic(self.r, u) else cross(self.r, u)

    def inverse(self) -> "Transform":
        """X⁻¹, from B's coordinates to A's. 9m + 6a."""
        return Transform(self.E.T, -dot(self.E, self.r))

    def inverse_motion(self, m: Array) -> Array:
        """X⁻¹ m of a motion vector in B, without forming the inverse. 24m + 18a."""
        w = self.rotate_back(m[:3])
        return np.concatenate([w, self.rotate_back(m[3:]) + self.lever(w)])

    def force(self, f: Array) -> Array:
        """X* f, a force vector from A's coordinates to B's. 24m + 18a."""
        return np.concatenate([self.rotate(f[:3] - self.lever(f[3:])), self.rotate(f[3:])])

    def matrix(self) -> Array:
        """(6, 6) matrix X on motion vectors (RBDA 2.24)."""
        return np.block([[self.E, np.zeros((3, 3))], [-self.E @ skew(self.r), self.E]])

    def force_matrix(self) -> Array:
        """(6, 6) matrix X* on force vectors (RBDA 2.25)."""
        return np.block([[self.E, -self.E @ skew(self.r)], [np.zeros((3, 3)), self.E]])

    def homogeneous(self) -> Array:
        """(4, 4) matrix from B's point coordinates to A's: the pose of B in A."""
        top = np.concatenate([self.E.T, self.r[:, None]], axis=1)
        return np.concatenate([top, np.array([[0.0, 0.0, 0.0, 1.0]])])


@dataclass(frozen=True, eq=False)
class TransposedTransform:
    """Xᵀ of a transform X from A to B: force vectors from B's coordinates to A's."""

    X: Transform

    def __matmul__(self, f: Array) -> Array:
        """Xᵀ f of a force vector (6,) or (6, k). 24m + 18a."""
        X = self.X
        force = X.rotate_back(f[3:])
        return np.concatenate([X.rotate_back(f[:3]) + X.lever(force), force])


def identity() -> Transform:
    """The transform that changes nothing."""
    return Transform(np.eye(3), np.zeros(3))


def rot(E: Array) -> Transform:
    """Pure rotation of coordinates."""
    return Transform(E, np.zeros(3))


def xlt(r: Array) -> Transform:
    """Pure shift of the origin by r, m."""
    return Transform(np.eye(3), r)


def _symbolic(a: Array, b: Array) -> bool:
    """Whether there are symbolic scalars in either array."""
    return a.dtype.hasobject or b.dtype.hasobject
