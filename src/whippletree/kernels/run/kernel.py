"""A compiled function of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter, Signature, signature
from keyword import iskeyword
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any, Self
from weakref import ref

import numpy as np

from ...errors import InputError
from ..trace.arguments import arrays, bind, structures
from ..trace.precision import SINGLE, precision_of
from ..trace.program import Program
from ..trace.structure import Branch, Leaf, leaves, unflatten
from . import build, call
from .direct import WithRoom, send_calls_to
from .general_call import Checked
from .machine import Code, host

if TYPE_CHECKING:
    from .packed import PackedKernel

_LONG = 1 << 16  # instructions; batches that take more let other threads run meanwhile


class Kernel(WithRoom):
    """Machine code for one program.

    A kernel is called as the function it was traced from, with arrays of the traced shapes, or with more axes
    in front for a batch of states; leading axes broadcast. Arguments go by position or by name. Results are
    nested as the function's were, the batch axes in front of every array. One state, a batch and a batch on
    several threads give the same numbers to the last bit.

    Code is compiled when it is first needed, scalar for one state and vector for batches, and kept on disk.

    Args:
        program: What to compute.
        name: Shown by `repr`, and the name of the function in exported sources.
        dtype: Of all numbers, as they are given, computed and returned: "float64" or "float32". Arguments of
            other dtypes are converted.

    Attributes:
        program: The program.
        name: The name. It may be changed, as by `k.name = "dynamics"`, where a function's own will not do for
            exported sources: a lambda has none, and some are taken in C.
        dtype: NumPy's dtype of all numbers.

    >>> import numpy as np, whippletree as wt
    >>> from whippletree.kernels.trace.recording import trace
    >>> k = wt.Kernel(trace(lambda a, b: (a + b, a @ b), {"a": (2,), "b": (2,)}), "sum_dot")
    >>> k(np.array([1.0, 2.0]), b=[3.0, 4.0])
    (array([4., 6.]), np.float64(11.0))
    >>> k(np.ones((5, 1, 2)), np.ones((3, 2)))[1].shape
    (5, 3)
    """

    program: Program
    name: str

    def __new__(cls, program: Program, name: str = "kernel", dtype: Any = "float64") -> Self:
        # Each kernel has a class of its own, whose __call__ becomes the native function: Python then calls
        # machine code directly, without a frame of its own in between, which would take as long as the
        # code of a small kernel.
        members: dict[str, Any] = {"__module__": cls.__module__, "__doc__": cls.__doc__}
        # The class of a kernel may make another: by its function that would compute the same.
        members |= {"_is_own": True, "__call__": _called_like(cls)}
        own: Any = type(cls.__name__, (cls,), members)
        return object.__new__(own)

    def __init__(self, program: Program, name: str = "kernel", dtype: Any = "float64") -> None:
        self.program = program
        self.name = name
        self._precision = precision_of(dtype)
        self.dtype: np.dtype[Any] = np.dtype(self._precision.dtype)
        self._checked = Checked(program, self._precision)
        # What `inspect.signature` and editors show. Of the kernel: its class has a signature of its own.
        self.__signature__: Signature = _signature(structures(program.inputs))

    def __call__(self, *arguments: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Compute.

        Args:
            arguments: As the function's, every array (*shape) or (..., *shape); real numbers.
            out: Arrays to write the results into, nested as the results are; of their shapes and `dtype`.
            threads: How many threads to spread a batch over.
            named: Inputs by name.

        Returns:
            The results as new arrays, numbers where there are no axes; or `out`.
        """
        function = self._native() if call.supported() else staticmethod(self._checked)
        if not _is_flat(self.program) or any(entry.part for entry in self.program.inputs):
            function = staticmethod(_nested(self.program, function))
        type(self).__call__ = function
        if isinstance(function, BuiltinFunctionType):
            send_calls_to(self, function)
        return function(*arguments, out=out, threads=threads, **named)

    def _native(self) -> Any:
        """The native function, which hands on to `_checked` what it does not do itself."""
        entrance = build.call_code(self.program, host(), self._precision)
        long_from = max(1, _LONG // (self.program.n_executed + 1))
        checked, this = self._checked, ref(self)  # a function that knew its kernel would keep it for ever
        names = [entry.name for entry in self.program.inputs]

        def hand_on(*arguments: Any, **named: Any) -> Any:
            kernel = this()
            if kernel is None or not named or not named.keys().isdisjoint(("out", "threads")):
                return checked(*arguments, **named)
            return type(kernel).__call__(*bind(names, arguments, named))  # in order, which is the native way

        function = call.native_function(self.name, entrance, self._precision, hand_on, long_from)
        self._checked.attach(entrance)
        return function

    def scalar_code(self) -> Code:
        """The machine code for one state, for machine code that calls it."""
        return self._checked.code(1)

    def vector_code(self) -> Code:
        """The machine code for several states at a time."""
        return self._checked.code(host().lanes(self._precision))

    def array_shapes(self) -> list[tuple[int, ...]]:
        """Of one state: shapes of all inputs, then of all results."""
        outputs = [leaf.shape for leaf in leaves(self.program.outputs)]
        return [*(entry.shape for entry in self.program.inputs), *outputs]

    def __repr__(self) -> str:
        shapes = {
            name: unflatten(structure, (leaf.shape for leaf in leaves(structure)))
            for name, structure in structures(self.program.inputs).items()
        }
        single = " in float32" if self._precision is SINGLE else ""
        listed = ", ".join(f"{name}: {shape}" for name, shape in shapes.items())
        return f"<Kernel {self.name}({listed}){single}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.program, self.name, self.dtype.name)

    @property
    def cost(self) -> dict[str, int]:
        """Operations by kind: mul, add, div, sqrt, trig, exp, select, compare.

        >>> import whippletree as wt
        >>> from whippletree.kernels.trace.recording import trace
        >>> wt.Kernel(trace(lambda a, b: a @ b, {"a": (3,), "b": (3,)})).cost["mul"]
        3
        """
        return dict(self.program.cost)

    def packed(self) -> PackedKernel:
        """A kernel of the same function that gives every number of its results once, and no constants.

        >>> import whippletree as wt
        >>> m = wt.examples.load("double-pendulum")
        >>> k = m.kernel("crba").packed()  # the triangle of a symmetric matrix
        >>> k([0.3, 0.5]).round(3)
        array([2.544, 0.772])
        >>> k.unpack(k([0.3, 0.5])).round(3)
        array([[2.544, 0.772],
               [0.772, 0.333]])
        """
        from .packed import PackedKernel  # on use: it is made of this class

        return PackedKernel(self.program, self.name, self.dtype)

    def source(self, language: str) -> str:
        """The kernel as text: `"c"`, `"python"` or `"llvm"` (the vector code for this processor).

        >>> import whippletree as wt
        >>> from whippletree.kernels.trace.recording import trace
        >>> k = wt.Kernel(trace(lambda a, b: a * b, {"a": (), "b": ()}), "<lambda>")
        >>> k.name = "product"
        >>> "void product(" in k.source("c")
        True
        """
        if not isinstance(language, str) or language not in ("c", "python", "llvm"):
            raise InputError(f"no source in {language!r:.60}; there is 'c', 'python' and 'llvm'")
        if language == "c":
            from ..export.c_source import to_c  # on use, as the other one: most kernels are never exported

            return to_c(self.program, self.name, self._precision)
        if language == "python":
            from ..export.python_source import to_python

            return to_python(self.program, self.name)
        return build.kernel_text(self.program, host(), host().lanes(self._precision), self._precision)


def _signature(names: Iterable[str]) -> Signature:
    """Inputs by position or name, then the options; that of `__call__` if an input cannot go by its name."""
    general = signature(Kernel.__call__).parameters
    options = [general["out"], general["threads"]]
    if any(not n.isidentifier() or iskeyword(n) or n in ("out", "threads") for n in names):
        return Signature(list(general.values())[1:])
    return Signature([*(Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in names), *options])


def _is_flat(program: Program) -> bool:
    """Whether the outputs are one array or a plain tuple of arrays, as native code returns them."""
    outputs = program.outputs
    if isinstance(outputs, Branch):
        several = len(outputs.children) != 1
        return outputs.kind is tuple and several and all(isinstance(c, Leaf) for c in outputs.children)
    return True


def _called_like(kind: type[Kernel]) -> Callable[..., Any]:
    """How kernels of a class are called before they have a function."""
    return next(base for base in kind.__mro__ if "_is_own" not in vars(base)).__call__


def _nested(program: Program, function: Any) -> Any:
    """The function with its arguments taken apart, and its results put into their structure."""
    inputs = structures(program.inputs)
    names = list(inputs)

    def nested(*arguments: Any, **named: Any) -> Any:
        options = {option: named.pop(option) for option in ("out", "threads") if option in named}
        values = zip(inputs.items(), bind(names, arguments, named), strict=True)
        flat = [array for (name, structure), value in values for array in arrays(name, structure, value)]
        results = function(*flat, **options)
        return unflatten(program.outputs, results if isinstance(results, tuple) else (results,))

    return nested
