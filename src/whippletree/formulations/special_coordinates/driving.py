"""The motion of a child from constraints and driving constraints of its joint (appendix A, eq 58-61)."""

from typing import NamedTuple

import numpy as np

from ...errors import InputError, SingularError
from ...spatial import Array
from ...spatial.solve import solve_regular

WORST = 1e12
"""Condition number from which on a matrix counts as singular."""


class DrivenJoint(NamedTuple):
    """ẏ_k = B ẏ_j + H q̇_k + c (61)."""

    B: Array
    H: Array
    c: Array


def joint_basis(G: Array, G_d: Array) -> tuple[Array, Array]:
    """E (p, p_c) and D (p, p_f) with [G; G_d] [E D] = 1 (60): G E = 1, and D spans what G allows.

    Args:
        G: (p_c, p) constraints of a joint.
        G_d: (p_f, p) driving constraints, with which [G; G_d] is regular.

    Raises:
        InputError: [G; G_d] is not square.
        SingularError: It is singular: driving constraints ask for what constraints forbid.

    >>> from whippletree.formulations import special_coordinates
    >>> E, D = special_coordinates.joint_basis(np.array([[0.0, 2.0]]), np.array([[1.0, 0.0]]))
    >>> E.T, D.T
    (array([[0. , 0.5]]), array([[1., 0.]]))
    """
    rows = np.concatenate([G, G_d])
    check_regular(rows, "[G; G_d]")
    both = solve_regular(rows, np.eye(len(rows)))
    return both[:, : len(G)], both[:, len(G) :]


def driven_joint(
    G: Array, Q: Array, nu: Array, G_d: Array, Q_d: Array, nu_d: Array, h_d: Array
) -> DrivenJoint:
    """A joint from its constraints and its driving constraints, Q_d ẏ_j + G_d ẏ_k = ν_d + h_d q̇_k.

    Deepak & Ghosal, appendix A, eq 58-61: B = -(E Q + D Q_d), H = D, c = E ν + D ν_d, with E, D of (60).

    Args:
        G, Q: (p_c, p_k) and (p_c, p_j).
        nu: (p_c,) prescribed by the joint, 0 for one that stands still in its parent.
        G_d, Q_d: (p_f, p_k) and (p_f, p_j).
        nu_d: (p_f,).
        h_d: (p_f, p_f) regular.

    Raises:
        InputError: h_d or [G; G_d] is not square.
        SingularError: One of them is singular.

    >>> from whippletree.formulations import special_coordinates
    >>> no = np.zeros((1, 2))  # a slider along x, whose rail rises by 0.3 m/s
    >>> up, along = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    >>> special_coordinates.driven_joint(up, -up, np.array([0.3]), along, -along, np.zeros(1), np.eye(1)).c
    array([0. , 0.3])
    """
    check_regular(h_d, "h_d")
    G_d, Q_d, nu_d = (solve_regular(h_d, of) for of in (G_d, Q_d, nu_d))
    E, D = joint_basis(G, G_d)
    return DrivenJoint(-(E @ Q + D @ Q_d), D, E @ nu + D @ nu_d)


def check_regular(A: Array, name: str) -> None:
    """InputError for a matrix that is not square, SingularError for one of numbers that is singular."""
    if A.shape[0] != A.shape[1]:
        raise InputError(f"{name} has shape {A.shape}, expected as many rows as columns")
    if A.dtype.kind == "f" and A.size and (condition := np.linalg.cond(A)) > WORST:
        raise SingularError(
            f"{name} is singular, its condition number being {condition:.1e}: choose driving constraints "
            "that constraints do not contain"
        )
