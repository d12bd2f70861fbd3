"""The graph behind a trace: arithmetic, functions, selections and conditions; see `arithmetic`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .arithmetic import CODES, WHERE, ZERO, Arithmetic, negate
from .ops import LOOP_OPS, OPS
from .program import Cycle

# As conditions, the reference to zero is false and its opposite is true.
FALSE, TRUE = ZERO, ZERO ^ 1

_FLOOR = CODES["floor"]
_NOT_NEGATIVE = frozenset(CODES[name] for name in ("abs", "sqrt", "exp"))


class Expressions(Arithmetic):
    """Nodes of one trace, with a constructor for each kind of node; constructors take and give references."""

    __slots__ = ()

    # Functions

    def plain(self, op: str, a: int) -> int:
        """A function of one operand without symmetry: sqrt, exp, log, acos, floor."""
        if a < 0:
            return self._evaluate(op, a)
        if op == "floor" and self.code[a >> 1] == _FLOOR:  # already whole
            return a
        return self._node(CODES[op], a)

    def odd(self, op: str, a: int) -> int:
        """A function with f(-x) = -f(x): sin, tan, asin."""
        if a < 0:
            return self._evaluate(op, a)
        return self._node(CODES[op], a & -2) | (a & 1)

    def even(self, op: str, a: int) -> int:
        """A function with f(-x) = f(x): cos, abs."""
        a &= -2
        if a < 0:
            return self._evaluate(op, a)
        if op == "abs" and self.code[a >> 1] in _NOT_NEGATIVE:
            return a
        return self._node(CODES[op], a)

    def atan2(self, y: int, x: int) -> int:
        """Angle of the point (x, y); odd in y."""
        if y < 0 and x < 0:
            return self._evaluate("atan2", y, x)
        if y == ZERO:  # no sign to pull out
            return self._node(CODES["atan2"], y, x)
        return self._node(CODES["atan2"], y & -2, x) | (y & 1)

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
            return self._node(CODES[other], a ^ 1, b ^ 1) | 1
        return self._node(CODES[op], a, b)

    def where(self, condition: int, a: int, b: int) -> int:
        """a where the condition holds, else b."""
        if condition < 0:
            return a if condition == TRUE else b
        if condition & 1:
            condition, a, b = condition ^ 1, b, a
        a, b = self._seen_under(condition, a, True), self._seen_under(condition, b, False)
        if a == b:
            return a
        sign = (b if a == ZERO else a) & 1
        if sign:
            a, b = negate(a), negate(b)
        chosen = self._node(WHERE, condition, a, b)
        return negate(chosen) if sign else chosen

    def _seen_under(self, condition: int, ref: int, holds: bool) -> int:
        """What a selection on the same condition amounts to where that condition is known."""
        number = ref >> 1
        if ref < 0 or self.code[number] != WHERE or self.first[number] != condition:
            return ref
        chosen = self.second[number] if holds else self.otherwise[number]
        return negate(chosen) if ref & 1 else chosen

    # Conditions

    def _decide(self, op: str, a: int, b: int) -> int:
        """Fold a comparison of constants."""
        return TRUE if OPS[op].value(self.value(a), self.value(b)) else FALSE

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
        return self._node(CODES[op], a, b)

    def eq(self, a: int, b: int) -> int:
        """Whether a = b; of a value with itself it asks for NaN and is left alone."""
        if a > b:
            a, b = b, a
        if b < 0:
            return self._decide("eq", a, b)
        if b & 1:  # the sign goes to the earlier operand, which may be a constant
            a, b = negate(a), b ^ 1
        return self._node(CODES["eq"], a, b)

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
        return self._node(CODES["and"], a, b)

    def either(self, a: int, b: int) -> int:
        """Whether one of the conditions holds."""
        return self.both(a ^ 1, b ^ 1) ^ 1

    # Loops

    def loop(self, loop: Cycle, arguments: Sequence[int]) -> list[int]:
        """What a loop makes of its arguments: references to its states after the last pass."""
        first = max((first + known.n_arguments for first, known in self.loops.items()), default=0)
        self.loops[first] = loop
        order = ZERO
        for k, ref in enumerate(arguments):
            if loop.reads(k):
                order = self._node(CODES["argument"], order, ref, self.constant(first + k))
        order = self._node(CODES["repeat"], order, self.constant(first))
        return [self._node(CODES["item"], order, self.constant(first + k)) for k in range(loop.n_kept)]

    def carried(self) -> int:
        """A value that stands for what the pass before hands on, while a loop's body is recorded."""
        return self._node(CODES["carried"], self.constant(len(self.code)))

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
            **{op: lambda *refs, op=op: self._node(CODES[op], *refs) for op in LOOP_OPS},
        }
