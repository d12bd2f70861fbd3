"""Derivatives by the complex step, exact to rounding: the source of truth for those of the library."""

from collections.abc import Callable
from typing import Any

import numpy as np

import whippletree as wt
from whippletree.model.positions import rate

STEP = 1e-30


def by_complex_step(
    function: Callable[..., Any], m: wt.Mechanism, arguments: dict[str, Any], name: str
) -> np.ndarray:
    """(*result, *directions) of an array function of m and named arguments; positions along velocities."""
    value = np.asarray(arguments[name], dtype=float)
    size = m.nv if name == "q" else value.size
    columns = []
    for k in range(size):
        direction = np.zeros(size)
        direction[k] = 1.0
        change = rate(m, value, direction) if name == "q" else direction.reshape(value.shape)
        moved = arguments | {name: value + 1j * STEP * change}
        columns.append(np.imag(function(m, **moved)) / STEP)
    found = np.stack(columns, axis=-1)
    return found if name == "q" else found.reshape(*found.shape[:-1], *value.shape)


def error(found: Any, expected: np.ndarray) -> float:
    """The largest difference, as a share of the largest entry."""
    assert np.shape(found) == expected.shape
    return float(np.max(np.abs(found - expected), initial=0.0) / np.max(np.abs(expected), initial=1e-300))
