"""How far contact forces with friction are from a solution: the residual of the natural map."""

import numpy as np

from ...spatial import Array


def natural_residual(M: Array, d: Array, friction: Array, force: Array) -> float:
    """How far forces (nc, 3) are from a solution: |λ - P(λ - (u + μ |ut| n))|, P onto the cones.

    Forces are measured by the mean inertia of each contact, and all by the largest entry of d.

    >>> import whippletree as wt
    >>> M = np.diag([2.0, 2.0, 2.0]).reshape(1, 3, 1, 3)
    >>> d, force = np.array([[-10.0, 3.0, 4.0]]), np.array([[5.0, -0.6, -0.8]])
    >>> wt.contact.natural_residual(M, d, np.array([0.2]), force) < 1e-16
    True
    """
    nc = len(d)
    if nc == 0:
        return 0.0
    u = np.einsum("iajb,jb->ia", M, force) + d
    scale = np.einsum("iaia->i", M)[:, None] / 3.0
    size = float(np.max(np.abs(d))) or 1.0
    u = u + np.stack([friction * np.hypot(u[:, 1], u[:, 2]), np.zeros(nc), np.zeros(nc)], axis=1)
    scaled = force * scale
    return float(np.max(np.abs(scaled - project_on_cones(scaled - u, friction)))) / size


def project_on_cones(force: Array, friction: Array) -> Array:
    """The nearest forces (nc, 3) with |λt| ≤ μ λn."""
    n, t = force[:, 0], np.hypot(force[:, 1], force[:, 2])
    mu = np.asarray(friction)
    inside, below = t <= mu * n, mu * t <= -n
    height = np.maximum((n + mu * t) / (1.0 + mu * mu), 0.0)
    share = mu * height / np.where(t > 0.0, t, 1.0)
    on_side = np.stack([height, share * force[:, 1], share * force[:, 2]], axis=1)
    return np.where(inside[:, None], force, np.where(below[:, None], 0.0, on_side))
