"""Sensitivity: how far accelerations go wrong where forces are a little wrong (RBDA §10.2)."""

from dataclasses import dataclass

import numpy as np

from ..dynamics.crba import crba
from ..dynamics.rnea import rnea
from ..errors import SingularError
from ..loops.closing.check import check_closed, check_gears
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.rank import TOLERANCE
from ..model.mechanism import Mechanism
from ..model.singular import joint_without_inertia
from ..spatial import Array


@dataclass(frozen=True)
class Sensitivity:
    """How a mechanism passes errors of forces on to its accelerations in one position.

    Attributes:
        condition: Largest over smallest eigenvalue of H. A relative error of the joint forces becomes a
            relative error of the accelerations of up to so many times its size, both by their Euclidean
            norms. Joints that turn and joints that slide stand side by side, so it depends on the unit of
            length wherever there are both.
        easiest: (nv,) the accelerations, of unit norm, that take the least force: those that errors excite.
        hardest: (nv,) those that take the most.
    """

    condition: float
    easiest: Array
    hardest: Array

    def __str__(self) -> str:
        return f"condition {self.condition:.6g}: up to that many times the relative error of the forces"


def sensitivity(m: Mechanism, q: Array) -> Sensitivity:
    """The condition of the joint-space inertia matrix, and the motions that make it what it is.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §10.2: it grows with the depth of a tree, for a chain
    of n equal links up to about 4 n⁴, and falls where a tree branches. With loops or gears H is the inertia
    of the motions that they allow, in coordinates that are orthonormal among the joint velocities.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.

    Returns:
        A report; `print` shows it as text.

    Raises:
        SingularError: A joint moves no inertia.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.sensitivity(m, [0.0, 1.3]).condition.round(4), wt.sensitivity(m, [0.0, 0.0]).condition.round(4)
    (np.float64(9.9532), np.float64(44.2631))
    """
    check_gears(m, {"q": q}, {})
    check_closed(m, q, np.zeros(m.nv))
    H = crba(m, q)
    N = allowed_motions(m, q)
    if N.shape[1] == 0:
        raise SingularError(f"sensitivity: {m.name!r} cannot move, so that no force accelerates it")
    eigenvalues, vectors = np.linalg.eigh(N.T @ H @ N)
    if eigenvalues[0] <= 0.0:
        fault = joint_without_inertia(m, q) or "a motion that the joints allow moves no inertia"
        raise SingularError(f"sensitivity: {fault}")
    return Sensitivity(
        eigenvalues[-1] / eigenvalues[0], _signed(N @ vectors[:, 0]), _signed(N @ vectors[:, -1])
    )


def allowed_motions(m: Mechanism, q: Array) -> Array:
    """(nv, mobility) an orthonormal basis of the joint velocities that loops and gears allow."""
    if not m.loops and not m.gears:
        return np.eye(m.nv)
    _, sizes, directions = np.linalg.svd(constraint_jacobian(m, q))
    rank = int(np.sum(sizes > TOLERANCE * sizes[0])) if len(sizes) else 0
    return directions[rank:].T


def _signed(vector: Array) -> Array:
    """A direction, pointing where its largest entry is positive: eigenvectors have no sign of their own."""
    return vector if vector[np.argmax(np.abs(vector))] > 0.0 else -vector


def force_amplification(m: Mechanism, q: Array, qd: Array, qdd: Array) -> Array:
    """The most that each acceleration can be wrong, relative, for each unit of relative error of the forces.

    The forces τ that cause qdd are known to a relative error ε each. Then q̈ᵢ is known to
    Σⱼ |H⁻¹ᵢⱼ| |τⱼ| / |q̈ᵢ| times ε and, for the worst signs of the errors, not better. It does not depend on
    units, as the condition number does.

    Args:
        m: A tree without gears.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.
        qdd: (nv,) joint accelerations that are wanted, rad/s² or m/s².

    Returns:
        (nv,) each ≥ 1 where nothing but joint forces acts; infinite where an acceleration is 0 and its joint
        can be moved by any error.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> wt.force_amplification(m, [0.4, 0.3], [0.0, 0.0], [1.0, 1.0]).round(1)
    array([35.1, 98.4])
    """
    tau = rnea(m, q, qd, qdd)
    errors = np.abs(np.linalg.inv(crba(m, q))) @ np.abs(tau)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(errors == 0.0, 0.0, errors / np.abs(qdd))
