"""Energy stored in springs and stops, whose gradient the forces of `passive` are."""

from typing import Any

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array, maximum
from .kinematics import world_transforms
from .passive import TOUCHING, point_place, rest_position


def elastic_energy(m: Mechanism, q: Array) -> Any:
    """Energy stored in the mechanism's springs and stops.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m.

    Returns:
        Scalar, J. `potential_energy` gives that of gravity alone.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("door")
    >>> m.add_body("leaf", wt.Revolute("z"), inertia=wt.Inertia(20.0, (0.5, 0, 0)), stiffness=5.0)
    >>> float(wt.elastic_energy(m, [0.5]))
    0.625
    """
    total = 0.0
    for i, body in enumerate(m.bodies):
        q_i, limits = q[m.q_index[i]], body.limits
        if body.stiffness:
            turn = body.joint.difference(rest_position(body), q_i)
            total = total + 0.5 * body.stiffness * (turn @ turn)
        if limits.stiffness:
            for x in q_i:
                below = maximum(limits.lower - x, 0.0) if np.isfinite(limits.lower) else 0.0
                above = maximum(x - limits.upper, 0.0) if np.isfinite(limits.upper) else 0.0
                total = total + 0.5 * limits.stiffness * (below * below + above * above)
    X = world_transforms(m, q) if m.springs else []
    for spring in m.springs:
        a, b = m.body_number(spring.body_a), m.body_number(spring.body_b)
        apart = point_place(X[b], np.array(spring.point_b)) - point_place(X[a], np.array(spring.point_a))
        if spring.length == 0.0 and spring.damping == 0.0:
            stretch2 = apart @ apart
        else:
            stretch = np.sqrt(apart @ apart + TOUCHING * TOUCHING) - spring.length
            stretch2 = stretch * stretch
        total = total + 0.5 * spring.stiffness * stretch2
    return total
