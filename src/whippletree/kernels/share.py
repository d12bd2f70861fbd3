"""Pairs of terms, or of factors, that several sums, or products, have in common.

Folding finds `a + b` in `(a + b) + c` and `(a + b) + d`, but not in `(a + c) + b`. Here sums and products are
bags of operands; the pair that most of them hold is computed once and put in its place, until no two hold the
same pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from .graph import ONE, ZERO, Graph, Node, negate
from .rewrite import Rewriter

# Longer sums and products are searched in pieces: pairs grow with the square of the length.
_LONGEST = 32

Pair = tuple[int, int]


def share(graph: Graph, refs: Sequence[int]) -> tuple[Graph, list[int]]:
    """A new graph for the same values, with no more operations than the old one."""
    return _Sharing(graph, refs).run(refs)


class _Sharing(Rewriter):
    def __init__(self, graph: Graph, refs: Sequence[int]) -> None:
        super().__init__(graph, refs, {("add", "add"), ("mul", "mul")})
        self.pairs: dict[int, tuple[str, Pair]] = {}  # new operands: references beyond those of the old nodes
        self.built: dict[int, int] = {}
        self.bags: dict[int, list[_Bag]] = {}  # per sum or product its operands, in pieces
        for op in ("mul", "add"):
            self.search(op)

    def search(self, op: str) -> None:
        """Find shared pairs among all sums or all products."""
        bags = []
        for number, node in enumerate(self.old.nodes):
            if node[0] == op and self.count[number] and not self.part[number]:
                operands = self.operands(number)
                pieces = [_Bag(operands[i : i + _LONGEST]) for i in range(0, len(operands), _LONGEST)]
                self.bags[number] = pieces
                bags.extend(pieces)
        first = 2 * (len(self.old.nodes) + len(self.pairs))
        for i, pair in enumerate(_shared_pairs(bags, first)):
            self.pairs[first + 2 * i] = (op, pair)

    def improve(self, number: int, node: Node, plain: int) -> int:
        """The sum or product of what its bags now hold; as it was, if they hold what they held."""
        pieces = self.bags[number]
        if not any(bag.changed for bag in pieces):
            return plain
        total = ZERO if node[0] == "add" else ONE
        for bag in pieces:
            for ref in bag.refs:
                operand = self.value(ref)
                total = self.new.add(total, operand) if node[0] == "add" else self.new.mul(total, operand)
        return total

    def value(self, ref: int) -> int:
        """The new reference of an operand; pairs are made when first needed, inner ones first."""
        stack = [ref & -2]
        while stack:
            pair = self.pairs.get(stack[-1])
            if pair is None or stack[-1] in self.built:
                stack.pop()
                continue
            missing = [r & -2 for r in pair[1] if r & -2 in self.pairs and r & -2 not in self.built]
            if missing:
                stack.extend(missing)
                continue
            a, b = (self.operand(r) for r in pair[1])
            self.built[stack.pop()] = self.new.add(a, b) if pair[0] == "add" else self.new.mul(a, b)
        return self.operand(ref)

    def operand(self, ref: int) -> int:
        """The new reference of an operand that is there already."""
        made = self.built.get(ref & -2)
        if made is None:
            return self.translate(ref)
        return negate(made) if ref & 1 else made


class _Bag:
    """Operands of a sum or product in which pairs are replaced."""

    __slots__ = ("changed", "refs")

    def __init__(self, refs: list[int]) -> None:
        self.refs = refs
        self.changed = False

    def sign(self, pair: Pair) -> int | None:
        """With which sign the bag holds a pair; None if it does not."""
        refs, (a, b) = self.refs, pair
        for sign in (0, 1):
            if a ^ sign in refs and b ^ sign in refs and (a != b or refs.count(a ^ sign) > 1):
                return sign
        return None

    def replace(self, pair: Pair, sign: int, by: int) -> set[Pair]:
        """Put one operand in the place of a pair; returns the pairs this makes."""
        self.refs.remove(pair[0] ^ sign)
        self.refs.remove(pair[1] ^ sign)
        made = {_pair(ref, by | sign) for ref in self.refs}
        self.refs.append(by | sign)
        self.changed = True
        return made


def _pair(a: int, b: int) -> Pair:
    """Two operands in canonical order and with the first one unsigned."""
    if a > b:
        a, b = b, a
    sign = a & 1
    return a ^ sign, b ^ sign


def _shared_pairs(bags: list[_Bag], first: int) -> list[Pair]:
    """Replace pairs that several bags hold, most frequent first, by operands first, first + 2, ..."""
    often: dict[int, int] = {}
    for bag in bags:
        for number in {ref >> 1 for ref in bag.refs}:
            often[number] = often.get(number, 0) + 1
    holders: dict[Pair, list[_Bag]] = {}
    for bag in bags:
        candidates = [ref for ref in bag.refs if often[ref >> 1] > 1]
        for pair in {_pair(a, b) for i, a in enumerate(candidates) for b in candidates[:i]}:
            if pair[1] >= 0:  # two constants that are still apart are so for a reason
                holders.setdefault(pair, []).append(bag)
    # Counts in the queue are upper bounds; what has changed since is found out when a pair comes up.
    queue = [(-len(held), pair) for pair, held in holders.items() if len(held) > 1]
    heapify(queue)
    found: list[Pair] = []
    while queue:
        times, pair = heappop(queue)
        signed = [(bag, sign) for bag in holders[pair] if (sign := bag.sign(pair)) is not None]
        holders[pair] = [bag for bag, _ in signed]
        if len(signed) < 2:
            continue
        if len(signed) < -times:
            heappush(queue, (-len(signed), pair))
            continue
        fresh: dict[Pair, list[_Bag]] = {}
        for bag, sign in signed:
            for made in bag.replace(pair, sign, first + 2 * len(found)):
                fresh.setdefault(made, []).append(bag)
        found.append(pair)
        for made, held in fresh.items():
            if len(held) > 1:
                holders[made] = held
                heappush(queue, (-len(held), made))
    return found
