"""From one position of a driven mechanism to the next, in machine code (`kernels/run/script.py`).

A position is predicted by q̇ and q̈ of the one before, and closed by Newton's method on δ and x - θ, whose
first step tells how far the prediction was off: more than a share of the way may lead into another branch.
Then A G = (0, 1), q̇ = G θ̇ and A q̈ = (k, θ̈ - w).
"""

from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from ..api.compiling import compile
from ..errors import SolverError
from ..kernels.run.kernel import Kernel
from ..kernels.run.lapack_calls import Factorized
from ..kernels.run.script import (
    Again,
    Call,
    Copy,
    Halt,
    Instruction,
    Label,
    Next,
    Read,
    Script,
    Unless,
    Write,
)
from ..loops.equations.driven_rows import Coordinate
from ..model.driver_motions import Prescribed
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..model.snapshot import Snapshot
from ..spatial import Array, array, maximum, minimum, where
from .driven_system import CLOSED, STEPS, DrivenSystem, driven_bias, driven_gaps, joint_of_velocity

TRUSTED, NEGLIGIBLE = 0.1, 1e-8
"""A position found further from its prediction than this share of the way, and this in rad or m, may be in
another branch: the way is halved."""

SHORTEST = 2.0**-30
"""Share of the time between two positions below which it is not halved again."""

SINGULAR = 1e-9
"""Pivots below this share of the largest count as zero: the drivers do not determine how it goes on."""

BLOCK = 512
"""Positions for which there is room in memory."""

Driven = tuple[Coordinate, ...]


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
        return bool(np.isnan(self.G).any())


def predicted(m: Mechanism, q: Array, qd: Array, qdd: Array, h: Any) -> tuple[Array, Array]:
    """(nq,) about where a motion leads in h, s; and what Newton's method begins with: course (4,).

    That is the gap before, the first step, how many there were, and the longest way of a joint, rad or m.
    """
    way = h * qd + 0.5 * h * h * qdd
    return integrate(m, q, way), array([np.inf, 0.0, 0.0, _largest(way)])


def equations(
    m: Mechanism, q: Array, asked: Array, *, driven: Driven, rows: tuple[int, ...]
) -> tuple[Array, Array, Any]:
    """A (nv, nv), what is left of loops and drivers (nv,), and the largest of it as a share of its loop."""
    gaps, size, A = driven_gaps(m, q, asked[0], driven=driven)
    return A[list(rows)], gaps[list(rows)], size


def corrected(
    m: Mechanism, q: Array, step: Array, size: Any, asked: Array, course: Array, *, driven: Driven
) -> tuple[Array, Array, Any, Any, Any]:
    """The position after a Newton step, and what comes next.

    Returns:
        q, course; whether it is done; whether loops are closed then, by one step more than would do, which
        squares the gap; and whether in the branch that was foreseen.
    """
    before, first, count, way = course
    first = where(count < 0.5, _largest(step), first)
    better, small = where(size < before, 1.0, 0.0), where(size < CLOSED, 1.0, 0.0)
    entries = list(integrate(m, q, -step))
    for coordinate, x in zip(driven, asked[0], strict=True):
        if coordinate.is_own:  # to the last digit
            entries[m.q_index[coordinate.number].start] = x
    more = better * (1.0 - small) * where(count + 1.0 < STEPS, 1.0, 0.0)
    closed, trusted = better * small, where(first <= TRUSTED * way + NEGLIGIBLE, 1.0, 0.0)
    return array(entries), array([size, first, count + 1.0, way]), 1.0 - more, closed, trusted


def right_side(
    m: Mechanism, q: Array, asked: Array, G: Array, *, driven: Driven, rows: tuple[int, ...]
) -> tuple[Array, Array]:
    """Velocities (nv,), and what A q̈ is (nv,), G being (nd, nv)."""
    qd = G.T @ asked[1]
    bias, nd = driven_bias(m, q, qd, driven=driven)[list(rows)], len(driven)
    return qd, np.concatenate([bias[: len(bias) - nd], bias[len(bias) - nd :] + asked[2]])


def pivots(m: Mechanism, LU: Array) -> tuple[Array, Any]:
    """The pivots (nv,) of a factored matrix, and whether none of them is next to zero."""
    found = [LU[k, k] for k in range(m.nv)]
    least, most = reduce(minimum, map(abs, found)), reduce(maximum, map(abs, found))
    return array(found), where(least > SINGULAR * most, 1.0, 0.0)


def _largest(values: Array) -> Any:
    return reduce(maximum, [abs(value) for value in values], 0.0)


class _Kernels(NamedTuple):
    """Compiled: `predicted`, `equations`, `corrected`, `pivots` and `right_side`."""

    predict: Kernel
    look: Kernel
    correct: Kernel
    judge: Kernel
    right: Kernel


@lru_cache(maxsize=32)
def _kernels(now: Snapshot, driven: Driven, rows: tuple[int, ...]) -> _Kernels:
    m, asked = now.m, {"asked": (3, len(driven))}
    step = {"step": (m.nv,), "size": (), **asked, "course": (4,)}
    return _Kernels(
        compile(predicted, m, inputs={"h": ()}),
        compile(equations, m, driven=driven, rows=rows, inputs=asked),
        compile(corrected, m, driven=driven, inputs=step),
        compile(pivots, m, inputs={"LU": (m.nv, m.nv)}),
        compile(right_side, m, driven=driven, rows=rows, inputs={**asked, "G": (len(driven), m.nv)}),
    )


class DrivenSteps:
    """A driven motion in memory, and what leads it on.

    Args:
        system: The equations, with rows chosen.
    """

    def __init__(self, system: DrivenSystem) -> None:
        self.system, m, nd = system, system.m, len(system.driven)
        self._q, self._q_after, self._closer = (np.zeros(m.nq) for _ in range(3))
        self._qd, self._qdd, *after = (np.zeros(m.nv) for _ in range(4))
        self._qd_after, self._qdd_after = after
        self._h, self._asked, self._G = np.zeros(1), np.zeros((3, nd)), np.zeros((nd, m.nv))
        self._lu, self._pivots = Factorized(np.zeros((m.nv, m.nv))), np.zeros(m.nv)
        self._closed, self._trusted, self._regular = (np.zeros(1) for _ in range(3))
        swaps = self._lu.swaps.view(np.float64)
        self._given = [np.zeros((BLOCK, 1)), np.zeros((BLOCK, 3, nd))]
        self._told = [
            (place, np.zeros((BLOCK, *place.shape)))
            for place in (self._q, self._qd, self._qdd, self._G, self._pivots, swaps)
        ]
        kernels, end = _kernels(system.now, system.driven, tuple(system.rows)), [Label("end"), Halt()]
        accepted = [Copy(self._q_after, self._q), Copy(after[0], self._qd), Copy(after[1], self._qdd)]
        written = [Write(place, rows) for place, rows in self._told]
        kept = [*self._rates(kernels), *accepted, *written, Next()]
        read = [Read(rows, place) for rows, place in zip(self._given, (self._h, self._asked), strict=True)]
        self._once = Script([*kept, *end])
        self._many = Script([Label("go"), *read, *self._closing(kernels), *kept, Again("go"), *end])

    def __reduce__(self) -> tuple[Any, ...]:
        return DrivenSteps, (self.system,)  # memory and machine code are made again

    def _closing(self, kernels: "_Kernels") -> list[Instruction]:
        """From q to the closed position after h in q_after."""
        m = self.system.m
        gaps, size, course, new, done = np.zeros(m.nv), np.zeros(1), np.zeros(4), np.zeros(4), np.zeros(1)
        return [
            Call(kernels.predict, [self._q, self._qd, self._qdd, self._h], [self._q_after, course]),
            Label("newton"),
            Call(kernels.look, [self._q_after, self._asked], [self._lu.matrix, gaps, size]),
            self._lu.factor(),
            self._lu.solve(gaps),
            Call(
                kernels.correct,
                [self._q_after, gaps, size, self._asked, course],
                [self._closer, new, done, self._closed, self._trusted],
            ),
            Copy(self._closer, self._q_after),
            Copy(new, course),
            Unless(done, "newton"),
            Unless(self._closed, "end"),
            Unless(self._trusted, "end"),
        ]

    def _rates(self, kernels: "_Kernels") -> list[Instruction]:
        """Velocities and accelerations at q_after."""
        m, nd = self.system.m, len(self.system.driven)
        units = np.ascontiguousarray(np.eye(nd, m.nv, m.nv - nd))
        return [
            Call(kernels.look, [self._q_after, self._asked], [self._lu.matrix, np.zeros(m.nv), np.zeros(1)]),
            self._lu.factor(),
            Call(kernels.judge, [self._lu.matrix], [self._pivots, self._regular]),
            Unless(self._regular, "end"),
            Copy(units, self._G),
            self._lu.solve(self._G),
            Call(kernels.right, [self._q_after, self._asked, self._G], [self._qd_after, self._qdd_after]),
            self._lu.solve(self._qdd_after),
        ]

    def _states(self, t: Array, count: int) -> list[DrivenState]:
        """Those that have been written, at times (count,)."""
        q, qd, qdd, G, pivots, swaps = (rows[:count].copy() for _, rows in self._told)
        exchanged = swaps.view(np.intc)[:, : pivots.shape[1]] != np.arange(1, pivots.shape[1] + 1)
        signs = np.where(exchanged.sum(axis=1) % 2, -1.0, 1.0)
        found = zip(
            t.tolist(), q, qd, qdd, np.swapaxes(G, 1, 2), (signs * pivots.prod(axis=1)).tolist(), strict=False
        )
        return [DrivenState(*state) for state in found]

    def state(self, t: float, q: Array, prescribed: Prescribed) -> DrivenState:
        """Rates at a closed position."""
        self._q_after[:], self._asked[:] = q, prescribed
        return self._states(np.array([t]), 1)[0] if self._once(1, 1) else self._singular(t)

    def _singular(self, t: float) -> DrivenState:
        """The state at q_after, where nothing determines rates."""
        nothing = np.full(self.system.m.nv, np.nan)
        G = np.full((self.system.m.nv, len(self.system.driven)), np.nan)
        return DrivenState(t, self._q_after.copy(), nothing, nothing, G, 0.0)

    def _from(self, before: DrivenState) -> None:
        self._q[:], self._qd[:], self._qdd[:] = before.q, before.qd, before.qdd

    def along(self, before: DrivenState, t: Array) -> list[DrivenState]:
        """The states at times (n,), s, after a state, by steps short enough that it stays in its branch.

        Raises:
            SolverError: There is none; the message tells up to which time, and which joint stops it.
        """
        asked = np.array([[motion(t)[k] for motion in self.system.motions] for k in range(3)])
        asked, states = np.moveaxis(asked, -1, 0), [before]
        while len(states) <= len(t):
            last, done = states[-1], len(states) - 1
            ahead = t[done : done + BLOCK]
            self._from(last)
            self._given[0][: len(ahead), 0] = np.diff(ahead, prepend=last.t)
            self._given[1][: len(ahead)] = asked[done : done + BLOCK]
            count = self._many(len(ahead), len(ahead))
            states += self._states(ahead[:count], count)
            if count < len(ahead):  # the way is too long, or rates are not determined at its end
                states.append(self.advance(states[-1], float(ahead[count])))
        return states[1:]

    def advance(self, before: DrivenState, t: float) -> DrivenState:
        """The state at one later time; see `along`."""
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
        self._from(before)
        h = self._given[0][0, 0] = t - before.t
        self._given[1][0] = self.system.prescribed(t)
        if self._many(1, 1):
            return self._states(np.array([t]), 1)[0]
        if not (self._closed[0] > 0.0 and self._trusted[0] > 0.0):
            return None
        # Rates there are not determined by the equations: they are not told, and taken as going on smoothly.
        return self._singular(t)._replace(qd=before.qd + h * before.qdd, qdd=before.qdd)

    def impossible(self, last: DrivenState, t: float) -> str:
        """Why no position was found between a state and a time t, s."""
        system = self.system
        names = " and ".join(repr(name) for name in system.drivers)
        stuck = joint_of_velocity(system.m, int(np.argmax(np.max(np.abs(np.nan_to_num(last.G)), axis=1))))
        at = ", ".join(f"{value:.6g}" for value in system.prescribed(last.t).x)
        return (
            f"{system.m.name!r} cannot follow its driver {names} beyond t = {last.t:.6g} s on the way to "
            f"{t:.6g} s: at {at} rad or m it comes to a dead centre, where joint {stuck!r} does not go on. "
            "Drive another joint, or by less"
        )
