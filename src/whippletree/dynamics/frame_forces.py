"""Forces on frames, as forces on the bodies that carry them (RBDA §2.8)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.force import Force, Reference
from ..model.mechanism import Mechanism
from ..model.values import vector
from ..spatial import Array, array
from .jacobian import reference_transform
from .kinematics import frame_transform
from .per_body import per_body


def frame_forces(m: Mechanism, q: Array, wrenches: Mapping[str, Any], reference: Reference = "body") -> Array:
    """Forces on the bodies, as `aba`, `rnea` and all others take them, from forces on frames.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 2.25 and table 2.4: power does not depend on
    coordinates, so a force goes back by the transpose of the transform that motion goes forth by.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m; of use only for other references than "body".
        wrenches: For each frame or body, by name, the torque and the force on it, (6,), (N m, N).
        reference: "body": in the frame's axes, at its origin; "aligned": in the world's axes, at the
            frame's origin; "world": in the world's axes, at the world's origin.

    Returns:
        f_ext (nb, 6) in body coordinates, (N m, N); forces on one body add up, those on the ground are lost.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> f_ext = wt.frame_forces(m, [0.5], {"tip": [0, 0, 0, 3.0, 0, 0]}, "aligned")
    >>> wt.aba(m, [0.5], [0.0], [0.0], f_ext).round(4)
    array([-14.953])
    """
    if not isinstance(wrenches, Mapping):
        raise InputError(
            f"wrenches is {wrenches!r}, expected forces by name, as {{'tool': (0, 0, 0, 1, 0, 0)}}"
        )
    (f,) = per_body(len(m), 1)
    for frame, wrench in wrenches.items():
        place, value = m.frame(frame), vector(wrench, (6,), f"the force on {frame!r}", "torque and force")
        if reference != "body":
            value = reference_transform(frame_transform(m, q, frame), reference).force(value)
        body = m.body_number(place.body)
        f[body] = f[body] + place.placement.transform().T @ value
    return array(f[: len(m)]) if len(m) else np.zeros((0, 6))


def constant_forces(m: Mechanism, q: Array) -> Array:
    """(nb, 6) what the mechanism's own forces do to its bodies, in body coordinates."""
    return sum(
        (frame_forces(m, q, {f.frame: wrench(f)}, f.reference) for f in m.forces), np.zeros((len(m), 6))
    )


def wrench(force: Force) -> Array:
    """(6,) torque and force, as spatial forces have them."""
    return np.array([*force.torque, *force.force])
