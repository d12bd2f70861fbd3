"""Machine code called as it is, without the checks in front of it."""

import ctypes
from collections.abc import Sequence

import numpy as np

from whippletree.kernels.emit.llvm import BATCH
from whippletree.kernels.run.machine import Code

_Batch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def run_batch(code: Code, arrays: Sequence[np.ndarray], first: int, last: int, memory: int = 0) -> None:
    """`wt_batch` on the rows first … last - 1 of input and output arrays; a single row serves all.

    `memory` is the address of its room, 0 for none.
    """
    rows = [(array.ctypes.data, array.strides[0] if len(array) > 1 else 0) for array in arrays]
    table = np.array([*rows, (memory, 0)], dtype=np.int64)
    _Batch(code.function(BATCH))(table.ctypes.data, first, last)
