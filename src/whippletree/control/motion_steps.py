"""The machine code of optimal control for one mechanism: steps, their derivatives, and trials.

A step is that of `rollout`: the integrator, quaternions of unit norm, loops kept closed. States differ by
(2 nv,) numbers, those of `m.difference` for the position and then those for the velocity; with loops they
stay among the differences that the loops admit, since every step ends there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..api.compiling import compile, record
from ..api.derivative import derivative
from ..api.forward_methods import METHODS, find
from ..errors import InputError, ModelError
from ..kernels.run.iterate import Iteration, Series
from ..kernels.run.kernel import Kernel
from ..kernels.simplify.passes import simplified
from ..kernels.store import programs as stored
from ..kernels.store import sources
from ..kernels.trace.inline import inlined
from ..kernels.trace.program import Program
from ..kernels.trace.recording import recording
from ..kernels.trace.structure import Leaf
from ..model.mechanism import Mechanism
from ..model.positions import difference
from ..simulation.chosen_law import damping
from ..simulation.closed_step import DAMPING, rows_for
from ..simulation.equations import Law
from ..simulation.integrators import INTEGRATORS
from ..simulation.starts import constraints_at
from ..simulation.stepping import Before, Mode, advance
from ..spatial import Array, array, maximum, minimum
from .backward_pass import Slopes

Rows = tuple[tuple[float, ...], ...]
Residuals = Callable[..., Any]
STEP = ("q", "qd", "u")
"""What a step depends on."""


def mode_of(m: Mechanism, q0: Array, qd0: Array, method: str) -> Mode:
    """How steps are made: with loops, by a method that holds at every position."""
    if m.drivers:
        raise ModelError(f"{m.name!r} has drivers, {m.drivers[0].name!r} …, which leave nothing to control")
    _, chosen = find(m, "auto")
    law = Law(chosen, implicit_damping=damping(m, None, method))
    if not chosen.holds(m):
        return Mode(INTEGRATORS[method], (), law, None)
    rows = rows_for(constraints_at(m, q0, qd0), None)
    robust = next(other for other in METHODS.values() if other.everywhere and other.fault(m) is None)
    law = law._replace(method=robust, choice=((robust.choice, rows),), options=(("damping", DAMPING),))
    return Mode(INTEGRATORS[method], rows, law, None)


def step(m: Mechanism, q: Array, qd: Array, u: Array, B: Rows, h: float, mode: Mode) -> tuple[Any, ...]:
    """The state after a step under controls that are held: position (nq,) and velocity (nv,)."""
    tau = np.array(B) @ u
    return advance(m, Before(q, qd, None, None), lambda *_: tau, 0.0, h, mode)


def step_change(
    m: Mechanism, q: Array, qd: Array, u: Array, q_next: Array, B: Rows, h: float, mode: Mode
) -> Array:
    """(2 nv,) the state after a step, seen from a position that it is near."""
    found, speed = step(m, q, qd, u, B, h, mode)
    return np.concatenate([difference(m, q_next, found), speed])


def trial_step(
    m: Mechanism,
    q: Array,
    qd: Array,
    u: Array,
    cost: Any,
    K: Array,
    q_ref: Array,
    qd_ref: Array,
    forward: Array,
    B: Rows,
    low: tuple[float, ...],
    high: tuple[float, ...],
    h: float,
    mode: Mode,
    stage: Residuals,
) -> tuple[Any, ...]:
    """A step under feedback within limits: what `step` gives, the controls, and the cost so far.

    Args:
        m: The mechanism.
        q, qd: The state.
        u, cost: (nu,) and a number, of the step before; u is not read.
        K: (nu, 2 nv) feedback.
        q_ref, qd_ref: The state that it is to follow.
        forward: (nu,) the controls there.
        B, h, mode: As of `step`.
        low, high: (nu,) limits of the controls; infinite where there are none.
        stage: Residuals of a step, called with q, qd and u.
    """
    u = forward + K @ np.concatenate([difference(m, q_ref, q), qd - qd_ref])
    u = array([_within(u_i, a, b) for u_i, a, b in zip(u, low, high, strict=True)])
    r = array(stage(q, qd, u))
    return (*step(m, q, qd, u, B, h, mode), u, cost + 0.5 * (r @ r))


def _within(value: Any, low: float, high: float) -> Any:
    value = value if np.isinf(high) else minimum(value, high)
    return value if np.isinf(low) else maximum(value, low)


class Trial(NamedTuple):
    """Motions of several trials.

    Attributes:
        q: (trials, steps + 1, nq), qd: (trials, steps + 1, nv), start included.
        u: (trials, steps, nu).
        cost: (trials,).
    """

    q: Array
    qd: Array
    u: Array
    cost: Array


@dataclass(frozen=True, eq=False)
class MotionSteps:
    """A mechanism, its controls and its costs.

    Attributes:
        m: The mechanism.
        B: (nv, nu) forces of unit controls.
        low, high: (nu,) limits of the controls.
        h: Length of a step, s.
        mode: How steps are made.
        stage: Residuals of a step, a function of (q, qd, u); its cost is half their square.
        of_stage: These and their derivatives.
        of_end: Those at the end, of (q, qd), and their derivatives.
    """

    m: Mechanism
    B: Array
    low: Array
    high: Array
    h: float
    mode: Mode
    stage: Residuals
    of_stage: tuple[Kernel, Kernel]
    of_end: tuple[Kernel, Kernel]

    @property
    def nu(self) -> int:
        """Number of controls."""
        return self.B.shape[1]

    @cached_property
    def _fixed(self) -> dict[str, Any]:
        return {"B": tuple(map(tuple, self.B.tolist())), "h": self.h, "mode": self.mode}

    @cached_property
    def _trial(self) -> Iteration:
        n = 2 * self.m.nv
        shapes = {"u": (self.nu,), "cost": (), "K": (self.nu, n), "q_ref": (self.m.nq,)}
        limits = {"low": tuple(self.low.tolist()), "high": tuple(self.high.tolist())}
        program = record(
            trial_step,
            self.m,
            inputs={**shapes, "qd_ref": (self.m.nv,), "forward": (self.nu,)},
            **limits,
            **self._fixed,
            stage=self.stage,
        )
        return Iteration(program, 4)

    @cached_property
    def _slopes(self) -> Kernel:
        """(q, qd, u, q_next) to the parts of `Slopes` that belong to a step."""
        sizes = {"u": (self.nu,), "q_next": (self.m.nq,)}
        of_step = derivative(step_change, self.m, wrt=STEP, inputs=sizes, **self._fixed).program
        residuals, of_residuals = (kernel.program for kernel in self.of_stage)

        def slopes(*arrays: Any) -> tuple[Array, ...]:
            given: dict[str, Any] = dict(zip((*STEP, "q_next"), arrays, strict=True))

            def of(program: Program) -> Any:
                return inlined(program, *(given[entry.name] for entry in program.inputs))

            r, R = of(residuals), _side_by_side(of(of_residuals))
            return _side_by_side(of(of_step)), R.T @ r, R.T @ R

        def made() -> Program:
            return simplified(recording(slopes, {"q": (self.m.nq,), "qd": (self.m.nv,), **sizes}))

        library = sources.digest()
        parts = (of_step.digest, residuals.digest, of_residuals.digest, library)
        name = None if library is None else ("slopes of a step", *map(str, parts))
        return Kernel(stored.program(name, made), "slopes")

    def tried(self, start: tuple[Array, Array], K: Array, at: tuple[Array, Array], forward: Array) -> Trial:
        """Motions from a start under feedback about a motion, one for each of several controls.

        Args:
            start: Position (nq,) and velocity (nv,).
            K: (N, nu, 2 nv) feedback.
            at: Position (N, nq) and velocity (N, nv) of the motion.
            forward: (trials, N, nu) the controls there.
        """
        trials, steps, nu = forward.shape
        m = self.m
        outs = [np.empty((trials, steps, *size)) for size in ((m.nq,), (m.nv,), (nu,), ())]
        starts = [*(part[None] for part in start), np.zeros((1, nu)), np.zeros(1)]
        shapes = [(nu, 2 * m.nv), (m.nq,), (m.nv,)]
        series = [Series.of(part[None], shape) for part, shape in zip((K, *at), shapes, strict=True)]
        series.append(Series.of(forward, (nu,)))
        self._trial(starts, series, outs, steps=steps, every=1, threads=1)
        q, qd = (
            np.concatenate([np.broadcast_to(first, (trials, 1, len(first))), rest], axis=1)
            for first, rest in zip(start, outs[:2], strict=True)
        )
        r = self.of_end[0](q[:, -1], qd[:, -1])
        return Trial(q, qd, outs[2], outs[3][:, -1] + 0.5 * np.einsum("ij,ij->i", r, r))

    def slopes(self, q: Array, qd: Array, u: Array) -> Slopes:
        """Derivatives along a motion q (N + 1, nq), qd (N + 1, nv), u (N, nu)."""
        s, S = self.of_end[0](q[-1], qd[-1]), _side_by_side(self.of_end[1](q[-1], qd[-1]))
        F, g, H = self._slopes(q[:-1], qd[:-1], u, q[1:])
        return Slopes(F, g, H, S.T @ s, S.T @ S)


def _side_by_side(blocks: dict[str, Array]) -> Array:
    return np.concatenate(list(blocks.values()), axis=-1)


def residual_kernels(
    function: Residuals, m: Mechanism, wrt: tuple[str, ...], inputs: dict[str, Any], name: str
) -> tuple[Kernel, Kernel]:
    """A function of residuals and its derivatives, compiled; InputError if it does not give a vector."""
    found = compile(function, m, inputs=inputs)
    outputs = found.program.outputs
    if not isinstance(outputs, Leaf) or len(outputs.shape) != 1:
        given = f"one of shape {outputs.shape}" if isinstance(outputs, Leaf) else "several: put them into one"
        raise InputError(
            f"{name} is to give an array of residuals, of one axis, of whose squares half the sum is the "
            f"cost: np.concatenate([q - goal, 0.1 * qd]), for example; it gives {given}"
        )
    return found, derivative(function, m, wrt=wrt, inputs=inputs)
