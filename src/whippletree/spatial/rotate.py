"""Rotation of vectors and matrices, at the cost of RBDA §A.5.

A symmetric 3×3 matrix is kept as its lower triangle, lt(A) = (A11, A21, A22, A31, A32, A33).
"""

from typing import Any

from .scalar import Array, array, known
from .vectors import cross, dot


def symmetric(lt: Array) -> Array:
    """(3, 3) symmetric matrix from its lower triangle (6,)."""
    a11, a21, a22, a31, a32, a33 = lt.tolist()
    return array([[a11, a21, a31], [a21, a22, a32], [a31, a32, a33]])


def lower(A: Array) -> Array:
    """(6,) lower triangle of a (3, 3) matrix, row by row."""
    return array([A[0, 0], A[1, 0], A[1, 1], A[2, 0], A[2, 1], A[2, 2]])


def rotation_product(F: Array, G: Array) -> Array:
    """F G of two rotation matrices; the last row is the cross product of the others. 24m + 15a."""
    rows = dot(F[:2], G)
    return array([rows[0], rows[1], cross(rows[0], rows[1])])


class Rotation:
    """A rotation of coordinates by a matrix E (3, 3)."""

    __slots__ = ("E",)

    def __init__(self, E: Array) -> None:
        self.E = E

    @staticmethod
    def of(E: Array) -> "Rotation | AxialRotation":
        """The rotation by E, about a coordinate axis if it is known to be that."""
        e = E.tolist()
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            # A tilt by 1e-12 leaves the cosine 1, so the sines have to be looked at too.
            if known(e[k][k]) == 1.0 and all(known(x) == 0.0 for x in (e[k][i], e[k][j], e[i][k], e[j][k])):
                return AxialRotation(k, e[i][i], e[i][j])
        return Rotation(E)

    @property
    def T(self) -> "Rotation":
        """The rotation back."""
        return Rotation(self.E.T)

    def vector(self, u: Array) -> Array:
        """E u of a 3-vector (3,), or of columns (3, k). 9m + 6a."""
        return dot(self.E, u)

    def symmetric(self, lt: Array) -> Array:
        """lt(E A Eᵀ) of a symmetric A given and returned as lower triangle.

        28m + 28a: A = L + D + v× with D = A33 1 invariant, v× turning into (E v)×, and L without third
        column, so that only two columns are multiplied out; the first diagonal element follows from the
        trace.
        """
        E = self.E
        a11, a21, a22, a31, a32, a33 = lt.tolist()
        l11, l22 = a11 - a33, a22 - a33
        L = array([[l11, a21], [a21, l22], [a31 + a31, a32 + a32]])
        Y = dot(E[1:], L)
        z21 = dot(Y[0], E[0, :2])
        z22 = dot(Y[0], E[1, :2])
        z31, z32, z33 = dot(E[:, :2], Y[1])
        b11 = l11 + a22 - z22 - z33
        # v = (-A23, A13, 0), and (E v)× contributes -x, y and z below the diagonal.
        x, y, z = E[:, 1] * a31 - E[:, 0] * a32
        return array([b11, z21 + z, z22 + a33, z31 - y, z32 + x, z33 + a33])

    def general(self, A: Array) -> Array:
        """E A Eᵀ of a general (3, 3) matrix, by the same split. 40m + 38a."""
        E = self.E
        (a11, a12, a13), (a21, a22, a23), (a31, a32, a33) = A.tolist()
        l11, l22 = a11 - a33, a22 - a33
        L = array([[l11, a12], [a21, l22], [a31 + a13, a32 + a23]])
        Y = dot(E, L)
        z12, z13 = dot(E[1:, :2], Y[0])
        (z21, z22, z23), (z31, z32, z33) = dot(Y[1:], E[:, :2].T)
        b11 = l11 + a22 - z22 - z33
        x, y, z = E[:, 1] * a13 - E[:, 0] * a23
        return array([[b11, z12 - z, z13 + y], [z21 + z, z22 + a33, z23 - x], [z31 - y, z32 + x, z33 + a33]])


# Where element (row, column) of a symmetric matrix stands in its lower triangle.
LT = ((0, 1, 3), (1, 2, 4), (3, 4, 5))


class AxialRotation:
    """rx, ry or rz: a rotation about coordinate axis k by the angle with cosine c and sine s.

    The axes follow each other in the order k, i, j.
    """

    __slots__ = ("c", "i", "j", "k", "s")

    def __init__(self, k: int, c: Any, s: Any) -> None:
        self.k: int = k
        self.i: int = (k + 1) % 3
        self.j: int = (k + 2) % 3
        self.c: Any = c
        self.s: Any = s

    @property
    def T(self) -> "AxialRotation":
        """The rotation back."""
        return AxialRotation(self.k, self.c, -self.s)

    def vector(self, u: Array) -> Array:
        """E u of a 3-vector (3,), or of columns (3, k). 4m + 2a."""
        i, j, c, s = self.i, self.j, self.c, self.s
        a = u.tolist() if u.ndim == 1 else list(u)
        b = [*a]
        b[i], b[j] = c * a[i] + s * a[j], c * a[j] - s * a[i]
        return array(b)

    def symmetric(self, lt: Array) -> Array:
        """lt(E A Eᵀ) of a symmetric A given and returned as lower triangle. 8m + 7a, and 2m + 3a once."""
        k, i, j, c, s = self.k, self.i, self.j, self.c, self.s
        cs, ss = c * s, s * s
        a = lt.tolist()
        ii, jj, ij, ki, kj = LT[i][i], LT[j][j], LT[i][j], LT[k][i], LT[k][j]
        difference = a[jj] - a[ii]
        alpha = (cs + cs) * a[ij] + ss * difference
        b = [*a]
        b[ii], b[jj] = a[ii] + alpha, a[jj] - alpha
        b[ij] = cs * difference + (1.0 - (ss + ss)) * a[ij]
        b[ki], b[kj] = c * a[ki] + s * a[kj], c * a[kj] - s * a[ki]
        return array(b)

    def general(self, A: Array) -> Array:
        """E A Eᵀ of a general (3, 3) matrix. 12m + 12a, and 2m once."""
        k, i, j, c, s = self.k, self.i, self.j, self.c, self.s
        cs, ss = c * s, s * s
        a, b = A.tolist(), A.tolist()
        total, difference = a[i][j] + a[j][i], a[j][j] - a[i][i]
        alpha, beta = cs * total + ss * difference, cs * difference - ss * total
        b[i][i], b[j][j] = a[i][i] + alpha, a[j][j] - alpha
        b[i][j], b[j][i] = a[i][j] + beta, a[j][i] + beta
        b[k][i], b[k][j] = c * a[k][i] + s * a[k][j], c * a[k][j] - s * a[k][i]
        b[i][k], b[j][k] = c * a[i][k] + s * a[j][k], c * a[j][k] - s * a[i][k]
        return array(b)
