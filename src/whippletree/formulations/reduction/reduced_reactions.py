"""Forces in all joints of a mechanism with loops, loop joints too, O(n + m).

Critchley & Anderson §6 have constraint forces "in the usual way". Here they come out of the reduction
itself: the equation of motion of a dependent coordinate is not used for finding accelerations, and so it is
left for finding what its loop's phantom is held by. R^{k+1} P_k of one dependent coordinate is orthogonal
to P of all dependent ones further out, so these equations are solved one by one.
"""

from typing import Any

import numpy as np

from ...loops.equations.local_motions import LocalMotions
from ...model.mechanism import Mechanism
from ...spatial import Array, array
from .dependents import Dependents
from .gcl import gcl_steps
from .gcl_choice import chosen_at
from .local_kinematics import dependences
from .sweep import sweep
from .world import World, world


def reduced_reactions(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    dependents: Dependents | None = None,
) -> tuple[Array, Array]:
    """Force and moment that every joint, loop joints too, transmits, O(n + m); no springs or loads.

    Where constraints are redundant, as in a planar loop of revolute joints, reactions are not unique. Those
    found here have of the force that closes a loop only what the dependent coordinates feel, so they differ
    from those of `reactions`, which are the least, whichever joints are cut.

    Args:
        m, q, qd, tau, f_ext, dependents: As in `gcl`.

    Returns:
        joints: (nb, 6) wrench of each tree joint on its body in body coordinates, (N m, N).
        loops: (nl, 6) wrench of each loop joint on its successor, in the joint's successor frame.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> joints, loops = wt.formulations.reduction.reduced_reactions(m, m.neutral(), np.zeros(3), np.zeros(3))
    >>> loops[0, 3:].round(3)
    array([ 0.512, -3.372,  0.   ])
    """
    chosen = chosen_at(m, np.real(q)) if dependents is None else dependents
    now = world(m, q, qd, tau, f_ext, None, chosen.opened(m))
    u, A = sweep(now, gcl_steps(now, chosen))
    w = _transmitted(now, chosen, u, A)
    motions = LocalMotions(m, q, qd)
    joints: list[Any] = [None] * len(m)
    loops: list[Any] = [None] * len(m.loops)
    for link, wrench in zip(now.opened.links[1:], w[1:], strict=True):
        own = link.joint.sign * wrench  # on the child or successor, whichever way the joint was passed
        if link.last and link.joint.loop == -1:
            joints[link.joint.body] = motions.of(-1, link.joint.body).X.force(own)
        elif link.last:
            loop = m.loops[link.joint.loop]
            X = loop.placement_s.transform() @ motions.of(-1, m.body_number(loop.successor)).X
            loops[link.joint.loop] = X.force(own)
    return _stacked(joints), _stacked(loops)


def _transmitted(now: World, chosen: Dependents, u: list[Any], A: list[Any]) -> list[Any]:
    """(6,) wrench that each link gets from the one it hangs on, about the world's origin."""
    links, loops = now.opened.links, now.opened.loops
    own = [np.zeros(6) if I is None else I @ a - F for I, F, a in zip(now.I, now.F, A, strict=True)]
    closing = [np.zeros(6) for _ in loops]
    found = {
        k: (l, dependence)
        for l in range(len(loops))
        for k, dependence in dependences(now.P, chosen.links[l]).items()
    }
    left_by: dict[int, list[int]] = {}
    for l, loop in enumerate(loops):
        left_by.setdefault(loop.path[0], []).append(l)
    total = list(own)
    for k in reversed(range(1, len(links))):
        if k in found:
            l, (Q, _, _, _, left) = found[k]
            missing = now.tau[k] - now.armature[k] * u[k] - now.P[k] @ total[k]
            closing[l] = closing[l] + left * (Q * missing)
            total[k] = total[k] + left * (Q * missing)
        total[links[k].parent] = total[links[k].parent] + total[k]
        for l in left_by.get(k, []):  # the phantom is the base, and pulls at it
            total[links[k].parent] = total[links[k].parent] - closing[l]
    total = list(own)
    for loop, wrench in zip(loops, closing, strict=True):
        total[loop.phantom] = total[loop.phantom] + wrench
        total[loop.base] = total[loop.base] - wrench
    for k in reversed(range(1, len(links))):
        total[links[k].parent] = total[links[k].parent] + total[k]
    return total


def _stacked(rows: list[Any]) -> Array:
    return array(rows) if rows else np.zeros((0, 6))
