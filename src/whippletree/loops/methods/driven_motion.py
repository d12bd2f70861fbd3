"""Forward dynamics of mechanisms some of whose coordinates are prescribed (RBDA §9.1, with loops 8.36)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...dynamics.crba import crba
from ...dynamics.passive import with_own_forces
from ...dynamics.rnea import bias_force
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..equations.constraints import constraint_equation
from ..equations.driven_rows import Coordinate, driven_rows
from ..equations.rank import TOLERANCE


class DrivenTerms(NamedTuple):
    """H q̈ = f + Aᵀλ and A q̈ = a but for what the drivers ask for, and where they are.

    Attributes:
        H: (nv, nv) inertia matrix.
        f: (nv,) all that acts on the joints, less what velocities take.
        A: (nc + nd, nv) K of loops and gears over W of the drivers.
        a: (nc + nd,) k, and -w.
        x: (nd,) the driven coordinates, rad or m.
    """

    H: Array
    f: Array
    A: Array
    a: Array
    x: Array


def driven_terms(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    *,
    driven: Sequence[Coordinate],
) -> DrivenTerms:
    """All terms of the equation of motion; springs, dampers and loads of the mechanism act as well."""
    acting, forces = with_own_forces(m, q, qd, tau, f_ext)
    K, k = constraint_equation(m, q, qd)
    rows = driven_rows(m, q, qd, driven)
    f = acting - bias_force(m, q, qd, forces)
    return DrivenTerms(crba(m, q), f, np.concatenate([K, rows.W]), np.concatenate([k, -rows.w]), rows.x)


def driven_motion(terms: DrivenTerms, xdd: Array) -> tuple[Array, Array]:
    """Accelerations under which the driven coordinates have theirs, xdd (nd,), and the forces that it takes.

    In numbers: what A leaves free is found by its null space, so that constraints may depend on each other.

    Returns:
        qdd: (nv,) joint accelerations.
        u: (nd,) forces along the driven coordinates, N m or N.
    """
    from scipy.linalg import null_space  # on use: it takes longer to import than all the rest

    H, f, A, a, _ = terms
    nd = len(xdd)
    right = a.copy()
    right[len(a) - nd :] += xdd
    G = null_space(A, rcond=TOLERANCE) if len(A) else np.eye(len(H))
    given = np.linalg.lstsq(A, right, rcond=TOLERANCE)[0]
    free = np.linalg.solve(G.T @ H @ G, G.T @ (f - H @ given)) if G.shape[1] else np.zeros(0)
    qdd = given + G @ free
    # Of all λ the one of least norm; that of the drivers is the only one possible if none is one too many.
    lam = np.linalg.lstsq(A.T, H @ qdd - f, rcond=TOLERANCE)[0]
    return qdd, lam[len(a) - nd :]


def driven_blow(terms: DrivenTerms, qd: Array, xd: Array) -> tuple[Array, Array]:
    """Velocities after the speeds of driven coordinates have jumped to xd (nd,), and the impulses of that.

    H (q̇⁺ - q̇) = Aᵀι and A q̇⁺ = (0, ẋ): within no time only drivers, loops and gears change velocities, and
    with f = H q̇ and a = 0 that is the equation of motion.

    Returns:
        qd: (nv,) joint velocities, rad/s or m/s.
        impulse: (nd,) along the driven coordinates, N m s or N s.
    """
    return driven_motion(terms._replace(f=terms.H @ qd, a=np.zeros(len(terms.a))), xd)
