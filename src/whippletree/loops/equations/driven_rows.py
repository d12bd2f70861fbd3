"""What drivers ask of a mechanism: that some of its coordinates move as prescribed (RBDA §8.2, §9.1)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...joints import Joint
from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross_motion, factor_spd
from .constraints import spread
from .local_motions import LocalMotions
from .relations import branch, loop_ends


class Coordinate(NamedTuple):
    """The one coordinate of a joint: whether it closes a loop, and its number among those."""

    loop: bool
    number: int

    def joint(self, m: Mechanism) -> Joint:
        return m.loops[self.number].joint if self.loop else m.bodies[self.number].joint

    def is_known_by_turns(self, m: Mechanism) -> bool:
        """Whether it is known but for whole turns: the angle of a loop's hinge."""
        return self.loop and self.joint(m).turns_endlessly


class DrivenRows(NamedTuple):
    """Driven coordinates x as functions of the joints: ẋ = W q̇ and ẍ = W q̈ + w.

    Attributes:
        x: (nd,) where they are, rad or m.
        W: (nd, nv) their rates by the joint velocities.
        w: (nd,) their accelerations where no joint accelerates.
    """

    x: Array
    W: Array
    w: Array


def driven_rows(m: Mechanism, q: Array, qd: Array, driven: Sequence[Coordinate]) -> DrivenRows:
    """x, W and w of the coordinates of some joints, tree joints and loop joints alike.

    Of a loop joint, x is found from where its two sides are; the angle of a hinge is then between -π and π.
    Its acceleration is that of RBDA 3.44 along the joint's motion: where the constraint has T, this has
    S (SᵀS)⁻¹.

    Args:
        m: The mechanism.
        q, qd: (nq,), (nv,) its state.
        driven: Which, see `found`.
    """
    motions = LocalMotions(m, q, qd)
    x, W, w = [], [], []
    for coordinate in driven:
        if not coordinate.loop:
            i = coordinate.number
            x.append(q[m.q_index[i].start])
            W += spread([m.v_index[i].start], np.ones((1, 1)), m.nv)
            w.append(0.0)
            continue
        loop = m.loops[coordinate.number]
        base, p, s = loop_ends(m, loop)
        at_p, at_s = motions.of(base, p), motions.of(base, s)
        X_s = loop.placement_s.transform() @ at_s.X
        q_J = loop.joint.position_at(X_s @ (loop.placement_p.transform() @ at_p.X).inverse())
        S = loop.joint.motion_subspace(q_J)
        along = X_s.T @ (S @ factor_spd(S.T @ S).solve(np.ones(1)))
        sides = [(i, -1.0) for i in branch(m, base, p)] + [(i, 1.0) for i in branch(m, base, s)]
        columns = [k for i, _ in sides for k in range(m.v_index[i].start, m.v_index[i].stop)]
        block = np.concatenate([np.zeros(0), *(sign * (along @ motions.of(base, i).S) for i, sign in sides)])
        W += spread(columns, block[None, :], m.nv)
        v_J = at_s.v - at_p.v
        qd_J = array([along @ v_J])
        # ẍ = S⁺(a_s - a_p - c): the joint's own bias and the turning of its frame are no motion along it.
        c = X_s.inverse_motion(loop.joint.bias(q_J, qd_J)) + cross_motion(at_s.v, v_J)
        x.append(q_J[0])
        w.append(along @ (at_s.a - at_p.a - c))
    return DrivenRows(array(x), array(W) if W else np.zeros((0, m.nv)), array(w))


def found(m: Mechanism, name: str) -> Coordinate:
    """The coordinate of a joint that can be driven, by name.

    Raises:
        InputError: There is no such joint, or it has more than one coordinate, or none.
    """
    if m.has("joint", name):
        coordinate = Coordinate(False, m.joint_number(name))
    elif m.has("loop", name):
        coordinate = Coordinate(True, m.number("loop", name))
    else:
        known = ", ".join([*m.joint_names, *(loop.name for loop in m.loops)])
        raise InputError(f"{m.name!r} has no joint named {name!r} to drive; known: {known}")
    joint = coordinate.joint(m)
    if joint.nq != 1 or joint.nv != 1 or not joint.has_rates:
        raise InputError(
            f"joint {name!r} of {m.name!r} cannot be driven: it has {joint.nq} coordinates and {joint.nv} "
            "velocities, and drivers move single ones, as of a hinge or a slider"
        )
    return coordinate
