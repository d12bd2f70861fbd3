"""Loop joints that are to keep their positions or velocities while others move to close loops."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...joints import Fixed
from ...model.mechanism import Mechanism
from ...model.values import listed
from ...spatial import Array, Placement
from ..equations.loop_joints import loop_joint_position, loop_joint_rates
from ..equations.loop_sizes import joint_sizes


def with_held_loops(m: Mechanism, q: Array, hold: Sequence[str]) -> tuple[Mechanism, list[str]]:
    """The mechanism with held loop joints fixed where they are at q, and the held joints of the tree."""
    joints, held = held_apart(m, hold)
    if not held:
        return m, joints
    loops = []
    for loop in m.loops:
        if loop.name in held:
            turned = Placement.of(loop.joint.transform(loop_joint_position(m, q, loop.name)))
            loop = replace(loop, joint=Fixed(), placement_p=loop.placement_p @ turned, rest=None)
        loops.append(loop)
    return m.with_parts(loops=loops), joints


class HeldRates(NamedTuple):
    """Velocities W qd of held loop joints.

    Attributes:
        W: (n, nv).
        sizes: (n,) what counts as 1 in each: a radian, or the size of its loop, m.
        joints: Names of the held joints of the tree.
    """

    W: Array
    sizes: Array
    joints: list[str]


def held_rates(m: Mechanism, q: Array, hold: Sequence[str]) -> HeldRates:
    """What holds the velocities of loop joints, apart from the joints of the tree."""
    joints, held = held_apart(m, hold)
    W = np.concatenate([np.zeros((0, m.nv)), *(loop_joint_rates(m, q, loop) for loop in held)])
    sizes = np.concatenate([np.ones(0), *(joint_sizes(m, m.loops[m.number("loop", name)]) for name in held)])
    return HeldRates(W, sizes, joints)


def held_apart(m: Mechanism, hold: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of joints of the tree, or of none, and those of loop joints."""
    names = listed(hold, "hold", "joint names", m.joint_names)
    return [name for name in names if not m.has("loop", name)], [n for n in names if m.has("loop", n)]
