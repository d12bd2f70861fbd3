"""Traced scalars: stand-ins for numbers that record what is done with them.

They live in NumPy arrays with `dtype=object`, where ufuncs call the methods named after them: `np.cos(x)`
calls `x.cos()`. What NumPy decides by looking at a value (`np.where`, `np.minimum`, comparisons of whole
arrays) cannot be recorded; the methods `where`, `minimum` and `maximum` can.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from .arithmetic import NAMES, ONE, ZERO, negate
from .expressions import FALSE, TRUE, Expressions
from .looping import recorded_each, recorded_loop
from .power import power
from .refusal import TraceError, refusal, user_line

_new = object.__new__  # fields set by hand then: half the time that a call of the class takes


class Scalar:
    """A number not known yet: a reference into a graph."""

    __slots__ = ("graph", "ref")

    # Above NumPy's scalars, so that `np.float64(2) * x` comes here; below its arrays, which broadcast.
    __array_priority__: ClassVar[float] = -1.0

    def __init__(self, graph: Expressions, ref: int) -> None:
        self.graph: Expressions = graph
        self.ref: int = ref

    def _lift(self, other: Any) -> int | None:
        """The reference of an operand; None for what is not a scalar, so that arrays can broadcast."""
        kind = other.__class__
        if kind is float or kind is int or kind is np.float64:
            return self.graph.constant(float(other))
        if kind is Scalar or kind is Condition:
            if other.graph is not self.graph:
                raise TraceError(
                    f"{user_line()}a value of one trace was used in another; "
                    "a traced function must not keep values from an earlier call"
                )
            return other.ref if kind is Scalar else other.number().ref
        if isinstance(other, Real | np.bool_):
            return self.graph.constant(float(other))
        return None

    # Arithmetic. The common cases are spelled out where speed matters: half of all operands are zeros of the
    # matrices they stand in.

    def __add__(self, other: Any) -> Any:
        graph = self.graph
        if other.__class__ is Scalar and other.graph is graph:
            if other.ref == ZERO:
                return self
            if self.ref == ZERO:
                return other
            made = _new(Scalar)
            made.graph, made.ref = graph, graph.add(self.ref, other.ref)
            return made
        if other.__class__ is float and other == 0.0:
            return self
        ref = self._lift(other)
        return NotImplemented if ref is None else Scalar(graph, graph.add(self.ref, ref))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        graph = self.graph
        if other.__class__ is Scalar and other.graph is graph:
            if other.ref == ZERO:
                return self
            made = _new(Scalar)
            made.graph, made.ref = graph, graph.add(self.ref, other.ref ^ 1)
            return made
        if other.__class__ is float and other == 0.0:
            return self
        ref = self._lift(other)
        return NotImplemented if ref is None else Scalar(graph, graph.add(self.ref, negate(ref)))

    def __rsub__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Scalar(self.graph, self.graph.add(ref, negate(self.ref)))

    def __mul__(self, other: Any) -> Any:
        graph, kind = self.graph, other.__class__
        if kind is Scalar and other.graph is graph:
            if other.ref == ZERO:
                return other
            if self.ref == ZERO:
                return self
            ref = other.ref
        elif kind is float:
            if other == 1.0 or self.ref == ZERO:
                return self
            ref = ZERO if other == 0.0 else graph.constant(other)
        elif (ref := self._lift(other)) is None:
            return NotImplemented
        made = _new(Scalar)
        made.graph, made.ref = graph, graph.mul(self.ref, ref)
        return made

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Scalar(self.graph, self.graph.div(self.ref, ref))

    def __rtruediv__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Scalar(self.graph, self.graph.div(ref, self.ref))

    def __floordiv__(self, other: Any) -> Any:
        quotient = self / other
        return NotImplemented if quotient is NotImplemented else quotient.__floor__()

    def __rfloordiv__(self, other: Any) -> Any:
        quotient = self.__rtruediv__(other)
        return NotImplemented if quotient is NotImplemented else quotient.__floor__()

    def __mod__(self, other: Any) -> Any:
        whole = self.__floordiv__(other)
        return NotImplemented if whole is NotImplemented else self - whole * other

    def __rmod__(self, other: Any) -> Any:
        whole = self.__rfloordiv__(other)
        return NotImplemented if whole is NotImplemented else other - whole * self

    def __neg__(self) -> Scalar:
        return Scalar(self.graph, negate(self.ref))

    def __pos__(self) -> Scalar:
        return self

    def __abs__(self) -> Scalar:
        return Scalar(self.graph, self.graph.even("abs", self.ref))

    def __floor__(self) -> Scalar:
        return Scalar(self.graph, self.graph.plain("floor", self.ref))

    def __pow__(self, exponent: Any) -> Any:
        ref = self._lift(exponent)
        return NotImplemented if ref is None else power(self, Scalar(self.graph, ref))

    def __rpow__(self, base: Any) -> Any:
        ref = self._lift(base)
        return NotImplemented if ref is None else power(Scalar(self.graph, ref), self)

    # Functions, named as NumPy's ufuncs are

    def sqrt(self) -> Scalar:
        """Square root."""
        return Scalar(self.graph, self.graph.plain("sqrt", self.ref))

    def exp(self) -> Scalar:
        """Exponential."""
        return Scalar(self.graph, self.graph.plain("exp", self.ref))

    def log(self) -> Scalar:
        """Natural logarithm."""
        return Scalar(self.graph, self.graph.plain("log", self.ref))

    def sin(self) -> Scalar:
        """Sine."""
        return Scalar(self.graph, self.graph.odd("sin", self.ref))

    def cos(self) -> Scalar:
        """Cosine."""
        return Scalar(self.graph, self.graph.even("cos", self.ref))

    def tan(self) -> Scalar:
        """Tangent."""
        return Scalar(self.graph, self.graph.odd("tan", self.ref))

    def arcsin(self) -> Scalar:
        """Inverse sine."""
        return Scalar(self.graph, self.graph.odd("asin", self.ref))

    def arccos(self) -> Scalar:
        """Inverse cosine."""
        return Scalar(self.graph, self.graph.plain("acos", self.ref))

    def arctan(self) -> Scalar:
        """Inverse tangent."""
        return Scalar(self.graph, self.graph.atan2(self.ref, ONE))

    def arctan2(self, x: Any) -> Any:
        """Angle of the point (x, self)."""
        ref = self._lift(x)
        return NotImplemented if ref is None else Scalar(self.graph, self.graph.atan2(self.ref, ref))

    def hypot(self, other: Any) -> Any:
        """Length of the vector (self, other)."""
        return (self * self + other * other) ** 0.5

    def deg2rad(self) -> Scalar:
        """Degrees to radians."""
        return self * float(np.deg2rad(1.0))

    def rad2deg(self) -> Scalar:
        """Radians to degrees."""
        return self * float(np.rad2deg(1.0))

    radians, degrees = deg2rad, rad2deg

    def minimum(self, other: Any) -> Any:
        """The smaller of self and other."""
        ref, graph = self._lift(other), self.graph
        return NotImplemented if ref is None else Scalar(graph, graph.extreme("minimum", self.ref, ref))

    def maximum(self, other: Any) -> Any:
        """The larger of self and other."""
        ref, graph = self._lift(other), self.graph
        return NotImplemented if ref is None else Scalar(graph, graph.extreme("maximum", self.ref, ref))

    def record_loop(self, count: Any, step: Any, state: Any) -> Any:
        """The state after so many passes through a step, which is recorded once; see `recorded_loop`."""
        return recorded_loop(self, count, step, state)

    def record_each(self, step: Any, items: Any) -> Any:
        """What a step, which is recorded once, makes of every row of an array; see `recorded_each`."""
        return recorded_each(self, step, items)

    @property
    def known(self) -> float | None:
        """The value, where folding has found it, else None."""
        return self.graph.value(self.ref) if self.ref < 0 else None

    # NumPy asks for these of numbers

    @property
    def real(self) -> Scalar:
        """Itself: traced scalars are real."""
        return self

    @property
    def imag(self) -> float:
        """Zero."""
        return 0.0

    def conjugate(self) -> Scalar:
        """Itself."""
        return self

    def __copy__(self) -> Scalar:
        return self

    def __deepcopy__(self, memo: Any) -> Scalar:
        return self

    # Comparisons give conditions

    def __lt__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Condition(self.graph, self.graph.lt(self.ref, ref))

    def __le__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Condition(self.graph, self.graph.le(self.ref, ref))

    def __gt__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Condition(self.graph, self.graph.lt(ref, self.ref))

    def __ge__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Condition(self.graph, self.graph.le(ref, self.ref))

    def __eq__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Condition(self.graph, self.graph.eq(self.ref, ref))

    def __ne__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Condition(self.graph, self.graph.eq(self.ref, ref) ^ 1)

    __hash__ = object.__hash__

    # What needs the value itself works only where folding has found it

    def __bool__(self) -> bool:
        return bool(self._value_for("a branch"))

    def __float__(self) -> float:
        return self._value_for("conversion to a plain number")

    def __int__(self) -> int:
        return int(self._value_for("conversion to a plain number"))

    def __complex__(self) -> complex:
        return complex(self._value_for("conversion to a plain number"))

    def __index__(self) -> int:
        raise refusal("an index or a count")

    def __round__(self, digits: int | None = None) -> Any:
        raise refusal("rounding")

    def __format__(self, form: str) -> str:
        return format(self._value_for("printing a number"), form) if form else str(self)

    def _value_for(self, use: str) -> float:
        if self.ref >= 0:
            raise refusal(use)
        return self.graph.value(self.ref)

    def __repr__(self) -> str:
        if self.ref < 0:
            return f"Scalar({self.graph.value(self.ref)!r})"
        number = self.ref >> 1
        return f"Scalar({'-' if self.ref & 1 else ''}{NAMES[self.graph.code[number]]} #{number})"


class Condition:
    """A truth value not known yet: chooses by `where`, combines by `&`, `|`, `~`, counts as 1 or 0."""

    __slots__ = ("graph", "ref")
    __array_priority__: ClassVar[float] = -1.0

    def __init__(self, graph: Expressions, ref: int) -> None:
        self.graph: Expressions = graph
        self.ref: int = ref

    def where(self, a: Any, b: Any) -> Scalar:
        """a where the condition holds, else b; both are numbers, traced or not."""
        one = Scalar(self.graph, ONE)
        first, second = one._lift(a), one._lift(b)
        if first is None or second is None:
            raise TraceError(f"{user_line()}where() chooses between scalars; apply it entry by entry")
        return Scalar(self.graph, self.graph.where(self.ref, first, second))

    def number(self) -> Scalar:
        """1 where the condition holds, else 0."""
        return Scalar(self.graph, self.graph.where(self.ref, ONE, ZERO))

    def _lift(self, other: Any) -> int | None:
        if isinstance(other, Condition):
            return other.ref
        return (TRUE if other else FALSE) if isinstance(other, bool | np.bool_) else None

    def __and__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Condition(self.graph, self.graph.both(self.ref, ref))

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        ref = self._lift(other)
        return NotImplemented if ref is None else Condition(self.graph, self.graph.either(self.ref, ref))

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        ref = self._lift(other)
        either = NotImplemented if ref is None else Condition(self.graph, self.graph.either(self.ref, ref))
        return either if ref is None else either & ~(self & other)

    __rxor__ = __ne__ = __xor__

    def __eq__(self, other: Any) -> Any:
        differs = self.__xor__(other)
        return NotImplemented if differs is NotImplemented else ~differs

    __hash__ = object.__hash__

    def __invert__(self) -> Condition:
        return Condition(self.graph, self.ref ^ 1)

    logical_not = __invert__

    def __bool__(self) -> bool:
        if self.ref >= 0:
            raise refusal("a branch")
        return self.ref == TRUE

    def __float__(self) -> float:
        return float(self.number())

    def __repr__(self) -> str:
        if self.ref < 0:
            return f"Condition({self.ref == TRUE})"
        number = self.ref >> 1
        return f"Condition({'not ' if self.ref & 1 else ''}{NAMES[self.graph.code[number]]} #{number})"


def _as_number(name: str) -> Any:
    def method(self: Condition, *others: Any) -> Any:
        return getattr(self.number(), name)(*others)

    method.__name__ = name
    return method


_NUMERIC = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg", "pos", "abs", "pow")
for _name in (*_NUMERIC, "lt", "le", "gt", "ge"):
    setattr(Condition, f"__{_name}__", _as_number(f"__{_name}__"))
