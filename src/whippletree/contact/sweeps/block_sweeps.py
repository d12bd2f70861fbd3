"""Impulses of many contacts with friction, by sweeps over blocks of three; no branch, and a fixed count.

Find λ with v = G λ + b: of each contact λ_n ≥ 0, v_n ≥ 0, λ_n v_n = 0, and λ_t in the disc of radius µ λ_n,
against the slip v_t (Moreau; Jean, The non-smooth contact dynamics method, 1999). A contact whose block
sticks in its cone is solved exactly; else a few rounds of projection find where it slides.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...spatial import Array, array, cross, known, maximum, repeat, where

TINY = 1e-300
"""Keeps square roots of zero away from a division."""

FAINT = 1e-13
"""Share of a block by which it gives way."""


class ContactBlock(NamedTuple):
    """One contact's own part of the problem.

    Attributes:
        inverse: (3, 3) of its block A of G.
        over: 1 / A_nn.
        step: How far a round of projection goes along the surface: 1 / the larger eigenvalue of A there.
        lift: (2,) the normal impulse that one along the surface takes the place of, A_nt / A_nn.
        drag: (2,) what a round adds along the surface for a normal impulse, -step A_tn.
        kept: (2, 2) what it keeps of what is there, 1 - step A_tt.
        friction: µ.
    """

    inverse: Array
    over: Any
    step: Any
    lift: Array
    drag: Array
    kept: Array
    friction: Any


def contact_block(A: Array, friction: Any) -> ContactBlock:
    """A block and what of it does not change from sweep to sweep.

    It gives way by a faint share, so that there is an answer where the bodies cannot move in every direction.
    """
    A = A + (FAINT * (A[0, 0] + A[1, 1] + A[2, 2]) + TINY) * np.eye(3)
    adjugate = array([cross(A[1], A[2]), cross(A[2], A[0]), cross(A[0], A[1])])  # of a symmetric matrix
    inverse = (1.0 / (A[0] @ adjugate[0])) * adjugate
    half, other = 0.5 * (A[1, 1] - A[2, 2]), A[1, 2]
    largest = 0.5 * (A[1, 1] + A[2, 2]) + np.sqrt(half * half + other * other)
    over, step = 1.0 / A[0, 0], 1.0 / largest
    kept = np.eye(2) - step * A[1:, 1:]
    return ContactBlock(inverse, over, step, over * A[0, 1:], -step * A[1:, 0], kept, friction)


class Felt(NamedTuple):
    """G = P A Pᵀ, by which impulses change velocities, with what contacts of the same bodies share.

    Attributes:
        A: (k, k) symmetric.
        P: (3 nc, k) n, t1, t2 of each contact in these directions.
        groups: Contacts that are made of the same columns of A, with these; each contact in one of them.
    """

    A: Array
    P: Array
    groups: Sequence[tuple[Sequence[int], slice]]

    def own(self, i: int, columns: slice) -> Array:
        """(3, 3) the block of a contact."""
        P = self.P[_own(i), columns]
        half = P @ self.A[columns, columns]
        entries = {(a, b): half[a] @ P[b] for a in range(3) for b in range(a + 1)}
        return array([[entries[max(a, b), min(a, b)] for b in range(3)] for a in range(3)])

    def matrix(self) -> Array:
        """(3 nc, 3 nc) G."""
        return self.P @ self.A @ self.P.T


def apart(G: Array) -> Felt:
    """G of contacts of which each is between bodies of its own."""
    return Felt(G, np.eye(len(G)), [((i,), _own(i)) for i in range(len(G) // 3)])


def swept(
    felt: Felt, give: Any, b: Array, friction: Sequence[Any], start: Array, sweeps: int, rounds: int
) -> Array:
    """Impulses after some sweeps over all contacts.

    Args:
        felt: G.
        give: (nc,) what contacts give way along their normals, on the diagonal of G, m/(s N s).
        b: (3 nc,) velocities without impulses, m/s.
        friction: (nc,) µ.
        start: (nc, 3) impulses to start from, N s: those of the step before.
        sweeps: How many.
        rounds: Of projection, for each contact that slides.

    Returns:
        (nc, 3) N s.

    >>> felt, b = apart(np.diag([0.5, 0.7, 0.7])), np.array([-1.0, 0.14, 0.0])
    >>> swept(felt, [0.0], b, [0.5], np.zeros((1, 3)), 2, 4).round(9) + 0.0
    array([[ 2. , -0.2,  0. ]])
    """
    A, P, groups = felt
    own = {i: felt.own(i, columns) for contacts, columns in groups for i in contacts}
    normal = np.diag([1.0, 0.0, 0.0])
    blocks = {i: contact_block(A_i + give[i] * normal, friction[i]) for i, A_i in own.items()}

    def sweep(impulses: Array) -> Array:
        rows = list(impulses)
        # What acts in the directions of A, of each group.
        acting: list[Any] = [
            sum(P[_own(i), columns].T @ rows[i] for i in contacts) for contacts, columns in groups
        ]
        for number, (contacts, columns) in enumerate(groups):
            v: Any = np.zeros(A[columns].shape[0])
            for other, (_, between) in enumerate(groups):
                if other != number or len(contacts) > 1:
                    v = v + A[columns, between] @ acting[other]
            for i in contacts:
                P_i, old = P[_own(i), columns], rows[i]
                r = b[_own(i)] + P_i @ v
                if len(contacts) > 1:
                    r = r - own[i] @ old
                rows[i] = _solved(blocks[i], r, old, rounds)
                change = P_i.T @ (rows[i] - old)
                acting[number] = acting[number] + change
                if i != contacts[-1]:
                    v = v + A[columns, columns] @ change
        return array(rows)

    return repeat(sweeps, sweep, start) if len(friction) else start


def sweep_residual(G: Array, b: Array, friction: Sequence[Any], impulses: Array) -> Any:
    """How far impulses are from solving the problem, m/s: the largest change that one projection makes.

    It is 0 for a solution and for nothing else: λ = proj(λ - ρ v), over ρ, of each contact.
    """
    v = (G @ impulses.ravel() + b).reshape(-1, 3)
    worst: Any = 0.0
    for i, mu in enumerate(friction):
        A, old = G[_own(i), _own(i)], impulses[i]
        rho = 1.0 / (A[0, 0] + A[1, 1] + A[2, 2])
        moved = old - rho * v[i]
        normal = maximum(0.0, moved[0])
        along = _in_disc(moved[1:], mu * maximum(0.0, old[0]))
        change = array([normal - old[0], *(along - old[1:])])
        worst = maximum(worst, np.sqrt(change @ change) / rho)
    return worst


def _own(i: int) -> slice:
    return slice(3 * i, 3 * i + 3)


def _solved(block: ContactBlock, r: Array, old: Array, rounds: int) -> Array:
    """(3,) the impulse of one contact, given its velocity r (3,) without it."""
    mu = block.friction
    if known(mu) == 0.0:
        return array([maximum(0.0, -block.over * r[0]), 0.0 * r[1], 0.0 * r[2]])
    stuck = -(block.inverse @ r)
    bound = mu * stuck[0]
    sticks = (stuck[0] >= 0.0) & (stuck[1:] @ stuck[1:] <= bound * bound)
    normal, along = old[0], old[1:]
    stops, against = -block.over * r[0], -block.step * r[1:]
    for _ in range(rounds):
        normal = maximum(0.0, stops - block.lift @ along)
        along = _in_disc(block.kept @ along + normal * block.drag + against, mu * normal)
    return where(sticks, stuck, array([normal, *along]))


def _in_disc(x: Array, radius: Any) -> Array:
    """(2,) the nearest point of the disc around 0."""
    square = x @ x
    return where(square <= radius * radius, 1.0, radius / np.sqrt(maximum(square, TINY))) * x
