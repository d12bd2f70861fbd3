"""Local Jacobians of joints, and how links hang together (Liu & Jain eq 49-56, 62-65)."""

import numpy as np

from ...model.jcalc import jpos
from ...model.mechanism import Mechanism
from ...spatial import Array
from .link_jacobians import link_frames


def local_jacobian(m: Mechanism, q: Array, body: str) -> Array:
    """Ĵ_ωk of one link: ω̂_k = Ĵ_ωk qd_k is its angular velocity against the parent, in the parent's axes.

    Liu & Jain eq 49. For Euler angles it is eq 52; for the
    exponential map eq 54, by a series near θ = 0 whose first terms are eq 56; for a quaternion, where qd
    is the angular velocity in the link's own axes, it is R_k.

    Args:
        m: The mechanism; joints of every type.
        q: (nq,) joint positions, rad or m.
        body: Name of the link.

    Returns:
        (3, n(k)), zero for a joint that slides.

    >>> import whippletree as wt
    >>> m = wt.examples.load("tutorial-tree")
    >>> q = [0.1, 0.2, 0.3, 0.5, 0.4, 0.6, 0.7]
    >>> wt.formulations.lagrange.local_jacobian(m, q, "link2")[:, 2].round(3)  # the last of three turns
    array([ 0.479, -0.259,  0.838])
    """
    X, S = jpos(m, m.body_number(body), q)
    return X.E.T @ S[:3]


def link_connectivity(m: Mechanism) -> Array:
    """D of D ω = R Ĵ_ω qd, the constant matrix that takes each link's parent from it (Liu & Jain eq 63-64).

    Returns:
        (3 nb, 3 nb) blocks of ±1₃, lower triangular.

    >>> import whippletree as wt
    >>> D = wt.formulations.lagrange.link_connectivity(wt.examples.load("tutorial-tree"))
    >>> D[::3, ::3]  # one entry of each block: eq 64
    array([[ 1.,  0.,  0.,  0.],
           [-1.,  1.,  0.,  0.],
           [ 0., -1.,  1.,  0.],
           [ 0., -1.,  0.,  1.]])
    """
    D = np.eye(len(m))
    for k, p in enumerate(m.parents):
        if p != -1:
            D[k, p] = -1.0
    return np.kron(D, np.eye(3))


def parent_rotations(m: Mechanism, q: Array) -> Array:
    """R = blockdiag(1₃, …, R_p(k)⁰, …): the axes of every link's parent in the world (Liu & Jain eq 63).

    With it Ĵ_ω = Rᵀ D J_ω is block diagonal (eq 65).

    Returns:
        (3 nb, 3 nb).

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.lagrange.parent_rotations(m, [0.5, 0.3])[3:, 3:].round(3)
    array([[ 0.878,  0.   ,  0.479],
           [ 0.   ,  1.   ,  0.   ],
           [-0.479,  0.   ,  0.878]])
    """
    links, n = link_frames(m, q), len(m)
    zero = np.zeros((3, 3))
    rows = [[links[p].R if l == k else zero for l in range(n)] for k, p in enumerate(m.parents)]
    return np.block(rows) if rows else np.zeros((0, 0))
