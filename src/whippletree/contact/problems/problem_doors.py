"""The door of functions that take contact problems as matrices: shapes and numbers are checked by name."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...errors import InputError
from ...model.values import expect, finite_numbers, real_vector
from ...spatial import Array
from .complementarity import ContactForces

F = TypeVar("F", bound=Callable[..., Any])


def checked_problem(function: F) -> F:
    """The function behind a door that checks R or M, d, friction, start and sliding, by their names."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def door(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        d = finite_numbers(given["d"], "(nc,)", "d", "one entry per contact")
        nc = len(np.atleast_1d(d))
        rows = finite_numbers(given["R"], "(k, nc)", "R", "M = RᵀR").shape[:1] if "R" in given else ()
        shapes = {"d": (nc,), "R": (*rows, nc), "M": (nc, nc)}
        if "friction" in signature.parameters:
            shapes |= {
                "d": (nc, 3),
                "M": (nc, 3, nc, 3),
                "friction": (nc,),
                "least": (nc,),
                "start": (nc, 3),
                "force": (nc, 3),
                "sliding": (nc, 2),
            }
        for name in sorted(given.keys() & shapes.keys(), key=lambda name: (name != "d", name)):
            if given[name] is not None or signature.parameters[name].default is not None:
                given[name] = real_vector(given[name], shapes[name], name, f"as d has {nc} contacts")
        expected = "a ContactForces, as gauss_form gives one"
        if "solution" in given:
            expect(function.__name__, "solution", given["solution"], ContactForces, expected)
            count = np.size(given["solution"].force)
            if count != nc:
                raise InputError(
                    f"solution has {count} forces, and d {nc} contacts: give both of one problem"
                )
        if "M" in given:
            _check_symmetric(given["M"].reshape(given["d"].size, -1))
        for name in sorted(given.keys() & {"friction", "least"}):
            if given[name] is not None and np.any(given[name] < 0.0):
                raise InputError(f"{name} has {given[name].min():g}, must be 0 or more")
        return function(*bound.args, **bound.kwargs)

    return door  # pyright: ignore[reportReturnType]  # functools.wraps keeps the signature


def _check_symmetric(M: Array) -> None:
    size = float(np.max(np.abs(M), initial=0.0))
    error = float(np.max(np.abs(M - M.T), initial=0.0))
    if error > 1e-9 * size:
        raise InputError(
            f"M is not symmetric: entries differ from their mirror images by {error:.3g} of {size:.3g}"
        )
    least = float(np.min(np.linalg.eigvalsh(M), initial=0.0))
    if least < -1e-9 * size:
        raise InputError(
            f"M has the eigenvalue {least:.3g}, must be positive semidefinite: no motion has negative energy"
        )
