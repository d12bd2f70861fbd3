"""How many operations a state takes by recursive coordinate reduction and by way of the constraint forces.

Both are counted in a general position, from the variables that meet and the entries of matrices that are
there, not from a recording: quick, and good enough to tell which of the two takes less.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...model.mechanism import Mechanism
from ...model.positions import integrate
from ...model.snapshot import Snapshot, tree_key
from ...spatial import Array
from ..equations.local_motions import LocalMotions
from ..equations.rank import independent_rows
from ..equations.relations import relations, velocities
from .choosing import BestConditioned
from .grcr import reduced_dynamics
from .group import Group, Handle, Minimized, Sheared, Substituted
from .loop_equations import LoopEquations


class Prices(NamedTuple):
    """Operations on spatial vectors and bodies: to another frame, scalar product, multiple added, a joint's
    step of the articulated-body algorithm, of composite inertias and bias forces."""

    move: int
    dot: int
    add: int
    articulated: int
    composite: int


SPATIAL = Prices(move=33, dot=11, add=12, articulated=280, composite=230)
PLANAR = Prices(move=5, dot=4, add=5, articulated=22, composite=20)


class Operations(NamedTuple):
    """Operations for a state by `grcr` and by `lambda_first`, those that both need left out."""

    grcr: int
    lambda_first: int


def operations(m: Mechanism) -> Operations:
    """About how many operations a state takes by either method; for equal mechanisms counted once.

    Args:
        m: A mechanism with loops or gears.

    >>> import whippletree as wt
    >>> found = operations(wt.examples.load("linkage-quadruped"))
    >>> found.grcr < found.lambda_first
    True
    """
    return _operations(Snapshot(m, tree_key(m)))


@lru_cache(maxsize=64)
def _operations(now: Snapshot) -> Operations:
    m = now.m
    # No symmetry here makes rows or entries vanish. The loops need not be closed for counting.
    q = integrate(m, m.neutral(), 0.4 * np.sin(1.0 + 2.4 * np.arange(m.nv)))
    prices = PLANAR if _is_planar(m, q) else SPATIAL
    return Operations(_reduction(m, q, prices), _lambda_first(m, q, prices))


def _is_planar(m: Mechanism, q: Array) -> bool:
    """Whether all bodies move in parallel planes."""
    motions = LocalMotions(m, q, np.zeros(m.nv))
    S = np.concatenate([np.zeros((6, 0)), *(motions.of(-1, i).S for i in range(len(m)))], axis=1)
    return bool(np.linalg.matrix_rank(S, tol=1e-9) <= 3)


class _Watched(LoopEquations):
    """Loop equations that keep count."""

    def __init__(self, m: Mechanism, q: Array, prices: Prices) -> None:
        super().__init__(m, q, np.zeros(m.nv), None, BestConditioned(m, q))
        self.prices, self.total = prices, 0

    def release(self, group: Group, handle: Handle) -> list[Minimized | Sheared]:
        before = len(group.variables)
        steps = super().release(group, handle)
        pivots = max((len(step.c) for step in steps if isinstance(step, Sheared)), default=0)
        self.total += pivots**3 + len(group.N) * (self.prices.move + self.prices.dot)
        self.total += sum(self._price(step, before) for step in steps)
        return steps

    def _solve_row(self, l: int, row: int, d: int, group: Group, handle: Handle) -> Substituted:
        add = self.prices.add if d in group.N else 0
        step = super()._solve_row(l, row, d, group, handle)
        self.total += len(step.G) * (3 * len(step.G) + add + 6) + 6
        return step

    def _price(self, step: Minimized | Sheared, variables: int) -> int:
        add, dot = self.prices.add, self.prices.dot
        if isinstance(step, Minimized):
            others = len(step.W)
            return others * (others + 6) + (0 if step.N is None else 4 * add + dot + others * add)
        return len(step.c) * (add + 2 * variables + 8)


def _reduction(m: Mechanism, q: Array, prices: Prices) -> int:
    watched = _Watched(m, q, prices)
    zero = np.zeros(m.nv)
    reduced_dynamics(m, q, zero, zero, None, watched)
    return watched.total + len(m) * prices.articulated


def _lambda_first(m: Mechanism, q: Array, prices: Prices) -> int:
    """Branch-induced sparsity of H, L and Y; A is factored with the fill that its pattern makes."""
    supports: list[set[int]] = []
    depths: list[int] = []
    owner: dict[int, int] = {}
    total = 0
    for i, parent in enumerate(m.parents):
        own = velocities(m, i)
        supports.append((set() if parent == -1 else supports[parent]) | set(own))
        depths.append(1 + (0 if parent == -1 else depths[parent]))
        owner |= dict.fromkeys(own, i)
        size = len(supports[i])
        total += prices.composite + len(own) * (depths[i] * prices.move + size * (prices.dot + size))
    found = relations(m, q, np.zeros(m.nv))
    rows = [len(independent_rows(relation.K)) for relation in found]
    reached = [set().union(*(supports[owner[v]] for v in relation.columns)) for relation in found]
    holders: dict[int, list[int]] = {}
    for a, support in enumerate(reached):
        total += rows[a] * sum(len(supports[owner[v]]) + 4 for v in support)
        for v in support:
            holders.setdefault(v, []).append(a)
    coupled: list[set[int]] = [set() for _ in found]
    for holding in holders.values():
        for k, a in enumerate(holding):
            coupled[a].update(holding[k + 1 :])
            total += rows[a] * (rows[a] + 2 * sum(rows[b] for b in holding[k + 1 :]))
    for a, later in enumerate(coupled):
        below = sum(rows[b] for b in later)
        total += rows[a] ** 3 // 3 + rows[a] ** 2 * below + rows[a] * below * (below + 4)
        if later:
            coupled[min(later)] |= later - {min(later)}
    return total
