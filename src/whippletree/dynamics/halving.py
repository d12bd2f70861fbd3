"""Cutting a tree into pieces of at most half its size."""

from collections.abc import Sequence


def degrees(lam: Sequence[int]) -> list[int]:
    """How many joints each body has, the base, -1, being last.

    >>> degrees([-1, 0, 0])
    [3, 1, 1, 1]
    """
    count = [1] * len(lam) + [0]
    for parent in lam:
        count[parent] += 1
    return count


def halve(part: list[int], lam: Sequence[int]) -> tuple[int, list[list[int]]]:
    """A body of a connected part of the tree, and the pieces that are left without it.

    No piece has more than half the bodies. Parts and pieces are in ascending order, which puts the
    body nearest to the base first; the base itself is -1.

    >>> halve([-1, 0, 1, 2, 3, 4], [-1, 0, 1, 1, 3])
    (1, [[-1, 0], [2], [3, 4]])
    """
    size = dict.fromkeys(part, 1)
    for i in reversed(part[1:]):
        size[lam[i]] += size[i]
    # Bodies that carry at least half of the part form a path from its root: the last one is the centre.
    centre = max(i for i in part if 2 * size[i] >= len(part))
    piece_of: dict[int, list[int]] = {}
    pieces: list[list[int]] = []
    for i in part:
        if i == centre:
            continue
        if i == part[0] or lam[i] == centre:
            piece_of[i] = []
            pieces.append(piece_of[i])
        else:
            piece_of[i] = piece_of[lam[i]]
        piece_of[i].append(i)
    return centre, pieces
