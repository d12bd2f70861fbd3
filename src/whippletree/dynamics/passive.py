"""Forces a mechanism brings along: the sum of all force laws."""

from typing import Any

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .force_laws import LAWS


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
    tau, on_bodies = np.zeros(m.nv), None
    for law in LAWS:
        if law.acts(m):
            forces = law.forces(m, q, qd)
            tau = tau if forces.tau is None else tau + forces.tau
            if forces.f_ext is not None:
                on_bodies = forces.f_ext if on_bodies is None else on_bodies + forces.f_ext
    return tau, on_bodies


def has_own_forces(m: Mechanism) -> bool:
    """Whether `passive_forces` are anything but zero in some state."""
    return any(law.acts(m) for law in LAWS)


def with_own_forces(
    m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None
) -> tuple[Array, Array | None]:
    """tau and f_ext with the forces of `passive_forces` added: all that acts on a mechanism but gravity."""
    own, on_bodies = passive_forces(m, q, qd)
    if on_bodies is not None:
        f_ext = on_bodies if f_ext is None else f_ext + on_bodies
    return tau + own, f_ext


def passive_powers(m: Mechanism, q: Array, qd: Array) -> tuple[Any, Any]:
    """Power that dampers, friction and stops take away, and that the mechanism's own forces bring, W."""
    lost = brought = 0.0
    for law in LAWS:
        if law.acts(m):
            own_lost, own_brought = law.powers(m, q, qd)
            lost, brought = lost + own_lost, brought + own_brought
    return lost, brought
