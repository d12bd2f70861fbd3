"""The linear complementarity problem of contact forces, in its three forms (RBDA §11.5).

In x, where the inertia is 1 (`inertia_root`), T becomes R and M = RᵀR:

(11.42)  ζ̇ = M λ + d,  ζ̇ ≥ 0,  λ ≥ 0,  ζ̇·λ = 0
(11.43)  minimize ½ λᵀMλ + λᵀd  subject to λ ≥ 0
(11.44)  minimize ½ xᵀx  subject to Rᵀx + d ≥ 0: Gauss' principle with inequalities, x = Rλ
"""

from typing import NamedTuple

import numpy as np

from ...spatial import Array

ROOT = 1e-13
"""Eigenvalues of M below this share of the largest are taken for zero."""

ZERO = 1e-9
"""Shares of the largest force or acceleration below which one counts as zero when solutions are counted."""


class Unsolvable(NamedTuple):
    """There are no contact forces that keep all contacts apart, and why.

    Attributes:
        certificate: (nc,) μ ≥ 0 with M μ = 0 and μ·d = -1: pushing so moves nothing, and yet the contacts
            with μ > 0 would all have to be pushed apart.
    """

    certificate: Array

    @property
    def at_fault(self) -> list[int]:
        """The contacts with a share in the certificate."""
        return [int(k) for k in np.flatnonzero(self.certificate > ZERO * self.certificate.max())]


class ContactForces(NamedTuple):
    """A solution of the problem.

    Attributes:
        force: (nc,) λ ≥ 0; of many, one with the fewest that are not zero.
        acceleration: (nc,) ζ̇ = M λ + d ≥ 0, which is the same for all solutions.
        unique: Whether there is no other λ.
    """

    force: Array
    acceleration: Array
    unique: bool


Solution = ContactForces | Unsolvable


def root_of(M: Array) -> Array:
    """R (r, n) with RᵀR = M of a symmetric positive semidefinite M (n, n), r being its rank.

    >>> root_of(np.array([[4.0, -4.0], [-4.0, 4.0]])).round(12)
    array([[-2.,  2.]])
    """
    values, vectors = np.linalg.eigh(M)
    kept = values > ROOT * max(float(values[-1]), 0.0) if len(values) else np.zeros(0, dtype=bool)
    return np.sqrt(values[kept])[:, None] * vectors[:, kept].T


def residual(M: Array, d: Array, force: Array) -> float:
    """How far λ (nc,) is from solving (11.42): the largest entry of |min(λ, M λ + d)|, without unit.

    Forces are measured by the diagonal of M, and all by the largest acceleration in play: that of d, or what
    the forces do where they do most, √(M_ii λᵀMλ), which near problems without solution is much more.

    >>> residual(np.array([[2.0]]), np.array([-3.0]), np.array([1.5]))
    0.0
    """
    if not len(d):
        return 0.0
    diagonal, acceleration = np.diag(M), M @ force
    most = np.sqrt(max(float(np.max(diagonal) * (force @ acceleration)), 0.0))
    size = max(float(np.max(np.abs(d))), float(most)) or 1.0
    scaled = force * np.where(diagonal > 0.0, diagonal, 1.0)
    return float(np.max(np.abs(np.minimum(scaled, acceleration + d)))) / size


def solution_of(R: Array, d: Array, force: Array) -> ContactForces:
    """The solution with these forces: basic, and told whether it is the only one."""
    size = float(np.max(np.abs(d), initial=0.0)) or 1.0
    acceleration = R.T @ (R @ force) + d
    tight = np.flatnonzero(acceleration <= ZERO * size).tolist()
    force = basic(R, force)
    carrying = [k for k in tight if force[k] > 0.0]
    idle = [k for k in tight if force[k] == 0.0]
    return ContactForces(force, acceleration, _only(R, carrying, idle))


def basic(R: Array, force: Array) -> Array:
    """Forces (nc,) with the same R λ of which those that are not zero stand on independent columns of R."""
    force = force.copy()
    while True:
        carrying = np.flatnonzero(force > 0.0)
        columns = R[:, carrying] / np.linalg.norm(R[:, carrying], axis=0)
        if not len(carrying):
            return force
        _, s, vt = np.linalg.svd(columns, full_matrices=True)
        if int(np.sum(s > ZERO)) == len(carrying):
            return force
        change = vt[-1] / np.linalg.norm(R[:, carrying], axis=0)
        change = change if np.any(change > 0.0) else -change
        steps = np.where(change > 0.0, force[carrying] / np.where(change > 0.0, change, 1.0), np.inf)
        leaving = int(np.argmin(steps))
        force[carrying] = np.maximum(force[carrying] - steps[leaving] * change, 0.0)
        force[carrying[leaving]] = 0.0


def _only(R: Array, carrying: list[int], idle: list[int]) -> bool:
    """Whether no other forces on contacts without acceleration do the same.

    Another solution adds forces b ≥ 0 on idle contacts that those that carry make up for.
    """
    from scipy.optimize import nnls  # on use: it takes longer to import than all the rest

    if not idle:
        return True
    norms = np.linalg.norm(R[:, idle], axis=0)
    if np.any(norms == 0.0):
        return False
    others = R[:, idle] / norms
    if carrying:
        basis, _ = np.linalg.qr(R[:, carrying])
        others = others - basis @ (basis.T @ others)
    rows = np.concatenate([others, np.ones((1, len(idle)))])
    right = np.zeros(len(rows))
    right[-1] = 1.0
    return nnls(rows, right)[1] > ZERO
