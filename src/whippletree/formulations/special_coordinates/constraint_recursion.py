"""The equations of every node by the constraints of joints (eq 9-10)."""

from ...model.mechanism import Mechanism
from ...spatial import Array, factor_spd
from .nodes import Node, NodeConstraint, NodeMotion
from .tree_nodes import tree_constraints, tree_motion, tree_nodes


def rfda_by_constraints(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    c: Array | None = None,
    cdot: Array | None = None,
) -> tuple[list[Array], list[Array]]:
    """M̂ and f̂ of every body, M̂ ÿ + Gᵀ λ = f̂ (8), from the leaves to the roots.

    Deepak & Ghosal, eq 9-10, in the coordinates of `tree_nodes`: the same as `rfda_by_joints`, with M̂⁻¹.

    Args:
        m: A tree whose bodies have invertible inertias; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        c: (nb, 6) velocity that joints prescribe beside S q̇, in world coordinates, (rad/s, m/s), or None.
        cdot: (nb, 6) the rate of c, (rad/s², m/s²), or None.

    Returns:
        M̂ and f̂, a list with (p, p) arrays and one with (p,) arrays.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("wheel")
    >>> m.add_body("wheel", wt.Revolute("z"), inertia=wt.Inertia(2.0, about_com=(0.3, 0.3, 0.5)))
    >>> M, f = wt.formulations.special_coordinates.rfda_by_constraints(m, [0.3], [2.0], [0.25])
    >>> f[0]
    array([  0.  ,   0.  ,   0.25,   0.  ,   0.  , -19.62])
    """
    nodes, constraints = tree_nodes(m, q), tree_constraints(m, q)
    return by_constraints(nodes, constraints, tree_motion(m, q, qd, tau, f_ext, c, cdot))


def by_constraints(
    nodes: list[Node], constraints: list[NodeConstraint], motion: list[NodeMotion]
) -> tuple[list[Array], list[Array]]:
    """(9) M̂_j = M_j + Σ Q_kᵀ (G_k M̂_k⁻¹ G_kᵀ)⁻¹ Q_k and (10), with γ_k = G_k d_k (3)."""
    M, f = [node.M for node in nodes], [moved.f for moved in motion]
    for k in reversed(range(len(nodes))):
        j, (G, Q, _) = nodes[k].parent, constraints[k]
        if j != -1:
            M_k = factor_spd(M[k])
            Y = factor_spd(G @ M_k.solve(G.T))
            M[j] = M[j] + Q.T @ Y.solve(Q)
            f[j] = f[j] + Q.T @ Y.solve(G @ (motion[k].d - M_k.solve(f[k])))
    return M, f
