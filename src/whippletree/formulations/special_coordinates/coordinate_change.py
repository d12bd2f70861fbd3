"""Equations of motion and constraints in other coordinates (appendix B, eq 62-64)."""

import numpy as np

from ...errors import InputError
from ...loops.equations.rank import eliminate
from ...spatial import Array

TOLERANCE = 1e-8
"""A constraint that T leaves no freedom to may be missed by this share of its terms."""


def change_coordinates(M: Array, f: Array, T: Array, Tdot_vdot: Array, edot: Array) -> tuple[Array, Array]:
    """M_v and f_v of M_v v̈ = f_v - (Ψ T)ᵀ λ, from M ü = f - Ψᵀ λ and u̇ = T v̇ + e.

    Deepak & Ghosal, appendix B, eq 63-64: M_v = Tᵀ M T and f_v = Tᵀ (f - M (ė + Ṫ v̇)), where the paper prints
    a minus before Ṫ v̇.

    Args:
        M: (n_u, n_u) mass matrix.
        f: (n_u,) forces.
        T: (n_u, n_v) of full column rank, n_v ≤ n_u.
        Tdot_vdot: (n_u,) Ṫ v̇.
        edot: (n_u,) the rate of e.

    >>> from whippletree.formulations import special_coordinates
    >>> M, f = np.diag([2.0, 3.0]), np.array([1.0, 4.0])  # two sliders that move as one
    >>> special_coordinates.change_coordinates(M, f, np.ones((2, 1)), np.zeros(2), np.zeros(2))
    (array([[5.]]), array([5.]))
    """
    return T.T @ M @ T, T.T @ (f - M @ (edot + Tdot_vdot))


def change_constraints(Psi: Array, nu: Array, T: Array, e: Array) -> tuple[Array, Array, list[int]]:
    """The constraints Ψ u̇ = ν in coordinates v with u̇ = T v̇ + e: (Ψ T) v̇ = ν - Ψ e.

    Deepak & Ghosal, appendix B, eq 62. Rows that say nothing new are left out: which ones do is decided by
    their values, so this is for numbers.

    Args:
        Psi: (m, n_u) constraints.
        nu: (m,) their right-hand side.
        T: (n_u, n_v) of full column rank.
        e: (n_u,).

    Returns:
        The independent rows of Ψ T, of ν - Ψ e, and their numbers.

    Raises:
        InputError: u̇ = T v̇ + e contradicts a constraint, whatever v̇ is.

    >>> from whippletree.formulations import special_coordinates
    >>> Psi = np.array([[1.0, -1.0], [0.0, 1.0]])  # the new coordinate satisfies the first by itself
    >>> special_coordinates.change_constraints(Psi, np.array([0.0, 0.5]), np.ones((2, 1)), np.zeros(2))
    (array([[1.]]), array([0.5]), [1])
    """
    left = nu - Psi @ e
    size = float(np.max(np.abs(Psi), initial=0.0) * np.max(np.abs(T), initial=0.0))
    solved = eliminate(Psi @ T, left, size)
    terms = np.abs(nu) + np.abs(Psi) @ np.abs(e)
    over = np.abs(solved.residual) > TOLERANCE * np.maximum(1.0, np.max(terms, initial=0.0))
    if np.any(over):
        k = int(np.flatnonzero(over)[0])
        raise InputError(
            f"T and e contradict constraint {k}: they make Psi @ udot {nu[k] - solved.residual[k]:.6g} and "
            f"nu is {nu[k]:.6g}, whatever vdot is; choose T and e within the constraints"
        )
    rows = sorted(solved.rows)
    return (Psi @ T)[rows], left[rows], rows
