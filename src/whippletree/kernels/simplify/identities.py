"""Terms of a sum that belong together for other reasons than a common factor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..trace.arithmetic import COS, MUL, NAMES, SIN, WHERE, ZERO, negate
from ..trace.expressions import Expressions


class Term(NamedTuple):
    """A product.

    Attributes:
        coefficient: Its constant.
        factors: In ascending order. An even factor is a reference, an odd one (the reference plus one) stands
            for division by it; there is at most one of those.
        ref: The product itself, where it exists already.
        spare: How many operations are saved by computing it from coefficient and factors.
    """

    coefficient: float
    factors: tuple[int, ...]
    ref: int | None = None
    spare: int = 0


def join_squares(graph: Expressions, terms: list[Term]) -> list[Term] | None:
    """`a sin²x + b cos²x` as `(a - b) sin²x + b`, which saves a product; None if there is no such pair."""
    halves: dict[tuple[str, int, tuple[int, ...]], int] = {}
    pairs: dict[int, int] = {}
    for place, term in enumerate(terms):
        for function, angle, rest in _squares(graph, term.factors):
            partner = halves.get(("sin" if function == "cos" else "cos", angle, rest))
            if partner is not None and partner not in pairs:
                pairs[partner] = pairs[place] = place
                sine, cosine = (term, terms[partner]) if function == "sin" else (terms[partner], term)
                terms = [*terms]
                terms[partner] = Term(cosine.coefficient, rest)
                terms[place] = Term(sine.coefficient - cosine.coefficient, sine.factors)
                break
            halves[function, angle, rest] = place
    return [term for term in terms if term.coefficient] if pairs else None


def _squares(graph: Expressions, factors: tuple[int, ...]) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Every square of a sine or cosine among factors: function, angle, the other factors."""
    code, first, second = graph.code, graph.first, graph.second
    for i, factor in enumerate(factors):
        if factor & 1:
            continue
        number, width = factor >> 1, 1
        if code[number] == MUL and first[number] == second[number]:
            number = first[number] >> 1
        elif i + 1 < len(factors) and factors[i + 1] == factor:
            width = 2
        else:
            continue
        if code[number] in (SIN, COS):
            yield NAMES[code[number]], first[number], factors[:i] + factors[i + width :]


def join_selections(graph: Expressions, terms: list[Term]) -> list[Term] | None:
    """`(c ? x : 0) + (c ? 0 : y)` as `c ? x : y`; None if there is no such pair."""
    halves: dict[tuple[int, bool], int] = {}
    gone: set[int] = set()
    for place, term in enumerate(terms):
        if len(term.factors) != 1 or abs(term.coefficient) != 1.0 or term.factors[0] & 1:
            continue
        number = term.factors[0] >> 1
        if graph.code[number] != WHERE:
            continue
        condition, chosen, otherwise = graph.operands(number)
        if ZERO not in (chosen, otherwise):
            continue
        first = otherwise == ZERO
        partner = halves.pop((condition, not first), None)
        if partner is None:
            halves[condition, first] = place
            continue
        other = graph.operands(terms[partner].factors[0] >> 1)
        here = chosen if first else otherwise
        there = other[2] if first else other[1]
        here = negate(here) if term.coefficient < 0.0 else here
        there = negate(there) if terms[partner].coefficient < 0.0 else there
        joined = graph.where(condition, here, there) if first else graph.where(condition, there, here)
        terms = [*terms]
        terms[partner] = Term(-1.0 if joined & 1 else 1.0, (joined & -2,), joined)
        gone.add(place)
    return [term for place, term in enumerate(terms) if place not in gone] if gone else None
