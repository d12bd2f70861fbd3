"""Assembly of many poses, side by side: the search of `assemble` with compiled gaps and Jacobians."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from ..errors import InputError, SolverError
from ..kernels.run import threads as thread_counts
from ..kernels.run.kernel import Kernel
from ..kernels.trace.program import Program
from ..loops.closing.assembly import NUDGES, STEPS, assemble, kept_within_limits, open_loops
from ..loops.closing.closure_gaps import CLOSED, closure_gaps
from ..loops.closing.projections import STEPS as NEWTON_STEPS
from ..loops.closing.projections import free_columns
from ..loops.equations.constraints import constraint_error, constraint_jacobian
from ..loops.equations.loop_sizes import column_sizes, row_sizes
from ..loops.equations.rank import TOLERANCE
from ..model.mechanism import Mechanism
from ..model.positions import integrate
from ..spatial import Array

Record = Callable[..., Program]


def is_assembly(function: Callable[..., Any]) -> bool:
    """Whether a function is `assemble`."""
    return inspect.unwrap(function) is inspect.unwrap(assemble)


def moved(m: Mechanism, q: Array, dq: Array) -> tuple[Array, Array, Array, Array]:
    """A position moved by dq (nv,); its gaps, Jacobian and errors of constraints."""
    closer = integrate(m, q, dq)
    return closer, closure_gaps(m, closer), constraint_jacobian(m, closer), constraint_error(m, closer)


class AssemblyKernel(Kernel):
    """`assemble` for one mechanism: k(q_guess), (nq,) for one pose or, with more axes in front, for many.

    Positions are those of the function, to rounding; each pose is found by itself, whatever others there are.
    Its program, cost and source are those of `moved`, which every step of the search calls.

    Args:
        record: Records a function: `compiling.record`.
        m: The mechanism.
        hold: Names of joints that keep their guessed positions.
    """

    def __new__(cls, record: Any, *options: Any) -> Self:
        return super().__new__(cls, record)  # which looks at none of this

    def __init__(self, record: Record, m: Mechanism, hold: Sequence[str] = ()) -> None:
        self._record, self._m, self._hold = record, m.copy(), tuple(hold)
        self._free = free_columns(m, hold)
        self._sizes, self._columns = row_sizes(m), column_sizes(m)[self._free]
        self._threads = 1
        self._moved = Kernel(record(moved, m, inputs={"dq": (m.nv,)}), "moved")
        super().__init__(self._moved.program, "assemble")

    def __reduce__(self) -> tuple[Any, ...]:
        return AssemblyKernel, (self._record, self._m, self._hold)

    def __call__(self, q_guess: Any, *, out: Any = None, threads: int = 1) -> Any:
        """Find closed positions near guesses.

        Args:
            q_guess: (..., nq) joint positions, rad or m.
            out: (..., nq) array to write into, or None.
            threads: How many threads compute gaps and Jacobians.

        Raises:
            SolverError: For some guess none was found; names the first of these, and the loops open there.
        """
        self._threads = thread_counts.checked(threads)
        guess = self._checked_guess(q_guess)
        if out is not None and np.shape(out) != guess.shape:
            raise InputError(f"out has shape {np.shape(out)}, expected {guess.shape}")
        found, gaps = self.search(guess.reshape(-1, self._m.nq))
        stuck = np.flatnonzero(~self._closed(gaps))
        if len(stuck):
            which = f"guess {stuck[0]}: " if len(gaps) > 1 else ""
            raise SolverError(which + open_loops(self._m, gaps[stuck[0]]))
        found = found.reshape(guess.shape)
        if out is None:
            return found
        out[...] = found
        return out

    def _checked_guess(self, q_guess: Any) -> Array:
        try:
            guess = np.array(q_guess, dtype=np.float64, ndmin=1)
        except (TypeError, ValueError) as error:
            raise InputError(f"q_guess is not an array of numbers: {error}") from error
        if guess.shape[-1] != self._m.nq:
            raise InputError(f"q_guess has shape {guess.shape}, expected (..., {self._m.nq})")
        if not np.isfinite(guess).all():
            raise InputError("q_guess holds numbers that are not finite")
        return guess

    def search(self, rows: Array) -> tuple[Array, Array]:
        """Positions (n, nq) found from guesses (n, nq), and the gaps (n, nc) left: 0 if closed.

        Where the search is stuck it begins again from beside the guess.
        """
        rng = np.random.default_rng(0)
        q, gaps = self._nearest(rows)
        stuck = np.flatnonzero(~self._closed(gaps))
        for nudge in NUDGES:
            shift = np.zeros(self._m.nv)
            shift[self._free] = nudge * self._columns * rng.normal(size=len(self._free))
            if len(stuck):
                beside, left = self._nearest(self._moved(rows[stuck], shift, threads=self._threads)[0])
                closed = self._closed(left)
                q[stuck[closed]], stuck = beside[closed], stuck[~closed]
        done = np.setdiff1d(np.arange(len(q)), stuck)
        q[done], gaps[done] = self._projected(q[done]), 0.0
        if any(np.isfinite([body.limits.lower, body.limits.upper]).any() for body in self._m.bodies):
            for k in done:  # one by one: few are beyond limits
                q[k] = kept_within_limits(self._m, q[k], rows[k], self._hold)
        return q, gaps

    def _closed(self, gaps: Array) -> Array:
        """(n,) whether all gaps of a pose are closed."""
        return np.max(np.abs(gaps) / self._sizes, axis=-1, initial=0.0) < CLOSED

    def _scaled(self, K: Array) -> Array:
        """K (n, nc, nv) of the free joints, lengths by the size of the loops."""
        return K[:, :, self._free] * self._columns / self._sizes[:, None]

    def _nearest(self, rows: Array) -> tuple[Array, Array]:
        """Levenberg's damped least squares from every row, as in `assemble`."""
        free, n = self._free, len(self._free)
        q, gaps, K, _ = self._moved(rows, np.zeros(self._m.nv), threads=self._threads)
        damping = np.full(len(q), 1e-3)
        for _ in range(STEPS):
            left = np.flatnonzero(~(self._closed(gaps) | (damping > 1e8)))
            if not len(left):
                break
            J, shares = self._scaled(K[left]), gaps[left] / self._sizes
            square = J.mT @ J + damping[left, None, None] * np.eye(n)
            step = np.zeros((len(left), self._m.nv))
            step[:, free] = -self._columns * np.linalg.solve(square, J.mT @ shares[..., None])[..., 0]
            closer, new, new_K, _ = self._moved(q[left], step, threads=self._threads)
            better = np.sum((new / self._sizes) ** 2, axis=1) < np.sum(shares * shares, axis=1)
            take = left[better]
            q[take], gaps[take], K[take] = closer[better], new[better], new_K[better]
            damping[take] = np.maximum(0.1 * damping[take], 1e-15)
            damping[left[~better]] *= 10.0
        return q, gaps

    def _projected(self, rows: Array) -> Array:
        """Newton's method with the shortest steps, as in `project_position`."""
        free = self._free
        q, _, K, error = self._moved(rows, np.zeros(self._m.nv), threads=self._threads)
        left = np.arange(len(q))
        for _ in range(NEWTON_STEPS):
            shares = error[left] / self._sizes
            size = np.max(np.abs(shares), axis=1, initial=0.0)
            left, shares, size = left[size > 0.0], shares[size > 0.0], size[size > 0.0]
            if not len(left):
                break
            step = np.zeros((len(left), self._m.nv))
            inverse = np.linalg.pinv(self._scaled(K[left]), rcond=TOLERANCE)
            step[:, free] = -self._columns * (inverse @ shares[..., None])[..., 0]
            closer, _, new_K, new = self._moved(q[left], step, threads=self._threads)
            better = np.max(np.abs(new) / self._sizes, axis=1) < size
            left = left[better]  # where it is not, rounding is all that is left
            q[left], K[left], error[left] = closer[better], new_K[better], new[better]
        return q


def fixed_hold(fixed: Mapping[str, Any]) -> Sequence[str]:
    """What `compile` was given for `assemble`."""
    unknown = [name for name in fixed if name != "hold"]
    if unknown:
        raise InputError(f"assemble has no argument {unknown[0]!r} to be fixed; it has hold")
    return fixed.get("hold", ())
