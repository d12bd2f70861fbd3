"""Forward dynamics of general coupled loops (GCL), O(n + m) (Critchley & Anderson §5).

Loops may share joints and have different bases: links on several of them carry one inertia for each base
and one more (eq 103-111). And a loop whose last coordinates cannot all depend is adjusted: a fictitious
joint leads from the last dependent coordinate before the independent ones back to the base, with the
freedoms that are left there, those of the dependent coordinates behind. It makes two loops of one, each
with its dependent coordinates at its end. The freedoms of fictitious joints are never computed: R, going on
inward, is what they leave over.
"""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array
from .dependents import Dependents
from .gcl_choice import chosen_at
from .gcl_joint import DependentJoint
from .local_kinematics import dependences
from .sweep import LinkStep, joint_accelerations, sweep
from .world import World, world


def gcl(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    dependents: Dependents | None = None,
) -> Array:
    """Joint accelerations of a mechanism with loops that may be coupled, O(n + m); no springs or loads.

    Critchley & Anderson, A generalized recursive coordinate reduction method for multibody system dynamics,
    §5, with their adjustment of the topology by fictitious joints; see `adjusted_loops`.

    Args:
        m: A mechanism without gears whose loops have enough joints of their own: of several loops that
            share a joint, one at most depends on it.
        q, qd, tau, f_ext, stabilization: As in `rcr`.
        dependents: From `gcl_dependents`; found at q if None. A kernel needs them; `gcl_quality` tells
            where they do not hold.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("five-bar")
    >>> q, rest = np.array([np.pi / 4, np.pi / 2, -np.pi / 2, 0.0]), np.zeros(4)
    >>> wt.formulations.reduction.gcl(m, q, rest, rest).round(6) + 0.0
    array([-1.891832,  0.      ,  1.891832, -2.675455])
    """
    chosen = chosen_at(m, np.real(q)) if dependents is None else dependents
    now = world(m, q, qd, tau, f_ext, stabilization, chosen.opened(m))
    return joint_accelerations(now, sweep(now, gcl_steps(now, chosen))[0], m.nv)


def gcl_steps(now: World, chosen: Dependents) -> dict[int, LinkStep]:
    """What the links with dependent coordinates do."""
    found: dict[int, LinkStep] = {}
    for l, (loop, own) in enumerate(zip(now.opened.loops, chosen.links, strict=True)):
        A_t = now.known_acceleration(l)
        for k, dependence in dependences(now.P, own).items():
            found[k] = DependentJoint(now, k, loop.base, dependence, A_t)
    return found
