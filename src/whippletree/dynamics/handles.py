"""Articulated bodies with several handles, and their assembly (RBDA §7.5)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..spatial import Array, factor_spd
from ..spatial.solve import Factored


class Link(NamedTuple):
    """A joint between handle p of one articulated body and handle s of another.

    It transmits N_s λ to s and takes N_p λ from p, each in the handle's own coordinates, and demands
    N_sᵀ (a_s - c) - N_pᵀ a_p = -K λ, K being that of `JointForces`. Active forces are not part of
    it: they belong to the biases.
    """

    p: int
    s: int
    N_p: Array
    N_s: Array
    K: Array
    c: Array


@dataclass(frozen=True, eq=False)
class ArticulatedBody:
    """a_i = Σ_j Φ_ij f_j + b_i for the handles i, j, bodies known by number (RBDA 7.4).

    Attributes:
        Phi: (6, 6) blocks by pairs of handles, each row and column in its handle's coordinates.
        b: (6,) bias acceleration of each handle.
    """

    Phi: dict[tuple[int, int], Array]
    b: dict[int, Array]


@dataclass(frozen=True, eq=False)
class Assembly(ArticulatedBody):
    """Two articulated bodies joined by a link, with what is needed to take them apart again."""

    predecessor: ArticulatedBody
    successor: ArticulatedBody
    link: Link
    Y: Factored
    beta: Array
    response: dict[int, Array]

    def take_apart(self, f: dict[int, Array]) -> tuple[dict[int, Array], dict[int, Array]]:
        """Forces on the handles of both parts, given those on the handles of the whole (RBDA 7.61-7.62)."""
        link, pull = self.link, self.beta
        for i, force in f.items():
            pull = pull - self.response[i].T @ force
        transmitted = self.Y.solve(pull)
        on_p, on_s = (
            {i: f.get(i, np.zeros(6)) for i in part.b} for part in (self.predecessor, self.successor)
        )
        on_p[link.p] = on_p[link.p] - link.N_p @ transmitted
        on_s[link.s] = on_s[link.s] + link.N_s @ transmitted
        return on_p, on_s


def assemble(
    predecessor: ArticulatedBody, successor: ArticulatedBody, link: Link, keep: set[int]
) -> Assembly:
    """The articulated body that a link makes of two, with those of their handles that are kept.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 7.57-7.63. The handles of the link may be
    kept, for further joints on the same body. With R_i the acceleration of handle i that a unit of λ
    causes, the formulae of eq 7.63 are one: Φ_ij - R_i Y⁻¹ R_jᵀ, and b_i + R_i Y⁻¹ β.
    """
    p, s, N_p, N_s, K, c = link
    A, B = predecessor, successor
    Y = factor_spd(N_p.T @ A.Phi[p, p] @ N_p + N_s.T @ B.Phi[s, s] @ N_s + K)
    beta = N_s.T @ (c - B.b[s]) + N_p.T @ A.b[p]
    R = {i: -(A.Phi[i, p] @ N_p) for i in A.b if i in keep}
    R |= {i: B.Phi[i, s] @ N_s for i in B.b if i in keep}
    b = {i: (A.b[i] if i in A.b else B.b[i]) + R[i] @ Y.solve(beta) for i in R}
    separate = {**A.Phi, **B.Phi}
    Phi = {(i, j): separate.get((i, j), np.zeros((6, 6))) - R[i] @ Y.solve(R[j].T) for i in R for j in R}
    return Assembly(Phi, b, A, B, link, Y, beta, R)
