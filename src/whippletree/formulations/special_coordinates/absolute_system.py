"""The whole system in absolute coordinates (eq 7)."""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array
from .nodes import Node, NodeConstraint, NodeMotion
from .tree_nodes import tree_constraints, tree_motion, tree_nodes


def absolute_system(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    c: Array | None = None,
    cdot: Array | None = None,
) -> tuple[Array, Array]:
    """The equations of motion of all bodies and joints in absolute coordinates, as one linear system.

    Deepak & Ghosal, eq 7, in the coordinates of `tree_nodes`. The unknowns are ÿ of all bodies and below
    them λ of all joints; the constraint force on body k is -G_kᵀ λ_k.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        c: (nb, 6) velocity that joints prescribe beside S q̇, in world coordinates, (rad/s, m/s), or None.
        cdot: (nb, 6) the rate of c, (rad/s², m/s²), or None.

    Returns:
        The symmetric matrix (N, N) and the right-hand side (N,).

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> A, b = wt.formulations.special_coordinates.absolute_system(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0])
    >>> A.shape  # 2 · 6 accelerations, 2 · 5 constraints
    (22, 22)
    """
    return node_system(tree_nodes(m, q), tree_constraints(m, q), tree_motion(m, q, qd, tau, f_ext, c, cdot))


def node_system(
    nodes: list[Node], constraints: list[NodeConstraint], motion: list[NodeMotion]
) -> tuple[Array, Array]:
    """(7) of any tree of nodes: [[M, Ψᵀ], [Ψ, 0]] and [f; γ], with γ_k = G_k d_k (3)."""
    M = block_diagonal([node.M for node in nodes])
    rows = [_row(nodes, constraint, k) for k, constraint in enumerate(constraints)]
    Psi = np.concatenate([np.zeros((0, len(M))), *rows])
    gamma = [constraint.G @ moved.d for constraint, moved in zip(constraints, motion, strict=True)]
    zero = np.zeros((len(Psi), len(Psi)))
    return np.block([[M, Psi.T], [Psi, zero]]), np.concatenate(
        [np.zeros(0), *(moved.f for moved in motion), *gamma]
    )


def absolute_accelerations(
    nodes: list[Node], constraints: list[NodeConstraint], motion: list[NodeMotion]
) -> tuple[list[Array], list[Array]]:
    """ÿ and λ of every node by Gaussian elimination of (7), O(n³); for numbers, as it chooses pivots."""
    A, b = node_system(nodes, constraints, motion)
    sizes = [len(node.M) for node in nodes] + [len(constraint.G) for constraint in constraints]
    parts = np.split(np.linalg.solve(A, b), np.cumsum(sizes)[:-1])
    return parts[: len(nodes)], parts[len(nodes) :]


def _row(nodes: list[Node], constraint: NodeConstraint, k: int) -> Array:
    """Q_k under the parent, G_k under the body, 0 elsewhere: the rows of joint k in Ψ ẏ = ν."""
    under = {k: constraint.G, nodes[k].parent: constraint.Q}
    rows = len(constraint.G)
    return np.concatenate(
        [under.get(i, np.zeros((rows, len(nodes[i].M)))) for i in range(len(nodes))], axis=1
    )


def block_diagonal(blocks: list[Array]) -> Array:
    """A matrix with these square blocks on its diagonal, of any scalar."""
    sizes = [len(block) for block in blocks]
    rows = [
        np.concatenate(
            [block if i == k else np.zeros((len(block), size)) for i, size in enumerate(sizes)], axis=1
        )
        for k, block in enumerate(blocks)
    ]
    return np.concatenate([np.zeros((0, sum(sizes))), *rows])
