"""Steps where contacts slip so slowly that the direction of slip is stiff.

Along the surface, velocities v of a contact that slips have friction against them: the angle of v relaxes at
a rate of μ λn over its inertia and |v|, which is without bound where slip begins or ends. Explicit steps
would be as short as |v|; implicit ones follow the angle to which it relaxes.
"""

import numpy as np

from ...spatial import Array
from ..steppers import ChosenSteps, Step
from ..systems import Compiled
from .holding import SLIP
from .touching_system import TouchingSystem

TURN = 1e-4
"""rad: the change of direction by which slopes are differenced."""

FAR = 1e9
"""m/s: with so much added along it, the direction in which a contact slips does not change."""

STABLE = 4.0
"""What explicit steps may be, times the fastest rate."""


class FaintSlip(Compiled):
    """A motion whose slopes hang on directions of slip more than on all else.

    Args:
        system: The motion.
    """

    def __init__(self, system: TouchingSystem) -> None:
        super().__init__(system.equations, system.forces)
        self.system = system

    def slope(self, t: float, y: Array) -> Array:
        return self.system.slope(t, y)

    def turning(self, t: float, y: Array) -> tuple[Array, Array]:
        """(nq + nv, k) slopes by the angles of k contacts that slip, and (k, nv) these by velocities."""
        system, held = self.system, self.system.held
        rows = np.flatnonzero((held.mode == SLIP) & (held.friction > 0.0))
        if not rows.size:
            return np.zeros((len(y), 0)), np.zeros((0, len(y) - self.nq))
        J = np.asarray(system.kernels.geometry(y[: self.nq])[3])
        velocity = J @ y[self.nq :]
        now = held.directions(velocity)
        size = np.linalg.norm(velocity[:, 1:], axis=1) + held.faint
        across = np.stack([-now[:, 1], now[:, 0]], axis=1)
        by_angle = np.empty((len(y), len(rows)))
        for k, row in enumerate(rows):
            ends = []
            for sign in (1.0, -1.0):
                along = now.copy()
                along[row] = np.cos(TURN) * now[row] + sign * np.sin(TURN) * across[row]
                ends.append(system.turned(t, y, along, FAR).slope)
            by_angle[:, k] = (ends[0] - ends[1]) / (2.0 * np.sin(TURN))
        by_velocity = np.einsum("ik,ikv->iv", across[rows], J[rows, 1:]) / size[rows, None]
        return by_angle, by_velocity

    def rate(self, t: float, y: Array) -> float:
        """1/s: the fastest with which a direction relaxes; 0 if nothing slips."""
        by_angle, by_velocity = self.turning(t, y)
        rates = by_velocity @ by_angle[self.nq :]
        return (
            float(np.max(np.abs(np.linalg.eigvals(rates)), initial=0.0))
            if np.all(np.isfinite(rates))
            else 0.0
        )

    def slope_derivative(self, t: float, y: Array) -> Array:
        """(nq + nv, nq + nv) as far as it is stiff; in steps so short, all else changes little."""
        by_angle, by_velocity = self.turning(t, y)
        return np.concatenate([np.zeros((len(y), self.nq)), by_angle @ by_velocity], axis=1)


class FaintSteps:
    """Explicit steps, and implicit ones where slip is faint.

    Args:
        slip: The motion.
        plain, stiff: What takes the steps; the second of `slip`.
    """

    chooses = True

    def __init__(self, slip: FaintSlip, plain: ChosenSteps, stiff: ChosenSteps) -> None:
        self.slip, self.plain, self.stiff = slip, plain, stiff
        self._now = plain

    def step(self, t: float, y: Array, longest: float | None) -> Step:
        rate = self.slip.rate(t, y)
        wanted = self._now.following if longest is None else longest
        fine = rate == 0.0 or (wanted is not None and wanted * rate < STABLE)
        taken = self.plain if fine else self.stiff
        if taken is not self._now:
            taken.h = wanted if fine else STABLE / rate
            self._now = taken
        return taken.step(t, y, longest)
