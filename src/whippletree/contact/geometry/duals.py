"""Dual numbers: a scalar with its rate, so that whatever is computed from moving things moves with them.

The curvature of touching surfaces enters the rate of a contact's normal (RBDA 11.3). Geometry written once,
for poses of any scalar, gives it by being run on poses whose numbers are dual. Value and rate may be floats,
symbolic scalars, or duals of a lower level: an operation between two levels takes the lower as a constant.
"""

from typing import Any

import numpy as np

from ...spatial import Array, array, where


class Dual:
    """value + rate · ε with ε² = 0, along one of several independent directions, told by the level.

    >>> x = Dual(2.0, 1.0)
    >>> (x * x + 3.0).rate
    4.0
    """

    __slots__ = ("level", "rate", "value")

    def __init__(self, value: Any, rate: Any, level: int = 1) -> None:
        self.value: Any = value
        self.rate: Any = rate
        self.level: int = level

    def _parts(self, other: Any) -> tuple[Any, Any]:
        """Value and rate of the other operand at this level."""
        if isinstance(other, Dual) and other.level == self.level:
            return other.value, other.rate
        return other, 0.0

    def _defers(self, other: Any) -> bool:
        return isinstance(other, Dual) and other.level > self.level

    def _made(self, value: Any, rate: Any) -> "Dual":
        return Dual(value, rate, self.level)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray) or self._defers(other):
            return NotImplemented
        value, rate = self._parts(other)
        return self._made(self.value + value, self.rate + rate)

    def __radd__(self, other: Any) -> Any:
        return self._made(self.value + other, self.rate)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray) or self._defers(other):
            return NotImplemented
        value, rate = self._parts(other)
        return self._made(self.value - value, self.rate - rate)

    def __rsub__(self, other: Any) -> Any:
        return self._made(other - self.value, -self.rate)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray) or self._defers(other):
            return NotImplemented
        value, rate = self._parts(other)
        return self._made(self.value * value, self.rate * value + self.value * rate)

    def __rmul__(self, other: Any) -> Any:
        return self._made(self.value * other, self.rate * other)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray) or self._defers(other):
            return NotImplemented
        value, rate = self._parts(other)
        quotient = self.value / value
        return self._made(quotient, (self.rate - quotient * rate) / value)

    def __rtruediv__(self, other: Any) -> Any:
        quotient = other / self.value
        return self._made(quotient, -quotient * self.rate / self.value)

    def __neg__(self) -> "Dual":
        return self._made(-self.value, -self.rate)

    def __pos__(self) -> "Dual":
        return self

    def __pow__(self, exponent: float) -> "Dual":
        slope = exponent * self.value ** (exponent - 1) if exponent else 0.0
        return self._made(self.value**exponent, slope * self.rate)

    def __abs__(self) -> Any:
        return where(self < 0.0, -self, self)

    def sqrt(self) -> "Dual":
        root = np.sqrt(self.value)
        return self._made(root, 0.5 * self.rate / root)

    def exp(self) -> "Dual":
        value = np.exp(self.value)
        return self._made(value, value * self.rate)

    def log(self) -> "Dual":
        return self._made(np.log(self.value), self.rate / self.value)

    def sin(self) -> "Dual":
        return self._made(np.sin(self.value), np.cos(self.value) * self.rate)

    def cos(self) -> "Dual":
        return self._made(np.cos(self.value), -(np.sin(self.value) * self.rate))

    def tan(self) -> Any:
        return self.sin() / self.cos()

    @property
    def real(self) -> "Dual":
        return self

    def __lt__(self, other: Any) -> "DualCondition":
        return DualCondition(_under(self) < _under(other))

    def __gt__(self, other: Any) -> "DualCondition":
        return DualCondition(_under(self) > _under(other))

    def __le__(self, other: Any) -> "DualCondition":
        return DualCondition(_under(self) <= _under(other))

    def __ge__(self, other: Any) -> "DualCondition":
        return DualCondition(_under(self) >= _under(other))


def _under(x: Any) -> Any:
    """The bare number below all levels."""
    while isinstance(x, Dual):
        x = x.value
    return x


class DualCondition:
    """What a comparison of dual numbers says: they are compared by their values."""

    def __init__(self, holds: Any) -> None:
        self.holds = holds

    def __and__(self, other: "DualCondition | bool") -> "DualCondition":
        return DualCondition(self.holds & (other.holds if isinstance(other, DualCondition) else other))

    __rand__ = __and__

    def where(self, then: Any, otherwise: Any) -> Any:
        """The one or the other, value and rate alike."""
        levels = [x.level for x in (then, otherwise) if isinstance(x, Dual)]
        if not levels:
            return where(self.holds, then, otherwise)
        level = max(levels)
        (a, a_rate), (b, b_rate) = (_at(level, x) for x in (then, otherwise))
        return Dual(self.where(a, b), self.where(a_rate, b_rate), level)


def _at(level: int, x: Any) -> tuple[Any, Any]:
    return (x.value, x.rate) if isinstance(x, Dual) and x.level == level else (x, 0.0)


def moving(values: Array, rates: Array) -> Array:
    """An array of dual numbers from two arrays of one shape."""
    made = np.empty(values.shape, dtype=object)
    for index in np.ndindex(values.shape):
        made[index] = Dual(values[index], rates[index])
    return made


def rates_of(duals: Array) -> Array:
    """The rates of an array whose entries are dual numbers or constants."""
    return array([_at(1, x)[1] for x in duals.ravel().tolist()]).reshape(duals.shape)


def values_of(duals: Array) -> Array:
    """The values of such an array."""
    return array([_at(1, x)[0] for x in duals.ravel().tolist()]).reshape(duals.shape)
