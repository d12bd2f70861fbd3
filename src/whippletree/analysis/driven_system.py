"""The equations of a mechanism whose freedoms are all driven, and their solution along a motion.

Loops and gears ask for δ(q) = 0, drivers for x(q) = θ(t): together A q̇ = (0, θ̇) and A q̈ = (k, θ̈ - w), where
A is K over W. Positions are found by Newton's method from a prediction of second order, so that the mechanism
stays in the way in which it was put together.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import get_lapack_funcs

from ..api.compiling import made_once
from ..errors import InputError, SolverError
from ..loops.equations.constraints import constraint_equation, constraint_error
from ..loops.equations.driven_rows import Coordinate, driven_rows
from ..loops.equations.loop_sizes import row_sizes
from ..loops.equations.rank import TOLERANCE, eliminate
from ..model.driver_motions import Prescribed
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..spatial import Array, array, maximum

solve, factor, solve_factored = get_lapack_funcs(("gesv", "getrf", "getrs"), dtype=np.float64)

STEPS = 12
"""Newton steps after which a predicted position should be closed; each squares the error."""

CLOSED = 1e-9
"""Gaps below this, in rad and of a loop's size, count as closed; they are then reduced to rounding."""

TRUSTED, NEGLIGIBLE = 0.1, 1e-8
"""A position found further from its prediction than this share of the way, and this in rad or m, may be in
another branch: the way is halved."""

SHORTEST = 2.0**-30
"""Share of the time between two positions below which it is not halved again."""

SINGULAR = 1e-9
"""Pivots below this share of the largest count as zero: the drivers do not determine how it goes on."""


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
    largest = reduce(maximum, [abs(gap) / size for gap, size in zip(gaps, sizes, strict=True)], 0.0)
    return gaps, largest, np.concatenate([K, rows.W])


def driven_bias(m: Mechanism, q: Array, qd: Array, *, driven: tuple[Coordinate, ...]) -> Array:
    """(nc + nd,) k of loops and gears, and -w of the drivers."""
    _, k = constraint_equation(m, q, qd)
    return np.concatenate([k, -driven_rows(m, q, qd, driven).w])


class DrivenState(NamedTuple):
    """A mechanism at one time.

    Attributes:
        t: The time, s.
        q: (nq,), qd: (nv,), qdd: (nv,) as the drivers make them.
        G: (nv, nd) joint velocities of unit speeds of the drivers; NaN where they do not determine them.
        determinant: Of the equations, with its sign; of no meaning but where it changes sign.
    """

    t: float
    q: Array
    qd: Array
    qdd: Array
    G: Array
    determinant: float

    @property
    def is_singular(self) -> bool:
        return bool(np.any(np.isnan(self.G)))


class DrivenSystem:
    """The equations for one mechanism and its drivers, compiled.

    Attributes:
        m: The mechanism.
        drivers: Names of the drivers.
        motions: What they do, in the same order.
        rows: Numbers of the rows of A that are solved.
    """

    def __init__(self, m: Mechanism, drivers: Sequence[str], driven: tuple[Coordinate, ...]) -> None:
        self.m, self.drivers, self.driven = m, tuple(drivers), driven
        self.motions: list[Callable[[Array], Prescribed]] = []
        self._known: dict[float, Prescribed] = {}
        self.gaps = made_once(driven_gaps, m, driven=driven, inputs={"target": (len(driven),)})
        self._bias = made_once(driven_bias, m, driven=driven)
        self._moved = made_once(integrate, m, inputs={"dq": (m.nv,)})
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
        if t in self._known:
            return self._known[t]
        parts = [motion(np.asarray(t)) for motion in self.motions]
        return Prescribed(*(np.array([float(part[k]) for part in parts]) for k in range(3)))

    def foresee(self, times: Array) -> None:
        """Ask the drivers at once for what they do at many times (n,)."""
        tables = [np.array([motion(times)[k] for motion in self.motions]).T for k in range(3)]
        self._known = {float(t): Prescribed(*rows) for t, *rows in zip(times, *tables, strict=True)}

    def nearest(self, q: Array, x: Array) -> tuple[Array, float, float]:
        """As `closed`, by the shortest steps: freedoms that none drives stay as they are."""
        return self.closed(q, x, lambda A, gaps: (np.linalg.lstsq(A, gaps, rcond=TOLERANCE)[0], 0))

    def closed(
        self, q: Array, x: Array, solution: Callable[[Array, Array], tuple[Array, int]] | None = None
    ) -> tuple[Array, float, float]:
        """The position near q at which loops are closed and drivers are at x (nd,).

        Returns:
            q (nq,), the largest gap left as a share of its loop's size, and the first correction, rad or m.
        """
        best, size, first = q, np.inf, 0.0
        for count in range(STEPS):
            gaps, new, A = self.gaps(q, x)
            if not new < size:  # rounding is all that is left, or nothing of use
                break
            best, size = q, new
            step, fault = (solution or _solution)(A[self.rows], gaps[self.rows])
            if fault:
                break
            if count == 0:
                first = np.abs(step).max(initial=0.0)
            q = self._moved(q, -step)
            if size < CLOSED:  # one step more is enough: it squares the gap
                best = q
                break
        if size < CLOSED:
            best[self._own] = x[self._given]  # to the last digit
        return best, size, first

    def state(self, t: float, q: Array, prescribed: Prescribed) -> DrivenState:
        """Rates at a closed position."""
        A, nd = self.matrix(q)[self.rows], len(self.driven)
        units = np.zeros((len(A), nd))
        units[len(A) - nd :] = np.eye(nd)
        LU, swaps, fault = factor(A)
        G = solve_factored(LU, swaps, units)[0]
        pivots = np.diag(LU)
        if fault or not np.abs(pivots).min(initial=1.0) > SINGULAR * np.abs(pivots).max(initial=0.0):
            nothing = np.full(self.m.nv, np.nan)
            return DrivenState(t, q, nothing, nothing, np.full((self.m.nv, nd), np.nan), 0.0)
        qd = G @ prescribed.xd
        bias = self._bias(q, qd)[self.rows]
        bias[len(A) - nd :] += prescribed.xdd
        odd = np.count_nonzero(swaps != np.arange(len(A))) % 2
        determinant = float(np.prod(pivots)) * (-1.0 if odd else 1.0)
        return DrivenState(t, q, qd, solve_factored(LU, swaps, bias)[0], G, determinant)

    def advance(self, before: DrivenState, t: float) -> DrivenState:
        """The state at a later time, by steps short enough that it stays in its branch.

        Raises:
            SolverError: There is none; the message tells up to which time, and which joint stops it.
        """
        h, last = t - before.t, before
        while last.t < t:
            after = self.tried(last, min(last.t + h, t) if last.t + 1.5 * h < t else t)
            if after is None:
                h = 0.5 * min(h, t - last.t)
                if h < SHORTEST * max(t - before.t, abs(t)):
                    raise SolverError(self.impossible(last, t))
                continue
            last, h = after, 2.0 * h
        return last

    def tried(self, before: DrivenState, t: float) -> DrivenState | None:
        """The state at a time t, s, if it can be reached in one step; None if not for sure."""
        h, prescribed = t - before.t, self.prescribed(t)
        way = h * before.qd + 0.5 * h * h * before.qdd
        q, size, first = self.closed(self._moved(before.q, way), prescribed.x)
        if not size < CLOSED or first > TRUSTED * np.max(np.abs(way), initial=0.0) + NEGLIGIBLE:
            return None
        found = self.state(t, q, prescribed)
        if not found.is_singular:
            return found
        # Rates there are not determined by the equations: they are not told, and taken as going on smoothly.
        return found._replace(qd=before.qd + h * before.qdd, qdd=before.qdd)

    def impossible(self, last: DrivenState, t: float) -> str:
        """Why no position was found between a state and a time t, s."""
        names = " and ".join(repr(name) for name in self.drivers)
        stuck = joint_of_velocity(self.m, int(np.argmax(np.max(np.abs(np.nan_to_num(last.G)), axis=1))))
        at = ", ".join(f"{value:.6g}" for value in self.prescribed(last.t).x)
        return (
            f"{self.m.name!r} cannot follow its driver {names} beyond t = {last.t:.6g} s on the way to "
            f"{t:.6g} s: at {at} rad or m it comes to a dead centre, where joint {stuck!r} does not go on. "
            "Drive another joint, or by less"
        )


def _solution(A: Array, gaps: Array) -> tuple[Array, int]:
    return solve(A, gaps)[2:]


def joint_of_velocity(m: Mechanism, k: int) -> str:
    """The name of the joint that an entry of qd belongs to."""
    return next(body.joint_name for body, index in zip(m.bodies, m.v_index, strict=True) if k < index.stop)
