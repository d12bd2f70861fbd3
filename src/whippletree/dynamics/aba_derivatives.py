"""Derivatives of forward dynamics, from those of inverse dynamics."""

import numpy as np

from ..model.jcalc import jpos
from ..model.mechanism import Mechanism
from ..spatial import Array, array, cross_motion, known
from .block_matrix import finished, put, zeros
from .inertia_factors import factor_ltdl
from .rnea import bias_force
from .rnea_derivatives import rnea_derivatives


def aba_derivatives(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None
) -> tuple[Array, Array, Array]:
    """The derivatives of `aba` with respect to positions, velocities and joint forces, O(n² depth).

    tau = ID(q, qd, qdd) holds for every q and qd, so that with H = ∂ID/∂qdd (Carpentier & Mansard, Analytical
    derivatives of rigid body dynamics algorithms, 2018)

        ∂qdd/∂q = -H⁻¹ ∂ID/∂q,  ∂qdd/∂qd = -H⁻¹ ∂ID/∂qd,  ∂qdd/∂tau = H⁻¹

    at the accelerations that tau causes. H⁻¹ is applied as L⁻¹ D⁻¹ L⁻ᵀ, with the zeros of branches (RBDA
    §6.5), by a loop over the columns of each branch where there are many. A free root needs no solve for q:
    if it is turned by s, its bodies accelerate as before, but for gravity a_g, which in its axes is turned
    back: its own acceleration changes by a_g × s and no other does, unless it has a rotor.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None. It stays as it is
            in these coordinates, and moves along with the body.

    Returns:
        ∂qdd/∂q, ∂qdd/∂qd, ∂qdd/∂tau: (nv, nv) each, rows by qdd, columns by velocities: ∂qdd/∂q is along the
        unit velocities of the joints, as `wt.derivative` tells. The last one is H⁻¹, as `inverse_inertia`
        gives it.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> by_q, by_qd, by_tau = wt.aba_derivatives(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0])
    >>> by_q.round(3)
    array([[-12.649,   2.291],
           [ 19.048, -15.29 ]])
    """
    inverse = factor_ltdl(m, q).inverted()
    qdd = inverse.times(tau - bias_force(m, q, qd, f_ext))
    by_q, by_qd, _ = rnea_derivatives(m, q, qd, qdd, f_ext)
    falling, moved = zeros(m.nv), [True] * m.nv
    for i, body in enumerate(m.bodies):
        if m.parents[i] == -1 and body.joint.moves_freely and known(body.armature) == 0.0:
            X, S = jpos(m, i, q)
            put(falling, m.v_index[i], m.v_index[i], cross_motion(X @ array([0.0, 0.0, 0.0, *m.gravity]), S))
            moved[m.v_index[i]] = [False] * 6
    numbers = [k for k in range(m.nv) if moved[k]]
    both = np.concatenate([by_q[:, numbers], by_qd], axis=1)
    solved = inverse.negated().times_branches(both, [*numbers, *range(m.nv)]).T
    rest, fallen = iter(solved[: len(numbers)]), finished(falling).T
    columns = [next(rest) if moved[k] else fallen[k] for k in range(m.nv)]
    return array(columns).T if columns else by_q, solved[len(numbers) :].T, inverse.matrix()
