"""Compile a function of a mechanism into machine code for that mechanism (RBDA §10.4)."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..checks.argument_table import known_arguments
from ..checks.checking import PUBLIC
from ..errors import InputError
from ..kernels.export.sympy_expressions import Symbolic, to_sympy
from ..kernels.run.kernel import Kernel
from ..kernels.simplify.passes import simplified
from ..kernels.store import programs as stored
from ..kernels.store import sources
from ..kernels.store.content import content
from ..kernels.trace.arguments import Declared
from ..kernels.trace.precision import DOUBLE, precision_of
from ..kernels.trace.program import Program
from ..kernels.trace.recording import recording
from ..loops.equations.rank import MisfitError
from ..model.fields import meant
from ..model.mechanism import Mechanism
from ..model.parameters import with_parameters
from ..model.snapshot import Snapshot
from ..model.values import signature_of
from .assembly_kernel import AssemblyKernel, fixed_hold, is_assembly
from .choices import chosen_at, no_choice
from .closed_kernel import ClosedKernel, needs_choice
from .mobility_kernel import MobilityKernel, is_mobility


def compile(
    function: Callable[..., Any],
    m: Mechanism,
    *,
    inputs: Mapping[str, Declared] | None = None,
    parameters: Sequence[str] = (),
    at: Any = None,
    dtype: Any = "float64",
    **fixed: Any,
) -> Kernel:
    """Machine code for one function and one mechanism, for single states and batches.

    The function is called once, with symbolic scalars in place of numbers; what it does with them is
    recorded, simplified and compiled. The mechanism's own numbers are constants in it, so that zeros
    vanish and a planar mechanism costs what a planar code costs.

    A kernel does not look at what it is given: a NaN or a quaternion that is not of unit norm, which the
    functions themselves refuse, is computed with. Its arithmetic is that of real numbers, where x - x is 0
    and (x + c) - c is x: rounding, infinities and the signs of zeros may come out otherwise than by NumPy.

    What is made of this library's own functions, for mechanisms of its own joint types, is kept on disk and
    found again by the content of all arguments. A function or a joint type of yours may depend on anything,
    so it is recorded anew by every call; its machine code is kept.

    `assemble` is a search and cannot be recorded: its kernel k(q_guess) searches for many poses side by
    side, with gaps and Jacobians compiled. So `mobility`, which gives a list of reports for many positions.

    Args:
        function: A public algorithm, as `wt.aba`, or any function of arrays that calls some. If its
            first argument is named `m`, it receives the mechanism.
        m: The mechanism.
        inputs: Shapes of arguments whose names do not tell. In every function q is (nq,), qd, qdd and tau are
            (nv,), f_ext is (nb, 6); the library's own functions are known in full.
            An argument with a default is an input only if it is named here, as {"f_ext": (nb, 6)}. One that
            is a dictionary, tuple or list of arrays is declared by its shapes, nested alike, as
            {"gains": {"kp": (nv,), "kd": (nv,)}}, and given to the kernel in the same way.
        parameters: Numbers of the mechanism to leave open, as "link3.mass"; see `parameter_names`. They
            become one more input, named `parameters`, at the end. The function has to take m, in which it
            sees them.
        at: (nq,) a position with all loops closed, for functions of mechanisms with loops that choose rows,
            pivots or dependent coordinates by numbers: `forward_dynamics` by every method, the methods of
            `loops` and `formulations`, `reactions` and `constraint_forces`. They choose there. Where that
            does not hold any more, as a pivot is only a thousandth of what it was, the kernel answers NaN.
            Without it, `forward_dynamics` becomes a kernel that is right in all closed positions: several
            choices are compiled, when first needed, and the first that holds answers for each state.
        dtype: Of all numbers, those given, computed and returned: "float64" or "float32". In float32 batches
            take about half the time and half the memory, and results have a relative error of about 1e-7,
            more where they are small differences of large numbers: accelerations about 1e-7 times the
            condition number of the mass matrix, up to 1e-5 for humanoids, and no digit is left where a body
            has next to no inertia. Arrays of float64 given to such a kernel are rounded to float32.
        fixed: Values of arguments that are no inputs, as frame="tool".

    Raises:
        InputError: An argument is not what it should be.
        TraceError: The function does something that cannot be recorded, as a branch on a value; the message
            shows the line and what to do instead.
        SingularError: A joint moves no inertia, whatever the position.

    Returns:
        A kernel k: k(q, qd, tau) for one state or, with more axes in front, for many.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> k = wt.compile(wt.aba, m)
    >>> k(np.array([0.3, 0.5]), np.zeros(2), np.zeros(2)).round(3)
    array([  0.375, -11.424])
    >>> k(np.zeros((1000, 2)), np.zeros(2), np.zeros(2)).shape
    (1000, 2)
    >>> wt.compile(wt.aba, m, dtype="float32")(np.zeros((4, 2)), np.zeros(2), np.zeros(2)).dtype
    dtype('float32')
    >>> m = wt.examples.load("four-bar")
    >>> k = wt.compile(wt.constraint_forces, m, at=m.neutral())
    >>> k(m.neutral(), np.zeros(3), np.zeros(3)).shape
    (5,)
    >>> turned = m.kernel("assemble", hold=["crank"])([[0.1, 0.0, 0.0], [0.2, 0.0, 0.0]])
    >>> m.kernel("forward_dynamics")(turned, np.zeros(3), np.zeros(3)).round(3)
    array([[-21.508,  25.101,  -4.996],
           [-15.146,  17.294,  -4.095]])
    """
    _check(function, m, inputs, parameters)
    precision = precision_of(dtype)
    if is_assembly(function) or is_mobility(function):
        if precision is not DOUBLE:
            raise InputError(f"dtype is {precision.dtype!r}, and {_name(function)} searches in float64 only")
        for option, given in (("inputs", inputs), ("parameters", parameters), ("at", at)):
            if given is not None and len(given):
                raise InputError(f"{option} is given, and {_name(function)} takes none: leave it out")
        if is_assembly(function):
            return AssemblyKernel(record, m, fixed_hold(fixed))
        if not set(fixed) - {"tolerance"}:
            return MobilityKernel(record, m, *fixed.values())
    if at is None and needs_choice(function, m, fixed):
        return ClosedKernel(record, m, inputs, parameters, fixed, precision.dtype)
    program = record(function, m, inputs=inputs, parameters=parameters, at=at, **fixed)
    return Kernel(program, _name(function), precision.dtype)


def kernel(m: Mechanism, name: str, **options: Any) -> Kernel:
    """The kernel of a public function for a mechanism, made once; see `Mechanism.kernel`."""
    return made_once(_public(name), m, **options)


def made_once(function: Callable[..., Any], m: Mechanism, **options: Any) -> Kernel:
    """As `compile`, for a function of this library: kernels of equal mechanisms and options are kept."""
    if m.drivers and "parameters" not in options:  # which none of these functions looks at
        m = m.with_parts(drivers=())
    said = content((m, options))
    if said is None:  # something of a user, which may have changed since
        return compile(function, m, **options)
    return _kernel(function, _Call(m, said, options))


class _Call(Snapshot):
    """A mechanism with the options of a call, equal to others that say the same, names included."""

    def __init__(self, m: Mechanism, said: str, options: dict[str, Any]) -> None:
        super().__init__(m, said)
        self.options = options


@lru_cache(maxsize=64)
def _kernel(function: Callable[..., Any], call: _Call) -> Kernel:
    return compile(function, call.m, **call.options)


def _public(name: str) -> Callable[..., Any]:
    """A public function that takes a mechanism, by name."""
    if not isinstance(name, str):
        raise InputError(
            f"m.kernel takes the name of a public function, as 'aba', not {name!r}: see wt.compile"
        )
    if name not in PUBLIC:
        hint = meant(name, PUBLIC) or ", as 'aba'"
        raise InputError(f"there is no function {name!r} of a mechanism: give the name of a public one{hint}")
    return PUBLIC[name]


def symbolic(
    function: Callable[..., Any],
    m: Mechanism,
    *,
    inputs: Mapping[str, Declared] | None = None,
    parameters: Sequence[str] = (),
    **fixed: Any,
) -> Symbolic:
    """What `compile` would compile, as SymPy expressions; arguments as there. Needs SymPy.

    Returns:
        `inputs`, a dictionary of symbols, and `outputs`, expressions in the function's structure.

    >>> import whippletree as wt
    >>> m = wt.examples.load("pendulum")
    >>> wt.symbolic(wt.kinetic_energy, m).outputs
    0.166666666666667*qd_0**2
    """
    return to_sympy(record(function, m, inputs=inputs, parameters=parameters, **fixed))


def record(
    function: Callable[..., Any],
    m: Mechanism,
    *,
    inputs: Mapping[str, Declared] | None = None,
    parameters: Sequence[str] = (),
    at: Any = None,
    limit: float | None = None,
    **fixed: Any,
) -> Program:
    """The simplified list of operations that `compile` turns into code; arguments as there.

    What is chosen at a position counts while its quality is above `limit`, if that is given.
    """
    _check(function, m, inputs, parameters)
    guard = None
    if at is not None:
        function, fixed, guard = chosen_at(function, m, at, fixed, limit)
    shapes = _shapes(function, m, dict(inputs or {}), fixed)
    takes_mechanism = next(iter(signature_of(function, "function").parameters), None) == "m"
    names = list(shapes)
    if parameters:
        if not takes_mechanism:
            raise InputError(
                f"{_name(function)} would not see {parameters[0]!r}: parameters are numbers of the mechanism "
                "that a function is given; let its first argument be m, and use that"
            )
        if "parameters" in shapes:
            raise InputError(
                f"{_name(function)} has an argument 'parameters' of its own, and the mechanism's parameters "
                "become an input of that name: give the argument another one"
            )
        shapes["parameters"] = (len(parameters),)

    def of_arrays(*arrays: Any) -> Any:
        model = with_parameters(m, parameters, arrays[-1]) if parameters else m
        arguments = dict(zip(names, arrays, strict=False))
        if not takes_mechanism:
            return function(**arguments, **fixed)
        found = function(model, **arguments, **fixed)
        return found if guard is None else guard.over(found, model, arguments | fixed)

    def made() -> Program:
        return simplified(recording(of_arrays, shapes))

    try:
        return stored.program(_name_on_disk(function, m, shapes, parameters, fixed, guard), made)
    except MisfitError:
        if guard is None:
            raise
        raise no_choice(m) from None


def _check(function: Any, m: Any, inputs: Any, parameters: Any) -> None:
    """InputError for what is not of its kind."""
    if not callable(function):
        named = f", or m.kernel({function!r})" if isinstance(function, str) else ""
        raise InputError(f"function is {function!r}, expected a function, as wt.aba{named}")
    if not isinstance(m, Mechanism):
        raise InputError(f"m is {type(m).__name__}, expected a Mechanism")
    if inputs is not None and not isinstance(inputs, Mapping):
        raise InputError(f"inputs is {inputs!r}, expected shapes by name, as {{'target': (3,)}}")
    if isinstance(parameters, str) or not isinstance(parameters, Sequence):
        such_as = [parameters] if isinstance(parameters, str) else ["lower.mass"]
        raise InputError(f"parameters is {parameters!r}, expected a list of names, as {such_as}")


def _name_on_disk(function: Callable[..., Any], *rest: Any) -> tuple[str, ...] | None:
    """Everything that decides what is recorded, hashed; None if it is not all known.

    Known are functions of this library, mechanisms of joints of this library, and plain values. Functions
    and joints of a user can depend on anything.
    """
    library = sources.digest()
    if library is None:
        return None
    said = content((function, *rest))
    return None if said is None else (said, library, sys.version, np.__version__)


def _shapes(
    function: Callable[..., Any], m: Mechanism, given: dict[str, Declared], fixed: Mapping[str, Any]
) -> dict[str, Declared]:
    """Names and shapes of the inputs, in the order of the function's arguments."""
    arguments = dict(signature_of(function, "function").parameters)
    known = known_arguments(function)
    for argument in arguments.values():
        if argument.kind not in (argument.POSITIONAL_OR_KEYWORD, argument.KEYWORD_ONLY):
            raise InputError(
                f"{_name(function)} has the {argument.kind.description} argument {argument}: "
                "arguments of a kernel are given by name or by position, each by itself"
            )
    for name in (*given, *fixed):
        if name not in arguments or name == "m":
            raise InputError(f"{_name(function)} has no argument {name!r}; it has {', '.join(arguments)}")
        if name in given and name in fixed:
            raise InputError(
                f"{name!r} is declared as an input and has a value, {fixed[name]!r}: give one of them"
            )
    shapes: dict[str, Declared] = {}
    for name, argument in arguments.items():
        if name in fixed or (name == "m" and not shapes):
            continue
        if name in given:
            shapes[name] = given[name]
        elif argument.default is not inspect.Parameter.empty:
            continue
        elif name in known:
            shapes[name] = known[name].shape(m)
        else:
            raise InputError(
                f"{_name(function)}: the shape of {name!r} is not known; give its value, as {name}=…, or, if "
                f'it is to be an input, its shape, as inputs={{"{name}": (3,)}}. Known by name are '
                f"{', '.join(known)}"
            )
    return shapes


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)
