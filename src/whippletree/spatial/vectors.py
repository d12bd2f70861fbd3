"""Spatial vectors: motions [ω; v] and forces [n; f], angular part first (RBDA §2.2-2.9).

A spatial vector is an array of shape (6,), or (6, k) for k of them side by side. Motions and
forces live in dual spaces: their scalar product m·f is a power, and each has its own cross
operator. Both are written as plain arrays; a function's name says which of the two it takes.
"""

from operator import mul
from typing import Any

import numpy as np

from ..errors import InputError
from .scalar import Array, array, known

_SUMS = {(1, 2): "i,ij->j", (2, 1): "ij,j->i", (2, 2): "ij,jk->ik"}


def dot(A: Array, B: Array) -> Any:
    """A @ B of vectors and small matrices, to the last digit the same on every processor.

    NumPy leaves products of floats to BLAS, whose order of summation is each processor's own. Some constants
    of a mechanism are equal, or vanish, by their last digits, and the code of a kernel turns on that.

    >>> dot(np.eye(3)[:2], np.array([1.0, 2.0, 3.0]))
    array([1., 2.])
    """
    if A.dtype.hasobject or B.dtype.hasobject:
        return A @ B
    if A.ndim == B.ndim == 1:
        return sum(map(mul, A.tolist(), B.tolist()))
    return np.einsum(_SUMS[A.ndim, B.ndim], A, B)


def cross(a: Array, b: Array) -> Array:
    """a × b of 3-vectors (3,); either may be (3, k), taken column by column. 6m + 3a.

    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    array([0., 0., 1.])
    """
    a1, a2, a3 = a.tolist() if a.ndim == 1 else a
    b1, b2, b3 = b.tolist() if b.ndim == 1 else b
    return array([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])


def skew(a: Array) -> Array:
    """(3, 3) matrix a× with (a×) b = a × b (RBDA 2.23).

    >>> skew(np.array([1.0, 2.0, 3.0])) @ np.array([4.0, 5.0, 6.0])
    array([-3.,  6., -3.])
    """
    x, y, z = a.tolist()
    return array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross_motion(v: Array, m: Array) -> Array:
    """v × m, the rate of a motion vector m carried along by the velocity v (RBDA 2.31). 18m + 12a."""
    return np.concatenate([cross(v[:3], m[:3]), cross(v[:3], m[3:]) + cross(v[3:], m[:3])])


def cross_force(v: Array, f: Array) -> Array:
    """v ×* f, the rate of a force vector f carried along by the velocity v (RBDA 2.32). 18m + 12a."""
    return np.concatenate([cross(v[:3], f[:3]) + cross(v[3:], f[3:]), cross(v[:3], f[3:])])


def crm(v: Array) -> Array:
    """(6, 6) matrix v× on motion vectors (RBDA 2.33).

    >>> v, m = np.arange(1.0, 7.0), np.array([0.3, 0.1, -0.2, 0.5, 0.7, -0.4])
    >>> bool(np.allclose(crm(v) @ m, cross_motion(v, m)))
    True
    """
    w = skew(v[:3])
    return np.block([[w, np.zeros((3, 3))], [skew(v[3:]), w]])


def crf(v: Array) -> Array:
    """(6, 6) matrix v×* on force vectors, -(v×)ᵀ (RBDA 2.34).

    >>> v = np.arange(1.0, 7.0)
    >>> bool(np.all(crf(v) == -crm(v).T))
    True
    """
    return -crm(v).T


def screw(motion: Array) -> tuple[Array, Array, Any]:
    """Line direction, point on it and pitch of a motion vector [s; s_O] (RBDA 2.10).

    The motion is a turn s about the line through the point, and a slide pitch·s along it, so that
    s_O = point × s + pitch s. A force [n; f] has its line along f: pass [f; n].

    Returns:
        direction: (3,) s.
        point: (3,) the point of the line that is nearest to the origin, m.
        pitch: s·s_O / s·s, m/rad; 0 for a pure rotation.

    Raises:
        InputError: s = 0, as far as it is known: a pure translation, which has no line.

    >>> direction, point, pitch = screw(np.array([0.0, 0.0, 2.0, 2.0, 0.0, 1.0]))
    >>> point, float(pitch)
    (array([0., 1., 0.]), 0.5)
    """
    motion = array(motion)
    s, s_O = motion[:3], motion[3:]
    ss = s @ s
    if (ss == 0.0) if isinstance(ss, complex) else (known(ss) == 0.0):
        raise InputError(f"motion is {motion}: s = 0 is a pure translation, along s_O, and has no line")
    return s, cross(s, s_O) / ss, (s @ s_O) / ss


def classical_acceleration(a: Array, v: Array) -> Array:
    """[ω̇; r̈]: spatial to classical acceleration of the body-fixed point at the origin (RBDA 2.48).

    Args:
        a: (6,) spatial acceleration, (rad/s², m/s²).
        v: (6,) spatial velocity in the same frame, (rad/s, m/s).

    >>> classical_acceleration(np.zeros(6), np.array([0, 0, 2.0, 3.0, 0, 0]))[4]
    np.float64(6.0)
    """
    return a + np.concatenate([np.zeros(3), cross(v[:3], v[3:])])


def spatial_acceleration(classical: Array, v: Array) -> Array:
    """[ω̇; r̈ - ω × ṙ]: classical to spatial acceleration, inverse of `classical_acceleration`.

    >>> v = np.arange(6.0)
    >>> spatial_acceleration(classical_acceleration(np.ones(6), v), v)
    array([1., 1., 1., 1., 1., 1.])
    """
    return classical - np.concatenate([np.zeros(3), cross(v[:3], v[3:])])
