"""Linear systems that scripts solve: LU with row exchanges by LAPACK, called from machine code."""

import ctypes
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .script import CallForeign


@cache
def _address(name: str) -> int:
    """Of one of the functions that SciPy offers to other compiled code."""
    # On use: it takes longer to import than all the rest.
    capsule = import_module("scipy.linalg.cython_lapack").__pyx_capi__[name]
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.argtypes, name_of.restype = (ctypes.py_object,), ctypes.c_char_p
    pointer_of.argtypes, pointer_of.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    address = pointer_of(capsule, name_of(capsule))
    assert address is not None
    return address


class Factorized:
    """A matrix that is factored in place, and solves systems (Golub & Van Loan, Matrix Computations, §3.4).

    Args:
        matrix: (n, n) of float64 or complex128, in C order, where its numbers are written and factored.

    Attributes:
        swaps: (n,) which row each was exchanged with, counted from 1, and a zero if n is odd.
    """

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.matrix, n = matrix, len(matrix)
        self._kind = "z" if np.iscomplexobj(matrix) else "d"
        self._n, self._info = np.array([n], np.intc), np.zeros(1, np.intc)
        self.swaps = np.zeros(n + n % 2, np.intc)  # so many that they can be copied as numbers
        self._side = np.frombuffer(b"T", np.uint8)  # in LAPACK's order it is the matrix turned over

    def factor(self) -> CallForeign:
        """The instruction that factors the matrix."""
        arguments = (self._n, self._n, self.matrix, self._n, self.swaps, self._info)
        return CallForeign(_address(self._kind + "getrf"), arguments)

    def solve(self, right: NDArray[Any]) -> CallForeign:
        """The instruction that puts solutions in the place of right sides, (n,) or many, (k, n).

        The numbers of complex ones are pairs, (n, 2).
        """
        many = right.ndim == 2 and self._kind == "d"
        count = np.array([len(right) if many else 1], np.intc)
        head = (self._side, self._n, count, self.matrix, self._n, self.swaps)
        return CallForeign(_address(self._kind + "getrs"), (*head, right, self._n, self._info))
