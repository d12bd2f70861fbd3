"""Whether a tree is so shallow that its inertia matrix is the shorter road to its accelerations.

The articulated-body algorithm takes as many operations for every joint, CRBA and the factors of H more the
more variables a joint stands on. Joints in a row cost the same by both from the tenth one on (RBDA §10.3.4
compares them, too).
"""

from ..model.mechanism import Body, Mechanism

JOINT = 219
"""Operations that the articulated-body algorithm takes more for a joint variable than RNEA and CRBA do."""

MOVE = 33
"""Operations that bring a column of H to the body below."""

ENTRY = 7
"""Operations of an entry of H that is its product with a joint's motion, divided by a pivot, solved with
twice; eliminating a variable takes two more for every pair of entries of its column."""


def is_shallow(m: Mechanism) -> bool:
    """Whether H, its factors and bias forces take no more operations than the articulated-body algorithm.

    Prices are those of joints that turn about general axes, as kernels of them were counted. What a floating
    base carries is not looked at: there both take about as many, and equal legs suit the articulated bodies.
    Nor are joints that may lock: H is all but singular there, and its factors lose more digits.

    Args:
        m: A tree; gears are ignored.

    >>> import whippletree as wt
    >>> is_shallow(wt.examples.load("seven-axis-arm")), is_shallow(wt.examples.load("humanoid"))
    (True, False)
    """
    support: list[tuple[int, int, bool]] = []  # joints up to each body, their variables, if one is free
    saved = 0
    for body, parent in zip(m.bodies, m.parents, strict=True):
        joints, variables, floats = (0, 0, False) if parent == -1 else support[parent]
        own = body.joint.nv
        if (own and floats) or may_lock(body):
            return False
        if own and joints:
            saved += own * (JOINT - MOVE * joints - ENTRY * variables - variables * variables)
        support.append((joints + (own > 0), variables + own, floats or own == 6))
    return saved >= 0


def may_lock(body: Body) -> bool:
    """Whether three axes of its joint or more may come to lie in a plane, as those of Euler angles do."""
    return body.joint.nv > 2 and not body.joint.has_constant_subspace
