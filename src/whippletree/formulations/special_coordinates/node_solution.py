"""The outward half of the recursive algorithm: each node's equation solved, given its parent's (eq 8)."""

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, factor_spd
from .driving import joint_basis
from .joint_recursion import joint_inertias, joint_node_forces
from .nodes import Node, NodeConstraint, NodeMotion
from .tree_nodes import tree_constraints, tree_motion, tree_nodes


def rfda_accelerations(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    c: Array | None = None,
    cdot: Array | None = None,
) -> tuple[list[Array], list[Array]]:
    """ÿ and λ of every body by the recursive algorithm, O(n) in the bodies.

    Deepak & Ghosal, eq 8, 11 and 12, in the coordinates of `tree_nodes`. The constraint force on body k is
    -G_kᵀ λ_k.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        c: (nb, 6) velocity that joints prescribe beside S q̇, in world coordinates, (rad/s, m/s), or None.
        cdot: (nb, 6) the rate of c, (rad/s², m/s²), or None.

    Returns:
        ÿ, a list with (p,) arrays, and λ, one with (p_c,) arrays.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> ydd, lam = wt.formulations.special_coordinates.rfda_accelerations(m, [0.0], [0.0], [0.0])
    >>> ydd[0]  # it hangs at rest
    array([0., 0., 0., 0., 0., 0.])
    """
    nodes, motion = tree_nodes(m, q), tree_motion(m, q, qd, tau, f_ext, c, cdot)
    M = joint_inertias(nodes)
    return solve_nodes(nodes, tree_constraints(m, q), motion, M, joint_node_forces(nodes, motion, M))


def solve_nodes(
    nodes: list[Node],
    constraints: list[NodeConstraint],
    motion: list[NodeMotion],
    M: list[Array],
    f: list[Array],
) -> tuple[list[Array], list[Array]]:
    """ÿ and λ of every node from M̂ ÿ + Gᵀ λ = f̂, G ÿ = γ - Q ÿ_j (8), the roots first.

    The second equation leaves ÿ = B ÿ_j + H q̈ + d, of which Hᵀ times the first finds q̈; with G E = 1 the
    rest of the first is λ = Eᵀ (f̂ - M̂ ÿ).
    """
    ydd, lam = [], []
    for k, (_, j, _, B, H) in enumerate(nodes):
        carried = B @ (ydd[j] if j != -1 else np.zeros(B.shape[1])) + motion[k].d
        ydd.append(carried + H @ factor_spd(H.T @ M[k] @ H).solve(H.T @ (f[k] - M[k] @ carried)))
        E, _ = joint_basis(constraints[k].G, constraints[k].G_d)
        lam.append(E.T @ (f[k] - M[k] @ ydd[k]))
    return ydd, lam
