"""What a shift of the origin adds to vectors and matrices (RBDA tables A.3 and A.4, §A.4)."""

from typing import Any

import numpy as np

from .rotate import LT
from .scalar import Array, array, known
from .vectors import cross


class Shift:
    """A shift of the origin by r (3,), m."""

    __slots__ = ("r",)

    def __init__(self, r: Array) -> None:
        self.r: Array = r

    @staticmethod
    def of(r: Array) -> "Shift | AxialShift":
        """The shift by r, along a coordinate axis if it is known to be that."""
        zeros = [known(x) == 0.0 for x in r.tolist()]
        for k in (2, 0, 1):  # one of these, if it is none at all
            if zeros[k - 1] and zeros[k - 2]:
                return AxialShift(k, r.tolist()[k])
        return Shift(r)

    def cross(self, u: Array) -> Array:
        """r × u of a 3-vector (3,), or of columns (3, k). 6m + 3a."""
        return cross(self.r, u)

    def cross_symmetric(self, M: Array) -> Array:
        """r× M of a symmetric M given as lower triangle. 15m + 9a."""
        r1, r2, r3 = self.r.tolist()
        m11, m21, m22, m31, m32, m33 = M.tolist()
        p, q, s = r1 * m32, r2 * m31, r3 * m21
        return array(
            [
                [q - s, r2 * m32 - r3 * m22, r2 * m33 - r3 * m32],
                [r3 * m11 - r1 * m31, s - p, r3 * m31 - r1 * m33],
                [r1 * m21 - r2 * m11, r1 * m22 - r2 * m21, p - q],
            ]
        )

    def moments(self, H: Array, Y: Array) -> Array:
        """lt(r× Hᵀ - Y r×), symmetric for Y = H ± r× M. 15m + 18a."""
        r1, r2, r3 = self.r.tolist()
        (h11, h12, h13), (h21, h22, h23), (h31, h32, _) = H.tolist()
        (_, y12, y13), (y21, y22, y23), (y31, y32, y33) = Y.tolist()
        return array(
            [
                r2 * (h13 + y13) - r3 * (h12 + y12),
                r3 * (h11 - y22) - r1 * h13 + r2 * y23,
                r3 * (h21 + y21) - r1 * (h23 + y23),
                r1 * h12 - r2 * (h11 - y33) - r3 * y32,
                r1 * (h22 - y33) - r2 * h21 + r3 * y31,
                r1 * (h32 + y32) - r2 * (h31 + y31),
            ]
        )

    def rigid_moments(self, h: Array, y: Array) -> Array:
        """lt(r× h× + y× r×) for y - h parallel to r, which makes the sum symmetric. 9m + 9a."""
        (r1, r2, r3), (h1, h2, h3), (y1, y2, y3) = self.r.tolist(), h.tolist(), y.tolist()
        t1, t2, t3 = r1 * (h1 + y1), r2 * (h2 + y2), r3 * (h3 + y3)
        xy, xz, yz = r1 * h2 + r2 * y1, r1 * h3 + r3 * y1, r2 * h3 + r3 * y2
        return array([-(t2 + t3), xy, -(t1 + t3), xz, yz, -(t1 + t2)])


class AxialShift:
    """A shift of the origin by d, m, along coordinate axis k; the axes follow each other as k, i, j."""

    __slots__ = ("d", "i", "j", "k")

    def __init__(self, k: int, d: Any) -> None:
        self.k: int = k
        self.i: int = (k + 1) % 3
        self.j: int = (k + 2) % 3
        self.d: Any = d

    def cross(self, u: Array) -> Array:
        """r × u of a 3-vector (3,), or of columns (3, k). 2m."""
        d, a = self.d, u.tolist() if u.ndim == 1 else list(u)
        b: list[Any] = [0.0 if u.ndim == 1 else np.zeros(u.shape[1])] * 3
        b[self.i], b[self.j] = -(d * a[self.j]), d * a[self.i]
        return array(b)

    def cross_symmetric(self, M: Array) -> Array:
        """r× M of a symmetric M given as lower triangle. 6m."""
        m, d = M.tolist(), self.d
        rows: list[list[Any]] = [[0.0] * 3] * 3
        rows[self.i] = [-(d * m[LT[self.j][b]]) for b in range(3)]
        rows[self.j] = [d * m[LT[self.i][b]] for b in range(3)]
        return array(rows)

    def moments(self, H: Array, Y: Array) -> Array:
        """lt(r× Hᵀ - Y r×), symmetric for Y = H ± r× M. 5m + 3a."""
        k, i, j, d = self.k, self.i, self.j, self.d
        h, y = H.tolist(), Y.tolist()
        b: list[Any] = [0.0] * 6
        b[LT[i][i]] = -(d * (h[i][j] + y[i][j]))
        b[LT[j][j]] = d * (h[j][i] + y[j][i])
        b[LT[i][j]] = d * (h[i][i] - y[j][j])
        b[LT[k][i]], b[LT[k][j]] = -(d * y[k][j]), d * y[k][i]
        return array(b)

    def rigid_moments(self, h: Array, y: Array) -> Array:
        """lt(r× h× + y× r×) for y - h parallel to r, which makes the sum symmetric. 3m + 1a."""
        k, i, j, d = self.k, self.i, self.j, self.d
        b: list[Any] = [0.0] * 6
        b[LT[i][i]] = b[LT[j][j]] = -(d * (h[k] + y[k]))
        b[LT[k][i]], b[LT[k][j]] = d * h[i], d * h[j]
        return array(b)
