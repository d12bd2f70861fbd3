"""Sums and products written anew where that saves operations.

What saves nothing is left in the order in which it was written. The rules, each of which saves at least one
operation:

    a c1 c2, a (1/b)   constants meet in one, a reciprocal becomes a quotient
    a c1 + a c2        equal terms meet in one, or vanish
    a b + a c          a common factor, constant or divisor is taken out, the one that most terms share first
    sin² and cos²      of the same angle, and halves of the same selection: see `identities`
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .graph import ONE, ZERO, Graph, Node
from .identities import Term, join_selections, join_squares
from .rewrite import Rewriter

# A coefficient left of a sum of coefficients and smaller than this part of them is rounding error.
_NOISE = 2.0**-50

# Longer sums are regrouped in pieces: the search for common factors grows with the square of the length.
_LONGEST = 128

# (node, user): a node with no other user is part of that user's sum or product.
_PARTS = {("add", "add"), ("mul", "mul"), ("mul", "add"), ("div", "mul"), ("div", "add")}


def regroup(graph: Graph, refs: Sequence[int]) -> tuple[Graph, list[int]]:
    """A new graph for the same values, with no more operations than the old one."""
    return _Regrouping(graph, refs, _PARTS).run(refs)


class _Regrouping(Rewriter):
    def improve(self, number: int, node: Node, plain: int) -> int:
        return self.product(number, plain) if node[0] == "mul" else self.sum(number, plain)

    # Products

    def product(self, number: int, plain: int) -> int:
        """A product with its constants gathered into one, if it has several."""
        term = self.term(2 * number, whole=True)
        return self.multiply(term) if term.spare and _is_normal(term) else plain

    def term(self, root: int, whole: bool = False) -> Term:
        """An operand as a product, seen through products, and one quotient, of no other use.

        `whole` opens the operand itself even if it has other uses.
        """
        nodes, part, translate = self.old.nodes, self.part, self.translate
        if not whole and (root < 0 or not part[root >> 1]):  # the common case, for speed
            return self.atom(translate(root))
        coefficient, constants, ones, divided = 1.0, 0, 0, False
        factors: list[int] = []
        stack = [root]
        while stack:
            ref = stack.pop()
            number = ref >> 1
            if ref >= 0 and (part[number] or (whole and ref == root)):
                node = nodes[number]
                if node[0] == "mul":
                    coefficient = -coefficient if ref & 1 else coefficient
                    scaled = self.square_of_scaled(node)
                    if scaled is None:
                        stack.append(node[2])
                        stack.append(node[1])
                    else:
                        coefficient *= self.old.value(scaled[1]) ** 2
                        constants += 1
                        factors += [translate(scaled[2]) & -2] * 2
                    continue
                if node[0] == "div" and not divided:
                    divisor = translate(node[2])
                    if divisor >= 0:
                        coefficient = -coefficient if (ref ^ divisor) & 1 else coefficient
                        factors.append(divisor | 1)
                        divided = True
                        stack.append(node[1])
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

    def square_of_scaled(self, node: Node) -> Node | None:
        """For `(c x) (c x)`, with `c x` of no other use, the node `c x`: c² x x costs the same."""
        _, a, b = node
        if a != b or self.count[a >> 1] != 2:
            return None
        inner = self.old.nodes[a >> 1]
        is_scaled = inner[0] == "mul" and inner[1] < 0 <= self.translate(inner[2])
        return inner if is_scaled else None

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

    def sum(self, number: int, plain: int) -> int:
        """A sum with equal terms merged and common factors taken out, if there are any."""
        operands = self.operands(number)
        pieces = [operands[i : i + _LONGEST] for i in range(0, len(operands), _LONGEST)]
        better = [self.regrouped(piece) for piece in pieces]
        if all(total is None for total in better):
            return plain
        return self.add_up(
            self.add_up(map(self.translate, piece)) if total is None else total
            for piece, total in zip(pieces, better, strict=True)
        )

    def regrouped(self, operands: list[int]) -> int | None:
        """The sum of old references by the rules; None if these save nothing."""
        terms, saved = self.merged([self.term(ref) for ref in operands])
        if terms is None:
            return None
        for join in (join_squares, join_selections):
            joined = join(self.new, terms)
            if joined is not None:
                merged, _ = self.merged(joined)
                terms, saved = joined if merged is None else merged, True
        return self.factored(terms) if saved or _most_shared(terms) is not None else None

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

    def factored(self, terms: list[Term]) -> int:
        """The sum of terms with common factors taken out, again and again."""
        # Inner sums wait on a stack rather than in recursive calls: they may be nested without limit.
        waiting: list[tuple[int | float, list[Term]]] = []
        while True:
            shared = _most_shared(terms)
            if shared is not None:
                waiting.append((shared, [term for term in terms if not _has(term, shared)]))
                terms = [_without(term, shared) for term in terms if _has(term, shared)]
                continue
            total = self.add_up(self.multiply(term) for term in terms)
            if not waiting:
                return total
            shared, terms = waiting.pop()
            terms.append(self.combine(shared, total))

    def combine(self, shared: int | float, ref: int) -> Term:
        """The product of what was taken out and what is left."""
        left = self.atom(ref)
        if isinstance(shared, float):
            return Term(shared * left.coefficient, left.factors)
        return Term(left.coefficient, tuple(sorted((shared, *left.factors))))

    def add_up(self, refs: Iterable[int]) -> int:
        """The sum of new references from left to right."""
        total = ZERO
        for ref in refs:
            total = self.new.add(total, ref)
        return total


def _is_normal(term: Term) -> bool:
    """Whether a coefficient can be computed with: neither zero nor close to the ends of the number range."""
    return 1e-290 < abs(term.coefficient) < 1e290


def _most_shared(terms: list[Term]) -> int | float | None:
    """The factor, or constant, that most products share; None if no two share one."""
    counts: dict[int, int] = {}
    constants: dict[float, int] = {}
    for coefficient, factors, _, _ in terms:
        magnitude = abs(coefficient)
        if len(factors) + (magnitude != 1.0) < 2:
            continue
        previous = -1
        for factor in factors:  # ascending: a square counts once
            if factor != previous:
                counts[factor] = counts.get(factor, 0) + 1
                previous = factor
        if magnitude != 1.0:
            constants[magnitude] = constants.get(magnitude, 0) + 1
    most = max(counts.values(), default=0)
    often = max(constants.values(), default=0)
    if max(most, often) < 2:
        return None
    if often > most:
        return max(c for c, times in constants.items() if times == often)
    return min((f for f, times in counts.items() if times == most), key=lambda f: (1 - (f & 1), f))


def _has(term: Term, shared: int | float) -> bool:
    if isinstance(shared, float):
        return abs(term.coefficient) == shared and bool(term.factors)
    return shared in term.factors and len(term.factors) + (abs(term.coefficient) != 1.0) > 1


def _without(term: Term, shared: int | float) -> Term:
    """What is left of a term when a shared factor or constant is taken out."""
    if isinstance(shared, float):
        return Term(term.coefficient / shared, term.factors)
    factors = list(term.factors)
    factors.remove(shared)
    return Term(term.coefficient, tuple(factors))
