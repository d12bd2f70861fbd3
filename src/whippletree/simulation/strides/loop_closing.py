"""Loops kept closed within a stride, and how far they are from where they cannot be (RBDA §8.3).

With K the Jacobian of independent constraints, the shortest change of position that closes a gap δ to first
order is -Kᵀ (K Kᵀ)⁻¹ δ, and velocities lose Kᵀ (K Kᵀ)⁻¹ K q̇. The pivots of K Kᵀ = L D Lᵀ are the squares of
what each constraint adds to those before it: one vanishes where they become dependent. From a state to the
next there is no such position if K₁ K₀ᵀ + K₀ K₁ᵀ is positive definite, for then no combination of the
constraints is turned round: K₁ K₀⁺, see `Factors.turned`, is similar to a matrix whose symmetric part is so.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...analysis.driven_system import driven_gaps
from ...api.compiling import record
from ...kernels.run.kernel import Kernel
from ...loops.equations.constraints import constraint_error, constraint_jacobian
from ...loops.equations.driven_rows import Coordinate
from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...model.snapshot import Snapshot
from ...spatial import Array, array, maximum, minimum, where
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
    m: Mechanism,
    q: Array,
    before: Array,
    asked: Array | None,
    rows: Rows,
    places: Places,
    driven: Driven,
) -> tuple[Any, ...]:
    """A position that is closer to closed loops, and how constraints are on the way there.

    Args:
        m: The mechanism.
        q: (nq,) a position next to closed loops.
        before: K, as far as it is not zero, at the start of the step that led there.
        asked: (3, nd) what drivers prescribe there; None if there are none.
        rows: Numbers of independent constraints that determine all others.
        places: Where their matrices are not zero.
        driven: What is driven; their constraints come after all others.

    Returns:
        Positions after a Newton step; at q itself K, as `before`, and the reciprocals of D and, as far as it
        is not zero, L; the largest change of a position, rad or m; the margin, the root of the least pivot as
        a share of the largest; and whether constraints may have turned.
    """
    chosen, x = list(rows), None if asked is None else asked[0]
    error, all_of_K = _constraints(m, q, x, driven)
    K = all_of_K[chosen]
    factors = factor_spd(K @ K.T)
    change = K.T @ factors.solve(error[chosen])
    least, most = _least(factors), -_least(factors, -1.0)
    product = K @ _filled(before, K.shape, places.K).T
    turned = where(_least(factor_spd(product + product.T)) > 0.0, 0.0, 1.0)
    position = integrate(m, q, -change)
    return (
        position if x is None else _set(m, position, x, driven),
        array([K[place] for place in places.K]),
        array([*factors.reciprocals, *(factors.rows[i][j] for i, j in places.L)]),
        _largest(change),
        np.sqrt(least / most),
        turned,
    )


def kept(
    m: Mechanism,
    q: Array,
    qd: Array,
    K: Array,
    factors: Array,
    change: Any,
    asked: Array | None,
    rows: Rows,
    places: Places,
    driven: Driven,
) -> tuple[Any, ...]:
    """Velocities that keep loops closed, and how far these are open.

    Constraints are factored next to q, at a position whose distance, the change of the last Newton step, is
    so small that velocities lose what they have to but for its product with that.

    Args:
        m: The mechanism.
        q, qd: (nq,), (nv,) a state next to closed loops.
        K, factors, change: From `closer`, which led to q.
        asked, rows, places, driven: As there.

    Returns:
        Velocities; whether q leaves a gap to be closed, or they do; and the gap, rad or m.
    """
    chosen = list(rows)
    x, rate = (None, np.zeros(len(rows))) if asked is None else (asked[0], asked[1])
    error, all_of_K = _constraints(m, q, x, driven)
    if asked is not None:
        rate = np.concatenate([np.zeros(len(error) - len(driven)), rate])[chosen]
    n = len(rows)
    L = _filled(factors[n:], (n, n), places.L)
    factored = Factored([list(L[i, :i]) for i in range(n)], list(factors[:n]))
    excess, gap = all_of_K[chosen] @ qd - rate, _largest(error)
    rest = maximum(gap, change * _largest(excess))
    lost = _filled(K, (n, m.nv), places.K).T @ factored.solve(excess)
    return qd - lost, where(rest > FINE, 1.0, 0.0), gap


def _largest(entries: Array) -> Any:
    found: Any = 0.0
    for entry in entries:
        found = maximum(found, abs(entry))
    return found


def _constraints(m: Mechanism, q: Array, x: Array | None, driven: Driven) -> tuple[Array, Array]:
    """δ and K of loops and gears, and of drivers, these being at x (nd,)."""
    if x is None:
        return constraint_error(m, q), constraint_jacobian(m, q)
    gaps, _, A = driven_gaps(m, q, x, driven=driven)
    return gaps, A


def _set(m: Mechanism, q: Array, x: Array, driven: Driven) -> Array:
    """The position with coordinates that are driven themselves at their values, to the last digit."""
    entries = list(q)
    for coordinate, value in zip(driven, x, strict=True):
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


@lru_cache(maxsize=32)
def closing_kernels(now: Snapshot, rows: Rows, driven: Driven) -> tuple[Kernel, Kernel]:
    """`closer` and `kept` of a mechanism; they take constraints in an order that keeps L sparse."""
    m, rng = now.m, np.random.default_rng(0)
    x = np.zeros(len(driven)) if driven else None
    some = [np.abs(_constraints(m, m.random(rng), x, driven)[1][list(rows)]) for _ in range(3)]
    seen = np.sum(some, axis=0)
    order = elimination_order(seen @ seen.T > 0.0)
    rows, seen = tuple(rows[k] for k in order), seen[order]
    places = Places(_places(seen), _places(filled_in(seen @ seen.T > 0.0)))
    options: dict[str, Any] = {} if driven else {"asked": None}
    options.update(rows=rows, places=places, driven=driven)
    factors = {"K": (len(places.K),), "factors": (len(rows) + len(places.L),), "change": ()}
    asked = {"asked": (3, len(driven))} if driven else {}
    return (
        Kernel(record(closer, m, inputs={"before": (len(places.K),), **asked}, **options), "closer"),
        Kernel(record(kept, m, inputs={**factors, **asked}, **options), "kept"),
    )


def _places(matrix: Array) -> Pattern:
    return tuple((int(i), int(j)) for i, j in np.argwhere(matrix))
