"""Forward dynamics of closed loops by constraint forces, where joints alone may move no inertia."""

from ...dynamics.crba import crba
from ...dynamics.rnea import bias_force
from ...model.mechanism import Mechanism
from ...spatial import Array, factor_spd
from ..equations.constraints import constraint_equation
from .lambda_first import damped, row_choice


def augmented(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    rows: tuple[int, ...] | None = None,
    damping: float = 0.0,
) -> Array:
    """Joint accelerations with loops, O((n + nc)³), by constraint forces; no springs or loads.

    K qdd = k is not changed by adding Kᵀ K qdd = Kᵀ k to the equation of motion (Bertsekas, Constrained
    Optimization and Lagrange Multiplier Methods, 1982, ch. 2): H + Kᵀ K can be inverted wherever the motion
    is determined, even if H cannot, as with a coupler without mass. From there on as in `lambda_first`.

    Args:
        m, q, qd, tau, f_ext, stabilization: As in `kkt`.
        rows, damping: As in `lambda_first`.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.augmented(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    force = tau - bias_force(m, q, qd, f_ext)
    return constrained(m, q, qd, crba(m, q), force, stabilization, rows, damping)


def constrained(
    m: Mechanism,
    q: Array,
    qd: Array,
    H: Array,
    force: Array,
    stabilization: float | None,
    rows: tuple[int, ...] | None,
    damping: float,
) -> Array:
    """(nv,) qdd of H qdd = force + Kᵀ λ and K qdd = k, whichever way H (nv, nv) and force (nv,) were found.

    Of a tree, which has no K, it is H⁻¹ times the force.
    """
    chosen = list(row_choice(m, q) if rows is None else rows)
    K, k = (part[chosen] for part in constraint_equation(m, q, qd, stabilization))
    factors = factor_spd(H + K.T @ K)
    free = factors.solve(force + K.T @ k)
    if not len(K):
        return free
    Y = factors.solve(K.T)
    A = K @ Y
    lam = factor_spd(damped(A, damping) if damping else A).solve(k - K @ free)
    return free + Y @ lam
