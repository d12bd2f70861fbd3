"""Forward dynamics of loops as one kernel: several choices compiled, for each state the first that holds.

A choice of dependent coordinates does not hold everywhere, and a kernel cannot choose. So it is compiled for
several choices, made at positions that follow from the mechanism alone. Each gives NaN where its pivots are
small. A state goes to the first; where that does not hold to the second, and so on; then to the equations
of the constraint forces, which need no dependents; and at last, as in singular positions, to the function as
it stands. Which one answers depends on the state alone, so a state gives the same bits in whatever company.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..errors import SingularError, SolverError
from ..kernels.run.kernel import Kernel
from ..kernels.trace.arguments import Declared, bind
from ..kernels.trace.program import Program
from ..loops.closing.generic import generic_position
from ..model.mechanism import Mechanism
from ..model.parameters import with_parameters
from ..spatial import Array
from .assembly_kernel import AssemblyKernel
from .forward import accelerations_by, forward_dynamics
from .forward_methods import METHODS, Method, find

MOST = 4
"""Choices of dependents that are compiled."""

GOOD = 0.1
"""Where the quality of a choice falls below this share of the first one's, another one is asked."""

FAR, TRIES = 1.5, 16
"""rad or m: how far from neutral the search for positions begins at which others are chosen; how often."""

BY_FORCES = "lambda-first"

Record = Callable[..., Program]


def needs_choice(function: Callable[..., Any], m: Mechanism, fixed: Mapping[str, Any]) -> bool:
    """Whether a function is forward dynamics by a method that chooses by numbers and can be recorded."""
    if inspect.unwrap(function) is not inspect.unwrap(forward_dynamics):
        return False
    _, method = find(m, fixed.get("method", "auto"))
    return method.choose is not None and method.recordable


class ClosedKernel(Kernel):
    """A kernel of `forward_dynamics` of a mechanism with loops, right in all closed positions.

    Its program, cost and source are those of the first choice alone, which gives NaN where it does not hold.

    Args:
        record: Records a function at a position: `compiling.record`.
        m: The mechanism.
        inputs, parameters, fixed, dtype: As given to `compile`.
    """

    def __new__(cls, record: Any, *options: Any) -> Self:
        return super().__new__(cls, record)  # which looks at none of this

    def __init__(
        self,
        record: Record,
        m: Mechanism,
        inputs: Mapping[str, Declared] | None,
        parameters: Sequence[str],
        fixed: Mapping[str, Any],
        dtype: str,
    ) -> None:
        m = m.copy()  # other choices are compiled later, when it may have been changed
        self._record, self._m, self._fixed = record, m, dict(fixed)
        self._inputs = inputs
        self._parameters = parameters
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        _, method = find(m, self._method)
        at = generic_position(m)
        assert method.quality is not None
        self._limit = GOOD * float(method.quality(m, at, **method.chosen(m, at)))
        self._first = self._made(self._method, at, self._limit)
        super().__init__(self._first.program, "forward_dynamics", dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return ClosedKernel, (
            *(self._record, self._m, self._inputs, self._parameters, self._fixed),
            self.dtype.name,
        )

    def __call__(self, *arguments: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Compute; as a `Kernel`. NaN where a state is not finite or has no accelerations."""
        found = self._first(*arguments, out=out, threads=threads, **named)
        missing = np.isnan(found[..., 0])
        if missing.any():
            self._complete(found, missing, arguments, threads, named)
        return found

    @property
    def _method(self) -> str:
        return find(self._m, self._fixed.get("method", "auto"))[0]

    def _complete(
        self, found: Array, missing: Array, arguments: tuple[Any, ...], threads: int, named: dict[str, Any]
    ) -> None:
        """Fill in the states for which the first choice does not hold."""
        batch = missing.shape
        entries = self.program.inputs
        given = bind([entry.name for entry in entries], arguments, named)
        rows = [
            np.broadcast_to(np.asarray(value, np.float64), (*batch, *entry.shape))[missing]
            for entry, value in zip(entries, given, strict=True)
        ]
        results = np.full((len(rows[0]), found.shape[-1]), np.nan)
        left = np.flatnonzero(np.all([np.isfinite(r.reshape(len(r), -1)).all(axis=1) for r in rows], axis=0))
        for kernel in self._others:
            if not len(left):
                break
            results[left] = kernel(*(r[left] for r in rows), threads=threads)
            left = left[np.isnan(results[left, 0])]
        for k in left.tolist():
            results[k] = self._as_it_stands({e.name: r[k] for e, r in zip(entries, rows, strict=True)})
        found[missing] = results

    @cached_property
    def _others(self) -> list[Kernel]:
        """Kernels of the other choices, and that of the constraint forces."""
        name, method = find(self._m, self._method)
        made = [] if method.everywhere else list(self._other_choices(name, method))
        if METHODS[BY_FORCES].fault(self._m) is None:
            made.append(self._made(BY_FORCES, generic_position(self._m), None))
        return made

    def _other_choices(self, name: str, method: Method) -> Iterator[Kernel]:
        """Kernels of choices that are made elsewhere than at the first position, each another one."""
        assert method.choose is not None
        known = [method.choose(self._m, generic_position(self._m))]
        for q in self._far_positions():
            choice = method.choose(self._m, q)
            if choice in known or len(known) == MOST:
                continue
            known.append(choice)
            with suppress(SingularError):  # there, what is chosen holds nowhere else
                yield self._made(name, q, self._limit)

    def _far_positions(self) -> Array:
        """(n, nq) closed positions far and wide, always the same ones."""
        m, rng = self._m, np.random.default_rng(1)
        guesses = m.integrate(m.neutral(), FAR * rng.normal(size=(TRIES, m.nv)))
        found, gaps = AssemblyKernel(self._record, m).search(guesses)
        return found[~gaps.any(axis=1)]

    def _made(self, method: str, q: Array, limit: float | None) -> Kernel:
        fixed = self._fixed | {"method": method}
        options = {"inputs": self._inputs, "parameters": self._parameters}
        program = self._record(forward_dynamics, self._m, at=q, limit=limit, **options, **fixed)
        return Kernel(program, "forward_dynamics", self.dtype)

    def _as_it_stands(self, state: dict[str, Array]) -> Any:
        m = self._m
        if "parameters" in state:
            m = with_parameters(m, self._parameters, state.pop("parameters"))
        fixed = {name: value for name, value in self._fixed.items() if name != "method"}
        try:
            return accelerations_by(m, **state, method=find(m, self._method)[1], **fixed)
        except (SingularError, SolverError, np.linalg.LinAlgError):
            return np.nan
