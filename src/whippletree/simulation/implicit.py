"""Damping and dry friction taken at the end of a step, so that they are stable in steps of any length.

A step of length h from the velocity v to v⁺ = v + h q̈ solves

    H (v⁺ - v) / h = τ - D v⁺ - r,    r_i ∈ F_i sign(v⁺_i)

with sign(0) = [-1, 1]: Coulomb's law itself, by which a joint that sticks stands still (J. J. Moreau,
Unilateral contact and dry friction in finite freedom dynamics, 1988). Which joints stick, and which way the
others slip, is found by the primal-dual active set strategy, Newton's method for such a system
(M. Hintermüller, K. Ito and K. Kunisch, SIAM J. Optim. 13, 2002, §2): under an assumption the system is
linear, and its solution corrects the assumption. Decisions are `where` and their number is fixed, so that a
step can be recorded.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..loops.equations.loop_joints import loop_joint_rates
from ..model.mechanism import Mechanism
from ..spatial import Array, array, maximum, where
from ..spatial.scalar import vanishes
from ..spatial.solve import solve_regular

STICK_SPEED = 1e-9
"""rad/s or m/s: a joint that sticks gives way by no more, under all that its friction bears."""

PASSES = 2
"""Assumptions that are corrected. More are needed only where joints that push each other stop or start in
one step; for what is wrong then, the next step makes up."""

Solve = Callable[[Mechanism, Array], Array]
"""Accelerations (nv,) of a mechanism under joint forces (nv,), all else that acts being known."""


def without_friction(m: Mechanism) -> Mechanism:
    """The mechanism without the dry friction of its joints."""
    bodies, loops = ([replace(part, friction=0.0) for part in parts] for parts in (m.bodies, m.loops))
    return m.with_parts(bodies=bodies, loops=loops, X_T=m.X_T)


class LoopRows(NamedTuple):
    """Loop joints with damping or friction: W (n, nv) with their velocities W qd, and both numbers (n,)."""

    W: Array
    damping: list[float]
    friction: list[float]


def loop_rows(m: Mechanism, q: Array) -> LoopRows:
    """Those of a mechanism at a position q (nq,)."""
    held = [loop for loop in m.loops if not (vanishes(loop.damping) and vanishes(loop.friction))]
    W = [np.zeros((0, m.nv)), *(loop_joint_rates(m, q, loop.name) for loop in held)]
    freedoms = [loop for loop in held for _ in range(loop.joint.nv)]
    damping, friction = [loop.damping for loop in freedoms], [loop.friction for loop in freedoms]
    return LoopRows(np.concatenate(W), damping, friction)


class Implicit(NamedTuple):
    """A step, at whose end damping and friction act.

    Attributes:
        qdd: (nv,) its constant accelerations.
        moved: The mechanism with all that acts so as armature: what further forces find in this step. Loop
            joints have none, and answer such forces with the next step.
    """

    qdd: Array
    moved: Mechanism


def implicit_acceleration(
    m: Mechanism,
    qd: Array,
    tau: Array,
    h: Any,
    damping: tuple[float, ...],
    solve: Solve,
    loops: LoopRows,
) -> Implicit:
    """The accelerations of a step, at whose end damping and friction act.

    Args:
        m: The mechanism, with damping and friction.
        qd: (nv,) velocities at the beginning, rad/s or m/s.
        tau: (nv,) all forces on the joints but friction, damping as it is at the beginning, N m or N.
        h: The step, s.
        damping: (nv,) of what is in tau besides the joints' own damping, N m s/rad or N s/m.
        solve: See `Solve`.
        loops: Damping and friction of loop joints, whose velocities count on behind those of the tree.
    """
    F = [*_friction(m), *loops.friction]
    rough = [k for k in range(len(F)) if not vanishes(F[k])]
    after = _speeds(loops, qd)
    way = {k: where(abs(after[k]) > STICK_SPEED, _sign(after[k]), 0.0) for k in rough}
    for _ in range(PASSES if rough else 0):
        # What slips has its full friction; what sticks a damper that has reached it at STICK_SPEED.
        force = {k: F[k] * way[k] for k in rough}
        damper = {k: where(way[k] * way[k] > 0.0, 0.0, F[k] / STICK_SPEED) for k in rough}
        after = _speeds(loops, qd + h * _damped(m, qd, tau, h, damping, damper, force, solve, loops).qdd)
        for k in rough:
            starts = where(abs(after[k]) > STICK_SPEED, _sign(after[k]), 0.0)
            goes_on = where(way[k] * after[k] > 0.0, way[k], 0.0)
            way[k] = where(way[k] * way[k] > 0.0, goes_on, starts)
    # Dampers that pull as friction does at the speeds found: right if these are, and in any case no drive.
    slow = {k: where(way[k] * way[k] > 0.0, maximum(abs(after[k]), STICK_SPEED), STICK_SPEED) for k in rough}
    return _damped(m, qd, tau, h, damping, {k: F[k] / slow[k] for k in rough}, {}, solve, loops)


def _speeds(loops: LoopRows, qd: Array) -> Array:
    """(nv + n,) velocities of the tree's joints, then of loop joints."""
    return np.concatenate([qd, loops.W @ qd]) if len(loops.W) else qd


def _friction(m: Mechanism) -> list[float]:
    return [body.friction for body in m.bodies for _ in range(body.joint.nv)]


def _sign(x: Any) -> Any:
    return where(x > 0.0, 1.0, -1.0)


def _damped(
    m: Mechanism,
    qd: Array,
    tau: Array,
    h: Any,
    damping: tuple[float, ...],
    damper: dict[int, Any],
    force: dict[int, Any],
    solve: Solve,
    loops: LoopRows,
) -> Implicit:
    """Accelerations with dampers at the end of the step, and forces against the motion.

    A damper that acts at the end of a step pulls with d (qd + h qdd): its second part is that of an inertia,
    and each joint of the tree gets h · d more armature.
    """
    own = [damper.get(k, 0.0) for k in range(m.nv)]
    pull = array([own[k] * qd[k] + force.get(k, 0.0) for k in range(m.nv)]) if m.nv else np.zeros(0)
    bodies = []
    for body, index in zip(m.bodies, m.v_index, strict=True):
        d = [body.damping + damping[k] + own[k] for k in range(index.start, index.stop)]
        if not (vanishes(body.damping) and vanishes(body.friction)) or any(damping[index]):
            body = replace(body, armature=body.armature + h * array(d))  # pyright: ignore[reportArgumentType]
        bodies.append(body)
    moved = m.with_parts(bodies=bodies, X_T=m.X_T)
    rest = tau - pull
    qdd = solve(moved, rest)
    if len(loops.W):
        qdd = _with_loops(qd, h, qdd, damper, force, lambda w: solve(moved, rest + w) - qdd, loops)
    return Implicit(qdd, moved)


def _with_loops(
    qd: Array,
    h: Any,
    qdd: Array,
    damper: dict[int, Any],
    force: dict[int, Any],
    effect: Callable[[Array], Array],
    loops: LoopRows,
) -> Array:
    """Accelerations qdd with the dampers and forces of loop joints, which change them by effects of forces.

    What a loop joint exerts, u = -(h d x + g), acts on the tree as Wᵀu, and x = W q̈ is what q̈ without it and
    the effects Y = [effect(w) …] of unit forces give: (1 + h M d) x = W q̈ - M g with M = W Y.
    """
    W, n = loops.W, len(qd)
    own = array([damper.get(n + j, 0.0) for j in range(len(W))])
    d = array(loops.damping) + own
    g = own * (W @ qd) + array([force.get(n + j, 0.0) for j in range(len(W))])
    Y = array([effect(w) for w in W]).T
    M = W @ Y
    x = solve_regular(np.eye(len(W)) + h * M * d[None, :], W @ qdd - M @ g)
    return qdd - Y @ (h * d * x + g)
