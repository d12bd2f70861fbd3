"""Forces in loop joints and in all other joints of a mechanism with loops (RBDA §8.4)."""

from collections.abc import Sequence

import numpy as np

from ...dynamics.force_laws.loop_joint_law import own_wrenches
from ...dynamics.passive import with_own_forces
from ...dynamics.rnea import rnea
from ...model.mechanism import Mechanism
from ...spatial import Array, solve_spd
from ..equations.constraints import constraint_jacobian
from ..equations.rank import TOLERANCE, independent_rows
from .augmented import augmented
from .kkt import kkt
from .self_stress import Wrenches, least_wrenches, others, placed, spread
from .transmission import transmitted


def constraint_forces(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    rows: Sequence[int] | None = None,
) -> Array:
    """λ: the forces by which loops and gears keep themselves closed.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.5: Kᵀλ = H qdd + C - tau. Where
    constraints are redundant, which no rigid-body model can resolve, λ is the one of least norm. The
    mechanism's own springs, dampers, friction, stops and loads act too, as in `forward_dynamics`.

    Args:
        m: A mechanism with loops or gears.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) forces of the actuators, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        rows: Numbers of independent rows of K, from which all others follow, as in `augmented`; found at q
            if None. A kernel needs them, and holds where they are independent; `compile` with `at` gives NaN
            elsewhere.

    Returns:
        (nc,) rows as in `constraint_error`, N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> lam = wt.constraint_forces(m, m.neutral(), np.zeros(3), np.zeros(3))
    >>> qdd = wt.forward_dynamics(m, m.neutral(), np.zeros(3), np.zeros(3))
    >>> tau = wt.rnea(m, m.neutral(), np.zeros(3), qdd)  # no springs here
    >>> bool(np.allclose(tau, wt.constraint_jacobian(m, m.neutral()).T @ lam))
    True
    """
    acting, forces = with_own_forces(m, q, qd, tau, f_ext)
    qdd = _accelerations(m, q, qd, acting, forces, rows)
    return _least(m, q, rnea(m, q, qd, qdd, forces) - acting, rows)


def reactions(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    rows: Sequence[int] | None = None,
) -> tuple[Array, Array]:
    """Force and moment that every joint transmits to its body, loop joints too.

    RBDA table 5.1 and §8.4. Where constraints are redundant, as in a planar loop of revolute joints, the
    reactions are not unique: those returned are the least, in a measure of all joints (`self_stress.py`) that
    does not depend on which of them are cut, as if all joints gave way alike. What a joint's own motor,
    spring, damper and friction do is part of what it transmits.

    Args:
        m, q, qd, tau, f_ext, rows: As in `constraint_forces`.

    Returns:
        joints: (nb, 6) wrench of each tree joint on its body in body coordinates, (N m, N).
        loops: (nl, 6) wrench of each loop joint on its successor, in the joint's successor frame.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> joints, loops = wt.reactions(m, m.neutral(), np.zeros(3), np.zeros(3))
    >>> loops[0, 3:].round(3)
    array([ 0.512, -3.372,  0.   ])
    """
    acting, forces = with_own_forces(m, q, qd, tau, f_ext)
    qdd = _accelerations(m, q, qd, acting, forces, rows)
    return _found(m, q, qd, qdd, acting, forces, rows)


def motion_reactions(
    m: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    tau: Array,
    f_ext: Array | None = None,
    motors: Array | None = None,
    rows: Sequence[int] | None = None,
) -> tuple[Array, Array]:
    """As `reactions`, of a motion whose accelerations qdd (nv,) are known: nothing is solved for them.

    What drivers exert in loop joints, motors (nl, 6), is part of f_ext and of what these transmit.
    """
    acting, forces = with_own_forces(m, q, qd, tau, f_ext)
    return _found(m, q, qd, qdd, acting, forces, rows, motors)


def _found(
    m: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    acting: Array,
    forces: Array | None,
    rows: Sequence[int] | None,
    motors: Array | None = None,
) -> tuple[Array, Array]:
    """Wrenches of tree joints and loop joints, all that acts and all accelerations being known."""
    K = constraint_jacobian(m, q)
    chosen = list(independent_rows(K) if rows is None else rows)
    right = np.concatenate([(rnea(m, q, qd, qdd, forces) - acting)[:, None], K[others(K, chosen)].T], axis=1)
    by_rows = _by_rows(K[chosen], right, exactly=rows is None)
    lam = placed(len(K), chosen, by_rows[:, 0])
    joints, loops = transmitted(m, q, qd, qdd, forces, lam)
    loops = loops + own_wrenches(m, q, qd) + (0.0 if motors is None else motors)
    least = least_wrenches(m, q, Wrenches(joints, loops, lam), by_rows[:, 1:].T, chosen)
    return least.joints, least.loops


def _by_rows(K: Array, right: Array, exactly: bool) -> Array:
    """(r, k) x of Kᵀ x = right (nv, k), K being independent rows; exactly, or by products, for any scalar."""
    if not len(K):
        return np.zeros((0, right.shape[1]))
    return np.linalg.lstsq(K.T, right, rcond=None)[0] if exactly else solve_spd(K @ K.T, K @ right)


def reaction_play(m: Mechanism, q: Array, rows: Sequence[int]) -> tuple[Array, Array]:
    """How far reactions are open, as self-stresses go through the joints without moving anything.

    Which joints they reach does not depend on where loops are cut.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        rows: Numbers of independent rows of K.

    Returns:
        joints: (nb, 2, 3, 3) Σ w wᵀ of the moment, by the size of a link, and of the force of each tree joint
            in self-stresses of unit measure, in body axes: a direction a is unique where aᵀ(…)a is zero.
        loops: (nl, 2, 3, 3) likewise of each loop joint, in its successor frame.
    """
    K, chosen = constraint_jacobian(m, q), list(rows)
    return spread(m, q, _by_rows(K[chosen], K[others(K, chosen)].T, exactly=False).T, chosen)


def _accelerations(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None, rows: Sequence[int] | None
) -> Array:
    if rows is None:
        return kkt(m, q, qd, tau, f_ext)
    return augmented(m, q, qd, tau, f_ext, rows=tuple(rows))


def _least(m: Mechanism, q: Array, tau_c: Array, rows: Sequence[int] | None) -> Array:
    """(nc,) the λ of least norm with Kᵀλ = tau_c (nv,)."""
    K = constraint_jacobian(m, q)
    if rows is None:
        return np.linalg.lstsq(K.T, tau_c, rcond=TOLERANCE)[0]
    if not len(rows):
        return np.zeros(len(K))
    # K = B K_r. Of all λ with Kᵀλ = tau_c, that is Bᵀλ = μ, the least is B (BᵀB)⁻¹ μ.
    found = _by_rows(K[list(rows)], np.concatenate([tau_c[:, None], K.T], axis=1), exactly=False)
    mu, B = found[:, 0], found[:, 1:].T
    return B @ solve_spd(B.T @ B, mu)
