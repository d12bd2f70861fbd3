"""The recursion backward along a motion, in machine code."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..kernels.run.iterate import Iteration, Series, overwritten
from ..kernels.simplify.passes import simplified
from ..kernels.store import programs as stored
from ..kernels.store import sources
from ..kernels.trace.recording import recording
from ..spatial import Array, minimum
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
    nu = nz - n
    recursion = _recursion(n, nu, bool(np.isfinite(low).any() or np.isfinite(high).any()))
    k, K = np.empty((1, steps, nu)), np.empty((1, steps, nu, n))
    first, second, least = np.zeros(1), np.zeros(1), np.full(1, np.inf)
    starts = [slopes.v[None], slopes.V[None], k[:, 0], K[:, 0], first, second, least]
    ends = [overwritten(start.copy(), steps) for start in starts]
    ends[2:4] = k[:, ::-1], K[:, ::-1]
    given = (slopes.F, slopes.g, slopes.H, low, high)
    series = [Series.of(part[None, ::-1], part.shape[1:]) for part in given]
    recursion(starts, [*series, Series(np.array(mu), 0, 0)], ends, steps=steps, every=1, threads=1)
    if not ends[6][0, 0] > 0.0:
        return None
    return ControlLaw(k[0], K[0], float(ends[4][0, 0]), float(ends[5][0, 0]))


@lru_cache(maxsize=32)
def _recursion(n: int, nu: int, limited: bool) -> Iteration:
    """The step for so many differences and controls, from disk if it is there.

    Behind v and V, its states are what a step finds and no other needs, k and K, and what adds up: the two
    parts of the expected change, and the least of all pivots.
    """
    nz = n + nu
    state = {"v": (n,), "V": (n, n), "k": (nu,), "K": (nu, n), "first": (), "second": (), "least": ()}
    given = {"F": (n, nz), "g": (nz,), "H": (nz, nz), "low": (nu,), "high": (nu,), "mu": ()}

    def recorded(*arrays: Array) -> tuple[Any, ...]:
        v, V, _, _, first, second, least, *rest = arrays
        v, V, k, K, a, b, pivot = riccati_step(v, V, *rest, limited=limited)
        return v, V, k, K, first + a, second + b, minimum(least, pivot)

    library = sources.digest()
    name = None if library is None else ("riccati recursion", str((n, nu, limited)), library)
    program = stored.program(name, lambda: simplified(recording(recorded, {**state, **given})))
    return Iteration(program, len(state), width=1)
