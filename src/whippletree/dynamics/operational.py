"""Operational-space inertia: what a frame of a mechanism feels like."""

import numpy as np

from ..errors import SingularError
from ..model.mechanism import Mechanism
from ..spatial import Array, solve_spd
from .inertia_factors import factor_ltl
from .jacobian import jacobian

TOLERANCE = 1e-12
"""Eigenvalues of an inverse inertia, scaled to a unit diagonal, that are below this count as zero."""


def inverse_operational_inertia(m: Mechanism, q: Array, frame: str) -> Array:
    """Φ = J H⁻¹ Jᵀ: the acceleration of a frame that a force on it causes. It exists for every frame.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 7.9, as YᵀY with Y = L⁻ᵀJᵀ and H = LᵀL.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        frame: Name of a frame or body.

    Returns:
        (6, 6) symmetric and positive semidefinite, in the frame's coordinates, angular part first:
        from force (N m, N) to acceleration (rad/s², m/s²).

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.inverse_operational_inertia(m, [0.3], "tip").diagonal().round(3)
    array([0., 3., 0., 3., 0., 0.])
    """
    Y = factor_ltl(m, q).L.solve_transposed(jacobian(m, q, frame).T)
    return Y.T @ Y


def operational_inertia(m: Mechanism, q: Array, frame: str) -> Array:
    """Λ = (J H⁻¹ Jᵀ)⁻¹: the inertia a frame shows to forces on it, its articulated-body inertia.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 7.12.

    Args:
        m: A tree; gears are ignored.
        q: (nq,) joint positions, rad or m.
        frame: Name of a frame or body that can move in all six directions.

    Returns:
        (6, 6) symmetric and positive definite, in the frame's coordinates, angular part first:
        from acceleration (rad/s², m/s²) to force (N m, N).

    Raises:
        SingularError: The frame has fewer than six freedoms at this position.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Free(), inertia=wt.Inertia(2.0, about_com=(0.1, 0.1, 0.1)))
    >>> wt.operational_inertia(m, m.neutral(), "ball").diagonal().round(12)
    array([0.1, 0.1, 0.1, 2. , 2. , 2. ])
    """
    Phi = inverse_operational_inertia(m, q, frame)
    _check_freedoms(m, frame, Phi)
    return solve_spd(Phi, np.eye(6))


def _check_freedoms(m: Mechanism, frame: str, Phi: Array) -> None:
    """Raise SingularError if the frame cannot move in all directions."""
    joints = m.support(m.body_number(m.frame(frame).body))
    freedoms = min(6, sum(m.bodies[i].joint.nv for i in joints))
    if freedoms == 6 and Phi.dtype.kind == "f":
        scale = np.sqrt(Phi.diagonal())
        scale = np.where(scale > 0, scale, 1.0)
        freedoms = int(np.sum(np.linalg.eigvalsh(Phi / np.outer(scale, scale)) > TOLERANCE))
    if freedoms < 6:
        raise SingularError(
            f"operational_inertia: frame {frame!r} of {m.name!r} can move in {freedoms} of 6 directions at "
            "this position, so that it has no inertia in the others: use inverse_operational_inertia"
        )
