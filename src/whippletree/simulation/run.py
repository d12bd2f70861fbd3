"""A simulation on its way: what it is made of, and what it has recorded."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InputError, SimulationError
from ..loops.methods.grcr import choose_reduction, reduction_quality
from ..model.mechanism import Mechanism
from ..spatial import Array
from .acting import Acting
from .choice import choose
from .closing import NEAR_SINGULAR, Closing, OpenLoop
from .crossing import Crossing
from .events import Watch
from .factors import WEAK
from .faults import fault_at
from .motion import Motion, acceleration, motion
from .passage import Passage
from .trajectory import Trajectory, build

WORN = 1e-3
"""Dependent coordinates whose least pivot falls below this share of what it was are looked at again."""

BETTER = 2.0
"""How much larger the least pivot of another choice must be to be worth a change."""

BRANCH = 0.1
"""Share by which a velocity may turn right behind a singular position and still lead along a branch."""


@dataclass(frozen=True)
class Step:
    """A step of an integrator.

    Attributes:
        end: Of the step, s.
        y: (nq + nv,) the state at the end.
        state: States at times within the step.
        margin: How far the end is from singular positions of loops; see `Factors`.
    """

    end: float
    y: Array
    state: Callable[[float], Array]
    margin: float


class Run:
    """One simulation.

    Args:
        m: The mechanism.
        forces: What acts on it.
        method: Name of the integrator, or "auto".
        watch: Its events.
        duration: s.
        rtol, atol: The error that a step may have, relative and absolute.

    Attributes:
        equations: Of motion; with loops, those for the dependent coordinates in use.
        first: A step out of the start, if that is a singular position.
    """

    def __init__(
        self,
        m: Mechanism,
        forces: Acting,
        method: str,
        watch: Watch,
        duration: float,
        rtol: float,
        atol: float,
    ) -> None:
        self.m, self.forces, self.watch, self.duration = m, forces, watch, duration
        self.method, self.reason, self.rtol, self.atol = method, "", rtol, atol
        self.first: Step | None = None
        self._best = self._worn = 0.0
        self._rows: list[tuple[float, Array, Array, Array, float, float]] = []

    @cached_property
    def equations(self) -> Motion:
        return motion(self.m, self.forces.external is not None)

    @cached_property
    def closing(self) -> Closing | None:
        return Closing(self.m, self.equations.common) if self.m.loops else None

    @cached_property
    def crossing(self) -> Crossing | None:
        if self.closing is None:
            return None
        advanced = self.equations.common.advanced
        return Crossing(self.closing, self.m.nq, advanced, self.slope, self.closed, self._tolerance)

    def _tolerance(self, y: Array) -> float:
        return self.atol + self.rtol * float(np.max(np.abs(y), initial=0.0))

    def slope(self, t: float, y: Array) -> Array:
        """(nq + nv,) dq/dt and qdd."""
        q, qd = y[: self.m.nq], y[self.m.nq :]
        return self.equations.rates(q, qd, *self.forces(t, q, qd))

    def start(self, y: Array) -> None:
        """Record the first state; with loops, choose dependent coordinates, and leave singular positions."""
        if self.closing is None or self.crossing is None:
            self.record(0.0, y, 0.0)
            return
        nq = self.m.nq
        q, qd = y[:nq], y[nq:]
        rest = not np.any(qd)
        tau, *f_ext = self.forces(0.0, q, qd)
        direction = acceleration(self.m, q, qd, tau, f_ext[0] if f_ext else None) if rest else qd
        after, singular = self.closing.begin(y, direction)
        self._choose_dependents(after[:nq])
        y = self.settle(y)
        self.record(0.0, y, 0.0)
        if not singular:
            return
        if not rest and np.max(np.abs(after[nq:] - qd)) > BRANCH * np.max(np.abs(qd)):
            raise InputError(
                f"q0 is a singular position of {self.m.name!r}, and qd0 leads along none of the ways out of "
                "it: take qd0 from wt.project_velocity at a position right behind it"
            )
        slope = np.concatenate([np.zeros(nq), direction if rest else np.zeros(self.m.nv)])
        passage = self.crossing.leave(y, slope, self.duration)
        if passage is None:
            raise self.fail("it starts at a singular position, and no way out of it was found", 0.0, None)
        self.first = self._across(passage)

    def choose(self) -> None:
        """Choose an integrator, by the state at the start or right behind it."""
        y = self.last if self.first is None else self.first.y
        q, qd = y[: self.m.nq], y[self.m.nq :]
        self.method, self.reason = choose(self.equations, self.forces, q, qd, self.duration)

    def look(self, t: float, y: Array, margin: float, step: Step) -> Step | float | None:
        """What to do in place of a step from (t, y), if it comes near a singular position; see `Crossing`."""
        if self.crossing is None or self.closing is None:
            return None
        least = min(margin, step.margin)
        found = self.crossing.look(t, y, step.end - t, self.duration - t, least)
        if isinstance(found, Passage):
            return self._across(found)
        if step.margin < WEAK:
            raise self.fail("no way across was found", step.end, None)
        return found

    @property
    def margin(self) -> float:
        """How far the state closed last was from singular positions."""
        return 1.0 if self.closing is None else self.closing.margin

    @property
    def near_singular(self) -> bool:
        """Whether the state closed last was close to a singular position of loops."""
        return self.closing is not None and self.closing.margin < NEAR_SINGULAR * self.closing.widest

    def _across(self, passage: Passage) -> Step:
        end = self.settle(passage.state(passage.end))

        def state(t: float) -> Array:
            return end if t == passage.end else self.closed(passage.state(t))

        return Step(passage.end, end, state, self.margin)

    def closed(self, y: Array) -> Array:
        """The state with quaternions of unit norm and loops closed."""
        nq = self.m.nq
        if nq != self.m.nv:
            y = np.concatenate([self.equations.common.projected(y[:nq]), y[nq:]])
        return y if self.closing is None else self.closing(y)

    def settle(self, y: Array) -> Array:
        """The same, and a look at whether the dependent coordinates are still a good choice."""
        y = self.closed(y)
        # At singular positions no choice is good, and the best one would be one for fewer constraints.
        if self.closing is not None and self.closing.margin > WEAK and np.all(np.isfinite(y)):
            q = y[: self.m.nq]
            quality = float(self.equations.quality(q))
            if quality < self._worn:
                self._choose_dependents(q, quality)
        return y

    def _choose_dependents(self, q: Array, quality: float = 0.0) -> None:
        """Use the dependent coordinates that suit a position best, if they are much better than now."""
        found = choose_reduction(self.m, q)
        reached = float(reduction_quality(self.m, q, found))
        if reached > BETTER * quality:
            self.equations, quality = motion(self.m, self.forces.external is not None, found), reached
        self._worn = WORN * quality

    @property
    def settles(self) -> bool:
        return self.closing is not None or self.m.nq != self.m.nv

    def record(self, t: float, y: Array, h: float) -> None:
        q, qd = y[: self.m.nq].copy(), y[self.m.nq :].copy()
        tau, *f_ext = self.forces(t, q, qd)
        power = self.equations.common.body_power(q, qd, *f_ext) if f_ext else 0.0
        self._rows.append((t, q, qd, self.forces.limited(tau), h, float(power)))

    def happening(self, t: float, y: Array, step: Step) -> float | None:
        """Look for events in a step from (t, y); when the first terminal one happens, s."""
        if not self.watch.events:
            return None
        nq = self.m.nq

        def inside(at: float) -> tuple[Array, Array]:
            state = y if at == t else step.y if at == step.end else step.state(at)
            return state[:nq], state[nq:]

        return self.watch.look(t, step.end, inside)

    @property
    def last(self) -> Array:
        """(nq + nv,) the state recorded last."""
        _, q, qd, *_ = self._rows[-1]
        return np.concatenate([q, qd])

    def trajectory(self) -> Trajectory:
        t, q, qd, tau, h, power = (np.array(column) for column in zip(*self._rows, strict=True))
        recorded = {"t": t, "q": q, "qd": qd, "tau": tau, "step": h, "mechanism": self.m}
        happened = {"events": tuple(self.watch.occurred), "method": self.method, "reason": self.reason}
        return build(self.equations, power, **recorded, **happened)

    def open_loop(self, error: OpenLoop, t: float) -> SimulationError:
        return self.fail(
            f"loop {error.name!r} is open by {error.gap:.3g} and could not be closed: reduce dt or rtol, or "
            "start away from where the mechanism locks",
            t,
            None,
        )

    def fail(self, what: str, t: float, joint: str | None) -> SimulationError:
        if self.near_singular:
            what += ". Its loops are close to a singular position, from where it may go on in several ways"
        return SimulationError(
            f"{self.m.name!r} at t = {t:.6g} s of {self.duration:g} s ({self.method}): {what}",
            t,
            joint,
            self.trajectory(),
        )

    def check(self, t: float, y: Array, before: Array) -> None:
        """Stop where the state has become no numbers; `before` is the last good one."""
        if not np.all(np.isfinite(y)):
            raise self.fail(*fault_at(self.equations, self.forces, t, before, y))
