"""The equations of motion of a mechanism with contacts: M and d (RBDA §11.2, §11.3)."""

from typing import NamedTuple

import numpy as np

from ...dynamics.crba import crba
from ...dynamics.inertia_factors import factor_ltdl
from ...dynamics.passive import with_own_forces
from ...dynamics.rnea import bias_force
from ...errors import SingularError
from ...loops.equations.constraints import constraint_equation
from ...loops.equations.rank import eliminate
from ...model.mechanism import Mechanism
from ...spatial import Array, factor_spd
from ..geometry.contact_kinematics import contact_bias, contact_jacobian

Pivots = tuple[tuple[int, int], ...]
"""Rows of loop constraints and the velocities they determine, in the order in which they are used."""


class ContactProblem(NamedTuple):
    """The motion of a mechanism under contact forces λ, one row a candidate, each along n, t1 and t2.

    dζ/dt = M λ + d (RBDA 11.34), qdd = qdd_free + response λ. All three directions of every candidate are
    here; `normal_problem` picks those along the normals of contacts that touch.

    Attributes:
        J: (nc, 3, nv) contact Jacobian, Tᵀ of RBDA 11.31.
        response: (nv, nc, 3) H⁻¹T: the joint accelerations of unit forces, loops kept closed.
        M: (nc, 3, nc, 3) TᵀH⁻¹T (11.35).
        d: (nc, 3) TᵀH⁻¹(τ - C) + Ṫᵀq̇ (11.36), m/s².
        qdd_free: (nv,) joint accelerations without contact forces.
    """

    J: Array
    response: Array
    M: Array
    d: Array
    qdd_free: Array


def contact_problem(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    pivots: Pivots | None = None,
) -> ContactProblem:
    """M and d of a mechanism with contacts, trees and loops (RBDA 11.31-11.36).

    τ has the mechanism's own springs, dampers and loads in it. With loops or gears, H and C
    are those of the independent accelerations y, q̈ = G y + g (RBDA 8.49).

    Args:
        m: A mechanism with contacts.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) forces of the actuators, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        pivots: As of `wt.loops.projection`; chosen at q if None. A kernel with loops needs them.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.5))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("rest", "skin", "floor")
    >>> problem = wt.contact.contact_problem(m, [0.1], [0.0], [0.0])
    >>> problem.M[0, 0, 0, 0], problem.d[0, 0]
    (np.float64(2.0), np.float64(-9.81))
    """
    tau, f_ext = with_own_forces(m, q, qd, tau, f_ext)
    J, C = contact_jacobian(m, q), bias_force(m, q, qd, f_ext)
    flat = J.reshape(-1, m.nv)
    right = np.concatenate([(tau - C)[:, None], flat.T], axis=1)
    if m.loops or m.gears:
        H = crba(m, q)
        K, k = constraint_equation(m, q, qd)
        solved = eliminate(K, k, pivots=pivots)
        G, g = solved.G, solved.g
        right = np.concatenate([(tau - C - H @ g)[:, None], flat.T], axis=1)
        both = G @ factor_spd(G.T @ H @ G).solve(G.T @ right)
        free, response = both[:, 0] + g, both[:, 1:]
    else:
        both = factor_ltdl(m, q).solve(right)
        free, response = both[:, 0], both[:, 1:]
    shape = (len(J), 3)
    M = (flat @ response).reshape(*shape, *shape)
    d = (flat @ free).reshape(shape) + contact_bias(m, q, qd)
    return ContactProblem(J, response.reshape(m.nv, *shape), M, d, free)


def inertia_root(m: Mechanism, q: Array) -> Array:
    """B (nv, k) with B Bᵀ = G (GᵀHG)⁻¹Gᵀ, H⁻¹ for a tree: joint velocities B x have the energy ½ xᵀx.

    Every velocity that keeps the loops closed is B x for one x: contact problems are told in x, where the
    inertia is 1.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> B = inertia_root(m, np.array([0.3, 0.5]))
    >>> np.allclose(B @ B.T @ wt.crba(m, [0.3, 0.5]), np.eye(2))
    True
    """
    from scipy.linalg import solve_triangular  # on use: it takes longer to import than all the rest

    H = crba(m, q)
    G = eliminate(*constraint_equation(m, q, np.zeros(m.nv))).G if m.loops or m.gears else np.eye(m.nv)
    try:
        L = np.linalg.cholesky(G.T @ H @ G)
    except np.linalg.LinAlgError:
        raise SingularError(
            f"the inertia of {m.name!r} is singular at this position: joints move no mass"
        ) from None
    return solve_triangular(L, G.T, lower=True).T if G.shape[1] else np.zeros((m.nv, 0))
