"""Forces a mechanism brings along: springs, dampers, friction, stops, constant forces on frames.

Of a joint with coordinates q and velocities qd, each velocity alike:

    spring    -stiffness · difference(rest, q)
    damper    -damping · qd
    friction  -friction · qd / √(qd² + SLIP_SPEED²), Coulomb's law with a smooth change of sign
    stop      stiffness · x · max(0, 1 + dissipation · dx/dt), x ≥ 0 being how far q is past its bound
              (K. H. Hunt and F. R. E. Crossley, J. Appl. Mech. 42, 1975, with exponent 1)

and springs with dampers between two points, as `Spring` says, and forces as `Force` says.
"""

from typing import Any

import numpy as np

from ..model.mechanism import Body, Mechanism
from ..model.spring import Spring
from ..spatial import Array, array, cross, maximum
from .frame_forces import constant_forces
from .kinematics import body_velocities, world_transforms
from .per_body import per_body

SLIP_SPEED = 1e-2
"""rad/s or m/s: at this speed Coulomb friction has reached 0.71 of its value, at ten times it 0.995."""

TOUCHING = 1e-9
"""m: the distance of two points is taken as √(d² + TOUCHING²), so that a spring has a direction at d = 0."""


def passive_forces(m: Mechanism, q: Array, qd: Array) -> tuple[Array, Array | None]:
    """Joint forces and body forces of the mechanism's own springs, dampers, friction, stops and forces.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.
        qd: (nv,) joint velocities, rad/s or m/s.

    Returns:
        tau (nv,), N m or N; and f_ext (nb, 6) in body coordinates, (N m, N), None if the mechanism has
        neither springs between points nor forces on frames. Both go into `aba` as they are.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("door")
    >>> leaf = wt.Inertia(mass=20.0, com=(0.5, 0, 0), about_com=(0.1, 1.7, 1.7))
    >>> m.add_body("leaf", wt.Revolute("z"), inertia=leaf, damping=2.0, stiffness=5.0, rest=(0.1,))
    >>> wt.passive_forces(m, [0.3], [0.25])
    (array([-1.5]), None)
    """
    tau = [joint_force(body, q[m.q_index[i]], qd[m.v_index[i]]) for i, body in enumerate(m.bodies)]
    on_bodies = [spring_forces(m, q, qd)] if m.springs else []
    on_bodies += [constant_forces(m, q)] if m.forces else []
    return np.concatenate([np.zeros(0), *tau]), sum(on_bodies[1:], on_bodies[0]) if on_bodies else None


def joint_force(body: Body, q: Array, qd: Array) -> Array:
    """(nv,) spring, damper, friction and stops of one joint at its own q and qd."""
    tau = np.zeros(body.joint.nv)
    if body.stiffness:
        tau = tau - body.stiffness * body.joint.difference(rest_position(body), q)
    if body.damping:
        tau = tau - body.damping * qd
    if body.friction:
        tau = tau - body.friction * (qd / np.sqrt(qd * qd + SLIP_SPEED * SLIP_SPEED))
    if body.limits.stiffness:
        tau = tau + array([_stops(body, q[k], qd[k]) for k in range(body.joint.nv)])
    return tau


def rest_position(body: Body) -> Array:
    return body.joint.neutral() if body.rest is None else np.array(body.rest)


def _stops(body: Body, q: Any, qd: Any) -> Any:
    """Force of both stops on one coordinate."""
    limits, force = body.limits, 0.0
    if np.isfinite(limits.lower):
        past = maximum(limits.lower - q, 0.0)
        force = force + limits.stiffness * past * maximum(1.0 - limits.dissipation * qd, 0.0)
    if np.isfinite(limits.upper):
        past = maximum(q - limits.upper, 0.0)
        force = force - limits.stiffness * past * maximum(1.0 + limits.dissipation * qd, 0.0)
    return force


def spring_forces(m: Mechanism, q: Array, qd: Array) -> Array:
    """(nb, 6) what the springs between points do to the bodies, in body coordinates."""
    X, v = world_transforms(m, q), [*body_velocities(m, q, qd), np.zeros(6)]  # the ground's last, -1
    (f,) = per_body(len(m), 1)
    for spring in m.springs:
        sides = [
            (m.body_number(spring.body_a), spring.point_a),
            (m.body_number(spring.body_b), spring.point_b),
        ]
        (i, a), (j, b) = ((number, np.array(point)) for number, point in sides)
        apart = point_place(X[j], b) - point_place(X[i], a)
        rate = _velocity(X[j], v[j], b) - _velocity(X[i], v[i], a)
        pull = _pull(spring, apart, rate)  # on a, in world coordinates; b feels the opposite
        for number, point, force in ((i, a, pull), (j, b, -pull)):
            local = X[number].E @ force
            f[number] = f[number] + np.concatenate([cross(point, local), local])
    return array(f[: len(m)])


def point_place(X: Any, point: Array) -> Array:
    """A body's point in the world, m; X goes from world to body coordinates."""
    return X.r + X.E.T @ point


def _velocity(X: Any, v: Array, point: Array) -> Array:
    """The velocity of a body's point in world axes, m/s."""
    return X.E.T @ (v[3:] + cross(v[:3], point))


def _pull(spring: Spring, apart: Array, rate: Array) -> Array:
    """(3,) force on the first point, towards the second if the spring is stretched."""
    if spring.length == 0.0 and spring.damping == 0.0:
        return spring.stiffness * apart
    d = np.sqrt(apart @ apart + TOUCHING * TOUCHING)
    along = apart / d
    return (spring.stiffness * (d - spring.length) + spring.damping * (along @ rate)) * along
