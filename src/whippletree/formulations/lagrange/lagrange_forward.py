"""Forward dynamics by Lagrange's equations, link by link (Liu & Jain eq 47, 59)."""

from ...model.mechanism import Mechanism
from ...spatial import Array, solve_spd
from .force_conversion import forces_at_centers, generalized_force
from .link_equations import lagrange_coriolis, lagrange_gravity, lagrange_mass_matrix


def lagrange(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """Joint accelerations from M qdd + C = Q, O(n³); no springs or loads.

    Liu & Jain eq 47 and 59: Q has the joint forces, gravity
    and what acts on the links from outside, by the principle of virtual work.

    Args:
        m: A tree of joints of every type; gears are ignored. Each body with a first moment has a mass.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s², of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.lagrange(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([  0.375, -11.424])
    """
    Q = tau + lagrange_gravity(m, q)
    if f_ext is not None:
        Q = Q + generalized_force(m, q, *forces_at_centers(m, q, f_ext))
    return solve_spd(lagrange_mass_matrix(m, q), Q - lagrange_coriolis(m, q, qd))
