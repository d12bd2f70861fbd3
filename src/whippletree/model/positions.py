"""Positions on the curved space of a mechanism: moved, compared, and their rates. For the library itself.

Nothing is checked: q may be symbolic, on its way through a complex step, or a little off its sphere. The
methods of `Mechanism` of the same names check, and take batches.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spatial import Array

if TYPE_CHECKING:
    from .mechanism import Mechanism


def integrate(m: "Mechanism", q: Array, dq: Array) -> Array:
    """(nq,) the position reached from q (nq,) with constant velocity dq (nv,) in unit time."""
    parts = _by_joint(m, (q, m.q_index), (dq, m.v_index))
    return join([joint.integrate(q_i, dq_i) for joint, q_i, dq_i in parts])


def difference(m: "Mechanism", q0: Array, q1: Array) -> Array:
    """(nv,) the constant velocity that leads from q0 to q1 in unit time: inverse of `integrate`."""
    parts = _by_joint(m, (q0, m.q_index), (q1, m.q_index))
    return join([joint.difference(q0_i, q1_i) for joint, q0_i, q1_i in parts])


def rate(m: "Mechanism", q: Array, qd: Array) -> Array:
    """(nq,) dq/dt at the velocity qd (nv,)."""
    parts = _by_joint(m, (q, m.q_index), (qd, m.v_index))
    return join([joint.rate(q_i, qd_i) for joint, q_i, qd_i in parts])


def join(parts: list[Array]) -> Array:
    """One vector of the joints' shares; of length 0 if there are none."""
    return np.concatenate(parts) if parts else np.zeros(0)


def _by_joint(m: "Mechanism", *vectors: tuple[Array, Sequence[slice]]) -> Iterator[tuple[Any, ...]]:
    """Each joint with its share of the given vectors."""
    for i, body in enumerate(m.bodies):
        yield (body.joint, *(vector[index[i]] for vector, index in vectors))
