"""The linear systems of Newton's method for Radau IIA in a script: (γ/h - J) x = b, and a complex one.

See `integrators/radau.py` for what they are; J is the derivative of slopes at the start of a step.
"""

from typing import Protocol

import numpy as np

from ...kernels.run.lapack_calls import Factorized
from ...kernels.run.script import Instruction
from ...spatial import Array
from ..integrators import radau
from .motion import Motion


class NewtonSystems(Protocol):
    """What solves these systems."""

    def factored(self) -> list[Instruction]:
        """Instructions that make both systems for the length of a step, by a new J if that is asked for."""
        ...

    def solve(self, right: Array) -> list[Instruction]:
        """Instructions that put the solution of the real one in place of its right side (n,)."""
        ...

    def solve_pair(self, right: Array) -> list[Instruction]:
        """The same of the complex one, (n, 2) real and imaginary parts."""
        ...


class DenseSystems:
    """Matrices of all numbers of a state, factored by LAPACK.

    Args:
        motion: The memory.
        fresh, current: (1,) whether J is to be computed anew, and whether it is that of the step.
    """

    def __init__(self, motion: Motion, fresh: Array, current: Array) -> None:
        self._motion, self._fresh, self._current = motion, fresh, current
        n = len(motion.y)
        self._J = np.zeros((n, n))
        self._real, self._complex = Factorized(np.zeros((n, n))), Factorized(np.zeros((n, n), complex))

    def factored(self) -> list[Instruction]:
        return [*self._motion.calling(self._matrices), self._real.factor(), self._complex.factor()]

    def solve(self, right: Array) -> list[Instruction]:
        return [self._real.solve(right)]

    def solve_pair(self, right: Array) -> list[Instruction]:
        return [self._complex.solve(right)]

    def _matrices(self) -> None:
        """γ/h - J and (α + i β)/h - J, of a new J if that is asked for."""
        motion = self._motion
        if self._fresh[0]:
            self._J[:] = motion.system.slope_derivative(float(motion.t[0]), motion.y)
            self._fresh[0], self._current[0] = 0.0, 1.0
        h = float(motion.h[0])
        for system, value in ((self._real, radau.GAMMA), (self._complex, radau.ALPHA + 1j * radau.BETA)):
            np.negative(self._J, out=system.matrix, casting="unsafe")
            system.matrix.flat[:: len(self._J) + 1] += value / h
