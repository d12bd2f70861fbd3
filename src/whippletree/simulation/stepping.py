"""One step of many trajectories at once, written once for any scalar and compiled with its controller."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..api.compiling import record
from ..errors import InputError
from ..kernels.run.iterate import Iteration
from ..model.mechanism import Mechanism
from ..spatial import Array, array
from .closed_step import DAMPING, Rows, closed
from .fixed_step import RungeKutta4
from .motion import Moment, acceleration, projected, rates

Force = Callable[[Any, Array, Array], Array]
"""tau at the time t - t0 within the step, in steps, at q and qd."""


@dataclass(frozen=True, eq=False)
class Feedback:
    """Linear feedback: tau = forward - gain · (x - x_ref), x being position and velocity.

    Args:
        gain: (nv, 2 nv), or (steps, nv, 2 nv) for gains that change.
        q: (nq,) or (steps, nq) the reference's position. Differences are taken as `m.difference` does, so
            quaternions are fine.
        qd: (nv,) or (steps, nv) the reference's velocity; zero by default.
        forward: (nv,), (steps, nv) or (batch, steps, nv) forces in any case; zero by default.
    """

    gain: Any
    q: Any
    qd: Any = None
    forward: Any = None


def euler(m: Mechanism, q: Array, qd: Array, force: Force, h: Any, rows: Rows = ()) -> tuple[Array, Array]:
    """Semi-implicit Euler: velocities first, positions with the new ones."""
    new = qd + h * acceleration(m, q, qd, force(0.0, q, qd), rows=rows, damping=DAMPING)
    return m.integrate(q, h * new), new


def rk4(m: Mechanism, q: Array, qd: Array, force: Force, h: Any, rows: Rows = ()) -> tuple[Array, Array]:
    """The classical method of four stages, projected at the end; see `fixed`."""
    y, slopes = np.concatenate([q, qd]), []
    for row in RungeKutta4.A:
        stage = y
        for weight, slope in zip(row, slopes, strict=True):
            stage = stage + (weight * h) * slope if weight else stage
        q_i, qd_i = stage[: m.nq], stage[m.nq :]
        seen = projected(m, q_i) if m.nq != m.nv else q_i
        slopes.append(rates(m, q_i, qd_i, force(sum(row), seen, qd_i), rows=rows, damping=DAMPING))
    for weight, slope in zip(RungeKutta4.b, slopes, strict=True):
        y = y + (weight * h) * slope
    return projected(m, y[: m.nq]) if m.nq != m.nv else y[: m.nq], y[m.nq :]


METHODS: dict[str, Callable[..., tuple[Array, Array]]] = {"euler": euler, "rk4": rk4}


def advance(
    m: Mechanism, q: Array, qd: Array, force: Force, h: Any, method: str, rows: Rows
) -> tuple[Array, Array]:
    """The method's step, with loops kept closed by their `rows`."""
    q, qd = METHODS[method](m, q, qd, force, h, rows)
    return closed(m, q, qd, rows) if m.loops else (q, qd)


def given_forces(m: Mechanism, method: str, rows: Rows) -> Iteration:
    """Steps under forces that are inputs: q, qd; h, tau."""
    return _given_forces(Moment(m), method, rows)


def forced_step(
    m: Mechanism, q: Array, qd: Array, h: Any, tau: Array, method: str, rows: Rows
) -> tuple[Array, Array]:
    """One step under a force that stays as it is."""
    return advance(m, q, qd, lambda *_: tau, h, method, rows)


@lru_cache(maxsize=32)
def _given_forces(moment: Moment, method: str, rows: Rows) -> Iteration:
    program = record(forced_step, moment.m, inputs={"h": ()}, method=method, rows=rows)
    return Iteration(program, 2)


def linear_feedback(m: Mechanism, method: str, rows: Rows) -> Iteration:
    """Steps under linear feedback: q, qd; h, gain, q_ref, qd_ref, forward."""
    return _linear_feedback(Moment(m), method, rows)


def feedback_step(
    m: Mechanism,
    q: Array,
    qd: Array,
    h: Any,
    gain: Array,
    q_ref: Array,
    qd_ref: Array,
    forward: Array,
    method: str,
    rows: Rows,
) -> tuple[Array, Array]:
    """One step under linear feedback."""

    def force(_: Any, q: Array, qd: Array) -> Array:
        return forward - gain @ np.concatenate([m.difference(q_ref, q), qd - qd_ref])

    return advance(m, q, qd, force, h, method, rows)


@lru_cache(maxsize=32)
def _linear_feedback(moment: Moment, method: str, rows: Rows) -> Iteration:
    m, nv = moment.m, (moment.m.nv,)
    shapes = {"h": (), "gain": (m.nv, 2 * m.nv), "q_ref": (m.nq,), "qd_ref": nv, "forward": nv}
    return Iteration(record(feedback_step, m, inputs=shapes, method=method, rows=rows), 2)


def traced_control(m: Mechanism, method: str, rows: Rows, control: Callable[..., Any]) -> Iteration:
    """Steps under a function of (t, q, qd) that is compiled along: q, qd; h. Recorded anew at every call.

    What the function reads besides its arguments is fixed from then on, and may have changed since.
    """
    m = Moment(m).m

    def step(q: Array, qd: Array, h: Any, number: Any) -> tuple[Array, Array]:
        def force(part: Any, q: Array, qd: Array) -> Array:
            tau = array(control((number + part) * h, q, qd))
            if tau.shape != (m.nv,):
                raise InputError(
                    f"tau gives an array of shape {tau.shape}, expected ({m.nv},): one force per velocity"
                )
            return tau

        return advance(m, q, qd, force, h, method, rows)

    return Iteration(record(step, m, inputs={"h": (), "number": ()}), 2, number="number")
