"""Loops kept closed within a stride, and how far they are from where they cannot be (RBDA §8.3).

With K the Jacobian of independent constraints, the shortest change of position that closes a gap δ to first
order is -Kᵀ (K Kᵀ)⁻¹ δ, and velocities lose Kᵀ (K Kᵀ)⁻¹ K q̇. The pivots of K Kᵀ = L D Lᵀ are the squares of
what each constraint adds to those before it: one vanishes where they become dependent. From a state to the
next there is no such position if K₁ K₀ᵀ + K₀ K₁ᵀ is positive definite, for then no combination of the
constraints is turned round: K₁ K₀⁺, see `Factors.turned`, is similar to a matrix whose symmetric part is so.
"""

from functools import cache, lru_cache
from typing import Any

import numpy as np

from ...analysis.driven_system import driven_gaps
from ...api.compiling import record
from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...loops.equations.constraints import constraint_error, constraint_jacobian
from ...loops.equations.driven_rows import Coordinate
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...model.snapshot import Snapshot
from ...spatial import Array, array, maximum, minimum, where
from ...spatial.solve import Factored, factor_spd
from ..closed_step import Rows
from .motion import Motion

PASSES = 4
"""Looks at a state, with a Newton step after each but the last: one leaves the square of the gap."""

FINE = 1e-14
"""rad or m: gaps beyond this are closed by more than one step."""

PARTS = 8
"""A step over which constraints may have turned is looked at in so many parts, each of which turns less."""

Driven = tuple[Coordinate, ...]

Pattern = tuple[tuple[int, int], ...]
"""Places of a matrix that are not always zero."""


def brought_back(
    m: Mechanism,
    q: Array,
    qd: Array,
    before: Array,
    asked: Array | None,
    rows: Rows,
    pattern: Pattern,
    driven: Driven,
) -> tuple[Any, ...]:
    """How loops are at a state, and the state that is closer to closed loops.

    Args:
        m: The mechanism.
        q, qd: (nq,), (nv,) a state next to closed loops.
        before: K, as far as it is not zero, at the start of the step that led there.
        asked: (3, nd) what drivers prescribe there; None if there are none.
        rows: Numbers of independent constraints that determine all others.
        pattern: Where K is not zero.
        driven: What they drive; their constraints come after all others.

    Returns:
        Positions after a Newton step, and velocities that keep loops closed at q itself; K at q, as `before`;
        whether q leaves a gap to be closed; the gap, rad or m; the margin, the root of the least pivot as a
        share of the largest; and whether constraints may have turned.
    """
    chosen, gap = list(rows), 0.0
    x, rate = (None, np.zeros(len(rows))) if asked is None else (asked[0], asked[1])
    error, all_of_K = _constraints(m, q, x, driven)
    K = all_of_K[chosen]
    if asked is not None:
        rate = np.concatenate([np.zeros(len(error) - len(driven)), rate])[chosen]
    for entry in error:
        gap = maximum(gap, abs(entry))
    factors = factor_spd(K @ K.T)
    change = factors.solve(np.stack([error[chosen], K @ qd - rate], axis=1))
    least, most = _least(factors), -_least(factors, -1.0)
    product = K @ _filled(before, K.shape, pattern).T
    turned = where(_least(factor_spd(product + product.T)) > 0.0, 0.0, 1.0)
    closer = integrate(m, q, -(K.T @ change[:, 0]))
    return (
        closer if x is None else _set(m, closer, x, driven),
        qd - K.T @ change[:, 1],
        array([K[place] for place in pattern]),
        where(gap > FINE, 1.0, 0.0),
        gap,
        np.sqrt(least / most),
        turned,
    )


def _constraints(m: Mechanism, q: Array, x: Array | None, driven: Driven) -> tuple[Array, Array]:
    """δ and K of loops and gears, and of drivers, these being at x (nd,)."""
    if x is None:
        return constraint_error(m, q), constraint_jacobian(m, q)
    gaps, _, A = driven_gaps(m, q, x, driven=driven)
    return gaps, A


def _set(m: Mechanism, q: Array, x: Array, driven: Driven) -> Array:
    """The position with coordinates that are driven themselves at their values, to the last digit."""
    entries = list(q)
    for coordinate, value in zip(driven, x, strict=True):
        if coordinate.is_own:
            entries[m.q_index[coordinate.number].start] = value
    return array(entries)


def _least(factors: Factored, sign: float = 1.0) -> Any:
    """The least reciprocal of a pivot, or of their negatives."""
    least = sign * factors.reciprocals[0]
    for reciprocal in factors.reciprocals[1:]:
        least = minimum(least, sign * reciprocal)
    return least


def _filled(values: Array, shape: tuple[int, ...], pattern: Pattern) -> Array:
    K = np.zeros(shape, dtype=object)
    for place, value in zip(pattern, values, strict=True):
        K[place] = value
    return array(K)


@lru_cache(maxsize=32)
def _kernel(now: Snapshot, rows: Rows, driven: Driven) -> Kernel:
    m, rng = now.m, np.random.default_rng(0)
    x = np.zeros(len(driven)) if driven else None
    seen = sum(np.abs(_constraints(m, m.random(rng), x, driven)[1][list(rows)]) for _ in range(3))
    pattern = tuple((int(i), int(j)) for i, j in np.argwhere(seen))
    inputs = {"before": (len(pattern),), **({"asked": (3, len(driven))} if driven else {})}
    options: dict[str, Any] = {} if driven else {"asked": None}
    options.update(rows=rows, pattern=pattern, driven=driven)
    return Kernel(record(brought_back, m, inputs=inputs, **options), "brought_back")


def position_within(m: Mechanism, q: Array, qd: Array, qd_after: Array, h: Any, share: Any) -> Array:
    """(nq,) about where a motion from q is after a share of h, s, its velocity having changed evenly."""
    return integrate(m, q, (share * h) * (qd + (0.5 * share) * (qd_after - qd)))


@lru_cache(maxsize=32)
def _between(now: Snapshot) -> Kernel:
    inputs = {"qd_after": (now.m.nv,), "h": (), "share": ()}
    return Kernel(record(position_within, now.m, inputs=inputs), "position_within")


@cache
def _any() -> Kernel:
    return Kernel(simplify(trace(lambda turned: sum(turned), {"turned": (PARTS,)})), "any")


class BringingBack:
    """The loops of a motion in memory.

    Args:
        motion: The memory.
        rows: Numbers of independent constraints.

    Attributes:
        watch: (3,) of the state brought back last: gap, margin, and whether constraints have turned.
    """

    def __init__(self, motion: Motion, rows: Rows) -> None:
        driven = () if motion.drive is None else motion.drive.driven
        self.motion, self.rows, self._kernel = motion, rows, _kernel(Snapshot(motion.m), rows, driven)
        self.watch, self._open = np.zeros(3), np.zeros(1)
        self._before, self._after = (np.zeros(self._kernel.array_shapes()[2]) for _ in range(2))

    def _asked(self, t: Any) -> list[Array]:
        """What drivers prescribe at a time or at times (n,), if there are any."""
        drive = self.motion.drive
        if drive is None:
            return []
        found = np.array([drive.asked(float(at)) for at in np.ravel(t)])
        return [found if np.ndim(t) else found[0]]

    def begin(self, t: float, y: Array) -> float:
        """Go on from a state; its margin."""
        given = (*self.motion.split(y), self._before, *self._asked(t))
        _, _, self._before[:], *_, margin, _ = self._kernel(*given)
        return float(margin)

    def many(self, t: Array, q: Array, qd: Array) -> tuple[Array, Array]:
        """Closed states next to others (n, nq), (n, nv) at times (n,), s."""
        given = self._before, *self._asked(t)
        q, *_ = self._kernel(q, qd, *given)
        for _ in range(PASSES - 2):
            closer, new_qd, _, more, *_ = self._kernel(q, qd, *given)
            if not np.any(more):
                return q, new_qd
            q = closer
        return q, self._kernel(q, qd, *given)[1]

    def _in_parts(self) -> list[Instruction]:
        """Whether constraints have turned between some of the positions on the way."""
        motion = self.motion
        (q0, qd0), (q1, qd1) = motion.split(motion.y), motion.split(motion.after)
        asked = [] if motion.drive is None else [motion.asked]
        turned, rest = np.zeros(PARTS), [np.zeros_like(q1), np.zeros_like(qd1)]
        found, before, between = list[Instruction](), self._before, _between(Snapshot(motion.m))
        for part in range(PARTS):
            q, K, share = q1, np.zeros_like(before), np.full(1, (part + 1) / PARTS)
            if part < PARTS - 1:
                q = np.zeros_like(q1)
                found.append(Call(between, [q0, qd0, qd1, motion.h, share], [q]))
            outputs = [*rest, K, *(np.zeros(1) for _ in range(3)), turned[part : part + 1]]
            found.append(Call(self._kernel, [q, qd1, before, *asked], outputs))
            before = K
        return [*found, Call(_any(), [turned], [self.watch[2:]])]

    def instructions(self) -> list[Instruction]:
        """From a state in `after` to the closed one next to it, there."""
        motion = self.motion
        q, qd = motion.split(motion.after)
        raw, closer = np.zeros_like(qd), np.zeros_like(q)
        call = Call(
            self._kernel,
            [q, raw, self._before, *([] if motion.drive is None else [motion.asked])],
            [closer, qd, self._after, self._open, *np.split(self.watch, 3)],
        )
        found: list[Instruction] = [*motion.ask(motion.t_after), Copy(qd, raw), call, Copy(closer, q), call]
        for _ in range(PASSES - 2):
            found += [Unless(self._open, "closed"), Copy(closer, q), call]
        return [
            *found,
            Label("closed"),
            Unless(self.watch[2:], "straight"),
            *self._in_parts(),
            Label("straight"),
        ]

    def commit(self) -> list[Instruction]:
        """What is after a step is before the next."""
        return [Copy(self._after, self._before)]
