"""Forward dynamics of closed loops by recursive coordinate reduction, as Critchley & Anderson print it (§3).

The last m_i coordinates of every opened loop are dependent. Links beyond the virtual terminal body p_i are
folded into it (eq 53-55); from there inward every coordinate is eliminated as in a tree, with a second
inertia that multiplies the acceleration of the loop's base (eq 57-64).
"""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array
from .dependents import Dependents, last_that_can
from .naming import refuse_pivot, refuse_shared
from .opened import ChainedLoop, opened
from .rcr_run import DependentRun, steps_of
from .sweep import joint_accelerations, sweep
from .world import partial_velocities, world


def rcr(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    dependents: Dependents | None = None,
) -> Array:
    """Joint accelerations with loops, O(n + m), if the last coordinates of each depend; no springs or loads.

    Critchley & Anderson, A generalized recursive coordinate reduction method for multibody system dynamics,
    §3. The coordinates of a loop are counted around it, from its base to its phantom, the freedoms of its
    loop joint among them.

    Args:
        m: A mechanism without gears, in which loops that share a joint share their base body too.
        q: (nq,) joint positions, rad or m, with all loops closed.
        qd: (nv,) joint velocities, rad/s or m/s, that keep them closed.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        stabilization: T_stab, s, as in `constraint_bias`, or None.
        dependents: From `rcr_dependents`; found at q if None. A kernel needs them, since it cannot compare
            numbers that are not there yet; `dependents_quality` tells where they do not hold.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    Raises:
        SingularError: The last coordinates of a loop do not follow from the others; the pivot is named.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.formulations.reduction.rcr(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    chosen = rcr_dependents(m, q) if dependents is None else dependents
    now = world(m, q, qd, tau, f_ext, stabilization, chosen.opened(m))
    runs = [DependentRun(now, l, own) for l, own in enumerate(chosen.links) if own]
    return joint_accelerations(now, sweep(now, steps_of(runs))[0], m.nv)


def rcr_dependents(m: Mechanism, q: Array) -> Dependents:
    """The last m_i coordinates of every loop, as plain recursive coordinate reduction has them.

    Args:
        m: A mechanism as in `rcr`.
        q: (nq,) joint positions, rad or m, with all loops closed.

    Raises:
        SingularError: They do not follow from the others; the pivot is named.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.formulations.reduction.rcr_dependents(m, m.neutral()).names(m)
    [['coupler', 'pin', 'rocker']]
    """
    found = opened(m)
    P = partial_velocities(m, np.real(q), found)
    owners: dict[int, ChainedLoop] = {}
    links: list[tuple[int, ...]] = []
    for loop in found.loops:
        seen = last_that_can(P, loop.path, owners)
        refuse_shared(m, found, loop, seen, owners)
        refuse_pivot(m, found, loop, seen)
        links.append(seen.dependents)
        owners |= dict.fromkeys(links[-1], loop)
    return Dependents(tuple(links))
