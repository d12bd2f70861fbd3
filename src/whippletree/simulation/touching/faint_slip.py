"""Steps where contacts slip so slowly that the direction of slip is stiff.

Along the surface, velocities v of a contact that slips have friction against them: the angle of v relaxes at
a rate of μ λn over its inertia and |v|, which is without bound where slip begins or ends. Explicit steps
would be as short as |v|; implicit ones follow the angle to which it relaxes.
"""

import numpy as np

from ...spatial import Array
from ..steppers import ChosenSteps, Step
from ..systems import Compiled
from .touching_system import TouchingSystem

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

    def rate(self, t: float, y: Array) -> float:
        """1/s: the fastest with which a direction relaxes; 0 if nothing slips."""
        by_angle, by_velocity = self.system.turning(t, y)
        rates = by_velocity @ by_angle[self.nq :]
        return (
            float(np.max(np.abs(np.linalg.eigvals(rates)), initial=0.0))
            if np.all(np.isfinite(rates))
            else 0.0
        )

    def slope_derivative(self, t: float, y: Array) -> Array:
        """(len(y), len(y)) as far as it is stiff; in steps so short, all else changes little."""
        by_angle, by_velocity = self.system.turning(t, y)
        found, size = np.zeros((len(y), len(y))), self.system.size
        found[:size, self.nq : size] = by_angle @ by_velocity
        return found


class FaintSteps:
    """Explicit steps, and implicit ones where slip is faint.

    Args:
        slip: The motion.
        plain, stiff: What takes the steps; the second of `slip`.
    """

    chooses = True

    def __init__(self, slip: FaintSlip, plain: ChosenSteps, stiff: ChosenSteps) -> None:
        self.slip = slip
        self.plain = plain
        self.stiff = stiff
        self._now = plain

    @property
    def is_plain(self) -> bool:
        """Whether the last step was an explicit one."""
        return self._now is self.plain

    def step(self, t: float, y: Array, longest: float | None) -> Step:
        wanted = self._now.following if longest is None else longest
        rate = float(self.slip.system.held_motion(t, y).turning)
        if not _fine(wanted, rate):  # that was a bound
            rate = self.slip.rate(t, y)
        return self._turn(wanted, rate).step(t, y, longest)

    def choose(self, t: float, y: Array, faint: bool) -> bool:
        """Whether steps of a stride from (t, y) are explicit, by a bound alone; if so they are from now on.

        They are implicit if it is known that slip becomes faint within the next one.
        """
        rate = float(self.slip.system.held_motion(t, y).turning)
        return self._turn(np.inf if faint else self._now.following, rate) is self.plain

    def _turn(self, wanted: float | None, rate: float) -> ChosenSteps:
        """What takes steps from now on, one of a length, s, being wanted; the rate is that of slip, 1/s."""
        fine = _fine(wanted, rate)
        taken = self.plain if fine else self.stiff
        if taken is not self._now:
            taken.h = taken.following = wanted if fine else STABLE / rate
            self._now = taken
        return taken


def _fine(wanted: float | None, rate: float) -> bool:
    """Whether an explicit step of a length, s, is stable."""
    return rate == 0.0 or (wanted is not None and wanted * rate < STABLE)
