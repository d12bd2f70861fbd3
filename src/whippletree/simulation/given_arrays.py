"""Arrays as users give them, checked."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import InputError, refuse_masked
from ..spatial import Array

Shape = tuple[int, ...]


def real_array(value: Any, name: str) -> Array:
    """The value as an array of doubles."""
    refuse_masked(value, name)
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is no array of numbers: {value!r:.60}") from None
    if array.dtype.kind in "SU":
        raise InputError(f"{name} is no array of numbers: {value!r}")
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} has dtype {array.dtype}, expected real numbers")
    return array.astype(float, copy=False)


def must_be_finite(array: Array, name: str) -> None:
    """InputError for the first entry that is not finite."""
    # By the extremes, which take no memory: of forces of all steps there may be much.
    if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        where = f"[{', '.join(map(str, index))}]" if index else ""
        raise InputError(f"{name}{where} is {array[index]}: every entry must be finite")


def to_write_into(out: Any, shapes: Sequence[Shape], dtype: np.dtype[Any]) -> list[Array]:
    """The arrays to write into, checked."""
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise InputError("out must be two arrays, for q and for qd")
    for place, shape, name in zip(out, shapes, ("q", "qd"), strict=True):
        if not isinstance(place, np.ndarray) or place.dtype != dtype or place.shape != shape:
            told = f"{place.dtype} {place.shape}" if isinstance(place, np.ndarray) else type(place).__name__
            raise InputError(f"out for {name} is {told}, expected {dtype} {shape}")
        if not (place.flags.c_contiguous and place.flags.writeable and place.flags.aligned):
            raise InputError(f"out for {name} must be writeable and in C order")
    if np.may_share_memory(*out):  # exact, as both are in C order
        raise InputError("out for q and out for qd share memory: give each an array of its own")
    return list(out)


def apart(array: Array, outs: Sequence[Array]) -> Array:
    """The array, or a copy if what is written into the others could be read from it."""
    return array.copy() if any(np.may_share_memory(array, out) for out in outs) else array


def common_lead(leads: Mapping[str, Shape]) -> Shape:
    """The leading axes of all arrays, by their names, broadcast; InputError if they do not fit."""
    try:
        return np.broadcast_shapes(*leads.values())
    except ValueError:
        told = ", ".join(f"{name} {lead}" for name, lead in leads.items() if lead)
        raise InputError(f"leading axes do not fit each other: {told}: lengths must be equal or 1") from None


def as_rows(array: Array, lead: Shape, own: int) -> Array:
    """The array with one leading axis for all trajectories, of length 1 if it is the same for all."""
    rest = array.shape[array.ndim - own :]
    axes = array.shape[: array.ndim - own]
    if prod(axes) == 1:
        rows = array.reshape(1, *rest)
    else:
        rows = (array if axes == lead else np.broadcast_to(array, (*lead, *rest))).reshape(prod(lead), *rest)
    return rows if own > 1 or _packed(rows[:1]) else np.ascontiguousarray(rows)


def _packed(array: Array) -> bool:
    return array.flags.c_contiguous and array.flags.aligned
