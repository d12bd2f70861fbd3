"""Closed rings of hinges, as long as one likes: what methods for loops are compared on."""

import numpy as np

from ..joints import Joint, Revolute
from ..model.mechanism import Mechanism
from ..spatial import Inertia, Placement, Transform, identity

LINK = Inertia(1.0, (0.1, 0.2, 0.3), (0.3, 0.4, 0.5))


def ring(hinges: int, planar: int = 0, carrier: Joint | None = None) -> Mechanism:
    """Links of 1 kg in a ring, hinged in general position; closed in its neutral position.

    Critchley and Anderson's worst case for a choice of dependent coordinates has planar parts at its ends.

    Args:
        hinges: How many hinges in general position, besides the one, `closure`, that closes the ring.
        planar: How many go before them, all parallel, and how many follow, all parallel to `closure`.
        carrier: The joint on which a body, `carrier`, moves that carries the ring; None for the ground.

    >>> m = ring(9)
    >>> m.nv, len(m.loops)
    (9, 1)
    """
    m = Mechanism("ring")
    start = parent = "ground"
    if carrier is not None:
        m.add_body("carrier", carrier, inertia=LINK)
        start = parent = "carrier"
    X: Transform = identity()
    for i in range(hinges + 2 * planar):
        # No two alike: equal steps would lie on a screw line, and leave the ring more freedom than it has.
        turn = 0.3 * np.sin(1.0 + 2.4 * i)
        flat = 0 < i < planar or i > hinges + planar
        rpy = (0.0, 0.0, 0.3 + turn) if flat else (0.4 + turn, 0.9, -0.3 - turn)
        place = Placement((0.4, 0.1, 0.0) if flat else (0.3, 0.1, -0.2), rpy=rpy)
        m.add_body(f"hinge{i}", Revolute("z"), parent, place, LINK)
        parent = f"hinge{i}"
        X = place.transform() @ X
    end = Placement((0.4, 0.1, 0.0)) if planar else Placement((0.2, 0.3, 0.1), rpy=(0.3, 0.5, 0.2))
    m.add_loop("closure", Revolute("z"), start, parent, Placement.of(end.transform() @ X), end)
    return m
