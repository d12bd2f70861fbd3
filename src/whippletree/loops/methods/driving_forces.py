"""What drivers exert so that their coordinates move as prescribed, written once for any scalar."""

from collections.abc import Sequence

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, factor_spd
from ..equations.driven_rows import Coordinate
from .driven_motion import driven_terms


def driving_forces(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    xdd: Array,
    f_ext: Array | None = None,
    *,
    driven: Sequence[Coordinate],
    rows: Sequence[int],
) -> Array:
    """(nv,) Wᵀu, the forces of the drivers on the joints, as joint forces of the same power.

    H q̈ = f + Aᵀλ and A q̈ = a (RBDA 8.36 with §9.1), A being independent rows of K over W. As A q̈ = a holds,
    s Aᵀ(A q̈ - a) may be added: H + s AᵀA is positive definite even if some bodies have no inertia, and is
    solved without pivoting. Then A (H + s AᵀA)⁻¹ Aᵀ λ = a - A (H + s AᵀA)⁻¹ (f + s Aᵀa).

    Args:
        m: The mechanism.
        q, qd: (nq,), (nv,) its state, with loops closed and drivers where they should be.
        tau: (nv,) other forces on the joints, N m or N; springs, dampers and loads of the mechanism act too.
        xdd: (nd,) accelerations of the driven coordinates, rad/s² or m/s².
        f_ext: (nb, 6) forces on the bodies, in body coordinates, or None.
        driven: The driven coordinates.
        rows: Numbers of independent rows of A, those of the drivers last.
    """
    H, f, A, a, _ = driven_terms(m, q, qd, tau, f_ext, driven=driven)
    nd = len(driven)
    a = np.concatenate([a[: len(a) - nd], a[len(a) - nd :] + xdd])[list(rows)]
    A = A[list(rows)]
    s = np.trace(H) / np.sum(A * A)
    solved = factor_spd(H + s * (A.T @ A)).solve(np.concatenate([A.T, (f + s * (A.T @ a))[:, None]], axis=1))
    lam = factor_spd(A @ solved[:, :-1]).solve(a - A @ solved[:, -1])
    return A[len(A) - nd :].T @ lam[len(A) - nd :]
