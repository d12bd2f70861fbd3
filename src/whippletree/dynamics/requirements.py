"""What a method asks of a mechanism: each function says in words what is missing, or None."""

from collections.abc import Callable

import numpy as np

from ..mechanism import Mechanism

Requirement = Callable[[Mechanism], str | None]

TOLERANCE = 1e-10
"""A principal moment below this share of the largest leaves nothing to invert."""


def invertible_inertias(m: Mechanism) -> str | None:
    """Every single body has an inertia that can be inverted: no point masses, thin rods, massless links."""
    for body in m.bodies:
        inertia = body.inertia
        if np.array([inertia.m, *inertia.h, *inertia.I]).dtype.kind != "f":
            continue  # symbolic parameters have no value yet
        moments = np.linalg.eigvalsh(inertia.about_com)
        if inertia.m <= 0 or moments[0] <= TOLERANCE * moments[2]:
            a, b, c = moments
            return (
                f"body {body.name!r} of {m.name!r} has mass {inertia.m:g} kg and principal moments "
                f"({a:.4g}, {b:.4g}, {c:.4g}) kg m², an inertia that cannot be inverted: all must be positive"
            )
    return None
