"""Loops kept closed: every state is brought to the nearest one that satisfies the constraints (RBDA §8.3)."""

import numpy as np

from ..compile import compile
from ..loops import assemble, constraint_error, constraint_jacobian
from ..loops.closed import check_closed
from ..loops.rank import TOLERANCE, independent_rows
from ..mechanism import Mechanism
from ..spatial import Array
from .motion import Motion

STEPS = 8
"""Newton steps after which the gap that one step of an integrator has left should be closed."""

OPEN = 1e-6
"""rad or m: gaps that cannot be brought below this are no drift any more."""


NEAR_SINGULAR = 0.01
"""Margins below this are told when a run cannot go on."""

WORN = 0.1
"""Constraints whose least singular value is below this share of that of all are exchanged for others."""


class OpenLoop(ArithmeticError):
    """A loop that could not be kept closed."""

    def __init__(self, name: str, gap: float) -> None:
        self.name, self.gap = name, gap


def constraints(m: Mechanism, q: Array) -> tuple[Array, Array]:
    """δ (nc,) and K (nc, nv) of all loops and gears."""
    return constraint_error(m, q), constraint_jacobian(m, q)


class Closing:
    """Brings states back to closed loops, by the shortest change of positions and of velocities.

    Attributes:
        rank: How many constraints were independent at the last state.
        margin: Least singular value of the independent ones against the largest: 0 at singular positions.
        worn: Whether those in use were much closer to dependent there than all together.
    """

    def __init__(self, m: Mechanism) -> None:
        self._m = m
        self._constraints = compile(constraints, m)
        self.rank, self.margin, self.worn = 0, 1.0, False

    def rows(self, q: Array) -> tuple[int, ...]:
        """Numbers of constraints that are independent at q, and determine all others."""
        return tuple(independent_rows(self._constraints(q)[1]))

    def __call__(self, motion: Motion, y: Array) -> Array:
        """(nq + nv,) the closed state near y."""
        nq = self._m.nq
        q, qd = y[:nq], y[nq:]
        error, K = self._constraints(q)
        size = float(np.max(np.abs(error), initial=0.0))
        if not np.isfinite(size):
            return y
        for _ in range(STEPS):
            if size == 0.0:
                break
            closer = motion.advanced(q, -np.linalg.lstsq(K, error, rcond=TOLERANCE)[0], 1.0)
            new_error, new_K = self._constraints(closer)
            new_size = float(np.max(np.abs(new_error)))
            if not new_size < size:  # rounding is all that is left
                break
            q, error, K, size = closer, new_error, new_K, new_size
        if size > OPEN:
            raise OpenLoop(self._owner(int(np.argmax(np.abs(error)))), size)
        change, _, self.rank, sizes = np.linalg.lstsq(K, K @ qd, rcond=TOLERANCE)
        chosen = K[list(motion.rows)]
        own = np.linalg.svd(chosen, compute_uv=False)[-1] if len(chosen) else np.inf
        self.margin = float(sizes[self.rank - 1] / sizes[0]) if self.rank else 1.0
        self.worn = bool(self.rank and own < WORN * sizes[self.rank - 1])
        return np.concatenate([q, qd - change])

    def _owner(self, row: int) -> str:
        """Name of the loop or gear that a row of K belongs to."""
        owners = [loop.name for loop in self._m.loops for _ in range(6 - loop.joint.nv)]
        return [*owners, *(gear.name for gear in self._m.gears)][row]


def closed_start(m: Mechanism, q: Array | None, qd: Array) -> Array:
    """A position to start from: the one given, if loops are closed and stay so, or an assembled one."""
    if q is None:
        q = assemble(m, m.neutral())
    check_closed(m, q, qd)
    return q
