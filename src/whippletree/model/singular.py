"""Which joints have no inertia to move, for a message that can be acted on."""

import numpy as np

from ..spatial import Array, ArticulatedInertia
from .jcalc import jpos
from .mechanism import Mechanism

TOLERANCE = 1e-10
"""A joint whose share of its own inertia that the other joints leave to it is below this has none.

Rounding leaves shares of some 1e-13 where there should be none; a gram before a ton is 1e-6.
"""


def joints_without_inertia(m: Mechanism, q: Array) -> list[int]:
    """Numbers, from the last to the first, of the bodies whose joints nothing resists at q (nq,); O(n).

    The joints are eliminated from the last to the first, as the articulated-body algorithm does
    (RBDA table 7.1), one motion of a joint at a time: IA is what a motion finds if all motions after
    it give way, Ic what it would find if they were locked. Where the former vanishes against the latter
    nothing is left to resist; that motion then counts as locked, so that others still show.
    """
    n, lam = len(m), m.parents
    X, S = zip(*(jpos(m, i, q) for i in range(n)), strict=True) if n else ((), ())
    Ic = [body.inertia for body in m.bodies]
    IA = [ArticulatedInertia.rigid(body.inertia) for body in m.bodies]
    found: list[int] = []
    for i in reversed(range(n)):
        for s in reversed(S[i].T):
            U = IA[i] @ s
            D = s @ U + m.bodies[i].armature
            if TOLERANCE * (s @ (Ic[i] @ s) + m.bodies[i].armature) >= D:
                found.append(i)
            else:
                IA[i] = IA[i].minus_outer(U[:, None], U[:, None] / D)
        if lam[i] != -1:
            IA[lam[i]] = IA[lam[i]] + IA[i].to_parent(X[i])
            Ic[lam[i]] = Ic[lam[i]] + Ic[i].to_parent(X[i])
    return list(dict.fromkeys(found))


def joint_without_inertia(m: Mechanism, q: Array) -> str | None:
    """What is wrong with the joint-space inertia matrix at q (nq,), naming one joint; None if nothing."""
    found = joints_without_inertia(m, np.asarray(q))
    return without_inertia_message(m, found[0]) if found else None


def without_inertia_message(m: Mechanism, i: int) -> str:
    """What to do about the joint of body i, which moves no inertia."""
    body = m.bodies[i]
    return (
        f"joint {body.joint_name!r} of {m.name!r} moves no inertia: give {body.name!r}, or a body it "
        "carries, mass or a moment of inertia that the joint must move; or give the joint an armature"
    )


def general_position(m: Mechanism) -> Array:
    """(nq,) a position without symmetry, the same at every call; it need not be within limits."""
    rng = np.random.default_rng(0)
    return np.concatenate([np.zeros(0), *(body.joint.random(rng) for body in m.bodies)])
