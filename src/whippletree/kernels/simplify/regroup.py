"""Sums and products written anew where that saves operations.

What saves nothing is left in the order in which it was written. The rules, each of which saves at least one
operation:

    a c1 c2, a (1/b)   constants meet in one, a reciprocal becomes a quotient
    a c1 + a c2        equal terms meet in one, or vanish
    a b + a c          a common factor, constant or divisor is taken out, the one that most terms share first
    sin² and cos²      of the same angle, and halves of the same selection: see `identities`
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..trace.arithmetic import ADD, COS, DIV, MUL, ONE, SIN, WHERE, ZERO
from ..trace.node_table import Bits, NodeTable, distinct, repeated
from .factoring import Key, SharedFactors, combined, without
from .identities import Term, join_selections, join_squares
from .rewrite import Rewriter, operands

# A coefficient left of a sum of coefficients and smaller than this part of them is rounding error.
_NOISE = 2.0**-50

# (node, user): a node with no other user is part of that user's sum or product.
_PARTS = {("add", "add"), ("mul", "mul"), ("mul", "add"), ("div", "mul"), ("div", "add")}


def regroup(table: NodeTable) -> NodeTable | None:
    """A new graph for the same values, with no more operations than the old one; None if there is none."""
    part = table.parts(_PARTS)
    promising = _promising(table, part)
    worth = promising.any() and table.is_worth(int(np.count_nonzero(promising)))
    return _Regrouping(table, part).run(promising) if worth else None


def _promising(table: NodeTable, part: Bits) -> Bits:
    """Which sums and products may gain by the rules: all that do, and few others."""
    code, count = table.code, table.count
    n = len(code)
    top, node, ref = table.leaves(part, (ADD, MUL))
    leaf, in_sum, is_constant = ref & -2, code[top] == ADD, ref < 0
    # Leaves of one product have the same term; an operand of a sum that is not a product is its own term.
    product, _ = table.top(part & (code[table.user] != ADD))
    alone = code[node] == ADD
    term = np.where(alone, n + np.arange(len(node)), product[node])
    found = np.zeros(n, bool)

    def several(tops: np.ndarray) -> None:
        found[tops[repeated(tops)]] = True

    # Two constants in one term, or 1/x times something.
    constants = is_constant & ~alone
    found[top[constants][repeated(term[constants])]] = True
    found[top[(leaf == ONE) & (code[node] == DIV) & (code[product[node]] == MUL)]] = True
    # Something in two terms of a sum, or twice in one term.
    several(top[in_sum & alone & is_constant])
    again = np.flatnonzero(repeated(top, leaf))
    shareable = again[in_sum[again] & (leaf[again] != ONE) & ~(alone & is_constant)[again]]
    shareable = shareable[distinct(term[shareable], leaf[shareable])]
    found[top[shareable][repeated(top[shareable], leaf[shareable])]] = True
    twice = np.zeros(len(leaf), bool)
    twice[again] = ~is_constant[again] & repeated(term[again], leaf[again])
    # Squares: of sines and cosines, and of c x.
    inner = np.where(is_constant, 0, leaf >> 1)
    first, second = table.operands[inner, 0], table.operands[inner, 1]
    is_product = ~is_constant & (code[inner] == MUL)
    found[top[twice & is_product & (first < 0) & (count[inner] == 2)]] = True
    turning = np.isin(code, (SIN, COS))
    squared = twice & turning[inner]
    square = is_product & in_sum & (first == second)
    squared[square] = turning[first[square] >> 1]
    squares = np.flatnonzero(squared & in_sum)
    several(top[squares][distinct(top[squares], term[squares])])
    several(top[in_sum & alone & ~is_constant & (code[inner] == WHERE)])
    return found


class _Regrouping(Rewriter):
    def __init__(self, table: NodeTable, part: Bits) -> None:
        super().__init__(table, part)
        self.count: list[int] = table.count.tolist()

    def improve(self, number: int) -> int | None:
        return self.product(number) if self.old.code[number] == MUL else self.sum(number)

    # Products

    def product(self, number: int) -> int | None:
        """A product with its constants gathered into one, if it has several."""
        term = self.term(2 * number, whole=True)
        return self.multiply(term) if term.spare and _is_normal(term) else None

    def term(self, root: int, whole: bool = False) -> Term:
        """An operand as a product, seen through products, and one quotient, of no other use.

        `whole` opens the operand itself even if it has other uses.
        """
        old, part, translate = self.old, self.part, self.translate
        if not whole and (root < 0 or not part[root >> 1]):  # the common case, for speed
            return self.atom(translate(root))
        coefficient, constants, ones, divided = 1.0, 0, 0, False
        factors: list[int] = []
        stack = [root]
        while stack:
            ref = stack.pop()
            number = ref >> 1
            if ref >= 0 and (part[number] or (whole and ref == root)):
                a, b = old.first[number], old.second[number]
                if old.code[number] == MUL:
                    coefficient = -coefficient if ref & 1 else coefficient
                    scaled = self.square_of_scaled(a, b)
                    if scaled is None:
                        stack.append(b)
                        stack.append(a)
                    else:
                        factor = old.value(old.first[scaled])
                        coefficient *= factor * factor  # may be infinite, which a power may not
                        constants += 1
                        factors += [translate(old.second[scaled]) & -2] * 2
                    continue
                if old.code[number] == DIV and not divided:
                    divisor = translate(b)
                    if divisor >= 0:
                        coefficient = -coefficient if (ref ^ divisor) & 1 else coefficient
                        factors.append(divisor | 1)
                        divided = True
                        stack.append(a)
                        continue
            image = translate(ref)
            if image < 0:
                coefficient *= self.new.value(image)
                constants += image != ONE
                ones += image == ONE
            else:
                coefficient = -coefficient if image & 1 else coefficient
                factors.append(image & -2)
        factors.sort()
        spare = max(constants - 1, 0) + (ones and len(factors) + constants > 1)  # 1/x is spared by a/x
        return Term(coefficient, tuple(factors), None if whole or spare else translate(root), spare)

    def square_of_scaled(self, a: int, b: int) -> int | None:
        """For `(c x) (c x)`, with `c x` of no other use, the node `c x`: c² x x costs the same."""
        old, number = self.old, a >> 1
        if a != b or self.count[number] != 2:
            return None
        is_scaled = old.code[number] == MUL and old.first[number] < 0 <= self.translate(old.second[number])
        return number if is_scaled else None

    def atom(self, image: int) -> Term:
        """A new reference as a term that is not looked into."""
        if image < 0:
            return Term(self.new.value(image), (), image)
        return Term(-1.0 if image & 1 else 1.0, (image & -2,), image)

    def multiply(self, term: Term) -> int:
        """The product of a coefficient and factors."""
        if term.ref is not None:
            return term.ref
        new, result, divisor = self.new, ONE, 0
        for factor in term.factors:
            if factor & 1:
                divisor = factor
            else:
                result = new.mul(result, factor)
        result = new.mul(new.constant(term.coefficient), result)
        return new.div(result, divisor ^ 1) if divisor else result

    # Sums

    def sum(self, number: int) -> int | None:
        """A sum with equal terms merged and common factors taken out, if there are any."""
        terms, saved = self.merged([self.term(ref) for ref in operands(self.old, self.part, number)])
        if terms is None:
            return None
        for join in (join_squares, join_selections):
            joined = join(self.new, terms)
            if joined is not None:
                merged, _ = self.merged(joined)
                terms, saved = joined if merged is None else merged, True
        return self.factored(terms, saved)

    def merged(self, terms: list[Term]) -> tuple[list[Term] | None, bool]:
        """Equal terms added, and whether that saves anything; None where numbers leave the normal range."""
        together: dict[tuple[int, ...], Term] = {}
        sizes: dict[tuple[int, ...], float] = {}
        saved = False
        for term in terms:
            factors = term.factors
            if not _is_normal(term):
                return None, False
            saved = saved or term.spare > 0
            known = together.get(factors)
            if known is None:
                together[factors] = term
            else:
                saved = True
                sizes[factors] = sizes.get(factors, abs(known.coefficient)) + abs(term.coefficient)
                together[factors] = Term(known.coefficient + term.coefficient, factors)
        for factors, size in sizes.items():
            if abs(together[factors].coefficient) <= _NOISE * size:
                del together[factors]
        return list(together.values()), saved

    def factored(self, terms: list[Term], saved: bool) -> int | None:
        """The sum of terms with common factors taken out, again and again; None if nothing is saved."""
        # Inner sums wait on a stack rather than in recursive calls: they may be nested without limit.
        waiting: list[tuple[Key, SharedFactors]] = []
        inner = SharedFactors(terms)
        while True:
            shared = inner.take()
            if shared is not None:
                key, taken = shared
                waiting.append((key, inner))
                inner = SharedFactors(without(term, key) for term in taken)
                saved = True
                continue
            if not saved:
                return None
            total = self.add_up(self.multiply(term) for term in inner.terms.values())
            if not waiting:
                return total
            key, inner = waiting.pop()
            left = self.atom(total)
            inner.append(combined(key, left.coefficient, left.factors))

    def add_up(self, refs: Iterable[int]) -> int:
        """The sum of new references from left to right."""
        total = ZERO
        for ref in refs:
            total = self.new.add(total, ref)
        return total


def _is_normal(term: Term) -> bool:
    """Whether a coefficient can be computed with: neither zero nor close to the ends of the number range."""
    return 1e-290 < abs(term.coefficient) < 1e290
