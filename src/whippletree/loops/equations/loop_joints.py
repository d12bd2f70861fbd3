"""Active loop joints: their positions, velocities and forces, for springs, dampers and motors (RBDA §8.4)."""

from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError
from ...model.loop import Loop, on_both_ends
from ...model.loop_coordinates import loop_coordinates
from ...model.mechanism import Mechanism
from ...model.values import vector
from ...spatial import Array, Transform, array, factor_spd
from .local_motions import LocalMotions
from .relations import branch, loop_ends, loop_position, velocities


def loop_joint_position(m: Mechanism, q: Array, loop: str) -> Array:
    """The position of a loop joint, as its own type counts it.

    The angle of a hinge goes on over any number of turns where the tree's own angles tell them: where all
    that turns on the way round the loop turns about parallel axes, as in a planar linkage. It is in (-π, π]
    where all coordinates on that way are zero. In other loops no state tells turns, and an angle is in
    (-π, π]; a screw knows its turns by its own shift.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        loop: Name of the loop.

    Returns:
        (nq of the loop joint,) rad or m.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> q = wt.assemble(m, np.array([0.3, 0.0, 0.0]), hold=["crank"])
    >>> bool(np.isclose(wt.loop_joint_position(m, q, "pin")[0], q[2] - q[0] - q[1]))
    True
    """
    return _place(m, q, np.zeros(m.nv), _find(m, loop)).q_J


def loop_joint_velocity(m: Mechanism, q: Array, qd: Array, loop: str) -> Array:
    """The velocity of a loop joint, as its own type counts it.

    Args:
        m, q, loop: As in `loop_joint_position`.
        qd: (nv,) joint velocities, rad/s or m/s, that keep all loops closed.

    Returns:
        (nv of the loop joint,) rad/s or m/s.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> qd = wt.project_velocity(m, m.neutral(), np.array([1.0, 0.0, 0.0]), hold=["crank"])
    >>> bool(np.isclose(wt.loop_joint_velocity(m, m.neutral(), qd, "pin")[0], qd[2] - qd[0] - qd[1]))
    True
    """
    place = _place(m, q, qd, _find(m, loop))
    return factor_spd(place.S.T @ place.S).solve(place.S.T @ place.v_J)


def loop_joint_force(m: Mechanism, q: Array, loop: str, force: Array) -> Array:
    """Forces on the tree's joints that do the work of a force in a loop joint; to be added to tau.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.28: tau_a = (J_s - J_p)ᵀ T_a u.

    Args:
        m, q, loop: As in `loop_joint_position`.
        force: (nv of the loop joint,) force along the loop joint's own velocities, N m or N.

    Returns:
        (nv,) joint forces, N m or N.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> spring = -5.0 * wt.loop_joint_position(m, m.neutral(), "pin") + 1.0
    >>> wt.loop_joint_force(m, m.neutral(), "pin", spring)
    array([-1., -1.,  1.])
    """
    return loop_joint_rates(m, q, loop).T @ _force(_find(m, loop), force)


def loop_joint_wrenches(m: Mechanism, q: Array, loop: str, force: Array) -> Array:
    """What a force in a loop joint, as of a motor, does to the two bodies that it connects.

    To be given as f_ext, and in `simulate` by `external`: the force acts where it is, reactions know it, and
    effort limits of other joints have no say. `loop_joint_force` moves a mechanism alike.

    Args:
        m, q, loop, force: As in `loop_joint_force`.

    Returns:
        (nb, 6) forces on the bodies, in body coordinates, (N m, N): zero but for two of them.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loop_joint_wrenches(m, m.neutral(), "pin", [2.0])[:, 2]
    array([ 0., -2.,  2.])
    """
    found = _find(m, loop)
    X = loop_position(m, found, LocalMotions(m, q, np.zeros(m.nv)))[0]
    S = found.joint.motion_subspace(found.joint.position_at(X))
    wrench = S @ factor_spd(S.T @ S).solve(_force(found, force))
    f: list[Any] = [np.zeros(6)] * (len(m) + 1)  # the ground's last, -1
    ends = m.body_number(found.successor), m.body_number(found.predecessor)
    for i, on_body in zip(ends, on_both_ends(found, X, wrench), strict=True):
        f[i] = on_body
    return array(f[:-1])


def _force(loop: Loop, force: Array) -> Array:
    """The force checked, as it is no argument that the door knows."""
    nv = loop.joint.nv
    return vector(force, (nv,), "force", f"one entry per velocity of loop joint {loop.name!r} (nv = {nv})")


def loop_joint_rates(m: Mechanism, q: Array, loop: str) -> Array:
    """(nv of the loop joint, nv) W = T_aᵀ (J_s - J_p): the velocity of a loop joint is W qd."""
    found = _find(m, loop)
    base, p, s = loop_ends(m, found)
    motions = LocalMotions(m, q, np.zeros(m.nv))
    place = _place(m, q, np.zeros(m.nv), found)
    S = place.S
    T_a = place.X.T @ factor_spd(S.T @ S).solve(S.T).T
    columns: list[Any] = [np.zeros(S.shape[1])] * m.nv
    for sign, end in ((-1.0, p), (1.0, s)):
        for i in branch(m, base, end):
            for k, column in zip(velocities(m, i), (T_a.T @ motions.of(base, i).S).T, strict=True):
                columns[k] = sign * column
    return array(columns).T if m.nv else np.zeros((S.shape[1], 0))


def _find(m: Mechanism, name: str) -> Loop:
    for loop in m.loops:
        if isinstance(name, str) and loop.name == name:
            return loop
    known = ", ".join(loop.name for loop in m.loops)
    raise ModelError(f"{m.name!r} has no loop named {name!r}; known: {known or 'none'}")


class _Place(NamedTuple):
    """A loop joint: X from its loop's base to its successor frame; S and v_J in that frame."""

    X: Transform
    q_J: Array
    S: Array
    v_J: Array


def _place(m: Mechanism, q: Array, qd: Array, loop: Loop) -> _Place:
    base, p, s = loop_ends(m, loop)
    motions = LocalMotions(m, q, qd)
    at_p, at_s = motions.of(base, p), motions.of(base, s)
    X_s = loop.placement_s.transform() @ at_s.X
    X_p = loop.placement_p.transform() @ at_p.X
    q_J = loop_coordinates(m, loop, q, X_s @ X_p.inverse())
    return _Place(X_s, q_J, loop.joint.motion_subspace(q_J), X_s @ (at_s.v - at_p.v))
