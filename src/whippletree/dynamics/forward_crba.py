"""Forward dynamics by the inertia matrix: CRBA, RNEA and a sparse factorization."""

from ..model.mechanism import Mechanism
from ..spatial import Array, array
from .crba import crba
from .factor import expanded_parents, weighted_ltdl
from .newton_euler import newton_euler_bias
from .rnea import bias_force


def forward_dynamics_crba(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """Joint accelerations from H qdd = tau - C, O(n depth²); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §6.1 and eq 6.1-6.2: C by the recursive
    Newton-Euler algorithm, H by the composite-rigid-body algorithm, H = LᵀDL by table 6.3, which skips
    the zeros that the branches of the tree put into H.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s², of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.dynamics.forward_dynamics_crba(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([  0.375, -11.424])
    """
    return _solved(m, q, tau - bias_force(m, q, qd, f_ext))


def forward_dynamics_crba_by_bodies(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None
) -> Array:
    """The same with C by the Newton-Euler equations of each body: recorded, fewer operations."""
    return _solved(m, q, tau - newton_euler_bias(m, q, qd, f_ext))


def _solved(m: Mechanism, q: Array, moving: Array) -> Array:
    """H⁻¹ times the forces (nv,) that are left to accelerate."""
    lam = expanded_parents(m.parents, [body.joint.nv for body in m.bodies])
    L, weights = weighted_ltdl(crba(m, q), lam)
    return L.solve(L.solve_transposed(moving) * array(weights))
