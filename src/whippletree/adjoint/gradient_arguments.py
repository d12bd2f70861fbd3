"""Arrays of a gradient as users give them, checked and laid out."""

from math import prod
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import whole_number
from ..simulation.given_arrays import must_be_finite, real_array
from ..spatial import Array


def start_of(m: Mechanism, value: Any, size: int, name: str) -> Array:
    """(..., size) starts."""
    array = real_array(value, name)
    if array.ndim < 1 or array.shape[-1] != size:
        raise InputError(f"{name} has shape {array.shape}, expected (..., {size}) for {m.name!r}")
    must_be_finite(array, name)
    return array


def forces_of(tau: Any, nv: int, steps: int | None) -> tuple[Array, int]:
    """(..., steps, nv) forces, and how many steps there are, as told by them and by `steps`."""
    array = real_array(tau, "tau")
    if array.ndim < 1 or array.shape[-1] != nv:
        raise InputError(f"tau has shape {array.shape}, expected ({nv},) or (..., steps, {nv})")
    must_be_finite(array, "tau")
    told = {array.shape[-2]} if array.ndim > 1 else set()
    if steps is not None:
        told.add(whole_number(steps, "steps"))
    if len(told) != 1:
        what = ", ".join(map(str, sorted(told)))
        raise InputError(
            f"the number of steps is {f'told as {what}: make them agree' if told else 'not told: give steps'}"
        )
    (count,) = told
    return (array if array.ndim > 1 else np.broadcast_to(array, (count, nv))), count


def weights_of(value: Any, shape: tuple[int, int], name: str) -> Array:
    """(..., recorded, n) weights of recorded states; zeros for None."""
    if value is None:
        return np.zeros(shape)
    array = real_array(value, name)
    if array.shape[-2:] != shape:
        raise InputError(f"{name} has shape {array.shape}, expected (..., {shape[0]}, {shape[1]})")
    must_be_finite(array, name)
    return array


def flat(array: Array, lead: tuple[int, ...], count: int, steps: int) -> Array:
    """(count, steps, n), or (1, …) if it is the same for all trajectories."""
    rest = array.shape[-2:]
    if prod(array.shape[:-2]) == 1:
        return np.ascontiguousarray(array.reshape(1, *rest)[:, :steps])
    return np.ascontiguousarray(np.broadcast_to(array, (*lead, *rest)).reshape(count, *rest)[:, :steps])
