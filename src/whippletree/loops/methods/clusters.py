"""Forward dynamics of closed loops, cluster by cluster."""

from typing import Any

import numpy as np

from ...dynamics.crba import crba
from ...dynamics.rnea import bias_force
from ...model.mechanism import Mechanism
from ...spatial import Array, array, minimum, solve_spd
from ..equations.constraints import stabilizing_term
from ..equations.rank import eliminate
from ..equations.relations import Relation, position_errors, relations
from .projection import Pivots


def loop_clusters(columns: list[list[int]]) -> list[list[int]]:
    """The minimal loop clusters: numbers of the relations that share joint variables, directly or not.

    RBDA §8.9. Given are the variables that each relation involves.

    >>> loop_clusters([[0, 1], [3, 4], [1, 2], [5]])
    [[0, 2], [1], [3]]
    """
    clusters: list[tuple[set[int], list[int]]] = []
    for number, own in enumerate(columns):
        variables, members = set(own), [number]
        apart = []
        for other, others in clusters:
            if other & variables:
                variables, members = variables | other, others + members
            else:
                apart.append((other, others))
        clusters = [*apart, (variables, members)]
    return sorted(sorted(members) for _, members in clusters)


def cluster_projection(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    pivots: tuple[Pivots, ...] | None = None,
) -> Array:
    """Joint accelerations with loops, each cluster solved by itself; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), §8.9: K is block-diagonal over the minimal
    loop clusters, so G and g are found block by block, each by complete pivoting, and joints outside
    all loops keep a unit block.

    Args:
        m, q, qd, tau, f_ext, stabilization: As in `kkt`.
        pivots: From `method_choice`; chosen at q if None. A kernel needs them, as in `kkt`.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.cluster_projection(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    H, C = crba(m, q), bias_force(m, q, qd, f_ext)
    every = relations(m, q, qd)
    errors = position_errors(m, q) if stabilization is not None else []
    g: list[Any] = [0.0] * m.nv
    blocks: list[tuple[list[int], Array]] = []
    free = set(range(m.nv))
    for number, (members, columns, K) in enumerate(clusters_of(every)):
        k = np.concatenate([every[l].k for l in members])
        if stabilization is not None:
            rate, error = (np.concatenate(part) for part in _errors(every, errors, members))
            k = k + stabilizing_term(rate, error, stabilization)
        solved = eliminate(K, k, pivots=None if pivots is None else pivots[number])
        decided = solved.independent or pivots is not None
        own = solved.g if decided else np.linalg.lstsq(K, k, rcond=None)[0]
        for column, value in zip(columns, own, strict=True):
            g[column] = value
        blocks.append((columns, solved.G))
        free -= set(columns)
    blocks += [([column], np.ones((1, 1))) for column in sorted(free)]

    # GᵀHG, block by block.
    rest = tau - C - H @ array(g)
    projected = [[G_a.T @ H[np.ix_(a, b)] @ G_b for b, G_b in blocks] for a, G_a in blocks]
    force = np.concatenate([np.zeros(0), *(G.T @ rest[columns] for columns, G in blocks)])
    y = solve_spd(np.block(projected), force) if len(force) else force
    qdd, start = list(g), 0
    for columns, G in blocks:
        for column, value in zip(columns, G @ y[start : start + G.shape[1]], strict=True):
            qdd[column] = qdd[column] + value
        start += G.shape[1]
    return array(qdd)


def cluster_pivots(m: Mechanism, q: Array) -> tuple[Pivots, ...]:
    """The pivots that suit a position q (nq,) best, cluster by cluster."""
    found = clusters_of(relations(m, q, np.zeros(m.nv)))
    return tuple(eliminate(K, np.zeros(len(K))).pivots for _, _, K in found)


def cluster_quality(m: Mechanism, q: Array, pivots: tuple[Pivots, ...]) -> Any:
    """The least of the pivots at another position q (nq,); small where other pivots are better."""
    least: Any = 1.0
    for (_, _, K), own in zip(clusters_of(relations(m, q, np.zeros(m.nv))), pivots, strict=True):
        least = minimum(least, eliminate(K, np.zeros(len(K)), pivots=own).share)
    return least


def clusters_of(every: list[Relation]) -> list[tuple[list[int], list[int], Array]]:
    """The relations of each minimal loop cluster, the variables they involve, and K over these."""
    found = []
    for members in loop_clusters([relation.columns for relation in every]):
        columns = sorted({column for l in members for column in every[l].columns})
        found.append((members, columns, np.concatenate([_spread(every[l], columns) for l in members])))
    return found


def _spread(relation: Relation, columns: list[int]) -> Array:
    """K of a relation over the variables of its cluster."""
    K = np.full((len(relation.K), len(columns)), 0.0, dtype=relation.K.dtype)
    K[:, [columns.index(column) for column in relation.columns]] = relation.K
    return K


def _errors(
    every: list[Relation], errors: list[Array], members: list[int]
) -> tuple[list[Array], list[Array]]:
    return [every[l].rate for l in members], [errors[l] for l in members]
