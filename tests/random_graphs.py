"""Random functions for tests of kernels, and numbers that know how wrong they may be.

A recipe is a list of steps on a growing list of values. It runs on traced scalars, to make a program, and on
`Bounded` numbers, which carry beside the value computed by plain arithmetic a bound for the error that any
reasonable order of the same operations makes. Comparing with that bound is as tight as rounding allows: no
tolerance has to be guessed. Where a value hangs on a decision too close to call, the bound is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

EPS = 2.0**-52
CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5, -0.75, 3.0, 1.6, -2.4, 1e-3)
Choose = Callable[[int], int]


@dataclass(frozen=True)
class Bounded:
    """A float with a bound for its error."""

    value: float
    error: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and math.isfinite(self.error)):
            object.__setattr__(self, "value", math.nan)
            object.__setattr__(self, "error", math.inf)

    def _with(self, other: Any) -> Bounded:
        return other if isinstance(other, Bounded) else Bounded(float(other))

    def __add__(self, other: Any) -> Bounded:
        b = self._with(other)
        # Charged by the operands, not by the sum: in another order cancellation may happen elsewhere.
        rounding = EPS * (abs(self.value) + abs(b.value))
        return Bounded(self.value + b.value, self.error + b.error + rounding)

    __radd__ = __add__

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)

    def __sub__(self, other: Any) -> Bounded:
        return self + -self._with(other)

    def __rsub__(self, other: Any) -> Bounded:
        return -self + other

    def __mul__(self, other: Any) -> Bounded:
        b = self._with(other)
        value = self.value * b.value
        error = self.error * abs(b.value) + b.error * abs(self.value) + self.error * b.error
        return Bounded(value, error + EPS * abs(value))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Bounded:
        b = self._with(other)
        if abs(b.value) <= 2.0 * b.error:
            return Bounded(math.nan, math.inf)
        value = self.value / b.value
        return Bounded(
            value, (self.error + abs(value) * b.error) / (abs(b.value) - b.error) + EPS * abs(value)
        )

    def __abs__(self) -> Bounded:
        return Bounded(abs(self.value), self.error)

    def _apply(self, function: Callable[..., Any]) -> Bounded:
        """A function of one variable; four units in the last place for the libraries' differences."""
        if self.error > 1e-3:  # the ends of a long interval say nothing about its middle
            return Bounded(math.nan, math.inf)
        x, e = self.value, self.error
        with np.errstate(all="ignore"):
            value = float(function(x))
            error = max(abs(float(function(x + e)) - value), abs(float(function(x - e)) - value))
        error += 4.0 * EPS * abs(value)
        return Bounded(value, error) if math.isfinite(error) else Bounded(math.nan, math.inf)

    def sqrt(self) -> Bounded:
        return self._apply(lambda x: np.sqrt(abs(x)))

    def sin(self) -> Bounded:
        return self._apply(np.sin)

    def cos(self) -> Bounded:
        return self._apply(np.cos)

    def tan(self) -> Bounded:
        return self._apply(np.tan)

    def arcsin(self) -> Bounded:
        return self._apply(np.arcsin)

    def arccos(self) -> Bounded:
        return self._apply(np.arccos)

    def exp(self) -> Bounded:
        return self._apply(np.exp)

    def log(self) -> Bounded:
        return self._apply(np.log)

    def __floor__(self) -> Bounded:
        if not math.isfinite(self.error) or math.floor(self.value - self.error) != math.floor(
            self.value + self.error
        ):
            return Bounded(math.nan, math.inf)
        return Bounded(float(math.floor(self.value)))

    def arctan2(self, other: Any) -> Bounded:
        x = self._with(other)
        reach = 2.0 * (self.error + x.error)
        near_cut = abs(self.value) <= reach and x.value <= reach
        near_origin = max(abs(self.value), abs(x.value)) <= 2.0 * reach
        if near_cut or near_origin or not math.isfinite(reach):  # the sign of a zero decides there
            return Bounded(math.nan, math.inf)
        value = math.atan2(self.value, x.value)
        radius = math.hypot(self.value, x.value) - reach
        return Bounded(value, 2.0 * (self.error + x.error) / radius + 4.0 * EPS * abs(value))

    def _order(self, other: Any) -> int | None:
        """-1, 0 or 1 for less, equal, greater; None if it cannot be told."""
        b = self._with(other)
        if b is self:
            return 0
        reach = self.error + b.error
        difference = self.value - b.value
        if not math.isfinite(reach) or (reach > 0.0 and abs(difference) <= 2.0 * reach):
            return None
        return (difference > 0.0) - (difference < 0.0)

    def minimum(self, other: Any) -> Bounded:
        b, order = self._with(other), self._order(other)
        if order is None:
            return Bounded(min(self.value, b.value), max(self.error, b.error))
        return self if order < 0 else b

    def maximum(self, other: Any) -> Bounded:
        return -(-self).minimum(-self._with(other))

    def __lt__(self, other: Any) -> Truth:
        return Truth(_decided(self._order(other), (-1,)))

    def __le__(self, other: Any) -> Truth:
        return Truth(_decided(self._order(other), (-1, 0)))

    def __gt__(self, other: Any) -> Truth:
        return Truth(_decided(self._order(other), (1,)))

    def __ge__(self, other: Any) -> Truth:
        return Truth(_decided(self._order(other), (0, 1)))

    def equal(self, other: Any) -> Truth:
        return Truth(_decided(self._order(other), (0,)))


def _decided(order: int | None, wanted: tuple[int, ...]) -> bool | None:
    return None if order is None else order in wanted


@dataclass(frozen=True)
class Truth:
    """A decision; None if it is too close to call."""

    holds: bool | None

    def __and__(self, other: Truth) -> Truth:
        if self.holds is False or other.holds is False:
            return Truth(False)
        return Truth(None) if None in (self.holds, other.holds) else Truth(True)

    def __or__(self, other: Truth) -> Truth:
        return ~(~self & ~other)

    def __invert__(self) -> Truth:
        return Truth(None if self.holds is None else not self.holds)

    def where(self, a: Any, b: Any) -> Bounded:
        first, second = (v if isinstance(v, Bounded) else Bounded(float(v)) for v in (a, b))
        if self.holds is None:  # one or the other
            return Bounded(first.value, abs(first.value - second.value) + first.error + second.error)
        return first if self.holds else second


def _equal(x: Any, y: Any) -> Any:
    return x.equal(y) if isinstance(x, Bounded) else x == y


# Steps by name: how many values they take, and what they do with them. Arguments are kept inside the domain.
STEPS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, lambda x, y: x + y),
    "sub": (2, lambda x, y: x - y),
    "mul": (2, lambda x, y: x * y),
    "mean": (2, lambda x, y: 0.5 * x - y * 0.5),
    "wave": (2, lambda x, y: (x * y + x).cos()),
    "square": (1, lambda x: x * x),
    "neg": (1, lambda x: -x),
    "div": (2, lambda x, y: x / (abs(y) + 0.5)),
    "halve": (1, lambda x: x / 4.0),
    "third": (1, lambda x: x / 3.0),
    "sqrt": (1, lambda x: (abs(x) + 0.1).sqrt()),
    "sin": (1, lambda x: x.sin()),
    "cos": (1, lambda x: x.cos()),
    "tan": (1, lambda x: (x.sin()).tan()),
    "asin": (1, lambda x: x.minimum(0.9).maximum(-0.9).arcsin()),
    "acos": (1, lambda x: x.minimum(0.9).maximum(-0.9).arccos()),
    "atan2": (2, lambda y, x: y.arctan2(x)),
    "exp": (1, lambda x: x.minimum(2.0).exp()),
    "log": (1, lambda x: (x * x + 0.3).log()),
    "abs": (1, lambda x: abs(x)),
    "floor": (1, lambda x: x.__floor__()),
    "minimum": (2, lambda x, y: x.minimum(y)),
    "maximum": (2, lambda x, y: x.maximum(y)),
    "lt": (4, lambda x, y, a, b: (x < y).where(a, b)),
    "le": (4, lambda x, y, a, b: (x <= y).where(a, b)),
    "eq": (4, lambda x, y, a, b: _equal(x, y).where(a, b)),
    "ne": (4, lambda x, y, a, b: (~_equal(x, y)).where(a, b)),
    "both": (4, lambda x, y, a, b: ((x > y) & (a >= b)).where(a, y)),
    "either": (4, lambda x, y, a, b: ((x > 0.0) | ~(a <= b)).where(x, b)),
}
WILD = ("add", "sub", "mul", "add", "sub", "mul", "neg", "square")
# Steps that do not blow values up, for graphs of thousands of steps.
CALM = ("mean", "wave", "wave", "mean", "neg", "minimum", "lt", "both", "either", "ne")


@dataclass(frozen=True)
class Recipe:
    """A random function: constants, steps on earlier values, and which values it returns."""

    n_inputs: int
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    returned: tuple[int, ...]

    def __call__(self, inputs: Any, constant: Callable[[float], Any]) -> list[Any]:
        values = [*inputs, *map(constant, CONSTANTS)]
        for name, operands in self.steps:
            values.append(STEPS[name][1](*(values[i] for i in operands)))
        return [values[i] for i in self.returned]

    def traced(self, x: Any) -> list[Any]:
        """The function for `trace`, of one input x."""
        return self(x, lambda c: x[0] * 0.0 + c)

    def bounded(self, x: Any) -> list[Bounded]:
        """Values and error bounds."""
        return self([Bounded(float(v)) for v in x], Bounded)


def recipe(choose: Choose, steps: int, calm: bool = False) -> Recipe:
    """A recipe made by a source of numbers: choose(n) gives one of 0 ... n-1."""
    often = CALM if calm else WILD
    names = CALM if calm else tuple(STEPS)
    n_inputs = 1 + choose(5)
    made: list[tuple[str, tuple[int, ...]]] = []
    count = n_inputs + len(CONSTANTS)
    for _ in range(steps):
        name = often[choose(len(often))] if choose(3) else names[choose(len(names))]
        # Mostly recent values, so that the graph grows deep; or, calm, any values, so that it stays shallow.
        recent = max(n_inputs + len(CONSTANTS), count - 8)
        operands = [
            choose(n_inputs if calm and choose(2) else count)
            if calm or choose(4) == 0
            else recent + choose(8)
            for _ in range(STEPS[name][0])
        ]
        made.append((name, tuple(i if i < count else choose(n_inputs) for i in operands)))
        count += 1
    first = count - min(steps, 6)
    return Recipe(n_inputs, tuple(made), (*range(first, count), choose(count)))


def agree(results: Any, bounds: list[Bounded], slack: float = 2.0) -> bool:
    """Whether results lie within their error bounds, up to a factor for another order of operations."""
    return all(
        not math.isfinite(b.error) or abs(float(r) - b.value) <= slack * b.error + 1e-290
        for r, b in zip(results, bounds, strict=True)
    )
