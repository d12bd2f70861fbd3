"""Values that a user gives, checked against what a mechanism asks for."""

from typing import Any

import numpy as np

from ..errors import InputError
from ..spatial import Array
from .mechanism import Mechanism


def expect(function: str, name: str, value: Any, kind: type, such_as: str) -> None:
    """InputError for an argument that is not of its kind, such as a path for a Mechanism."""
    if not isinstance(value, kind):
        raise InputError(f"{function}: {name} is {value!r}, expected {such_as}")


def vector(value: Any, shape: tuple[int, ...], name: str, meaning: str) -> Array:
    """The value as a finite array of the given shape, or InputError saying what was expected."""
    try:
        result = np.asarray(value)
    except ValueError:
        raise InputError(f"{name} is not an array: expected shape {shape}, {meaning}") from None
    if result.dtype.kind in "biuf":
        result = result.astype(np.float64, copy=False)
    elif result.dtype.kind not in "cO":
        raise InputError(f"{name} holds {result.dtype}, expected numbers: {meaning}")
    if result.shape != shape:
        batch = result.ndim > len(shape) and result.shape[-len(shape) :] == shape
        hint = ". For a batch, compile the function: wt.compile(function, m)" if batch else ""
        raise InputError(f"{name} has shape {result.shape}, expected {shape}: {meaning}{hint}")
    if result.dtype.kind in "fc" and not np.all(np.isfinite(result)):
        index = tuple(int(k) for k in np.argwhere(~np.isfinite(result))[0])
        where = ", ".join(map(str, index))
        raise InputError(f"{name}[{where}] is {result[index]}: every entry must be finite")
    return result


def position(m: Mechanism, value: Any, name: str = "q") -> Array:
    """The value as a position of the mechanism, its quaternions of unit norm."""
    q = vector(value, (m.nq,), name, f"one entry per coordinate of {m.name!r} (nq = {m.nq})")
    if q.dtype.kind != "O":
        for body, index in zip(m.bodies, m.q_index, strict=True):
            fault = body.joint.position_fault(np.real(q[index]))
            if fault is not None:
                raise InputError(f"{name}[{index.start}:{index.stop}] of joint {body.joint_name!r}: {fault}")
    return q
