"""The coordinates [y, ξ] of a body and all that it carries, and their equations of motion (section 6)."""

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.mechanism import GROUND, Mechanism
from ...model.topology import subtree
from ...spatial import Array
from .absolute_system import block_diagonal
from .joint_recursion import joint_inertias, joint_node_forces
from .left_out import left_out
from .nodes import Node, NodeConstraint, NodeMotion
from .partition import Partition, PartitionTerms, partition_terms, special_partitions
from .tree_nodes import tree_constraints, tree_motion, tree_nodes


class SubtreeMap(NamedTuple):
    """Absolute velocities of a body j and its descendants from [ẏ_j; ξ̇_j]: ẏ = T [ẏ_j; ξ̇_j] + e (55).

    Attributes:
        bodies: j and below it all that it carries, parents first.
        T: (Σ p, p_j + Σ p_f) [[1, 0], [P_j, R_j]].
        e: (Σ p,) [0; ϖ_j].
        columns: For every body its columns: those of ẏ_j for j, those of its ẏ_f for the others.
    """

    bodies: list[int]
    T: Array
    e: Array
    columns: list[slice]


def subtree_map(nodes: list[Node], parts: list[Partition], terms: list[PartitionTerms], j: int) -> SubtreeMap:
    """The map of node j, from j outwards.

    The rows of a child k are Ẽ_k S_k times those of its parent, D̃_k in its own columns, and Ẽ_k a_k.
    """
    bodies = subtree([node.parent for node in nodes], j)
    sizes = [len(nodes[j].M), *(parts[k].D.shape[1] for k in bodies[1:])]
    columns = [slice(sum(sizes[:i]), sum(sizes[: i + 1])) for i in range(len(sizes))]
    unit = np.eye(sum(sizes))
    T, e = {j: unit[columns[0]]}, {j: np.zeros(len(nodes[j].M))}
    for k, own in zip(bodies[1:], columns[1:], strict=True):
        above = nodes[k].parent
        T[k] = parts[k].E @ (terms[k].S @ T[above]) + parts[k].D @ unit[own]
        e[k] = parts[k].E @ (terms[k].S @ e[above] + terms[k].a)
    return SubtreeMap(
        bodies, np.concatenate([T[k] for k in bodies]), np.concatenate([e[k] for k in bodies]), columns
    )


def node_terms(
    constraints: list[NodeConstraint], parts: list[Partition], M: list[Array], nu: list[Array]
) -> list[PartitionTerms]:
    """S, a, M̃_c and M̃_f of every node, M being M̂."""
    return [
        partition_terms(part, inertia, constraint, prescribed)
        for constraint, part, inertia, prescribed in zip(constraints, parts, M, nu, strict=True)
    ]


def subtree_coordinates(m: Mechanism, q: Array, body: str) -> SubtreeMap:
    """The special coordinates of a body: what they move of it and of all that it carries.

    Deepak & Ghosal, eq 55 with method 2, in the coordinates of `tree_nodes`: [ẏ_j; ξ̇_j], where ẏ_j is the
    absolute velocity of the body, as if its own joint were not there, and ξ̇_j are the free velocities ẏ_f of
    all bodies below. Joints prescribe nothing, so e = 0.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        body: Name of the body j.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.formulations.special_coordinates.subtree_coordinates(m, [0.3, 0.5], "upper").T.shape
    (12, 7)
    """
    nodes, constraints = tree_nodes(m, q), tree_constraints(m, q)
    parts = special_partitions(m, q)
    still = [np.zeros(len(constraint.G)) for constraint in constraints]
    terms = node_terms(constraints, parts, joint_inertias(nodes), still)
    return subtree_map(nodes, parts, terms, _number(m, body))


def special_equations(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    body: str,
    f_ext: Array | None = None,
    c: Array | None = None,
    cdot: Array | None = None,
) -> tuple[Array, Array]:
    """The equations of motion of a body and all that it carries, in its special coordinates.

    Deepak & Ghosal, eq 57 with method 2: blockdiag(M̂_j, Λ_j) [ÿ_j; ξ̈_j] + [G_jᵀ λ_j; 0] = [f̂_j; η_j]. The
    upper block is the recursive algorithm's equation of the body; the lower ones, M̃_f ÿ_f = η for each body
    below, it leaves out.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        tau: (nv,) joint forces, N m or N.
        body: Name of the body j.
        f_ext: (nb, 6) external force on each body in body coordinates, (N m, N), or None.
        c: (nb, 6) velocity that joints prescribe beside S q̇, in world coordinates, (rad/s, m/s), or None.
        cdot: (nb, 6) the rate of c, (rad/s², m/s²), or None.

    Returns:
        The mass matrix and the right-hand side, in the columns of `subtree_coordinates`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> equations = wt.formulations.special_coordinates.special_equations
    >>> mass, force = equations(m, [0.3, 0.5], [0.0, 0.0], [0.0, 0.0], "upper")
    >>> mass[6].round(3)  # M̃_f of the lower body stands alone
    array([0.   , 0.   , 0.   , 0.   , 0.   , 0.   , 0.333])
    """
    nodes, motion = tree_nodes(m, q), tree_motion(m, q, qd, tau, f_ext, c, cdot)
    M = joint_inertias(nodes)
    return subtree_equations(nodes, motion, M, joint_node_forces(nodes, motion, M), _number(m, body))


def subtree_equations(
    nodes: list[Node], motion: list[NodeMotion], M: list[Array], f: list[Array], j: int
) -> tuple[Array, Array]:
    """Mass matrix and right-hand side of (57) for node j, with D̃ = H; M and f are M̂ and f̂."""
    below = subtree([node.parent for node in nodes], j)
    parts = left_out(nodes, motion, M, f)
    free = [nodes[k].H.T @ (M[k] @ nodes[k].H) for k in below[1:]]
    return block_diagonal([M[j], *free]), np.concatenate([f[j], *(parts[k].eta for k in below[1:])])


def _number(m: Mechanism, body: str) -> int:
    """The number of a body by name."""
    if isinstance(body, str) and body == GROUND:
        raise InputError(f"body is {body!r}, which does not move: give a body of {m.name!r}")
    return m.body_number(body)
