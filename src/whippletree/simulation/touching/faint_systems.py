"""Newton's systems where only directions of slip are stiff: as many unknowns as contacts.

Slopes hang on velocities through the angles in which k contacts slip: J = U V, with slopes by angles U (n, k)
and angles by velocities V (k, nv). So (σ - U V) x = b is x = (b + U (σ - V U)⁻¹V b)/σ, which takes a matrix
(k, k) (Sherman, Morrison and Woodbury; Golub & Van Loan, Matrix Computations, §2.1.4).
"""

from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any

import numpy as np

from ...kernels.run.kernel import Kernel
from ...kernels.run.lapack_calls import Factorized
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...spatial import Array, array, where
from ..integrators.radau import ALPHA, BETA, GAMMA
from ..strides.motion import Motion
from .held_motion import slip_direction
from .keeping_contacts import HeldInMemory
from .touching_system import TURN, TouchingSystem


def turned_directions(
    J: Array, qd: Array, closed: Array, sticks: Array, along: Array, friction: Array, faint: Any
) -> tuple[Array, Array]:
    """V (nc, nv), and (2 nc, nc, 2) directions of slip, that of each contact turned to either side.

    Zero for contacts that do not slip; see `TouchingSystem.turning`.
    """
    now, V = [], []
    for i, slip in enumerate((J @ qd)[:, 1:]):
        rubs = closed[i] * (1.0 - sticks[i]) * where(friction[i] > 0.0, 1.0, 0.0)
        x, y = rubs * slip_direction(slip, along[i], faint)
        now.append([x, y])
        V.append((x * J[i, 2] - y * J[i, 1]) / (np.sqrt(slip @ slip) + faint))
    turned = []
    for i, (x, y) in enumerate(now):
        for s in (np.sin(TURN), -np.sin(TURN)):
            turned.append([*now[:i], [np.cos(TURN) * x - s * y, np.cos(TURN) * y + s * x], *now[i + 1 :]])
    return array(V), array(turned)


def by_angles(slopes: Array, V: Array) -> tuple[Array, Array]:
    """U (n, nc) and V U (nc, nc), slopes (2 nc, n) along turned directions being known."""
    U = ((slopes[::2] - slopes[1::2]) / (2.0 * np.sin(TURN))).T
    return U, V @ U[len(U) - V.shape[1] :]


def shifted(S: Array, h: Any) -> tuple[Array, Array]:
    """γ/h - S (nc, nc) and (α + i β)/h - S (nc, nc, 2), real and imaginary parts."""
    one = np.eye(len(S)) / h
    return GAMMA * one - S, np.stack([ALPHA * one - S, BETA * one], axis=-1)


def seen(V: Array, right: Array) -> Array:
    """V b."""
    return V @ right[len(right) - V.shape[1] :]


def solved(U: Array, right: Array, angles: Array, h: Any) -> Array:
    """(n,) x of the real system."""
    return (h / GAMMA) * (right + U @ angles)


def solved_pair(U: Array, right: Array, angles: Array, h: Any) -> Array:
    """(n, 2) x of the complex one."""
    real, imaginary = (right + U @ angles).T
    share = h / (ALPHA**2 + BETA**2)
    return np.stack(
        [share * (ALPHA * real + BETA * imaginary), share * (ALPHA * imaginary - BETA * real)], axis=1
    )


@lru_cache(maxsize=64)
def _kernel(function: Callable[..., Any], n: int, nv: int, nc: int, parts: tuple[int, ...] = ()) -> Kernel:
    """One of the functions above; right sides have so many parts."""
    each = dict.fromkeys(("closed", "sticks", "friction"), (nc,))
    shapes = {**each, "J": (nc, 3, nv), "qd": (nv,), "along": (nc, 2), "slopes": (2 * nc, n), "V": (nc, nv)}
    shapes |= {"S": (nc, nc), "U": (n, nc), "right": (n, *parts), "angles": (nc, *parts)}
    taken = {name: shapes.get(name, ()) for name in signature(function).parameters}
    return Kernel(simplify(trace(function, taken)), function.__name__)


class FaintSystems:
    """Newton's systems of a motion whose directions of slip are stiff; see `NewtonSystems`.

    Args:
        motion: The memory.
        fresh, current: (1,) whether J is to be computed anew, and whether it is that of the step.
    """

    def __init__(self, motion: Motion, fresh: Array, current: Array) -> None:
        assert isinstance(motion, HeldInMemory)
        self._motion, self._fresh, self._current = motion, fresh, current
        n, nv, nc = len(motion.y), motion.m.nv, len(motion.closed)
        self._sizes = n, nv, nc
        self._U, self._V, self._S = np.zeros((n, nc)), np.zeros((nc, nv)), np.zeros((nc, nc))
        self._real, self._complex = Factorized(np.zeros((nc, nc))), Factorized(np.zeros((nc, nc), complex))

    def _kernel(self, function: Callable[..., Any], parts: tuple[int, ...] = ()) -> Kernel:
        return _kernel(function, *self._sizes, parts)

    def factored(self) -> list[Instruction]:
        pairs = self._complex.matrix.view(float).reshape(*self._S.shape, 2)
        return [
            Unless(self._fresh, "derived"),
            *self._derived(),
            Copy(np.zeros(1), self._fresh),
            Copy(np.ones(1), self._current),
            Label("derived"),
            Call(self._kernel(shifted), [self._S, self._motion.h], [self._real.matrix, pairs]),
            self._real.factor(),
            self._complex.factor(),
        ]

    def _derived(self) -> list[Instruction]:
        """Instructions for U, V and V U at the start of a step."""
        motion, (n, _, nc) = self._motion, self._sizes
        (q, qd), system = motion.split(motion.y), motion.system
        assert isinstance(system, TouchingSystem)
        geometry = system.kernels.geometry
        assert isinstance(geometry, Kernel)
        found = [np.zeros(shape) for shape in geometry.array_shapes()[-4:]]
        slopes, turned = np.zeros((2 * nc, n)), np.zeros((2 * nc, nc, 2))
        holds = [motion.closed, motion.sticks, motion.along, motion.friction, motion.faint]
        return [
            Call(geometry, [q], found),
            Call(self._kernel(turned_directions), [found[3], qd, *holds], [self._V, turned]),
            *motion.turned(turned, slopes),
            Call(self._kernel(by_angles), [slopes, self._V], [self._U, self._S]),
        ]

    def solve(self, right: Array) -> list[Instruction]:
        return self._solved(right, self._real, solved)

    def solve_pair(self, right: Array) -> list[Instruction]:
        return self._solved(right, self._complex, solved_pair)

    def _solved(self, right: Array, small: Factorized, back: Callable[..., Any]) -> list[Instruction]:
        parts, found = right.shape[1:], np.zeros_like(right)
        angles = np.zeros((self._sizes[2], *parts))
        return [
            Call(self._kernel(seen, parts), [self._V, right], [angles]),
            small.solve(angles),
            Call(self._kernel(back, parts), [self._U, right, angles, self._motion.h], [found]),
            Copy(found, right),
        ]
