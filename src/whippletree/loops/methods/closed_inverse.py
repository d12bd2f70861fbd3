"""Inverse dynamics of closed loops with a choice of actuators (RBDA §8.12)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...dynamics.passive import with_own_forces
from ...dynamics.rnea import rnea
from ...errors import SolverError
from ...model.mechanism import Mechanism
from ...model.values import joint_numbers
from ...spatial import Array
from ..equations.constraints import constraint_jacobian
from ..equations.rank import TOLERANCE, eliminate
from ..equations.relations import velocities


@dataclass(frozen=True)
class Actuation:
    """How well some joints drive a mechanism in one position (RBDA §8.12).

    Attributes:
        kind: "properly", "under" or "redundantly" actuated, or "under and redundantly".
        actuators: How many joint forces there are.
        mobility: How many freedoms there are to drive.
        rank: How many of them the forces can drive.
    """

    kind: str
    actuators: int
    mobility: int
    rank: int


def actuation(m: Mechanism, q: Array, actuated: Sequence[str]) -> Actuation:
    """Whether the actuated joints can drive every freedom of a mechanism, and whether in one way only.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §8.12: the rank of G_u, the rows of G that
    belong to actuated joints.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        actuated: Names of the joints with motors.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.actuation(m, m.neutral(), ["crank", "rocker"])
    Actuation(kind='redundantly', actuators=2, mobility=1, rank=1)
    """
    G = _free_motions(m, q)
    G_u = G[_columns(m, actuated)]
    rank = int(np.linalg.matrix_rank(G_u, tol=TOLERANCE * np.max(np.abs(G), initial=0.0))) if G_u.size else 0
    words = [
        word for word, holds in (("under", rank < G.shape[1]), ("redundantly", rank < len(G_u))) if holds
    ]
    return Actuation(" and ".join(words) or "properly", len(G_u), G.shape[1], rank)


def closed_inverse_dynamics(
    m: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    f_ext: Array | None = None,
    actuated: Sequence[str] | None = None,
) -> Array:
    """Forces of the actuated joints that cause given accelerations of a mechanism with loops.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.63: G_uᵀ u = Gᵀ tau_ID, by least squares
    and of least norm; tau_ID is less by what the mechanism's own parts exert. Arguments and result as in
    `inverse_dynamics`.
    """
    names = m.joint_names if actuated is None else actuated
    columns = _columns(m, names)
    G = _free_motions(m, q)
    own, forces = with_own_forces(m, q, qd, np.zeros(m.nv), f_ext)
    wanted = G.T @ (rnea(m, q, qd, qdd, forces) - own)
    tau = np.zeros(m.nv)
    tau[columns] = np.linalg.lstsq(G[columns].T, wanted, rcond=TOLERANCE)[0]
    missing = float(np.max(np.abs(G.T @ tau - wanted), initial=0.0))
    if missing > 1e-6 * (1.0 + float(np.max(np.abs(wanted), initial=0.0))):
        report = actuation(m, q, names)
        raise SolverError(
            f"{m.name!r} cannot be accelerated this way by forces on {', '.join(names) or 'no joint'} alone: "
            f"{missing:.3g} N or N m are missing. They drive {report.rank} of {report.mobility} freedoms; "
            "actuate more joints or ask for another motion"
        )
    return tau


def _free_motions(m: Mechanism, q: Array) -> Array:
    """(nv, mobility) G: the joint velocities that keep all loops closed."""
    K = constraint_jacobian(m, q)
    return eliminate(K, np.zeros(len(K))).G


def _columns(m: Mechanism, joints: Sequence[str]) -> list[int]:
    return [k for i in joint_numbers(m, joints, "actuated") for k in velocities(m, i)]
