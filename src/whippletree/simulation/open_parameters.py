"""Numbers of a mechanism that differ from trajectory to trajectory of a rollout."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError, ModelError
from ..kernels.run.iterate import Series
from ..model.mechanism import Mechanism
from ..model.parameters import parameter_values, with_parameters
from ..spatial import Array
from .given_arrays import must_be_finite, real_array


def opened_parameters(m: Mechanism, parameters: Any) -> tuple[tuple[str, ...], Array] | tuple[()]:
    """Names and values (..., n) of open parameters, checked; nothing if there are none.

    Raises:
        InputError: Names or values that are none, or no mechanism has; of values those are looked at that
            are least and greatest of each parameter.
    """
    if parameters is None:
        return ()
    if not isinstance(parameters, Mapping):
        raise InputError(
            f"parameters is {parameters!r}, expected numbers by name, as {{'hook.mass': (100,)}}"
        )
    if not parameters:
        return ()
    names = tuple(parameters)
    parameter_values(m, names)  # which knows them all
    columns = [real_array(parameters[name], f"parameters[{name!r}]") for name in names]
    for name, column in zip(names, columns, strict=True):
        must_be_finite(column, f"parameters[{name!r}]")
    try:
        values = np.stack(np.broadcast_arrays(*columns), axis=-1)
    except ValueError:
        shapes = ", ".join(f"{name} {column.shape}" for name, column in zip(names, columns, strict=True))
        raise InputError(f"shapes of parameters do not fit each other: {shapes}") from None
    rows = values.reshape(-1, len(names))
    ends = {int(end(rows[:, i])) for i in range(len(names)) for end in (np.argmin, np.argmax) if len(rows)}
    for k in sorted(ends):
        try:
            with_parameters(m, names, rows[k])
        except ModelError as error:
            raise InputError(f"parameters of trajectory {k}: {error}") from None
    return names, np.ascontiguousarray(values)


def for_all_steps(rows: Array, steps: int) -> Series:
    """Numbers (n, k) of trajectories that stay what they are."""
    return Series.of(np.broadcast_to(rows[:, None], (len(rows), steps, rows.shape[1])), rows.shape[1:])
