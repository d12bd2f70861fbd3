"""Active loop joints: their positions, velocities and forces, for springs, dampers and motors (RBDA §8.4)."""

from typing import NamedTuple

import numpy as np

from ...errors import ModelError
from ...model.loop import Loop
from ...model.mechanism import Mechanism
from ...model.values import vector
from ...spatial import Array, Transform, array, factor_spd
from .local_motions import LocalMotions
from .relations import branch, loop_ends, velocities


def loop_joint_position(m: Mechanism, q: Array, loop: str) -> Array:
    """The position of a loop joint, as its own type counts it.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        loop: Name of the loop.

    Returns:
        (nq of the loop joint,) rad or m; angles in (-π, π].

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
    found = _find(m, loop)
    nv = found.joint.nv
    force = vector(force, (nv,), "force", f"one entry per velocity of loop joint {loop!r} (nv = {nv})")
    base, p, s = loop_ends(m, found)
    motions = LocalMotions(m, q, np.zeros(m.nv))
    place = _place(m, q, np.zeros(m.nv), found)
    S = place.S
    wrench = place.X.T @ (S @ factor_spd(S.T @ S).solve(force))
    tau = [0.0] * m.nv
    for sign, end in ((-1.0, p), (1.0, s)):
        for i in branch(m, base, end):
            for k, value in zip(velocities(m, i), motions.of(base, i).S.T @ wrench, strict=True):
                tau[k] = sign * value
    return array(tau)


def _find(m: Mechanism, name: str) -> Loop:
    for loop in m.loops:
        if loop.name == name:
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
    q_J = loop.joint.position_at(X_s @ X_p.inverse())
    return _Place(X_s, q_J, loop.joint.motion_subspace(q_J), X_s @ (at_s.v - at_p.v))
