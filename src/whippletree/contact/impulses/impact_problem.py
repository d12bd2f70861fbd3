"""An impact in several contacts at once, as the laws of impact see it."""

from typing import NamedTuple

import numpy as np

from ...spatial import Array

CLOSING = 1e-12
"""m/s: contacts that close no faster are not hit."""


class ImpactProblem(NamedTuple):
    """Contacts that touch: u = M λ + u⁻ along n, t1 and t2, from velocities before to after impulses λ.

    Attributes:
        R: (k, 3 nc) with M = RᵀR.
        before: (nc, 3) u⁻, m/s.
        restitution: (nc,) e.
        friction: (nc,) μ.
        titles: (nc,) the contacts in words.
    """

    R: Array
    before: Array
    restitution: Array
    friction: Array
    titles: list[str]

    @property
    def M(self) -> Array:
        """(nc, 3, nc, 3) from impulses to velocities."""
        nc = len(self.before)
        return (self.R.T @ self.R).reshape(nc, 3, nc, 3)

    def after(self, impulse: Array) -> Array:
        """(nc, 3) velocities after impulses (nc, 3)."""
        return self.before + (self.R.T @ (self.R @ impulse.ravel())).reshape(self.before.shape)

    def energy_gain(self, impulse: Array) -> float:
        """What impulses (nc, 3) add to the kinetic energy, J: ½ λ·(u⁻ + u⁺)."""
        return 0.5 * float(np.sum(impulse * (self.before + self.after(impulse))))

    def only(self, rows: list[int]) -> "ImpactProblem":
        """The problem of some of its contacts."""
        columns = [3 * row + k for row in rows for k in range(3)]
        titles = [self.titles[row] for row in rows]
        return ImpactProblem(
            self.R[:, columns], self.before[rows], self.restitution[rows], self.friction[rows], titles
        )

    def closing(self) -> Array:
        """(nc,) which contacts close."""
        return self.before[:, 0] < -CLOSING
