"""Impacts of two rigid bodies in a single point (RBDA 11.60-11.72)."""

from typing import Any

import numpy as np

from ...errors import InputError, SolverError
from ...model.values import expect, vector
from ...spatial import Array, Inertia

GROWTH = 1e-12
"""Share of the kinetic energy at the contact by which rounding may make it grow."""


def two_body_impulse(
    I1: Inertia | None, v1: Any, I2: Inertia | None, v2: Any, normal: Any, restitution: float
) -> float:
    """λ of a collision without friction, N s (RBDA 11.65).

    λ = -(1 + e) n·(v2 - v1) / n·(I1⁻¹ + I2⁻¹) n; the impulse on body 2 is n λ, that on body 1 is -n λ.

    Args:
        I1, I2: Inertias of the bodies; None for one that cannot move. All in one frame of coordinates.
        v1, v2: (6,) spatial velocities before, (rad/s, m/s).
        normal: (6,) n = [C × n̂; n̂], the unit force through the contact point from body 1 to body 2.
        restitution: e, from 0 to 1.

    Returns:
        The impulse; 0 if the bodies part already.

    >>> import whippletree as wt
    >>> ball = wt.Inertia.sphere(0.1, mass=2.0)
    >>> down, normal = [0, 0, 0, 0, 0, -3.0], [0, 0, 0, 0, 0, 1.0]
    >>> round(wt.contact.two_body_impulse(None, np.zeros(6), ball, down, normal, 0.5), 12)
    9.0
    """
    v1, v2, n = (
        vector(x, (6,), name, "a spatial vector") for x, name in ((v1, "v1"), (v2, "v2"), (normal, "normal"))
    )
    _check_restitution(restitution)
    zeta = float(n @ (v2 - v1))
    if zeta >= 0.0:
        return 0.0
    return -(1.0 + restitution) * zeta / float(n @ _mobility(I1, I2) @ n)


def sticking_impulse(
    I1: Inertia | None, v1: Any, I2: Inertia | None, v2: Any, directions: Any, restitution: float
) -> Array:
    """λ = (λx, λy, λz) of a collision after which the bodies do not slip, N s (RBDA 11.72).

    λ = -A⁻¹(1 + E) ζ with A = Nᵀ(I1⁻¹ + I2⁻¹)N, ζ = Nᵀ(v2 - v1) and E = diag(0, 0, e); the impulse on
    body 2 is N λ. Friction is taken to suffice, whatever it takes. With e > 0, this law can create energy, or
    pull: it is refused where it would.

    Args:
        I1, v1, I2, v2, restitution: As in `two_body_impulse`.
        directions: (6, 3) N = [n_x n_y n_z], unit forces through the contact point along two tangents and the
            normal, from body 1 to body 2.

    Raises:
        SolverError: The kinetic energy would grow, or the normal impulse be negative.

    >>> import whippletree as wt
    >>> rod = wt.Inertia.rod((0, 0, 0), (0.5, 0, 0.75**0.5), mass=1.0)
    >>> N = np.concatenate([np.zeros((3, 3)), np.eye(3)])  # the contact is at the origin
    >>> wt.contact.sticking_impulse(None, np.zeros(6), rod, [0, 0, 0, 0, 0, -1.0], N, 0.0).round(8) + 0.0
    array([0.32475953, 0.        , 0.8125    ])
    """
    v1, v2 = (vector(x, (6,), name, "a spatial vector") for x, name in ((v1, "v1"), (v2, "v2")))
    N = vector(directions, (6, 3), "directions", "unit forces n_x, n_y, n_z as columns")
    _check_restitution(restitution)
    mobility = _mobility(I1, I2)
    zeta = N.T @ (v2 - v1)
    if zeta[2] >= 0.0:
        return np.zeros(3)
    A = N.T @ mobility @ N
    impulse = -np.linalg.lstsq(A, zeta + np.array([0.0, 0.0, restitution]) * zeta[2], rcond=1e-12)[0]
    after = zeta + A @ impulse
    gained = 0.5 * float(impulse @ (zeta + after))
    if impulse[2] < 0.0 or gained > GROWTH * float(np.abs(impulse) @ np.abs(zeta)):
        raise SolverError(
            f"a collision that sticks with restitution {restitution:g} would give a normal impulse of "
            f"{impulse[2]:.4g} N s and {gained:+.4g} J of kinetic energy, which must not be negative and not "
            "grow: RBDA 11.72 does not hold here; use restitution 0, or wt.contact.impact with Poisson's law"
        )
    return impulse


def _mobility(I1: Inertia | None, I2: Inertia | None) -> Array:
    """I1⁻¹ + I2⁻¹ (6, 6); of a body without inertia about an axis only what can be moved."""
    both = np.zeros((6, 6))
    for inertia in (I1, I2):
        if inertia is not None:
            expect("impulse", "inertia", inertia, Inertia, "an Inertia, or None for the ground")
            both = both + np.linalg.pinv(inertia.matrix(), rcond=1e-13, hermitian=True)
    if not np.any(both):
        raise InputError("neither body can move: give an inertia to one of them")
    return both


def _check_restitution(restitution: float) -> None:
    if not 0.0 <= restitution <= 1.0:
        raise InputError(f"restitution is {restitution}, must be between 0 and 1")
