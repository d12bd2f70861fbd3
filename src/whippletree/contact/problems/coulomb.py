"""Contact forces with Coulomb friction, by block Gauss-Seidel with exact solutions for each contact.

Of each contact the force λ = (λn, λ1, λ2) and the acceleration or velocity u = M λ + d satisfy one of: it
opens, λ = 0 and u_n ≥ 0; it sticks, u = 0 and |λt| ≤ μ λn; it slips, u_n = 0 and λt = -μ λn ut/|ut|. With the
dual cone: K ∋ λ ⟂ u + μ |ut| n ∈ K* (de Saxcé).
"""

import numpy as np

from ...errors import SolverError
from ...spatial import Array
from .coulomb_newton import newton_steps
from .natural_map import natural_residual

TOLERANCE = 1e-12
"""Largest residual of the natural map, in units of d."""

SWEEPS = 2000
"""Sweeps after which contacts that hold each other up have converged, or never will."""

EVERY = 10
"""So many sweeps find out which contacts stick and slip; Newton's method then finishes, if it can."""


def coulomb(
    M: Array, d: Array, friction: Array, start: Array | None = None, sliding: Array | None = None
) -> Array:
    """Forces λ (nc, 3) along n, t1 and t2 of contacts with Coulomb friction.

    Args:
        M: (nc, 3, nc, 3) from forces to accelerations, or from impulses to velocities.
        d: (nc, 3) what they are without contact forces.
        friction: (nc,) coefficients μ.
        start: (nc, 3) forces to start from; none by default.
        sliding: (nc, 2) unit vectors along t1 and t2 in which contacts slide already, so that their friction
            is given when d is an acceleration; zero for those that do not. None slides by default.

    Raises:
        SolverError: The sweeps do not converge, as where there is no solution, or a contact that slides has
            none (Painlevé).

    >>> M = np.diag([2.0, 2.0, 2.0]).reshape(1, 3, 1, 3)
    >>> coulomb(M, np.array([[-10.0, 3.0, 4.0]]), np.array([0.2])).round(12)
    array([[ 5. , -0.6, -0.8]])
    """
    nc = len(d)
    force = np.zeros((nc, 3)) if start is None else np.array(start, dtype=float)
    flat = M.reshape(3 * nc, 3 * nc)
    blocks = [M[i, :, i, :] for i in range(nc)]
    sliding = np.zeros((nc, 2)) if sliding is None else sliding
    problem = (M, d, friction, sliding)
    size = np.inf
    for sweep in range(SWEEPS):
        u = (flat @ force.ravel()).reshape(nc, 3) + d
        for i in range(nc):
            new = one_contact(blocks[i], u[i] - blocks[i] @ force[i], friction[i], sliding[i])
            u += (flat[:, 3 * i : 3 * i + 3] @ (new - force[i])).reshape(nc, 3)
            force[i] = new
        if sweep % EVERY == EVERY - 1 or sweep < 2:
            forces = (force, newton_steps(*problem, force))
            size, force = min(((natural_residual(*problem, x), x) for x in forces), key=lambda pair: pair[0])
            if size <= TOLERANCE:
                return force
    raise SolverError(
        f"friction forces of {nc} contacts: residual {size:.2e} after {SWEEPS} sweeps, expected "
        f"{TOLERANCE:g}; contacts may jam, or hold bodies that are not free to move"
    )


def one_contact(G: Array, b: Array, mu: float, sliding: Array) -> Array:
    """λ (3,) of a single contact, u = G λ + b with a symmetric positive definite G (3, 3)."""
    if b[0] >= 0.0:
        return np.zeros(3)
    if np.any(sliding):
        direction = np.array([1.0, -mu * sliding[0], -mu * sliding[1]])
        return -b[0] / _push(G, direction) * direction
    stick = -np.linalg.solve(G, b)
    if np.hypot(stick[1], stick[2]) <= mu * stick[0]:
        return stick
    return _slip(G, b, mu)


def _push(G: Array, direction: Array) -> float:
    """How much a force along n - μ t̂ pushes a contact apart; SolverError if it does not (Painlevé)."""
    push = float(G[0] @ direction)
    if push <= 0.0:
        raise SolverError(
            f"Painlevé's paradox: pushing on a sliding contact parts it by {push:.4g} m/s² per N; rigid "
            "bodies with Coulomb friction have no solution there, or several: give the contact a stiffness"
        )
    return push


def _slip(G: Array, b: Array, mu: float) -> Array:
    """λ = λn (1, μ c, μ s), u_n = 0, and ut along -(c, s), c and s being cosine and sine of one angle.

    u_n = 0 gives λn; that ut and (c, s) are parallel is then of second degree in c and s, hence of fourth in
    the tangent of half the angle.
    """
    if mu == 0.0:
        return np.array([-b[0] / G[0, 0], 0.0, 0.0])
    # (G_nn + μ G_n·(c, s)) b_t - b_n (G_tn + μ G_tt (c, s)) crossed with (c, s): coefficients of 1, c, s.
    weights = np.array([1.0, mu, mu])
    x, y = (weights * (G[0] * b[k] - b[0] * G[k]) for k in (1, 2))
    # x s - y c = 0 with t = tan(angle / 2): 1 → 1 + t², c → 1 - t², s → 2 t, highest power first.
    one, c, s = np.array([1.0, 0.0, 1.0]), np.array([-1.0, 0.0, 1.0]), np.array([0.0, 2.0, 0.0])
    px, py = (v[0] * one + v[1] * c + v[2] * s for v in (x, y))
    t = np.roots(np.polysub(np.polymul(px, s), np.polymul(py, c)))
    angles = np.append(2.0 * np.arctan(np.real(t[np.abs(np.imag(t)) <= 1e-6 * (1.0 + np.abs(t))])), np.pi)
    best, least = np.zeros(3), np.inf
    for angle in angles:
        direction = np.array([1.0, mu * np.cos(angle), mu * np.sin(angle)])
        push = G[0] @ direction
        if push <= 0.0:
            continue
        force = -b[0] / push * direction
        u = G @ force + b
        along, across = u[1] * direction[1] + u[2] * direction[2], u[1] * direction[2] - u[2] * direction[1]
        if along <= 0.0 and abs(across) < least:
            best, least = force, abs(across)
    return best
