"""Rates of M̂ and of the special coordinates, by a recursion of their own.

The paper needs dẼ/dt, dD̃/dt and dS/dt, which change with M̂. One by one they depend on how the constraints
are written down; in what is needed of them, the rate of the product Ẽ S = (1 - H K) B, that cancels. So they
follow from Ṁ, Ḃ and Ḣ alone, in closed form, and no derivative is ever taken.
"""

from ...spatial import Array, factor_spd
from .nodes import Node, NodeMotion


def inertia_rates(nodes: list[Node], motion: list[NodeMotion], M: list[Array]) -> list[Array]:
    """(p, p) dM̂/dt of every node, M being M̂.

    With P = Ẽ S = (1 - H K) B and K = M̃_f⁻¹ Hᵀ M̂, (11) is M̂_j = M_j + Σ Pᵀ M̂_k P. As Pᵀ M̂ H = 0, of the
    rate of P only Ḃ - Ḣ K B is seen.
    """
    Mdot = [moved.Mdot for moved in motion]
    for k in reversed(range(len(nodes))):
        _, j, _, B, H = nodes[k]
        if j != -1:
            MH = M[k] @ H
            KB = factor_spd(H.T @ MH).solve(MH.T @ B)
            turned = _seen(M[k] @ motion[k].Bdot, B, H, KB) - _seen(M[k] @ motion[k].Hdot, B, H, KB) @ KB
            carried = _seen(Mdot[k] @ B - (Mdot[k] @ H) @ KB, B, H, KB)
            Mdot[j] = Mdot[j] + carried + turned + turned.T
    return Mdot


def _seen(X: Array, B: Array, H: Array, KB: Array) -> Array:
    """Pᵀ X with P = B - H K B, in few operations: H is narrow."""
    return B.T @ X - KB.T @ (H.T @ X)


def free_velocity_rate(node: Node, motion: NodeMotion, M: Array, Mdot: Array) -> Array:
    """(p_kf,) K̇ u + K u̇, the rate at which ẏ_f = q̇ + K u grows while neither ẏ_j nor q̇ does.

    u = B ẏ_j + c is the velocity of the body with its joint at rest, u̇ = Ḃ ẏ_j + ċ. From M̃_f K = Hᵀ M̂,
    M̃_f K̇ = Ḣᵀ M̂ + Hᵀ dM̂/dt - (dM̃_f/dt) K.
    """
    H, Hdot = node.H, motion.Hdot
    MH = M @ H
    M_f = factor_spd(H.T @ MH)
    u, udot = node.B @ motion.ydot_j + motion.c, motion.Bdot @ motion.ydot_j + motion.cdot
    Ku = M_f.solve(MH.T @ u)
    seen = u - H @ Ku
    changed = Hdot.T @ (M @ seen) + H.T @ (Mdot @ seen) - MH.T @ (Hdot @ Ku)
    return M_f.solve(changed + MH.T @ udot)
