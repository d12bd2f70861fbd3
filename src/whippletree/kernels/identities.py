"""Terms of a sum that belong together for other reasons than a common factor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .graph import ZERO, Graph, negate


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


def join_squares(graph: Graph, terms: list[Term]) -> list[Term] | None:
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


def _squares(graph: Graph, factors: tuple[int, ...]) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Every square of a sine or cosine among factors: function, angle, the other factors."""
    nodes = graph.nodes
    for i, factor in enumerate(factors):
        if factor & 1:
            continue
        node, width = nodes[factor >> 1], 1
        if node[0] == "mul" and node[1] == node[2]:
            node = nodes[node[1] >> 1]
        elif i + 1 < len(factors) and factors[i + 1] == factor:
            width = 2
        else:
            continue
        if node[0] in ("sin", "cos"):
            yield node[0], node[1], factors[:i] + factors[i + width :]


def join_selections(graph: Graph, terms: list[Term]) -> list[Term] | None:
    """`(c ? x : 0) + (c ? 0 : y)` as `c ? x : y`; None if there is no such pair."""
    halves: dict[tuple[int, bool], int] = {}
    gone: set[int] = set()
    for place, term in enumerate(terms):
        if len(term.factors) != 1 or abs(term.coefficient) != 1.0 or term.factors[0] & 1:
            continue
        node = graph.nodes[term.factors[0] >> 1]
        if node[0] != "where" or ZERO not in node[2:]:
            continue
        first = node[3] == ZERO
        partner = halves.pop((node[1], not first), None)
        if partner is None:
            halves[node[1], first] = place
            continue
        other = graph.nodes[terms[partner].factors[0] >> 1]
        here = node[2] if first else node[3]
        there = other[3] if first else other[2]
        here = negate(here) if term.coefficient < 0.0 else here
        there = negate(there) if terms[partner].coefficient < 0.0 else there
        joined = graph.where(node[1], here, there) if first else graph.where(node[1], there, here)
        terms = [*terms]
        terms[partner] = Term(-1.0 if joined & 1 else 1.0, (joined & -2,), joined)
        gone.add(place)
    return [term for place, term in enumerate(terms) if place not in gone] if gone else None
