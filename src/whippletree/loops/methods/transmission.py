"""What joints of a tree and loop joints transmit, once all forces of constraints are known (RBDA §8.4)."""

from typing import Any

import numpy as np

from ...dynamics.rnea import joint_reactions
from ...model.loop import on_both_ends
from ...model.mechanism import Mechanism
from ...spatial import Array, array, solve_spd
from ..equations.local_motions import LocalMotions
from ..equations.relations import loop_position


def transmitted(
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


def _geared(m: Mechanism, lam: Array) -> dict[str, Any]:
    """What gears exert in loop joints, along their velocities, by name; in tree joints it is part of all."""
    found: dict[str, Any] = {}
    for gear, force in zip(m.gears, lam[len(lam) - len(m.gears) :], strict=True):
        for joint, factor in ((gear.driven, 1.0), *((driver, -ratio) for driver, ratio in gear.terms)):
            if m.has("loop", joint):
                found[joint] = found.get(joint, 0.0) + factor * force
    return found
