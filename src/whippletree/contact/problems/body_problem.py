"""The contact problem of a single rigid body on a fixed surface (RBDA §11.1, §11.2)."""

from typing import Any

import numpy as np

from ...errors import InputError
from ...model.values import expect, finite_numbers, vector
from ...spatial import Array, Inertia, cross_force


def body_problem(
    inertia: Inertia, v: Any, force: Any, normals: Any, normal_rates: Any
) -> tuple[Array, Array]:
    """M and d of a body with point contacts: dζ/dt = M λ + d (RBDA 11.20-11.22; 11.8 and 11.9 for one).

    M = Nᵀ I⁻¹ N and d = Nᵀ I⁻¹(f - v ×* I v) + Ṅᵀ v, all in one frame of coordinates that is at rest.

    Args:
        inertia: I of the body.
        v: (6,) its velocity, (rad/s, m/s).
        force: (6,) all forces on it but those of contacts, gravity among them, (N m, N).
        normals: (6, nc) N, columns n = [C × n̂; n̂]: unit forces through the contact points, into the body.
        normal_rates: (6, nc) Ṅ, their rates as the contact points move along the surfaces.

    Returns:
        (nc, nc) M and (nc,) d.

    >>> import whippletree as wt
    >>> ball, n = wt.Inertia.sphere(0.1, mass=2.0), np.array([[0.0, 0, 0, 0, 0, 1.0]]).T
    >>> M, d = wt.contact.body_problem(ball, np.zeros(6), [0, 0, 0, 0, 0, -19.62], n, np.zeros((6, 1)))
    >>> M.round(12), d.round(12), (-d / M[0]).round(12)  # λ = max(0, -d/M) (11.10)
    (array([[0.5]]), array([-9.81]), array([19.62]))
    """
    expect("body_problem", "inertia", inertia, Inertia, "an Inertia")
    N = finite_numbers(normals, "(6, nc)", "normals", "one column a contact")
    nc = N.shape[-1] if N.ndim == 2 else 0
    v, f = vector(v, (6,), "v", "a spatial velocity"), vector(force, (6,), "force", "a spatial force")
    N = vector(N, (6, nc), "normals", "one column a contact")
    rates = vector(normal_rates, (6, nc), "normal_rates", "one column a contact, as normals")
    I = inertia.matrix()
    if np.linalg.matrix_rank(I, hermitian=True) < 6:
        raise InputError("inertia cannot be inverted: give a body with mass and moments about all axes")
    moved = np.linalg.solve(I, np.concatenate([N, (f - cross_force(v, I @ v))[:, None]], axis=1))
    return N.T @ moved[:, :nc], N.T @ moved[:, nc] + rates.T @ v
