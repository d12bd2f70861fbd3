"""Partial velocities, known accelerations, inertias and forces of all links, about one point in world axes.

With one common point every shift S^k of the paper is the unity, and so it does not appear in this package.
"""

from typing import Any, NamedTuple

import numpy as np

from ...loops.equations.constraints import stabilizing_term
from ...loops.equations.local_motions import LocalMotions
from ...loops.equations.relations import loop_joint, loop_position, small_motion
from ...model.loop import Loop
from ...model.mechanism import Mechanism
from ...spatial import Array, cross_force
from .opened import Opened


class World(NamedTuple):
    """The opened mechanism at one state; one entry a link.

    Attributes:
        opened: The links.
        P: (6,) partial velocity P_k^k of its coordinate, None without one.
        A_t: (6,) acceleration that does not depend on u̇ (eq 2).
        I: (6, 6) inertia, None for links without any.
        F: (6,) forces, weight and what inertia asks for at u̇ = 0 (eq 7), None likewise.
        tau: Force along its own coordinate, N m or N.
        armature: Inertia of the rotor that its coordinate turns, kg m² or kg.
    """

    opened: Opened
    P: list[Any]
    A_t: list[Any]
    I: list[Any]
    F: list[Any]
    tau: list[Any]
    armature: list[Any]

    def known_acceleration(self, loop: int) -> Array:
        """(6,) ⁰A_t^n of a loop's phantom, seen from its base (eq 24)."""
        found = self.opened.loops[loop]
        return self.A_t[found.phantom] - self.A_t[found.base]


def partial_velocities(m: Mechanism, q: Array, opened: Opened) -> list[Any]:
    """(6,) P_k^k of every link at a position, None where there is no coordinate."""
    return _partial_velocities(m, LocalMotions(m, q, np.zeros(m.nv)), opened)


def _partial_velocities(m: Mechanism, motions: LocalMotions, opened: Opened) -> list[Any]:
    closing = [loop_joint(m, loop, motions, -1).S for loop in m.loops]
    P: list[Any] = [None]
    for link in opened.links[1:]:
        S = motions.of(-1, link.joint.body).S if link.joint.loop == -1 else closing[link.joint.loop]
        P.append(None if link.column == -1 else link.joint.sign * S[:, link.column])
    return P


def world(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None,
    stabilization: float | None,
    opened: Opened,
) -> World:
    """All quantities of the opened mechanism at a state; arguments as in `rcr`.

    Stabilization is part of what a loop joint prescribes, a_s - a_p = S u̇ + c with k_stab in c, so that
    ⁰A^n = 0 (eq 24) stays as it is.
    """
    motions = LocalMotions(m, q, qd)
    closing = [_closing_acceleration(m, loop, motions, stabilization) for loop in m.loops]
    A_t: list[Any] = [np.zeros(6)]
    I: list[Any] = [None]
    F: list[Any] = [None]
    forces: list[Any] = [0.0]
    rotors: list[Any] = [0.0]
    weight = np.array([0.0, 0.0, 0.0, *m.gravity])
    for link in opened.links[1:]:
        joint = link.joint
        c = np.zeros(6)
        if link.last and joint.loop == -1:
            c = motions.of(-1, joint.body).a - motions.of(-1, m.parents[joint.body]).a
        elif link.last:
            c = closing[joint.loop]
        A_t.append(A_t[link.parent] + joint.sign * c)
        moves = link.variable != -1
        forces.append(tau[link.variable] if moves else 0.0)
        body = m.bodies[joint.body]
        rotors.append(np.broadcast_to(body.armature, body.joint.nv)[link.column] if moves else 0.0)
        if link.body == -1:
            I.append(None)
            F.append(None)
            continue
        at = motions.of(-1, link.body)
        inertia = m.bodies[link.body].inertia.to_parent(at.X)
        force = inertia @ (weight - A_t[-1]) - cross_force(at.v, inertia @ at.v)
        I.append(inertia.matrix())
        F.append(force if f_ext is None else force + at.X.T @ f_ext[link.body])
    return World(opened, _partial_velocities(m, motions, opened), A_t, I, F, forces, rotors)


def _closing_acceleration(
    m: Mechanism, loop: Loop, motions: LocalMotions, stabilization: float | None
) -> Array:
    """(6,) what a loop joint prescribes for a_s - a_p besides S u̇ (RBDA 8.10, 8.22)."""
    joint = loop_joint(m, loop, motions, -1)
    if stabilization is None:
        return joint.c
    X, plain, q_J = loop_position(m, loop, motions)
    gap = joint.X.inverse_motion(small_motion(X @ plain.transform(q_J).inverse()))
    return joint.c + stabilizing_term(joint.v_J, gap, stabilization)
