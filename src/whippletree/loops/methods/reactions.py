"""Forces in loop joints and in all other joints of a mechanism with loops (RBDA §8.4)."""

import numpy as np

from ...dynamics.rnea import joint_reactions, rnea
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..equations.constraints import constraint_jacobian
from ..equations.local_motions import LocalMotions
from ..equations.rank import TOLERANCE
from ..equations.relations import loop_position
from .kkt import kkt


def constraint_forces(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
    """λ: the forces by which loops and gears keep themselves closed.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.5: Kᵀλ = H qdd + C - tau. Where
    constraints are redundant, which no rigid-body model can resolve, λ is the one of least norm.

    Args:
        m: A mechanism with loops or gears.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nc,) rows as in `constraint_error`, N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> lam = wt.constraint_forces(m, m.neutral(), np.zeros(3), np.zeros(3))
    >>> qdd = wt.forward_dynamics(m, m.neutral(), np.zeros(3), np.zeros(3))
    >>> tau = wt.rnea(m, m.neutral(), np.zeros(3), qdd)
    >>> bool(np.allclose(tau, wt.constraint_jacobian(m, m.neutral()).T @ lam))
    True
    """
    tau_c = rnea(m, q, qd, kkt(m, q, qd, tau, f_ext), f_ext) - tau
    return np.linalg.lstsq(constraint_jacobian(m, q).T, tau_c, rcond=TOLERANCE)[0]


def reactions(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None
) -> tuple[Array, Array]:
    """Force and moment that every joint transmits to its body, loop joints too.

    RBDA table 5.1 and §8.4. Where constraints are redundant, as in a planar loop of revolute joints,
    the reactions are not unique: those returned have constraint forces of least norm.

    Args:
        m, q, qd, tau, f_ext: As in `constraint_forces`.

    Returns:
        joints: (nb, 6) wrench of each tree joint on its body in body coordinates, (N m, N).
        loops: (nl, 6) wrench of each loop joint on its successor, in the joint's successor frame.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> joints, loops = wt.reactions(m, m.neutral(), np.zeros(3), np.zeros(3))
    >>> loops[0, 3:].round(3)
    array([ 0.512, -3.372,  0.   ])
    """
    lam = constraint_forces(m, q, qd, tau, f_ext)
    forces = np.zeros((len(m) + 1, 6))
    if f_ext is not None:
        forces[:-1] = f_ext
    motions = LocalMotions(m, q, np.zeros(m.nv))
    wrenches = np.zeros((len(m.loops), 6))
    start = 0
    for number, loop in enumerate(m.loops):
        X, joint, q_J = loop_position(m, loop, motions)
        T = joint.constraint_subspace(q_J)
        wrenches[number] = T @ lam[start : start + T.shape[1]]
        start += T.shape[1]
        forces[m.body_number(loop.successor)] += loop.placement_s.transform().T @ wrenches[number]
        # The predecessor feels the opposite, brought over by sX_pᵀ.
        at_p = X.T @ wrenches[number]
        forces[m.body_number(loop.predecessor)] -= loop.placement_p.transform().T @ at_p
    qdd = kkt(m, q, qd, tau, f_ext)
    return joint_reactions(m, q, qd, qdd, forces[:-1]), wrenches
