"""Impulses on mechanisms: articulated bodies, joint space, loops (RBDA 11.56-11.59)."""

from ...dynamics.jacobian import jacobian
from ...model.mechanism import Mechanism
from ...model.values import vector
from ...spatial import Array
from ..problems.contact_problem import inertia_root


def velocity_jump(m: Mechanism, q: Array, frame: str, impulse: Array) -> Array:
    """Δqd (nv,) of an impulse on a frame or body: u = Jᵀι, u = H Δqd (RBDA 11.57, 11.58).

    Loops stay closed, the impulses in their joints being whatever that takes: Δqd = G (GᵀHG)⁻¹Gᵀ u.

    Args:
        m: A mechanism, with loops or without.
        q: (nq,) joint positions, rad or m, with all loops closed.
        frame: Name of a frame or body.
        impulse: (6,) ι in the frame's coordinates, (N m s, N s).

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.contact.velocity_jump(m, [0.0], "tip", [0, 0, 0, 0.5, 0, 0]).round(12)
    array([-1.5])
    """
    iota = vector(impulse, (6,), "impulse", "a spatial force, in the frame's coordinates")
    B = inertia_root(m, q)
    return B @ (B.T @ (jacobian(m, q, frame).T @ iota))


def handle_jump(m: Mechanism, q: Array, frame: str, impulse: Array) -> Array:
    """Δv (6,) of a frame that is hit: ι = I^A Δv with the articulated-body inertia I^A (RBDA 11.56).

    Arguments as in `velocity_jump`; Δv is in the frame's coordinates, (rad/s, m/s). Where the frame has
    fewer than six freedoms, I^A is infinite in the others, and Δv is zero there.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.contact.handle_jump(m, [0.0], "tip", [0, 0, 0, 0.5, 0, 0]).round(12)
    array([ 0. , -1.5,  0. ,  1.5,  0. ,  0. ])
    """
    return jacobian(m, q, frame) @ velocity_jump(m, q, frame, impulse)
