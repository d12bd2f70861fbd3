"""What passes over a graph have in common: copy node by node, put better nodes in place."""

from __future__ import annotations

from .graph import ZERO, Graph, Node, negate
from .ops import OPS
from .table import Bits, Table


class Rewriter:
    """A pass that copies a graph into a new one, dead nodes left out.

    Attributes:
        old, new: The graphs; constants have the same references in both.
        image: Per old node its reference in the new graph; filled as the pass goes on.
        part: Per old node whether a larger sum or product takes it in; see `table`.
    """

    def __init__(self, table: Table, part: Bits) -> None:
        self.old, self.refs, self.live = table.graph, table.refs, table.live
        self.new = Graph(sum(node[0] == "input" for node in self.old.nodes))
        for value in self.old.values:
            self.new.constant(value)
        self.image: list[int] = []
        self.part: list[bool] = part.tolist()

    def improve(self, number: int) -> int | None:
        """A better reference for a sum or product that is no part of another; None if there is none."""
        raise NotImplementedError

    def run(self, promising: Bits) -> Table:
        """The new graph; only promising nodes are looked at for something better."""
        new, image, translate = self.new, self.image, self.translate
        make, add, mul = new.constructors(), new.add, new.mul
        for number, (node, live, hope) in enumerate(
            zip(self.old.nodes, self.live, promising.tolist(), strict=True)
        ):
            op, ref = node[0], ZERO
            if op == "input":
                ref = 2 * number
            elif live:
                better = self.improve(number) if hope else None
                if better is not None:
                    ref = better
                elif op == "mul" or op == "add":
                    _, a, b = node
                    if a >= 0:  # written out, as most nodes are of this kind: no sign, mostly
                        a = image[a >> 1] if not a & 1 else translate(a)
                    if b >= 0:
                        b = image[b >> 1] if not b & 1 else translate(b)
                    ref = mul(a, b) if op == "mul" else add(a, b)
                else:
                    ref = make[op](*[translate(operand) for operand in node[1:]])
            image.append(ref)
        return Table(new, [translate(ref) for ref in self.refs])

    def translate(self, ref: int) -> int:
        """The new reference of an old one."""
        if ref < 0:
            return ref
        new = self.image[ref >> 1]
        if not ref & 1:
            return new
        if new == ZERO:  # the opposite of false is true, the negative of zero is zero
            op = self.old.nodes[ref >> 1][0]
            return new ^ 1 if op in OPS and OPS[op].is_condition else ZERO
        return new ^ 1


def operands(nodes: list[Node], part: list[bool], number: int) -> list[int]:
    """All operands of a sum, signed, or all factors of a product, as they are written."""
    op = nodes[number][0]
    found: list[int] = []
    stack = [2 * number]
    while stack:
        ref = stack.pop()
        if ref == 2 * number or (ref >= 0 and part[ref >> 1] and nodes[ref >> 1][0] == op):
            _, a, b = nodes[ref >> 1]
            sign = ref & 1
            stack.append(b ^ sign)
            stack.append(negate(a) if sign else a)
        else:
            found.append(ref)
    return found
