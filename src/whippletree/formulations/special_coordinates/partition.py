"""Coordinates of a body with a constrained and a free part, by two methods (section 5)."""

from typing import NamedTuple

from ...model.mechanism import Mechanism
from ...spatial import Array, factor_spd
from ...spatial.solve import solve_regular
from .driving import joint_basis
from .joint_recursion import joint_inertias
from .nodes import NodeConstraint
from .tree_nodes import tree_constraints, tree_nodes


class Partition(NamedTuple):
    """Special coordinates of a body, ẏ = Ẽ ẏ_c + D̃ ẏ_f (31).

    The parent determines ẏ_c and leaves ẏ_f free: G D̃ = 0 (condition 1). The inertia couples neither to the
    other: D̃ᵀ M̂ Ẽ = 0 (condition 2).

    Attributes:
        E: (p, p_c) Ẽ.
        D: (p, p_f) D̃.
    """

    E: Array
    D: Array


class PartitionTerms(NamedTuple):
    """What the constraint and the equation of motion become in special coordinates (section 5.3).

    Attributes:
        S: (p_c, p_j) S = -(G Ẽ)⁻¹ Q: ẏ_c = S ẏ_j + a (22).
        a: (p_c,) a = (G Ẽ)⁻¹ ν.
        M_c: (p_c, p_c) M̃_c = Ẽᵀ M̂ Ẽ (23).
        M_f: (p_f, p_f) M̃_f = D̃ᵀ M̂ D̃.
    """

    S: Array
    a: Array
    M_c: Array
    M_f: Array


def method_1(M: Array, G: Array, D: Array, C_c: Array, C_f: Array) -> Partition:
    """Ẽ = M̂⁻¹ Gᵀ C_c (38) and D̃ = D C_f (37), for any regular C_c (p_c, p_c) and C_f (p_f, p_f).

    Args:
        M: (p, p) M̂ of the body, invertible.
        G: (p_c, p) constraints of its joint.
        D: (p, p_f) whose columns span what G allows.

    >>> from whippletree.formulations import special_coordinates
    >>> import numpy as np
    >>> M, G, D = np.diag([2.0, 4.0]), np.array([[1.0, 1.0]]), np.array([[1.0], [-1.0]])
    >>> special_coordinates.method_1(M, G, D, np.eye(1), np.eye(1)).E.T
    array([[0.5 , 0.25]])
    """
    return Partition(factor_spd(M).solve(G.T @ C_c), D @ C_f)


def method_2(M: Array, E: Array, D: Array) -> Partition:
    """Ẽ = E + D Ã with Ã = -(Dᵀ M̂ D)⁻¹ Dᵀ M̂ E, and D̃ = D (42-44).

    Any other Ã keeps the parts free and constrained (41); only this one keeps M̂ from coupling them.

    Args:
        M: (p, p) M̂ of the body.
        E, D: (p, p_c) and (p, p_f), together regular, with G D = 0; see `joint_basis`.

    >>> from whippletree.formulations import special_coordinates
    >>> import numpy as np
    >>> M, E, D = np.diag([2.0, 4.0]), np.array([[0.0], [1.0]]), np.array([[1.0], [-1.0]])
    >>> (special_coordinates.method_2(M, E, D).E * 3).round(12).T
    array([[2., 1.]])
    """
    MD = M @ D
    return Partition(E - D @ factor_spd(D.T @ MD).solve(MD.T @ E), D)


def partition_terms(part: Partition, M: Array, constraint: NodeConstraint, nu: Array) -> PartitionTerms:
    """S, a, M̃_c and M̃_f of a body (section 5.3), M being M̂ and nu (p_c,) what its joint prescribes."""
    GE = constraint.G @ part.E
    return PartitionTerms(
        S=-solve_regular(GE, constraint.Q),
        a=solve_regular(GE, nu),
        M_c=part.E.T @ (M @ part.E),
        M_f=part.D.T @ (M @ part.D),
    )


def split_velocity(part: Partition, M: Array, G: Array, ydot: Array) -> tuple[Array, Array]:
    """ẏ_c and ẏ_f of a body with the velocity ẏ = Ẽ ẏ_c + D̃ ẏ_f (31), M being M̂.

    By the two conditions ẏ_c = (G Ẽ)⁻¹ G ẏ, and ẏ_f = (D̃ᵀ M̂ D̃)⁻¹ D̃ᵀ M̂ ẏ. With D̃ = S and a parent that moves
    by ẏ_j the latter is q̇ + D⁻¹ Uᵀ ẏ_j in terms of the articulated-body algorithm.

    >>> from whippletree.formulations import special_coordinates
    >>> import numpy as np
    >>> M, G, D = np.diag([2.0, 4.0]), np.array([[1.0, 1.0]]), np.array([[1.0], [-1.0]])
    >>> part = special_coordinates.method_1(M, G, D, 4.0 * np.eye(1), np.eye(1))  # Ẽ = (2, 1)
    >>> special_coordinates.split_velocity(part, M, G, np.array([3.0, 0.0]))
    (array([1.]), array([1.]))
    """
    MD = M @ part.D
    return solve_regular(G @ part.E, G @ ydot), factor_spd(part.D.T @ MD).solve(MD.T @ ydot)


def special_partitions(m: Mechanism, q: Array) -> list[Partition]:
    """Special coordinates of every body by method 2, with D̃ = S.

    Deepak & Ghosal, eq 42-44 with E, D of (60), in the coordinates of `tree_nodes`. There G Ẽ = 1, so that
    ẏ_c is the motion of the parent along the constrained directions.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.

    >>> from whippletree.formulations import special_coordinates
    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> part = special_coordinates.special_partitions(m, [0.3, 0.5])[1]
    >>> part.E.shape, part.D.shape
    ((6, 5), (6, 1))
    """
    nodes, constraints = tree_nodes(m, q), tree_constraints(m, q)
    M = joint_inertias(nodes)
    return [
        method_2(M[k], joint_basis(constraints[k].G, constraints[k].G_d)[0], nodes[k].H)
        for k in range(len(nodes))
    ]
