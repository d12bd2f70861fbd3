"""Semi-recursive II: the world's origin as reference point of every body, and the path matrix."""

import numpy as np

from ...loops.equations.constraints import spread
from ...model.mechanism import Mechanism
from ...spatial import Array, cross
from .reference_frames import reference_frames
from .velocity_transformation import transfer


def reference_transformation(m: Mechanism, q: Array, points: Array | None = None) -> Array:
    """D of q̇ = D Ż: from the velocities of the bodies' points at the world's origin to those of their own.

    Yu et al., eq 28, in space: D_i = [[1, -R_i×], [0, 1]], one block a body.

    Args:
        m, q, points: As in `velocity_transformation`.

    Returns:
        (6 nb, 6 nb) block diagonal.

    >>> import numpy as np, whippletree as wt
    >>> sr, m, q = wt.formulations.semi_recursive, wt.examples.load("quick-return-rocker"), np.arange(5) / 5
    >>> D, T, R_d = sr.reference_transformation(m, q), sr.path_matrix(m), sr.joint_projection(m, q)
    >>> bool(np.allclose(D @ T @ R_d, sr.velocity_transformation(m, q), rtol=0, atol=1e-15))
    True
    """
    return block_diagonal([transfer(frame.R) for frame in reference_frames(m, q, points)])


def path_matrix(m: Mechanism) -> Array:
    """T: which joints carry which bodies.

    Yu et al., eq 35 and 39: block (i, j) is 1 where joint j carries body i, else 0.

    Args:
        m: A mechanism; loops and gears are left open.

    Returns:
        (6 nb, 6 nb) lower triangular, bodies being numbered parents first.

    >>> import whippletree as wt
    >>> m = wt.examples.load("quick-return-rocker")
    >>> wt.formulations.semi_recursive.path_matrix(m)[::6, ::6].astype(int)
    array([[1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0],
           [1, 1, 1, 0, 0],
           [1, 0, 0, 1, 0],
           [1, 0, 0, 1, 1]])
    """
    carries = np.zeros((len(m), len(m)))
    for i in range(len(m)):
        carries[i, m.support(i)] = 1.0
    return np.kron(carries, np.eye(6))


def joint_projection(m: Mechanism, q: Array) -> Array:
    """R_d, block diagonal of the b_j of Ż_i = Ż_{i-1} + b_j ż_j.

    Yu et al., eq 31, 34, 36, in space: b_j = [h_j + r_j × a_j; a_j], which is [r × a; a] for a revolute joint
    and [h; 0] for a prismatic one: the motion subspace S_j of the joint in world coordinates.

    Args:
        m, q: As in `velocity_transformation`.

    Returns:
        (6 nb, nv), one block a joint.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.semi_recursive.joint_projection(m, [0.0, 0.0])[6:, 1]
    array([1., 0., 0., 0., 1., 0.])
    """
    return block_diagonal([intermediate_columns(r, a, h) for _, _, r, a, h in reference_frames(m, q)])


def intermediate_transformation(m: Mechanism, q: Array) -> Array:
    """W = T R_d of Ż = W ż: the velocities of the bodies' points that are now at the world's origin.

    Yu et al., eq 35 and 39. No element of it depends on reference points.

    Args:
        m, q: As in `velocity_transformation`.

    Returns:
        (6 nb, nv).

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.semi_recursive.intermediate_transformation(m, [0.0, 0.0])[6:, 1]
    array([1., 0., 0., 0., 1., 0.])
    """
    return path_matrix(m) @ joint_projection(m, q)


def block_diagonal(blocks: list[Array]) -> Array:
    """Blocks of six rows below each other, their columns beside each other."""
    width, start = sum(block.shape[1] for block in blocks), 0
    rows = [np.zeros((0, width))]
    for block in blocks:
        rows.append(np.array(spread(list(range(start, start + block.shape[1])), block, width)))
        start += block.shape[1]
    return np.concatenate(rows)


def intermediate_columns(r: Array, a: Array, h: Array) -> Array:
    """(6, nv of the joint) b_j."""
    return np.concatenate([h + cross(r, a), a])
