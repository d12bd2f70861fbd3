"""The force of a single contact with Coulomb friction, exactly: open, sticking or slipping."""

from typing import Any

import numpy as np

from ...errors import SolverError
from ...spatial import Array


def one_contact(G: Array, inverse: Array, b: Array, mu: float, sliding: Array, least: float) -> Array:
    """λ (3,) of a single contact, u = G λ + b.

    Args:
        G: (3, 3) symmetric, positive semidefinite.
        inverse: (3, 3) its inverse, or that on the space in which it can move.
        b: (3,) what u is without the force.
        mu: Coefficient of friction.
        sliding: (2,) unit vector in which it slides already, or zero.
        least: Normal force that acts at least.
    """
    held = _held(G, b, mu, sliding, least)
    if G[0] @ held + b[0] >= 0.0:
        return held
    if np.any(sliding):
        direction = np.array([1.0, -mu * sliding[0], -mu * sliding[1]])
        return -b[0] / _push(G, direction) * direction
    stick = -(inverse @ b)
    if np.hypot(stick[1], stick[2]) <= mu * stick[0]:
        return stick
    return _slip(G, b, mu)


def _held(G: Array, b: Array, mu: float, sliding: Array, least: float) -> Array:
    """λ with the least normal force: zero, or within the disc μ λn the one that leaves least slip."""
    from scipy.optimize import brentq  # on use: it takes longer to import than all the rest

    if least == 0.0:
        return np.zeros(3)
    if np.any(sliding) or mu == 0.0:
        return least * np.array([1.0, -mu * sliding[0], -mu * sliding[1]])
    c, radius = b[1:] + least * G[1:, 0], mu * least
    values, vectors = np.linalg.eigh(G[1:, 1:])
    turned = vectors.T @ c
    size = float(np.linalg.norm(turned))

    def side(s: float) -> Array:
        """-(G + s)⁻¹ c, of which the length falls with s."""
        return -turned / np.maximum(values + s, 1e-300)

    moves = values > 1e-12 * max(float(values[1]), 1e-300)
    stick = np.where(moves, -turned / np.where(moves, values, 1.0), 0.0)
    if np.linalg.norm(stick) > radius:
        s: Any = brentq(
            lambda s: float(np.linalg.norm(side(s))) - radius, 0.0, 2.0 * size / radius, xtol=1e-300
        )
        stick = side(s)
        stick = stick * radius / np.linalg.norm(stick)
    return np.concatenate([[least], vectors @ stick])


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
