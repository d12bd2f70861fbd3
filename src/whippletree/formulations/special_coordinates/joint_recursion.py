"""The equations of every node by the motions of joints (eq 11-12)."""

from ...model.mechanism import Mechanism
from ...spatial import Array, factor_spd
from .nodes import Node, NodeMotion
from .tree_nodes import tree_motion, tree_nodes


def rfda_by_joints(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    c: Array | None = None,
    cdot: Array | None = None,
) -> tuple[list[Array], list[Array]]:
    """M̂ and f̂ of every body, M̂ ÿ + Gᵀ λ = f̂ (8), from the leaves to the roots.

    Deepak & Ghosal, eq 11-12, in the coordinates of `tree_nodes`. M̂ is the articulated-body inertia I^A in
    world coordinates, f̂ = -p^A + T_a τ. Bodies may be without mass as long as every joint moves some.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        c: (nb, 6) velocity that joints prescribe beside S q̇, in world coordinates, (rad/s, m/s), or None.
        cdot: (nb, 6) the rate of c, (rad/s², m/s²), or None.

    Returns:
        M̂ and f̂, a list with (p, p) arrays and one with (p,) arrays.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> M, f = wt.formulations.special_coordinates.rfda_by_joints(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0])
    >>> (m.gravity[2] * M[0][5, 5] - f[0][5]).round(9)
    np.float64(0.0)
    """
    nodes = tree_nodes(m, q)
    M = joint_inertias(nodes)
    return M, joint_node_forces(nodes, tree_motion(m, q, qd, tau, f_ext, c, cdot), M)


def joint_inertias(nodes: list[Node]) -> list[Array]:
    """M̂ of every node (11): M̂_j = M_j + Σ B_kᵀ (1 - M̂_k H_k (H_kᵀ M̂_k H_k)⁻¹ H_kᵀ) M̂_k B_k."""
    M = [node.M for node in nodes]
    for k in reversed(range(len(nodes))):
        _, j, _, B, H = nodes[k]
        if j != -1:
            MH = M[k] @ H
            M[j] = M[j] + B.T @ ((M[k] - MH @ factor_spd(H.T @ MH).solve(MH.T)) @ B)
    return M


def joint_node_forces(nodes: list[Node], motion: list[NodeMotion], M: list[Array]) -> list[Array]:
    """f̂ of nodes (12), M being M̂: f̂_j = f_j + Σ B_kᵀ (1 - M̂_k H_k (H_kᵀ M̂_k H_k)⁻¹ H_kᵀ) (f̂_k - M̂_k d_k).

    The paper prints f_k in the bracket; f̂_k is meant, and differs wherever a child has children.
    """
    f = [moved.f for moved in motion]
    for k in reversed(range(len(nodes))):
        _, j, _, B, H = nodes[k]
        if j != -1:
            MH, left = M[k] @ H, f[k] - M[k] @ motion[k].d
            f[j] = f[j] + B.T @ (left - MH @ factor_spd(H.T @ MH).solve(H.T @ left))
    return f
