"""Dynamic equivalence: other inertias, the same motion (RBDA §9.7)."""

from dataclasses import replace

from ..spatial import Inertia
from .mechanism import Mechanism


def simplify_inertias(m: Mechanism) -> Mechanism:
    """A mechanism with the same equations of motion, whose inertias have more zeros.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §9.7 and table 9.7: inertia that moves in the
    same way on either side of a joint is taken from the body and given to its parent, or to the
    ground, which forgets it. The zeros are exact for joints along the axes of their frames, and
    compiled kernels profit from them.

    The table is extended to all joint types by the motions they share with those it has: a fixed
    joint passes everything on, joints about a point a point mass, joints that keep an axis parallel
    the transverse moments of inertia.

    Args:
        m: A tree.

    Returns:
        A new mechanism. Its inertias need not be physical, masses may be zero or negative: methods
        that invert the inertias of single bodies do not apply to it, see `methods`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> [body.inertia.m for body in wt.dynamics.simplify_inertias(m).bodies]
    [0.0, 0.0]
    """
    inertias = simple_inertias(m)
    return m.with_parts(bodies=[replace(body, inertia=I) for body, I in zip(m.bodies, inertias, strict=True)])


def simple_inertias(m: Mechanism) -> list[Inertia]:
    """The inertias of `simplify_inertias`: the loop of RBDA §9.7, from the leaves to the base."""
    inertias = [body.inertia for body in m.bodies]
    for i in reversed(range(len(m))):
        shared = m.bodies[i].joint.unseen_inertia(inertias[i])
        inertias[i] = inertias[i] + shared.scaled(-1.0)
        if m.parents[i] != -1:
            # X_J leaves the shared inertia as it is, so X_T alone brings it to the parent.
            inertias[m.parents[i]] = inertias[m.parents[i]] + shared.to_parent(m.X_T[i])
    return inertias
