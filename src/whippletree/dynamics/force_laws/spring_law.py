"""Springs with dampers between two points, as `Spring` says."""

from typing import Any

import numpy as np

from ...model.mechanism import Mechanism
from ...model.spring import Spring
from ...spatial import Array, array, cross
from ...spatial.scalar import vanishes
from ..kinematics import body_velocities, world_transforms
from ..per_body import per_body
from .force_law import ForceLaw, Forces

TOUCHING = 1e-9
"""m: the distance of two points is taken as √(d² + TOUCHING²), so that a spring has a direction at d = 0."""


class SpringLaw(ForceLaw):
    """What springs between points exert on bodies."""

    def acts(self, m: Mechanism) -> bool:
        return bool(m.springs)

    def forces(self, m: Mechanism, q: Array, qd: Array) -> Forces:
        return Forces(None, spring_forces(m, q, qd))

    def energy(self, m: Mechanism, q: Array) -> Any:
        X, total = world_transforms(m, q), 0.0
        for spring in m.springs:
            a, b = m.body_number(spring.body_a), m.body_number(spring.body_b)
            apart = point_place(X[b], array(spring.point_b)) - point_place(X[a], array(spring.point_a))
            if vanishes(spring.length) and vanishes(spring.damping):
                stretch2 = apart @ apart
            else:
                stretch = np.sqrt(apart @ apart + TOUCHING * TOUCHING) - spring.length
                stretch2 = stretch * stretch
            total = total + 0.5 * spring.stiffness * stretch2
        return total


def spring_forces(m: Mechanism, q: Array, qd: Array) -> Array:
    """(nb, 6) what the springs between points do to the bodies, in body coordinates."""
    X, v = world_transforms(m, q), [*body_velocities(m, q, qd), np.zeros(6)]  # the ground's last, -1
    (f,) = per_body(len(m), 1)
    for spring in m.springs:
        sides = [
            (m.body_number(spring.body_a), spring.point_a),
            (m.body_number(spring.body_b), spring.point_b),
        ]
        (i, a), (j, b) = ((number, array(point)) for number, point in sides)
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
    if vanishes(spring.length) and vanishes(spring.damping):
        return spring.stiffness * apart
    d = np.sqrt(apart @ apart + TOUCHING * TOUCHING)
    along = apart / d
    return (spring.stiffness * (d - spring.length) + spring.damping * (along @ rate)) * along
