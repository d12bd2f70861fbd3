"""Slopes or steps of states side by side, one after the other in machine code for one state.

Where a few states are looked at, as for a derivative by differences, vector code would take longer to compile
than it saves.
"""

from collections.abc import Callable, Hashable

import numpy as np

from ...kernels.run.script import Again, Halt, Instruction, Label, Next, Read, Script, Write
from ...spatial import Array
from ..integrators import Integrator
from ..systems import Compiled
from .fixed_script import step_instructions
from .motion import END, Motion
from .shelf import SHELF

ROWS = 64
"""States of one call."""


class SideBySide:
    """A script over states.

    Args:
        motion: The memory; `y` is where a state is read.
        instructions: To its result.
        result: (n,) where that is.
    """

    def __init__(self, motion: Motion, instructions: list[Instruction], result: Array) -> None:
        self.motion = motion
        self._given, self._found = np.zeros((ROWS, len(motion.y))), np.zeros((ROWS, len(result)))
        around: list[Instruction] = [Write(result, self._found), Next(), Again("state"), Label(END), Halt()]
        self._script = Script([Label("state"), Read(self._given, motion.y), *instructions, *around])

    def __call__(self, states: Array) -> Array:
        """(n, …) results for states (n, nq + nv)."""
        found = []
        for first in range(0, len(states), ROWS):
            part = states[first : first + ROWS]
            self._given[: len(part)] = part
            self._script(len(part), len(part))
            self.motion.raise_fault()
            found.append(self._found[: len(part)].copy())
        return found[0] if len(found) == 1 else np.concatenate(found)


def slopes(system: Compiled, states: Array) -> Array:
    """(n, nq + nv) dy/dt of states (n, nq + nv) at t = 0."""
    if not _is_machine_code(system):
        return np.array([system.slope(0.0, y) for y in states])

    def make() -> SideBySide:
        motion = Motion(system, ())
        found = np.zeros(len(motion.y))
        return SideBySide(motion, motion.slope(motion.t, motion.y, found), found)

    return _computed(system, ("slopes", *Motion.key(system)), make, states, 0.0)


def steps(system: Compiled, integrator: Integrator, states: Array, h: float) -> Array:
    """(n, nq + nv) states after a step of length h, s, from others at t = 0, with loops as they come."""
    if not _is_machine_code(system) or not integrator.recordable:
        return np.array([integrator.step(system, 0.0, y, h) for y in states])

    def make() -> SideBySide:
        motion = Motion(system, ())
        return SideBySide(motion, *step_instructions(motion, integrator))

    return _computed(system, ("steps", integrator, *Motion.key(system)), make, states, h)


def _is_machine_code(system: Compiled) -> bool:
    """Whether a motion is that of the equations, and these are recorded; drivers need constraints, too."""
    law, m = system.equations.law, system.equations.m
    return type(system) is Compiled and law.method.recordable and m.nv > 0 and system.forces.drive is None


def _computed(
    system: Compiled, key: Hashable, make: Callable[[], SideBySide], states: Array, h: float
) -> Array:
    script: SideBySide = SHELF.take(key, make)
    script.motion.serve(system)
    script.motion.begin()
    script.motion.h[0] = h
    found = script(states)
    SHELF.put(key, script)
    return found
