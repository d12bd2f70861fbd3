"""Loops kept closed: every state is brought to the nearest one that satisfies the constraints (RBDA §8.3)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..loops.closing.assembly import assemble
from ..loops.closing.check import TOLERANCE, check_closed
from ..loops.equations.constraints import row_owners
from ..loops.equations.loop_sizes import row_sizes
from ..model.driver_motions import Prescribed
from ..model.mechanism import Mechanism
from ..spatial import Array
from ..spatial.scalar import all_finite
from .acting import Drive
from .equations import Common, common
from .factors import WEAK, Factors

STEPS = 8
"""Newton steps after which the gap that one step of an integrator has left should be closed."""

SLOW = 1e-3
"""Steps that leave more than this share of a gap need constraints that are factored anew."""

STILL = 1e-6
"""rad or m, times the margin: constraints factored so close by are as good as those factored here."""

FAINT = 1e-2
"""Share of the largest pivot: errors of a position make velocities that weaker constraints ask for worse."""

OPEN = 1e-6
"""rad or m: gaps that cannot be brought below this are no drift any more."""

LEFT = 10.0
"""Gaps of constraints that are not asked for may be so many times the tolerance."""

NEAR_SINGULAR = 0.01
"""Margins below this are told when a run cannot go on."""

PROBE = 1e-4
"""rad or m: how far from a start it is looked whether more constraints are independent than there."""

DIFFERENCE = 1e-7
"""rad or m: the motion over which the change of the constraints is measured."""


class OpenLoop(ArithmeticError):
    """A loop that could not be kept closed."""

    def __init__(self, name: str, gap: float) -> None:
        self.name = name
        self.gap = gap


class Closed(NamedTuple):
    """A state with closed loops.

    Attributes:
        y: (nq + nv,) the state.
        margin: How far it is from where fewer constraints are independent, see `Factors`.
        clear: How many are independent there.
        factors: The constraints there; None if there are none.
        K: (nc, nv) the same as a matrix.
        before: The constraints at the state accepted last, if as many were independent there.
    """

    y: Array
    margin: float
    clear: int
    factors: Factors | None = None
    K: Array = np.zeros((0, 0))
    before: Factors | None = None

    @property
    def turned(self) -> bool:
        """Whether some have become dependent on the way from the state accepted last; see `Factors`."""
        return self.before is not None and self.before.turned(self.K)


class Closing:
    """Brings states back to closed loops, by the shortest change of positions and of velocities.

    Near singular positions, what only weak combinations of constraints would change is left as it is: it
    is there that rounding would be enlarged, and a smooth motion needs no correction.

    Args:
        m: The mechanism.
        common: Its compiled functions.
        drive: What drivers prescribe, which is brought to its value as loops are closed; None: nothing.
        tolerance: Share by which constraints depend on others that are not asked for then, as these see to
            them; they stay open to it. None: only rounding counts.

    Attributes:
        nv: Velocities of the mechanism.
        rank: The most constraints that were found to be independent.
    """

    nv: int
    rank: int
    _factors: Factors | None

    def __init__(
        self, m: Mechanism, common: Common, drive: Drive | None = None, tolerance: float | None = None
    ) -> None:
        self.tolerance = tolerance
        self._weak = WEAK if tolerance is None else max(WEAK, tolerance)
        self.gap: float = OPEN
        if tolerance is not None:
            self.gap = max(OPEN, LEFT * tolerance * max(m.once(row_sizes), default=1.0))
        self._m, self._advanced, self._kernel = m, common.advanced, common.constraints
        self._drive = drive
        driven = () if drive is None else drive.driven
        self._own = [(k, m.q_index[c.number].start) for k, c in enumerate(driven) if c.is_own]
        self._rows = m.once(moving_rows) if drive is None else _not_always_zero(m, self._all)
        self.nv, self.rank = m.nv, 0
        self._margin, self._widest, self._factors = 0.0, 0.0, None
        self._begun: Array | None = None
        self._all_independent = False
        self._seen: tuple[tuple[bytes, int], tuple[Array, Array, Factors]] | None = None

    @property
    def margin(self) -> float:
        """How far the last state that was accepted is from fewer independent constraints."""
        self._look_at_start()
        return self._margin

    @property
    def widest(self) -> float:
        """The largest margin seen."""
        self._look_at_start()
        return self._widest

    @property
    def rows(self) -> tuple[int, ...] | None:
        """Numbers of all constraints that are not always zero; None if some are not asked for, or driven."""
        return self._m.once(_all_rows) if self._drive is None and self.tolerance is None else None

    def _all(self, q: Array, x: Array | None = None) -> tuple[Array, Array]:
        """δ and K of loops, gears and drivers, these being at x (nd,) or, if that does not matter, None."""
        if self._drive is None:
            return self._kernel(q)
        return self._drive.gaps(q, np.zeros(len(self._drive.driven)) if x is None else x)

    def _constraints(self, q: Array, x: Array | None = None) -> tuple[Array, Array]:
        error, K = self._all(q, x)
        return error[self._rows], K[self._rows]

    def _seen_at(self, q: Array, x: Array | None = None) -> tuple[Array, Array, Factors]:
        """δ, K and its factors at a position; a run asks several times about the same one."""
        key = q.tobytes(), self.rank
        if x is None and self._seen is not None and self._seen[0] == key:
            return self._seen[1]
        error, K = self._constraints(q, x)
        found = error, K, self._factored(K)
        if x is None:
            self._seen = key, found
        return found

    def _rates(self, asked: Prescribed | None) -> Array | float:
        """What K qd should be."""
        if asked is None:
            return 0.0
        nc = len(row_owners(self._m))
        return np.concatenate([np.zeros(nc), asked.xd])[self._rows]

    def independent(self, q: Array) -> tuple[int, ...]:
        """Numbers of constraints that determine all others at a position, ascending."""
        if self._all_independent and self.rows is not None:  # who asks looks at margins
            return self.rows
        found = self._seen_at(q)[2].rows
        if len(found) == len(self._rows):
            return tuple(self._rows)
        return tuple(sorted(self._rows[row] for row in found.tolist()))

    def constraints(self, q: Array) -> tuple[Array, Array]:
        """δ (nc,) and K (nc, nv) of the constraints that are looked at, without drivers."""
        return self._constraints(q)

    def among(self, q: Array, rows: Array) -> tuple[Array, float]:
        """Some of these, the most independent first, and how far a position q is from fewer of them."""
        K = self._constraints(q)[1][rows]
        factors = Factors(K, len(rows), 0.0)
        return rows[factors.rows], factors.margin

    def ordered(self, q: Array) -> tuple[Array, float]:
        """Numbers of independent ones, the most independent first, and how far a position is from fewer."""
        factors = self._seen_at(q)[2]
        return factors.rows, factors.margin

    def of_all(self, K: Array) -> Array:
        """Of all rows, or entries, of constraints those that are looked at."""
        return K[self._rows]

    def other_way(self, q: Array) -> int:
        """The number of the velocity that is largest in what constraints hardly hinder at a position."""
        directions = np.linalg.svd(self._constraints(q)[1])[2]
        return int(np.argmax(np.abs(directions[self.rank - 1])))

    def is_regular(self, q: Array) -> bool:
        """Whether all constraints are independent at a start, which cannot be singular then; learn that."""
        self.rank = min(len(self._rows), self.nv)
        return self._seen_at(q)[2].clear == len(self._rows)

    def begin_regularly(self, q: Array) -> None:
        """Begin at a position where all constraints are independent; more is found out when it is needed."""
        self.rank, self._begun, self._all_independent = len(self._rows), q, True

    def _look_at_start(self) -> None:
        if self._begun is not None:
            q, self._begun = self._begun, None
            _, K, factors = self._seen_at(q)
            self.accept(Closed(q, factors.margin, factors.clear, factors, K))

    def begin(self, y: Array, direction: Array) -> tuple[Array, bool]:
        """Learn how many constraints are independent around a start, which may itself be singular.

        Args:
            y: (nq + nv,) the start, closed.
            direction: (nv,) where it leads: its velocity or, from rest, its acceleration.

        Returns:
            A state just behind the start, and whether fewer constraints are independent at the start.
        """
        nq = self._m.nq
        size = float(np.max(np.abs(direction), initial=0.0))
        self.rank = min(len(self._rows), self._m.nv)
        here = Factors(self._constraints(y[:nq])[1], 0, self._weak).clear
        after, behind = y, here
        if 0.0 < size < np.inf:
            away = np.concatenate([self._advanced(y[:nq], direction, PROBE / size), y[nq:]])
            found = self(PROBE / size if np.any(y[nq:]) else np.sqrt(2.0 * PROBE / size), away)
            after, behind = found.y, found.clear
        self.rank = max(here, behind)
        return after, here < behind

    def accept(self, state: Closed, wider: float = 1.0) -> None:
        """Learn from a state that the motion has reached, and whose margin was so many times wider before."""
        self._look_at_start()
        self.rank, self._margin = max(self.rank, state.clear), state.margin
        self._widest = max(self._widest, wider * state.margin)
        self._factors = state.factors

    def __call__(self, t: float, y: Array) -> Closed:
        """The closed state near y at a time t, s, with drivers where they are then."""
        nq = self._m.nq
        q, qd = y[:nq], y[nq:]
        asked = None if self._drive is None else self._drive.asked(t)
        x = None if asked is None else asked.x
        error, K, factors = self._seen_at(q, x)
        if not all_finite(error):
            return Closed(y, self.margin, 0)
        moved, size = 0.0, self._size(error, factors)
        for _ in range(STEPS):
            if size == 0.0:
                break
            change = factors.shortest(error)
            closer = self._advanced(q, change, -1.0)
            new_error, new_K = self._constraints(closer, x)
            new_size = self._size(new_error, factors)
            if not new_size < size:  # rounding is all that is left
                break
            slow, moved = new_size > SLOW * size, moved + _largest(change)
            q, error, K, size = closer, new_error, new_K, new_size
            if slow:
                if moved < STILL * factors.margin:  # what it leaves is rounding
                    break
                factors, moved = self._factored(K), 0.0
        size = _largest(error)
        if size > self.gap:
            owners = [*row_owners(self._m), *(() if self._drive is None else self._drive.names)]
            raise OpenLoop(owners[self._rows[int(np.argmax(np.abs(error)))]], size)
        if x is not None and self._own:
            q = q.copy()
            for k, index in self._own:
                q[index] = x[k]  # to the last digit
        # Only where loops are closed do redundant constraints depend on the others.
        if moved >= STILL * factors.margin:
            factors, moved = self._factored(K), 0.0
        if x is None:
            self._seen = (q.tobytes(), self.rank), (error, K, factors)
        if asked is not None or np.any(qd):
            for _ in range(1 if moved == 0.0 else 2):
                qd = qd - factors.shortest(K @ qd - self._rates(asked))
        return self._told(np.concatenate([q, qd]), K, factors)

    def loosely(self, t: float, y: Array, state: Closed) -> Array:
        """The closed state near y with velocities that are brought back only where constraints are not weak.

        Within a way across a singular position velocities are more exact than what weak ones ask for.
        """
        if state.factors is None:
            return state.y
        asked = None if self._drive is None else self._drive.asked(t)
        q, _, more = np.split(state.y, [self._m.nq, self._m.nq + self.nv])
        qd, strong = y[len(q) : len(q) + self.nv], Factors(state.K, self.rank, FAINT)
        return np.concatenate([q, qd - strong.shortest(state.K @ qd - self._rates(asked)), more])

    def _factored(self, K: Array) -> Factors:
        return Factors(K, self.rank, self._weak)

    def _size(self, error: Array, factors: Factors) -> float:
        """The largest gap that is to be closed."""
        return _largest(error if self.tolerance is None else error[factors.rows])

    def told(self, y: Array, K: Array) -> Closed:
        """A state y that is closed already, with all of its constraints K (n, nv)."""
        K = K[self._rows]
        return self._told(y, K, self._factored(K))

    def told_at(self, y: Array) -> Closed:
        """The same, with the constraints that it has."""
        return self._told(y, *self._seen_at(y[: self._m.nq])[1:])

    def _told(self, y: Array, K: Array, factors: Factors) -> Closed:
        self._look_at_start()
        before = self._factors
        if before is not None and not factors.rank == before.rank == self.rank:
            before = None
        return Closed(y, factors.margin, factors.clear, factors, K, before)

    def margin_at(self, q: Array) -> float:
        """How far a position is from where fewer constraints are independent."""
        return Factors(self._constraints(q)[1], self.rank).margin

    def times_to_singular(self, q: Array, qd: Array) -> Array:
        """(k,) until the motion, going on as it is, is where fewer constraints are independent, s.

        Negative where it was there already; none if it does not get there.
        """
        speed = float(np.max(np.abs(qd), initial=0.0))
        if speed == 0.0:
            return np.zeros(0)
        h = DIFFERENCE / speed
        _, before = self._constraints(self._advanced(q, qd, -h))
        _, after = self._constraints(self._advanced(q, qd, h))
        factors = self._factored(0.5 * (before + after))
        if factors.rank < self.rank:
            return np.zeros(1)
        return factors.times_to_singular((after - before) / (2.0 * h))


def _largest(numbers: Array) -> float:
    return float(np.abs(numbers).max()) if numbers.size else 0.0


def _all_rows(m: Mechanism) -> tuple[int, ...]:
    return tuple(m.once(moving_rows))


def moving_rows(m: Mechanism) -> list[int]:
    """Numbers of the rows of K that are not zero in every position, as half of a planar loop's are."""
    return _not_always_zero(m, common(m).constraints)


def _not_always_zero(m: Mechanism, constraints: Callable[[Array], tuple[Array, Array]]) -> list[int]:
    rng = np.random.default_rng(0)
    seen = sum(np.abs(constraints(m.random(rng))[1]).sum(axis=1) for _ in range(3))
    return [int(row) for row in np.flatnonzero(seen)]


def closed_start(m: Mechanism, q: Array | None, qd: Array, tolerance: float | None = None) -> Array:
    """A position to start from: the one given, if loops are closed and stay so, or an assembled one.

    With a tolerance, loops are closed as far as they can be.
    """
    if tolerance is not None:
        return assemble(m, m.neutral() if q is None else q, tolerance=tolerance)
    if q is None:
        q = assemble(m, m.neutral())
    if not _is_closed(m, q, qd):
        check_closed(m, q, qd)
    return q


def _is_closed(m: Mechanism, q: Array, qd: Array) -> bool:
    """As `check_closed` would find it, by machine code."""
    return bool(common(m).openness(q, qd) <= TOLERANCE)
