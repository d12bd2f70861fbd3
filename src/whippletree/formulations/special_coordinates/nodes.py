"""What a node of the tree is: a body, the joint to its parent, and their motion (eq 1-6)."""

from typing import NamedTuple

from ...spatial import Array


class Node(NamedTuple):
    """A body described by absolute velocities ẏ, and what its joint leaves to it.

    The p velocities ẏ_k may be any that fix the motion of the body: three in a plane, six in space, more if
    a rotor turns with the joint. Joint k hangs it on its parent j by ẏ_k = B_k ẏ_j + H_k q̇_k + c_k (4).

    Attributes:
        name: Of the body.
        parent: Its place in the list of nodes, before this one; -1 for the ground.
        M: (p_k, p_k) inertia, M_k ÿ_k = f_k without the joint (6).
        B: (p_k, p_j) how the body moves with its parent while the joint is at rest.
        H: (p_k, p_kf) how it moves with the velocities of its joint.
    """

    name: str
    parent: int
    M: Array
    B: Array
    H: Array


class NodeConstraint(NamedTuple):
    """What a joint forbids, Q_k ẏ_j + G_k ẏ_k = ν_k (1), with Q + G B = 0 and G H = 0.

    Attributes:
        G: (p_kc, p_k) of full row rank, p_kc = p_k - p_kf; for a body without a joint it has no rows.
        Q: (p_kc, p_j) likewise, for the parent.
        G_d: (p_kf, p_k) that measures the velocities of the joint, q̇_k = G_d (ẏ_k - B ẏ_j - c_k) (58).
    """

    G: Array
    Q: Array
    G_d: Array


class NodeMotion(NamedTuple):
    """Velocities and forces of a node, and the rates at which M, B, H and c change.

    Attributes:
        f: (p_k,) all that acts on the body but the constraint force of its joint (6).
        ydot_j: (p_j,) velocity of the parent.
        qdot: (p_kf,) velocities of the joint.
        c: (p_k,) velocity that the joint itself prescribes, 0 for a joint at rest in its parent.
        cdot: (p_k,) the rate of c.
        Mdot, Bdot, Hdot: Rates of M, B and H.
    """

    f: Array
    ydot_j: Array
    qdot: Array
    c: Array
    cdot: Array
    Mdot: Array
    Bdot: Array
    Hdot: Array

    @property
    def d(self) -> Array:
        """(p_k,) d_k = Ḃ_k ẏ_j + Ḣ_k q̇_k + ċ_k, all of ÿ_k that no acceleration makes (5)."""
        return self.Bdot @ self.ydot_j + self.Hdot @ self.qdot + self.cdot


def velocity(node: Node, motion: NodeMotion) -> Array:
    """(p_k,) ẏ_k of a node (4)."""
    return node.B @ motion.ydot_j + node.H @ motion.qdot + motion.c
