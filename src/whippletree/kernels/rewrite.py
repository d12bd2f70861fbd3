"""What passes over a graph have in common: count uses, copy node by node, put better nodes in place.

Passes look at a sum with all its terms and at a product with all its factors, as far down as the intermediate
results are used nowhere else: only those can be taken apart without computing something twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from .graph import ZERO, Graph, Node, negate
from .ops import OPS


def users(graph: Graph, refs: Sequence[int]) -> tuple[list[int], list[int]]:
    """Per node how often it is used, outputs included, and by which node first (-1: an output)."""
    nodes = graph.nodes
    count, user = [0] * len(nodes), [-1] * len(nodes)
    for ref in refs:
        if ref >= 0:
            count[ref >> 1] += 1
    for number in range(len(nodes) - 1, -1, -1):
        if count[number]:
            node = nodes[number]
            if node[0] != "input":
                for ref in node[1:]:
                    if ref >= 0:
                        count[ref >> 1] += 1
                        user[ref >> 1] = number
    return count, user


def operations(graph: Graph, refs: Sequence[int]) -> int:
    """Number of operations the references depend on."""
    count, _ = users(graph, refs)
    return sum(1 for node, used in zip(graph.nodes, count, strict=True) if used and node[0] != "input")


class Rewriter:
    """A pass that copies a graph into a new one, dead nodes left out.

    Attributes:
        old, new: The graphs.
        image: Per old node its reference in the new graph; filled as the pass goes on.
        count: Per old node how often it is used.
        part: Per old node whether its only user is of a kind that takes it in: a sum in a larger sum.
    """

    def __init__(self, graph: Graph, refs: Sequence[int], parts: set[tuple[str, str]]) -> None:
        self.old = graph
        self.new = Graph(sum(node[0] == "input" for node in graph.nodes))
        self.image: list[int] = []
        self.count, user = users(graph, refs)
        nodes = graph.nodes
        self.part = [
            used == 1 and by >= 0 and (node[0], nodes[by][0]) in parts
            for node, used, by in zip(nodes, self.count, user, strict=True)
        ]

    def improve(self, number: int, node: Node, plain: int) -> int:
        """The new reference of a sum or product that is no part of another; `plain` is its copy."""
        raise NotImplementedError

    def run(self, refs: Sequence[int]) -> tuple[Graph, list[int]]:
        """The new graph and the outputs' references in it."""
        make = self.new.constructors()
        nodes, count, part, image = self.old.nodes, self.count, self.part, self.image
        translate = self.translate
        for number, node in enumerate(nodes):
            op, ref = node[0], ZERO
            if op == "input":
                ref = 2 * number
            elif count[number]:
                ref = make[op](*[translate(operand) for operand in node[1:]])
                if (op == "add" or op == "mul") and not part[number]:
                    ref = self.improve(number, node, ref)
            image.append(ref)
        return self.new, [translate(ref) for ref in refs]

    def translate(self, ref: int) -> int:
        """The new reference of an old one."""
        if ref < 0:
            return self.new.constant(self.old.value(ref))
        new = self.image[ref >> 1]
        if not ref & 1:
            return new
        if new == ZERO:  # the opposite of false is true, the negative of zero is zero
            op = self.old.nodes[ref >> 1][0]
            return new ^ 1 if op in OPS and OPS[op].is_condition else ZERO
        return new ^ 1

    def operands(self, number: int) -> list[int]:
        """All operands of a sum, signed, or all factors of a product, as old references, as written."""
        nodes, part = self.old.nodes, self.part
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
