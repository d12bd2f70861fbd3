"""Which joints have no inertia to move, for a message that can be acted on."""

from collections.abc import Collection

import numpy as np

from ..spatial import Array, ArticulatedInertia, Inertia
from .jcalc import jpos
from .mechanism import Body, Mechanism

TOLERANCE = 1e-10
"""A joint whose share of its own inertia that the other joints leave to it is below this has none.

Rounding leaves shares of some 1e-13 where there should be none; a gram before a ton is 1e-6. Likewise a
principal moment below this share of the largest leaves nothing to invert.
"""


def joints_without_inertia(m: Mechanism, q: Array, held: Collection[int] = ()) -> list[int]:
    """Numbers, from the last to the first, of the bodies whose joints nothing resists at q (nq,); O(n).

    The joints of the bodies numbered in `held` do not move.

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
        for s in () if i in held else reversed(S[i].T):
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


def joints_in_doubt(m: Mechanism) -> list[int]:
    """Numbers of the bodies whose joints may find no inertia at some position.

    Others carry an inertia of their own that resists every motion, or theirs, or are held by loops and gears.
    """
    held = coupled_joints(m)
    doubtful = [i for i, body in enumerate(m.bodies) if not can_be_inverted(body.inertia)]
    free = [i for i in doubtful if i not in held]
    most = _stretched_out(m) if free else []
    return [i for i in free if not _moves_itself(m.bodies[i], most[i])]


def _moves_itself(body: Body, most: Array) -> bool:
    """Whether a joint has one axis, and what its body alone resists counts against all that it may carry.

    No position leaves it less than that (IA of RBDA table 7.1 is a sum), and none gives it more than what its
    bodies have with everything stretched out; `most` is that row.
    """
    if body.joint.nv != 1 or not body.joint.has_constant_subspace or not np.all(np.isfinite(most)):
        return False
    s = body.joint.motion_subspace(body.joint.neutral())[:, 0]
    turn, slide = float(np.linalg.norm(s[:3])), float(np.linalg.norm(s[3:]))
    carried = float(np.array([slide**2, 2.0 * slide * turn, turn**2, turn**2]) @ most)
    return bool(s @ (body.inertia @ s) + body.armature > TOLERANCE * (carried + body.armature))


def _stretched_out(m: Mechanism) -> Array:
    """(nb, 4) of each body and all it carries: Σ m, Σ m d, Σ m d², and Σ of moments of inertia.

    d is how far centres of mass may get from it; not finite if slides move them.
    """
    rows = np.zeros((len(m), 4))
    for i in reversed(range(len(m))):
        inertia, parent = m.bodies[i].inertia, m.parents[i]
        far, about = float(np.linalg.norm(inertia.com)), float(np.trace(inertia.about_com))
        rows[i] += [inertia.m, inertia.m * far, inertia.m * far**2, about]
        if parent != -1:
            mass, first, second, moments = rows[i].tolist()
            r = _reach(m, i)
            rows[parent] += [mass, first + mass * r, second + r * (2.0 * first + mass * r), moments]
    return rows


def _reach(m: Mechanism, k: int) -> float:
    """m: how far the joint of body k may bring it from where its parent is."""
    joint = m.bodies[k].joint
    turns = joint.has_constant_subspace and not np.any(joint.motion_subspace(joint.neutral())[3:])
    return float(np.linalg.norm(m.X_T[k].r)) if turns else np.inf


def joint_without_inertia(m: Mechanism, q: Array) -> str | None:
    """What is wrong with the joint-space inertia matrix at q (nq,), naming one joint; None if nothing."""
    found = joints_without_inertia(m, np.asarray(q))
    return without_inertia_message(m, found[0]) if found else None


def fault_without_inertia(m: Mechanism, held: Collection[int] = ()) -> str | None:
    """What is wrong with a mechanism in which a joint moves no inertia at nearly every position; or None.

    There rounding is all that remains to be divided by: at most positions a solver finds numbers, and none
    of them means anything. The joints of the bodies numbered in `held` do not move.
    """
    if any(map(_is_symbolic, m.bodies)):
        return None  # parameters that are left open have no value yet
    if all(can_be_inverted(body.inertia) for body in m.bodies):
        return None
    found = joints_without_inertia(m, general_position(m), held)
    return without_inertia_message(m, found[0]) if found else None


def fault_of_free_joints(m: Mechanism) -> str | None:
    """The same, joints that loops and gears hold not counted."""
    return fault_without_inertia(m, coupled_joints(m))


def _is_symbolic(body: Body) -> bool:
    numbers = (body.inertia.m, body.inertia.h, body.inertia.I, body.armature, body.placement.position)
    return any(np.asarray(number).dtype.kind == "O" for number in numbers)


def can_be_inverted(inertia: Inertia) -> bool:
    """Whether an inertia of floats resists every motion; that of a point mass or a thin rod does not."""
    if not inertia.m > 0:
        return False
    moments = np.linalg.eigvalsh(inertia.about_com)
    return bool(moments[0] > TOLERANCE * moments[2])


def coupled_joints(m: Mechanism) -> set[int]:
    """Joints in loops and gears: others may hold them, or carry inertia for them.

    What is singular while all of them are held is singular whatever they do.
    """
    geared = {joint for gear in m.gears for joint in gear.joints}
    found = {m.joint_number(joint) for joint in geared if m.has("joint", joint)}
    for loop in m.loops:
        p, s = (set(m.support(m.body_number(body))) for body in (loop.predecessor, loop.successor))
        found |= p ^ s
    return found


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
