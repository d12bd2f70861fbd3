"""Forward dynamics in special coordinates: the equations that the recursive algorithm leaves out."""

from typing import NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array, factor_spd
from ...spatial.solve import Factored
from .joint_recursion import joint_inertias, joint_node_forces
from .nodes import Node, NodeMotion
from .rates import free_velocity_rate, inertia_rates
from .tree_nodes import tree_motion, tree_nodes


class LeftOut(NamedTuple):
    """The free coordinates' own equation of motion, M̃_f ÿ_f = η, and the rest of ÿ_k.

    Attributes:
        M_f: M̃_f = D̃ᵀ M̂ D̃ (p_kf, p_kf), factored.
        eta: (p_kf,) η = D̃ᵀ (f̂ - M̂ w).
        w: (p_k,) what of ÿ_k no acceleration makes: ÿ_k = Ẽ S ÿ_j + D̃ ÿ_f + w.
    """

    M_f: Factored
    eta: Array
    w: Array


def special_coordinates_dynamics(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None
) -> Array:
    """Joint accelerations by the recursive algorithm's special coordinates, O(n); no springs or loads.

    Deepak & Ghosal, section 6 with method 2: in the coordinates ẏ_f each joint has an equation of its own,
    M̃_f ÿ_f = D̃ᵀ (f̂ - M̂ w), with no other acceleration in it; these are the lower blocks of (57) for the
    ground. What they give is carried outwards by ÿ_k = Ẽ S ÿ_j + D̃ ÿ_f + w, and seen by the joints.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s², of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> by = wt.formulations.special_coordinates.special_coordinates_dynamics
    >>> by(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0]).round(3)
    array([  0.375, -11.424])
    """
    return _accelerations(tree_nodes(m, q), tree_motion(m, q, qd, tau, f_ext))


def driven_dynamics(
    m: Mechanism, q: Array, qd: Array, tau: Array, c: Array, cdot: Array, f_ext: Array | None = None
) -> Array:
    """Joint accelerations as by `special_coordinates_dynamics`, of joints that also move by themselves.

    Deepak & Ghosal, eq 4 and 22: ẏ_k = B ẏ_j + H q̇_k + c_k, with ν_k = G_k c_k and a_k = (G_k Ẽ_k)⁻¹ ν_k. So
    a base is shaken, or a bearing shifted, by a motion that is given; `driven_joint` has c from ν.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        c: (nb, 6) velocity that joints prescribe beside S q̇, in world coordinates, (rad/s, m/s).
        cdot: (nb, 6) the rate of c, (rad/s², m/s²).
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s², of the inputs' scalar type.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")  # its pivot falls as fast as it would
    >>> c, cdot = np.zeros((1, 6)), [[0.0, 0.0, 0.0, 0.0, 0.0, -9.81]]
    >>> by = wt.formulations.special_coordinates.driven_dynamics
    >>> bool(abs(by(m, [0.7], [2.0], [0.0], c, cdot)[0]) < 1e-12)
    True
    """
    return _accelerations(tree_nodes(m, q), tree_motion(m, q, qd, tau, f_ext, c, cdot))


def _accelerations(nodes: list[Node], motion: list[NodeMotion]) -> Array:
    """(nv,) q̈ of all joints."""
    M = joint_inertias(nodes)
    parts = left_out(nodes, motion, M, joint_node_forces(nodes, motion, M))
    return np.concatenate([np.zeros(0), *outward(nodes, motion, M, parts)[0]])


def left_out(nodes: list[Node], motion: list[NodeMotion], M: list[Array], f: list[Array]) -> list[LeftOut]:
    """The equation of every node's free coordinates, with D̃ = H; M and f are M̂ and f̂.

    With ẏ_f = q̇ + K u the rest is w = d - D̃ (K̇ u + K u̇). It is all of ÿ_k: the paper's
    (dẼ/dt) ẏ_c + (dD̃/dt) ẏ_f and Ẽ times the rest of ÿ_c, which D̃ᵀ M̂ does not see.
    """
    Mdot, parts = inertia_rates(nodes, motion, M), []
    for k, (_, _, _, _, H) in enumerate(nodes):
        w = motion[k].d - H @ free_velocity_rate(nodes[k], motion[k], M[k], Mdot[k])
        parts.append(LeftOut(factor_spd(H.T @ M[k] @ H), H.T @ (f[k] - M[k] @ w), w))
    return parts


def outward(
    nodes: list[Node], motion: list[NodeMotion], M: list[Array], parts: list[LeftOut]
) -> tuple[list[Array], list[Array]]:
    """q̈ (p_kf,) and ÿ (p_k,) of every node, from the roots to the leaves; the ground is at rest."""
    qdd, ydd = [], []
    for k, (_, j, _, B, H) in enumerate(nodes):
        M_f, eta, w = parts[k]
        carried = B @ (ydd[j] if j != -1 else np.zeros(B.shape[1]))
        # Ẽ S = (1 - D̃ M̃_f⁻¹ D̃ᵀ M̂) B (68); what D̃ adds is ÿ_f.
        ydd.append(carried - H @ M_f.solve(H.T @ (M[k] @ carried)) + H @ M_f.solve(eta) + w)
        qdd.append(factor_spd(H.T @ H).solve(H.T @ (ydd[k] - carried - motion[k].d)))
    return qdd, ydd
