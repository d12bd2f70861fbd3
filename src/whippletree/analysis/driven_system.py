"""The equations of a mechanism with drivers.

Loops and gears ask for δ(q) = 0, drivers for x(q) = θ(t): together A q̇ = (0, θ̇) and A q̈ = (k, θ̈ - w), where
A is K over W.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..api.compiling import compile
from ..errors import InputError
from ..kernels.run.kernel import Kernel
from ..loops.equations.constraints import constraint_equation, constraint_error
from ..loops.equations.driven_rows import Coordinate, driven_rows
from ..loops.equations.loop_sizes import row_sizes
from ..loops.equations.rank import TOLERANCE, eliminate
from ..model.driver_motions import Prescribed
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..model.snapshot import Snapshot
from ..spatial import Array, array, largest

STEPS = 12
"""Newton steps after which a predicted position should be closed; each squares the error."""

CLOSED = 1e-9
"""Gaps below this, in rad and of a loop's size, count as closed; they are then reduced to rounding."""


def driven_gaps(
    m: Mechanism, q: Array, target: Array, *, driven: tuple[Coordinate, ...]
) -> tuple[Array, Any, Array]:
    """δ and x - target (nc + nd,), the largest as a share of its loop's size, and A (nc + nd, nv)."""
    rest = np.zeros(m.nv)
    K, _ = constraint_equation(m, q, rest)
    rows = driven_rows(m, q, rest, driven)
    ahead = [
        value - 2.0 * np.pi * np.floor(value / (2.0 * np.pi) + 0.5)
        if coordinate.is_known_by_turns(m)
        else value
        for coordinate, value in zip(driven, rows.x - target, strict=True)
    ]
    gaps = np.concatenate([constraint_error(m, q), array(ahead) if ahead else np.zeros(0)])
    sizes = np.concatenate([row_sizes(m), np.ones(len(driven))])
    worst = largest(gap / size for gap, size in zip(gaps, sizes, strict=True))
    return gaps, worst, np.concatenate([K, rows.W])


def driven_bias(m: Mechanism, q: Array, qd: Array, *, driven: tuple[Coordinate, ...]) -> Array:
    """(nc + nd,) k of loops and gears, and -w of the drivers."""
    _, k = constraint_equation(m, q, qd)
    return np.concatenate([k, -driven_rows(m, q, qd, driven).w])


@lru_cache(maxsize=32)
def _kernels(now: Snapshot, driven: tuple[Coordinate, ...]) -> tuple[Kernel, Kernel]:
    """What says how far loops are open and drivers away, and what moves joints."""
    gaps = compile(driven_gaps, now.m, driven=driven, inputs={"target": (len(driven),)})
    return gaps, compile(integrate, now.m, inputs={"dq": (now.m.nv,)})


class DrivenSystem:
    """The equations for one mechanism and its drivers, compiled.

    Attributes:
        m: The mechanism.
        drivers: Names of the drivers.
        motions: What they do, in the same order.
        rows: Numbers of the rows of A that are solved.
        now: The mechanism without its own drivers: kernels are made for it.
        gaps: `driven_gaps`, compiled.
    """

    def __init__(self, m: Mechanism, drivers: Sequence[str], driven: tuple[Coordinate, ...]) -> None:
        self.m, self.drivers, self.driven = m, tuple(drivers), driven
        self.motions: list[Callable[[Array], Prescribed]] = []
        self.now = Snapshot(m.with_parts(drivers=()) if m.drivers else m)  # none of it knows how drivers move
        self.gaps, self._moved = _kernels(self.now, driven)
        own = [(k, m.q_index[c.number].start) for k, c in enumerate(driven) if c.is_own]
        self._given, self._own = [k for k, _ in own], [index for _, index in own]
        self._nc = sum(6 - loop.joint.nv for loop in m.loops) + len(m.gears)
        self.rows: list[int] = []

    def matrix(self, q: Array) -> Array:
        """(nc + nd, nv) A at a position q (nq,), or at many."""
        return self.gaps(q, np.zeros(len(self.driven)))[2]

    def driven_at(self, q: Array) -> Array:
        """(nd,) where the drivers are at a position q (nq,)."""
        return self.gaps(q, np.zeros(len(self.driven)))[0][self._nc :]

    def choose(self, q: Array) -> None:
        """Solve the rows that are most independent at q; those of the drivers always."""
        K = self.matrix(q)[: self._nc]
        independent = sorted(eliminate(K, np.zeros(len(K))).rows)
        self.rows = [*independent, *range(self._nc, self._nc + len(self.driven))]

    def refuse_idle(self, q: Array) -> int:
        """InputError for a driver that moves nothing of its own; otherwise how many freedoms there are."""
        A, nc = self.matrix(q), self._nc

        def rank(rows: int) -> int:
            return len(eliminate(A[:rows], np.zeros(rows)).rows)

        freedoms = self.m.nv - rank(nc)
        for k, name in enumerate(self.drivers):
            if rank(nc + k + 1) == rank(nc + k):
                others = " and ".join(repr(other) for other in self.drivers[:k])
                why = f"{others} and the loops already determine it" if k else "loops and gears hold it"
                raise InputError(
                    f"driver {name!r} of {self.m.name!r} is one too many: {why}. The mobility is {freedoms}"
                )
        return freedoms

    def prescribed(self, t: float) -> Prescribed:
        """What the drivers ask for at a time, each (nd,)."""
        parts = [motion(np.asarray(t)) for motion in self.motions]
        return Prescribed(*(np.array([float(part[k]) for part in parts]) for k in range(3)))

    def nearest(self, q: Array, x: Array) -> Array:
        """(nq,) the position next to q at which loops are closed and drivers are at x (nd,).

        By the shortest steps: freedoms that none drives stay as they are.
        """
        best, size = q, np.inf
        for _ in range(STEPS):
            gaps, new, A = self.gaps(q, x)
            if not new < size:  # rounding is all that is left, or nothing of use
                break
            best, size = q, new
            q = self._moved(q, -np.linalg.lstsq(A[self.rows], gaps[self.rows], rcond=TOLERANCE)[0])
            if size < CLOSED:  # one step more is enough: it squares the gap
                best = q
                break
        if size < CLOSED:
            best[self._own] = x[self._given]  # to the last digit
        return best


def joint_of_velocity(m: Mechanism, k: int) -> str:
    """The name of the joint that an entry of qd belongs to."""
    return next(body.joint_name for body, index in zip(m.bodies, m.v_index, strict=True) if k < index.stop)
