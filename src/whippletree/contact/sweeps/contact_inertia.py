"""The inverse inertia that contacts feel, J H⁻¹Jᵀ, and the change of velocities by their impulses.

Several contacts between the same two bodies move as these do: what they feel follows from the six directions
in which one body moves against the other, RBDA 11.24-11.27, which is less to solve for than three of each.
"""

from typing import NamedTuple

import numpy as np

from ...dynamics.crba import crba
from ...dynamics.factor import expanded_parents, weighted_ltdl
from ...dynamics.jacobian import jacobian
from ...dynamics.triangle import UnitTriangle
from ...loops.methods.lambda_first import damped
from ...model.mechanism import Mechanism
from ...spatial import Array, array, cross, solve_spd
from ..geometry.contact_kinematics import contact_frames
from ..geometry.contact_pairs import candidates
from .block_sweeps import Felt

MANY = 3
"""So many contacts between two bodies are seen through the bodies."""


class ContactInertia(NamedTuple):
    """What contacts feel.

    Attributes:
        felt: J H⁻¹Jᵀ along n, t1, t2 of each contact, where loops are held closed, with J = P B.
        B: (k, nv) the directions in which bodies with contacts move against each other.
        spread: (nv, k) the change of velocities, up to L⁻¹, by what acts in the directions B.
        L: The unit triangle of H = LᵀDL.
    """

    felt: Felt
    B: Array
    spread: Array
    L: UnitTriangle

    def velocities(self, qd: Array) -> Array:
        """(3 nc,) J qd along n, t1, t2 of each contact, m/s."""
        return self.felt.P @ (self.B @ qd)

    def change(self, impulses: Array) -> Array:
        """(nv,) of the velocities by impulses (nc, 3), N s."""
        return self.L.solve(self.spread @ (self.felt.P.T @ impulses.ravel()))


def contact_inertia(m: Mechanism, q: Array, K: Array, damping: float) -> ContactInertia:
    """J H⁻¹Jᵀ at a position.

    Args:
        m: A mechanism with contacts.
        q: (nq,) its position.
        K: (nk, nv) the Jacobian of what holds loops closed, which impulses must not open; of full rank.
        damping: Share by which these give way, so that there is an answer at singular positions, too.
    """
    B, P, groups = _directions(m, q)
    L, over = factored(m, q)
    Y = L.solve_transposed(B.T)  # H = LᵀDL: Y = L⁻ᵀBᵀ, B H⁻¹Bᵀ = YᵀD⁻¹Y
    scaled = over[:, None] * Y
    if len(K):
        # Impulses that keep loops closed answer those of contact: B H⁻¹(Bᵀ - KᵀS⁻¹K H⁻¹Bᵀ), S = K H⁻¹Kᵀ.
        Z = L.solve_transposed(K.T)
        held = over[:, None] * Z
        scaled = scaled - held @ solve_spd(damped(Z.T @ held, damping), Z.T @ scaled)
    return ContactInertia(Felt(_symmetric(Y, scaled), P, groups), B, scaled, L)


def factored(m: Mechanism, q: Array) -> tuple[UnitTriangle, Array]:
    """L of H = LᵀDL and the reciprocals of D, (nv,)."""
    lam = expanded_parents(m.parents, [body.joint.nv for body in m.bodies])
    L, weights = weighted_ltdl(crba(m, q), lam)
    return L, array(weights)


def _directions(m: Mechanism, q: Array) -> tuple[Array, Array, list[tuple[list[int], slice]]]:
    """B (k, nv), the velocities that contacts are made of; P (3 nc, k), how they are; and `Felt.groups`."""
    rows, frames = candidates(m), contact_frames(m, q)
    together: dict[tuple[int, int], list[int]] = {}
    for i, row in enumerate(rows):
        together.setdefault((row.a.body, row.b.body), []).append(i)
    carried = {body: jacobian(m, q, m.bodies[body].name, "world") for body in {*sum(together, ())} - {-1}}
    carried[-1] = np.zeros((6, m.nv))
    parts, of = [np.zeros((0, m.nv))], np.zeros((3 * len(rows), 0))
    groups: list[tuple[list[int], slice]] = []
    for (a, b), own in together.items():
        relative = carried[a] - carried[b]
        wrenches = [
            array([np.concatenate([cross(frames.point[i], u), u]) for u in frames.axes[i]]) for i in own
        ]
        first = of.shape[1]
        if len(own) < MANY:
            groups += [([i], slice(first + 3 * k, first + 3 * k + 3)) for k, i in enumerate(own)]
            parts += [wrench @ relative for wrench in wrenches]
            wrenches = [np.eye(3 * len(own))[3 * k : 3 * k + 3] for k in range(len(own))]
        else:
            groups.append((own, slice(first, first + 6)))
            parts.append(relative)
        block = np.zeros((len(of), wrenches[0].shape[1]), dtype=np.result_type(*wrenches))
        for i, wrench in zip(own, wrenches, strict=True):
            block[3 * i : 3 * i + 3] = wrench
        of = np.concatenate([of, block], axis=1)
    return np.concatenate(parts), of, groups


def _symmetric(Y: Array, scaled: Array) -> Array:
    """(n, n) Yᵀ times the scaled Y, which is symmetric: its lower triangle is computed."""
    n = Y.shape[1]
    lower = [[Y[:, i] @ scaled[:, j] for j in range(i + 1)] for i in range(n)]
    return array([[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)])
