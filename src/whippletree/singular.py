"""Which joint has no inertia to move, for a message that can be acted on."""

import numpy as np

from .dynamics.crba import crba
from .mechanism import Mechanism
from .spatial import Array

TOLERANCE = 1e-13
"""A joint whose share of its own inertia that the other joints leave to it is below this has none."""


def joint_without_inertia(m: Mechanism, q: Array) -> str | None:
    """What is wrong with the joint-space inertia matrix at q (nq,), naming the joint; None if nothing.

    H is eliminated from the last joint to the first, as in RBDA table 6.3; the first pivot that
    vanishes against its diagonal entry belongs to a joint that nothing resists.
    """
    H = np.array(crba(m, q), dtype=float)
    diagonal = H.diagonal().copy()
    owner = [i for i, body in enumerate(m.bodies) for _ in range(body.joint.nv)]
    for k in reversed(range(m.nv)):
        if H[k, k] <= TOLERANCE * diagonal[k]:
            body = m.bodies[owner[k]]
            return (
                f"joint {body.joint_name!r} of {m.name!r} moves no inertia: give {body.name!r}, "
                "or a body it carries, mass or a moment of inertia that the joint must move; "
                "or give the joint an armature"
            )
        H[:k, :k] -= np.outer(H[k, :k], H[k, :k]) / H[k, k]
    return None
