"""Pairs of terms, or of factors, that several sums, or products, have in common.

Folding finds `a + b` in `(a + b) + c` and `(a + b) + d`, but not in `(a + c) + b`. Here sums and products are
bags of operands; the pair that most of them hold is computed once and put in its place, until no two hold the
same pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

import numpy as np

from ..trace.arithmetic import ADD, MUL, ONE, ZERO, negate
from ..trace.node_table import Bits, Ints, NodeTable, distinct, repeated
from .rewrite import Rewriter, operands

# In longer sums and products only operands that are as near as this to each other are paired: all pairs
# would grow with the square of the length.
_NEAR = 32

Pair = tuple[int, int]


def share(table: NodeTable) -> NodeTable | None:
    """A new graph for the same values, with no more operations than the old one; None if there is none."""
    part = table.parts({("add", "add"), ("mul", "mul")})
    leaves = table.leaves(part, (MUL, ADD))
    is_sum = table.code[leaves.top] == ADD
    held = {
        op: _shared_pairs(table, part, leaves.top[chosen], leaves.ref[chosen])
        for op, chosen in (("mul", ~is_sum), ("add", is_sum))
    }
    pairs = sum(map(len, held.values()))
    if not pairs or not table.is_worth(pairs):
        return None
    sharing = _Sharing(table, part)
    for op, pairs in held.items():
        sharing.search(op, pairs)
    promising = np.zeros(len(part), bool)
    promising[[number for number, bag in sharing.bags.items() if bag.changed]] = True
    return sharing.run(promising)


def _shared_pairs(table: NodeTable, part: Bits, top: Ints, ref: Ints) -> dict[Pair, list[int]]:
    """The pairs that several sums or products hold, and which ones hold them."""
    ref = _as_written(table, part, top, ref)
    often = repeated(ref >> 1)
    top, ref = top[often], ref[often]
    order = np.argsort(top, kind="stable")  # they are almost in order
    top, ref = top[order], ref[order]
    tops, firsts, seconds = [], [], []
    for distance in range(1, _NEAR):
        together = np.flatnonzero(top[distance:] == top[:-distance])
        if not len(together):
            break
        one, other = ref[together], ref[together + distance]
        a, b = np.minimum(one, other), np.maximum(one, other)
        sign = a & 1
        is_pair = b >= 0  # two constants that are still apart are so for a reason
        tops.append(top[together][is_pair])
        firsts.append((a ^ sign)[is_pair])
        seconds.append((b ^ sign)[is_pair])
    if not tops:
        return {}
    found = np.stack([np.concatenate(x) for x in (firsts, seconds, tops)])
    found = found[:, repeated(found[0], found[1])]
    found = found[:, distinct(*found)]
    pairs: dict[Pair, list[int]] = {}
    for a, b, number in found[:, repeated(found[0], found[1])].T.tolist():
        pairs.setdefault((a, b), []).append(number)
    return pairs


def _as_written(table: NodeTable, part: Bits, top: Ints, ref: Ints) -> Ints:
    """The operands, those of long sums and products in the order in which they are written."""
    ref = ref.copy()
    long = np.flatnonzero(np.bincount(top, minlength=len(part)) > _NEAR).tolist()
    inner: list[bool] = part.tolist() if long else []
    for number in long:
        ref[top == number] = operands(table.graph, inner, number)
    return ref


class _Sharing(Rewriter):
    def __init__(self, table: NodeTable, part: Bits) -> None:
        super().__init__(table, part)
        self.pairs: dict[int, tuple[str, Pair]] = {}  # new operands: references beyond those of the old nodes
        self.built: dict[int, int] = {}
        self.bags: dict[int, _Bag] = {}  # per sum or product that shares a pair

    def search(self, op: str, pairs: dict[Pair, list[int]]) -> None:
        """Choose among shared pairs of sums or of products."""
        holders: dict[Pair, list[_Bag]] = {}
        for pair, numbers in pairs.items():
            for number in numbers:
                if number not in self.bags:
                    self.bags[number] = _Bag(operands(self.old, self.part, number))
                holders.setdefault(pair, []).append(self.bags[number])
        first = 2 * (len(self.old) + len(self.pairs))
        for i, pair in enumerate(_replaced(holders, first)):
            self.pairs[first + 2 * i] = (op, pair)

    def improve(self, number: int) -> int | None:
        """The sum or product of what its bag now holds."""
        new = self.new
        total, make = (ZERO, new.add) if self.old.code[number] == ADD else (ONE, new.mul)
        for ref in self.bags[number].refs.values():
            total = make(total, self.value(ref))
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
    """Operands of a sum or product in which pairs are replaced, by their place."""

    __slots__ = ("_places", "changed", "refs")

    def __init__(self, refs: list[int]) -> None:
        self.refs = dict(enumerate(refs))
        self.changed = False
        self._places: dict[int, list[int]] = {}
        for place, ref in enumerate(refs):
            self._places.setdefault(ref, []).append(place)

    def sign(self, pair: Pair) -> int | None:
        """With which sign the bag holds a pair; None if it does not."""
        places, (a, b) = self._places, pair
        for sign in (0, 1):
            if a ^ sign in places and b ^ sign in places and (a != b or len(places[a ^ sign]) > 1):
                return sign
        return None

    def replace(self, pair: Pair, sign: int, by: int) -> set[Pair]:
        """Put one operand in the place of a pair; returns the pairs this makes."""
        place = max(self._remove(pair[0] ^ sign), self._remove(pair[1] ^ sign))
        made = {_pair(ref, by | sign) for ref in self._near(place)}
        self.refs[place] = by | sign
        self._places.setdefault(by | sign, []).append(place)
        self.changed = True
        return made

    def _remove(self, ref: int) -> int:
        """Take out one operand; returns its place."""
        places = self._places[ref]
        place = places.pop(0)
        if not places:
            del self._places[ref]
        del self.refs[place]
        return place

    def _near(self, place: int) -> Iterable[int]:
        """The operands around a place."""
        refs = self.refs
        if len(refs) <= _NEAR:
            return refs.values()
        return (refs[i] for i in range(place - _NEAR, place + _NEAR) if i in refs)


def _pair(a: int, b: int) -> Pair:
    """Two operands in canonical order and with the first one unsigned."""
    if a > b:
        a, b = b, a
    sign = a & 1
    return a ^ sign, b ^ sign


def _replaced(holders: dict[Pair, list[_Bag]], first: int) -> list[Pair]:
    """Replace pairs that several bags hold, most frequent first, by operands first, first + 2, ..."""
    # Counts in the queue are upper bounds; what has changed since is found out when a pair comes up.
    queue = [(-len(held), pair) for pair, held in holders.items()]
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
