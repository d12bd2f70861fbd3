"""Steps of fixed length of small mechanisms, in one or two kernels each.

Of a mechanism of a few bodies, calls between kernels take longer than what they compute, and kernels next to
each other find the same sines. So a step is recorded whole: its end, all evaluations, quaternions of unit
norm and, for loops, the Newton step towards closed ones; then, at the closed position, velocities and all
that says whether the step is plain.

A step of low order leaves loops so far open that one Newton step does not close them: another one follows, by
the same factors, as elsewhere where a look at the first has found a gap. Where that does not do, or
constraints may have turned, the step is brought back and looked at piece by piece as others are.
"""

from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from ...api.compiling import record
from ...kernels.run.kernel import Kernel
from ...kernels.run.script import Call, Copy, Instruction, Label, Unless
from ...loops.equations.constraints import constraint_error, constraint_jacobian
from ...model.mechanism import Mechanism
from ...model.snapshot import Snapshot
from ...spatial import Array, array, largest, maximum, where
from ..closed_step import Rows
from ..equations import Law, projected
from ..integrators import Integrator
from ..systems import Traced
from .bringing_back import BringingBack
from .fixed_script import FixedScript, clock
from .judging import plain
from .loop_closing import FINE, Places, closer, factored, nearer, turned
from .motion import Motion
from .step_pieces import segments

LARGEST = 1500
"""Operations of all evaluations of a step: more are not worth being compiled once more."""

CLOSE = 4
"""Integrators of this order leave loops so little open that one Newton step closes them."""

POLISHED = 3
"""Solutions by factors next to a position that take away what velocities have to lose, to rounding."""


def whole_step(
    m: Mechanism,
    number: Any,
    t: Any,
    y: Array,
    steps: Array,
    bounds: Array,
    until: Any,
    integrator: Integrator,
    law: Law,
) -> tuple[Any, ...]:
    """From t and y to the end of a step, of a mechanism without loops.

    Args:
        m: The mechanism.
        number, t: Of the step before, and where it ended, s; see `clock`.
        y: (nq + nv,) the state there.
        steps: (3,) their length, number and the end of the last.
        bounds, until: See `plain`.
        integrator, law: By which it is taken.

    Returns:
        As of `clock`, the state at its end, and as of `plain`.
    """
    following, end, h, raw = _stepped(m, number, t, y, steps, integrator, law)
    return following, end, h, raw, *plain(end, raw, np.array([0.0, 1.0, 0.0, 1.0]), bounds, until)


def _stepped(
    m: Mechanism, number: Any, t: Any, y: Array, steps: Array, integrator: Integrator, law: Law
) -> tuple[Any, Any, Any, Array]:
    following, end, h = clock(number, t, steps[0], steps[1], steps[2])
    raw = integrator.step(Traced(m, lambda *_: np.zeros(m.nv), law), t, y, h)
    if m.nq != m.nv:
        raw = np.concatenate([projected(m, raw[: m.nq]), raw[m.nq :]])
    return following, end, h, raw


def step_and_closer(
    m: Mechanism,
    number: Any,
    t: Any,
    y: Array,
    steps: Array,
    integrator: Integrator,
    law: Law,
    rows: Rows,
    places: Places,
) -> tuple[Any, ...]:
    """The same of one with loops, up to the position after Newton steps.

    Args:
        m, number, t, y, steps, integrator, law: As there.
        rows, places: See `closer`.

    Returns:
        As of `clock`, the state as the integrator leaves it, and position, factors and margin of `closer`.
    """
    following, end, h, raw = _stepped(m, number, t, y, steps, integrator, law)
    q, K, factors, margin = closer(m, raw[: m.nq], None, rows, places, ())
    if integrator.order < CLOSE:
        q = nearer(m, q, constraint_error(m, q)[list(rows)], K, factors, None, places, ())
    return following, end, h, raw, q, factors, margin


def settled(
    m: Mechanism,
    t: Any,
    q: Array,
    raw: Array,
    factors: Array,
    margin: Any,
    before: Array,
    bounds: Array,
    until: Any,
    law: Law,
    rows: Rows,
    places: Places,
) -> tuple[Any, ...]:
    """Whether a step ends at a position, and the state there.

    Args:
        m: The mechanism.
        t: The end of the step, s.
        q, factors, margin: From `closer`.
        raw: (nq + nv,) the state as the integrator left it.
        before: K where the step began, as far as it is not zero.
        bounds, until: See `plain`.
        law, rows, places: As before.

    Returns:
        The state; above 0 if it has to be looked at piece by piece; K; and as of `plain`.
    """
    n, error, K = len(rows), constraint_error(m, q), constraint_jacobian(m, q)[list(rows)]
    gap, qd, solve = largest(error), raw[m.nq :], factored(factors, n, places).solve
    excess = K @ qd
    for _ in range(POLISHED):
        lost = K.T @ solve(excess)
        qd, excess = qd - lost, excess - K @ lost
    values = array([K[place] for place in places.K])
    aside = where(maximum(gap, largest(excess)) <= FINE, turned(before, values, (n, m.nv), places), 1.0)
    quality = law.method.quality
    suits = 1.0 if quality is None else quality(m, q, **dict(law.choice))
    y = np.concatenate([q, qd])
    good, more = plain(t, y, array([gap, margin, 0.0, suits]), bounds, until)
    return y, aside, values, good, more


@lru_cache(maxsize=32)
def _whole(now: Snapshot, integrator: Integrator, law: Law) -> Kernel:
    return _made(whole_step, now.m, _judged(), integrator=integrator, law=law)


@lru_cache(maxsize=32)
def _with_loops(
    now: Snapshot, integrator: Integrator, law: Law, rows: Rows, places: Places
) -> tuple[Kernel, Kernel]:
    m = now.m
    fixed = {"law": law, "rows": rows, "places": places}
    sizes = {"factors": (len(rows) + len(places.L),), "before": (len(places.K),), "raw": (m.nq + m.nv,)}
    return (
        _made(step_and_closer, m, {}, integrator=integrator, **fixed),
        _made(settled, m, {**sizes, "margin": (), **_judged()}, **fixed),
    )


def _judged() -> dict[str, tuple[int, ...]]:
    return {"bounds": (4,), "until": ()}


def _made(function: Any, m: Mechanism, shapes: dict[str, tuple[int, ...]], **fixed: Any) -> Kernel:
    state = {"number": (), "t": (), "y": (m.nq + m.nv,), "steps": (3,)}
    inputs = {**({} if function is settled else state), "t": (), **shapes}
    return Kernel(record(function, m, inputs=inputs, **fixed), function.__name__)


class Judging(NamedTuple):
    """Where in memory is what decides whether a step is plain, and what tells it; see `plain`."""

    bounds: Array
    until: Array
    margin: Array
    good: Array
    more: Array


def fused_step(
    motion: Motion, method: FixedScript, loops: BringingBack | None, by: Judging, pieces: list[Instruction]
) -> list[Instruction]:
    """Instructions for a step of a motion in memory, up to whether it is plain.

    Args:
        motion: The memory.
        method: What takes steps of fixed length.
        loops: What keeps loops closed; None if there are none.
        by: What decides.
        pieces: From a state in `after` that is not brought back to whether it is plain, piece by piece.
    """
    now, law, integrator = Snapshot(motion.m), motion.equations.law, method.steps.integrator
    known = [method.number, motion.t, motion.y, method.constants]
    ends = [method.following_number, motion.t_after, motion.h]
    told = [by.good, by.more]
    if loops is None:
        whole = _whole(now, integrator, law)
        return [Call(whole, [*known, by.bounds, by.until], [*ends, motion.after, *told])]
    first, second = _with_loops(now, integrator, law, loops.kernels.rows, loops.kernels.places)
    raw, q, aside = np.zeros_like(motion.y), np.zeros(motion.m.nq), np.zeros(1)
    factors = np.zeros_like(loops.factors)
    closed = [motion.t_after, q, raw, factors, by.margin, loops.before, by.bounds, by.until]
    return [
        Call(first, known, [*ends, raw, q, factors, by.margin]),
        Call(second, closed, [motion.after, aside, loops.after, *told]),
        Unless(aside, "settled"),
        Copy(raw, motion.after),
        *pieces,
        Label("settled"),
    ]


def is_fused(method: object, motion: Motion) -> TypeGuard[FixedScript]:
    """Whether steps of a method are small, of fixed length, and of a motion that nothing acts on."""
    forces, now = motion.system.forces, motion.equations
    if not isinstance(method, FixedScript) or type(motion) is not Motion or not forces.gives_nothing:
        return False
    if forces.period is not None or forces.drive is not None:
        return False
    asked = [segment.question for segment in segments(method.steps.integrator, motion.m.nq, motion.m.nv)]
    kernels: list[Any] = [now.rates] * asked.count("slope") + [now.acceleration] * asked.count("acceleration")
    return sum(kernel.program.n_executed for kernel in kernels) <= LARGEST
