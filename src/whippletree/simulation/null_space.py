"""Accelerations and velocities under constraints, by what these leave free (Golub & Van Loan, §5.2, §6.2).

Nothing is chosen and nothing is squared: errors are those of rounding over the size of the weakest
constraint. Constraint forces by K M⁻¹ Kᵀ have them over its square, dependent coordinates as their choice has
it. That counts next to singular positions.
"""

import numpy as np

from ..spatial import Array
from .factors import lapack


def _held_and_free(B: Array) -> tuple[Array, Array, Array]:
    """Of n independent constraints B (n, nv) what they hold (nv, n) and leave free, and R of Bᵀ = Q R."""
    n, nv = B.shape
    R, scales, *_ = lapack().dgeqrf(B.T)
    reflectors = np.zeros((nv, nv), order="F")
    reflectors[:, :n] = R
    Q = lapack().dorgqr(reflectors, scales, overwrite_a=1)[0]
    return Q[:, :n], Q[:, n:], R[:n]


def _solved(A: Array, b: Array) -> Array:
    """x with A x = b, A being symmetric and positive definite; LinAlgError if it is not."""
    if not len(b):  # LAPACK takes no matrix of no numbers
        return b
    _, x, fault = lapack().dposv(A, b)
    if fault:
        raise np.linalg.LinAlgError("inertia is not positive")
    return x


def accelerated(M: Array, f: Array, B: Array, b: Array) -> Array:
    """qdd (nv,) with M qdd = f + Bᵀ λ and B qdd = b.

    By its shortest part that constraints ask for, and by inertia what these leave free.

    Args:
        M: (nv, nv) inertia.
        f: (nv,) forces.
        B, b: (n, nv), (n,) independent constraints.
    """
    held, free, R = _held_and_free(B)
    part = held @ lapack().dtrtrs(R, b, trans=1)[0]
    return part + free @ _solved(free.T @ M @ free, free.T @ (f - M @ part))


def nearest(B: Array, M: Array, qd: Array) -> Array:
    """The velocity with B qd = 0 that is nearest to one in kinetic energy, which so changes least."""
    _, free, _ = _held_and_free(B)
    return free @ _solved(free.T @ M @ free, free.T @ (M @ qd))
