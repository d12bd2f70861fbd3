"""The numbers of one motion in memory, and the instructions that answer what an integrator asks of it."""

from collections.abc import Callable, Hashable, Sequence
from functools import cache, lru_cache
from itertools import count
from typing import Any
from weakref import ref

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, CallMany, CallPython, Copy, Instruction, Label, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, where
from ..acting import SOON, HeldActing, is_control
from ..closed_step import Rows
from ..equations import Function
from ..systems import Compiled

STEP, REJECTED, RETRY, END, KINK = "step", "rejected", "retry", "end", "kink"
"""Labels: where a step begins, where one goes that was not accepted, from where it is taken again, where the
script ends, and where a step goes that meets a kink."""


class Motion:
    """What a script computes with.

    Args:
        system: What moves; its equations are machine code.
        rows: Numbers of independent constraints, those of drivers last.

    Attributes:
        t, y: (1,), (nq + nv,) time and state at the start of a step.
        h: (1,) its length, s.
        wanted: (1,) what the length would be but for what cuts steps short, s, where it is chosen.
        t_after, after: Time and state at its end.
        begun, ended: t and y, and h, t_after and after, each in one piece.
        good: (1,) above zero unless a decision is needed.
        shortest: (1,) steps below this, s, need one.
        sample: (1,) when a control that is held is asked the next time, s; infinite if none is.
        faults: What functions of the user have raised; a script ends there.
        asked: (3, nd) what drivers prescribe at the time asked for last.
    """

    def __init__(self, system: Compiled, rows: Rows) -> None:
        self.equations, self.m = system.equations, system.equations.m
        self.serve(system)
        n = self.m.nq + self.m.nv
        self.begun, self.ended, self.wanted = np.zeros(1 + n), np.zeros(2 + n), np.zeros(1)
        self.t, self.y = self.begun[:1], self.begun[1:]
        self.h, self.t_after, self.after = self.ended[:1], self.ended[1:2], self.ended[2:]
        self.good, self.shortest = np.ones(1), np.zeros(1)
        self.faults: list[BaseException] = []
        self.tau, self.f_ext = np.zeros(self.m.nv), np.zeros((len(self.m), 6))
        self.sample, self._due = np.full(1, np.inf), np.zeros(1)
        self._answered, self._is_sound, self._numbers = np.ones(1), np.ones(1), count()
        self.drive, self.driving = system.forces.drive, np.zeros(self.m.nv)
        self.asked = np.zeros((3, 0 if self.drive is None else len(self.drive.driven)))
        self._driving = None if self.drive is None else self.drive.forces(rows)

    def serve(self, system: Compiled) -> None:
        """Move another one of the same key. It is not kept alive: a script may outlive its run."""
        self._system = ref(system)

    @property
    def system(self) -> Compiled:
        """What moves."""
        system = self._system()
        assert system is not None
        return system

    @staticmethod
    def key(system: Compiled) -> tuple[Hashable, ...]:
        """Equal for motions whose scripts are the same but for the numbers in memory."""
        forces, m = system.forces, system.equations.m
        compiled = forces.by_control_alone and is_control(forces.control, m.nq, m.nv)
        how = forces.control if compiled else forces.gives_nothing
        return system.equations, how, forces.external is None, forces.drive, forces.period is None

    def split(self, y: Array) -> tuple[Array, Array]:
        """Positions and velocities of a state, as parts of it."""
        return y[: self.m.nq], y[self.m.nq :]

    def answer(self, question: str, arguments: Sequence[Array], answer: Array) -> list[Instruction]:
        """Instructions that answer one of `System`'s methods."""
        now, common = self.equations, self.equations.common
        if question == "slope":
            t, y = arguments
            return self.slope(t, y, answer)
        if question == "acceleration":
            t, q, qd, h = arguments
            inputs = [q, qd, *self._acting, h]
            return [*self._forces(t, q, qd), _call(now.acceleration, inputs, answer)]
        return [_call(common.advanced if question == "moved" else common.stepped, arguments, answer)]

    def slope(self, t: Array, y: Array, answer: Array) -> list[Instruction]:
        """Instructions for dq/dt and qdd at (t, y)."""
        q, qd = self.split(y)
        call = _call(self.equations.rates, [q, qd, *self._acting], answer)
        return [*self._forces(t, q, qd), call]

    def slopes(self, t: Array, y: Array, answer: Array) -> list[Instruction]:
        """Instructions for dq/dt and qdd at times (k,) and states in rows (k, …), into rows (k, …).

        Behind the numbers of a state there may be others. States go side by side unless functions in Python
        or drivers are asked about each.
        """
        nq, n, forces = self.m.nq, self.m.nq + self.m.nv, self.system.forces
        q, qd, found = y[:, :nq], y[:, nq:n], answer[:, :n]
        compiled = forces.by_control_alone and is_control(forces.control, nq, n - nq)
        if not (compiled or forces.gives_nothing) or forces.external is not None or self.drive is not None:
            each = zip(np.split(t, len(t)), y, answer, strict=True)
            return [entry for at, state, slope in each for entry in self.slope(at, state[:n], slope[:n])]
        before, tau = list[Instruction](), self.tau[None]
        if compiled:
            seen, tau = q, np.zeros((len(t), n - nq))
            if nq != n - nq:
                seen = np.zeros((len(t), nq))
                before.append(_call_many(self.equations.common.projected, [q], seen))
            before.append(_call_many(forces.control, [t[:, None], seen, qd], tau))
        return [*before, _call_many(self.equations.rates, [q, qd, tau], found)]

    def unit(self, raw: Array) -> list[Instruction]:
        """Instructions that bring a state to quaternions of unit norm, into `after`."""
        if self.m.nq == self.m.nv:
            return [Copy(raw, self.after)]
        (q, qd), (to_q, to_qd) = self.split(raw), self.split(self.after)
        return [Call(self.equations.common.projected, [q], [to_q]), Copy(qd, to_qd)]

    @property
    def _acting(self) -> list[Array]:
        tau = self.tau if self.drive is None else self.driving
        return [tau] if self.system.forces.external is None else [tau, self.f_ext]

    def ask(self, t: Array) -> list[Instruction]:
        """Instructions for what drivers prescribe at a time."""
        drive = self.drive
        if drive is None:
            return []
        if drive.kernel is not None:
            return [Call(drive.kernel, [t], [self.asked])]

        def ask() -> None:
            self.asked[:] = drive.asked(float(t[0]))

        return self.calling(ask)

    def _forces(self, t: Array, q: Array, qd: Array) -> list[Instruction]:
        given = self._given(t, q, qd)
        if self._driving is None:
            return given
        common, external = self.system.equations.common, self.system.forces.external is not None
        within, more = np.zeros(self.m.nv), np.zeros(self.m.nv)
        inputs = [q, qd, within, self.asked[2], *([self.f_ext] if external else [])]
        return [
            *given,
            *self.ask(t),
            Call(common.limited, [self.tau], [within]),
            Call(self._driving, inputs, [more]),
            Call(_sum(self.m.nv), [within, more], [self.driving]),
        ]

    def _given(self, t: Array, q: Array, qd: Array) -> list[Instruction]:
        forces = self.system.forces
        if forces.gives_nothing or (forces.period is not None and forces.external is None):
            return []
        if forces.by_control_alone and is_control(forces.control, self.m.nq, self.m.nv):
            seen, before = q, list[Instruction]()
            if self.m.nq != self.m.nv:  # stages of a step have quaternions next to their sphere
                seen = np.zeros(self.m.nq)
                before = [Call(self.equations.common.projected, [q], [seen])]
            return [*before, _call(forces.control, [t, seen, qd], self.tau)]

        def ask() -> None:
            self.system.forces.ask(t.item(), q, qd, self.tau, self.f_ext)

        away = f"run away {next(self._numbers)}"  # who integrates will tell; no function is asked about it
        sound = Call(_sound(self.m.nq, self.m.nv), [q, qd], [self._is_sound])
        return [sound, Unless(self._is_sound, away), *self.calling(ask), Label(away)]

    def begin(self) -> None:
        """Go on with what a control that is held has said."""
        forces = self.system.forces
        self.sample[0] = forces.next_sample
        self.tau[:] = forces.tau if isinstance(forces, HeldActing) else 0.0

    def sampled(self, then: list[Instruction]) -> list[Instruction]:
        """Instructions that ask a control that is held, at (t, y), if it is time to, and what follows."""
        if self.system.forces.period is None:
            return []

        def ask() -> None:
            self.system.forces.sample(float(self.t[0]), *self.split(self.y))
            self.begin()

        look = Call(_due(), [self.t, self.sample], [self._due])
        return [look, Unless(self._due, "held"), *self.calling(ask), *then, Label("held")]

    def calling(self, function: Callable[[], None]) -> list[Instruction]:
        """Instructions that call a function in Python; a script ends where it fails."""

        def ask() -> None:
            try:
                function()
            except BaseException as fault:  # raised again where the script was called
                self.faults.append(fault)
                self._answered[0] = 0.0

        return [CallPython(ask), Unless(self._answered, END)]

    def raise_fault(self) -> None:
        """Raise what a function of the user has raised since the last time."""
        self._answered[0] = 1.0
        if self.faults:
            raise self.faults.pop()


@lru_cache(maxsize=32)
def _sum(n: int) -> Kernel:
    return Kernel(simplify(trace(lambda a, b: a + b, {"a": (n,), "b": (n,)})), "sum")


LARGEST = np.finfo(float).max


@lru_cache(maxsize=32)
def _sound(nq: int, nv: int) -> Kernel:
    """Above zero where all numbers of a state are finite: their sum is."""

    def sound(q: Array, qd: Array) -> Any:
        return where(abs(sum(q) + sum(qd)) <= LARGEST, 1.0, 0.0)

    return Kernel(simplify(trace(sound, {"q": (nq,), "qd": (nv,)})), "sound")


def due(t: Any, sample: Any) -> Any:
    """Whether it is time for a sample."""
    return where(t < SOON * sample, 0.0, 1.0)


@cache
def _due() -> Kernel:
    return Kernel(simplify(trace(due, {"t": (), "sample": ()})), "due")


def _call_many(function: Function | None, inputs: Sequence[Array], output: Array) -> CallMany:
    assert isinstance(function, Kernel)
    return CallMany(function, inputs, [output])


def _call(function: Function | None, inputs: Sequence[Array], output: Array) -> Call:
    assert isinstance(function, Kernel)
    return Call(function, inputs, [output])
