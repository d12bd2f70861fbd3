"""Functions of scalars that hold for floats, complex numbers and symbolic scalars alike.

NumPy's `sin`, `cos`, `sqrt` and `exp` already reach a symbolic scalar's own methods through object
arrays. Choices do not: `np.where` and `np.minimum` would ask for the truth of a comparison that
has none yet. A symbolic scalar offers `where`, `minimum`, `maximum`, `arctan2` and `record_loop` as
methods, and its comparisons answer with another symbolic scalar. The functions below call those
methods where they exist and do plain arithmetic where they do not.

Complex numbers are compared by their real part, so that a complex step passes through unharmed.
"""

import functools
import sys
from cmath import isfinite
from collections.abc import Callable, Iterable
from copy import deepcopy
from numbers import Real
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, is_masked

if sys.version_info >= (3, 12):
    from typing import TypeAliasType
else:
    from typing_extensions import TypeAliasType

# An alias that keeps its name: signatures and `help` show it, not what NumPy's NDArray stands for.
Array = TypeAliasType("Array", NDArray[Any])
"""An array of any scalar: float, complex or object."""

_FLOATS = {float}


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of scalars, also for arrays, which broadcast."""

    @functools.wraps(function)
    def of_any(*arguments: Any) -> Any:
        if not any(isinstance(argument, np.ndarray | list | tuple) for argument in arguments):
            return function(*arguments)
        arrays = np.broadcast_arrays(*(np.asarray(argument, dtype=object) for argument in arguments))
        entries = [function(*entry) for entry in zip(*(a.ravel().tolist() for a in arrays), strict=True)]
        return array(entries).reshape(arrays[0].shape)

    return of_any


@elementwise
def where(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the condition holds, else `otherwise`; both are evaluated. Arrays entry by entry.

    >>> import whippletree as wt
    >>> wt.where(2.0 > 1.0, 3.0, 4.0)
    3.0
    >>> wt.where(np.array([1.0, -1.0]) > 0.0, 3.0, np.array([4.0, 5.0]))
    array([3., 5.])
    """
    if hasattr(condition, "where"):
        return condition.where(then, otherwise)
    return then if condition else otherwise


def less(a: Any, b: Any) -> Any:
    """Whether the real part of a is less than the real part of b."""
    return a.real < b.real


@elementwise
def minimum(a: Any, b: Any) -> Any:
    """The lesser of two scalars, or of arrays entry by entry.

    >>> import whippletree as wt
    >>> wt.minimum(2.0, -1.0)
    -1.0
    """
    return where(less(b, a), b, a)


@elementwise
def maximum(a: Any, b: Any) -> Any:
    """The greater of two scalars, or of arrays entry by entry.

    >>> import whippletree as wt
    >>> wt.maximum(2.0, -1.0)
    2.0
    >>> wt.maximum(np.array([2.0, -1.0]), 0.0)
    array([2., 0.])
    """
    return where(less(a, b), b, a)


def largest(entries: Iterable[Any]) -> Any:
    """The largest size of scalars; 0 of none.

    >>> largest([2.0, -3.0])
    3.0
    """
    return functools.reduce(maximum, (abs(entry) for entry in entries), 0.0)


def arctan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y), in (-π, π], rad; analytic in complex arguments.

    >>> float(round(arctan2(1.0, -1.0), 12))
    2.356194490192
    """
    if isinstance(y, complex) or isinstance(x, complex):
        y, x = complex(y), complex(x)
        # A turn back to the real angle leaves a small quotient, where arctan is analytic.
        angle = np.arctan2(y.real, x.real)
        c, s = np.cos(angle), np.sin(angle)
        return angle + np.arctan((c * y - s * x) / (c * x + s * y))
    if hasattr(x, "arctan2"):
        y = 0.0 * x + y  # NumPy asks the first operand for the method, which a number does not have
    return np.arctan2(y, x)


def repeat(count: int, step: Callable[[Any], Any], state: Any) -> Any:
    """The state after `count` passes through `step`; in a kernel a loop, whose code is there once.

    On numbers this is `for _ in range(count): state = step(state)`. In a function that is compiled, the step
    is recorded once: it must not branch on values, and its state keeps its form. What it takes from outside
    itself (arrays computed before) is computed once, in front of the loop. A step can see in which pass it
    is if it counts, in a number of its state.

    Args:
        count: How often, a whole number, 0 or more, known when the function is compiled.
        step: Takes a state and returns the next: arrays of the same shapes, nested in the same way.
        state: A number, an array, or tuples, lists or dictionaries of them.

    Returns:
        The last state.

    >>> import whippletree as wt
    >>> def root(x):  # Heron's rule
    ...     return wt.repeat(6, lambda y: 0.5 * (y + x / y), x)
    >>> root(2.0)
    1.414213562373095
    >>> def relaxed(A, b):  # A x = b by sweeps
    ...     def sweep(x):
    ...         for i in range(len(b)):
    ...             x[i] = x[i] + (b[i] - A[i] @ x) / A[i, i]
    ...         return x
    ...     return wt.repeat(40, sweep, 0.0 * b)
    >>> k = wt.compile(relaxed, wt.Mechanism("none"), inputs={"A": (2, 2), "b": (2,)})
    >>> k(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 4.0])), k.cost["div"]
    (array([1., 1.]), 80)
    """
    if not hasattr(count, "__index__") or np.ndim(count) or (times := index(count)) < 0:
        raise InputError(f"repeat: count is {count!r}, expected a whole number, 0 or more")
    record = _recorder(state)
    if record is None and times > 0:
        following = step(deepcopy(state))  # a step may write into what it is given
        record = _recorder(following)  # numbers at first, but the step takes in what is symbolic
        if record is None:
            state = following
            for _ in range(times - 1):
                state = step(state)
    return state if record is None else record(times, step, state)


def each(step: Callable[[Array], Array], rows: Array) -> Array:
    """(n, k) what a step makes of every row of an array (n, k); in a kernel a loop, whose code is there once.

    On numbers this is `np.array([step(row) for row in rows])`. In a function that is compiled, the step is
    recorded once: it must not branch on values, and a row has the same length afterwards. What it takes from
    outside itself is computed once, in front of the loop.

    >>> import whippletree as wt
    >>> wt.each(lambda row: 2.0 * row[::-1], np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[4., 2.],
           [8., 6.]])
    """
    if not isinstance(rows, np.ndarray) or rows.ndim != 2:
        shape = f"has shape {rows.shape}" if isinstance(rows, np.ndarray) else f"is {rows!r}"
        raise InputError(f"each: rows {shape}, expected an array (n, k): one row for each pass")
    symbolic = (getattr(entry, "record_each", None) for entry in rows.ravel()) if rows.dtype.hasobject else ()
    record = next((found for found in symbolic if found is not None), None)
    if record is not None:
        return record(step, rows)
    return array([step(row) for row in rows]) if len(rows) else rows


def _recorder(state: Any) -> Callable[..., Any] | None:
    """The method of a symbolic scalar in a state that records loops; None if there is none."""
    if isinstance(state, dict):
        state = list(state.values())
    if isinstance(state, list | tuple) or (isinstance(state, np.ndarray) and state.dtype == object):
        entries = state if isinstance(state, list | tuple) else state.ravel()
        return next((found for entry in entries if (found := _recorder(entry)) is not None), None)
    return getattr(state, "record_loop", None)


def known(x: Any) -> float | None:
    """The value of a scalar that does not depend on any input, or None if it is not known yet.

    Symbolic scalars offer it as `known`; floats are known, complex numbers are on their way through
    a derivative and are not.

    >>> known(2.0), known(2j)
    (2.0, None)
    """
    return float(x) if isinstance(x, float) else getattr(x, "known", None)


def vanishes(x: Any) -> bool:
    """Whether a scalar is zero whatever the inputs: a plain number, or a symbolic one known to be zero.

    >>> vanishes(0.0), vanishes(0.5)
    (True, False)
    """
    value = getattr(x, "known", x)
    return isinstance(value, float | int | np.number) and bool(value == 0.0)


def product(A: Array, B: Array) -> Array:
    """A @ B of matrices; where A is symbolic and B is not, without the rows of B that are zero.

    The columns of B are mostly directions in which a joint can move: few of their entries are not zero.

    >>> product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0], [1.0]])).ravel()
    array([2., 4.])
    """
    if A.dtype != object or B.dtype == object:
        return A @ B
    rows = np.flatnonzero(B.any(axis=1))
    return A[:, rows] @ B[rows] if len(rows) else np.zeros((len(A), B.shape[1]))


def real_numbers(values: Any) -> Array:
    """The values as a new array of floats; ValueError for texts, complex numbers and masked entries.

    NumPy would read texts, and leave out what is imaginary or masked.

    >>> real_numbers((1, 2.5))
    array([1. , 2.5])
    """
    if isinstance(values, (tuple, list)) and {*map(type, values)} == _FLOATS:
        return np.array(values, dtype=float)  # at once: large files have many of these
    if is_masked(values):
        raise ValueError("masked entries")
    found = np.array(values)
    if found.dtype.kind == "O" and not all(isinstance(entry, Real) for entry in found.ravel().tolist()):
        raise ValueError("not numbers")
    if found.dtype.kind not in "biufO":
        raise ValueError(f"{found.dtype}, not numbers")
    try:
        return found.astype(float)
    except OverflowError:
        raise ValueError("whole numbers beyond all floats") from None


FEW = 64
"""Numbers whose sum Python finds sooner than NumPy."""


def all_finite(numbers: Array) -> bool:
    """Whether all are finite: by a sum that is then, too, nearly always, and takes a third of the time.

    >>> all_finite(np.array([1e200, -2.0])), all_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    few = numbers.ndim == 1 and numbers.size <= FEW
    whole = sum(numbers.tolist()) if few else np.vdot(numbers, numbers)
    return isfinite(whole) or bool(np.isfinite(numbers).all())


def array(entries: Any) -> Array:
    """An array of the entries' common scalar: float64, complex128, or object for symbolic ones."""
    result = np.array(entries)
    return result if result.dtype.kind in "fcO" else result.astype(float)
