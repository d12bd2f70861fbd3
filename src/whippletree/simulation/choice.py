"""The choice of an integrator by the stiffness of the equations at the start."""

import numpy as np

from ..spatial import Array
from .systems import Compiled

STIFF = 100.0
"""How many times faster the fastest decay must be than all oscillation before a method counts as stiff."""


def choose(system: Compiled, y: Array, duration: float, many: float = 0.0) -> tuple[str, str]:
    """Name of a method, and why it.

    The equations are linearized at the start and at rest in the same position, where dry friction is
    steepest. Explicit methods must resolve the fastest decay even where nothing happens any more;
    that is a waste where it is much faster than all oscillation and than the run is long, which is so long
    that the decay fits into it more than `many` times.
    """
    q, qd = y[: system.nq], y[system.nq :]
    decay, swing = 0.0, 1.0 / duration
    for velocity in (qd, np.zeros_like(qd)):
        matrix = _linearized(system, q, velocity)
        if not np.all(np.isfinite(matrix)):
            continue  # the run itself will tell what is wrong
        values = np.linalg.eigvals(matrix)
        decay = max(decay, float(np.max(-values.real, initial=0.0)))
        swing = max(swing, float(np.max(np.abs(values.imag), initial=0.0)))
    found = f"the fastest decay at the start is {decay:.3g}/s, the fastest oscillation {swing:.3g}/s"
    if decay > max(STIFF * max(swing, 1.0), many / duration):
        return "Radau", f"stiff: {found}"
    return "DOP853", f"not stiff: {found}"


def _linearized(system: Compiled, q: Array, qd: Array) -> Array:
    """(2 nv, 2 nv) derivative of (dq/dt, qdd) by (dq, qd), by central differences along the manifold."""
    n = system.equations.m.nv
    matrix = np.zeros((2 * n, 2 * n))
    matrix[:n, n:] = np.eye(n)
    for k in range(n):
        e = np.eye(n)[k]
        for column, step in ((k, 1e-6), (n + k, 1e-6 * max(1.0, abs(qd[k])))):
            ends = []
            for sign in (1.0, -1.0):
                at = system.moved(q, e, sign * step) if column < n else q
                velocity = qd if column < n else qd + sign * step * e
                ends.append(system.slope(0.0, np.concatenate([at, velocity]))[system.nq :])
            matrix[n:, column] = (ends[0] - ends[1]) / (2.0 * step)
    return matrix
