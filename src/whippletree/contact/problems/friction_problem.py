"""A contact problem with Coulomb friction, and how far forces are from solving it."""

from typing import NamedTuple

import numpy as np

from ...spatial import Array


class FrictionProblem(NamedTuple):
    """Contacts with friction: u = M λ + d, all along n, t1 and t2.

    Attributes:
        M: (nc, 3, nc, 3) from forces to accelerations, or from impulses to velocities.
        d: (nc, 3) what they are without contact forces.
        friction: (nc,) coefficients μ.
        sliding: (nc, 2) unit vectors in which contacts slide already; zero for those that do not.
        least: (nc,) normal forces that act at least: 0, or what an impact gives back.
    """

    M: Array
    d: Array
    friction: Array
    sliding: Array
    least: Array

    def residual(self, force: Array) -> float:
        """How far forces (nc, 3) are from a solution, without unit: the map of Alart & Curnier (1991).

        Normal forces min(λn - least, u_n), tangential ones λt - P(λt - ut), P onto the disc of radius μ λn.
        Forces are measured by the mean inertia of each contact, and all by the largest of d and of what the
        least forces do.
        """
        if not len(self.d):
            return 0.0
        u = np.einsum("iajb,jb->ia", self.M, force) + self.d
        scale = np.einsum("iaia->i", self.M)[:, None] / 3.0
        scaled, radius = force * scale, np.maximum(self.friction * force[:, 0], 0.0)[:, None] * scale
        normal = np.minimum(scaled[:, 0] - self.least * scale[:, 0], u[:, 0])
        wanted = scaled[:, 1:] - u[:, 1:]
        length = np.linalg.norm(wanted, axis=1, keepdims=True)
        clipped = wanted * np.where(length > radius, radius / np.where(length > 0.0, length, 1.0), 1.0)
        clipped = np.where(np.any(self.sliding, axis=1, keepdims=True), -radius * self.sliding, clipped)
        worst = max(float(np.max(np.abs(normal))), float(np.max(np.abs(scaled[:, 1:] - clipped))))
        size = max(float(np.max(np.abs(self.d))), float(np.max(self.least * scale[:, 0])))
        return worst / (size or 1.0)
