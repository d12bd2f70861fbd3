"""The operations a kernel may use, one row each: the only place that knows what an operation is.

Interpreter, cost counter, derivatives and every emitter read this table. To add an operation, add a row.
Truth values (results of comparisons) and real numbers are told apart by the row's signature.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Op:
    """One operation.

    Attributes:
        name: Name of the operation in a `Program`.
        signature: Kinds of the operands, then of the result: r a real number, c a condition; `"crr>r"`.
        value: The value, by NumPy, elementwise; the reference all others are measured against.
        partials: Takes the operands and the result as traced scalars; gives for every operand the partial
            derivative, as a scalar or as a function that applies it to a tangent (selections do, so that a
            branch not taken contributes nothing, even where its own derivative is not finite); None for a
            condition.
        c: C99 expression, operands in braces.
        python: Python expression on floats and the module `math`, operands in braces.
        sympy: SymPy expression: takes the module and the operands.
        llvm: Instruction, comparison or function the LLVM emitter maps the row to.
        cost: What the row counts as, one entry for every floating-point operation done.
    """

    name: str
    signature: str
    value: Callable[..., Any]
    partials: Callable[..., tuple[Any, ...]]
    c: str
    python: str
    sympy: Callable[..., Any]
    llvm: str
    cost: tuple[str, ...]

    @property
    def is_condition(self) -> bool:
        """Whether the result is a condition rather than a real number."""
        return self.signature[-1] == "c"


def _none(*operands: Any) -> tuple[None, ...]:
    """Partials of an operation whose result is a condition: it has no derivative."""
    return (None,) * (len(operands) - 1)


def _inverse_sine_slope(x: Any) -> Any:
    return 1.0 / (1.0 - x * x).sqrt()


def _atan2_partials(y: Any, x: Any, _: Any) -> tuple[Any, ...]:
    square = x * x + y * y
    return x / square, -(y / square)


def _selected(condition: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Partials of `condition ? x : y` with respect to x and y; NaN where the value is a constant NaN.

    A NaN says that nothing is known there, and a derivative of 0 would say that all is well.
    """
    without_x, without_y = (np.nan if np.isnan(other.known or 0.0) else 0.0 for other in (x, y))
    return (lambda t: condition.where(t, without_y)), (lambda t: condition.where(without_x, t))


def _fma(x: Any, y: Any, z: Any) -> Any:
    return x * y + z


def _fms(x: Any, y: Any, z: Any) -> Any:
    return x * y - z


def _fnma(x: Any, y: Any, z: Any) -> Any:
    return z - x * y


# Counting keys, in the order in which costs are shown.
COSTS: tuple[str, ...] = ("mul", "add", "div", "sqrt", "trig", "exp", "select", "compare")

# fmt: off
_ROWS = (
    Op("add", "rr>r", np.add, lambda x, y, z: (1.0, 1.0),
       "{0} + {1}", "{0} + {1}", lambda sp, x, y: x + y, "fadd", ("add",)),
    Op("sub", "rr>r", np.subtract, lambda x, y, z: (1.0, -1.0),
       "{0} - {1}", "{0} - {1}", lambda sp, x, y: x - y, "fsub", ("add",)),
    Op("mul", "rr>r", np.multiply, lambda x, y, z: (y, x),
       "{0} * {1}", "{0} * {1}", lambda sp, x, y: x * y, "fmul", ("mul",)),
    Op("div", "rr>r", np.divide, lambda x, y, z: (1.0 / y, -(z / y)),
       "{0} / {1}", "_div({0}, {1})", lambda sp, x, y: x / y, "fdiv", ("div",)),
    Op("neg", "r>r", np.negative, lambda x, z: (-1.0,),
       "-{0}", "-{0}", lambda sp, x: -x, "fneg", ()),
    Op("sqrt", "r>r", np.sqrt, lambda x, z: (0.5 / z,),
       "sqrt({0})", "_sqrt({0})", lambda sp, x: sp.sqrt(x), "sqrt", ("sqrt",)),
    Op("sin", "r>r", np.sin, lambda x, z: (x.cos(),),
       "sin({0})", "_sin({0})", lambda sp, x: sp.sin(x), "sin", ("trig",)),
    Op("cos", "r>r", np.cos, lambda x, z: (-x.sin(),),
       "cos({0})", "_cos({0})", lambda sp, x: sp.cos(x), "cos", ("trig",)),
    Op("tan", "r>r", np.tan, lambda x, z: (1.0 + z * z,),
       "tan({0})", "_tan({0})", lambda sp, x: sp.tan(x), "tan", ("trig",)),
    Op("asin", "r>r", np.arcsin, lambda x, z: (_inverse_sine_slope(x),),
       "asin({0})", "_asin({0})", lambda sp, x: sp.asin(x), "asin", ("trig",)),
    Op("acos", "r>r", np.arccos, lambda x, z: (-_inverse_sine_slope(x),),
       "acos({0})", "_acos({0})", lambda sp, x: sp.acos(x), "acos", ("trig",)),
    Op("atan2", "rr>r", np.arctan2, _atan2_partials,
       "atan2({0}, {1})", "math.atan2({0}, {1})", lambda sp, y, x: sp.atan2(y, x), "atan2", ("trig",)),
    Op("exp", "r>r", np.exp, lambda x, z: (z,),
       "exp({0})", "_exp({0})", lambda sp, x: sp.exp(x), "exp", ("exp",)),
    Op("log", "r>r", np.log, lambda x, z: (1.0 / x,),
       "log({0})", "_log({0})", lambda sp, x: sp.log(x), "log", ("exp",)),
    Op("abs", "r>r", np.abs, lambda x, z: (lambda t: (x < 0.0).where(-t, t),),
       "fabs({0})", "abs({0})", lambda sp, x: sp.Abs(x), "fabs", ("select",)),
    Op("floor", "r>r", np.floor, lambda x, z: (0.0,),
       "floor({0})", "_floor({0})", lambda sp, x: sp.floor(x), "floor", ("select",)),
    # Both pass a NaN on, as NumPy's do; C's fmin and fmax would swallow it.
    Op("minimum", "rr>r", np.minimum, lambda x, y, z: _selected(x <= y, x, y),
       "({0} < {1} || {0} != {0}) ? {0} : {1}", "{0} if {0} < {1} or {0} != {0} else {1}",
       lambda sp, x, y: sp.Min(x, y), "minimum", ("select",)),
    Op("maximum", "rr>r", np.maximum, lambda x, y, z: _selected(x >= y, x, y),
       "({0} > {1} || {0} != {0}) ? {0} : {1}", "{0} if {0} > {1} or {0} != {0} else {1}",
       lambda sp, x, y: sp.Max(x, y), "maximum", ("select",)),
    Op("where", "crr>r", np.where, lambda c, x, y, z: (None, *_selected(c, x, y)),
       "{0} ? {1} : {2}", "{1} if {0} else {2}",
       lambda sp, c, x, y: sp.Piecewise((x, c), (y, True)), "select", ("select",)),
    Op("lt", "rr>c", np.less, _none,
       "{0} < {1}", "{0} < {1}", lambda sp, x, y: sp.Lt(x, y), "fcmp olt", ("compare",)),
    Op("le", "rr>c", np.less_equal, _none,
       "{0} <= {1}", "{0} <= {1}", lambda sp, x, y: sp.Le(x, y), "fcmp ole", ("compare",)),
    Op("gt", "rr>c", np.greater, _none,
       "{0} > {1}", "{0} > {1}", lambda sp, x, y: sp.Gt(x, y), "fcmp ogt", ("compare",)),
    Op("ge", "rr>c", np.greater_equal, _none,
       "{0} >= {1}", "{0} >= {1}", lambda sp, x, y: sp.Ge(x, y), "fcmp oge", ("compare",)),
    Op("eq", "rr>c", np.equal, _none,
       "{0} == {1}", "{0} == {1}", lambda sp, x, y: sp.Eq(x, y), "fcmp oeq", ("compare",)),
    Op("ne", "rr>c", np.not_equal, _none,
       "{0} != {1}", "{0} != {1}", lambda sp, x, y: sp.Ne(x, y), "fcmp une", ("compare",)),
    Op("and", "cc>c", np.logical_and, _none,
       "{0} && {1}", "{0} and {1}", lambda sp, x, y: sp.And(x, y), "and", ("compare",)),
    Op("or", "cc>c", np.logical_or, _none,
       "{0} || {1}", "{0} or {1}", lambda sp, x, y: sp.Or(x, y), "or", ("compare",)),
    Op("not", "c>c", np.logical_not, _none,
       "!{0}", "not {0}", lambda sp, x: sp.Not(x), "not", ()),
    # Fused: one rounding in machine code and C, two in the interpreter, which has no such instruction.
    Op("fma", "rrr>r", _fma, lambda x, y, z, r: (y, x, 1.0),
       "fma({0}, {1}, {2})", "{0} * {1} + {2}", lambda sp, x, y, z: x * y + z, "fma", ("mul", "add")),
    Op("fms", "rrr>r", _fms, lambda x, y, z, r: (y, x, -1.0),
       "fma({0}, {1}, -({2}))", "{0} * {1} - {2}", lambda sp, x, y, z: x * y - z, "fms", ("mul", "add")),
    Op("fnma", "rrr>r", _fnma, lambda x, y, z, r: (-y, -x, 1.0),
       "fma(-({0}), {1}, {2})", "{2} - {0} * {1}", lambda sp, x, y, z: z - x * y, "fnma", ("mul", "add")),
)
# fmt: on

OPS: dict[str, Op] = {row.name: row for row in _ROWS}

LOOP_OPS: dict[str, int] = {"carried": 1, "argument": 3, "repeat": 2, "item": 2}
"""What a loop is made of besides, and how many operands each has; no row, as they compute nothing.

carried(n): in a body that is being recorded, what one pass hands to the next; n tells them apart.
argument(order, x, place): x is put at a place of the loops' memory; order is the argument before, or 0.
repeat(order, first): the loop whose arguments begin at place first, run when all of them are there.
item(order, place): what is at a place after that loop.
Places and firsts are constants. Order says only what comes first, and has no value.
"""
