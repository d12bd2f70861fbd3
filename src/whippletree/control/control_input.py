"""What a user gives to optimal control, checked once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InputError, ModelError
from ..model.mechanism import Mechanism
from ..model.values import joint_numbers, per_velocity, real_positive, signature_of, whole_number
from ..simulation.driver import start
from ..simulation.given_arrays import must_be_finite, real_array
from ..simulation.integrators import INTEGRATORS
from ..spatial import Array
from .motion_steps import STEP, MotionSteps, Residuals, mode_of, residual_kernels


def control_problem(
    m: Any,
    q0: Any,
    qd0: Any,
    stage: Any,
    final: Any,
    steps: Any,
    dt: Any,
    actuated: Any,
    limits: Any,
    u0: Any,
    method: Any,
) -> tuple[MotionSteps, tuple[Array, Array], Array]:
    """The problem, its start and the first guess; arguments as of `ilqr`."""
    if not isinstance(m, Mechanism):
        raise InputError(f"m is {type(m).__name__}, expected a Mechanism")
    if m.contacts:
        raise ModelError(
            f"ilqr: {m.name!r} has contacts, as {m.contacts[0].name!r}, and a step in which something is "
            "struck has no derivatives: take a mechanism without them"
        )
    steps, h = whole_number(steps, "steps"), real_positive(dt, "dt")
    known = [name for name, integrator in INTEGRATORS.items() if integrator.recordable]
    if method not in known:
        raise InputError(f"method is {method!r}; known: {', '.join(known)}")
    q, qd = start(m, q0, qd0)
    B, effort = _actuation(m, actuated)
    low, high = _limits(limits, effort)
    u = np.zeros((steps, B.shape[1])) if u0 is None else real_array(u0, "u0")
    if u.shape != (steps, B.shape[1]):
        raise InputError(f"u0 has shape {u.shape}, expected {(steps, B.shape[1])}: a control per step")
    must_be_finite(u, "u0")
    step = _residuals(stage, m, "stage", STEP)
    of_stage = residual_kernels(step, m, STEP, {"u": (B.shape[1],)}, "stage")
    of_end = residual_kernels(_residuals(final, m, "final", STEP[:2]), m, STEP[:2], {}, "final")
    problem = MotionSteps(m, B, low, high, h, mode_of(m, q, qd, method), step, of_stage, of_end)
    return problem, (q, qd), np.clip(u, low, high)


def _actuation(m: Mechanism, actuated: Any) -> tuple[Array, Array]:
    """(nv, nu) forces of unit controls, and (nu,) the greatest controls."""
    if isinstance(actuated, np.ndarray):
        B = real_array(actuated, "actuated")
        if B.ndim != 2 or len(B) != m.nv or not B.shape[1]:
            raise InputError(f"actuated has shape {B.shape}, expected ({m.nv}, nu): {per_velocity(m)}")
        must_be_finite(B, "actuated")
        return B, np.full(B.shape[1], np.inf)
    numbers = range(len(m)) if actuated is None else joint_numbers(m, actuated, "actuated")
    columns = [j for i in numbers for j in range(m.v_index[i].start, m.v_index[i].stop)]
    if not columns:
        raise InputError(f"actuated names no joint that moves: there is nothing to control {m.name!r} by")
    effort = [m.bodies[i].limits.effort for i in numbers for _ in range(m.bodies[i].joint.nv)]
    return np.eye(m.nv)[:, columns], np.array(effort)


def _limits(limits: Any, effort: Array) -> tuple[Array, Array]:
    """(nu,) least and greatest controls."""
    if limits is None:
        return -effort, effort
    if not isinstance(limits, tuple | list) or len(limits) != 2:
        raise InputError(f"limits is {limits!r}, expected two: the least and the greatest controls")
    found = []
    for value, name in zip(limits, ("least", "greatest"), strict=True):
        array = real_array(value, f"the {name} control")
        if array.shape not in ((), effort.shape) or np.isnan(array).any():
            raise InputError(
                f"the {name} control of limits has shape {array.shape}, expected {effort.shape} or a number"
            )
        found.append(np.broadcast_to(array, effort.shape).astype(float))
    wrong = np.flatnonzero(found[0] >= found[1])
    if len(wrong):
        n = int(wrong[0])
        raise InputError(f"limits of control {n} are {found[0][n]:g} and {found[1][n]:g}: nothing is between")
    return found[0], found[1]


def _residuals(function: Any, m: Mechanism, name: str, expected: tuple[str, ...]) -> Residuals:
    """The function of the expected arguments alone."""
    if not callable(function):
        raise InputError(f"{name} is {function!r}, expected a function of ({', '.join(expected)})")
    names = tuple(signature_of(function, "function").parameters)
    if names == expected:
        return function
    if names == ("m", *expected):
        return _of_states(function, m, len(expected) == 3)
    raise InputError(
        f"{name} is a function of ({', '.join(names)}), expected ({', '.join(expected)}), or these behind m"
    )


def _of_states(function: Callable[..., Any], m: Mechanism, controlled: bool) -> Residuals:
    """The function with its mechanism given."""

    def of_stage(q: Array, qd: Array, u: Array) -> Any:
        return function(m, q, qd, u)

    def of_end(q: Array, qd: Array) -> Any:
        return function(m, q, qd)

    return of_stage if controlled else of_end
