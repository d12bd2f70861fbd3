"""A graph as arrays over all its nodes, for what passes over it ask about every node at once.

A sum is looked at with all its terms and a product with all its factors, as far down as the intermediate
results are used nowhere else: only those can be taken apart without computing something twice. Such an
intermediate result is a *part*, the sum or product at the head of it the part's *top*.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arithmetic import ADD, CODES, INPUT, NAMES, NONE, Nodes

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]


class Leaves(NamedTuple):
    """Operands of sums and products that are not parts of these, one entry each.

    Attributes:
        top: The sum or product that takes the operand in, however deep.
        node: The node that holds it.
        ref: The operand, with the sign that it has at the top.
    """

    top: Ints
    node: Ints
    ref: Ints


class NodeTable:
    """A graph and references into it, as arrays.

    Attributes:
        graph, refs: What is looked at.
        code: Kind of every node, an index into `NAMES`.
        operands: (n, 3) references to its operands, NONE where it has fewer.
        count: How often a node is used, outputs included; 0 for what nothing needs.
        user: The node that uses it, if there is but one; -1 for an output.
        size: How many operations the references depend on.
    """

    def __init__(self, graph: Nodes, refs: Sequence[int]) -> None:
        self.graph = graph
        self.refs: list[int] = list(refs)
        self.code: NDArray[np.int8] = np.fromiter(graph.code, np.int8, len(graph))
        self.operands: Ints = np.full((len(graph), 3), NONE)
        for column, refs in enumerate((graph.first, graph.second)):
            self.operands[:, column] = np.fromiter(refs, np.int64, len(graph))
        self.operands[self.code == INPUT, 0] = NONE
        self.operands[list(graph.otherwise), 2] = list(graph.otherwise.values())
        self._count_uses()
        self.size: int = int(np.count_nonzero(self.count[self.code != INPUT]))

    def _count_uses(self) -> None:
        """Count uses by all nodes, then take back those by nodes that nothing needs."""
        n = len(self.code)
        outputs = np.array([ref for ref in self.refs if ref >= 0], np.int64)
        used = self.operands[self.operands >= 0] >> 1
        self.count: Ints = np.bincount(np.concatenate([outputs >> 1, used]), minlength=n)
        unused = np.flatnonzero((self.count == 0) & (self.code != INPUT))
        while len(unused):
            dropped = self.operands[unused]
            dropped = dropped[dropped >= 0] >> 1
            np.subtract.at(self.count, dropped, 1)
            dropped = dropped[distinct(dropped)]
            unused = dropped[(self.count[dropped] == 0) & (self.code[dropped] != INPUT)]
        self.user: Ints = np.full(n, -1)
        for column in self.operands.T:
            users = np.flatnonzero((column >= 0) & (self.count > 0))
            self.user[column[users] >> 1] = users
        self.user[outputs >> 1] = -1

    def is_worth(self, promising: int) -> bool:
        """Whether so many promising nodes are worth a copy of the graph: one in a hundred thousand is."""
        return promising * 100_000 >= len(self.code)

    @cached_property
    def live(self) -> list[bool]:
        """Per node whether anything needs it."""
        return (self.count > 0).tolist()

    def parts(self, pairs: set[tuple[str, str]]) -> Bits:
        """Per node whether its only user takes it in; `pairs` says which operation does so with which."""
        taken = np.zeros((len(NAMES), len(NAMES)), bool)
        for op, user in pairs:
            taken[CODES[op], CODES[user]] = True
        alone = (self.count == 1) & (self.user >= 0)
        return alone & taken[self.code, self.code[self.user]]

    def top(self, part: Bits) -> tuple[Ints, Ints]:
        """For every node the top that it is taken in by, itself if none, and its sign there, 0 or 1."""
        up = np.arange(len(part))
        sign = np.zeros(len(part), np.int64)
        inner = np.flatnonzero(part)
        users = up[inner] = self.user[inner]
        first, second = self.operands[users, 0], self.operands[users, 1]
        sign[inner] = np.where(first >> 1 == inner, first, second) & 1
        while len(inner):  # as far again as last time
            nearer = up[inner]
            further = up[nearer]
            moves = further != nearer
            inner, nearer = inner[moves], nearer[moves]
            sign[inner] ^= sign[nearer]
            up[inner] = further[moves]
        return up, sign

    def leaves(self, part: Bits, kinds: Sequence[int]) -> Leaves:
        """The operands of all sums and products of some kinds that are needed and are not parts."""
        top, sign = self.top(part)
        head = np.isin(self.code, kinds) & (self.count > 0) & ~part
        inside = head[top] & (self.count > 0)
        nodes = np.flatnonzero(inside)
        operands = self.operands[nodes, :2]
        node = np.repeat(nodes, 2)
        ref = operands.ravel()
        is_leaf = (ref < 0) | ~part[np.maximum(ref, 0) >> 1]
        node, ref = node[is_leaf], ref[is_leaf]
        signed = np.where(self.code[node] == ADD, sign[node], 0)
        return Leaves(top[node], node, ref ^ signed)


def repeated(*keys: Ints) -> Bits:
    """Per entry whether another one has the same key or, if two are given, the same pair of keys."""
    found = np.zeros(len(keys[0]), bool)
    if not len(found):
        return found
    if len(keys) == 1:
        return _occurs_again(keys[0] - keys[0].min())
    left, first, second = np.arange(len(found)), *keys
    for factors in _FACTORS:  # most are told apart by what a hash says of them, which takes no sorting
        again = np.flatnonzero(_occurs_again(_hashed(factors, first, second)))
        left, first, second = left[again], first[again], second[again]
    # There are far fewer nodes than 2**30: both keys make one number.
    whole = first * (int(np.ptp(keys[1])) + 1) + second
    order = np.argsort(whole)
    same = np.flatnonzero(whole[order[1:]] == whole[order[:-1]])
    found[left[order[same]]] = found[left[order[same + 1]]] = True
    return found


# Odd numbers with bits all over, for two rounds of hashing.
_FACTORS = ((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F), (0xD6E8FEB86659FD93, 0x94D049BB133111EB))


def _hashed(factors: tuple[int, int], first: Ints, second: Ints) -> Ints:
    """A number for every pair of keys, below twice their count."""
    mixed = first.view(np.uint64) * np.uint64(factors[0])
    mixed ^= second.view(np.uint64) * np.uint64(factors[1])
    mixed >>= np.uint64(64 - len(first).bit_length())
    return mixed.view(np.int64)


def _occurs_again(numbers: Ints) -> Bits:
    """Per number, which is not negative, whether it occurs again."""
    return (np.bincount(numbers) > 1)[numbers]


def distinct(*keys: Ints) -> Ints:
    """The first place of every combination of keys, in the order of these.

    (`np.unique` imports all about masked arrays first, which takes longer than to compile a small kernel.)
    """
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), bool)
    new[:1] = True
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    return order[new]
