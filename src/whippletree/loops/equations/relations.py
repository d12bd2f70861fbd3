"""The linear relations K_l q̈ = k_l between joint rates that loop joints and gears impose (RBDA §8.2, 8.7)."""

from typing import Any, NamedTuple

import numpy as np

from ...joints import Joint
from ...model import topology
from ...model.loop import Loop
from ...model.loop_coordinates import loop_coordinates
from ...model.mechanism import Gear, Mechanism
from ...spatial import Array, Transform, array, cross_motion, factor_spd
from .local_motions import LocalMotions


class Relation(NamedTuple):
    """K x = k between some joint accelerations x, all of them below one body.

    Attributes:
        name: Of the loop or gear.
        base: The number of the last body that supports all of the relation's joints.
        joints: Numbers of the joints that take part.
        columns: Numbers of their velocity variables, in the same order.
        K: (nc, len(columns)) coefficients of the velocities.
        k: (nc,) right-hand side at acceleration level, without stabilization.
        rate: (nc,) K qd, the velocity at which the relation is violated.
    """

    name: str
    base: int
    joints: list[int]
    columns: list[int]
    K: Array
    k: Array
    rate: Array


def relations(m: Mechanism, q: Array, qd: Array) -> list[Relation]:
    """The relations of all loops, then of all gears, each in the order they were added."""
    motions = LocalMotions(m, q, qd)
    loops = [loop_relation(m, loop, motions) for loop in m.loops]
    return loops + [gear_relation(m, gear, motions) for gear in m.gears]


def loop_ends(m: Mechanism, loop: Loop) -> tuple[int, int, int]:
    """The loop's base and the bodies p and s that its joint connects."""
    p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
    return topology.common_ancestor(m.parents, p, s), p, s


def branch(m: Mechanism, base: int, i: int) -> list[int]:
    """The joints between a body and one of its ancestors, outermost first."""
    path = []
    while i != base:
        path.append(i)
        i = m.parents[i]
    return path


class LoopJoint(NamedTuple):
    """What a loop joint asks for, Tᵀ v_J = 0 and Tᵀ(a_s - a_p) = Tᵀ c, in the coordinates of some base.

    X leads from the base's coordinates to the joint's successor frame; T is (6, 6 - nv), S (6, nv);
    v_J is the velocity across the joint.
    """

    X: Transform
    T: Array
    S: Array
    v_J: Array
    c: Array


def loop_joint(m: Mechanism, loop: Loop, motions: LocalMotions, base: int) -> LoopJoint:
    """A loop joint in the coordinates of a body that supports both its sides.

    In successor coordinates T follows the joint so that Tᵀ S = 0 and T̊ᵀ v_J = -Tᵀ c_J. With that the
    acceleration constraint, RBDA 8.10, is Tᵀ(a_s - a_p) = Tᵀ(c_J + v_s × v_J), which is eq 3.44.
    """
    at_p, at_s = (motions.of(base, m.body_number(body)) for body in (loop.predecessor, loop.successor))
    X_p, X_s = loop.placement_p.transform() @ at_p.X, loop.placement_s.transform() @ at_s.X
    joint = loop.joint.plain()
    q_J = joint.position_at(X_s @ X_p.inverse())
    S, v_J = joint.motion_subspace(q_J), at_s.v - at_p.v
    qd_J = factor_spd(S.T @ S).solve(S.T @ (X_s @ v_J))
    c = X_s.inverse_motion(joint.bias(q_J, qd_J)) + cross_motion(at_s.v, v_J)
    return LoopJoint(X_s, X_s.T @ joint.constraint_subspace(q_J), X_s.inverse_motion(S), v_J, c)


def loop_relation(m: Mechanism, loop: Loop, motions: LocalMotions) -> Relation:
    """K, k of one loop joint.

    Featherstone, Rigid Body Dynamics Algorithms (2008), table 8.4, in the coordinates of the last body
    that supports both sides instead of the ground's, and with k from eq 8.15, so that T may vary.
    """
    base, p, s = loop_ends(m, loop)
    joint = loop_joint(m, loop, motions, base)
    T = joint.T
    sides = [(i, -1.0) for i in branch(m, base, p)] + [(i, 1.0) for i in branch(m, base, s)]
    blocks = [sign * (T.T @ motions.of(base, i).S) for i, sign in sides]
    K = np.concatenate([np.zeros((T.shape[1], 0)), *blocks], axis=1)
    k = T.T @ (motions.of(base, p).a - motions.of(base, s).a + joint.c)
    columns = [k for i, _ in sides for k in velocities(m, i)]
    return Relation(loop.name, base, [i for i, _ in sides], columns, K, k, T.T @ joint.v_J)


class LoopRate(NamedTuple):
    """What a loop joint's velocity and acceleration are by the motions of its bodies, in base coordinates.

    q̇_J = T_aᵀ(v_s - v_p) and q̈_J = T_aᵀ(a_s - a_p - c), T_aᵀ S = 1: eq 3.44 along the joint's motion, where
    the constraint has T.
    """

    T_a: Array
    c: Array


def loop_rate(m: Mechanism, loop: Loop, motions: LocalMotions, base: int) -> LoopRate:
    """T_a (6, nv) and c (6,) of a loop joint, seen from a body that supports both its sides."""
    at_p, at_s = (motions.of(base, m.body_number(body)) for body in (loop.predecessor, loop.successor))
    X_p, X_s = loop.placement_p.transform() @ at_p.X, loop.placement_s.transform() @ at_s.X
    q_J = loop.joint.position_at(X_s @ X_p.inverse())
    S, v_J = loop.joint.motion_subspace(q_J), at_s.v - at_p.v
    T_a = X_s.T @ factor_spd(S.T @ S).solve(S.T).T
    c = X_s.inverse_motion(loop.joint.bias(q_J, T_a.T @ v_J)) + cross_motion(at_s.v, v_J)
    return LoopRate(T_a, c)


def gear_relation(m: Mechanism, gear: Gear, motions: LocalMotions) -> Relation:
    """ẋ[driven] - Σ ratio · ẋ[driver] = 0 (RBDA §9.6); ẋ of a loop joint is by all joints on its way."""
    entries: dict[int, Any] = {}
    joints: dict[int, None] = {}
    k, base = np.zeros(1), None
    for name, factor in ((gear.driven, 1.0), *((driver, -ratio) for driver, ratio in gear.terms)):
        if not m.has("loop", name):
            i = m.joint_number(name)
            start, sides = m.parents[i], [(i, array([factor]))]
        else:
            loop = m.loops[m.number("loop", name)]
            start, p, s = loop_ends(m, loop)
            rate = loop_rate(m, loop, motions, start)
            along = factor * rate.T_a[:, 0]
            k = k - array([along @ (motions.of(start, s).a - motions.of(start, p).a - rate.c)])
            sides = [(i, -(along @ motions.of(start, i).S)) for i in branch(m, start, p)]
            sides += [(i, along @ motions.of(start, i).S) for i in branch(m, start, s)]
        base = start if base is None else topology.common_ancestor(m.parents, base, start)
        for i, row in sides:
            joints[i] = None
            for column, value in zip(velocities(m, i), row, strict=True):
                entries[column] = entries[column] + value if column in entries else value
    assert base is not None  # there is a driven joint
    K = array([list(entries.values())])
    return Relation(gear.name, base, [*joints], [*entries], K, k, K @ motions.qd[[*entries]])


def position_errors(m: Mechanism, q: Array) -> list[Array]:
    """δ of every loop, then of every gear; rows as those of the relations."""
    motions = LocalMotions(m, q, np.zeros(m.nv))
    errors = [loop_error(m, loop, motions) for loop in m.loops]
    return [*errors, *(gear_error(m, gear, motions) for gear in m.gears)]


def gear_error(m: Mechanism, gear: Gear, motions: LocalMotions) -> Array:
    """(1,) δ of a gear: how far the driven joint is ahead of what its drivers make it."""

    def place(name: str) -> Any:
        if not m.has("loop", name):
            return motions.q[m.q_index[m.joint_number(name)].start]
        loop = m.loops[m.number("loop", name)]
        return loop_coordinates(m, loop, motions.q, loop_position(m, loop, motions)[0])[0]

    behind = place(gear.driven)
    for driver, ratio in gear.terms:
        behind = behind - ratio * place(driver)
    return array([behind - gear.offset])


def loop_error(m: Mechanism, loop: Loop, motions: LocalMotions) -> Array:
    """δ = Tᵀ d of one loop joint (RBDA 8.25-8.27).

    The joint is put where it comes nearest to the actual transform; d is what is left over. For the
    joints of table 8.1 this agrees with the table but for terms of second order in the error.
    """
    X, joint, q_J = loop_position(m, loop, motions)
    X_err = X @ joint.nearest(X).inverse()
    return joint.constraint_subspace(q_J).T @ small_motion(X_err)


def loop_position(m: Mechanism, loop: Loop, motions: LocalMotions) -> tuple[Transform, Joint, Array]:
    """sX_p of a loop joint, the joint in its plain form, and the position it takes."""
    base, p, s = loop_ends(m, loop)
    X_s = loop.placement_s.transform() @ motions.of(base, s).X
    X_p = loop.placement_p.transform() @ motions.of(base, p).X
    X = X_s @ X_p.inverse()
    joint = loop.joint.plain()
    return X, joint, joint.position_at(X)


def small_motion(X: Transform) -> Array:
    """(6,) the displacement d of a small motion, 1 - d× ≈ X (RBDA app. A, XtoV; table 8.1, first row)."""
    A, E = X.matrix(), X.E
    return 0.5 * array(
        [
            E[1, 2] - E[2, 1],
            E[2, 0] - E[0, 2],
            E[0, 1] - E[1, 0],
            A[4, 2] - A[5, 1],
            A[5, 0] - A[3, 2],
            A[3, 1] - A[4, 0],
        ]
    )


def velocities(m: Mechanism, i: int) -> range:
    """Numbers of the velocity variables of joint i."""
    index: Any = m.v_index[i]
    return range(index.start, index.stop)
