"""Ways across singular positions of loops as steps of a run, sample by sample where a control is held."""

import numpy as np

from ..errors import HeldControlWarning, tell
from ..model.mechanism import Mechanism
from ..spatial import Array
from .acting import SOON, Acting
from .attempts import Attempt, Way
from .crossing import Crossing
from .passage import Passage
from .steppers import Closer, Step

FURTHER = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""How far the rest of a way may go on, as shares of what was left of it."""

NEAR = 0.25
"""Share of the margin at the end of a way above which steps of an integrator will do."""


class WaysOn:
    """Makes steps of ways, and goes on along those that end at a sample.

    A way may be many samples of a control long, as next to a singular position short steps are all rounding.
    It is found with what the control gave last, followed up to the next sample, and found anew from there.

    Args:
        m: The mechanism.
        crossing: What finds ways.
        forces: What acts.
        closed: Brings a state at a time to closed loops.

    Attributes:
        left: The way whose rest is still to be gone; None: there is none.
    """

    def __init__(self, m: Mechanism, crossing: Crossing, forces: Acting, closed: Closer) -> None:
        self.left: Way | None = None
        self._m, self._crossing, self._forces, self._closed = m, crossing, forces, closed

    def step(self, way: Way, last: float) -> Step:
        """A way as a step, up to the next sample of a control that is held, or to where a run ends, s."""
        end, sample = min(way.end, last), self._forces.next_sample
        cut = isinstance(way, Passage) and sample < SOON * end
        self.left = way if cut else None
        if sample < SOON * end and not cut:
            self._tell(way.t, end)
        return self._made(way, sample if cut else end)

    def after(self, t: float, y: Array, last: float) -> Step | None:
        """A step along what is left of a way, from (t, y) on; None: steps of an integrator will do again."""
        way, self.left = self.left, None
        nq, forces = self._m.nq, self._forces
        assert isinstance(way, Passage)
        if not self._is_near(t, y, way):
            return None
        forces.sample(t, y[:nq], y[nq:])
        attempt = self._found_anew(t, y, way, last)
        found = attempt.way if attempt.excess <= 1.0 else attempt.fair
        if found is not None:
            return self.step(found, last)
        forces.back_to(np.nextafter(t, -np.inf))
        end = min(way.end, last)
        self._tell(t, end)
        return self._made(way, end)

    def _found_anew(self, t: float, y: Array, way: Passage, last: float) -> Attempt:
        """The rest of a way, from (t, y) on, under forces that are others now; further, if that is better."""
        crossing, left, there = self._crossing, way.end - t, way.state(way.end)
        behind = crossing.taylor(there, crossing.slope(min(way.end, last), there))

        def predict(after: float) -> Array:
            return way.state(t + after) if after <= left else behind(after - left)

        attempt = Attempt()
        for share in FURTHER:
            found = crossing.step_over(t, y, share * left, predict, end=last)
            attempt = found if found.excess < attempt.excess else attempt
            if attempt.excess <= 1.0:
                break
        return attempt

    def leads_to(self, step: Step) -> Array:
        """The state at the end of the way that a step, made last, belongs to."""
        way = self.left
        return step.closed.y if way is None else self._closed(way.end, way.state(way.end)).y

    def _is_near(self, t: float, y: Array, way: Way) -> bool:
        """Whether the singular position is still ahead, or so close that short steps are all rounding."""
        nq, closing = self._m.nq, self._crossing.closing
        times = closing.times_to_singular(y[:nq], y[nq:])
        ahead = bool(np.any((times > 0.0) & (times < way.end - t)))
        return ahead or closing.margin_at(y[:nq]) < NEAR * closing.margin_at(way.state(way.end)[:nq])

    def _made(self, way: Way, end: float) -> Step:
        def inside(t: float) -> Array:
            y = way.state(t)
            return self._crossing.closing.loosely(t, y, self._closed(t, y))

        return Step(end, self._closed(end, way.state(end))._replace(y=inside(end)), inside)

    def _tell(self, t: float, end: float) -> None:
        tell(
            f"{self._m.name!r} is close to a singular position of its loops from t = {t:.6g} to {end:.6g} s: "
            f"its control, to be asked every {self._forces.period:g} s, holds all that time what it gave",
            HeldControlWarning,
        )
