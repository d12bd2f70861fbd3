"""Results without zeros and repetitions: what is left of a symmetric or sparse matrix, side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import InputError
from ..trace.precision import precision_of
from ..trace.program import Program
from ..trace.structure import Leaf, leaves, unflatten
from .kernel import Kernel


class PackedKernel(Kernel):
    """A kernel that gives every number of its results once, and none that is the same for all inputs.

    Of a mass matrix these are the entries of one triangle, those between joints of different branches left
    out; of a Jacobian those that are not zero everywhere. Large batches take less time by as much as there is
    less to write.

    Args:
        whole: The program with all results.
        name: As of a kernel.
        dtype: Likewise.

    Attributes:
        places: (n,) where each number stands first, counted through all results in C order.

    >>> import numpy as np
    >>> from whippletree.kernels.trace.recording import trace
    >>> k = Kernel(trace(lambda x: np.outer([1.0, 0.0, 2.0], x), {"x": (2,)})).packed()
    >>> k.places
    array([0, 1, 4, 5])
    >>> k([3.0, 5.0])
    array([ 3.,  5.,  6., 10.])
    >>> k.unpack(k([3.0, 5.0]))
    array([[ 3.,  5.],
           [ 0.,  0.],
           [ 6., 10.]])
    """

    def __init__(self, whole: Program, name: str = "kernel", dtype: Any = "float64") -> None:
        first: dict[int, int] = {}  # number of a value to its first place
        for place, number in enumerate(whole.results):
            if not whole.first_constant <= number < whole.first_instruction:
                first.setdefault(number, place)
        self._whole = whole
        self.places: np.ndarray[Any, np.dtype[np.int64]] = np.array(list(first.values()), np.int64)
        rank = {number: k for k, number in enumerate(first)}
        constants = range(whole.first_constant, whole.first_instruction)
        rank |= {number: len(first) + k for k, number in enumerate(constants)}
        self._constants = np.array([precision_of(dtype).rounded(c) for c in whole.constants], dtype)
        self._source = np.array([rank[number] for number in whole.results], np.int64)
        super().__init__(replace(whole, results=tuple(first), outputs=Leaf((len(first),))), name, dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedKernel, (self._whole, self.name, self.dtype.name)

    def packed(self) -> PackedKernel:
        """This kernel itself."""
        return self

    def unpack(self, values: Any) -> Any:
        """The results in full, nested as the function's were, of what the kernel gave.

        Args:
            values: (..., n) numbers.
        """
        values = np.asarray(values, self.dtype)
        if values.ndim == 0 or values.shape[-1] != len(self.places):
            raise InputError(f"values has shape {values.shape}, expected (..., {len(self.places)})")
        batch = values.shape[:-1]
        constants = np.broadcast_to(self._constants, (*batch, len(self._constants)))
        flat = np.concatenate([values, constants], axis=-1)[..., self._source]
        arrays, begin = [], 0
        for leaf in leaves(self._whole.outputs):
            arrays.append(flat[..., begin : begin + leaf.size].reshape((*batch, *leaf.shape))[()])
            begin += leaf.size
        return unflatten(self._whole.outputs, arrays)
