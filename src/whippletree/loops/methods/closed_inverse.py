"""Inverse dynamics of closed loops with a choice of actuators (RBDA §8.12)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...dynamics.passive import with_own_forces
from ...dynamics.rnea import rnea
from ...errors import SolverError
from ...model.mechanism import Mechanism
from ...model.values import listed
from ...spatial import Array
from ..equations.constraints import constraint_jacobian
from ..equations.loop_joints import loop_joint_rates
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
        actuated: Names of the joints with motors, loop joints among them.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.actuation(m, m.neutral(), ["crank", "rocker"])
    Actuation(kind='redundantly', actuators=2, mobility=1, rank=1)
    """
    G = _free_motions(m, q)
    G_u = np.concatenate([np.zeros((0, m.nv)), *_motors(m, q, actuated).values()]) @ G
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
    found, motors = motor_forces(m, q, qd, qdd, f_ext, names), _motors(m, q, names)
    return sum((motors[name].T @ found[name] for name in found), start=np.zeros(m.nv))


def motor_forces(
    m: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    f_ext: Array | None = None,
    actuated: Sequence[str] | None = None,
) -> dict[str, Array]:
    """What every motor exerts that causes given accelerations, those of loop joints too.

    As `inverse_dynamics`, whose joint forces tau have the same effect: of a joint of the tree they have the
    force itself, of a loop joint they have `loop_joint_force`.

    Args:
        m: The mechanism, with loops or without.
        q, qd, qdd, f_ext: As in `inverse_dynamics`.
        actuated: Names of the joints with motors; those that say so themselves (`m.actuated`) if None.

    Returns:
        (nv of the joint,) N m or N, by the name of the joint.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> zero = np.zeros(3)
    >>> wt.motor_forces(m, m.neutral(), zero, zero, actuated=["pin"])["pin"].round(3)
    array([2.408])
    """
    names = m.actuated if actuated is None else actuated
    motors, G = _motors(m, q, names), _free_motions(m, q)
    own, forces = with_own_forces(m, q, qd, np.zeros(m.nv), f_ext)
    wanted = G.T @ (rnea(m, q, qd, qdd, forces) - own)
    B = np.concatenate([np.zeros((0, m.nv)), *motors.values()])
    u = np.linalg.lstsq((B @ G).T, wanted, rcond=TOLERANCE)[0]
    missing = float(np.max(np.abs((B @ G).T @ u - wanted), initial=0.0))
    if missing > 1e-6 * (1.0 + float(np.max(np.abs(wanted), initial=0.0))):
        report = actuation(m, q, names)
        raise SolverError(
            f"{m.name!r} cannot be accelerated this way by forces on {', '.join(names) or 'no joint'} alone: "
            f"{missing:.3g} N or N m are missing. They drive {report.rank} of {report.mobility} freedoms; "
            "actuate more joints or ask for another motion"
        )
    ends = np.cumsum([len(rows) for rows in motors.values()], dtype=int)
    return dict(zip(motors, np.split(u, ends[:-1]), strict=True)) if motors else {}


def _free_motions(m: Mechanism, q: Array) -> Array:
    """(nv, mobility) G: the joint velocities that keep all loops closed."""
    K = constraint_jacobian(m, q)
    return eliminate(K, np.zeros(len(K))).G


def _motors(m: Mechanism, q: Array, joints: Sequence[str]) -> dict[str, Array]:
    """(nv of the joint, nv) for each motor by name, what turns joint velocities into its own."""
    names = listed(joints, "actuated", "joint names", m.joint_names)
    motors: dict[str, Array] = {}
    for name in names:
        if m.has("loop", name):
            motors[name] = loop_joint_rates(m, q, name)
        else:
            motors[name] = np.eye(m.nv)[velocities(m, m.joint_number(name))]
    return motors
