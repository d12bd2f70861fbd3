"""Which entries a sparse symmetric matrix leaves to its factors, and the order that leaves few of them.

A. George, J. W.-H. Liu, Computer Solution of Large Sparse Positive Definite Systems (1981): where an unknown
is eliminated, all that it is coupled with become coupled with each other.
"""

import numpy as np

from .scalar import Array


def elimination_order(coupled: Array) -> list[int]:
    """An order of the unknowns of a symmetric matrix in which few entries come up: next, least of them do.

    Of unknowns that are equal in that, the one comes next that has to wait for the fewest others in a row: so
    a chain is eliminated from both ends, and a processor works on both at once.

    Args:
        coupled: (n, n) true where two unknowns are; what stands on the diagonal does not matter.

    >>> chain = np.abs(np.subtract.outer(range(5), range(5))) == 1
    >>> elimination_order(chain)
    [0, 4, 1, 3, 2]
    """
    n = len(coupled)
    neighbours = [set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(coupled)]

    def new_couplings(i: int) -> int:
        return sum(len(neighbours[i] - neighbours[j]) - 1 for j in neighbours[i])

    more, waits, left, order = [new_couplings(i) for i in range(n)], [0] * n, set(range(n)), list[int]()
    while left:
        i = min(left, key=lambda k: (more[k], waits[k], k))
        order.append(i)
        left.remove(i)
        for j in neighbours[i]:
            neighbours[j] = (neighbours[j] | neighbours[i]) - {i, j}
            waits[j] = max(waits[j], waits[i] + 1)
        for j in set[int]().union(neighbours[i], *(neighbours[j] for j in neighbours[i])):
            more[j] = new_couplings(j)
    return order


def filled_in(coupled: Array) -> Array:
    """(n, n) where the triangle L of A = L D Lᵀ may not be zero, below its diagonal, by the pattern of A.

    >>> star = np.eye(4, dtype=bool) | np.array([[True, True, True, True], *[[True] + 3 * [False]] * 3])
    >>> int(filled_in(star).sum()), int(filled_in(star[::-1, ::-1]).sum())
    (6, 3)
    """
    found = np.tril(coupled, -1).astype(bool)
    for k in range(len(found)):
        below = np.flatnonzero(found[:, k])
        found[np.ix_(below, below)] |= np.tri(len(below), k=-1, dtype=bool)
    return found
