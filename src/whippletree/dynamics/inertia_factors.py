"""Sparse factors of the joint-space inertia matrix."""

from ..model.mechanism import Mechanism
from ..spatial import Array
from .crba import crba
from .factor import Ltdl, Ltl, expanded_parents, ltdl, ltl


def factor_ltl(m: Mechanism, q: Array) -> Ltl:
    """H = LᵀL of the joint-space inertia matrix, with the zeros of H kept, O(n depth²) in the bodies.

    Featherstone, Rigid Body Dynamics Algorithms (2008), tables 6.2-6.4.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.

    Returns:
        An object with `solve(b)`, H⁻¹ b for b (nv,) or (nv, k), and the triangle `L`, which offers
        `times(x)`, `transpose_times(x)`, `solve(b)`, `solve_transposed(b)` (table 6.5), `matrix()`, and
        the expanded parents `lam`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> H = wt.dynamics.factor_ltl(m, [0.3, 0.5])
    >>> H.L.matrix().round(3)
    array([[0.869, 0.   ],
           [1.337, 0.577]])
    >>> H.solve(wt.crba(m, [0.3, 0.5])).round(9) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    return ltl(crba(m, q), expanded_parents(m.parents, [body.joint.nv for body in m.bodies]))


def factor_ltdl(m: Mechanism, q: Array) -> Ltdl:
    """H = LᵀDL of the joint-space inertia matrix, without square roots, O(n depth²) in the bodies.

    Featherstone, Rigid Body Dynamics Algorithms (2008), tables 6.2-6.4.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.

    Returns:
        As `factor_ltl`, with a triangle `L` of unit diagonal and the list `D` (nv).

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> H = wt.dynamics.factor_ltdl(m, [0.3, 0.5])
    >>> [float(round(d, 3)) for d in H.D], H.L.matrix().round(3)
    ([0.756, 0.333], array([[1.   , 0.   ],
           [2.316, 1.   ]]))
    """
    return ltdl(crba(m, q), expanded_parents(m.parents, [body.joint.nv for body in m.bodies]))
