"""Motions that drivers prescribe: a constant speed, a table, a spline, a formula or a function of time.

Each gives a position at a time of any scalar, so that it is evaluated in numbers and recorded alike; rates
follow from that where it is recorded.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import InputError
from ..spatial import Array, maximum, minimum, where
from ..spatial.scalar import real_numbers
from .values import flag


class Prescribed(NamedTuple):
    """A motion at some times: position, rad or m, velocity and acceleration, each (n,)."""

    x: Array
    xd: Array
    xdd: Array


class DriverMotion:
    """Position, rad or m, as a function of time."""

    begins_anywhere: ClassVar[bool] = False
    """Whether it says only how far it goes, and begins where the joint is."""

    def position(self, t: Any) -> Any:
        """At a time t, s, of any scalar."""
        raise NotImplementedError

    @property
    def span(self) -> tuple[float, float]:
        """The times, s, between which it is known."""
        return -np.inf, np.inf

    def saved(self) -> dict[str, Any]:
        """What a file says of it; ValueError if that cannot be said."""
        raise NotImplementedError


@dataclass(frozen=True)
class ConstantSpeed(DriverMotion):
    """So many rad/s or m/s, from where the joint is at the start."""

    speed: float
    begins_anywhere: ClassVar[bool] = True

    def __post_init__(self) -> None:
        try:
            speed = real_numbers(self.speed).item()
        except (TypeError, ValueError):
            speed = np.nan
        if not np.isfinite(speed):
            raise InputError(f"ConstantSpeed: speed is {self.speed!r:.60}, expected a finite number")
        object.__setattr__(self, "speed", speed)

    def position(self, t: Any) -> Any:
        return self.speed * t

    def __call__(self, t: Any) -> Prescribed:
        """The motion at times t (n,), s, with its rates."""
        t = np.asarray(t, dtype=float)
        return Prescribed(self.speed * t, np.full(t.shape, self.speed), np.zeros(t.shape))

    def saved(self) -> dict[str, Any]:
        return {"speed": self.speed}

    def __str__(self) -> str:
        return f"speed {self.speed:g}"


class MotionSpline(DriverMotion):
    """A motion made of polynomials, one after the other, as SciPy's `PPoly` and its kin have them.

    Args:
        breaks: (n + 1,) times, s, ascending, at which one polynomial follows another.
        coefficients: (k, n) of the powers k - 1 … 0 of the time since the break before.
        periodic: Whether it begins again after the last time.

    >>> import whippletree as wt
    >>> ramp = wt.MotionSpline([0.0, 1.0, 2.0], [[0.5, 0.0], [0.0, 1.0], [0.0, 0.5]])
    >>> float(ramp.position(0.5)), float(ramp.position(1.5))
    (0.125, 1.0)
    """

    def __init__(self, breaks: Any, coefficients: Any, periodic: bool = False) -> None:
        try:
            self.breaks: Array = real_numbers(breaks)
            self.coefficients: Array = real_numbers(coefficients)
        except (TypeError, ValueError):
            raise InputError("MotionSpline: breaks and coefficients are expected to be numbers") from None
        flag(periodic, "MotionSpline: periodic")
        n = len(self.breaks) - 1 if self.breaks.ndim == 1 else 0
        if n < 1 or self.coefficients.ndim != 2 or self.coefficients.shape[1] != n:
            raise InputError(
                f"MotionSpline: breaks has shape {self.breaks.shape} and coefficients "
                f"{self.coefficients.shape}, expected (n + 1,) and (k, n)"
            )
        if not (np.all(np.isfinite(self.breaks)) and np.all(np.isfinite(self.coefficients))):
            raise InputError("MotionSpline: every break and coefficient must be finite")
        if np.any(np.diff(self.breaks) <= 0.0):
            k = int(np.argmax(np.diff(self.breaks) <= 0.0))
            raise InputError(
                f"MotionSpline: breaks[{k + 1}] is {self.breaks[k + 1]:g}, not after breaks[{k}] = "
                f"{self.breaks[k]:g}"
            )
        self.periodic: bool = bool(periodic)

    @property
    def span(self) -> tuple[float, float]:
        return (-np.inf, np.inf) if self.periodic else (float(self.breaks[0]), float(self.breaks[-1]))

    def position(self, t: Any) -> Any:
        breaks, pieces = self.breaks, self.coefficients.T.tolist()
        if self.periodic:
            first, period = float(breaks[0]), float(breaks[-1] - breaks[0])
            t = t - period * np.floor((t - first) / period)
        chosen = [float(breaks[-2]), *pieces[-1]]
        for k in range(len(pieces) - 2, -1, -1):
            own = [float(breaks[k]), *pieces[k]]
            before = t < breaks[k + 1]
            chosen = [where(before, here, later) for here, later in zip(own, chosen, strict=True)]
        x, since = chosen[1], t - chosen[0]
        for factor in chosen[2:]:
            x = x * since + factor
        return x

    def __call__(self, t: Any) -> Prescribed:
        """The motion at times t (n,), s, with its rates; outside an InputError, unless it is periodic."""
        from scipy.interpolate import PPoly  # on use: it takes longer to import than all the rest

        t = np.asarray(t, dtype=float)
        first, last = self.span
        if np.any((t < first) | (t > last)):
            worst = float(np.ravel(t)[np.argmax(np.ravel((t < first) | (t > last)))])
            raise InputError(
                f"{type(self).__name__}: t = {worst:g} s is outside of the table, {first:g} … {last:g} s"
            )
        spline = PPoly(self.coefficients, self.breaks, "periodic" if self.periodic else True)
        return Prescribed(*(np.asarray(spline(t, order)) for order in range(3)))

    def saved(self) -> dict[str, Any]:
        periodic = {"periodic": True} if self.periodic else {}
        return {"breaks": self.breaks, "coefficients": self.coefficients.tolist(), **periodic}

    def _value(self) -> tuple[Any, ...]:
        return type(self), self.breaks.tobytes(), self.coefficients.tobytes(), self.periodic

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MotionSpline) and self._value() == other._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def __str__(self) -> str:
        return f"spline of {len(self.breaks) - 1} pieces"


class MotionTable(MotionSpline):
    """A motion through points of a table, twice continuously differentiable: a cubic spline.

    Args:
        t: (n,) times, s, ascending, at least four, or three of a motion that repeats itself.
        x: (n,) positions, rad or m.
        periodic: Whether it begins again after the last time, with x[-1] = x[0].

    >>> import whippletree as wt
    >>> lift = wt.MotionTable([0.0, 1.0, 2.0, 3.0], [0.0, 0.2, 0.3, 0.0])
    >>> lift(np.array([1.0, 2.5])).x.round(4)
    array([0.2   , 0.2188])
    """

    def __init__(self, t: Any, x: Any, periodic: bool = False) -> None:
        from scipy.interpolate import CubicSpline  # on use: it takes longer to import than all the rest

        try:
            self.t: Array = real_numbers(t)
            self.x: Array = real_numbers(x)
        except (TypeError, ValueError):
            raise InputError(f"MotionTable: t and x are {t!r} and {x!r}, expected numbers") from None
        flag(periodic, "MotionTable: periodic")
        least = 3 if periodic else 4
        if self.t.ndim != 1 or self.t.shape != self.x.shape or len(self.t) < least:
            raise InputError(
                f"MotionTable: t has shape {self.t.shape} and x {self.x.shape}, expected both "
                f"(n,) with n of at least {least}"
            )
        if not (np.all(np.isfinite(self.t)) and np.all(np.isfinite(self.x))):
            raise InputError("MotionTable: every time and position must be finite")
        if np.any(np.diff(self.t) <= 0.0):
            k = int(np.argmax(np.diff(self.t) <= 0.0))
            raise InputError(
                f"MotionTable: t[{k + 1}] is {self.t[k + 1]:g}, not after t[{k}] = {self.t[k]:g}"
            )
        if periodic and self.x[0] != self.x[-1]:
            raise InputError(
                f"MotionTable: x begins with {self.x[0]:g} and ends with {self.x[-1]:g}: a periodic "
                "motion ends where it began"
            )
        spline = CubicSpline(self.t, self.x, bc_type="periodic" if periodic else "not-a-knot")
        super().__init__(spline.x, spline.c, periodic)

    def saved(self) -> dict[str, Any]:
        periodic = {"periodic": True} if self.periodic else {}
        return {"times": self.t, "positions": self.x, **periodic}

    def __str__(self) -> str:
        return f"table of {len(self.t)} points"


NUMBERS = {"pi": np.pi}
"""What formulas call by name, beside the time t."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(np, name)
        for name in ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "exp", "log", "sqrt", "abs", "floor")
    },
    "minimum": minimum,
    "maximum": maximum,
    "where": where,
}
"""What formulas call."""

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
    ast.UAdd: lambda a: a,
    ast.USub: lambda a: -a,
    ast.Lt: lambda a, b: a < b,
    ast.Gt: lambda a, b: a > b,
    ast.LtE: lambda a, b: a <= b,
    ast.GtE: lambda a, b: a >= b,
}

LONGEST = 2000
"""Characters of a formula."""


@dataclass(frozen=True)
class Formula(DriverMotion):
    """A position as a formula of the time t, s, as a file can hold it: "0.5 * sin(4 * t)".

    There are + - * / **, comparisons, sin, cos, tan, arcsin, arccos, arctan, exp, log, sqrt, abs, floor,
    minimum, maximum, where(condition, then, otherwise), and pi.

    >>> import whippletree as wt
    >>> float(wt.Formula("where(t < 1, 2 * t**2, 0.5)").position(0.5))
    0.5
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or len(self.text) > LONGEST:
            raise InputError(f"Formula: expected a text of at most {LONGEST} characters")
        try:
            with np.errstate(all="ignore"):
                self.position(np.float64(0.25))
        except (SyntaxError, ValueError, RecursionError) as error:
            why = error.msg if isinstance(error, SyntaxError) else error
            raise InputError(f"formula {self.text!r} of the time t: {why}") from None
        except (TypeError, ArithmeticError) as error:
            raise InputError(f"formula {self.text!r} of the time t cannot be evaluated: {error}") from None

    def position(self, t: Any) -> Any:
        return _evaluated(ast.parse(self.text.strip(), mode="eval").body, t)

    def saved(self) -> dict[str, Any]:
        return {"formula": self.text}

    def __str__(self) -> str:
        return self.text


def _evaluated(node: ast.AST, t: Any) -> Any:
    """The value of a piece of a formula at a time t; ValueError for what has no place in one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name) and (node.id == "t" or node.id in NUMBERS):
        return t if node.id == "t" else NUMBERS[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](_evaluated(node.left, t), _evaluated(node.right, t))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](_evaluated(node.operand, t))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
        return OPERATORS[type(node.ops[0])](_evaluated(node.left, t), _evaluated(node.comparators[0], t))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id in FUNCTIONS:
            return FUNCTIONS[node.func.id](*(_evaluated(argument, t) for argument in node.args))
        raise ValueError(f"{node.func.id!r} is no function of it; there are {', '.join(FUNCTIONS)}")
    if isinstance(node, ast.Name):
        raise ValueError(f"{node.id!r} is not known; there are t and {', '.join(NUMBERS)}")
    raise ValueError(f"{ast.unparse(node)!r} has no place in it")


@dataclass(frozen=True)
class TimeFunction(DriverMotion):
    """A function of Python, of the time; no file can hold it."""

    function: Callable[[Any], Any]

    def position(self, t: Any) -> Any:
        return self.function(t)

    def saved(self) -> dict[str, Any]:
        name = getattr(self.function, "__name__", str(self.function))
        raise ValueError(
            f"a driver follows the function {name!r} of Python, which no file can hold: give a formula, as "
            "position='0.5 * sin(4 * t)', or a wt.MotionTable"
        )

    def __str__(self) -> str:
        return f"function {getattr(self.function, '__name__', str(self.function))}"


def motion_from(given: Any) -> DriverMotion:
    """What a user gave for the position of a driver: a speed, formula, table, spline or function of time.

    Raises:
        InputError: It is none of these.
    """
    if isinstance(given, DriverMotion):
        return given
    if isinstance(given, str):
        return Formula(given)
    breaks, coefficients = (getattr(given, name, None) for name in ("x", "c"))
    if callable(given) and breaks is not None and coefficients is not None:  # SciPy's PPoly and its kin
        return MotionSpline(breaks, coefficients, getattr(given, "extrapolate", None) == "periodic")
    if callable(given):
        return TimeFunction(given)
    try:
        speed = real_numbers(given).item()
    except (TypeError, ValueError):
        speed = np.nan
    if not np.isfinite(speed):
        raise InputError(
            f"{given!r} is no motion: expected a speed, a formula, a function of time, a MotionTable or a "
            "spline"
        )
    return ConstantSpeed(speed)


def motion_read(said: dict[str, Any]) -> DriverMotion:
    """The motion of a file's table; InputError for keys that do not make one."""
    kinds: dict[frozenset[str], Callable[..., DriverMotion]] = {
        frozenset({"speed"}): ConstantSpeed,
        frozenset({"formula"}): lambda formula: Formula(formula),
        frozenset({"times", "positions"}): lambda times, positions, **o: MotionTable(times, positions, **o),
        frozenset({"breaks", "coefficients"}): MotionSpline,
    }
    made = kinds.get(frozenset(said) - {"periodic"})
    if made is None or ("periodic" in said and len(said) == 2):
        raise InputError(
            "a motion takes speed, or formula, or times and positions, or breaks and coefficients, the last "
            "two with periodic or without"
        )
    return made(**said)
