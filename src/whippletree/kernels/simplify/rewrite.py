"""What passes over a graph have in common: copy node by node, put better nodes in place."""

from __future__ import annotations

import numpy as np

from ..trace.arithmetic import ADD, INPUT, MUL, NAMES, ZERO, Nodes, negate
from ..trace.expressions import Expressions
from ..trace.node_table import Bits, NodeTable
from ..trace.ops import OPS


class Rewriter:
    """A pass that copies a graph into a new one, dead nodes left out.

    Attributes:
        old, new: The graphs; constants have the same references in both.
        image: Per old node its reference in the new graph; filled as the pass proceeds.
        part: Per old node whether a larger sum or product takes it in; see `table`.
    """

    def __init__(self, table: NodeTable, part: Bits) -> None:
        self.old: Nodes = table.graph
        self.refs: list[int] = table.refs
        self.live: list[bool] = table.live
        self.new: Expressions = Expressions(int(np.count_nonzero(table.code == INPUT)))
        for value in self.old.values:
            self.new.constant(value)
        self.new.loops.update(self.old.loops)
        self.image: list[int] = []
        self.part: list[bool] = part.tolist()

    def improve(self, number: int) -> int | None:
        """A better reference for a sum or product that is not part of another; None if there is none."""
        raise NotImplementedError

    def run(self, promising: Bits) -> NodeTable:
        """The new graph; only promising nodes are looked at for something better."""
        new, image, translate = self.new, self.image, self.translate
        make, add, mul = new.constructors(), new.add, new.mul
        old = self.old
        for number, (code, a, b, live, hope) in enumerate(
            zip(old.code, old.first, old.second, self.live, promising.tolist(), strict=True)
        ):
            ref = ZERO
            if code == INPUT:
                ref = 2 * number
            elif live:
                better = self.improve(number) if hope else None
                if better is not None:
                    ref = better
                elif code in (MUL, ADD):
                    if a >= 0:  # written out, as most nodes are of this kind: no sign, mostly
                        a = image[a >> 1] if not a & 1 else translate(a)
                    if b >= 0:
                        b = image[b >> 1] if not b & 1 else translate(b)
                    ref = mul(a, b) if code == MUL else add(a, b)
                else:
                    ref = make[NAMES[code]](*[translate(operand) for operand in old.operands(number)])
            image.append(ref)
        return NodeTable(new, [translate(ref) for ref in self.refs])

    def translate(self, ref: int) -> int:
        """The new reference of an old one."""
        if ref < 0:
            return ref
        new = self.image[ref >> 1]
        if not ref & 1:
            return new
        if new == ZERO:  # the opposite of false is true, the negative of zero is zero
            op = NAMES[self.old.code[ref >> 1]]
            return new ^ 1 if op in OPS and OPS[op].is_condition else ZERO
        return new ^ 1


def operands(graph: Nodes, part: list[bool], number: int) -> list[int]:
    """All operands of a sum, signed, or all factors of a product, as they are written."""
    kind = graph.code[number]
    found: list[int] = []
    stack = [2 * number]
    while stack:
        ref = stack.pop()
        if ref == 2 * number or (ref >= 0 and part[ref >> 1] and graph.code[ref >> 1] == kind):
            a, b, sign = graph.first[ref >> 1], graph.second[ref >> 1], ref & 1
            stack.append(b ^ sign)
            stack.append(negate(a) if sign else a)
        else:
            found.append(ref)
    return found
