"""A scalar that counts what is done to it, for tests of cost and of generic code.

It lives in `dtype=object` arrays, as a symbolic scalar does. Every addition, multiplication, division
and root counts, with a plain number too; changes of sign are free, as in the book's tables.
"""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

Cost = dict[str, int]


class Counting:
    """A float whose operations are added to a shared tally."""

    __slots__ = ("tally", "value")

    def __init__(self, value: float, tally: Counter[str]) -> None:
        self.value, self.tally = value, tally

    def _result(self, operation: str, value: float) -> "Counting":
        self.tally[operation] += 1
        return Counting(value, self.tally)

    def _binary(self, other: Any, operation: str, function: Callable[[float, float], float]) -> Any:
        if isinstance(other, Counting):
            return self._result(operation, function(self.value, other.value))
        if isinstance(other, int | float):  # numpy's float64 is a float
            return self._result(operation, function(self.value, other))
        return NotImplemented  # an array spreads the operation over its entries

    def __add__(self, other: Any) -> Any:
        return self._binary(other, "add", lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._binary(other, "add", lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._binary(other, "add", lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._binary(other, "mul", lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._binary(other, "div", lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary(other, "div", lambda a, b: b / a)

    def __floor__(self) -> "Counting":
        return self._result("floor", math.floor(self.value))

    def __neg__(self) -> "Counting":
        return Counting(-self.value, self.tally)

    def __lt__(self, other: Any) -> bool:
        return self.value < (other.value if isinstance(other, Counting) else other)

    def __gt__(self, other: Any) -> bool:
        return self.value > (other.value if isinstance(other, Counting) else other)

    @property
    def real(self) -> "Counting":
        return self

    def sqrt(self) -> "Counting":
        return self._result("sqrt", math.sqrt(self.value))

    def sin(self) -> "Counting":
        return self._result("trig", math.sin(self.value))

    def cos(self) -> "Counting":
        return self._result("trig", math.cos(self.value))

    def arctan2(self, x: "Counting") -> "Counting":
        return self._result("trig", math.atan2(self.value, x.value))

    def __repr__(self) -> str:
        return f"Counting({self.value})"


def counting(values: Any, tally: Counter[str]) -> np.ndarray:
    """An object array of counting scalars with the given values."""
    floats = np.asarray(values, dtype=float)
    result = np.empty(floats.shape, dtype=object)
    for index in np.ndindex(floats.shape):
        result[index] = Counting(float(floats[index]), tally)
    return result


def values(result: Any) -> Any:
    """The numbers behind an array, or a tuple of arrays, that may hold counting scalars."""
    if isinstance(result, tuple):
        return tuple(values(part) for part in result)
    array = np.asarray(result)
    flat = [entry.value if isinstance(entry, Counting) else float(entry) for entry in array.ravel()]
    return np.array(flat).reshape(array.shape)


def count(function: Callable[..., Any], *arguments: Any) -> Cost:
    """How many operations a function does on arguments that are arrays of floats."""
    tally: Counter[str] = Counter()
    function(*(counting(argument, tally) for argument in arguments))
    return dict(tally)
