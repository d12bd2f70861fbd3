"""Derivatives of a kernel, entry by entry, as kernels: what other libraries ask of a function they are given.

They know arrays and no tangent spaces: the derivative with respect to a position is one with respect to its
nq coordinates, those of a quaternion among them as if they were free.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from importlib import import_module
from math import prod
from operator import getitem
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.derive.derivatives import forward, jacobian, product_forward, product_reverse, reverse
from ..kernels.run.kernel import Kernel
from ..kernels.simplify.passes import simplify
from ..kernels.store import programs as stored
from ..kernels.store import sources
from ..kernels.trace.arguments import structures
from ..kernels.trace.program import Program
from ..kernels.trace.structure import leaves, paths, unflatten

BOTH = 20_000
"""Instructions of a function up to which forward and reverse are both tried."""


def arguments(k: Kernel) -> list[str]:
    """Names of the arguments, in order."""
    return list(structures(k.program.inputs))


def inputs_of(k: Kernel, names: Sequence[str]) -> list[int]:
    """Numbers of the input arrays that are, or are in, some arguments."""
    of = [entry.part.argument if entry.part else entry.name for entry in k.program.inputs]
    return [n for n, name in enumerate(of) if name in names]


def flat_call(k: Kernel) -> Callable[..., list[Any]]:
    """The kernel as a function of all input arrays to a list of all results."""
    inputs, ways = structures(k.program.inputs).values(), list(paths(k.program.outputs))

    def flat(*given: Any) -> list[Any]:
        rest = iter(given)
        found = k(*(unflatten(structure, rest) for structure in inputs))
        return [reduce(getitem, way, found) for way in ways]

    return flat


def jacobians(k: Kernel, names: Sequence[str]) -> Kernel:
    """All Jacobians: for each input array of these arguments, for each result, (*result, *input)."""

    def made(program: Program) -> Program:
        if program.n_instructions > BOTH:
            return simplify(jacobian(program, names))
        roads = [simplify(road(program, names)) for road in (forward, reverse)]
        return min(roads, key=lambda road: sum(road.cost.values()))

    return _derived("jacobians", k, tuple(names), made)


def jvp_of(k: Kernel, names: Sequence[str]) -> Kernel:
    """The Jacobian times a vector: behind the inputs there is a direction for each of these arguments."""
    directions = {name: _new(k, f"d_{name}") for name in names}
    return _derived(
        "jvp", k, tuple(names), lambda program: simplify(product_forward(program, names, {}, directions))
    )


def vjp_of(k: Kernel, names: Sequence[str]) -> Kernel:
    """Weights times the Jacobian: behind the inputs there are weights for all results."""
    return _derived(
        "vjp",
        k,
        tuple(names),
        lambda program: simplify(product_reverse(program, names, {}, _new(k, "weights"))),
    )


def _new(k: Kernel, name: str) -> str:
    """The name for a further input: a product of a product has one more of the same kind."""
    while name in arguments(k):
        name += "_"
    return name


def given_jacobian(k: Kernel, derivative: Any) -> Kernel:
    """A kernel of Jacobians that a user gives instead; InputError if its shapes are not those of `k`."""
    if not isinstance(derivative, Kernel):
        raise InputError(f"derivative is {type(derivative).__name__}, expected a kernel, as of wt.derivative")
    if derivative.dtype != k.dtype:
        raise InputError(f"derivative computes in {derivative.dtype}, and {k.name} in {k.dtype}")
    if derivative.program.inputs != k.program.inputs:
        raise InputError(
            f"derivative has the inputs {', '.join(arguments(derivative))}, and {k.name} has "
            f"{', '.join(arguments(k))}: names, shapes and order must be the same"
        )
    results = [leaf.shape for leaf in leaves(k.program.outputs)]
    expected = [(*result, *entry.shape) for entry in k.program.inputs for result in results]
    found = [leaf.shape for leaf in leaves(derivative.program.outputs)]
    if found != expected:
        raise InputError(
            f"derivative gives arrays of shapes {_listed(found)}, expected {_listed(expected)}: those of all "
            f"inputs, wrt=({', '.join(map(repr, arguments(k)))}), entry by entry. A quaternion has four "
            "entries and three directions: leave derivative out there"
        )
    return derivative


def _listed(shapes: Sequence[tuple[int, ...]]) -> str:
    return ", ".join(map(str, shapes))


def library(name: str, called: str, install: str) -> Any:
    """The module of another library; InputError with what to install if it is not there."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"interop.{name} needs {called}: pip install {install}") from None


def checked_kernel(k: Any, name: str) -> Kernel:
    """The kernel, or InputError for what cannot be given to another library."""
    if not isinstance(k, Kernel):
        raise InputError(f"interop.{name} takes a kernel, as of wt.compile(wt.aba, m), not {k!r}")
    if k.dtype != np.float64:
        raise InputError(
            f"{k.name} computes in {k.dtype}, and interop.{name} takes float64: compile it without dtype"
        )
    if not k.program.n_outputs or not prod(leaf.size for leaf in leaves(k.program.outputs)):
        raise InputError(f"{k.name} gives an array without entries, which {name} cannot be given")
    return k


def _derived(kind: str, k: Kernel, names: tuple[str, ...], made: Callable[[Program], Program]) -> Kernel:
    """The kernel of a derived program, on disk by what it was derived from."""
    version = sources.digest()
    parts = None if version is None else ("interop", kind, k.program.digest, repr(names), version)
    return Kernel(stored.program(parts, lambda: made(k.program)), f"{k.name}_{kind}")
