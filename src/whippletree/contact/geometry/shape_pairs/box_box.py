"""Two boxes: corners on the face that the other turns to them, and edges of these faces that cross.

Two faces that lie on each other touch in a polygon: its corners are those of either face that lie on the
other, and the points where their edges cross, eight at most. All are candidates at any time, each with a gap
of its own, so that there is nothing to clip and nothing to sort.
"""

from typing import Any, NamedTuple

import numpy as np

from ....shapes import Box
from ....spatial import Array, cross, maximum, where
from ..balls import balls_of
from ..touch import Pose, Touch, between, clamp

EDGE = 1e-6
"""m: a corner, or where edges cross, so far beyond a face's edge still counts as on it."""

CONE = 0.02
"""Sine of the angle by which the normal of two edges may lean out of what both can push along.

Faces that lie on each other are parallel within less than that, and keep all their points.
"""

PARALLEL = 1e-12
"""Edges of which the sine of the angle, squared, is less do not cross."""


class Face(NamedTuple):
    """The side of a box that it turns to another one, in the world.

    Attributes:
        c: (3,) its middle, m.
        n, u, v: (3,) unit vectors, outward and along its edges.
        half_u, half_v: Half its lengths along u and v, m.
        apart: How far along n the other box is, m; negative where they overlap.
    """

    c: Array
    n: Array
    u: Array
    v: Array
    half_u: Any
    half_v: Any
    apart: Any


class Edge(NamedTuple):
    """An edge of a face, in the world.

    Attributes:
        c: (3,) its middle, m.
        e: (3,) its direction.
        half: Half its length, m.
        out, n: (3,) the outward normals of the two sides that meet in it; n is the face's.
    """

    c: Array
    e: Array
    half: Any
    out: Array
    n: Array


def box_on_box(a: Box, A: Pose, b: Box, B: Pose) -> list[Touch]:
    """25 candidates: corners of a, of b, two crossings for each edge of a's face, and edges of any faces."""
    on_b, on_a = _facing(b, B, a, A), _facing(a, A, b, B)
    touches = [_corner(A.p + A.R @ corner, on_b) for corner, _ in balls_of(a)]
    for corner, _ in balls_of(b):
        t = _corner(B.p + B.R @ corner, on_a)
        touches.append(Touch(t.gap, -t.normal, t.point_b, t.point_a))
    apart = between(A.p, 0.0, B.p, 0.0, on_b.n)
    for along, half, out, to_side in (
        (on_a.u, on_a.half_u, on_a.v, on_a.half_v),
        (on_a.v, on_a.half_v, on_a.u, on_a.half_u),
    ):
        for side in (-1.0, 1.0):
            middle = on_a.c + (side * to_side) * out
            edge = Edge(middle, along, half, side * out, on_a.n)
            touches += [_crossing(edge, on_b, way, apart) for way in (-1.0, 1.0)]
    return [*touches, _farthest_edges(a, A, b, B, maximum(on_a.apart, on_b.apart) + EDGE, apart)]


def _facing(b: Box, B: Pose, a: Box, A: Pose) -> Face:
    """The face of b along whose normal a is farthest away, or overlaps least."""
    half_a, half_b = 0.5 * np.array(a.size), 0.5 * np.array(b.size)
    turned = B.R.T @ A.R
    offset = B.R.T @ (A.p - B.p)
    apart = [
        _size(offset[k]) - half_b[k] - sum(half_a[j] * _size(turned[k, j]) for j in range(3))
        for k in range(3)
    ]
    by_x, by_y = apart[0] >= maximum(apart[1], apart[2]), apart[1] >= apart[2]

    def chosen(k: int) -> tuple[Any, ...]:
        i, j = (k + 1) % 3, (k + 2) % 3
        n = where(offset[k] < 0.0, -1.0, 1.0) * B.R[:, k]
        return B.p + half_b[k] * n, n, B.R[:, i], B.R[:, j], half_b[i], half_b[j], apart[k]

    x, y, z = (chosen(k) for k in range(3))
    return Face(*(where(by_x, p, where(by_y, q, r)) for p, q, r in zip(x, y, z, strict=True)))


def _size(x: Any) -> Any:
    return maximum(x, -x)


def _corner(p: Array, face: Face) -> Touch:
    """A corner against a face: along its normal, and beside it, to the nearest point of its edge."""
    d = p - face.c
    h, x, y = face.n @ d, face.u @ d, face.v @ d
    beside = [t - clamp(t, -half, half) for t, half in ((x, face.half_u), (y, face.half_v))]
    square = beside[0] * beside[0] + beside[1] * beside[1]
    outside = square > EDGE * EDGE
    above = maximum(h, 0.0)
    length = np.sqrt(where(outside, square + above * above, 1.0))
    n = where(outside, (above * face.n + beside[0] * face.u + beside[1] * face.v) / length, face.n)
    gap = where(outside, length, h)
    return Touch(gap, n, p, p - gap * n)


def _crossing(edge: Edge, face: Face, way: float, apart: Touch) -> Touch:
    """An edge of a where it comes over the face of b (way -1) or leaves it (1), over one of its edges.

    Where it crosses none, the distance of the boxes' middles stands for it.
    """
    found = apart
    for e, half, side, to_side in (
        (face.v, face.half_v, face.u, face.half_u),
        (face.u, face.half_u, face.v, face.half_v),
    ):
        out = where(edge.e @ side < 0.0, -way, way) * side
        lies, touch = _edges(edge, Edge(face.c + to_side * out, e, half, out, face.n))
        found = Touch(*(where(lies, new, old) for new, old in zip(touch, found, strict=True)))
    return found


def _edges(a: Edge, b: Edge) -> tuple[Any, Touch]:
    """The nearest points of the lines of two edges: whether these touch there, and how.

    They do if the points are on both, and if what joins them is between the normals of the faces that meet in
    either edge: along anything else the boxes cannot push.
    """
    m, cosine, d = cross(a.e, b.e), a.e @ b.e, a.c - b.c
    square = m @ m
    crosses = square > PARALLEL
    square = where(crosses, square, 1.0)
    n = m / np.sqrt(square)
    n = where(n @ b.n < 0.0, -1.0, 1.0) * n
    s, t = (cosine * (b.e @ d) - a.e @ d) / square, (b.e @ d - cosine * (a.e @ d)) / square
    on_both = (_size(s) <= a.half + EDGE) & (_size(t) <= b.half + EDGE)
    pushes = (n @ b.out >= -CONE) & (n @ a.out <= CONE) & (n @ a.n <= CONE)
    return crosses & on_both & pushes, Touch(n @ d, n, a.c + s * a.e, b.c + t * b.e)


def _farthest_edges(a: Box, A: Pose, b: Box, B: Pose, least: Any, apart: Touch) -> Touch:
    """The edges, one of each box, along whose common normal the boxes are farthest apart: more than `least`.

    Of each two directions of edges only those can touch first that reach farthest along that normal (the
    separating axes of S. Gottschalk, 1996). Without any, the distance of the boxes' middles stands for it.
    """
    found, most = apart, least
    for i in range(3):
        for j in range(3):
            n = cross(A.R[:, i], B.R[:, j])
            n = where(n @ (A.p - B.p) < 0.0, -1.0, 1.0) * n
            lies, touch = _edges(_reaching(a, A, i, -n), _reaching(b, B, j, n))
            farther = lies & (touch.gap > most)
            most = where(farther, touch.gap, most)
            found = Touch(*(where(farther, new, old) for new, old in zip(touch, found, strict=True)))
    return found


def _reaching(box: Box, at: Pose, i: int, n: Array) -> Edge:
    """The edge along axis i of a box that reaches farthest along n (3,)."""
    half, (j, k) = 0.5 * np.array(box.size), ((i + 1) % 3, (i + 2) % 3)
    out, up = (where(n @ at.R[:, axis] < 0.0, -1.0, 1.0) * at.R[:, axis] for axis in (j, k))
    return Edge(at.p + half[j] * out + half[k] * up, at.R[:, i], half[i], out, up)
