"""Functions of scalars that hold for floats, complex numbers and symbolic scalars alike.

NumPy's `sin`, `cos`, `sqrt` and `exp` already reach a symbolic scalar's own methods through object
arrays. Choices do not: `np.where` and `np.minimum` would ask for the truth of a comparison that
has none yet. A symbolic scalar offers `where`, `minimum`, `maximum` and `arctan2` as methods, and
its comparisons answer with another symbolic scalar. The functions below call those methods where
they exist and do plain arithmetic where they do not.

Complex numbers are compared by their real part, so that a complex step passes through unharmed.
"""

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

if sys.version_info >= (3, 12):
    from typing import TypeAliasType
else:
    from typing_extensions import TypeAliasType

# An alias that keeps its name: signatures and `help` show it, not what NumPy's NDArray stands for.
Array = TypeAliasType("Array", NDArray[Any])
"""An array of any scalar: float, complex or object."""


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

    >>> where(2.0 > 1.0, 3.0, 4.0)
    3.0
    >>> where(np.array([1.0, -1.0]) > 0.0, 3.0, np.array([4.0, 5.0]))
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

    >>> minimum(2.0, -1.0)
    -1.0
    """
    return where(less(b, a), b, a)


@elementwise
def maximum(a: Any, b: Any) -> Any:
    """The greater of two scalars, or of arrays entry by entry.

    >>> maximum(2.0, -1.0)
    2.0
    >>> maximum(np.array([2.0, -1.0]), 0.0)
    array([2., 0.])
    """
    return where(less(a, b), b, a)


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


def known(x: Any) -> float | None:
    """The value of a scalar that does not depend on any input, or None if it is not known yet.

    Symbolic scalars offer it as `known`; floats are known, complex numbers are on their way through
    a derivative and are not.

    >>> known(2.0), known(2j)
    (2.0, None)
    """
    return float(x) if isinstance(x, float) else getattr(x, "known", None)


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


def array(entries: Any) -> Array:
    """An array of the entries' common scalar: float64, complex128, or object for symbolic ones."""
    result = np.array(entries)
    return result if result.dtype.kind in "fcO" else result.astype(float)
