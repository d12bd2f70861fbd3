"""What `whippletree demo` lets move: one motion by every integrator, and thousands of motions at once."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from .. import examples
from ..loops import assemble, project_velocity
from ..simulation import Trajectory, rollout, simulate
from ..spatial import Array

STEPS = {"euler": 1e-3, "midpoint": 2e-3, "rk4": 2e-3, "rk6": 5e-3}
"""s, of the integrators of fixed step."""

TREE, LOOP = "double-pendulum", "four-bar"
METHODS: dict[str, tuple[str, ...]] = {
    TREE: ("euler", "midpoint", "rk4", "rk6", "RK45", "DOP853", "PIRK", "Radau", "BDF"),
    LOOP: ("euler", "rk4", "rk6", "DOP853"),
}
DURATION = {TREE: 10.0, LOOP: 2.0}

MANY, TRAJECTORIES, LENGTH = "seven-axis-arm", 2048, 500
"""What is rolled out: how many trajectories, and of how many steps."""


@dataclass(frozen=True)
class Drift:
    """What one integrator made of a motion that keeps its energy.

    Attributes:
        run: The motion.
        seconds: How long it took to compute, compiling not counted.
    """

    run: Trajectory = field(repr=False)
    seconds: float

    @property
    def energy(self) -> Array:
        """(n,) how far the energy has been from that at the start, as a share of the kinetic energy."""
        change = np.abs(self.run.energy - self.run.energy[0]) / np.max(self.run.kinetic)
        return np.maximum.accumulate(change)

    @property
    def gap(self) -> float | None:
        """How far loops were open at most, m or rad; None without loops."""
        error = self.run.constraint_error
        return float(np.max(np.abs(error))) if error.size else None

    def told(self) -> dict[str, Any]:
        """All of it, as plain data."""
        return {
            "mechanism": self.run.name,
            "method": self.run.method,
            "step": STEPS.get(self.run.method),
            "steps": round(float(np.sum(self.run.step > 0.0))),
            "duration": float(self.run.t[-1]),
            "energy_drift": float(np.max(self.energy)),
            "largest_gap": self.gap,
            "seconds": self.seconds,
        }


def start(name: str) -> tuple[Array, Array]:
    """A position and velocity to begin with."""
    if name == TREE:
        return np.array([2.0, 0.5]), np.zeros(2)
    m = examples.load(LOOP)
    q = assemble(m, np.array([1.0, 0.0, 0.0]), hold=["crank"])
    return q, project_velocity(m, q, np.array([6.0, 0.0, 0.0]), hold=["crank"])


def drifts() -> Iterator[Drift]:
    """The same motions by every integrator."""
    for name, methods in METHODS.items():
        m, (q, qd) = examples.load(name), start(name)
        for method in methods:
            options: Any = {"method": method, "dt": STEPS.get(method), "progress": False}
            simulate(m, q, qd, 0.02, **options)  # compiles
            before = perf_counter()
            run = simulate(m, q, qd, DURATION[name], **options)
            yield Drift(run, perf_counter() - before)


def many() -> dict[str, Any]:
    """Thousands of trajectories of an arm that is let go, at once and on one thread: how fast."""
    m, rng = examples.load(MANY), np.random.default_rng(0)
    q0 = np.array([m.random(rng) for _ in range(TRAJECTORIES)])
    rollout(m, q0[:8], np.zeros(m.nv), steps=1)  # compiles
    before = perf_counter()
    q, _ = rollout(m, q0, np.zeros(m.nv), steps=LENGTH, every=LENGTH)
    seconds = perf_counter() - before
    return {
        "mechanism": MANY,
        "trajectories": TRAJECTORIES,
        "steps": LENGTH,
        "seconds": seconds,
        "steps_per_second": TRAJECTORIES * LENGTH / seconds,
        "finite": bool(np.all(np.isfinite(q))),
    }
