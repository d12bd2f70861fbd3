"""Articulated-body inertia: twenty-one numbers (RBDA §7.1, tables A.3 and A.4)."""

from typing import Any

import numpy as np

from .inertia import Inertia
from .rotate import lower, symmetric
from .scalar import Array, array, known, product
from .transform import Transform
from .vectors import skew


class ArticulatedInertia:
    """Symmetric map [[I, H], [Hᵀ, M]] from the acceleration of a handle to the force on it.

    Attributes:
        M: (6,) lower triangle of the lower right block, kg.
        H: (3, 3) upper right block, kg m.
        I: (6,) lower triangle of the upper left block, kg m².
    """

    __slots__ = ("H", "I", "M")

    def __init__(self, M: Array, H: Array, I: Array) -> None:
        self.M, self.H, self.I = M, H, I

    @staticmethod
    def rigid(inertia: Inertia) -> "ArticulatedInertia":
        """A single rigid body seen as an articulated one."""
        m = inertia.m
        return ArticulatedInertia(array([m, 0.0, m, 0.0, 0.0, m]), skew(inertia.h), inertia.I)

    @staticmethod
    def from_matrix(A: Array) -> "ArticulatedInertia":
        """From a symmetric (6, 6) matrix; its upper right block and two lower triangles are read."""
        return ArticulatedInertia(lower(A[3:, 3:]), A[:3, 3:], lower(A[:3, :3]))

    def __add__(self, other: "ArticulatedInertia | Inertia") -> "ArticulatedInertia":
        """Inertia of two handles glued together. 21a; 15a if the other one is rigid."""
        if isinstance(other, Inertia):
            m, (x, y, z) = other.m, other.h.tolist()
            (h11, h12, h13), (h21, h22, h23), (h31, h32, h33) = self.H.tolist()
            m11, m21, m22, m31, m32, m33 = self.M.tolist()
            H = array([[h11, h12 - z, h13 + y], [h21 + z, h22, h23 - x], [h31 - y, h32 + x, h33]])
            return ArticulatedInertia(array([m11 + m, m21, m22 + m, m31, m32, m33 + m]), H, self.I + other.I)
        return ArticulatedInertia(self.M + other.M, self.H + other.H, self.I + other.I)

    def scaled(self, factor: Any) -> "ArticulatedInertia":
        """The inertia times a number. 21m."""
        return ArticulatedInertia(factor * self.M, factor * self.H, factor * self.I)

    def __matmul__(self, v: Array) -> Array:
        """I^A a of a motion vector (6,), or columns of (6, k). 36m + 30a."""
        I, H, M, w, u = symmetric(self.I), self.H, symmetric(self.M), v[:3], v[3:]
        if v.ndim == 1:
            return np.concatenate([I @ w + H @ u, M @ u + H.T @ w])
        return np.concatenate([product(I, w) + product(H, u), product(M, u) + product(H.T, w)])

    def minus_outer(self, U: Array, V: Array) -> "ArticulatedInertia":
        """I^A - U Vᵀ for (6, k) arrays whose product is symmetric. 21k (m + a)."""
        M, H, I = self.M, self.H, self.I
        # A joint about or along z has 1 there in V: by it, what it does not carry vanishes to the last digit.
        about_z = U.shape[1] == 1 and known(V[2, 0]) == 1.0
        for u, v in zip(U.T, V.T, strict=True):
            across = u[3:] if about_z else u[2] * v[3:]
            M = M - array([u[3] * v[3], u[4] * v[3], u[4] * v[4], u[3] * v[5], u[4] * v[5], u[5] * v[5]])
            H = H - array([u[0] * v[3:], u[1] * v[3:], across])
            I = I - array([u[0] * v[0], u[1] * v[0], u[1] * v[1], u[0] * v[2], u[1] * v[2], u[2] * v[2]])
        return ArticulatedInertia(M, H, I)

    def to_child(self, X: Transform) -> "ArticulatedInertia":
        """X* I^A X⁻¹: from coordinates in A to coordinates in B, X going from A to B. 126m + 136a."""
        M, H, I = self.M, self.H, self.I
        for R, shift in ((step.rotation, step.shift) for step in reversed(X.steps)):
            Y = H - shift.cross_symmetric(M)
            Z = I - shift.moments(H, Y)
            M, H, I = R.symmetric(M), R.general(Y), R.symmetric(Z)
        return ArticulatedInertia(M, H, I)

    def to_parent(self, X: Transform) -> "ArticulatedInertia":
        """Xᵀ I^A X: from coordinates in B to coordinates in A, X going from A to B. 126m + 136a."""
        M, H, I = self.M, self.H, self.I
        for R, shift in ((step.rotation.T, step.shift) for step in X.steps):
            M, H = R.symmetric(M), R.general(H)
            Y = H + shift.cross_symmetric(M)
            H, I = Y, R.symmetric(I) + shift.moments(H, Y)
        return ArticulatedInertia(M, H, I)

    def matrix(self) -> Array:
        """(6, 6) matrix (RBDA 7.2)."""
        return np.block([[symmetric(self.I), self.H], [self.H.T, symmetric(self.M)]])
