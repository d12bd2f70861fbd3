"""Accelerations and velocities under constraints, by what these leave free (Golub & Van Loan, §5.2, §6.2).

Nothing is chosen and nothing is squared: errors are those of rounding over the size of the weakest
constraint. Constraint forces by K M⁻¹ Kᵀ have them over its square, dependent coordinates as their choice has
it. That counts next to singular positions.
"""

import numpy as np

from ..spatial import Array


def accelerated(M: Array, f: Array, B: Array, b: Array) -> Array:
    """qdd (nv,) with M qdd = f + Bᵀ λ and B qdd = b.

    By its shortest part that constraints ask for, and by inertia what these leave free.

    Args:
        M: (nv, nv) inertia.
        f: (nv,) forces.
        B, b: (n, nv), (n,) independent constraints.
    """
    n = len(B)
    Q, R = np.linalg.qr(B.T, mode="complete")
    held, free = Q[:, :n], Q[:, n:]
    part = held @ np.linalg.solve(R[:n].T, b)
    return part + free @ np.linalg.solve(free.T @ M @ free, free.T @ (f - M @ part))


def nearest(B: Array, M: Array, qd: Array) -> Array:
    """The velocity with B qd = 0 that is nearest to one in kinetic energy, which so changes least."""
    free = np.linalg.qr(B.T, mode="complete")[0][:, len(B) :]
    return free @ np.linalg.solve(free.T @ M @ free, free.T @ (M @ qd))
