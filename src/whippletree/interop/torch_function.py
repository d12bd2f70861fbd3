"""Kernels as functions of PyTorch: no copies of tensors, derivatives by compiled products."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.run.kernel import Kernel
from ..kernels.trace.arguments import Input, arrays, bind, structures
from ..kernels.trace.structure import leaves, unflatten
from .derived import arguments, checked_kernel, flat_call, inputs_of, jvp_of, library, vjp_of


def torch(k: Kernel) -> Callable[..., Any]:
    """A kernel as a function of PyTorch tensors on the processor: autograd, forward mode, `torch.func`, vmap.

    Tensors are read where they lie; axes in front of a state's are a batch and broadcast, as in a call of
    the kernel. Derivatives are exact, of any order, by compiled products without matrices, with respect to
    the entries of each input: a quaternion has four.

    Args:
        k: The kernel, as of `wt.compile`.

    Returns:
        A function of float64 tensors; plain numbers and arrays are taken as constants.

    Raises:
        InputError: PyTorch is not installed; an argument does not fit.

    >>> import torch, whippletree as wt  # doctest: +SKIP
    >>> m = wt.examples.load("double-pendulum")  # doctest: +SKIP
    >>> energy = wt.interop.torch(wt.compile(wt.potential_energy, m))  # doctest: +SKIP
    >>> q = torch.tensor([0.3, 0.5], dtype=torch.float64, requires_grad=True)  # doctest: +SKIP
    >>> energy(q).backward()  # doctest: +SKIP
    >>> q.grad  # doctest: +SKIP
    tensor([7.8672, 3.5186], dtype=torch.float64)
    """
    checked_kernel(k, "torch")
    _torch()
    function, inputs = _function(k), structures(k.program.inputs)

    def of_torch(*values: Any, **named: Any) -> Any:
        bound = zip(inputs.items(), bind(list(inputs), values, named), strict=True)
        flat = [array for (name, part), value in bound for array in arrays(name, part, value)]
        tensors = [_tensor(entry, array) for entry, array in zip(k.program.inputs, flat, strict=True)]
        return unflatten(k.program.outputs, function(*tensors))

    of_torch.__name__ = of_torch.__qualname__ = k.name
    return of_torch


def _torch() -> Any:
    """The module `torch`, if it is installed."""
    index = "--index-url https://download.pytorch.org/whl/cpu"
    return library("torch", "PyTorch", f"whippletree[torch], or torch {index} for the processor alone")


def _tensor(entry: Input, value: Any) -> Any:
    """An argument as a tensor of doubles on the processor, whose last axes are the input's."""
    torch = _torch()
    if not isinstance(value, torch.Tensor):
        value = torch.as_tensor(np.asarray(value, np.float64))
    if value.dtype != torch.float64 or value.device.type != "cpu":
        raise InputError(
            f"{entry.name} is a tensor of {value.dtype} on {value.device}, expected torch.float64 on cpu: "
            f"{entry.name}.double().cpu()"
        )
    lead = value.ndim - len(entry.shape)
    if lead < 0 or tuple(value.shape[lead:]) != entry.shape:
        batched = ", ".join(["...", *map(str, entry.shape)])
        raise InputError(
            f"{entry.name} has shape {tuple(value.shape)}, expected {entry.shape} or ({batched})"
        )
    return value


def _function(k: Kernel) -> Callable[..., tuple[Any, ...]]:
    """The function of flat lists of tensors, with derivatives that are such functions themselves."""
    torch, names = _torch(), arguments(k)
    flat, results = flat_call(k), [leaf.shape for leaf in leaves(k.program.outputs)]
    inputs = [entry.shape for entry in k.program.inputs]

    @cache
    def backward_of(chosen: tuple[str, ...]) -> Callable[..., tuple[Any, ...]]:
        return _function(vjp_of(k, chosen))

    @cache
    def forward_of(chosen: tuple[str, ...]) -> Callable[..., tuple[Any, ...]]:
        return _function(jvp_of(k, chosen))

    def named(present: Sequence[bool]) -> tuple[str, ...]:
        return tuple(name for name in names if any(present[n] for n in inputs_of(k, [name])))

    class KernelFunction(torch.autograd.Function):
        @staticmethod
        def forward(*tensors: Any) -> tuple[Any, ...]:
            found = flat(*(tensor.detach().numpy() for tensor in tensors))
            return tuple(torch.from_numpy(np.asarray(array)) for array in found)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)
            ctx.shapes = [tuple(tensor.shape) for tensor in output]

        @staticmethod
        def backward(ctx: Any, *weights: Any) -> tuple[Any, ...]:
            chosen = named(ctx.needs_input_grad)
            numbers, tensors = inputs_of(k, chosen), ctx.saved_tensors
            found = dict(zip(numbers, backward_of(chosen)(*tensors, *weights), strict=True))
            # An input that served a whole batch has the sum over it.
            return tuple(
                found[n].sum_to_size(tensor.shape) if n in found else None for n, tensor in enumerate(tensors)
            )

        @staticmethod
        def jvp(ctx: Any, *directions: Any) -> tuple[Any, ...]:
            chosen = named([direction is not None for direction in directions])
            tensors = ctx.saved_tensors
            moved = [
                torch.zeros_like(tensors[n]) if directions[n] is None else directions[n]
                for n in inputs_of(k, chosen)
            ]
            found = forward_of(chosen)(*tensors, *moved)
            return tuple(change.expand(shape) for change, shape in zip(found, ctx.shapes, strict=True))

        @staticmethod
        def vmap(info: Any, in_dims: Any, *tensors: Any) -> tuple[Any, Any]:
            leads = [
                tensor.ndim - len(shape) - (dim is not None)
                for tensor, shape, dim in zip(tensors, inputs, in_dims, strict=True)
            ]
            front = []
            for tensor, dim, lead in zip(tensors, in_dims, leads, strict=True):
                if dim is None:
                    front.append(tensor)
                    continue
                tensor = tensor.movedim(dim, 0)
                ones = (1,) * (max(leads) - lead)
                front.append(tensor.reshape(tensor.shape[0], *ones, *tensor.shape[1:]))
            return KernelFunction.apply(*front), (0,) * len(results)

    return KernelFunction.apply
