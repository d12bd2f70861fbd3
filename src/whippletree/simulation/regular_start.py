"""Starts of closed loops away from singular positions, by the machine code that keeps them closed in strides.

There all constraints are independent, and how far they are from dependent need not be known to begin with.
"""

import numpy as np

from ..model.mechanism import Mechanism
from ..model.snapshot import Snapshot
from ..spatial import Array
from .closing import Closing
from .equations import Common
from .strides.loop_closing import ClosingKernels, closing_kernels

CLEARLY = 1e-3
"""Margins above this, as `closer` tells them, are of constraints that are independent without doubt."""

LOOKS = 3
"""Positions, each a Newton step closer, at which it is looked whether loops are closed."""


class _Starts:
    """What is known of the starts of a mechanism: machine code for all constraints is made for regular ones.

    Of a mechanism whose constraints are never independent it would be made in vain.
    """

    def __init__(self, m: Mechanism) -> None:
        self._m, self.regular = m, False
        self._kernels: ClosingKernels | None = None

    def kernels(self, rows: tuple[int, ...]) -> ClosingKernels:
        """Those for all constraints that are not always zero."""
        if self._kernels is None:
            self._kernels = closing_kernels(Snapshot(self._m), rows, ())
        return self._kernels


def regular_start(m: Mechanism, closing: Closing, common: Common, y: Array) -> Array | None:
    """(nq + nv,) the closed state next to a start, from which loops are then kept closed.

    None where constraints depend on each other, or nearly so, or never hold anything, or the start is too far
    from closed, or there are drivers or a tolerance.
    """
    if not closing.rows:
        return None
    starts, nq = m.once(_Starts), m.nq
    q, qd = y[:nq], y[nq:]
    starts.regular = starts.regular or closing.is_regular(q)
    if not starts.regular:
        return None
    kernels = starts.kernels(closing.rows)
    if nq != m.nv:
        q = common.projected(q)
    for _ in range(LOOKS):
        closer, _, factors, margin = kernels.closer(q)
        if not margin > CLEARLY:
            return None
        kept, (_, wide), *_ = kernels.kept(q, qd, factors)
        if wide == 0.0:
            closing.begin_regularly(q)
            return np.concatenate([q, kept])
        q = closer
    return None
