"""Inverse of the joint-space inertia matrix."""

from ..model.mechanism import Mechanism
from ..spatial import Array
from .inertia_factors import factor_ltdl


def inverse_inertia(m: Mechanism, q: Array) -> Array:
    """H⁻¹: what each joint force does to each joint acceleration, O(n² depth) in the bodies.

    H by RBDA table 6.2, H = LᵀDL by table 6.3, and the symmetric product H⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ, L⁻¹ having the
    zeros of L. To solve for one acceleration, use `forward_dynamics`.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.

    Returns:
        (nv, nv) symmetric, positive definite; 1/(kg m²), 1/(kg m) or 1/kg, of the input's scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> (wt.inverse_inertia(m, [0.3, 0.5]) @ wt.crba(m, [0.3, 0.5])).round(9) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    return factor_ltdl(m, q).inverted().matrix()
