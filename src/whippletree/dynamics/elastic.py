"""Energy stored in springs and stops, whose gradient the forces of `passive` are."""

from typing import Any

from ..model.mechanism import Mechanism
from ..spatial import Array
from .force_laws import LAWS


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
    for law in LAWS:
        if law.acts(m):
            total = total + law.energy(m, q)
    return total
