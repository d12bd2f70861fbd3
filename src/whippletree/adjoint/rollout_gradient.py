"""Gradients of many trajectories at once, by the adjoint method, in machine code."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..api.compiling import compile
from ..api.derivative import tangents
from ..api.forward_methods import METHODS, find
from ..contact.compliant.compliant_contact import Compliant, laws_of
from ..contact.geometry.contact_pairs import candidates
from ..contact.sweeps.moreau import Rigid
from ..errors import GradientWarning, InputError, ModelError, SolverError, tell
from ..kernels.run.iterate import Series, overwritten
from ..kernels.run.threads import checked as checked_threads
from ..loops.closing.check import GEARED_START, check_gears
from ..loops.closing.generic import generic_position
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.rank import independent_rows
from ..model.mechanism import Mechanism
from ..model.parameters import parameter_values
from ..model.values import listed, real_positive, whole_number
from ..simulation.acting import check_function
from ..simulation.chosen_law import damping
from ..simulation.closed_step import DAMPING, rows_for
from ..simulation.contact_step import ContactMode, touching_of
from ..simulation.equations import Law
from ..simulation.given_arrays import common_lead
from ..simulation.integrators import INTEGRATORS
from ..simulation.starts import constraints_at
from ..simulation.stepping import Mode
from ..simulation.touching.touching_door import meant
from ..spatial import Array
from .backward_step import BothWays, compiled_steps
from .gradient_arguments import flat, forces_of, start_of, weights_of

MEMORY = 1 << 24
"""Bytes for the states of those trajectories that are computed at a time."""

LEAST = 16
"""Trajectories at a time, if there are so many: two vectors, and calls that are few beside their steps."""


class RolloutGradient(NamedTuple):
    """∂L/∂… for every trajectory, L being what the weights of its states are the derivatives of.

    Attributes:
        q0: (..., nv) by the position at the start, along the unit velocities of the joints.
        qd0: (..., nv) by the velocity at the start.
        tau: (..., steps, nv) by the forces of each step; of a function, by forces added to it.
        parameters: (..., n) by the mechanism's numbers that were named.
    """

    q0: Array
    qd0: Array
    tau: Array
    parameters: Array


def rollout_gradient(
    m: Mechanism,
    q0: Any,
    qd0: Any,
    tau: Any = None,
    *,
    by_q: Any = None,
    by_qd: Any = None,
    dt: float = 1e-3,
    steps: int | None = None,
    every: int = 1,
    method: str = "euler",
    contacts: str | Compliant | Rigid | None = "auto",
    parameters: Sequence[str] = (),
    threads: int = 1,
) -> RolloutGradient:
    """How a function of trajectories depends on their starts, on the forces and on the mechanism. Exact.

    Trajectories are those of `rollout`. They are followed backward from their ends by the adjoint of each
    step (reverse differentiation: Griewank & Walther, Evaluating Derivatives, 2008, §3.2), for about four
    times the time of the rollout, however many forces and parameters there are. States on the way are kept
    for as many trajectories as 16 MB hold; of longer ones some are kept, and those between are computed
    again (§12).

    Where a limit of effort, a stop or dry friction changes what acts, it is the derivative of what acts in
    each step. So it is of contacts, while they bear and as they let go. Where one begins to bear with a jump,
    the derivative of the steps is not that of the motion, however short they are: it takes the number of the
    step, and with it the moment, as fixed. Rigid contacts jump, and those that give way by `KelvinVoigt` with
    damping, as its force is not 0 at the first touch; by `HuntCrossley` there is no jump. A `GradientWarning`
    tells which and when.

    Args:
        m: The mechanism. With loops, accelerations are found from the constraint forces, by "lambda-first"; a
            gradient has a meaning for starts that keep loops closed.
        q0, qd0, tau, dt, steps, every, method, contacts, threads: As in `rollout`; tau is an array, None or a
            function.
        by_q: (..., steps // every, nq) ∂L/∂q of the positions that `rollout` returns; None: no part in L.
        by_qd: (..., steps // every, nv) ∂L/∂qd of its velocities; None: no part in L.
        parameters: Numbers of the mechanism, see `parameter_names`, with respect to which to differentiate.

    Returns:
        The gradient of each trajectory's share in L.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> q0, qd0, tau = np.array([0.3, 0.5]), np.zeros(2), np.zeros((100, 2))
    >>> q, qd = wt.rollout(m, q0, qd0, tau)
    >>> by_q = np.zeros_like(q)
    >>> by_q[-1] = q[-1]  # L = ½ |q|² at the end
    >>> found = wt.rollout_gradient(m, q0, qd0, tau, by_q=by_q, parameters=["lower.mass"])
    >>> found.q0.round(3), found.tau.shape, found.parameters.shape
    (array([0.325, 0.41 ]), (100, 2), (1,))
    """
    if not isinstance(m, Mechanism):
        raise InputError(f"m is {type(m).__name__}, expected a Mechanism")
    if m.drivers:
        raise ModelError(
            f"rollout_gradient does not follow drivers, and {m.name!r} has {len(m.drivers)}: differentiate a "
            "copy without them, under the forces that they exert"
        )
    known = [name for name, integrator in INTEGRATORS.items() if integrator.recordable]
    if not isinstance(method, str) or method not in known:
        raise InputError(f"method is {method!r}; known: {', '.join(known)}")
    every, threads = whole_number(every, "every"), checked_threads(threads)
    starts = [start_of(m, q0, m.nq, "q0"), start_of(m, qd0, m.nv, "qd0")]
    forces, count_steps = forces_of(np.zeros(m.nv) if tau is None or callable(tau) else tau, m.nv, steps)
    parameters = listed(parameters, "parameters", "names of parameters", ["link.mass"])
    recorded = count_steps // every
    if recorded == 0:
        raise InputError(f"every is {every}, more than the {count_steps} steps: nothing would be recorded")
    if by_q is None and by_qd is None:
        raise InputError("by_q and by_qd are None: nothing depends on the trajectories. Give one of them")
    weights = [
        weights_of(by_q, (recorded, m.nq), "by_q"),
        weights_of(by_qd, (recorded, m.nv), "by_qd"),
    ]
    leads = {"q0": starts[0].shape[:-1], "qd0": starts[1].shape[:-1], "tau": forces.shape[:-2]}
    lead = common_lead({**leads, "by_q": weights[0].shape[:-2], "by_qd": weights[1].shape[:-2]})
    if 0 in lead:
        raise InputError(f"q0, qd0, tau and weights have leading axes {lead}: there is no trajectory")
    if callable(tau):
        check_function(tau, "tau")
    check_gears(m, {"q0": starts[0]}, {"qd0": starts[1]}, GEARED_START)
    touching = touching_of(m, meant(m, contacts), method, residual=False)
    mode = stepping_of(m, starts, method, touching)
    if touching is not None:
        touching.held(m, mode.rows)
        if starts[0].size:
            touching.tell_long_step(m, starts[0].reshape(-1, m.nq)[0], float(dt))
    made = compiled_steps(m, mode, tau if callable(tau) else None, parameters)
    run = _Run(m, mode, made, parameter_values(m, parameters), every, real_positive(dt, "dt"), threads)
    count = prod(lead)
    found = run(
        [np.broadcast_to(start, (*lead, start.shape[-1])).reshape(count, -1) for start in starts],
        flat(forces, lead, count, recorded * every),
        [flat(weight, lead, count, recorded) for weight in weights],
        recorded * every,
        count_steps,
    )
    run.tell_jumps()
    return RolloutGradient(
        _along_velocities(m, starts[0], found.q0.reshape(*lead, m.nq)),
        found.qd0.reshape(*lead, m.nv),
        found.tau.reshape(*lead, count_steps, m.nv),
        found.parameters.reshape(*lead, len(parameters)),
    )


class _Run:
    """Trajectories, some at a time, forward and back."""

    def __init__(
        self,
        m: Mechanism,
        mode: Mode,
        made: BothWays,
        parameters: Array,
        every: int,
        h: float,
        threads: int,
    ) -> None:
        self.m, self.touching, self.made, self.parameters = m, mode.touching, made, parameters
        self.every, self.threads = every, threads
        self.h = np.array(h)
        self.sizes = [m.nq, m.nv, *([] if mode.touching is None else [mode.touching.size(m)])]
        self.kept: list[Array] = []
        self.jumps: Array = np.zeros(0) if mode.touching is None else _jumping(m, mode.touching)
        self.struck: dict[int, tuple[int, int]] = {}

    def __call__(
        self, starts: list[Array], forces: Array, weights: list[Array], steps: int, all_steps: int
    ) -> RolloutGradient:
        """The gradient; steps behind the last recorded one have no part in it."""
        m, count = self.m, len(starts[0])
        found = RolloutGradient(
            np.empty((count, m.nq)),
            np.empty((count, m.nv)),
            np.empty((count, all_steps, m.nv)),
            np.zeros((count, len(self.parameters))),
        )
        found.tau[:, steps:] = 0.0
        if self.touching is not None:
            starts = [*starts, np.broadcast_to(self.touching.start(m), (count, self.sizes[2]))]
        room = 8 * sum(self.sizes)  # bytes of a state
        at_a_time = min(count, max(LEAST * self.threads, MEMORY // (room * steps) // LEAST * LEAST))
        length = max(1, min(steps, MEMORY // (room * max(1, at_a_time))))
        # Made once: fresh memory costs about as much as the steps that fill it.
        self.kept = [np.empty((at_a_time, length + 1, n)) for n in self.sizes]
        for first in range(0, count, max(1, at_a_time)):
            rows = slice(first, min(first + at_a_time, count))
            self._block(
                [np.ascontiguousarray(start[rows]) for start in starts],
                forces[rows] if len(forces) > 1 else forces,
                [weight[rows] if len(weight) > 1 else weight for weight in weights],
                RolloutGradient(*(part[rows] for part in found._replace(tau=found.tau[:, :steps]))),
                length,
                first,
            )
        return found

    def _block(
        self,
        starts: list[Array],
        forces: Array,
        weights: list[Array],
        found: RolloutGradient,
        length: int,
        number: int,
    ) -> None:
        """Some trajectories, by pieces of so many steps: their beginnings first, then backward."""
        steps = found.tau.shape[1]
        begins = [starts]
        firsts = list(range(0, steps, length))
        for first in firsts[:-1]:
            ends = [np.empty((len(found.q0), 1, start.shape[1])) for start in starts]
            given = self._series(forces, first, first + length)
            self.made.forward(begins[-1], given, ends, steps=length, every=length, threads=self.threads)
            begins.append([end[:, 0] for end in ends])
        adjoint = [*map(np.zeros_like, starts), np.zeros_like(found.qd0)]
        if len(self.parameters):
            adjoint.append(found.parameters)
        for first, begin in reversed(list(zip(firsts, begins, strict=True))):
            span = range(first, min(first + length, steps))
            adjoint = self._back(begin, forces, weights, found, adjoint, span)
            if self.touching is not None:
                touch = self.kept[2][: len(found.q0), : len(span) + 1]
                self._note_jumps(self.touching.forces(self.m, touch, float(self.h))[..., 0], number, first)
        found.q0[:], found.qd0[:] = adjoint[0], adjoint[1]
        if len(self.parameters):
            found.parameters[:] = adjoint[-1]

    def _back(
        self,
        begin: list[Array],
        forces: Array,
        weights: list[Array],
        found: RolloutGradient,
        adjoint: list[Array],
        span: range,
    ) -> list[Array]:
        """The adjoint at the beginning of a span of steps, given that at its end."""
        count, n = len(found.q0), len(span)
        states = [kept[:count, : n + 1] for kept in self.kept]
        for state, start in zip(states, begin, strict=True):
            state[:, 0] = start
        given = self._series(forces, span.start, span.stop)
        ends = [state[:, 1:] for state in states]
        self.made.forward(begin, given, ends, steps=n, every=1, threads=self.threads)
        before = [
            Series.of(state[:, n - 1 :: -1] if n > 1 else state[:, :1], state.shape[2:]) for state in states
        ]
        ended = [Series.of(self._spread(weight, span)[:, ::-1], weight.shape[2:]) for weight in weights]
        # Each step's forces have a place of their own; of all else only the last is of interest.
        ends = [overwritten(array.copy(), n) for array in adjoint]
        ends[len(states)] = found.tau[:, span.start : span.stop][:, ::-1]
        backward = [_reversed(series, n) for series in given]
        series = [*before, *backward, *ended]
        self.made.backward(adjoint, series, ends, steps=n, every=1, threads=self.threads)
        return [end[:, -1] for end in ends]

    def _note_jumps(self, normal: Array, number: int, first: int) -> None:
        """Keep when, in each trajectory from that number on, a contact first begins to bear with a jump.

        Args:
            normal: (rows, steps + 1, nc) normal forces, N, of the step before and of each step.
            number, first: Of the first trajectory, and of the first step.
        """
        bears = normal > 0.0
        begins = bears[:, 1:] & ~bears[:, :-1] & self.jumps
        if first == 0:  # what bears from the start is not struck
            begins[:, 0] = False
        for row in np.flatnonzero(begins.any(axis=(1, 2))):
            step, contact = map(int, np.argwhere(begins[row])[0])
            self.struck[number + int(row)] = first + step, contact

    def tell_jumps(self) -> None:
        """Warn of trajectories in which a contact begins to bear with a jump."""
        if not self.struck:
            return
        number, (step, contact) = min(self.struck.items())
        tell(
            f"rollout_gradient: {candidates(self.m)[contact].title} begins to bear, with a jump, in "
            f"trajectory {number} at t = {(step + 1) * float(self.h):.6g} s ({len(self.struck)} trajectories "
            "have such moments), which the gradient takes as fixed, however short the steps: let surfaces "
            "give way without a jump, by contacts=wt.contact.Compliant(wt.contact.HuntCrossley(…)), or end "
            "before",
            GradientWarning,
        )

    def _series(self, forces: Array, first: int, last: int) -> list[Series]:
        """h, the number of the step, forces and parameters, for steps from first to last."""
        numbers = np.arange(float(first), float(last))[None]
        constant = [Series(self.parameters, 0, 0)] if len(self.parameters) else []
        return [
            Series(self.h, 0, 0),
            Series.of(numbers, ()),
            Series.of(forces[:, first:last], (self.m.nv,)),
            *constant,
        ]

    def _spread(self, weight: Array, span: range) -> Array:
        """(rows, steps, n) what the end of each step weighs; those that are not recorded, nothing."""
        if self.every == 1:
            return weight[:, span.start : span.stop]
        spread = np.zeros((len(weight), len(span), weight.shape[2]))
        ends = np.arange(span.start + 1, span.stop + 1)
        recorded = ends % self.every == 0
        spread[:, recorded] = weight[:, ends[recorded] // self.every - 1]
        return spread


def _jumping(m: Mechanism, touching: ContactMode) -> Array:
    """(nc,) which contacts begin with a jump: a force, or an impulse, that is not 0 at the first touch."""
    if isinstance(touching.how, Rigid):
        return np.ones(len(candidates(m)), dtype=bool)
    return np.array([law.push(np.zeros(law.states), -1.0) > 0.0 for _, law in laws_of(m, touching.how)])


def _reversed(series: Series, steps: int) -> Series:
    """The same from the last step to the first."""
    if not series.step:
        return series
    return series._replace(array=series.array[:, steps - 1 :], step=-series.step)


def _along_velocities(m: Mechanism, q: Array, by_q: Array) -> Array:
    """(..., nv) derivatives along the unit velocities, of those by the coordinates (..., nq)."""
    if m.nq == m.nv and all(body.joint.has_rates for body in m.bodies):
        return by_q
    return np.einsum("...i,...ij->...j", by_q, compile(tangents, m)(q))


def stepping_of(m: Mechanism, starts: list[Array], method: str, touching: ContactMode | None = None) -> Mode:
    """How to step: as `rollout` does, by a method whose choice holds everywhere."""
    _, found = find(m, "auto", "dynamics")
    if touching is not None:
        found = touching.accelerations(m, found)
    law = Law(found, implicit_damping=damping(m, None, method))
    if not found.holds(m):
        return Mode(INTEGRATORS[method], (), law, touching)
    try:
        generic = tuple(independent_rows(constraint_jacobian(m, generic_position(m))))
    except SolverError:  # the neutral position may be far from any closed one
        generic = None
    rows = rows_for(constraints_at(m, starts[0], starts[1]), generic)
    everywhere = next(one for one in METHODS.values() if one.everywhere and one.fault(m) is None)
    law = law._replace(
        method=everywhere, choice=((everywhere.choice, rows),), options=(("damping", DAMPING),)
    )
    return Mode(INTEGRATORS[method], rows, law, touching)
