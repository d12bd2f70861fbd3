"""How real numbers are held: as doubles or as single floats."""

from __future__ import annotations

from ctypes import c_float
from dataclasses import dataclass
from math import copysign, isfinite
from typing import Any

import numpy as np

from ...errors import InputError


@dataclass(frozen=True)
class Precision:
    """A format of IEEE 754.

    Attributes:
        dtype: NumPy's name.
        element: LLVM's name.
        suffix: What LLVM's intrinsics for it end in.
        c_type: C's name.
        bits: Of a number.
        fraction: Bits of its fraction.
    """

    dtype: str
    element: str
    suffix: str
    c_type: str
    bits: int
    fraction: int

    @property
    def bytes(self) -> int:
        """Of a number."""
        return self.bits // 8

    @property
    def integer(self) -> str:
        """LLVM's integer of as many bits."""
        return f"i{self.bits}"

    @property
    def bias(self) -> int:
        """The exponent that stands for 0, and the largest there is."""
        return 2 ** (self.bits - self.fraction - 2) - 1

    def rounded(self, value: float) -> float:
        """A double as a number of this precision; one that is finite and not 0 stays so.

        A bound such as 1e-300, below all floats, keeps from dividing by 0 as the smallest float, too.

        >>> SINGLE.rounded(0.1), SINGLE.rounded(-1e-300), SINGLE.rounded(1e300)
        (0.10000000149011612, -1.1754943508222875e-38, 3.4028234663852886e+38)
        """
        if self.bits == 64 or value == 0.0 or not isfinite(value):
            return value
        smallest, largest = 2.0 ** (1 - self.bias), (2.0 - 2.0**-self.fraction) * 2.0**self.bias
        return c_float(copysign(min(max(abs(value), smallest), largest), value)).value


DOUBLE = Precision("float64", "double", "f64", "double", 64, 52)
SINGLE = Precision("float32", "float", "f32", "float", 32, 23)


def precision_of(dtype: Any) -> Precision:
    """The precision of a dtype as users give it, or InputError.

    >>> precision_of("float32").bytes
    4
    """
    for precision in (DOUBLE, SINGLE):
        try:
            if dtype is not None and np.dtype(dtype) == np.dtype(precision.dtype):
                return precision
        except TypeError:  # no dtype at all
            break
    raise InputError(f"dtype is {dtype!r}, expected 'float64' or 'float32'")
