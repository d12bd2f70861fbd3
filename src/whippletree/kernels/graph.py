"""The graph behind a trace: nodes made once, folded when made, and referred to with a sign.

A *reference* is an integer: twice the number of a node, plus one where the node's value is meant negated (a
condition: its opposite). Signs therefore cost nothing, meet and cancel. Nodes 0, 1, ... are inputs and
operations, in an order in which they can be computed; -1, -2, ... are constants, kept without their sign.
Equal operations on equal references are one node. The order of operands is canonical, and of a node and its
negative only one exists: `x - y` and `y - x` are the two signs of one node.

Folding treats real numbers as the book's simplifier does (RBDA section 10.4): `x*0` is 0 and `x - x` is 0
even where x is infinite, and the sign of a zero is not kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .ops import OPS

# The constants every graph begins with; as conditions, ZERO is false and its opposite is true.
ZERO, ONE, TWO = -2, -4, -6
FALSE, TRUE = ZERO, ZERO ^ 1

# Constants are only multiplied together where the product keeps its full precision.
_SMALLEST, _LARGEST = 1e-290, 1e290

Node = tuple[Any, ...]


def negate(ref: int) -> int:
    """The negative of a real reference; zero has none."""
    return ref if ref == ZERO else ref ^ 1


class Graph:
    """Nodes of one trace, with a constructor for each kind of node; constructors take and give references.

    Attributes:
        nodes: Per node its operation and operands; `("input", i)` for an input. Subtraction is an addition
            with a negated second operand; the first operand of an addition, a minimum or a maximum, the
            operands of a product and the value chosen first in a selection are never negated.
        values: Per constant its magnitude.
    """

    __slots__ = ("_constants", "_known", "_quotients", "nodes", "values")

    def __init__(self, n_inputs: int) -> None:
        self.nodes: list[Node] = [("input", i) for i in range(n_inputs)]
        self._known: dict[Node, int] = {}
        self.values: list[float] = [0.0, 1.0, 2.0]
        self._constants: dict[float, int] = {0.0: ZERO, 1.0: ONE, 2.0: TWO}
        # Quotients, and products with one: what a further product may undo.
        self._quotients: set[int] = set()

    # Constants

    def constant(self, value: float) -> int:
        """Reference to a number."""
        ref = self._constants.get(value)
        if ref is None:
            ref = self._constants.get(-value)
            if ref is None:
                ref = -2 * len(self.values) - 2
                self.values.append(abs(value))
            ref = self._constants[value] = ref & -2 | (value < 0.0)
        return ref

    def value(self, ref: int) -> float:
        """The number a constant reference stands for."""
        magnitude = self.values[~(ref >> 1)]
        return -magnitude if ref & 1 else magnitude

    def _evaluate(self, op: str, *refs: int) -> int:
        """Fold an operation on constants by its row in the table."""
        with np.errstate(all="ignore"):
            return self.constant(float(OPS[op].value(*(np.float64(self.value(r)) for r in refs))))

    def _decide(self, op: str, a: int, b: int) -> int:
        """Fold a comparison of constants."""
        return TRUE if OPS[op].value(self.value(a), self.value(b)) else FALSE

    def _node(self, key: Node) -> int:
        """The node with this operation and these operands, made if need be."""
        ref = self._known.get(key)
        if ref is None:
            ref = self._known[key] = len(self.nodes) * 2
            self.nodes.append(key)
        return ref

    # Arithmetic

    def mul(self, a: int, b: int) -> int:
        """Product."""
        sign = (a ^ b) & 1
        a &= -2
        b &= -2
        if a > b:
            a, b = b, a
        if a < 0:  # a constant comes first
            if b < 0:
                product = self.constant(self.values[~(a >> 1)] * self.values[~(b >> 1)])
                return negate(product) if sign else product
            if a == ZERO:
                return ZERO
            if a == ONE:
                return b | sign
            merged = self._scale(self.values[~(a >> 1)], self.nodes[b >> 1])
            if merged is not None:
                return merged ^ sign
        with_quotient = a in self._quotients or b in self._quotients
        if with_quotient:
            whole = self._undivided(a, b)
            if whole is not None:
                return negate(whole) if sign else whole
        key = ("mul", a, b)
        ref = self._known.get(key)
        if ref is None:
            ref = self._known[key] = len(self.nodes) * 2
            self.nodes.append(key)
            if with_quotient and any(r >= 0 and self.nodes[r >> 1][0] == "div" for r in (a, b)):
                self._quotients.add(ref)
        return ref | sign

    def _undivided(self, a: int, b: int) -> int | None:
        """What a product leaves in which one operand divides the other: x·(y/x) or x·(y·(z/x))."""
        for divisor, ref in ((a, b), (b, a)):
            if ref < 0 or divisor < 0:
                continue
            node = self.nodes[ref >> 1]
            if node[0] == "div" and node[2] == divisor:
                return node[1]
            if node[0] == "mul":
                for factor, other in ((node[1], node[2]), (node[2], node[1])):
                    if factor >= 0:
                        inner = self.nodes[factor >> 1]
                        if inner[0] == "div" and inner[2] == divisor:
                            return self.mul(inner[1], other)
        return None

    def _scale(self, factor: float, node: Node) -> int | None:
        """A constant times what is itself scaled by a constant: one constant is enough.

        Not a constant times a constant over x: if that quotient is needed elsewhere, a division more.
        """
        op = node[0]
        if op == "mul" and node[1] < 0:
            merged = factor * self.values[~(node[1] >> 1)]
            if _SMALLEST < merged < _LARGEST:
                return self.mul(self.constant(merged), node[2])
        elif op == "div" and node[2] < 0:
            merged = factor / self.values[~(node[2] >> 1)]
            if _SMALLEST < merged < _LARGEST:
                return self.mul(self.constant(merged), node[1])
        return None

    def add(self, a: int, b: int) -> int:
        """Sum; a difference is the sum with `negate(b)`."""
        if a > b:
            a, b = b, a
        if a < 0:
            if b < 0:
                return self.constant(self.value(a) + self.value(b))
            if a == ZERO:
                return b
            node = self.nodes[b >> 1]
            if node[0] == "add" and node[1] < 0:  # two constants in a row are one
                inner = self.value(node[1])
                merged = self.value(a) + (-inner if b & 1 else inner)
                return self.add(self.constant(merged), node[2] ^ (b & 1))
        elif a ^ b == 1:
            return ZERO
        elif a == b:
            return self.mul(TWO, a)
        else:
            if self.nodes[b >> 1][0] == "add" and (rest := self._cancelled(a, b)) is not None:
                return rest
            if self.nodes[a >> 1][0] == "add" and (rest := self._cancelled(b, a)) is not None:
                return rest
        sign = a & 1
        key = ("add", a ^ sign, b ^ sign)
        ref = self._known.get(key)
        if ref is None:
            ref = self._known[key] = len(self.nodes) * 2
            self.nodes.append(key)
        return ref | sign

    def _cancelled(self, a: int, b: int) -> int | None:
        """What a + b leaves where the sum or difference b holds -a."""
        _, first, second = self.nodes[b >> 1]
        flip = b & 1
        if first ^ flip == a ^ 1:
            return negate(second) if flip else second
        if second ^ flip == a ^ 1:
            return negate(first) if flip else first
        return None

    def div(self, a: int, b: int) -> int:
        """Quotient. Division by a constant becomes a product only where that is exact."""
        sign = (a ^ b) & 1
        a &= -2
        b &= -2
        if b < 0:
            if a < 0:
                quotient = self._evaluate("div", a, b)
                return negate(quotient) if sign else quotient
            if b != ZERO:
                divisor = self.values[~(b >> 1)]
                if math.frexp(divisor)[0] == 0.5 and math.isfinite(1.0 / divisor):
                    return self.mul(self.constant(1.0 / divisor), a) ^ sign
                merged = self._unscale(self.nodes[a >> 1], divisor)
                if merged is not None:
                    return merged ^ sign
        elif a == ZERO:
            return ZERO
        elif a == b:
            return ONE | sign
        elif a < 0:
            node = self.nodes[b >> 1]
            if node[0] == "mul" and node[1] < 0:
                merged = self.values[~(a >> 1)] / self.values[~(node[1] >> 1)]
                if _SMALLEST < merged < _LARGEST:
                    return self.div(self.constant(merged), node[2]) ^ sign
        quotient = self._node(("div", a, b))
        self._quotients.add(quotient)
        return quotient | sign

    def _unscale(self, node: Node, divisor: float) -> int | None:
        """The same for division by a constant, which then is one division less or the same one."""
        if node[0] == "mul" and node[1] < 0:
            merged = self.values[~(node[1] >> 1)] / divisor
            if _SMALLEST < merged < _LARGEST:
                return self.mul(self.constant(merged), node[2])
        elif node[0] == "div":
            if node[1] < 0:
                merged = self.values[~(node[1] >> 1)] / divisor
                if _SMALLEST < merged < _LARGEST:
                    return self.div(self.constant(merged), node[2])
            elif node[2] < 0:
                merged = self.values[~(node[2] >> 1)] * divisor
                if _SMALLEST < merged < _LARGEST:
                    return self.div(node[1], self.constant(merged))
        return None

    # Functions

    def plain(self, op: str, a: int) -> int:
        """A function of one operand without symmetry: sqrt, exp, log, acos, floor."""
        if a < 0:
            return self._evaluate(op, a)
        if op == "floor" and self.nodes[a >> 1][0] == "floor":  # already whole
            return a
        return self._node((op, a))

    def odd(self, op: str, a: int) -> int:
        """A function with f(-x) = -f(x): sin, tan, asin."""
        if a < 0:
            return self._evaluate(op, a)
        return self._node((op, a & -2)) | (a & 1)

    def even(self, op: str, a: int) -> int:
        """A function with f(-x) = f(x): cos, abs."""
        a &= -2
        if a < 0:
            return self._evaluate(op, a)
        if op == "abs" and self.nodes[a >> 1][0] in ("abs", "sqrt", "exp"):
            return a
        return self._node((op, a))

    def atan2(self, y: int, x: int) -> int:
        """Angle of the point (x, y); odd in y."""
        if y < 0 and x < 0:
            return self._evaluate("atan2", y, x)
        if y == ZERO:  # no sign to pull out
            return self._node(("atan2", y, x))
        return self._node(("atan2", y & -2, x)) | (y & 1)

    # Selection

    def extreme(self, op: str, a: int, b: int) -> int:
        """The smaller one, `minimum`, or the larger one, `maximum`."""
        if a > b:
            a, b = b, a
        if a == b:
            return a
        if b < 0:
            return self._evaluate(op, a, b)
        if a & 1:  # min(-a, b) = -max(a, -b)
            other = "maximum" if op == "minimum" else "minimum"
            return self._node((other, a ^ 1, b ^ 1)) | 1
        return self._node((op, a, b))

    def where(self, condition: int, a: int, b: int) -> int:
        """a where the condition holds, else b."""
        if condition < 0:
            return a if condition == TRUE else b
        if condition & 1:
            condition, a, b = condition ^ 1, b, a
        a, b = self._seen_under(condition, a, 2), self._seen_under(condition, b, 3)
        if a == b:
            return a
        sign = (b if a == ZERO else a) & 1
        if sign:
            a, b = negate(a), negate(b)
        return (
            negate(self._node(("where", condition, a, b))) if sign else self._node(("where", condition, a, b))
        )

    def _seen_under(self, condition: int, ref: int, branch: int) -> int:
        """What a selection on the same condition amounts to where that condition is known."""
        if ref >= 0:
            node = self.nodes[ref >> 1]
            if node[0] == "where" and node[1] == condition:
                return negate(node[branch]) if ref & 1 else node[branch]
        return ref

    # Conditions

    def lt(self, a: int, b: int) -> int:
        """Whether a < b."""
        return FALSE if a == b else self._ordered("lt", a, b)

    def le(self, a: int, b: int) -> int:
        """Whether a <= b; of a value with itself it asks for NaN and is left alone."""
        return self._ordered("le", a, b)

    def _ordered(self, op: str, a: int, b: int) -> int:
        if a < 0 and b < 0:
            return self._decide(op, a, b)
        # -a < -b is b < a; of the two ways to write a < -b take the one with the earlier node unsigned.
        if (a >= 0 and a & 1 and (b & 1 or b < 0 or a < b)) or (
            b >= 0 and b & 1 and (a & 1 or a < 0 or b < a)
        ):
            a, b = negate(b), negate(a)
        return self._node((op, a, b))

    def eq(self, a: int, b: int) -> int:
        """Whether a = b; of a value with itself it asks for NaN and is left alone."""
        if a > b:
            a, b = b, a
        if b < 0:
            return self._decide("eq", a, b)
        if b & 1:  # the sign goes to the earlier operand, which may be a constant
            a, b = negate(a), b ^ 1
        return self._node(("eq", a, b))

    def both(self, a: int, b: int) -> int:
        """Whether both conditions hold; `either` is its counterpart under negation."""
        if a > b:
            a, b = b, a
        if a < 0:
            return b if a == TRUE else FALSE
        if a == b:
            return a
        if a ^ b == 1:
            return FALSE
        return self._node(("and", a, b))

    def either(self, a: int, b: int) -> int:
        """Whether one of the conditions holds."""
        return self.both(a ^ 1, b ^ 1) ^ 1

    def constructors(self) -> dict[str, Callable[..., int]]:
        """For every row of the table the call that makes it of references."""
        unary = {
            **dict.fromkeys(("sqrt", "exp", "log", "acos", "floor"), self.plain),
            **dict.fromkeys(("sin", "tan", "asin"), self.odd),
            **dict.fromkeys(("cos", "abs"), self.even),
        }
        return {
            **{op: lambda a, op=op, make=make: make(op, a) for op, make in unary.items()},
            "add": self.add,
            "sub": lambda a, b: self.add(a, negate(b)),
            "mul": self.mul,
            "div": self.div,
            "neg": negate,
            "atan2": self.atan2,
            **{op: lambda a, b, op=op: self.extreme(op, a, b) for op in ("minimum", "maximum")},
            "where": self.where,
            "lt": self.lt,
            "le": self.le,
            "gt": lambda a, b: self.lt(b, a),
            "ge": lambda a, b: self.le(b, a),
            "eq": self.eq,
            "ne": lambda a, b: self.eq(a, b) ^ 1,
            "and": self.both,
            "or": self.either,
            "not": lambda a: a ^ 1,
            "fma": lambda a, b, c: self.add(self.mul(a, b), c),
            "fms": lambda a, b, c: self.add(self.mul(a, b), negate(c)),
            "fnma": lambda a, b, c: self.add(c, negate(self.mul(a, b))),
        }
