"""Where one frame sits in another."""

import math
from typing import Any

import numpy as np

from ..errors import ModelError
from .rotation import from_quaternion, from_rpy, to_quaternion, to_rpy
from .scalar import Array, real_numbers
from .transform import Transform

_NO_TURN: Array = np.frombuffer(from_rpy(np.zeros(3)).tobytes()).reshape(3, 3)
"""Shared by all placements without a turn, of which large files have many: nobody can write into bytes."""


class Placement:
    """Position and orientation of a frame B in a frame A; it cannot be changed, only replaced.

    Args:
        position: (3,) B's origin in A, m.
        rpy: (3,) roll, pitch, yaw about A's x, y, z axes in this order, rad.
        quaternion: (4,) w, x, y, z, in place of rpy; normalized.
        rotation: (3, 3) matrix whose columns are B's axes in A, in place of rpy.

    >>> import whippletree as wt
    >>> wt.Placement((0, 0, 1), rpy=(0, 0, np.pi / 2)).rotation.round(12)[:, 0]
    array([0., 1., 0.])
    """

    __slots__ = ("position", "rotation")

    position: Array
    rotation: Array

    def __init__(
        self, position: Any = (0.0, 0.0, 0.0), rpy: Any = None, quaternion: Any = None, rotation: Any = None
    ) -> None:
        if (rpy is not None) + (quaternion is not None) + (rotation is not None) > 1:
            raise ModelError("a placement takes one of rpy, quaternion and rotation, not several")
        at = _finite(position, (3,), "position")
        if quaternion is not None:
            p = _finite(quaternion, (4,), "quaternion")
            norm = math.hypot(*p)
            if norm < 1e-9:
                raise ModelError(f"quaternion has norm {norm:g}: give (w, x, y, z) of norm 1")
            axes = from_quaternion(p / norm)
        elif rotation is not None:
            axes = _rotation_matrix(rotation)
        else:
            axes = _NO_TURN if rpy is None else from_rpy(_finite(rpy, (3,), "rpy"))
        self._set(at, axes)

    def _set(self, position: Array, rotation: Array) -> None:
        position.setflags(write=False)
        rotation.setflags(write=False)
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "rotation", rotation)

    def __setattr__(self, name: str, value: Any) -> None:
        # Mechanisms keep transforms beside the placements they are made of.
        raise AttributeError(f"{name} of a placement cannot be set: make another Placement")

    def __reduce__(self) -> tuple[Any, ...]:
        return Placement._made, (self.position, self.rotation)

    @property
    def quaternion(self) -> Array:
        """(4,) unit quaternion w, x, y, z."""
        return to_quaternion(self.rotation)

    @property
    def rpy(self) -> Array:
        """(3,) roll, pitch, yaw, rad."""
        return to_rpy(self.rotation)

    def transform(self) -> Transform:
        """Plücker transform from A's coordinates to B's."""
        return Transform(self.rotation.T, self.position)

    @staticmethod
    def of(X: Transform) -> "Placement":
        """The placement of B in A for a transform from A to B; inverse of `transform`."""
        return Placement._made(X.r, X.E.T)

    @staticmethod
    def _made(position: Array, rotation: Array) -> "Placement":
        placement = object.__new__(Placement)
        placement._set(position[:], rotation[:])  # views: whose arrays they are may still write into them
        return placement

    def __matmul__(self, other: "Placement") -> "Placement":
        """The placement in A of what `other` places in B."""
        if not isinstance(other, Placement):
            return NotImplemented
        return Placement.of(other.transform() @ self.transform())

    def inverse(self) -> "Placement":
        """The placement of A in B."""
        return Placement.of(self.transform().inverse())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Placement):
            return NotImplemented
        return np.array_equal(self.position, other.position) and np.array_equal(self.rotation, other.rotation)

    def __hash__(self) -> int:
        return hash((*self.position, *self.rotation.flat))

    def __repr__(self) -> str:
        position, rpy = (", ".join(f"{x + 0.0:g}" for x in part) for part in (self.position, self.rpy))
        return f"Placement(({position}), rpy=({rpy}))"


def _finite(values: Any, shape: tuple[int, ...], name: str) -> Array:
    """The values as floats of the given shape, or ModelError."""
    try:
        result = real_numbers(values)
    except (TypeError, ValueError):
        raise ModelError(f"{name} is {values!r}: give {shape[0]} numbers") from None
    if result.shape != shape or not all(map(math.isfinite, result.ravel().tolist())):
        raise ModelError(f"{name} is {values!r}: expected {' × '.join(map(str, shape))} finite numbers")
    return result


def _rotation_matrix(values: Any) -> Array:
    R = _finite(values, (3, 3), "rotation")
    error = float(np.max(np.abs(R.T @ R - np.eye(3))))
    if error > 1e-9 or np.linalg.det(R) < 0:
        raise ModelError(
            f"rotation is not a rotation matrix: RᵀR differs from 1 by {error:.1e} (at most 1e-9), "
            f"determinant {np.linalg.det(R):.3g} (must be 1)"
        )
    return R
