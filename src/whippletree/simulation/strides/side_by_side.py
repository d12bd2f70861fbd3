"""Slopes, steps or closed positions of states, one after the other in machine code for one state.

Where a few states are looked at, as for a derivative by differences, vector code would take longer to compile
than it saves.
"""

from collections.abc import Callable, Hashable

import numpy as np

from ...kernels.run.script import Again, Call, Copy, Halt, Instruction, Label, Next, Read, Script, Write
from ...model.snapshot import Snapshot
from ...spatial import Array
from ..closed_step import Rows
from ..integrators import Integrator
from ..systems import Compiled
from .bringing_back import BringingBack
from .fixed_script import step_instructions
from .loop_closing import closing_kernels
from .motion import END, Motion
from .shelf import SHELF

ROWS = 64
"""States of one call."""


class SideBySide:
    """A script over states.

    Args:
        motion: The memory; `begun` is where a time and a state are read.
        instructions: To its result.
        result: (n,) where that is.
    """

    def __init__(self, motion: Motion, instructions: list[Instruction], result: Array) -> None:
        self.motion = motion
        self._given, self._found = np.zeros((ROWS, len(motion.begun))), np.zeros((ROWS, len(result)))
        around: list[Instruction] = [Write(result, self._found), Next(), Again("state"), Label(END), Halt()]
        self._script = Script([Label("state"), Read(self._given, motion.begun), *instructions, *around])

    def __call__(self, t: Array, states: Array) -> Array:
        """(n, …) results for times (n,) and states (n, nq + nv)."""
        found = []
        for first in range(0, len(states), ROWS):
            part = states[first : first + ROWS]
            self._given[: len(part), 0], self._given[: len(part), 1:] = t[first : first + ROWS], part
            self._script(len(part), len(part))
            self.motion.raise_fault()
            found.append(self._found[: len(part)].copy())
        return found[0] if len(found) == 1 else np.concatenate(found)


def slopes(system: Compiled, states: Array, t: Array | None = None) -> Array:
    """(n, nq + nv) dy/dt of states (n, nq + nv) at times (n,), s, or at t = 0."""
    t = np.zeros(len(states)) if t is None else t
    if not is_machine_code(system):
        return np.array([system.slope(float(at), y) for at, y in zip(t, states, strict=True)])

    def make() -> SideBySide:
        motion = Motion(system, ())
        found = np.zeros(len(motion.y))
        return SideBySide(motion, motion.slope(motion.t, motion.y, found), found)

    return _computed(system, ("slopes", *Motion.key(system)), make, t, states)


def steps(system: Compiled, integrator: Integrator, states: Array, h: float) -> Array:
    """(n, nq + nv) states after a step of length h, s, from others at t = 0, with loops as they come."""
    if not is_machine_code(system) or not integrator.recordable:
        return np.array([integrator.step(system, 0.0, y, h) for y in states])

    def make() -> SideBySide:
        motion = Motion(system, ())
        return SideBySide(motion, *step_instructions(motion, integrator))

    key = "steps", integrator, *Motion.key(system)
    return _computed(system, key, make, np.zeros(len(states)), states, h)


def closed(system: Compiled, rows: Rows, states: Array) -> tuple[Array, Array, Array]:
    """Closed states next to others (n, nq + nv), (n,) their gaps, and their margins, of machine code.

    Args:
        system: What moves.
        rows: Numbers of independent constraints.
        states: The others.
    """

    def make() -> SideBySide:
        motion = Motion(system, rows)
        loops, found = BringingBack(motion, rows), np.zeros(len(motion.y) + 2)
        after = [Copy(motion.after, found[:-2]), Copy(loops.watch[:2], found[-2:])]
        return SideBySide(motion, [*motion.unit(motion.y), *loops.closed(), *after], found)

    found = _computed(system, ("closed", rows, *Motion.key(system)), make, np.zeros(len(states)), states)
    return found[:, :-2], found[:, -2], found[:, -1]


def margins(system: Compiled, rows: Rows, states: Array) -> Array:
    """(n,) how far states (n, nq + nv) are from where constraints are dependent, of machine code.

    Args:
        system: What moves.
        rows: Numbers of constraints that are independent elsewhere.
        states: With loops nearly closed.
    """

    def make() -> SideBySide:
        motion = Motion(system, rows)
        kernel, found = closing_kernels(Snapshot(motion.m), rows, ()).closer, np.zeros(1)
        others = [np.zeros(shape) for shape in kernel.array_shapes()[1:-1]]
        call = Call(kernel, [motion.split(motion.after)[0]], [*others, found])
        return SideBySide(motion, [*motion.unit(motion.y), call], found)

    found = _computed(system, ("margins", rows, *Motion.key(system)), make, np.zeros(len(states)), states)
    return found[:, 0]


def is_machine_code(system: Compiled) -> bool:
    """Whether a motion is that of the equations, and these are recorded; drivers need constraints, too."""
    law, m = system.equations.law, system.equations.m
    return type(system) is Compiled and law.method.recordable and m.nv > 0 and system.forces.drive is None


def _computed(
    system: Compiled,
    key: Hashable,
    make: Callable[[], SideBySide],
    t: Array,
    states: Array,
    h: float = 0.0,
) -> Array:
    script: SideBySide = SHELF.take(key, make)
    script.motion.serve(system)
    script.motion.begin()
    script.motion.h[0] = h
    found = script(t, states)
    SHELF.put(key, script)
    return found
