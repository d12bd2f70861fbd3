"""States between recorded ones, so that curves are drawn as smooth as motions are."""

from typing import Any, NamedTuple

import numpy as np

from ..api.compiling import made_once
from ..api.derivative import tangents
from ..model.mechanism import Mechanism
from ..simulation.equations import common
from ..simulation.trajectory import Trajectory
from ..spatial import Array

POINTS = 800
"""Points of a curve, if fewer were recorded."""


class Smooth(NamedTuple):
    """A motion as it is drawn, n points.

    Attributes:
        t: (n,) time, s.
        q: (n, nq) positions, qd: (n, nv) velocities.
        potential: (n,) energy of gravity and springs, elastic: (n,) that of springs, energy: (n,) all, J.
    """

    t: Array
    q: Array
    qd: Array
    potential: Array
    elastic: Array
    energy: Array


def smooth(run: Trajectory) -> Smooth:
    """Recorded states and, within steps of the integrator, others between them.

    Positions are cubics with the velocities at both ends of a step, velocities their rates, so that a fall
    is a parabola; the whole energy is a cubic with the powers recorded. Where only some steps were recorded,
    or it is not known what moved, lines are straight.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("stone")
    >>> m.add_body("stone", wt.Prismatic("z"), inertia=wt.Inertia(1.0))
    >>> drawn = smooth(wt.simulate(m, duration=2.0))
    >>> len(drawn.t) > 800, float(np.max(np.abs(drawn.q[:, 0] + 4.905 * drawn.t**2)).round(9))
    (True, 0.0)
    """
    m, h = run.mechanism, np.diff(run.t)
    counts = np.ones(len(h), dtype=int)
    if m is not None and len(run) <= POINTS and run.t[-1] > run.t[0]:
        inside = h <= (1.0 + 1e-9) * run.step[1:]
        counts = np.where(inside, np.ceil(POINTS * h / (run.t[-1] - run.t[0])), 1).astype(int)
        counts = np.maximum(counts, 1)
    if m is None or np.all(counts == 1):
        return Smooth(run.t, run.q, run.qd, run.potential, run.elastic, run.energy)
    k = np.repeat(np.arange(len(h)), counts)
    s = np.concatenate([np.arange(count) / count for count in counts])
    N = _directions(m, run.q)
    rates = run.qd if N is None else np.einsum("nqv,nv->nq", N, run.qd)
    q, slope = _cubic(run.q, rates, h, k, s)
    N = _directions(m, q)
    qd = slope if N is None else np.einsum("nvq,nq->nv", np.linalg.pinv(N), slope)
    power = run.power + run.external_power - run.lost_power
    energy = _cubic(run.energy[:, None], power[:, None], h, k, s)[0][:, 0]
    _, gravity, elastic, *_ = common(m).accounts(np.concatenate([q, qd], axis=1)).T
    t = run.t[k] + s * h[k]
    found = Smooth(t, q, qd, gravity + elastic, elastic, energy)
    last: Any = (run.t, run.q, run.qd, run.potential, run.elastic, run.energy)
    return Smooth(*(np.concatenate([a, b[-1:]]) for a, b in zip(found, last, strict=True)))


def _directions(m: Mechanism, q: Array) -> Array | None:
    """(n, nq, nv) rates of coordinates by velocities; None where they are the same."""
    if all(body.joint.has_rates for body in m.bodies):
        return None
    return np.asarray(made_once(tangents, m)(q))


def _cubic(values: Array, rates: Array, h: Array, k: Array, s: Array) -> tuple[Array, Array]:
    """(n, …) values and rates at the share s (n,) of steps k (n,), of cubics with rates (…) at both ends."""
    s, h = s[:, None], h[k][:, None]
    before, after, start, end = values[k], values[k + 1], h * rates[k], h * rates[k + 1]
    found = before + s * s * (3 - 2 * s) * (after - before) + s * (1 - s) * ((1 - s) * start - s * end)
    change = 6 * s * (1 - s) * (after - before) + (1 - s) * (1 - 3 * s) * start + s * (3 * s - 2) * end
    return found, change / np.where(h > 0.0, h, 1.0)
