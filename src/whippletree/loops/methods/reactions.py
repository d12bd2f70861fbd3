"""Forces in loop joints and in all other joints of a mechanism with loops (RBDA §8.4)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dynamics.force_laws.loop_joint_law import own_wrenches
from ...dynamics.passive import with_own_forces
from ...dynamics.rnea import joint_reactions, rnea
from ...model.loop import on_both_ends
from ...model.mechanism import Mechanism
from ...spatial import Array, array, solve_spd
from ..equations.constraints import constraint_jacobian
from ..equations.local_motions import LocalMotions
from ..equations.rank import TOLERANCE
from ..equations.relations import loop_position
from .augmented import augmented
from .kkt import kkt


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

    RBDA table 5.1 and §8.4. Where constraints are redundant, as in a planar loop of revolute joints,
    the reactions are not unique: those returned have constraint forces of least norm. What a joint's own
    motor, spring, damper and friction do is part of what it transmits.

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
    rows: Sequence[int] | None = None,
) -> tuple[Array, Array]:
    """As `reactions`, of a motion whose accelerations qdd (nv,) are known: nothing is solved for them."""
    acting, forces = with_own_forces(m, q, qd, tau, f_ext)
    return _found(m, q, qd, qdd, acting, forces, rows)


def _found(
    m: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    acting: Array,
    forces: Array | None,
    rows: Sequence[int] | None,
) -> tuple[Array, Array]:
    """Wrenches of tree joints and loop joints, all that acts and all accelerations being known."""
    lam = _least(m, q, rnea(m, q, qd, qdd, forces) - acting, rows)
    joints, loops = _transmitted(m, q, qd, qdd, forces, lam)
    return joints, loops + own_wrenches(m, q, qd)


def reaction_play(m: Mechanism, q: Array, rows: Sequence[int]) -> tuple[Array, Array]:
    """How far reactions are open, as self-stresses go through the joints without moving anything.

    All λ with Kᵀλ = 0 are P x, P = 1 - B (BᵀB)⁻¹Bᵀ with K = B K_r, and what such forces do in a joint is
    R P x. Which joints they reach does not depend on where loops are cut.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        rows: Numbers of independent rows of K.

    Returns:
        joints: (nb, 2, 3, 3) (R P)(R P)ᵀ of the moment and of the force of each tree joint, in body axes: a
            direction a is unique where aᵀ(…)a is zero.
        loops: (nl, 2, 3, 3) likewise of each loop joint, in its successor frame.
    """
    K, still = constraint_jacobian(m, q), m.copy()
    still.gravity = (0.0, 0.0, 0.0)
    B, rest = _basis(K, rows), np.zeros(m.nv)
    P = np.eye(len(K)) - (B @ solve_spd(B.T @ B, B.T) if len(rows) else 0.0)
    found = [_transmitted(still, q, rest, rest, None, P[:, k]) for k in range(len(K))]
    return _spread([joints for joints, _ in found], len(m)), _spread(
        [loops for _, loops in found], len(m.loops)
    )


def _spread(wrenches: list[Array], count: int) -> Array:
    """(count, 2, 3, 3) sums of w wᵀ over wrenches (count, 6), moments and forces apart."""
    total: Any = np.zeros((count, 2, 3, 3))
    for wrench in wrenches:
        w = wrench.reshape(count, 2, 3)
        total = total + w[..., :, None] * w[..., None, :]
    return total


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
    K_r, B = K[list(rows)], _basis(K, rows)
    mu = solve_spd(K_r @ K_r.T, K_r @ tau_c)
    return B @ solve_spd(B.T @ B, mu)


def _basis(K: Array, rows: Sequence[int]) -> Array:
    """(nc, r) B of K = B K_r, K_r being some independent rows of K."""
    if not len(rows):
        return np.zeros((len(K), 0))
    K_r = K[list(rows)]
    return solve_spd(K_r @ K_r.T, K_r @ K.T).T


def _geared(m: Mechanism, lam: Array) -> dict[str, Any]:
    """What gears exert in loop joints, along their velocities, by name; in tree joints it is part of all."""
    found: dict[str, Any] = {}
    for gear, force in zip(m.gears, lam[len(lam) - len(m.gears) :], strict=True):
        for joint, factor in ((gear.driven, 1.0), *((driver, -ratio) for driver, ratio in gear.terms)):
            if m.has("loop", joint):
                found[joint] = found.get(joint, 0.0) + factor * force
    return found


def _transmitted(
    m: Mechanism, q: Array, qd: Array, qdd: Array, f_ext: Array | None, lam: Array
) -> tuple[Array, Array]:
    """Wrenches (nb, 6) of tree joints and (nl, 6) of loop joints, given all forces and the constraints' λ."""
    forces: list[Any] = [np.zeros(6) if f_ext is None else f_ext[i] for i in range(len(m))]
    forces.append(np.zeros(6))  # the ground's
    motions = LocalMotions(m, q, np.zeros(m.nv))
    geared = _geared(m, lam)
    wrenches: list[Array] = []
    start = 0
    for loop in m.loops:
        X, joint, q_J = loop_position(m, loop, motions)
        T = joint.constraint_subspace(q_J)
        wrench = T @ lam[start : start + T.shape[1]]
        if loop.name in geared:
            S = loop.joint.motion_subspace(loop.joint.position_at(X))
            wrench = wrench + S @ solve_spd(S.T @ S, array([geared[loop.name]]))
        start += T.shape[1]
        p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
        on_s, on_p = on_both_ends(loop, X, wrench)
        forces[s], forces[p] = forces[s] + on_s, forces[p] + on_p
        wrenches.append(wrench)
    on_bodies = array(forces[:-1]) if len(m) else np.zeros((0, 6))
    loops = array(wrenches) if wrenches else np.zeros((0, 6))
    return joint_reactions(m, q, qd, qdd, on_bodies), loops
