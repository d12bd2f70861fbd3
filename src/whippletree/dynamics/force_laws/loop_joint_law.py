"""Springs, dampers, friction and stops of loop joints: the law of tree joints, at a loop joint's coordinates.

A loop joint's force u acts as the wrench T_a u = S (SᵀS)⁻¹ u on its successor and as the opposite on its
predecessor (RBDA §8.4, eq 8.28), where it is: all other joints feel it, and so do their reactions.
"""

from typing import Any, NamedTuple

import numpy as np

from ...model.loop import Loop, on_both_ends
from ...model.loop_coordinates import loop_coordinates
from ...model.mechanism import Mechanism
from ...spatial import Array, Transform, array, factor_spd
from ..kinematics import body_velocities, world_transforms
from ..per_body import per_body
from .force_law import ForceLaw, Forces
from .joint_law import exerts, joint_energy, joint_force


class LoopJointLaw(ForceLaw):
    """What loop joints exert on the bodies they connect."""

    def acts(self, m: Mechanism) -> bool:
        return any(exerts(loop) for loop in m.loops)

    def forces(self, m: Mechanism, q: Array, qd: Array) -> Forces:
        return Forces(None, on_both_sides(m, q, own_wrenches(m, q, qd)))

    def energy(self, m: Mechanism, q: Array) -> Any:
        X, total = world_transforms(m, q), 0.0
        for loop in filter(exerts, m.loops):
            total = total + joint_energy(loop, loop_coordinates(m, loop, q, across(m, loop, X)))
        return total


def across(m: Mechanism, loop: Loop, X: list[Transform]) -> Transform:
    """sX_p of a loop joint, from its predecessor frame to its successor frame; X as `world_transforms`."""
    p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
    return (loop.placement_s.transform() @ X[s]) @ (loop.placement_p.transform() @ X[p]).inverse()


class LoopState(NamedTuple):
    """A loop joint's position q (nq,), velocity qd (nv,) and active force subspace T_a (6, nv), T_aᵀ S = 1.

    T_a is in coordinates of the successor frame.
    """

    q: Array
    qd: Array
    T_a: Array


def loop_states(m: Mechanism, q: Array, qd: Array) -> list[LoopState]:
    """The state of every loop joint, as its own type counts it."""
    X, v = world_transforms(m, q), [*body_velocities(m, q, qd), np.zeros(6)]  # the ground's last, -1
    states = []
    for loop in m.loops:
        p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
        X_J = across(m, loop, X)
        q_J = loop_coordinates(m, loop, q, X_J)
        S = loop.joint.motion_subspace(q_J)
        T_a = factor_spd(S.T @ S).solve(S.T).T
        v_J = loop.placement_s.transform() @ v[s] - X_J @ (loop.placement_p.transform() @ v[p])
        states.append(LoopState(q_J, T_a.T @ v_J, T_a))
    return states


def own_wrenches(m: Mechanism, q: Array, qd: Array) -> Array:
    """(nl, 6) what springs, dampers, friction and stops of loop joints exert on their successors.

    In coordinates of the successor frame, (N m, N).
    """
    wrenches: list[Any] = [np.zeros(6)] * len(m.loops)
    if any(exerts(loop) for loop in m.loops):
        for k, (loop, state) in enumerate(zip(m.loops, loop_states(m, q, qd), strict=True)):
            if exerts(loop):
                wrenches[k] = state.T_a @ joint_force(loop, state.q, state.qd)
    return array(wrenches) if wrenches else np.zeros((0, 6))


def on_both_sides(m: Mechanism, q: Array, wrenches: Array) -> Array:
    """(nb, 6) forces on the bodies, in body coordinates, of wrenches (nl, 6) of loop joints on successors."""
    X = world_transforms(m, q)
    (f,) = per_body(len(m), 1)
    for loop, wrench in zip(m.loops, wrenches, strict=True):
        p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
        on_s, on_p = on_both_ends(loop, across(m, loop, X), wrench)
        f[s], f[p] = f[s] + on_s, f[p] + on_p
    return array(f[: len(m)])
