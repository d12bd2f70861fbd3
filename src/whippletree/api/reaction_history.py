"""What joints transmit along a motion, by name, and which of it rigid bodies leave open."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import InputError
from ..loops.equations.driven_rows import Coordinate
from ..loops.methods.driver_wrenches import driver_wrenches
from ..loops.methods.lambda_first import row_choice, row_quality
from ..loops.methods.reactions import motion_reactions, reaction_play
from ..model.mechanism import Mechanism
from ..spatial import Array
from .choice_groups import choice_groups
from .compiling import made_once

AXES = ("body", "world")

OPEN = 1e-6
"""Share of a unit self-stress above which it is felt in a joint."""


@dataclass(frozen=True, eq=False)
class Reactions:
    """Force and moment that every joint transmits to its body, in n states; loop joints too.

    Attributes:
        joints: (n, nb, 6) wrench of each tree joint on its body in body coordinates, (N m, N).
        loops: (n, nl, 6) wrench of each loop joint on its successor, in the joint's successor frame.
        joint_play, loop_play: (n, nb, 2, 3, 3) and (n, nl, 2, 3, 3), see `loops.methods.reaction_play`.
        mechanism: What moved.
        q: (n, nq) where.
    """

    joints: Array
    loops: Array
    joint_play: Array
    loop_play: Array
    mechanism: Mechanism
    q: Array

    def __repr__(self) -> str:
        return f"<Reactions of {self.mechanism.name!r}: {len(self.joints)} states>"

    def of(self, name: str, axes: str = "body") -> Array:
        """(n, 6) what a joint or loop joint does to its body or successor, moment and force.

        Args:
            name: Of the joint.
            axes: "body" for those of the body, or of a loop joint's successor frame; "world" for the world's.
                The moment is about the body's origin, or that of the frame, either way.
        """
        found = self._found(name, self.joints, self.loops)
        if self._is_of_body(axes):
            return found
        return np.einsum("nij,nkj->nki", self._turns(name), found.reshape(-1, 2, 3)).reshape(-1, 6)

    def unique(self, name: str, axes: str = "body") -> Array:
        """(n, 6) whether each entry of `of` is the only one possible, or one of many.

        Where loops are overconstrained, rigid bodies do not tell how they share what they carry. Which
        entries that concerns is the same wherever loops are cut, and so is what `of` tells then: the least,
        see `wt.reactions`.
        """
        play = self._found(name, self.joint_play, self.loop_play)
        if not self._is_of_body(axes):
            turn = self._turns(name)[:, None]
            play = turn @ play @ np.swapaxes(turn, -1, -2)
        return np.einsum("nkii->nki", play).reshape(-1, 6) < OPEN**2

    def _found(self, name: str, of_joints: Array, of_loops: Array) -> Array:
        m = self.mechanism
        if m.has("joint", name):
            return of_joints[:, m.joint_number(name)]
        if m.has("loop", name):
            return of_loops[:, m.number("loop", name)]
        known = ", ".join([*m.joint_names, *(loop.name for loop in m.loops)])
        raise InputError(f"{m.name!r} has no joint or loop joint named {name!r}; known: {known}")

    def _is_of_body(self, axes: str) -> bool:
        if axes not in AXES:
            raise InputError(f"axes is {axes!r}, expected one of {', '.join(map(repr, AXES))}")
        return axes == "body"

    def _turns(self, name: str) -> Array:
        """(n, 3, 3) from the axes in which a joint's wrench is told to the world's."""
        m = self.mechanism
        R = np.concatenate([made_once(forward_kinematics, m)(self.q)[..., :3, :3], self._ground()], axis=1)
        if m.has("joint", name):
            return R[:, m.joint_number(name)]
        loop = m.loops[m.number("loop", name)]
        return R[:, m.body_number(loop.successor)] @ np.asarray(loop.placement_s.rotation)

    def _ground(self) -> Array:
        """The ground's axes, which come last: its number is -1."""
        return np.broadcast_to(np.eye(3), (len(self.q), 1, 3, 3))


class Driving(NamedTuple):
    """What drivers exert along a motion.

    Attributes:
        driven: Which coordinates they drive.
        force: (n, nd) along them, N m or N.
    """

    driven: tuple[Coordinate, ...]
    force: Array

    @property
    def is_by_tree(self) -> bool:
        """Whether all of it is entries of tau."""
        return all(coordinate.is_own for coordinate in self.driven)

    def of_tree(self, m: Mechanism) -> Array:
        """(n, nv) forces of those drivers that move tree joints."""
        tau = np.zeros((len(self.force), m.nv))
        for k, coordinate in enumerate(self.driven):
            if coordinate.is_own:
                tau[:, m.v_index[coordinate.number].start] = self.force[:, k]
        return tau


def reactions_along(
    m: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    tau: Array,
    f_ext: Array | None = None,
    driving: Driving | None = None,
) -> Reactions:
    """Reactions in n states of a motion, each argument (n, …), in machine code.

    Rows of the constraints are chosen in one state and used in all where they are about as good. Drivers of
    loop joints and distances act where they are, and are no part of tau.
    """
    n = len(q)
    acting: dict[str, Array] = {}
    if driving is not None and not driving.is_by_tree:
        shape = {"force": (len(driving.driven),)}
        wrenches = made_once(driver_wrenches, m, driven=driving.driven, inputs=shape)
        on_bodies, acting["motors"] = wrenches(q, driving.force)
        f_ext = on_bodies if f_ext is None else f_ext + on_bodies
    if f_ext is not None:
        acting = {"f_ext": f_ext, **acting}
    joints, loops = np.empty((n, len(m), 6)), np.empty((n, len(m.loops), 6))
    joint_play, loop_play = np.empty((n, len(m), 2, 3, 3)), np.empty((n, len(m.loops), 2, 3, 3))
    shapes = {"inputs": {name: given.shape[1:] for name, given in acting.items()}} if acting else {}
    groups = choice_groups(m, q, "rows", row_choice, row_quality)
    for chosen, here in groups if m.loops or m.gears else [({"rows": ()}, np.arange(n))]:
        given = [part[here] for part in (q, qd, qdd, tau, *acting.values())]
        joints[here], loops[here] = made_once(motion_reactions, m, **chosen, **shapes)(*given)
        joint_play[here], loop_play[here] = made_once(reaction_play, m, **chosen)(q[here])
    return Reactions(joints, loops, joint_play, loop_play, m, q)
