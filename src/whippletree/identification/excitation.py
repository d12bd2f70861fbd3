"""Exciting trajectories: motions that show the parameters of a mechanism well."""

from dataclasses import dataclass

import numpy as np

from ..api.compiling import kernel
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import expect, real_positive
from ..simulation.given_arrays import must_be_finite, real_array
from ..spatial import Array
from .base_parameters import base_parameters, refuse_loops

SHARE = 0.9
"""Of the limits, that is used."""

REACH, SPEED = 1.5, 2.0
"""rad or m, rad/s or m/s: bounds where a joint has none."""

SAMPLES = 100
"""At which conditions are looked at."""

TRIES, ROUNDS = 24, 120
"""Random motions to begin with, and changes of the best one."""


@dataclass(frozen=True, eq=False)
class Excitation:
    """A periodic motion: a Fourier series for each joint.

    Attributes:
        duration: The period, s.
        center: (nq,) the mean position, rad or m.
        sine: (harmonics, nv) of velocity, rad/s or m/s.
        cosine: (harmonics, nv) likewise.
        condition: Of the base parameters' regressor over the motion, its columns scaled to equal size.
        first_condition: The same of the first motion tried.
    """

    duration: float
    center: Array
    sine: Array
    cosine: Array
    condition: float
    first_condition: float

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """q, qd and qdd, (..., nv) each, at times t (...), s."""
        times = real_array(t, "t")
        must_be_finite(times, "t")
        return _series(self.center, self.sine, self.cosine, self.duration, times)

    def __str__(self) -> str:
        return f"{self.duration:g} s, condition {self.condition:.3g}, {self.first_condition:.3g} at first"


def exciting_trajectory(
    m: Mechanism, duration: float = 10.0, harmonics: int = 5, seed: int = 0
) -> Excitation:
    """A motion within limits from which the base parameters of a mechanism can be told well.

    Swevers, Ganseman, Tükel, De Schutter & Van Brussel, IEEE Trans. Robotics and Automation 13(5), 1997: a
    Fourier series for each joint, which repeats after its period and has no other frequencies. Coefficients
    are changed at random, as long as that lowers the condition number of the regressor, which bounds how much
    noise is enlarged. Each joint goes as far as 0.9 of its limits of position and velocity allow; where there
    are none, 1.5 rad or m about neutral and 2 rad/s or m/s.

    Args:
        m: A tree whose joints have angles and lengths as coordinates, no quaternions.
        duration: The period, s.
        harmonics: How many multiples of the lowest frequency.
        seed: Of the random changes.

    Returns:
        A report with `at(t)`, which gives q, qd and qdd.

    >>> import numpy as np, whippletree as wt
    >>> motion = wt.exciting_trajectory(wt.examples.load("double-pendulum"))
    >>> q, qd, qdd = motion.at(np.linspace(0.0, 10.0, 50))
    >>> q.shape, motion.condition < motion.first_condition
    ((50, 2), True)
    """
    expect("exciting_trajectory", "m", m, Mechanism, "a Mechanism")
    real_positive(duration, "duration")
    for name, value, least in (("harmonics", harmonics, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name} is {value!r}, expected a whole number, {least} or more")
    if harmonics > SAMPLES // 2:
        raise InputError(f"harmonics is {harmonics}, more than {SAMPLES // 2}, which samples can tell apart")
    refuse_loops(m, "exciting_trajectory")
    for body in m.bodies:
        if body.joint.nq != body.joint.nv:
            raise InputError(
                f"exciting_trajectory: joint {body.joint_name!r} has {body.joint.nq} coordinates for "
                f"{body.joint.nv} velocities: a Fourier series needs angles and lengths"
            )
    columns = list(base_parameters(m).columns)
    if not columns:
        raise InputError(f"exciting_trajectory: no joint of {m.name!r} moves anything that has inertia")
    Y, rng = kernel(m, "regressor"), np.random.default_rng(seed)
    center, reach, speed = _bounds(m)
    t = np.linspace(0.0, duration, SAMPLES, endpoint=False)

    def scaled(c: Array) -> Array:
        q, qd, _ = _series(np.zeros(m.nv), c[0], c[1], duration, t)
        most = np.maximum(np.abs(q).max(axis=0) / reach, np.abs(qd).max(axis=0) / speed)
        return c / np.where(most > 0.0, most, 1.0)

    def condition(c: Array) -> float:
        W = Y(*_series(center, c[0], c[1], duration, t)).reshape(-1, 13 * len(m))[:, columns]
        squares = W.T @ W
        sizes = np.sqrt(np.maximum(np.diag(squares), np.finfo(float).tiny))
        eigenvalues = np.linalg.eigvalsh(squares / np.outer(sizes, sizes))
        return float(np.sqrt(eigenvalues[-1] / max(eigenvalues[0], np.finfo(float).eps)))

    tried = [scaled(rng.normal(size=(2, harmonics, m.nv))) for _ in range(TRIES)]
    conditions = [condition(c) for c in tried]
    best, least = tried[int(np.argmin(conditions))], min(conditions)
    width = 0.5
    for _ in range(ROUNDS):
        size = np.std(best, axis=(0, 1))
        other = scaled(best + width * size * rng.normal(size=best.shape))
        found = condition(other)
        if found < least:
            best, least, width = other, found, min(1.5 * width, 1.0)
        else:
            width = max(0.9 * width, 0.02)
    return Excitation(float(duration), center, best[0], best[1], least, conditions[0])


def _bounds(m: Mechanism) -> tuple[Array, Array, Array]:
    """(nv,) the middle of each joint's range, how far it may go from there, and how fast."""
    rows = []
    for body in m.bodies:
        limits = body.limits
        lower = limits.lower if np.isfinite(limits.lower) else min(-REACH, limits.upper - 2.0 * REACH)
        upper = limits.upper if np.isfinite(limits.upper) else max(REACH, lower + 2.0 * REACH)
        speed = limits.velocity if np.isfinite(limits.velocity) else SPEED
        rows += [(0.5 * (lower + upper), SHARE * 0.5 * (upper - lower), SHARE * speed)] * body.joint.nv
    center, reach, speed = np.array(rows).T
    return center, reach, speed


def _series(
    center: Array, sine: Array, cosine: Array, duration: float, t: Array
) -> tuple[Array, Array, Array]:
    """q, qd, qdd: velocities are Σ a sin(k ω t) + b cos(k ω t)."""
    k = 2.0 * np.pi / duration * np.arange(1, len(sine) + 1)
    s, c = np.sin(t[..., None] * k), np.cos(t[..., None] * k)
    q = center + (s / k) @ cosine - (c / k) @ sine
    return q, s @ sine + c @ cosine, (k * c) @ sine - (k * s) @ cosine
