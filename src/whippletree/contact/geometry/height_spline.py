"""A smooth surface through the samples of a height field, written so that it can be recorded.

Triangles would make a ball that rolls over them hit every edge (RBDA §11.6). The surface is the natural
bicubic spline instead (C. de Boor, A Practical Guide to Splines, 1978, ch. IV and XVII), with uniform
B-splines: through all samples, curvature without a jump, planes as they are. Beyond the rim it goes on
straight.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import ModelError
from ...shapes import Heights
from ...spatial import Array, array, where
from .touch import clamp

MOST = 2500
"""Samples of a height field that touches: each is in the code, as cells are found by comparing."""


@lru_cache(maxsize=16)
def coefficients(field: Heights) -> Array:
    """(nx + 2, ny + 2) of the B-splines; ModelError for a field with too many samples."""
    if field.heights.size > MOST:
        nx, ny = field.heights.shape
        raise ModelError(
            f"heights of {nx} × {ny} samples may not touch, at most {MOST} in all: take fewer, or a "
            "wt.Landscape with a function"
        )
    return _along(_along(field.heights).T).T


def _along(samples: Array) -> Array:
    """(n + 2, k) along the first axis: (c₋ + 4 c + c₊)/6 are the samples, and c'' = 0 at both ends."""
    n = len(samples)
    rows = np.zeros((n + 2, n + 2))
    for i in range(n):
        rows[i + 1, i : i + 3] = 1 / 6, 4 / 6, 1 / 6
    rows[0, :3] = rows[-1, -3:] = 1.0, -2.0, 1.0
    return np.linalg.solve(rows, np.concatenate([0.0 * samples[:1], samples, 0.0 * samples[:1]]))


def patch(field: Heights, x: Any, y: Any) -> Callable[[Any, Any], Any]:
    """z of the surface as a function of (u, v), for the cell in which a place (x, y) lies, m."""
    C, (nx, ny) = coefficients(field), field.heights.shape
    (x0, x1), (y0, y1) = field.x, field.y
    dx, dy = (x1 - x0) / (nx - 1), (y1 - y0) / (ny - 1)
    s, t = (x - x0) / dx, (y - y0) / dy
    rows = [[_of_cell(s, C[k : k + nx - 1, j]) for j in range(ny + 2)] for k in range(4)]
    near = array([[_of_cell(t, row[k : k + ny - 1]) for k in range(4)] for row in rows])
    first_x, first_y = _of_cell(s, np.arange(nx - 1.0)), _of_cell(t, np.arange(ny - 1.0))

    def surface(u: Any, v: Any) -> Any:
        along_x = _weights((u - x0) / dx, first_x, nx - 1.0)
        along_y = _weights((v - y0) / dy, first_y, ny - 1.0)
        return along_x @ near @ along_y

    return surface


def _of_cell(s: Any, values: Any) -> Any:
    """The value of the cell that s lies in, cell k being from k to k + 1; the first and last have no end."""
    found = values[0]
    for k in range(1, len(values)):
        found = where(s >= float(k), values[k], found)
    return found


def _weights(s: Any, first: Any, last: float) -> Array:
    """(4,) of the four B-splines of a cell at s, which go on straight below 0 and above the last sample."""
    within = clamp(s, 0.0, last)
    t, beyond = within - first, s - within
    r = 1.0 - t
    values = [r**3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3]
    slopes = [-3 * r**2, 9 * t**2 - 12 * t, -9 * t**2 + 6 * t + 3, 3 * t**2]
    return array([(b + beyond * d) / 6.0 for b, d in zip(values, slopes, strict=True)])
