"""Contact forces with Coulomb friction, by block Gauss-Seidel with exact solutions for each contact.

Of each contact the force λ = (λn, λ1, λ2) and the acceleration or velocity u = M λ + d satisfy one of: it
opens, λ = 0 and u_n ≥ 0; it sticks, u = 0 and |λt| ≤ μ λn; it slips, u_n = 0 and λt = -μ λn ut/|ut|. With the
dual cone: K ∋ λ ⟂ u + μ |ut| n ∈ K* (de Saxcé).
"""

import numpy as np

from ...errors import SolverError
from ...spatial import Array
from .coulomb_newton import newton_steps
from .friction_problem import FrictionProblem
from .one_contact import one_contact
from .stick_sets import stick_sets

TOLERANCE, ACCEPTED = 1e-12, 1e-9
"""The residual, in units of d, with which sweeps end; and the largest that is taken when they do not."""

BARELY = 2.0
"""Where Newton's method gains no more than this over its last answer, rounding is all that is left."""

SWEEPS = 500
"""Sweeps after which contacts that hold each other up have converged, or never will."""

SINGULAR = 1e-12
"""Directions in which a contact moves by less than this share of the others do not move at all."""

EVERY = 5
"""After so many sweeps, and after each of the first, Newton's method tries to finish from there."""


def coulomb(
    M: Array,
    d: Array,
    friction: Array,
    start: Array | None = None,
    sliding: Array | None = None,
    least: Array | None = None,
) -> Array:
    """Forces λ (nc, 3) along n, t1 and t2 of contacts with Coulomb friction.

    Args:
        M: (nc, 3, nc, 3) from forces to accelerations, or from impulses to velocities.
        d: (nc, 3) what they are without contact forces.
        friction: (nc,) coefficients μ.
        start: (nc, 3) forces to start from; none by default.
        sliding: (nc, 2) unit vectors along t1 and t2 in which contacts slide already, so that their friction
            is given when d is an acceleration; zero for those that do not. None slides by default.
        least: (nc,) normal forces that act at least, so that u_n ≥ 0 and λn - least exclude each other; 0 by
            default.

    Raises:
        SolverError: The sweeps do not converge, as where there is no solution, or a contact that slides has
            none (Painlevé).

    >>> import whippletree as wt
    >>> M = np.diag([2.0, 2.0, 2.0]).reshape(1, 3, 1, 3)
    >>> wt.contact.coulomb(M, np.array([[-10.0, 3.0, 4.0]]), np.array([0.2])).round(12)
    array([[ 5. , -0.6, -0.8]])
    """
    nc = len(d)
    force = np.zeros((nc, 3)) if start is None else np.array(start, dtype=float)
    sliding = np.zeros((nc, 2)) if sliding is None else sliding
    problem = FrictionProblem(M, d, friction, sliding, np.zeros(nc) if least is None else least)
    flat, blocks = M.reshape(3 * nc, 3 * nc), [M[i, :, i, :] for i in range(nc)]
    inverses = [np.linalg.pinv(block, rcond=SINGULAR, hermitian=True) for block in blocks]
    best = np.inf, force
    for sweep in range(SWEEPS):
        u = (flat @ force.ravel()).reshape(nc, 3) + d
        for i in range(nc):
            G, b = blocks[i], u[i] - blocks[i] @ force[i]
            new = one_contact(G, inverses[i], b, friction[i], sliding[i], problem.least[i])
            u += (flat[:, 3 * i : 3 * i + 3] @ (new - force[i])).reshape(nc, 3)
            force[i] = new
        if sweep % EVERY == 0 or sweep < 3:
            last = best[0]
            best = min(best, newton_steps(problem, force), key=lambda found: found[0])
            if best[0] <= TOLERANCE or (best[0] <= ACCEPTED and last <= BARELY * best[0]):
                return best[1]
    _, force = stick_sets(problem)
    size, force = min(best, newton_steps(problem, force), key=lambda found: found[0])
    if size <= ACCEPTED:
        return force
    raise SolverError(
        f"friction forces of {nc} contacts: residual {size:.2e} after {SWEEPS} sweeps, expected "
        f"{ACCEPTED:g}; contacts may jam, or hold bodies that are not free to move"
    )
