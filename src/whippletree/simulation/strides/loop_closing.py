"""Loops kept closed within a stride, and how far they are from where they cannot be (RBDA §8.3).

With K the Jacobian of independent constraints, the shortest change of position that closes a gap δ to first
order is -Kᵀ (K Kᵀ)⁻¹ δ, and velocities lose Kᵀ (K Kᵀ)⁻¹ K q̇. The pivots of K Kᵀ = L D Lᵀ are the squares of
what each constraint adds to those before it: one vanishes where they become dependent. From a state to the
next there is no such position if K₁ K₀ᵀ + K₀ K₁ᵀ is positive definite, for then no combination of the
constraints is turned round: K₁ K₀⁺, see `Factors.turned`, is similar to a matrix whose symmetric part is so.
"""

from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from ...analysis.driven_system import driven_gaps
from ...api.compiling import record
from ...kernels.run.kernel import Kernel
from ...kernels.simplify.passes import simplify
from ...kernels.trace.recording import trace
from ...loops.equations.constraints import constraint_error, constraint_jacobian, row_owners
from ...loops.equations.driven_rows import Coordinate
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...model.snapshot import Snapshot
from ...spatial import Array, array, largest, maximum, minimum, where
from ...spatial.elimination import elimination_order, filled_in
from ...spatial.solve import Factored, factor_spd
from ..closed_step import Rows

FINE = 1e-14
"""rad or m, or rad/s or m/s: gaps beyond this are closed by more than one step."""

Driven = tuple[Coordinate, ...]

Pattern = tuple[tuple[int, int], ...]
"""Places of a matrix that are not always zero."""


class Places(NamedTuple):
    """Where matrices are not always zero: K, and the triangle L of K Kᵀ = L D Lᵀ below its diagonal."""

    K: Pattern
    L: Pattern


def closer(
    m: Mechanism, q: Array, asked: Array | None, rows: Rows, places: Places, driven: Driven
) -> tuple[Any, ...]:
    """A position that is closer to closed loops, and how constraints are on the way there.

    Args:
        m: The mechanism.
        q: (nq,) a position next to closed loops.
        asked: (3, nd) what drivers prescribe there; None if there are none.
        rows: Numbers of independent constraints that determine all others.
        places: Where their matrices are not zero.
        driven: What is driven; their constraints come after all others.

    Returns:
        Positions after a Newton step; at q itself K, as far as it is not zero, and the reciprocals of D and,
        as far as it is not zero, L; and the margin, the root of the least pivot as a share of the largest.
    """
    chosen, x = list(rows), None if asked is None else asked[0]
    error, all_of_K = _constraints(m, q, x, driven)
    K = all_of_K[chosen]
    factors = factor_spd(K @ K.T)
    change = K.T @ factors.solve(error[chosen])
    least, most = _least(factors), -_least(factors, -1.0)
    return (
        _moved(m, q, change, x, driven),
        array([K[place] for place in places.K]),
        array([*factors.reciprocals, *(factors.rows[i][j] for i, j in places.L)]),
        np.sqrt(least / most),
    )


def kept(
    m: Mechanism,
    q: Array,
    qd: Array,
    factors: Array,
    asked: Array | None,
    rows: Rows,
    places: Places,
    driven: Driven,
) -> tuple[Any, ...]:
    """Velocities that keep loops closed, and how far these are open.

    Constraints are factored next to q, so that velocities lose what they have to but for a share like the
    distance, which `polished` takes away.

    Args:
        m: The mechanism.
        q, qd: (nq,), (nv,) a state next to closed loops.
        factors: From `closer`, which led to q.
        asked, rows, places, driven: As there.

    Returns:
        Velocities; whether they or q leave a gap, and whether q does; the gap, rad or m, and those of the
        chosen constraints; and K as of `closer`, at q.
    """
    error, all_of_K = _constraints(m, q, None if asked is None else asked[0], driven)
    K, gap = all_of_K[list(rows)], largest(error)
    excess = K @ qd - _rates(asked, rows, driven, len(error))
    lost = K.T @ factored(factors, len(rows), places).solve(excess)
    rest = maximum(gap, largest(excess - K @ lost))
    flags = array([where(size > FINE, 1.0, 0.0) for size in (rest, gap)])
    return qd - lost, flags, gap, error[list(rows)], array([K[place] for place in places.K])


def polished(
    m: Mechanism,
    qd: Array,
    K: Array,
    factors: Array,
    wide: Any,
    asked: Array | None,
    rows: Rows,
    places: Places,
    driven: Driven,
) -> tuple[Array, Any]:
    """Velocities of `kept` after two more solutions, by its K; and whether they, or q (wide), leave a gap."""
    K, solve = _filled(K, (len(rows), m.nv), places.K), factored(factors, len(rows), places).solve
    excess = K @ qd - _rates(asked, rows, driven, len(row_owners(m)) + len(driven))
    for _ in range(2):
        lost = K.T @ solve(excess)
        qd, excess = qd - lost, excess - K @ lost
    return qd, where(largest(excess) > FINE, 1.0, wide)


def nearer(
    m: Mechanism,
    q: Array,
    error: Array,
    K: Array,
    factors: Array,
    asked: Array | None,
    places: Places,
    driven: Driven,
) -> Array:
    """(nq,) the position closer to closed loops after a step by the same factors, from gaps of `kept`."""
    n = len(error)
    change = _filled(K, (n, m.nv), places.K).T @ factored(factors, n, places).solve(error)
    return _moved(m, q, change, None if asked is None else asked[0], driven)


def _rates(asked: Array | None, rows: Rows, driven: Driven, count: int) -> Array:
    """(n,) what K q̇ should be, rows being some of so many constraints."""
    if asked is None:
        return np.zeros(len(rows))
    return np.concatenate([np.zeros(count - len(driven)), asked[1]])[list(rows)]


def factored(factors: Array, n: int, places: Places) -> Factored:
    """Factors as of `closer`."""
    L = _filled(factors[n:], (n, n), places.L)
    reciprocals = list(factors[:n])
    return Factored([list(L[i, :i]) for i in range(n)], [1.0 / r for r in reciprocals], reciprocals)


def turned(before: Array, after: Array, shape: tuple[int, int], places: Places) -> Any:
    """1 if constraints may have turned round from one position to another, K there as of `closer`; else 0."""
    product = _filled(after, shape, places.K) @ _filled(before, shape, places.K).T
    return where(_least(factor_spd(product + product.T)) > 0.0, 0.0, 1.0)


def within(
    m: Mechanism,
    q: Array,
    qd: Array,
    qd_after: Array,
    h: Any,
    share: Any,
    rows: Rows,
    places: Places,
    driven: Driven,
) -> Array:
    """K as of `closer`, about where a motion from q is after a share of h, s, if qd changes evenly."""
    between = integrate(m, q, (share * h) * (qd + (0.5 * share) * (qd_after - qd)))
    K = _constraints(m, between, np.zeros(len(driven)) if driven else None, driven)[1][list(rows)]
    return array([K[place] for place in places.K])


def _constraints(m: Mechanism, q: Array, x: Array | None, driven: Driven) -> tuple[Array, Array]:
    """δ and K of loops and gears, and of drivers, these being at x (nd,)."""
    if x is None:
        return constraint_error(m, q), constraint_jacobian(m, q)
    gaps, _, A = driven_gaps(m, q, x, driven=driven)
    return gaps, A


def _moved(m: Mechanism, q: Array, change: Array, x: Array | None, driven: Driven) -> Array:
    """q less a change, with coordinates that are driven themselves at their values, to the last digit."""
    entries = list(integrate(m, q, -change))
    for coordinate, value in zip(driven, () if x is None else x, strict=True):
        if coordinate.is_own:
            entries[m.q_index[coordinate.number].start] = value
    return array(entries)


def _least(factors: Factored, sign: float = 1.0) -> Any:
    """The least reciprocal of a pivot, or of their negatives."""
    least = sign * factors.reciprocals[0]
    for reciprocal in factors.reciprocals[1:]:
        least = minimum(least, sign * reciprocal)
    return least


def _filled(values: Array, shape: tuple[int, ...], pattern: Pattern) -> Array:
    K = np.zeros(shape, dtype=object)
    for place, value in zip(pattern, values, strict=True):
        K[place] = value
    return array(K)


class ClosingKernels(NamedTuple):
    """The functions above as machine code, and what they are made for."""

    rows: Rows
    places: Places
    closer: Kernel
    kept: Kernel
    polished: Kernel
    nearer: Kernel
    turned: Kernel
    within: Kernel


@lru_cache(maxsize=32)
def closing_kernels(now: Snapshot, rows: Rows, driven: Driven) -> ClosingKernels:
    """Those of a mechanism; they take constraints in an order that keeps L sparse."""
    m, rng = now.m, np.random.default_rng(0)
    x = np.zeros(len(driven)) if driven else None
    some = [np.abs(_constraints(m, m.random(rng), x, driven)[1][list(rows)]) for _ in range(3)]
    seen = np.sum(some, axis=0)
    order = elimination_order(seen @ seen.T > 0.0)
    rows, seen = tuple(rows[k] for k in order), seen[order]
    places = Places(_places(seen), _places(filled_in(seen @ seen.T > 0.0)))
    asked: dict[str, tuple[int, ...]] = {"asked": (3, len(driven))} if driven else {}
    fixed: dict[str, Any] = {"asked": None, "rows": rows, "places": places, "driven": driven}
    K, L = (len(places.K),), (len(rows) + len(places.L),)

    def made(function: Callable[..., Any], **inputs: tuple[int, ...]) -> Kernel:
        taken = signature(function).parameters.keys() - inputs.keys()
        options = {name: fixed[name] for name in taken & fixed.keys()}
        return Kernel(record(function, m, inputs=inputs, **options), function.__name__)

    turn = trace(lambda before, after: turned(before, after, seen.shape, places), {"before": K, "after": K})
    return ClosingKernels(
        rows,
        places,
        made(closer, **asked),
        made(kept, factors=L, **asked),
        made(polished, K=K, factors=L, wide=(), **asked),
        made(nearer, error=(len(rows),), K=K, factors=L, **asked),
        Kernel(simplify(turn), "turned"),
        made(within, qd_after=(m.nv,), h=(), share=()),
    )


def _places(matrix: Array) -> Pattern:
    return tuple((int(i), int(j)) for i, j in np.argwhere(matrix))
