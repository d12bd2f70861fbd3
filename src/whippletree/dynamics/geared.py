"""Dynamics of mechanisms with gears."""

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array, array, solve_spd
from .crba import crba
from .factor import expanded_parents
from .gears import gearing, lifted, projected_force, projected_inertia
from .passive import with_own_forces
from .rnea import bias_force, rnea


def geared_forward_dynamics(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None
) -> Array:
    """Joint accelerations under the constraints of the gears, O(n³); no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 9.26 with g = 0, gears being linear:
    GᵀHG ydd = Gᵀ(tau - C), qdd = G ydd. A rotor, modelled as a body that a gear drives, keeps its
    gyroscopic effects; `armature` is the short cut of eq 9.28 that loses them.

    Args:
        m: A mechanism with gears.
        q: (nq,) joint positions, rad or m, that agree with the gears.
        qd: (nv,) joint velocities, rad/s or m/s, that agree with the gears.
        tau: (nv,) forces on all joints, driven ones included, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s², that agree with the gears.
    """
    g = gearing(m)
    lam = expanded_parents(m.parents, [body.joint.nv for body in m.bodies])
    H = projected_inertia(crba(m, q), lam, g)
    return lifted(solve_spd(H, projected_force(tau - bias_force(m, q, qd, f_ext), g)), g)


def geared_inverse_dynamics(
    m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None = None
) -> Array:
    """Forces on the independent joints that cause given accelerations of a mechanism with gears.

    RBDA 8.62 with the G of §9.6: of all joint forces with Gᵀtau = Gᵀtau_ID, those that leave the
    driven joints without a force of their own, as if every motor sat at the head of its gears. What the
    mechanism's own springs, dampers and loads exert is taken off.

    Args:
        m: A mechanism with gears.
        q, qd, qdd: (nq,), (nv,), (nv,) positions, velocities and accelerations that agree with the
            gears, in rad or m and s.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint forces, N m or N; zero for driven joints.
    """
    g = gearing(m)
    own, forces = with_own_forces(m, q, qd, np.zeros(m.nv), f_ext)
    u = projected_force(rnea(m, q, qd, qdd, forces) - own, g)
    ends = [next(iter(factors.items())) for factors in g.rows]
    tau = [u[column] if ratio is None else 0.0 for column, ratio in ends]
    return array(tau) if tau else np.zeros(0)
