"""Ways across singular positions of loops.

Where branches of closed positions meet, as where a parallelogram lies flat, constraints become dependent
and do not say any more how the motion goes on; next to it they do, with an error that grows as the inverse
square of the distance. The motion itself is smooth there, as positions and velocities go on without a jump.
So it is found from what holds before and behind: by a step with the singular position in its middle, where
no accelerations are asked for.
"""

from collections.abc import Callable

import numpy as np

from ..spatial import Array
from .attempts import Attempt, Way
from .bridge import FRESH, Bridging, Trail
from .closing import Closing, OpenLoop
from .passage import Passage, collocate
from .resting import rests_at
from .several import OfSeveral, Several, each

NEAR = 0.1
"""Margins below this share of the widest seen are worth a look at where they vanish."""

REACH = 4.0
"""Singular positions that are further away than so many of the longest steps are not looked at yet."""

FAR = 1000.0
"""What is further away than so many of the longest steps is not searched for."""

SPAN = 4.0
"""Half a step across is at most so many of the steps that follow the motion, where rounding does not make
these short: no polynomial follows it for longer."""

CENTRED = 0.01
"""How far, as a share of the step, the middle of what is left out may be from its own."""

WITHOUT, SAMPLES = 0.15, 40
"""Margins below this share of that at the start are left out in the middle of a step; looked at so often."""

WIDEST_HOLE = 0.7
"""Share of a step around its middle that may be left out at most."""

AGAIN = 0.25
"""A singular position that is expected elsewhere, by this share of the way to it, is another one."""

CLEAR = 0.2
"""Share of a step that is left, behind its end, to the next singular position."""

NODES, FEW_NODES = (10, 8), (8, 6)
"""Two steps of different order; their difference is the error. Few keep away from the start, too."""

FINEST = 1e-10
"""Errors that always do."""

AT_REST = 10.0
"""What comes to rest within so many times the error that an angle of 1 rad may have is at rest there."""

PAST = 4
"""How many states the motion is extrapolated from."""

RECENTRED = 6
"""How often a step is moved to have the singular position in its middle."""

NEWTON, FOUND = 12, 1e-6
"""Steps towards where a singular position is, at most; several next to each other slow them down. The last is
the first that changes the time to it by less than this share."""

SHORTER, TRIALS = 0.7, 40
"""By how much a step out of a singular position is shortened, and how often."""


ROUNDED = 0.1
"""Share of an error from which on rounding errors are worth a more exact law."""

UNCERTAIN = 1e-15
"""Velocities are uncertain by this, over the square of the margin."""

CLOSER = 0.7
"""Share of the margin at which several steps were tried last, below which they are tried again."""


class Resting(ArithmeticError):
    """A motion comes to rest at a singular position, at a time t, s."""

    def __init__(self, t: float) -> None:
        self.t = t


class Crossing:
    """Looks for singular positions ahead of a motion, and steps over them.

    Args:
        closing: The loops.
        nq: How many of a state's entries are positions; velocities follow, and what else there is.
        advanced: The position after moving with a velocity for a time.
        slope: dy/dt at (t, y).
        several: Looks at many states.
        rtol, atol: The error that an entry of a state may have, relative and absolute.
        bridging: What leads across where no single step does; None: nothing.
    """

    def __init__(
        self,
        closing: Closing,
        nq: int,
        advanced: Callable[[Array, Array, float], Array],
        slope: Callable[[float, Array], Array],
        several: Several,
        rtol: float,
        atol: float,
        bridging: Bridging | None,
    ) -> None:
        self.closing = closing
        self.nq = nq
        self.end: int = nq + closing.nv
        self.advanced = advanced
        self.slope = slope
        self.several = several
        self.rtol, self.atol = rtol, atol
        self.bridging = bridging
        self._best = Attempt()
        self._tried, self._expected, self._longest = (np.nan, np.nan), np.nan, 0.0
        self._past: list[tuple[float, Array]] = []
        self._trail, self._closest = Trail(), np.inf

    def look(
        self, t: float, y: Array, h: float, left: float, margin: float, turned: bool
    ) -> Way | float | None:
        """What to do in place of a step of length h from (t, y), if it comes near a singular position.

        Args:
            t, y, h: The step.
            left: How long the motion goes on, s.
            margin: The least of the two at its ends.
            turned: Whether they tell that there is one between them.

        Returns:
            A step across, or the length of a step that comes closer, or None if there is nothing.

        Raises:
            Resting: The motion comes to rest at the singular position.
        """
        if t == self._tried[0]:
            return self._tried[1]  # this is the step that comes closer
        self._longest = max(h, self._longest)
        if not self._past or self._past[-1][0] != t:
            self._past = [*self._past[1 - PAST :], (t, y)]
            self._trail.add(t, y[: self.nq])
        near = margin <= NEAR * self.closing.widest
        if not near and not turned:
            self._begin()
            return None
        predict = self._extrapolated()
        ahead = self._time_to_singular(y, predict)
        if not 0.0 < ahead < min(REACH * self._longest if near else h, left):
            if self._best.way is None and self._certain(y, margin):
                return None
            return self._better(t, y, self._bridge(y, h, left, margin))
        if ahead > 1.5 * self._tried[1] and abs(t + ahead - self._expected) < AGAIN * ahead:
            return None  # not much closer than where it was tried last
        attempt = Attempt()
        if ahead < SPAN * h or not self._certain(y, margin):
            attempt = self._across(t, y, 2.0 * ahead, left, predict)
        if isinstance(attempt.way, Passage) and self._ends_before_another(attempt.way):
            attempt = Attempt()  # a shorter one ends further away from it
        if attempt.excess > 1.0:
            bridge = self._bridge(y, h, left, margin)
            attempt = bridge if bridge.excess < attempt.excess else attempt
        found = self._better(t, y, attempt)
        if found is None:
            self._tried, self._expected = (t, 0.5 * ahead), t + ahead
        return 0.5 * ahead if found is None else found

    def _certain(self, y: Array, margin: float) -> bool:
        """Whether rounding leaves velocities next to a state y as certain as they are asked to be."""
        return float(np.max(self._allowed(y))) * margin**2 >= UNCERTAIN

    def _better(self, t: float, y: Array, attempt: Attempt) -> Way | None:
        """The way across that is good enough, or the best if those that start closer are worse."""
        if attempt.way is not None and attempt.excess <= 1.0:
            return self._leave_behind(attempt.way)
        if attempt.excess >= self._best.excess and self._best.fair is not None:
            return self.last_resort(t, y)
        if attempt.excess < self._best.excess or self._best.last_resort(t, y) is None:
            self._best = attempt
        return None

    def last_resort(self, t: float, y: Array) -> Way | None:
        """The best way across that was found, if it will do, where a motion at (t, y) comes no closer."""
        last = self._best.last_resort(t, y)
        return None if last is None else self._leave_behind(last)

    def _begin(self) -> None:
        """Far from singular positions; what was tried for one says nothing about the next."""
        self._best, self._tried, self._closest = Attempt(), (np.nan, np.nan), np.inf

    def _bridge(self, y: Array, h: float, left: float, margin: float) -> Attempt:
        """A way across in several steps from the last state, if it comes closer."""
        if self.bridging is None or not margin < min(self.closing.margin, CLOSER * self._closest):
            return Attempt()
        self._closest = margin
        found = self.bridging.across(self._trail, y, h, left)
        return Attempt() if found is None else self._judged(y, *found)

    def passed(self, t: Array, y: Array, h: float) -> None:
        """Steps of up to h were taken far from singular positions, from states (n, ny) at times (n,), s."""
        self._longest = max(h, self._longest)
        self._past = [*self._past, *zip(t[-PAST:].tolist(), y[-PAST:], strict=True)][-PAST:]
        for at, state in zip(t[-FRESH:].tolist(), y[-FRESH:], strict=True):
            self._trail.add(at, state[: self.nq])
        self._begin()

    def _leave_behind(self, way: Way) -> Way:
        """The way that is taken, if the motion does not come to rest on it."""

        def margin(t: float) -> float:
            return self.closing.margin_at(way.state(t)[: self.nq])

        rest = rests_at(margin, way.t, way.end, AT_REST * max(self.atol + self.rtol, FINEST))
        if rest is not None:
            raise Resting(rest)
        self._begin()
        self._past = []
        return way

    def forget(self) -> None:
        """Velocities have jumped, or something else: what was says nothing about what comes."""
        self._begin()
        self._past, self._trail = [], Trail()

    def leave(self, y: Array, slope: Array, longest: float, end: float) -> Passage | None:
        """A step away from a singular position, at t = 0 with a slope; None if there is none.

        It may reach behind the end of the run, s, where what acts goes on as it was there.
        """
        length, last = longest, Attempt()
        for _ in range(TRIALS):
            attempt = self.step_over(0.0, y, length, self.taylor(y, slope), FEW_NODES, end=end)
            if isinstance(attempt.way, Passage):
                if attempt.excess <= 1.0:
                    return attempt.way
                if attempt.excess >= last.excess and isinstance(last.fair, Passage):
                    return last.fair
                last = attempt
            length *= SHORTER
        return None

    def _allowed(self, y: Array) -> Array:
        """What entries of a state may err."""
        return np.maximum(self.atol + self.rtol * np.abs(y), FINEST)

    def _judged(self, y: Array, error: Array, way: Way) -> Attempt:
        """A way across from a state y, with errors (ny,) at its end."""
        size = np.maximum(np.abs(y), np.abs(way.state(way.end)))
        excess = float(np.max(error / self._allowed(size)))
        return Attempt(way, excess, float(np.max(error)) / max(1.0, float(np.max(size))))

    def _extrapolated(self) -> Callable[[float], Array]:
        """States after the last: by the polynomial through some and their slopes, if there are several."""
        slopes = [self.slope(t, y) for t, y in self._past]
        times, states = np.array([t for t, _ in self._past]), [y for _, y in self._past]
        if len(times) < 3:
            return self.taylor(states[-1], slopes[-1])
        scale = times[-1] - times[0]
        x, powers = ((times - times[-1]) / scale)[:, None], np.arange(2 * len(times))
        matrix = np.concatenate([x**powers, powers * x ** np.maximum(powers - 1, 0)])
        terms = np.linalg.solve(matrix, np.array([*states, *(scale * slope for slope in slopes)]))
        return lambda after: (after / scale) ** powers @ terms

    def _time_to_singular(self, y: Array, predict: Callable[[float], Array]) -> float:
        """To the first that is ahead, by Newton's method along the motion as it is predicted."""
        times = self.closing.times_to_singular(y[: self.nq], y[self.nq : self.end])
        ahead = float(np.min(times[times > 0.0], initial=np.inf))
        for _ in range(NEWTON):
            if not 0.0 < ahead < FAR * self._longest:
                return np.inf
            off = self._time_to_nearest(predict(ahead))
            ahead += off
            if abs(off) <= FOUND * ahead:
                break
        return ahead

    def _time_to_nearest(self, y: Array) -> float:
        """From a state to the nearest singular position, before or behind it; infinite if there is none."""
        times = self.closing.times_to_singular(y[: self.nq], y[self.nq : self.end])
        return float(times[np.argmin(np.abs(times))]) if len(times) else np.inf

    def _across(
        self, t: float, y: Array, length: float, left: float, predict: Callable[[float], Array]
    ) -> Attempt:
        """A step with the singular position in its middle, or to the end of the motion.

        A motion that only grazes a singular position is there twice, or next to it for a while: then all of
        that is in its middle.
        """
        middle, hole = self._left_out(y, 0.5 * length, predict)
        attempt = self.step_over(t, y, min(2.0 * middle, left), predict, hole=hole)
        for _ in range(RECENTRED):
            passage = attempt.way
            if not isinstance(passage, Passage) or 2.0 * middle > left:
                break
            after, hole = self._left_out(y, middle, passage.state_after)
            off, middle = abs(after - middle), after
            if off <= CENTRED * 2.0 * middle:
                break
            attempt = self.step_over(t, y, min(2.0 * middle, left), passage.state_after, hole=hole)
        return attempt

    def _ends_before_another(self, passage: Passage) -> bool:
        """Whether the end of a step is next to a singular position that is still to come."""
        y = passage.state(passage.end)
        times = self.closing.times_to_singular(y[: self.nq], y[self.nq : self.end])
        return bool(np.any((times >= 0.0) & (times < CLEAR * (passage.end - passage.t))))

    def _left_out(self, y: Array, ahead: float, predict: Callable[[float], Array]) -> tuple[float, float]:
        """Where margins are small around a time ahead: the middle, and half its length as a share of that."""
        off = self._time_to_nearest(predict(ahead))
        ahead += off if abs(off) < 0.5 * ahead else 0.0
        times = ahead * np.linspace(0.0, 2.0, SAMPLES + 1)[1:]
        first, *within = self.several.margins(np.array([y, *(predict(at) for at in times.tolist())]))
        low = ~(np.array(within) >= WITHOUT * first)  # what is no number, too
        first = last = SAMPLES // 2 - 1
        while first > 0 and low[first - 1]:
            first -= 1
        while last < SAMPLES - 1 and low[last + 1]:
            last += 1
        if first == last:
            return ahead, 0.0
        middle = 0.5 * float(times[first] + times[last])
        return middle, min((float(times[last]) - middle) / middle, WIDEST_HOLE)

    def step_over(
        self,
        t: float,
        y: Array,
        length: float,
        predict: Callable[[float], Array],
        nodes: tuple[int, int] = NODES,
        hole: float = 0.0,
        end: float = np.inf,
    ) -> Attempt:
        """By the law in use and, where rounding errors of that are too large, by the most exact one."""
        attempt = Attempt()
        slopes: list[OfSeveral] = [self.several.slopes]
        if self.bridging is not None:
            slopes.append(each(self.bridging.slope))
        for slope in slopes:
            fine, coarse = self._collocated(slope, t, y, length, predict, nodes, hole, end)
            if fine is None or coarse is None:
                continue
            difference = np.abs(fine.state(fine.end) - coarse.state(coarse.end))
            error = np.maximum(np.maximum(difference, fine.change), 0.01 * fine.tail)
            found = self._judged(y, error, fine)
            attempt = found if found.excess < attempt.excess else attempt
            rounded = float(np.max(fine.change / self._allowed(y)))
            if attempt.excess <= 1.0 or rounded <= max(1.0, ROUNDED * found.excess):
                break
        return attempt

    def _collocated(
        self,
        slope: OfSeveral,
        t: float,
        y: Array,
        length: float,
        predict: Callable[[float], Array],
        nodes: tuple[int, int],
        hole: float,
        end: float,
    ) -> tuple[Passage | None, Passage | None]:
        """The two steps; the second is looked for next to the first, and not without it."""

        def until(function: OfSeveral) -> OfSeveral:
            return function if t + length <= end else lambda at, y: function(np.minimum(at, end), y)

        def step(count: int, guess: Callable[[float], Array]) -> Passage | None:
            return collocate(until(slope), until(self.several.settled), t, y, length, guess, count, hole)

        try:
            fine = step(nodes[0], lambda at: predict(at - t))
            return fine, None if fine is None else step(nodes[1], fine.state)
        except (OpenLoop, np.linalg.LinAlgError):
            return None, None

    def taylor(self, y: Array, slope: Array) -> Callable[[float], Array]:
        """States after a time, accelerations being constant."""
        q, qd, more = np.split(y, [self.nq, self.end])
        _, qdd, rest = np.split(slope, [self.nq, self.end])

        def predict(after: float) -> Array:
            moved = self.advanced(q, qd + 0.5 * after * qdd, after)
            return np.concatenate([moved, qd + after * qdd, more + after * rest])

        return predict
