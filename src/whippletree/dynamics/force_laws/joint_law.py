"""Springs, dampers, friction and stops of joints.

Of a joint with coordinates q and velocities qd, each velocity alike:

    spring    -stiffness · difference(rest, q)
    damper    -damping · qd
    friction  -friction · qd / √(qd² + SLIP_SPEED²), Coulomb's law with a smooth change of sign
    stop      stiffness · x · max(0, 1 + dissipation · dx/dt), x ≥ 0 being how far q is past its bound
              (K. H. Hunt and F. R. E. Crossley, J. Appl. Mech. 42, 1975, with exponent 1)
"""

from typing import Any

import numpy as np

from ...model.loop import Loop
from ...model.mechanism import Body, Mechanism
from ...spatial import Array, array, maximum
from ...spatial.scalar import vanishes
from .force_law import ForceLaw, Forces

SLIP_SPEED = 1e-4
"""rad/s or m/s: at this speed Coulomb friction has reached 0.71 of its value, at ten times it 0.995. A joint
that friction holds against half of it creeps by 0.6 of this speed, which must be next to nothing in any run;
stiff methods take fewer steps the smaller it is."""


class JointLaw(ForceLaw):
    """What joints exert on themselves."""

    def acts(self, m: Mechanism) -> bool:
        return any(exerts(body) for body in m.bodies)

    def forces(self, m: Mechanism, q: Array, qd: Array) -> Forces:
        tau = [joint_force(body, q[m.q_index[i]], qd[m.v_index[i]]) for i, body in enumerate(m.bodies)]
        return Forces(np.concatenate([np.zeros(0), *tau]), None)

    def energy(self, m: Mechanism, q: Array) -> Any:
        total = 0.0
        for i, body in enumerate(m.bodies):
            total = total + joint_energy(body, q[m.q_index[i]])
        return total


def exerts(body: Body | Loop) -> bool:
    """Whether a joint, of the tree or of a loop, has a spring, a damper, friction or stops."""
    numbers = body.stiffness, body.damping, body.friction, body.limits.stiffness
    return not all(map(vanishes, numbers))


def joint_energy(body: Body | Loop, q: Array) -> Any:
    """Scalar, J: what spring and stops of one joint store at its own q."""
    total, limits = 0.0, body.limits
    if not vanishes(body.stiffness):
        turn = body.joint.difference(rest_position(body), q)
        total = total + 0.5 * body.stiffness * (turn @ turn)
    if not vanishes(limits.stiffness):
        for x in q:
            below = maximum(limits.lower - x, 0.0) if np.isfinite(limits.lower) else 0.0
            above = maximum(x - limits.upper, 0.0) if np.isfinite(limits.upper) else 0.0
            total = total + 0.5 * limits.stiffness * (below * below + above * above)
    return total


def joint_force(body: Body | Loop, q: Array, qd: Array) -> Array:
    """(nv,) spring, damper, friction and stops of one joint at its own q and qd."""
    tau = np.zeros(body.joint.nv)
    if not vanishes(body.stiffness):
        tau = tau - body.stiffness * body.joint.difference(rest_position(body), q)
    if not vanishes(body.damping):
        tau = tau - body.damping * qd
    if not vanishes(body.friction):
        tau = tau - body.friction * qd / np.sqrt(qd * qd + SLIP_SPEED * SLIP_SPEED)
    if not vanishes(body.limits.stiffness):
        tau = tau + array([_stops(body, q[k], qd[k]) for k in range(body.joint.nv)])
    return tau


def rest_position(body: Body | Loop) -> Array:
    return body.joint.neutral() if body.rest is None else np.array(body.rest)


def _stops(body: Body | Loop, q: Any, qd: Any) -> Any:
    """Force of both stops on one coordinate."""
    limits, force = body.limits, 0.0
    if np.isfinite(limits.lower):
        past = maximum(limits.lower - q, 0.0)
        force = force + limits.stiffness * past * maximum(1.0 - limits.dissipation * qd, 0.0)
    if np.isfinite(limits.upper):
        past = maximum(q - limits.upper, 0.0)
        force = force - limits.stiffness * past * maximum(1.0 + limits.dissipation * qd, 0.0)
    return force
