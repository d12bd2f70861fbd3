"""Kernels as functions of CasADi: exported C where there is a compiler, calls back into Python where not."""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.run.kernel import Kernel
from ..kernels.trace.structure import leaves
from .casadi_levels import Level, Pattern, first_level
from .casadi_source import library_source
from .derived import checked_kernel, flat_call, given_jacobian, library

NAME = "whippletree"
"""Of the function in the library that is compiled; that of a Jacobian has jac_ in front of it."""


def casadi(
    k: Kernel, *, derivative: Kernel | None = None, orders: int = 2, compiler: str | None = "cc"
) -> Any:
    """A kernel as a function of CasADi, with exact sparse Jacobians: for Opti, nlpsol, ipopt.

    With a C compiler the kernel and its Jacobians are written as C, compiled and loaded; without one, CasADi
    calls the machine code through Python. Numbers agree to rounding.

    Args:
        k: The kernel, as of `wt.compile`.
        derivative: Jacobians to take instead of those made from `k`, as `wt.derivative(wt.aba, m, wrt=("q",
            "qd", "tau"))` gives them, with respect to all inputs in order: that knows shorter roads.
        orders: How often the C can be differentiated: 1, where a solver asks for gradients alone; 2, for
            exact Hessians too. Each takes several times longer to compile.
        compiler: The command of a C compiler; None, or one that is not found: call back into Python, where
            the order of derivatives has no end.

    Returns:
        A `casadi.Function` with the kernel's inputs by name, vectors as columns; derivatives are with respect
        to their entries, of which a quaternion has four. What it calls stays loaded as long as the process
        runs.

    Raises:
        InputError: CasADi is not installed; an array has more than two axes; the compiler fails.

    >>> import casadi, whippletree as wt  # doctest: +SKIP
    >>> m = wt.examples.load("double-pendulum")  # doctest: +SKIP
    >>> energy = wt.interop.casadi(wt.compile(wt.potential_energy, m))  # doctest: +SKIP
    >>> q = casadi.MX.sym("q", 2)  # doctest: +SKIP
    >>> gradient = casadi.Function("gradient", [q], [casadi.gradient(energy(q), q)])  # doctest: +SKIP
    >>> gradient([0.3, 0.5])  # doctest: +SKIP
    DM([7.86721, 3.51863])
    """
    checked_kernel(k, "casadi")
    ca = _casadi()
    if type(orders) is not int or orders not in (1, 2):
        raise InputError(f"orders is {orders!r}, expected 1 or 2")
    for name, shape in [*((e.name, e.shape) for e in k.program.inputs), *_results(k)]:
        if len(shape) > 2:
            raise InputError(f"{name} has shape {shape}, and CasADi knows matrices, of two axes, at most")
    given = None if derivative is None else given_jacobian(k, derivative)
    if compiler is not None and not isinstance(compiler, str):
        raise InputError(f"compiler is {compiler!r:.60}, expected the command of a C compiler, or None")
    found = None if compiler is None else shutil.which(compiler)
    level = first_level(k)
    inner = _callback(level, k.name, given) if found is None else _external(level, given, orders, found)
    symbols = [ca.MX.sym(_word(e.words), *e.shape) for e in k.program.inputs]
    columns = [
        ca.vec(x.T) if len(e.shape) == 2 else x for x, e in zip(symbols, k.program.inputs, strict=True)
    ]
    results = [
        ca.reshape(y, shape[1], shape[0]).T if len(shape) == 2 else y
        for y, (_, shape) in zip(inner.call(columns), _results(k), strict=True)
    ]
    return ca.Function(
        _word([k.name]), symbols, results, [x.name() for x in symbols], [_word([n]) for n, _ in _results(k)]
    )


def _casadi() -> Any:
    """The module `casadi`, if it is installed."""
    return library("casadi", "CasADi", "whippletree[casadi]")


def _results(k: Kernel) -> list[tuple[str, tuple[int, ...]]]:
    """Names and shapes of the results."""
    shapes = [leaf.shape for leaf in leaves(k.program.outputs)]
    return [(f"out{n}" if len(shapes) > 1 else "out", shape) for n, shape in enumerate(shapes)]


def _word(parts: Sequence[str]) -> str:
    """A name that CasADi takes: letters, digits and single underlines, a letter first."""
    letters = "".join(c if c.isascii() and c.isalnum() else "_" for c in "_".join(parts))
    word = "_".join(filter(None, letters.split("_"))) or "f"
    return word if word[0].isalpha() else f"f{word}"


def _external(level: Level, given: Kernel | None, orders: int, compiler: str) -> Any:
    """The function from a library of exported C."""
    ca = _casadi()
    levels = [level, level.jacobian(given)]
    if orders == 2:
        levels.append(levels[1].jacobian())
    with tempfile.TemporaryDirectory(prefix="whippletree", ignore_cleanup_errors=True) as folder:
        source, made = Path(folder, "kernel.c"), Path(folder, "kernel.so")
        source.write_text(library_source(levels, NAME), encoding="utf-8")
        command = [compiler, "-O1", "-shared", "-fPIC", str(source), "-o", str(made), "-lm"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            raise InputError(
                f"{compiler} could not compile the exported C: {run.stderr.strip()[:500]}; give another "
                "compiler, or compiler=None to do without"
            )
        return ca.external(NAME, ca.Importer(str(made), "dll"))


_kept: list[Any] = []
"""All of them: CasADi calls them as long as a function that holds them lives, and does not keep them."""


def _callback(level: Level, name: str, given: Kernel | None = None) -> Any:
    """The function as an object that CasADi calls back."""
    ca, flat = _casadi(), flat_call(level.kernel)
    n_taken = len(level.kernel.program.inputs)

    def sparsity(pattern: Pattern) -> Any:
        return ca.Sparsity(pattern.rows, pattern.columns, *pattern.compressed())

    @cache
    def jacobian() -> Level:
        return level.jacobian(given)

    class KernelCallback(ca.Callback):
        def __init__(self) -> None:
            super().__init__()
            self.construct(_word([name]), {})

        def get_n_in(self) -> int:
            return len(level.inputs)

        def get_n_out(self) -> int:
            return len(level.results)

        def get_sparsity_in(self, i: int) -> Any:
            return sparsity(level.inputs[i])

        def get_sparsity_out(self, i: int) -> Any:
            return sparsity(level.results[i])

        def eval(self, values: Sequence[Any]) -> list[Any]:
            found = iter(flat(*(np.array(x.full()).ravel() for x in values[:n_taken])))
            return [ca.DM(sparsity(p), next(found) if p.n_places else []) for p in level.results]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, name: str, inames: Any, onames: Any, opts: Any) -> Any:
            return _callback(jacobian(), name)

        def has_jac_sparsity(self, oind: int, iind: int) -> bool:
            return True

        def get_jac_sparsity(self, oind: int, iind: int, symmetric: bool) -> Any:
            return sparsity(jacobian().results[oind * len(level.inputs) + iind])

    made = KernelCallback()
    _kept.append(made)
    return made
