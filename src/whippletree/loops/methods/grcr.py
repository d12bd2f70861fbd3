"""Forward dynamics of closed loops by generalized recursive coordinate reduction.

Critchley & Anderson, A generalized recursive coordinate reduction method for multibody system dynamics, and
where its parts are found here:

    loop base body 0_i (§3)         `Relation.base`, the last body that supports both sides of a loop.
    phantom body n_i (§3, fig. 2)   The successor side of the loop joint. The paper adds a massless copy of
                                    the base beyond it and asks that it stand still on the base (eq 23, 24);
                                    that is `loop_relation`, seen from the base, with the freedoms of the
                                    loop joint taken out by T, not by last coordinates without mass.
    W, X, Y, Z (eq 38-45, 69-81)    `Substituted`: dependent accelerations by those they depend on. Put in at
                                    the base, where the whole loop is known, hence in any order: this is the
                                    arbitrary selection of §4 for all loops, without its n_I³.
    virtual terminal body p_i (§3)  The body at which `release` leaves no more variables than the loop has
                                    rows: inboard of it every joint is eliminated as in a tree.
    Î^{k;0}, ⁰Î^k, F̂ (eq 52-64)     `Handle`, I^A and p^A of the body, and `Group`, N, W, r of variables that
                                    wait. The paper refers bodies of a loop to its base by a second inertia;
                                    here the acceleration of the body itself is the only one, and what a
                                    loop adds is in N. Bodies common to several loops need no third inertia
                                    (eq 103-111), nor n_b of them in a lattice (§6): loops with different
                                    bases only wait together.
    topology adjustment (§5)        `shear`. The paper cuts a loop whose last coordinates do not determine
                                    it into coupled loops by fictitious joints, at most m_i coordinates more,
                                    so that each can be solved at its end. Here coordinates that wait are
                                    replaced by combinations of which the loop sees only as many as it has
                                    rows; the others are free and go at once. No joint is added, the same
                                    m_i variables go on, chosen by the largest pivot, and the cost is
                                    O(n + m) likewise.

A part of a loop that has less freedom than the loop has rows, such as joints that are all parallel, keeps as
many variables as it has freedom (`BestConditioned.release`), so that it may be long, too: the worst case of
§4, "large planar portions", costs the same for each joint.
"""

import functools
from typing import Any

import numpy as np

from ...dynamics.per_body import per_body
from ...model.jcalc import jcalc
from ...model.mechanism import Mechanism
from ...spatial import Array, ArticulatedInertia, Transform, array, cross_force, cross_motion, minimum
from ..equations.relations import velocities
from .choosing import BestConditioned
from .group import EliminationStep, Group, Handle, merged
from .loop_equations import LoopEquations
from .reduction import Reduction, Replay


def grcr(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    reduction: Reduction | None = None,
    stabilization: float | None = None,
) -> Array:
    """Joint accelerations with loops, O(n + m) in joints and constraints; no springs or loads.

    Critchley & Anderson, A generalized recursive coordinate reduction method for multibody system
    dynamics: the articulated-body recursion, in which the joint accelerations of a loop stay as
    variables until the loop's own constraint, in the coordinates of its base body, can be solved for
    the dependent ones. Where more variables meet than constraints tie them, the surplus is released
    at once, so that loops may be long, nested or coupled.

    Args:
        m: A mechanism with loops and gears.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        reduction: Which coordinates depend on which, from `choose_reduction`; chosen at q if None.
            A kernel needs one, since it cannot compare numbers that are not there yet.
        stabilization: T_stab, s, as in `constraint_bias`, or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.grcr(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    choices = BestConditioned(m, q) if reduction is None else Replay(reduction)
    return reduced_dynamics(m, q, qd, tau, f_ext, LoopEquations(m, q, qd, stabilization, choices))


def choose_reduction(m: Mechanism, q: Array) -> Reduction:
    """Which coordinates should depend on which at a position: those that the loops determine best.

    Args:
        m: A mechanism with loops and gears.
        q: (nq,) joint positions, rad or m, with all loops closed.

    Returns:
        The choices, good as long as `reduction_quality` is not small; for `grcr` and its kernels.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> reduction = wt.loops.choose_reduction(m, m.neutral())
    >>> reduction.dependents
    [0, 2]
    >>> fast = wt.compile(wt.loops.grcr, m, reduction=reduction)
    >>> fast(m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    return chosen_by(BestConditioned(m, q))


def chosen_by(choices: BestConditioned) -> Reduction:
    """What is decided on the way through a mechanism, by somebody who writes down his choices."""
    m, q, zero = choices.m, choices.q, np.zeros(choices.m.nv)
    reduced_dynamics(m, q, zero, zero, None, LoopEquations(m, q, zero, None, choices))
    return choices.reduction


def reduction_quality(m: Mechanism, q: Array, reduction: Reduction) -> Any:
    """How well a choice of dependent coordinates suits a position: the smallest pivot.

    Where it becomes much smaller than it was where the choice was made, another choice is better;
    accelerations do not jump when the choice changes. Near a singular position of the mechanism every
    choice has a small pivot.

    Args:
        m: A mechanism with loops and gears.
        q: (nq,) joint positions, rad or m, with all loops closed.
        reduction: From `choose_reduction`.

    Returns:
        Scalar, a share of the largest coefficient of the loop that the pivot belongs to; 0 where the
        choice is not possible.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> reduction = wt.loops.choose_reduction(m, m.neutral())
    >>> float(wt.loops.reduction_quality(m, m.neutral(), reduction).round(3))
    0.675
    """
    zero = np.zeros(m.nv)
    loops = LoopEquations(m, q, zero, None, Replay(reduction))
    with np.errstate(divide="ignore", invalid="ignore"):
        reduced_dynamics(m, q, zero, zero, None, loops)
    return functools.reduce(minimum, loops.pivots, 1.0)


def reduced_dynamics(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None,
    loops: LoopEquations,
) -> Array:
    """The recursion of `grcr` with the loops' equations, and the choices of how to solve them."""
    n, lam = len(m), m.parents
    X, S, v, c, a = per_body(n, 5)
    a[-1] = -np.array([0.0, 0.0, 0.0, *m.gravity])
    handles: list[Handle] = []
    for i, body in enumerate(m.bodies):
        X[i], S[i], vJ, cJ = jcalc(m, i, q, qd)
        v[i] = X[i] @ v[lam[i]] + vJ
        c[i] = cJ + cross_motion(v[i], vJ)
        p = cross_force(v[i], body.inertia @ v[i])
        p = p if f_ext is None else p - f_ext[i]
        handles.append(Handle(ArticulatedInertia.rigid(body.inertia), p))
    handles.append(Handle(None, np.zeros(6)))  # the ground's
    groups: list[list[Group]] = [[] for _ in range(n + 1)]
    at_body: list[list[EliminationStep]] = [[] for _ in range(n + 1)]
    at_joint: list[list[EliminationStep]] = [[] for _ in range(n)]

    for i in reversed(range(n)):
        at_body[i], left = loops.solve(i, groups[i], handles[i])
        group = merged(left)
        _add_joint(m, i, S[i], tau, group, handles[i], loops)
        at_joint[i] = [*loops.release(group, handles[i])]
        if lam[i] != -1:
            _hand_over(X[i], c[i], group, handles[i], handles[lam[i]])
        else:
            # The ground's acceleration is known, so nothing of the form is left but its variables.
            for w, N in group.N.items():
                group.r[w] = group.r[w] + N @ (X[i] @ a[-1] + c[i])
            group.N = {}
        if group.variables:
            groups[lam[i]].append(group)
    at_body[-1], _ = loops.solve(-1, groups[-1], handles[-1])

    qdd: dict[int, Any] = {}
    _undo(at_body[-1], qdd, a[-1])
    for i in range(n):
        a_ = X[i] @ a[lam[i]] + c[i]  # the book's a'
        _undo(at_joint[i], qdd, a_)
        own = array([qdd[k] for k in velocities(m, i)])
        a[i] = a_ + S[i] @ own
        _undo(at_body[i], qdd, a[i])
    return array([qdd[k] for k in range(m.nv)])


def _add_joint(
    m: Mechanism, i: int, S: Array, tau: Array, group: Group, handle: Handle, loops: LoopEquations
) -> None:
    """Let the variables of joint i join a group whose handle is body i: a_i = a' + S q̈_i."""
    assert handle.I is not None
    U = handle.I @ S
    new = list(velocities(m, i))
    armature = np.broadcast_to(m.bodies[i].armature, len(new))
    for a, k in enumerate(new):
        for w in group.variables:
            group.add_inertia(k, w, S[:, a] @ (group.N[w] if w not in new else U[:, new.index(w)]))
        group.add_inertia(k, k, S[:, a] @ U[:, a] + armature[a])
        group.r[k] = S[:, a] @ handle.p - tau[k]
        group.N[k] = U[:, a]
        group.variables.append(k)
        loops.tie(group, k)


def _hand_over(X: Transform, c: Array, group: Group, handle: Handle, above: Handle) -> None:
    """Express a group and its handle by the parent's acceleration: a' = X a_λ + c."""
    assert handle.I is not None
    assert above.I is not None
    for w, N in group.N.items():
        group.r[w] = group.r[w] + N @ c
        group.N[w] = X.T @ N
    above.p = above.p + X.T @ (handle.p + handle.I @ c)
    above.I = above.I + handle.I.to_parent(X)


def _undo(steps: list[EliminationStep], x: dict[int, Any], a: Array) -> None:
    """Find the variables that some steps eliminated, last one first."""
    for step in reversed(steps):
        step.undo(x, a)
