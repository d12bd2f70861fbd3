"""The choice of an integrator by the stiffness of the equations at the start."""

from functools import lru_cache

import numpy as np

from ..kernels.run.kernel import Kernel
from ..spatial import Array
from .acting import is_control
from .spectrum import spectral_bound
from .strides.side_by_side import slopes
from .systems import Compiled

STIFF = 100.0
"""How many times faster the fastest decay must be than all oscillation before a method counts as stiff."""

STEP = 1e-6
"""Of central differences: rad or m, and rad/s or m/s, or a share of a velocity above 1."""

LARGE = 1000
"""Operations of an evaluation of accelerations from which on PIRK takes less time than DOP853."""

MILD = 500.0
"""1/s. Decays that may be faster bound steps of PIRK, where all else has come to rest, more than DOP853's."""

FINE = 1e-10
"""Tolerances below this meet rounding errors of accelerations, of which steps of PIRK make more."""


def explicit_method(system: Compiled, rtol: float) -> str:
    """The explicit method that takes least time, where steps end for their accuracy alone.

    Eight states are evaluated side by side in hardly more time than one, unless a function in Python or a
    driver is asked about each. Where a control is held steps begin anew, and follow no others.
    """
    if rtol < FINE:
        return "DOP853"
    forces, rates = system.forces, system.equations.rates
    compiled = forces.by_control_alone and is_control(forces.control, system.nq, system.equations.m.nv)
    if not (compiled or forces.gives_nothing) or forces.drive is not None or forces.period is not None:
        return "DOP853"
    return "PIRK" if isinstance(rates, Kernel) and rates.program.n_executed >= LARGE else "DOP853"


def choose(
    system: Compiled, y: Array, duration: float, many: float = 0.0, explicit: str = "DOP853"
) -> tuple[str, str]:
    """Name of a method, and why it; `explicit` is the one if nothing is stiff.

    Where nothing takes energy away, what decays also grows somewhere, and steps have to follow it. Elsewhere
    the equations are linearized at the start and at rest in the same position, where dry friction is
    steepest. Explicit methods must resolve the fastest decay even where nothing happens any more;
    that is a waste where it is much faster than all oscillation and than the run is long, which is so long
    that the decay fits into it more than `many` times.
    """
    if keeps_energy(system):
        return explicit, "not stiff: nothing takes energy away"
    q, qd = y[: system.nq], y[system.nq :]
    decay, swing = 0.0, 1.0 / duration
    velocities = (qd, np.zeros_like(qd)) if np.any(qd) else (qd,)
    matrices = [_linearized(system, q, velocity) for velocity in velocities]
    enough = STIFF * max(swing, 1.0)
    bound = max(spectral_bound(matrix, enough) for matrix in matrices)
    explicit = explicit if bound <= MILD else "DOP853"
    if bound <= enough:
        return explicit, f"not stiff: the fastest decay at the start is at most {bound:.3g}/s"
    for matrix in matrices:
        if not np.all(np.isfinite(matrix)):
            continue  # the run itself will tell what is wrong
        values = np.linalg.eigvals(matrix)
        decay = max(decay, float(np.max(-values.real, initial=0.0)))
        swing = max(swing, float(np.max(np.abs(values.imag), initial=0.0)))
    found = f"the fastest decay at the start is {decay:.3g}/s, the fastest oscillation {swing:.3g}/s"
    if decay > max(STIFF * max(swing, 1.0), many / duration):
        return "Radau", f"stiff: {found}"
    return explicit, f"not stiff: {found}"


def keeps_energy(system: Compiled) -> bool:
    """Whether energy is kept, whatever the motion: nothing acts, damps, rubs or pulls loops together."""
    equations = system.equations
    plain = type(system) is Compiled and system.forces.idle and not equations.law.options
    return plain and not equations.common.loses


def _linearized(system: Compiled, q: Array, qd: Array) -> Array:
    """(2 nv, 2 nv) derivative of (dq/dt, qdd) by (dq, qd), by central differences along the manifold."""
    n, nq = system.equations.m.nv, system.nq
    ways, lengths = _both_ways(n)
    steps = STEP * np.maximum(1.0, np.abs(qd))
    states = np.empty((2, 2, n, nq + n))  # on both sides, by position and by velocity
    states[..., :nq], states[..., nq:] = q, qd
    states[:, 0, :, :nq] = system.equations.common.advanced(states[:, 0, :, :nq].copy(), ways, lengths)
    states[:, 1, :, nq:] += ways * steps
    ends = slopes(system, states.reshape(4 * n, -1))[:, nq:]
    change = ends[: 2 * n] - ends[2 * n :]
    matrix = np.zeros((2 * n, 2 * n))
    matrix.ravel()[n : 2 * n * n : 2 * n + 1] = 1.0
    matrix[n:, :n], matrix[n:, n:] = change[:n].T / (2.0 * STEP), (change[n:] / (2.0 * steps[:, None])).T
    return matrix


@lru_cache(maxsize=32)
def _both_ways(n: int) -> tuple[Array, Array]:
    """(2, n, n) every unit vector and its opposite, and (2, n) a step each."""
    return np.array([np.eye(n), -np.eye(n)]), np.full((2, n), STEP)
