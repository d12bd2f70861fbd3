"""Kernels as functions of JAX: machine code that XLA calls, with no compiler and no interpreter."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.run.kernel import Kernel
from ..kernels.trace.arguments import arrays, bind, structures
from ..kernels.trace.structure import leaves, unflatten
from .derived import checked_kernel, given_jacobian, inputs_of, jacobians, library
from .ffi_handler import Handler, handler


def jax(k: Kernel, derivative: Kernel | None = None) -> Callable[..., Any]:
    """A kernel as a function of JAX on the processor: for jit, vmap, grad, jvp, jacobian, scan.

    XLA calls the machine code directly. A vmap runs the vector code. Derivatives are exact, of any order,
    forward and reverse, by compiled Jacobians, with respect to the entries of each input: a quaternion has
    four. Only those that are asked for are computed.

    Args:
        k: The kernel, as of `wt.compile`.
        derivative: Jacobians to take instead of those made from `k`, as `wt.derivative(wt.aba, m, wrt=("q",
            "qd", "tau"))` gives them, with respect to all inputs in order: that knows shorter roads.

    Returns:
        A function of arrays of one state, float64; batches by `jax.vmap`. The code stays loaded as long as
        the process runs, since XLA does not say when it no longer calls it.

    Raises:
        InputError: JAX is not installed, or is set to single precision; an argument does not fit.

    >>> import jax, whippletree as wt  # doctest: +SKIP
    >>> jax.config.update("jax_enable_x64", True)  # doctest: +SKIP
    >>> m = wt.examples.load("double-pendulum")  # doctest: +SKIP
    >>> energy = wt.interop.jax(wt.compile(wt.potential_energy, m))  # doctest: +SKIP
    >>> jax.jit(jax.grad(energy))(jax.numpy.array([0.3, 0.5])).round(3)  # doctest: +SKIP
    Array([7.867, 3.519], dtype=float64)
    """
    checked_kernel(k, "jax")
    _double_precision()
    given = None if derivative is None else _Called(given_jacobian(k, derivative))
    function, inputs = _differentiable(k, given), structures(k.program.inputs)
    shapes = [entry.shape for entry in k.program.inputs]

    def of_jax(*values: Any, **named: Any) -> Any:
        numpy = _double_precision().numpy
        bound = zip(inputs.items(), bind(list(inputs), values, named), strict=True)
        flat = [array for (name, part), value in bound for array in arrays(name, part, value)]
        flat = [numpy.asarray(array, np.float64) for array in flat]
        for entry, shape, array in zip(k.program.inputs, shapes, flat, strict=True):
            if array.shape != shape:
                raise InputError(
                    f"{entry.name} has shape {array.shape}, expected {shape}: for many states, jax.vmap"
                )
        return unflatten(k.program.outputs, function(*flat))

    of_jax.__name__ = of_jax.__qualname__ = k.name
    return of_jax


def _double_precision() -> Any:
    """The module `jax`, if it is installed and computes in float64."""
    jax = library("jax", "JAX", "whippletree[jax]")
    if not jax.config.read("jax_enable_x64"):
        raise InputError(
            "JAX computes in single precision, and kernels in double: say "
            'jax.config.update("jax_enable_x64", True) before anything else is done with JAX'
        )
    return jax


class _Called:
    """A kernel as XLA calls it, on flat lists of arrays, without derivatives."""

    def __init__(self, k: Kernel) -> None:
        jax = _double_precision()
        self.name = _target(k)
        self.results = [
            jax.ShapeDtypeStruct(leaf.shape, np.dtype(np.float64)) for leaf in leaves(k.program.outputs)
        ]
        self._ffi_call = jax.ffi.ffi_call

    def __call__(self, *flat: Any) -> list[Any]:
        return list(self._ffi_call(self.name, self.results, vmap_method="broadcast_all")(*flat))


_handlers: dict[str, Handler] = {}  # by the digest of their program; XLA may call them at any time


def _target(k: Kernel) -> str:
    """The name under which XLA knows the code of a kernel; equal programs have one."""
    jax = _double_precision()
    digest = k.program.digest
    name = f"whippletree_{digest}"
    if digest not in _handlers:
        made = handler(k.program)
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(ctypes.c_void_p(made.address)), platform="cpu")
        _handlers[digest] = made
    return name


def _differentiable(k: Kernel, given: _Called | None = None) -> Callable[..., list[Any]]:
    """The function of flat lists of arrays with its derivative, and so on."""
    jax, called = _double_precision(), _Called(k)
    n_results = len(called.results)
    names = list(structures(k.program.inputs))

    @cache
    def jacobians_of(chosen: tuple[str, ...]) -> Callable[..., list[Any]]:
        return _differentiable(jacobians(k, chosen))

    @jax.custom_jvp
    def function(*flat: Any) -> list[Any]:
        return called(*flat)

    def rule(primals: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
        zero = jax.custom_derivatives.SymbolicZero
        moved = {n for n, tangent in enumerate(tangents) if not isinstance(tangent, zero)}
        if given is not None:
            chosen, blocks = list(range(len(tangents))), given(*primals)
        else:
            used = tuple(name for name in names if moved.intersection(inputs_of(k, [name])))
            chosen, blocks = inputs_of(k, used), jacobians_of(used)(*primals) if used else []
        changes = [jax.numpy.zeros(spec.shape) for spec in called.results]
        for place, n in enumerate(chosen):
            if n not in moved:
                continue
            for r in range(n_results):
                block, axes = blocks[place * n_results + r], tangents[n].ndim
                changes[r] = changes[r] + jax.numpy.tensordot(block, tangents[n], axes)
        return function(*primals), changes

    function.defjvp(rule, symbolic_zeros=True)
    return function
