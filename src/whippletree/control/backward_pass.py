"""The recursion backward along a motion, its step in machine code."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..kernels.run.kernel import Kernel
from ..kernels.simplify.passes import simplified
from ..kernels.store import programs as stored
from ..kernels.store import sources
from ..kernels.trace.recording import recording
from ..spatial import Array
from .riccati import riccati_step


class Slopes(NamedTuple):
    """Derivatives along a motion of N steps; z is the state's n differences and the nu controls.

    Attributes:
        F: (N, n, nz) of the next state.
        g, H: (N, nz), (N, nz, nz) gradient and Hessian of the cost of each step.
        v, V: (n,), (n, n) those of the cost at the end.
    """

    F: Array
    g: Array
    H: Array
    v: Array
    V: Array


class ControlLaw(NamedTuple):
    """What is to be changed.

    Attributes:
        k: (N, nu) change of the controls.
        K: (N, nu, n) their feedback.
        first, second: What the change adds to the cost, by its first and by its second order.
    """

    k: Array
    K: Array
    first: float
    second: float


def backward(slopes: Slopes, low: Array, high: Array, mu: float) -> ControlLaw | None:
    """The recursion from the end of a motion to its start; None if mu is too small for it.

    Args:
        slopes: Derivatives along the motion.
        low, high: (N, nu) least and greatest change of the controls, one ≤ 0 and one ≥ 0.
        mu: Regularization, added to the Hessian of the controls.
    """
    steps, n, nz = slopes.F.shape
    step = _kernel(n, nz - n, bool(np.isfinite(low).any() or np.isfinite(high).any()))
    k, K = np.empty((steps, nz - n)), np.empty((steps, nz - n, n))
    v, V, first, second = slopes.v, slopes.V, 0.0, 0.0
    for i in reversed(range(steps)):
        v, V, k[i], K[i], a, b, least = step(v, V, slopes.F[i], slopes.g[i], slopes.H[i], low[i], high[i], mu)
        if not least > 0.0:
            return None
        first, second = first + a, second + b
    return ControlLaw(k, K, float(first), float(second))


@lru_cache(maxsize=32)
def _kernel(n: int, nu: int, limited: bool) -> Kernel:
    """The step for so many differences and controls, from disk if it is there."""
    nz = n + nu
    shapes = {"v": (n,), "V": (n, n), "F": (n, nz), "g": (nz,), "H": (nz, nz)}
    limits = {"low": (nu,), "high": (nu,), "mu": ()}

    def recorded(*arrays: Array) -> tuple[Array, ...]:
        return riccati_step(*arrays, limited=limited)

    library = sources.digest()
    name = None if library is None else ("riccati step", str((n, nu, limited)), library)
    program = stored.program(name, lambda: simplified(recording(recorded, {**shapes, **limits})))
    return Kernel(program, "riccati_step")
