"""Where the forces of drivers act: in loop joints, and between the ends of distances."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dynamics.force_laws.spring_law import point_place
from ...dynamics.kinematics import world_transforms
from ...dynamics.per_body import per_body
from ...model.loop import on_both_ends
from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross, solve_spd
from ..equations.driven_rows import Coordinate
from ..equations.local_motions import LocalMotions
from ..equations.relations import loop_position


def driver_wrenches(
    m: Mechanism, q: Array, force: Array, driven: Sequence[Coordinate]
) -> tuple[Array, Array]:
    """What drivers do to bodies, other than by joints of the tree, whose forces are entries of tau.

    Wᵀ force of `driven_rows` moves the mechanism alike, but lets every joint on the way round a loop carry
    what a driver exerts in one place.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        force: (nd,) of the drivers, N m or N, along their coordinates.
        driven: Which coordinates; those of tree joints are passed over.

    Returns:
        f_ext: (nb, 6) forces on the bodies, in body coordinates, (N m, N).
        loops: (nl, 6) the part of it that acts in each loop joint, on its successor, in its frame there.
    """
    (f,) = per_body(len(m), 1)
    loops: list[Any] = [np.zeros(6)] * len(m.loops)
    motions, X = LocalMotions(m, q, np.zeros(m.nv)), world_transforms(m, q)
    for coordinate, u in zip(driven, force, strict=True):
        if coordinate.of == "loop":
            loop = m.loops[coordinate.number]
            X_J = loop_position(m, loop, motions)[0]
            S = loop.joint.motion_subspace(loop.joint.position_at(X_J))
            loops[coordinate.number] = wrench = S @ solve_spd(S.T @ S, array([u]))
            p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
            on_s, on_p = on_both_ends(loop, X_J, wrench)
            f[s], f[p] = f[s] + on_s, f[p] + on_p
        elif coordinate.of == "distance":
            distance = m.distances[coordinate.number]
            frames = [m.frame(name) for name in (distance.frame_a, distance.frame_b)]
            ends = [(m.body_number(frame.body), array(frame.placement.position)) for frame in frames]
            a, b = (point_place(X[number], point) for number, point in ends)
            apart = u * (b - a) / np.sqrt((b - a) @ (b - a))
            for (number, point), push in zip(ends, (-apart, apart), strict=True):
                local = X[number].E @ push
                f[number] = f[number] + np.concatenate([cross(point, local), local])
    return array(f[: len(m)]), array(loops) if loops else np.zeros((0, 6))
