"""Loops kept closed within a stride, and how far they are from where they cannot be (RBDA §8.3).

With K the Jacobian of independent constraints, the shortest change of position that closes a gap δ to first
order is -Kᵀ (K Kᵀ)⁻¹ δ, and velocities lose Kᵀ (K Kᵀ)⁻¹ K q̇. A motion stays clear of singular positions as
long as ‖K‖ ‖K⁺‖ stays small, with ‖K⁺‖² = tr (K Kᵀ)⁻¹ in Frobenius's norm; and between two states of it there
is none if ‖K₁ - K₀‖ ‖K₀⁺‖ < 1, for then every combination of them is regular.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from ...api.compiling import record
from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...loops.equations.constraints import constraint_error, constraint_jacobian
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...model.snapshot import Snapshot
from ...spatial import Array, maximum, where
from ...spatial.solve import Factored, factor_spd
from ..closed_step import Rows
from .motion import Motion

PASSES = 3
"""Newton steps; one leaves the square of the gap that a step has made."""

FINE = 1e-14
"""rad or m: gaps beyond this are closed by one more."""


def brought_back(
    m: Mechanism, q: Array, qd: Array, K_before: Array, inverse_before: Any, rows: Rows
) -> tuple[Any, ...]:
    """The state after a Newton step towards closed loops, and how they are there.

    Args:
        m: The mechanism.
        q, qd: (nq,), (nv,) a state next to closed loops.
        K_before, inverse_before: (nr, nv) and ‖K⁺‖ at the start of the step that led there.
        rows: Numbers of nr independent constraints that determine all others.

    Returns:
        q, qd, K, ‖K⁺‖; whether it leaves a gap to be closed by another pass; the gap, rad or m; the margin
        1/(‖K‖ ‖K⁺‖), and ‖K - K_before‖ ‖K_before⁺‖.
    """
    chosen = list(rows)
    K = constraint_jacobian(m, q)[chosen]
    q = integrate(m, q, -(K.T @ factor_spd(K @ K.T).solve(constraint_error(m, q)[chosen])))
    K, gap = constraint_jacobian(m, q)[chosen], 0.0
    for error in constraint_error(m, q):
        gap = maximum(gap, abs(error))
    factors = factor_spd(K @ K.T)
    qd = qd - K.T @ factors.solve(K @ qd)
    inverse = np.sqrt(_trace_of_inverse(factors))
    change = np.sqrt(np.sum((K - K_before) ** 2)) * inverse_before
    margin = 1.0 / (np.sqrt(np.sum(K * K)) * inverse)
    return q, qd, K, inverse, where(gap > FINE, 1.0, 0.0), gap, margin, change


def _trace_of_inverse(factors: Factored) -> Any:
    """tr A⁻¹ of A = L diag(d) Lᵀ: the sum of the squares of L⁻¹, each row over its d."""
    L, total = factors.rows, 0.0
    for j in range(len(L)):
        column = {j: 1.0}
        for i in range(j + 1, len(L)):
            column[i] = -sum((L[i][k] * column[k] for k in range(j, i)), 0.0)
        total = total + sum(x * x * factors.reciprocals[i] for i, x in column.items())
    return total


@lru_cache(maxsize=32)
def _kernel(now: Snapshot, rows: Rows) -> Kernel:
    shapes = {"K_before": (len(rows), now.m.nv), "inverse_before": ()}
    return Kernel(record(brought_back, now.m, inputs=shapes, rows=rows), "brought_back")


class BringingBack:
    """The loops of a motion in memory.

    Args:
        motion: The memory.
        rows: Numbers of independent constraints.

    Attributes:
        watch: (3,) of the state brought back last: gap, margin and change.
    """

    def __init__(self, motion: Motion, rows: Rows) -> None:
        m = motion.m
        self.motion, self.rows, self._kernel = motion, rows, _kernel(Snapshot(m), rows)
        self.watch, self._open = np.zeros(3), np.zeros(1)
        shape = (len(rows), m.nv)
        self._before, self._after = (np.zeros(shape), np.zeros(1)), (np.zeros(shape), np.zeros(1))

    def begin(self, y: Array) -> float:
        """Go on from a state; its margin."""
        zero = np.zeros_like(self._before[0])
        _, _, K, inverse, *_, margin, _ = self._kernel(*self.motion.split(y), zero, 0.0)
        self._before[0][:], self._before[1][:] = K, inverse
        return float(margin)

    def instructions(self) -> list[Instruction]:
        """From a state in `after` to the closed one next to it, there."""
        motion = self.motion
        found: list[Instruction] = []
        near = np.zeros_like(motion.after)
        results = [*motion.split(motion.after), *self._after, self._open, *np.split(self.watch, 3)]
        for _ in range(PASSES):
            found += [
                Copy(motion.after, near),
                Call(self._kernel, [*motion.split(near), *self._before], results),
                Unless(self._open, "closed"),
            ]
        return [*found, Label("closed")]

    def commit(self) -> list[Instruction]:
        """What is after a step is before the next."""
        return [Copy(after, before) for after, before in zip(self._after, self._before, strict=True)]
