"""Mobility at many positions: Jacobians by machine code, pivots by the function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Self

from ..kernels.run.kernel import Kernel
from ..kernels.trace.program import Program
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.mobility import mobility, mobility_by
from ..loops.equations.near_dependence import checked_tolerance
from ..loops.equations.rank import TOLERANCE
from ..model.mechanism import Mechanism


def is_mobility(function: Callable[..., Any]) -> bool:
    """Whether a function is `mobility`."""
    return inspect.unwrap(function) is inspect.unwrap(mobility)


class MobilityKernel(Kernel):
    """`mobility` for one mechanism: a report for q (nq,), lists of them for q (..., nq).

    Its program, cost and source are those of the constraints' Jacobian.

    Args:
        record: Records a function: `compiling.record`.
        m: The mechanism, as it is now.
        tolerance: As in the function.
    """

    def __new__(cls, record: Any, *options: Any) -> Self:
        return super().__new__(cls, record)  # which looks at none of this

    def __init__(self, record: Callable[..., Program], m: Mechanism, tolerance: float = TOLERANCE) -> None:
        self._record, self._m, self._tolerance = record, m.copy(), checked_tolerance(tolerance)
        self._jacobian = Kernel(record(constraint_jacobian, m), "constraint_jacobian")
        super().__init__(self._jacobian.program, "mobility")

    def __reduce__(self) -> tuple[Any, ...]:
        return MobilityKernel, (self._record, self._m, self._tolerance)

    def __call__(self, q: Any, *, threads: int = 1) -> Any:
        """Report.

        Args:
            q: (..., nq) joint positions, rad or m, with all loops closed.
            threads: How many threads compute Jacobians.
        """
        return self._reports(self._jacobian(q, threads=threads))

    def _reports(self, K: Any) -> Any:
        return (
            mobility_by(self._m, K, self._tolerance) if K.ndim == 2 else [self._reports(part) for part in K]
        )
