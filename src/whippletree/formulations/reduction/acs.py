"""Forward dynamics of closed loops with an arbitrary selection of dependent coordinates (ACS).

Critchley & Anderson §4: independent coordinates may lie between dependent ones. The n_I of them that lie
beyond the first dependent one are solved for together, at a cost of n_I³ (eq 98), and the loop goes on as
in §3.
"""

from collections.abc import Sequence

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array
from .acs_run import MixedRun
from .dependents import Dependents, best_conditioned
from .naming import named_dependents
from .opened import opened
from .rcr_run import steps_of
from .sweep import joint_accelerations, sweep
from .world import partial_velocities, world


def acs(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    dependents: Dependents | Sequence[str] | None = None,
) -> Array:
    """Joint accelerations with loops, by dependent coordinates of one's choice; no springs or loads.

    Critchley & Anderson, A generalized recursive coordinate reduction method for multibody system dynamics,
    §4. O(n + m) but for n_I³, n_I being the independent coordinates between dependent ones of a loop.

    Args:
        m: A mechanism without gears in which no two loops share a joint.
        q, qd, tau, f_ext, stabilization: As in `rcr`.
        dependents: Names of the dependent coordinates, joints and loop joints, as many as the loops
            determine; or from `acs_dependents`, which is also what is done at q if None. A kernel needs one
            of them; `dependents_quality` tells where they do not hold.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    Raises:
        InputError: A name is not known, or they are too many or too few.
        SingularError: The coordinates do not follow from the others; the pivot is named.

    >>> import whippletree as wt
    >>> m = wt.examples.load("five-bar")
    >>> q, rest = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0]), np.zeros(4)
    >>> wt.formulations.reduction.acs(m, q, rest, rest, dependents=["q2", "q3", "q5"]).round(6) + 0.0
    array([-1.891832,  0.      ,  1.891832, -2.675455])
    """
    chosen = dependents
    if not isinstance(chosen, Dependents):
        chosen = acs_dependents(m, q) if chosen is None else named_dependents(m, q, chosen)
    now = world(m, q, qd, tau, f_ext, stabilization, chosen.opened(m))
    runs = [MixedRun(now, l, own) for l, own in enumerate(chosen.links) if own]
    return joint_accelerations(now, sweep(now, steps_of(list(runs)))[0], m.nv)


def acs_dependents(m: Mechanism, q: Array) -> Dependents:
    """For every loop the coordinates that it determines best: its last one, then that with the largest pivot.

    Args:
        m: A mechanism with loops.
        q: (nq,) joint positions, rad or m, with all loops closed.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.formulations.reduction.acs_dependents(m, m.neutral()).names(m)
    [['crank', 'pin', 'rocker']]
    """
    found = opened(m)
    P = partial_velocities(m, np.real(q), found)
    return Dependents(tuple(best_conditioned(P, loop.path) for loop in found.loops))
