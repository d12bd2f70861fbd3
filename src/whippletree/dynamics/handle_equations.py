"""Articulated-body inertias by projection."""

from collections.abc import Sequence

import numpy as np

from ..model.mechanism import Mechanism
from ..model.values import listed
from ..spatial import Array
from .inertia_factors import factor_ltl
from .jacobian import jacobian, jacobian_rate
from .rnea import bias_force


def handle_equations(
    m: Mechanism, q: Array, qd: Array, tau: Array, frames: Sequence[str], f_ext: Array | None = None
) -> tuple[Array, Array]:
    """Φ and b of a = Φ f + b: how frames accelerate under forces at these frames; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §7.2.1: the equations of motion of the whole
    mechanism, projected on the motions of the handles. With J the Jacobians one below the other and
    H = LᵀL, eq 7.9 is Φ = YᵀY for Y = L⁻ᵀJᵀ, and eq 7.10 is b = (dJ/dt) qd + Yᵀ L⁻ᵀ (tau - C).

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        frames: Names of h frames or bodies, the handles.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        Phi: (6h, 6h) articulated-body inverse inertia, symmetric and positive semidefinite; its rank
            is the number of freedoms that the handles have together.
        b: (6h,) spatial accelerations of the handles without forces at them, (rad/s², m/s²).
        Each block of six is in the coordinates of its frame.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> Phi, b = wt.dynamics.handle_equations(m, [np.pi / 2], [0.0], [0.0], ["tip"])
    >>> Phi[3, 3].round(3), b[3].round(3)
    (np.float64(3.0), np.float64(14.715))
    """
    H = factor_ltl(m, q)
    frames = listed(frames, "frames", "names of frames", m.names("body")[1:])
    J = np.concatenate([np.zeros((0, m.nv)), *(jacobian(m, q, frame) for frame in frames)])
    Jd_qd = [jacobian_rate(m, q, qd, frame) @ qd for frame in frames]
    Y = H.L.solve_transposed(J.T)
    z = H.L.solve_transposed(tau - bias_force(m, q, qd, f_ext))
    return Y.T @ Y, np.concatenate([np.zeros(0), *Jd_qd]) + Y.T @ z
