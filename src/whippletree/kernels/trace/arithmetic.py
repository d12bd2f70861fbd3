"""Nodes of a trace: made once, folded when made, and referred to with a sign.

A *reference* is an integer: twice the number of a node, plus one where the node's value is meant negated (a
condition: its opposite). Signs therefore cost nothing, meet and cancel. Nodes 0, 1, ... are inputs and
operations, in an order in which they can be computed; -1, -2, ... are constants, kept without their sign.
Equal operations on equal references are one node. The order of operands is canonical, and of a node and its
negative only one exists: `x - y` and `y - x` are the two signs of one node.

There may be millions of nodes, nearly all of them sums and products: these are kept as plain numbers in a few
lists, and found again by one number made of both operands.

Folding treats real numbers as the book's simplifier does (RBDA section 10.4): `x*0` is 0 and `x - x` is 0
even where x is infinite, and the sign of a zero is not kept.
"""

from __future__ import annotations

import math

import numpy as np

from .ops import LOOP_OPS, OPS
from .program import Cycle

# The constants every graph begins with.
ZERO, ONE, TWO = -2, -4, -6

# Constants are only multiplied together where the product keeps its full precision.
_SMALLEST, _LARGEST = 1e-290, 1e290

NAMES: tuple[str, ...] = ("input", *OPS, *LOOP_OPS)
"""Kinds of nodes; the code of a node is the place of its kind."""

CODES: dict[str, int] = {name: code for code, name in enumerate(NAMES)}
INPUT, ADD, MUL, DIV = (CODES[name] for name in ("input", "add", "mul", "div"))
_SCALABLE = (MUL, DIV)
SIN, COS, WHERE = (CODES[name] for name in ("sin", "cos", "where"))

NONE = -(2**62)
"""Stands where a node has no second operand."""

_ARITY = (0, *(row.signature.index(">") for row in OPS.values()), *LOOP_OPS.values())
_SPAN = 32  # bits, more than a reference has: two of them make one number


def negate(ref: int) -> int:
    """The negative of a real reference; zero has none."""
    return ref if ref == ZERO else ref ^ 1


class Nodes:
    """Nodes of one trace, to be read.

    Subtraction is an addition with a negated second operand; the first operand of an addition, a minimum or a
    maximum, the operands of a product and the value chosen first in a selection are never negated.

    Attributes:
        code: Per node its kind, an index into `NAMES`.
        first: Per node its first operand; of an input its number.
        second: Per node its second operand, NONE if it has none.
        otherwise: Per selection the third operand: the value chosen where the condition does not hold; of a
            loop's argument its place.
        values: Per constant its magnitude.
        loops: Loops, by the place at which their arguments begin.
    """

    __slots__ = ("code", "first", "loops", "otherwise", "second", "values")

    def __init__(self) -> None:
        self.code: list[int] = []
        self.first: list[int] = []
        self.second: list[int] = []
        self.otherwise: dict[int, int] = {}
        self.values: list[float] = [0.0, 1.0, 2.0]
        self.loops: dict[int, Cycle] = {}

    def __len__(self) -> int:
        return len(self.code)

    def operands(self, number: int) -> tuple[int, ...]:
        """References to the operands of a node."""
        arity = _ARITY[self.code[number]]
        if arity < 3:
            return (self.first[number], self.second[number])[:arity]
        return self.first[number], self.second[number], self.otherwise[number]

    def value(self, ref: int) -> float:
        """The number a constant reference stands for."""
        magnitude = self.values[~(ref >> 1)]
        return -magnitude if ref & 1 else magnitude


class Arithmetic(Nodes):
    """Nodes in the making, with constructors for sums, products and quotients of references."""

    __slots__ = ("_constants", "_others", "_products", "_quotients", "_sums")

    def __init__(self, n_inputs: int) -> None:
        super().__init__()
        self.code += [INPUT] * n_inputs
        self.first += range(n_inputs)
        self.second += [NONE] * n_inputs
        self._sums: dict[int, int] = {}
        self._products: dict[int, int] = {}
        self._others: dict[tuple[int, ...], int] = {}
        self._constants: dict[float, int] = {0.0: ZERO, 1.0: ONE, 2.0: TWO}
        # Quotients, and products with one: what a further product may undo.
        self._quotients: set[int] = set()

    def finished(self) -> Nodes:
        """The nodes alone, without what finds equal ones again, which takes as much memory."""
        nodes = Nodes()
        for name in Nodes.__slots__:
            setattr(nodes, name, getattr(self, name))
        return nodes

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

    def _evaluate(self, op: str, *refs: int) -> int:
        """Fold an operation on constants by its row in the table."""
        with np.errstate(all="ignore"):
            return self.constant(float(OPS[op].value(*(np.float64(self.value(r)) for r in refs))))

    def _node(self, code: int, *operands: int) -> int:
        """The node with this operation and these operands, made if need be."""
        key = (code, *operands)
        ref = self._others.get(key)
        if ref is None:
            number = len(self.code)
            ref = self._others[key] = 2 * number
            self.code.append(code)
            self.first.append(operands[0])
            self.second.append(operands[1] if len(operands) > 1 else NONE)
            if len(operands) > 2:
                self.otherwise[number] = operands[2]
        return ref

    # Arithmetic

    def mul(self, a: int, b: int) -> int:
        """Product."""
        sign = 0
        if a & 1:
            a, sign = a ^ 1, 1
        if b & 1:
            b, sign = b ^ 1, sign ^ 1
        if a > b:
            a, b = b, a
        # A constant comes first; what it scales is mostly neither product nor quotient, and nothing folds.
        if a < 0 and (a >= ONE or b < 0 or self.code[b >> 1] in _SCALABLE):
            folded = self._multiple(a, b)
            if folded is not None:
                return negate(folded) if sign else folded
        code, products, quotients, key = self.code, self._products, self._quotients, (a << _SPAN) + b
        new = 2 * len(code)
        if (b in quotients or a in quotients) and key not in products:
            whole = self._undivided(a, b)
            if whole is not None:
                return negate(whole) if sign else whole
            if code[b >> 1] == DIV or (a >= 0 and code[a >> 1] == DIV):
                quotients.add(new)
        ref = products.setdefault(key, new)
        if ref == new:
            code.append(MUL)
            self.first.append(a)
            self.second.append(b)
        return ref ^ 1 if sign else ref

    def _multiple(self, a: int, b: int) -> int | None:
        """What a constant makes of a constant, or of what is itself scaled by one: one is enough.

        Not of a constant over x: if that quotient is needed elsewhere, a division more.
        """
        if a == ONE or b == ZERO:
            return b
        if a == ZERO:
            return ZERO
        factor = self.values[~(a >> 1)]
        if b < 0:
            return self.constant(factor * self.values[~(b >> 1)])
        number = b >> 1
        code = self.code[number]
        if code == MUL:
            inner = self.first[number]
            if inner < 0:
                merged = factor * self.values[~(inner >> 1)]
                if _SMALLEST < merged < _LARGEST:
                    return self.mul(self.constant(merged), self.second[number])
        elif code == DIV:
            inner = self.second[number]
            if inner < 0:
                merged = factor / self.values[~(inner >> 1)]
                if _SMALLEST < merged < _LARGEST:
                    return self.mul(self.constant(merged), self.first[number])
        return None

    def _undivided(self, a: int, b: int) -> int | None:
        """What a product leaves in which one operand divides the other: x·(y/x) or x·(y·(z/x))."""
        code, first, second = self.code, self.first, self.second
        for divisor, ref in ((a, b), (b, a)):
            if ref < 0 or divisor < 0:
                continue
            number = ref >> 1
            if code[number] == DIV and second[number] == divisor:
                return first[number]
            if code[number] == MUL:
                pair = first[number], second[number]
                for factor, other in (pair, pair[::-1]):
                    if factor >= 0 and code[factor >> 1] == DIV and second[factor >> 1] == divisor:
                        return self.mul(first[factor >> 1], other)
        return None

    def add(self, a: int, b: int) -> int:
        """Sum; a difference is the sum with `negate(b)`."""
        if a > b:
            a, b = b, a
        if a < 0:
            folded = b if a == ZERO else self._add_to_constant(a, b)
            if folded is not None:
                return folded
        sign = a & 1
        if sign:
            a, b = a ^ 1, b ^ 1
        sums, key = self._sums, (a << _SPAN) + b
        if key in sums:
            ref = sums[key]
        else:
            code, first, second = self.code, self.first, self.second
            if a >= 0:
                if a ^ b <= 1:  # twice the same, or the same with both signs
                    return ZERO if a ^ b else self.mul(TWO, a) ^ sign
                # A sum may hold the negative of what is added to it.
                number = b >> 1
                if code[number] == ADD:
                    negative = a ^ 1 ^ (b & 1)
                    if first[number] == negative or second[number] == negative:
                        return self._rest(b ^ sign, negative)
                number = a >> 1
                if code[number] == ADD:
                    negative = b ^ 1
                    if first[number] == negative or second[number] == negative:
                        return self._rest(a ^ sign, negative)
            ref = sums[key] = 2 * len(code)
            code.append(ADD)
            first.append(a)
            second.append(b)
        return ref ^ 1 if sign else ref

    def _add_to_constant(self, a: int, b: int) -> int | None:
        """What a constant and a constant make, or a constant and a sum with one."""
        if b < 0:
            return self.constant(self.value(a) + self.value(b))
        number = b >> 1
        if self.code[number] != ADD or self.first[number] >= 0:
            return None
        inner = self.value(self.first[number])
        merged = self.value(a) + (-inner if b & 1 else inner)
        return self.add(self.constant(merged), self.second[number] ^ (b & 1))

    def _rest(self, ref: int, operand: int) -> int:
        """What is left of a sum, which may be negated, without one of its operands."""
        first, second = self.first[ref >> 1], self.second[ref >> 1]
        rest = second if first == operand else first
        return negate(rest) if ref & 1 else rest

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
                merged = self._unscale(a >> 1, divisor)
                if merged is not None:
                    return merged ^ sign
        elif a == ZERO:
            return ZERO
        elif a == b:
            return ONE | sign
        elif a < 0:
            number = b >> 1
            if self.code[number] == MUL and self.first[number] < 0:
                merged = self.values[~(a >> 1)] / self.values[~(self.first[number] >> 1)]
                if _SMALLEST < merged < _LARGEST:
                    return self.div(self.constant(merged), self.second[number]) ^ sign
        quotient = self._node(DIV, a, b)
        self._quotients.add(quotient)
        return quotient | sign

    def _unscale(self, number: int, divisor: float) -> int | None:
        """The same for division by a constant, which then is one division less or the same one."""
        code, a, b = self.code[number], self.first[number], self.second[number]
        if code == MUL and a < 0:
            merged = self.values[~(a >> 1)] / divisor
            if _SMALLEST < merged < _LARGEST:
                return self.mul(self.constant(merged), b)
        elif code == DIV:
            if a < 0:
                merged = self.values[~(a >> 1)] / divisor
                if _SMALLEST < merged < _LARGEST:
                    return self.div(self.constant(merged), b)
            elif b < 0:
                merged = self.values[~(b >> 1)] * divisor
                if _SMALLEST < merged < _LARGEST:
                    return self.div(a, self.constant(merged))
        return None
