"""What is wrong with a choice that was given to a method: rows, pivots or an order of another mechanism.

With too few of them a method would leave equations out and answer with the motion of another mechanism.
"""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from ...model.mechanism import Mechanism
from ...model.values import finite_numbers, vector
from ...spatial import Array
from ..equations.constraints import constraint_jacobian
from ..equations.pivot_order import PivotOrder
from ..equations.rank import independent_rows
from ..equations.relations import relations
from .clusters import clusters_of
from .kkt import KKTChoice

Given = Mapping[str, Any]
"""Arguments of a method by name."""


def rows_fault(m: Mechanism, given: Given) -> str | None:
    """Of `rows`, as `lambda_first` takes them."""
    rows = given.get("rows")
    return (
        None if rows is None else _rows_fault(m, rows, given["q"], 'as wt.method_choice(m, q, "augmented")')
    )


def closure_fault(m: Mechanism, given: Given) -> None:
    """Of the independent variables and their rates, as `closure_dynamics` takes them."""
    y = finite_numbers(given["position"], "(ny,)", "position", "one entry per independent variable")
    meaning = "one entry per independent variable"
    vector(y, (y.size,), "position", meaning)
    vector(given["rate"], (y.size,), "rate", meaning)


def pivots_fault(m: Mechanism, given: Given) -> str | None:
    """Of `pivots`, as `projection` takes them."""
    pivots, q = given.get("pivots"), given["q"]
    if pivots is None:
        return None
    hint = 'as wt.method_choice(m, q, "projection")'
    fault = _pairs_fault("pivots", pivots, _row_count(m), m.nv, hint)
    rank = len(independent_rows(constraint_jacobian(m, q))) if _is_numeric(q) else 0
    return fault or _too_few("pivots", len(pivots), rank, hint)


def cluster_fault(m: Mechanism, given: Given) -> str | None:
    """Of `pivots`, as `cluster_projection` takes them."""
    pivots, q = given.get("pivots"), given["q"]
    if pivots is None:
        return None
    numeric = _is_numeric(q)
    found = clusters_of(relations(m, q if numeric else m.neutral(), np.zeros(m.nv)))
    hint = 'as wt.method_choice(m, q, "clusters")'
    if not isinstance(pivots, Sequence) or len(pivots) != len(found):
        return f"pivots are {pivots!r}, expected those of each of {len(found)} clusters of {m.name!r}, {hint}"
    for number, (own, (_, columns, K)) in enumerate(zip(pivots, found, strict=True)):
        name = f"pivots[{number}]"
        fault = _pairs_fault(name, own, len(K), len(columns), hint)
        fault = fault or _too_few(name, len(own), len(independent_rows(K)) if numeric else 0, hint)
        if fault is not None:
            return fault
    return None


def kkt_fault(m: Mechanism, given: Given) -> str | None:
    """Of `choice`, as `kkt` takes it."""
    return _order_fault(m, given, m.nv, "kkt")


def sparse_fault(m: Mechanism, given: Given) -> str | None:
    """Of `choice`, as `sparse` takes it; it is made by factors of real numbers."""
    state = [given.get(name) for name in ("q", "qd", "tau", "f_ext")]
    if given.get("choice") is None and any(x is not None and np.iscomplexobj(x) for x in state):
        return 'complex numbers need a choice, as wt.method_choice(m, q, "sparse")'
    return _order_fault(m, given, 12 * len(m) - m.nv, "sparse")


def _order_fault(m: Mechanism, given: Given, unknowns: int, method: str) -> str | None:
    """Of rows and an order of so many unknowns and one for each of the rows."""
    choice = given.get("choice")
    if choice is None:
        return None
    hint = f'as wt.method_choice(m, q, "{method}")'
    if not isinstance(choice, KKTChoice) or not isinstance(choice.order, PivotOrder):
        return f"choice is {choice!r}, expected rows and an order of pivots, {hint}"
    fault = _rows_fault(m, choice.rows, given["q"], hint)
    if fault is not None:
        return f"choice: {fault}"
    size = unknowns + len(choice.rows)
    for name, entries in (("rows", choice.order.rows), ("columns", choice.order.columns)):
        if sorted(entries) != list(range(size)):
            return (
                f"choice: its order has {len(entries)} {name}, expected each of the {size} of {m.name!r} "
                f"once, {hint}"
            )
    return None


def _row_count(m: Mechanism) -> int:
    """nc, the number of rows of K."""
    return sum(6 - loop.joint.nv for loop in m.loops) + len(m.gears)


def _rows_fault(m: Mechanism, rows: Any, q: Array, hint: str) -> str | None:
    nc = _row_count(m)
    if not _are_numbers(rows, nc):
        between = f"numbers from 0 to {nc - 1}, none twice" if nc else "none"
        return f"rows are {rows!r}, expected {between}: rows of K of {m.name!r} (nc = {nc}), {hint}"
    if not _is_numeric(q):
        return None
    K = constraint_jacobian(m, q)
    rank, own = len(independent_rows(K)), len(independent_rows(K[list(rows)]))
    if own < rank:
        return f"rows are {rows!r}, of rank {own}, but K has rank {rank} at q: give other ones, {hint}"
    return None


def _pairs_fault(name: str, pivots: Any, rows: int, columns: int, hint: str) -> str | None:
    """Of pairs of a row and a column, none of which comes twice."""
    pairs = isinstance(pivots, Sequence) and all(isinstance(p, Sequence) and len(p) == 2 for p in pivots)
    if (
        not pairs
        or not _are_numbers([p[0] for p in pivots], rows)
        or not _are_numbers([p[1] for p in pivots], columns)
    ):
        return (
            f"{name} are {pivots!r}, expected pairs of one of {rows} rows and one of {columns} columns of K, "
            f"none twice, {hint}"
        )
    return None


def _too_few(name: str, count: int, rank: int, hint: str) -> str | None:
    if count >= rank:
        return None
    return f"{name} has {count} pivots, but K has rank {rank} at q: give as many, {hint}"


def _is_numeric(q: Array) -> bool:
    """Whether the rank of K can be told."""
    return q.dtype.kind != "O"


def _are_numbers(numbers: Any, below: int) -> bool:
    """Whether these are whole numbers from 0, less than a bound, none twice."""
    return (
        isinstance(numbers, Sequence | np.ndarray)
        and all(isinstance(k, Integral) and not isinstance(k, bool) and 0 <= int(k) < below for k in numbers)
        and len(set(numbers)) == len(numbers)
    )
