"""Where the trajectories of a rollout start, held against loops, and room for what they become."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..api.compiling import compile
from ..errors import InputError
from ..loops.closing.check import TOLERANCE
from ..loops.equations.constraints import row_owners
from ..loops.equations.loop_sizes import row_sizes
from ..model.mechanism import Mechanism
from ..spatial import Array
from .equations import common, constraints

FAR = 1e10
"""rad: larger angles are more than a millionth apart as numbers, in which the turns of steps are lost."""


def check_turns(m: Mechanism, q: Array, name: str) -> None:
    """InputError for starts (..., nq) whose angles are too large to be followed."""
    if np.vdot(q, q) < FAR**2:
        return
    for body, index in zip(m.bodies, m.q_index, strict=True):
        units = body.joint.units
        if len(units) != index.stop - index.start:  # of quaternions
            continue
        for k, unit in enumerate(units):
            largest = float(np.max(np.abs(q[..., index.start + k])))
            if unit == "rad" and largest >= FAR:
                raise InputError(
                    f"{name} of joint {body.joint_name!r} is {largest:g} rad, where numbers are "
                    f"{np.spacing(largest):.2g} rad apart and motions are lost in between: leave out whole "
                    "turns"
                )


def room(shapes: Sequence[tuple[int, ...]], dtype: np.dtype[Any]) -> list[Array]:
    """Arrays for the results; InputError if they are larger than any memory."""
    try:
        return [np.empty(shape, dtype) for shape in shapes]
    except (MemoryError, ValueError):
        size = dtype.itemsize * sum(map(prod, shapes)) / 2**30
        raise InputError(
            f"q {shapes[0]} and qd {shapes[1]} take {size:.3g} GiB, more than there is: record less by every"
        ) from None


def constraints_at(m: Mechanism, q0: Array, qd0: Array, opened: tuple[Any, ...] = ()) -> Array:
    """(..., nc, nv) K at the starts; InputError, naming a trajectory, if one starts or turns open.

    With names of parameters and their values (..., n), loops are as these say.
    """
    if not m.loops and not m.gears:
        return np.zeros((*q0.shape[:-1], 0, m.nv))
    kernel = compile(constraints, m, parameters=opened[0]) if opened else common(m).constraints
    gaps, K = kernel(q0, *opened[1:])
    rates = np.einsum("...ij,...j->...i", K, qd0)
    units, owners = row_sizes(m), row_owners(m)
    sizes = units + np.einsum("...ij,...j->...i", np.abs(K), np.abs(qd0))
    for values, most, what, remedy in (
        (gaps, units, "q0 of trajectory {} leaves loop {!r} open by {:.3g}, more than {:.3g}", "assemble"),
        (
            rates,
            sizes,
            "qd0 of trajectory {} opens loop {!r} at a rate of {:.3g}, more than {:.3g}",
            "project_velocity",
        ),
    ):
        found, allowed = np.abs(values), np.broadcast_to(TOLERANCE * most, values.shape)
        if np.any(found > allowed):
            at = np.unravel_index(int(np.argmax(found / allowed)), found.shape)
            number = int(np.ravel_multi_index(at[:-1], found.shape[:-1])) if at[:-1] else 0
            told = what.format(number, owners[int(at[-1])], found[at], allowed[at])
            raise InputError(f"{told}: take it from wt.{remedy}")
    return K
