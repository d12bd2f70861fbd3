"""Mobility: how many ways a mechanism can move, and which constraints are redundant (RBDA §8.10)."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ...model.mechanism import Mechanism
from ...spatial import Array
from .constraints import constraint_jacobian, row_owners
from .loop_sizes import in_sizes
from .near_dependence import REMEDY, checked_tolerance, nearly_dependent
from .rank import TOLERANCE, eliminate
from .relations import velocities


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom of a mechanism in one position.

    Attributes:
        mobility: n - r, how many joint velocities can be chosen (RBDA 8.52).
        freedoms: n, the joint velocities of the spanning tree.
        constraints: nc, rows of K.
        rank: r, how many of them are independent, pivots below `tolerance` counting as zero.
        redundant: How many constraints of each loop or gear say nothing new; only those with any.
        independent: Names of joints whose velocities may be chosen, a good choice among several.
        dependent: Names of joints in loops that follow from them.
        locked: Names of joints that cannot move.
        tolerance: Share of the largest entry of K below which a pivot counts as zero.
        nearly: A larger tolerance by which more can move, as if lengths and angles were exact; or None.
    """

    mobility: int
    freedoms: int
    constraints: int
    rank: int
    redundant: dict[str, int]
    independent: list[str]
    dependent: list[str]
    locked: list[str]
    tolerance: float = TOLERANCE
    nearly: float | None = None

    def __str__(self) -> str:
        lines = [
            f"mobility {self.mobility} = {self.freedoms} joint freedoms - {self.rank} independent constraints"
            f" (of {self.constraints})"
        ]
        for title, names in (
            ("independent", self.independent),
            ("dependent", self.dependent),
            ("locked", self.locked),
            ("redundant", [f"{name}: {count}" for name, count in self.redundant.items()]),
        ):
            if names:
                lines.append(f"  {title}: {', '.join(names)}")
        if self.nearly is not None:
            lines.append("  " + REMEDY.format(self.nearly))
        return "\n".join(lines)


def mobility(m: Mechanism, q: Array, tolerance: float = TOLERANCE) -> Mobility:
    """How many ways a mechanism can move from a position, and what its loops do to its joints.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §8.10. In singular positions the mobility is
    higher than elsewhere.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        tolerance: Share of the largest entry of K below which a pivot counts as zero. With rounded lengths
            and angles, overconstrained loops move only by a larger one.

    Returns:
        A report; `print` shows it as text.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> print(wt.mobility(m, m.neutral()))
    mobility 1 = 3 joint freedoms - 2 independent constraints (of 5)
      independent: coupler
      dependent: crank, rocker
      redundant: pin: 3
    """
    return mobility_by(m, constraint_jacobian(m, q), checked_tolerance(tolerance))


def mobility_by(m: Mechanism, K: Array, tolerance: float = TOLERANCE) -> Mobility:
    """The report by the Jacobian (nc, nv) of the constraints."""
    scaled = in_sizes(m, K)
    solved = eliminate(scaled, np.zeros(len(K)), tolerance=tolerance)
    rows = set(solved.rows)
    redundant = Counter(owner for row, owner in enumerate(row_owners(m)) if row not in rows)
    dependent, independent = set(solved.dependent), set(solved.independent)
    moving = np.abs(solved.G).max(axis=1, initial=0.0) > tolerance
    free, following, locked = [], [], []
    for i, body in enumerate(m.bodies):
        own = set(velocities(m, i))
        if own & independent:
            free.append(body.joint_name)
        if own and not any(moving[k] for k in own):
            locked.append(body.joint_name)
        elif own & dependent:
            following.append(body.joint_name)
    return Mobility(
        mobility=len(solved.independent),
        freedoms=m.nv,
        constraints=len(K),
        rank=len(solved.rows),
        redundant=dict(redundant),
        independent=free,
        dependent=following,
        locked=locked,
        tolerance=tolerance,
        nearly=nearly_dependent(scaled) if tolerance == TOLERANCE else None,
    )
