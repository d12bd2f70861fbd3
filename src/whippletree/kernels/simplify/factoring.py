"""Which factor most terms of a sum share, told again and again while terms come and go."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import Any

from .identities import Term

Key = int | float
"""What terms may share: a factor as in `Term`, or the size of a constant, kept negative."""


class SharedFactors:
    """Terms of a sum, and what they share; the cost of a question does not grow with their number."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self.terms: dict[int, Term] = {}
        self._made = 0
        self._holders: dict[Key, dict[int, None]] = {}
        for term in terms:
            self._enter(term)
        # Counts in the queue may be out of date; that is found out when they come up.
        self._queue = [_rank(key, len(held)) for key, held in self._holders.items() if len(held) > 1]
        heapify(self._queue)

    def append(self, term: Term) -> None:
        """One term more."""
        for key in self._enter(term):
            if len(self._holders[key]) > 1:
                heappush(self._queue, _rank(key, len(self._holders[key])))

    def take(self) -> tuple[Key, list[Term]] | None:
        """The key that most terms share, a factor before a constant, and those terms, which leave the sum.

        None if no two terms share anything.
        """
        while self._queue:
            rank = heappop(self._queue)
            key = rank[-1]
            held = self._holders[key]
            if len(held) != -rank[0]:
                if len(held) > 1:
                    heappush(self._queue, _rank(key, len(held)))
                continue
            taken = [self.terms.pop(place) for place in held]
            for place, term in zip(list(held), taken, strict=True):
                for other in _keys(term):
                    del self._holders[other][place]
            return key, taken
        return None

    def _enter(self, term: Term) -> set[Key]:
        place = self._made
        self._made += 1
        self.terms[place] = term
        keys = _keys(term)
        for key in keys:
            self._holders.setdefault(key, {})[place] = None
        return keys


def without(term: Term, key: Key) -> Term:
    """What is left of a term when what it shares is taken out."""
    if key < 0:
        return Term(term.coefficient / -key, term.factors)
    factors = list(term.factors)
    factors.remove(int(key))
    return Term(term.coefficient, tuple(factors))


def combined(key: Key, coefficient: float, factors: tuple[int, ...]) -> Term:
    """The product of what was taken out and what is left."""
    if key < 0:
        return Term(-key * coefficient, factors)
    return Term(coefficient, tuple(sorted((int(key), *factors))))


def _keys(term: Term) -> set[Key]:
    """What other terms may share with this one: of a lone factor or constant nothing would be left."""
    size = abs(term.coefficient)
    if len(term.factors) + (size != 1.0) < 2:
        return set()
    keys: set[Key] = set(term.factors)
    if size != 1.0:
        keys.add(-size)
    return keys


def _rank(key: Key, count: int) -> tuple[Any, ...]:
    """The order in which keys are taken: the most frequent, a factor, a divisor, an early or large one."""
    return (-count, 1, 0, key, key) if key < 0 else (-count, 0, 1 - (int(key) & 1), key, key)
