"""Sets of a kinematic tree (RBDA §4.1.4), from its parent array.

Bodies are numbered from 0, parents before children; the base is -1.
"""

from collections.abc import Sequence


def support(parents: Sequence[int], i: int) -> list[int]:
    """κ(i): the joints on the path from the base to body i, in this order.

    >>> support([-1, 0, 0, 1, 3], 4)
    [0, 1, 3, 4]
    """
    path = []
    while i != -1:
        path.append(i)
        i = parents[i]
    return path[::-1]


def children(parents: Sequence[int], i: int) -> list[int]:
    """μ(i): the children of body i; those of the base for i = -1.

    >>> children([-1, 0, 0, 1, 3], 0)
    [1, 2]
    """
    return [j for j, parent in enumerate(parents) if parent == i]


def subtree(parents: Sequence[int], i: int) -> list[int]:
    """ν(i): body i and all that is carried by it, in ascending order.

    >>> subtree([-1, 0, 0, 1, 3], 1)
    [1, 3, 4]
    """
    if i == -1:
        return list(range(len(parents)))
    inside = {i}
    for j in range(i + 1, len(parents)):
        if parents[j] in inside:
            inside.add(j)
    return sorted(inside)


def common_ancestor(parents: Sequence[int], i: int, j: int) -> int:
    """The last body that supports both i and j, or -1 for the base.

    >>> common_ancestor([-1, 0, 0, 1, 3], 4, 2)
    0
    """
    while i != j:
        # Parents have the lower numbers, so the larger of the two cannot support the other.
        if i > j:
            i = parents[i]
        else:
            j = parents[j]
    return i
