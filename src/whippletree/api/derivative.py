"""Exact derivatives of any function of a mechanism, as machine code: Jacobians, and products without them.

The tangent space is defined here, once, for all of them. A derivative with respect to a position q is one
with respect to the nv numbers dq of `m.integrate(q, dq)`, at dq = 0: along the velocities of the joints. For
joints whose velocities are the rates of their coordinates that is ∂/∂q; a quaternion has three directions,
turns about the axes of the body that it carries, and a free joint six, angular before linear. All other
inputs are differentiated entry by entry. What comes out is left as it is: of a function that gives positions,
the derivatives of their nq coordinates.

Nothing is a difference of two values: recorded operations are differentiated one by one, by a table of exact
rules, forward from the inputs or backward from the results, and where a recursion of our own is shorter, that
is recorded instead.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..checks.argument_table import known_arguments
from ..errors import InputError
from ..kernels.derive.derivatives import forward, jacobian, product_forward, product_reverse, reverse
from ..kernels.derive.step_functions import refuse_steps
from ..kernels.run.kernel import Kernel
from ..kernels.simplify.passes import simplify
from ..kernels.store import programs as stored
from ..kernels.store import sources
from ..kernels.trace.arguments import Declared, structures
from ..kernels.trace.precision import DOUBLE, Precision, precision_of
from ..kernels.trace.program import Program
from ..kernels.trace.recording import trace
from ..model.mechanism import Mechanism
from ..model.positions import rate
from ..spatial import Array, array
from .compiling import record
from .derivative_roads import Wanted, by_recursion, implicit_forward, implicit_reverse

BOTH = 20_000
"""Instructions of a function up to which forward and reverse are both tried, and the shorter one is kept."""

SHALLOW = 1_000
"""Instructions up to which that is also done where there is a recursion, which wins where trees are deep."""


def derivative(
    function: Callable[..., Any],
    m: Mechanism,
    *,
    wrt: Sequence[str] = ("q",),
    inputs: Mapping[str, Declared] | None = None,
    parameters: Sequence[str] = (),
    at: Any = None,
    dtype: Any = "float64",
    **fixed: Any,
) -> Kernel:
    """The Jacobians of a function, exact, as machine code for single states and batches.

    Positions are differentiated in the tangent space: see `whippletree.api.derivative`. A choice by `where`,
    `minimum` or `maximum` has the derivative of what is chosen; floor and comparisons have the derivative 0.
    With loops or gears, derivatives with respect to q and qd have a meaning along the directions that these
    admit, and along others depend on the method: multiply them by admissible ones.

    Args:
        function: A public algorithm, as `wt.aba`, or any function that `compile` takes.
        m: The mechanism.
        wrt: Names of inputs to differentiate with respect to, those of `inputs` among them, and "parameters".
        inputs, parameters, at, fixed: As in `compile`.
        dtype: Of all numbers, "float64" or "float32", as in `compile`. The rules stay exact and round as
            float32 does. The error, as a share of the largest entry of a Jacobian, is up to some times that
            of the function: for six robots, up to 7e-6 where nothing is solved for, as in `rnea`, and 3e-5
            for accelerations. Where a body has next to no inertia no digit of these is left.

    Returns:
        A kernel with the inputs of the function. It gives a dictionary by the names in `wrt`, each with the
        structure of the function's results and, behind the axes of each array, those of the input: (nv,) for
        q. `k.cost` tells how many operations it takes.

    Raises:
        InputError: A name in `wrt` is no input, or a result depends on all of them by steps alone.
        SingularError: A joint moves no inertia, or `at` is a singular position.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> k = wt.derivative(wt.aba, m, wrt=("q", "tau"))
    >>> found = k(np.array([0.3, 0.5]), np.zeros(2), np.zeros(2))
    >>> found["q"].round(3)
    array([[-12.649,   2.291],
           [ 19.048, -15.29 ]])
    >>> np.allclose(found["tau"], wt.inverse_inertia(m, [0.3, 0.5]))
    True
    >>> wt.derivative(wt.aba, m, dtype="float32")(np.zeros((4, 2)), np.zeros(2), np.zeros(2))["q"].dtype
    dtype('float32')
    >>> k = wt.derivative(wt.energy, m, wrt=["parameters"], parameters=["lower.mass", "gravity.z"])
    >>> kinetic, potential = k([0.3, 0.5], [1.0, 2.0], [1.0, -9.81])["parameters"]
    >>> potential.round(3)
    array([-12.789,   1.781])
    """
    precision = precision_of(dtype)
    call = Wanted(function, m, wrt, inputs, parameters, at, fixed)
    program, charts = _recorded(call), _charts(function, m, wrt)

    def made() -> Program:
        recursion = by_recursion(call)
        if recursion is not None and program.n_instructions > SHALLOW:
            return recursion
        if program.n_instructions > BOTH:
            return simplify(jacobian(program, wrt, charts))
        roads = [derive(program, wrt, charts) for derive in (forward, reverse)]
        shorter = simplify(min(roads, key=lambda road: road.n_instructions))
        return shorter if recursion is None else min(shorter, recursion, key=_operations)

    return _kernel("derivative", call, program, charts, made, precision)


def jvp(
    function: Callable[..., Any],
    m: Mechanism,
    *,
    wrt: Sequence[str] = ("q",),
    inputs: Mapping[str, Declared] | None = None,
    parameters: Sequence[str] = (),
    at: Any = None,
    dtype: Any = "float64",
    **fixed: Any,
) -> Kernel:
    """The change of a function along a direction: its Jacobian times a vector, without the Jacobian.

    Args:
        function, m, wrt, inputs, parameters, at, dtype, fixed: As in `derivative`.

    Returns:
        A kernel with the inputs of the function and behind them, for each name in `wrt`, a direction
        "d_name": (nv,) for q, of the input's own shape for others. It gives what the function gives,
        differentiated.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> k = wt.jvp(wt.center_of_mass, m)
    >>> k(q=[0.3, 0.5], d_q=[1.0, 0.0]).round(3)
    array([-0.891,  0.   ,  0.401])
    >>> jacobian = wt.derivative(wt.center_of_mass, m)([0.3, 0.5])["q"]
    >>> np.allclose(k([0.3, 0.5], [0.2, 0.7]), jacobian @ [0.2, 0.7])
    True
    """
    precision = precision_of(dtype)
    call = Wanted(function, m, wrt, inputs, parameters, at, fixed)
    program, charts = _recorded(call), _charts(function, m, wrt)

    def made() -> Program:
        names = {name: f"d_{name}" for name in wrt}
        implicit = implicit_forward(call, program, charts, names)
        by_rules = simplify(_along(program, wrt, charts))
        return by_rules if implicit is None else min(by_rules, implicit, key=_operations)

    return _kernel("jvp", call, program, charts, made, precision)


def vjp(
    function: Callable[..., Any],
    m: Mechanism,
    *,
    wrt: Sequence[str] = ("q",),
    inputs: Mapping[str, Declared] | None = None,
    parameters: Sequence[str] = (),
    at: Any = None,
    dtype: Any = "float64",
    **fixed: Any,
) -> Kernel:
    """The gradient of a weighted sum of a function's results: weights times its Jacobian, without that.

    It costs a few times what the function costs, however many inputs there are.

    Args:
        function, m, wrt, inputs, parameters, at, dtype, fixed: As in `derivative`.

    Returns:
        A kernel with the inputs of the function and behind them `weights`, of the structure of its results.
        It gives a dictionary by the names in `wrt`: (nv,) for q, of the input's own shape for others.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> k = wt.vjp(wt.potential_energy, m)
    >>> np.allclose(k([0.3, 0.5], 1.0)["q"], wt.gravity_force(m, [0.3, 0.5]))
    True
    """
    precision = precision_of(dtype)
    call = Wanted(function, m, wrt, inputs, parameters, at, fixed)
    program, charts = _recorded(call), _charts(function, m, wrt)
    return _kernel("vjp", call, program, charts, lambda: _weighted(call, program, charts), precision)


def hvp(
    function: Callable[..., Any],
    m: Mechanism,
    *,
    wrt: Sequence[str] = ("q",),
    inputs: Mapping[str, Declared] | None = None,
    parameters: Sequence[str] = (),
    at: Any = None,
    dtype: Any = "float64",
    **fixed: Any,
) -> Kernel:
    """The change of a gradient along a direction: a Hessian times a vector, without the Hessian.

    The gradient is that of `vjp`, of a weighted sum of results. With respect to a position it is changed
    along the tangent space as that is carried along: the Hessian of quaternions need not be symmetric.

    Args:
        function, m, wrt, inputs, parameters, at, dtype, fixed: As in `derivative`.

    Returns:
        A kernel with the inputs of the function, then `weights` as in `vjp`, 1.0 for a function that gives
        one number, then the directions of `jvp`. It gives a dictionary as `vjp` does.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> k = wt.hvp(wt.potential_energy, m)
    >>> stiffness = wt.derivative(wt.gravity_force, m)([0.3, 0.5])["q"]
    >>> np.allclose(k([0.3, 0.5], 1.0, [0.2, 0.7])["q"], stiffness @ [0.2, 0.7])
    True
    """
    precision = precision_of(dtype)
    call = Wanted(function, m, wrt, inputs, parameters, at, fixed)
    program, charts = _recorded(call), _charts(function, m, wrt)

    def made() -> Program:
        return simplify(_along(_weighted(call, program, charts), wrt, charts))

    return _kernel("hvp", call, program, charts, made, precision)


def _recorded(call: Wanted) -> Program:
    """The program to differentiate, which has all inputs of `wrt`."""
    function, m, wrt, inputs, parameters, at, fixed = call
    if isinstance(wrt, str) or not isinstance(wrt, Sequence) or not wrt:
        such_as = f"({wrt!r},)" if isinstance(wrt, str) else "('q', 'qd')"
        raise InputError(f"wrt is {wrt!r}, expected names of inputs, as {such_as}")
    program = record(function, m, inputs=inputs, parameters=parameters, at=at, **fixed)
    known = list(structures(program.inputs))
    for name in wrt:
        if name not in known:
            such_as = ", as parameters=['link.mass']" if name == "parameters" or "." in str(name) else ""
            raise InputError(
                f"{_name(function)} has no input {name!r} to differentiate with respect to; its inputs are "
                f"{', '.join(known)}. Numbers of the mechanism are the input 'parameters', if some are left "
                f"open{such_as}"
            )
    if len(set(wrt)) != len(wrt):
        raise InputError(f"wrt names an input twice: {', '.join(wrt)}")
    refuse_steps(program, wrt, _name(function))
    return program


def _charts(function: Callable[..., Any], m: Mechanism, wrt: Sequence[str]) -> dict[str, Program]:
    """The tangent space of each position in `wrt`, where it is not that of its coordinates."""
    if all(body.joint.has_rates for body in m.bodies):
        return {}
    known = known_arguments(function)
    names = [name for name in wrt if name in known and known[name].is_position]
    return {name: trace(lambda q: tangents(m, q), {name: (m.nq,)}) for name in names}


def coordinate_derivative(
    function: Callable[..., Any], m: Mechanism, *, wrt: Sequence[str] = ("q",), at: Any = None
) -> Kernel:
    """As `derivative`, but positions by their nq coordinates, one by one, as if all of them varied freely."""
    if all(body.joint.has_rates for body in m.bodies):
        return derivative(function, m, wrt=wrt, at=at)
    call = Wanted(function, m, wrt, None, (), at, {})
    program = _recorded(call)
    return _kernel("coordinates", call, program, {}, lambda: simplify(jacobian(program, wrt)))


def tangents(m: Mechanism, q: Array) -> Array:
    """(nq, nv) rates of the coordinates at unit velocities."""
    return array([rate(m, q, column) for column in np.eye(m.nv)]).T


def _along(program: Program, wrt: Sequence[str], charts: Mapping[str, Program]) -> Program:
    return product_forward(program, wrt, charts, {name: f"d_{name}" for name in wrt})


def _weighted(call: Wanted, program: Program, charts: Mapping[str, Program]) -> Program:
    """The shorter of two roads."""
    implicit = implicit_reverse(call, program, charts)
    by_rules = simplify(product_reverse(program, call.wrt, charts, "weights"))
    return by_rules if implicit is None else min(by_rules, implicit, key=_operations)


def _operations(program: Program) -> int:
    return sum(program.cost.values())


def _kernel(
    kind: str,
    call: Wanted,
    program: Program,
    charts: Mapping[str, Program],
    made: Callable[[], Program],
    precision: Precision = DOUBLE,
) -> Kernel:
    """The kernel of a derived program, which is kept on disk by what it was derived from."""
    library = sources.digest()
    said = (kind, program.digest, repr(tuple(call.wrt)), *(chart.digest for chart in charts.values()))
    parts = None if library is None else (*said, library)
    return Kernel(stored.program(parts, made), f"{_name(call.function)}_{kind}", precision.dtype)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)
