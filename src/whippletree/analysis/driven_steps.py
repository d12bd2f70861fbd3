"""From one position of a driven mechanism to the next, in machine code (`kernels/run/script.py`)."""

from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, SolverError
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
from ..model.driver_motions import Prescribed
from ..spatial import Array
from .driven_equations import StepKernels, step_kernels
from .driven_system import DrivenSystem, joint_of_velocity

SHORTEST = 2.0**-30
"""Share of the time between two positions below which it is not halved again."""

FAR, APART = 1e10, 1e4
"""rad: where numbers are more than a millionth apart; and turns between two positions that take seconds."""

BLOCK = 512
"""Positions for which there is room in memory."""


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
        kernels, end = step_kernels(system.now, system.driven, tuple(system.rows)), [Label("end"), Halt()]
        accepted = [Copy(self._q_after, self._q), Copy(after[0], self._qd), Copy(after[1], self._qdd)]
        written = [Write(place, rows) for place, rows in self._told]
        kept = [*self._rates(kernels), *accepted, *written, Next()]
        read = [Read(rows, place) for rows, place in zip(self._given, (self._h, self._asked), strict=True)]
        self._once = Script([*kept, *end])
        self._many = Script([Label("go"), *read, *self._closing(kernels), *kept, Again("go"), *end])

    def __reduce__(self) -> tuple[Any, ...]:
        return DrivenSteps, (self.system,)  # memory and machine code are made again

    def _closing(self, kernels: StepKernels) -> list[Instruction]:
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

    def _rates(self, kernels: StepKernels) -> list[Instruction]:
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
        self._refuse_far(t, np.concatenate([[self.system.prescribed(before.t).x], asked[:, 0]]))
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

    def _refuse_far(self, t: Array, x: Array) -> None:
        """InputError where drivers ask for turns x (1 + n, nd) that cannot be followed to times (n,)."""
        m = self.system.m
        for k, coordinate in enumerate(self.system.driven):
            if coordinate.of == "distance" or coordinate.joint(m).units != ("rad",):
                continue
            beyond, apart = ~(np.abs(x[1:, k]) < FAR), np.abs(np.diff(x[:, k]))
            if np.any(beyond):
                n = int(np.argmax(beyond))
                told = f"drives to {x[n + 1, k]:g} rad at t = {t[n]:g} s, and {FAR:g} rad are the most"
            elif m.loops and np.max(apart, initial=0.0) > APART:
                n = int(np.argmax(apart))
                told = f"turns by {apart[n]:g} rad on the way to t = {t[n]:g} s, and {APART:g} rad between "
                told += "two positions are the most: ask for more of them"
            else:
                continue
            raise InputError(f"driver {self.system.drivers[k]!r} of {m.name!r} {told}")

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
