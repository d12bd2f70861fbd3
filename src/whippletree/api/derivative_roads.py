"""Shorter roads to derivatives than the rules for single operations: recursions, and implicit functions."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import dynamics
from ..dynamics import aba, rnea
from ..dynamics.passive import has_own_forces
from ..errors import ModelError
from ..kernels.derive.derivatives import product_forward, product_reverse
from ..kernels.simplify.passes import simplified
from ..kernels.trace.inline import inlined, selected
from ..kernels.trace.program import Program
from ..kernels.trace.recording import recording
from ..kernels.trace.structure import Branch, leaves
from ..model.mechanism import Mechanism
from ..model.parameters import with_parameters
from ..spatial import Array
from .compiling import record
from .forward import forward_dynamics
from .forward_methods import FOR_TREES, find


class Wanted(NamedTuple):
    """What is to be differentiated: the arguments of `derivative`."""

    function: Callable[..., Any]
    m: Mechanism
    wrt: Sequence[str]
    inputs: Mapping[str, Any] | None
    parameters: Sequence[str]
    at: Any
    fixed: Mapping[str, Any]

    def algorithm(self) -> Callable[..., Any] | None:
        """The algorithm without its door; that of trees where `forward_dynamics` is no more than that."""
        bare = inspect.unwrap(self.function)
        if bare is inspect.unwrap(forward_dynamics) and "method" not in self.fixed:
            # Forces of joints that are zero may be among the numbers left open.
            opened = any(name.endswith((".damping", ".friction", ".stiffness")) for name in self.parameters)
            own = opened or has_own_forces(self.m)
            return ABA if find(self.m, "auto")[1] in FOR_TREES and not own else None
        return bare

    def record(self, function: Callable[..., Any]) -> Program:
        """Another function, with the same arguments given."""
        return record(function, self.m, inputs=self.inputs, parameters=self.parameters, **self.fixed)


RNEA, ABA = inspect.unwrap(rnea), inspect.unwrap(aba)

RECURSIONS: dict[Callable[..., Any], tuple[Callable[..., Any], tuple[str, ...]]] = {
    RNEA: (dynamics.rnea_derivatives, ("q", "qd", "qdd")),
    ABA: (dynamics.aba_derivatives, ("q", "qd", "tau")),
    inspect.unwrap(dynamics.frame_velocity): (dynamics.frame_velocity_derivatives, ("q", "qd")),
    inspect.unwrap(dynamics.frame_acceleration): (
        dynamics.frame_acceleration_derivatives,
        ("q", "qd", "qdd"),
    ),
    inspect.unwrap(dynamics.kinetic_energy): (dynamics.kinetic_energy_derivatives, ("q", "qd")),
}
"""Algorithms whose Jacobians are found by a recursion: that, and what each of its results belongs to."""


def by_recursion(call: Wanted) -> Program | None:
    """The Jacobians by a recursion, a dictionary by the names of `wrt`; None if there is none."""
    recursion, names = RECURSIONS.get(call.algorithm() or call.function, (None, ()))
    if recursion is None or not set(call.wrt) <= set(names):
        return None
    try:
        program = call.record(recursion)
    except ModelError:  # a joint type of a user
        return None
    numbers = [names.index(name) for name in call.wrt]
    found = list(leaves(program.outputs))
    return selected(program, numbers, Branch(dict, tuple(found[k] for k in numbers), tuple(call.wrt)))


def implicit_reverse(call: Wanted, program: Program, charts: Mapping[str, Program]) -> Program | None:
    """Weights w times the Jacobians of forward dynamics, by those of inverse dynamics; None for others.

    tau = ID(q, qd, qdd) for all that acts, so that with λ = H⁻¹ w the product is λ for tau and
    -λ ∂ID/∂x for every other input x. λ is the acceleration that w causes at rest and without gravity, and
    shares all articulated-body inertias with qdd.
    """
    if call.algorithm() is not ABA:
        return None
    others = [name for name in call.wrt if name != "tau"]
    names = [entry.name for entry in program.inputs]
    inverse = call.record(rnea)
    gradient = product_reverse(inverse, others, charts, "weights") if others else None

    def products(*arrays: Any) -> dict[str, Array]:
        given, weights = dict(zip(names, arrays, strict=False)), arrays[-1]
        qdd, solve = _dynamics(call, given)
        lam = solve(weights)
        found = {"tau": lam}
        if gradient is not None:
            at = [(given | {"qdd": qdd})[entry.name] for entry in inverse.inputs]
            found |= {name: -value for name, value in inlined(gradient, *at, lam).items()}
        return {name: found[name] for name in call.wrt}

    shapes = {entry.name: entry.shape for entry in program.inputs}
    (result,) = leaves(program.outputs)
    return simplified(recording(products, shapes | {"weights": result.shape}))


def implicit_forward(
    call: Wanted, program: Program, charts: Mapping[str, Program], directions: Mapping[str, str]
) -> Program | None:
    """The Jacobians of forward dynamics times a direction, in the same way; None for others.

    That is H⁻¹ (d tau - ∂ID/∂x dx), the acceleration that the missing forces cause.
    """
    if call.algorithm() is not ABA:
        return None
    others = [name for name in call.wrt if name != "tau"]
    inverse = call.record(rnea)
    change = product_forward(inverse, others, charts, directions) if others else None
    sizes = {entry.name: entry.shape for entry in program.inputs}
    steps = {directions[name]: _direction(call.m, sizes, charts, name) for name in call.wrt}
    shapes = sizes | steps

    def product(*arrays: Any) -> Array:
        given = dict(zip(shapes, arrays, strict=True))
        qdd, solve = _dynamics(call, given)
        missing = given[directions["tau"]] if "tau" in call.wrt else np.zeros(call.m.nv)
        if change is not None:
            at = [(given | {"qdd": qdd})[entry.name] for entry in change.inputs]
            missing = missing - inlined(change, *at)
        return solve(missing)

    return simplified(recording(product, shapes))


def _direction(
    m: Mechanism, shapes: Mapping[str, tuple[int, ...]], charts: Mapping[str, Program], name: str
) -> tuple[int, ...]:
    return (m.nv,) if name in charts else shapes[name]


def _dynamics(call: Wanted, given: Mapping[str, Any]) -> tuple[Array, Callable[[Array], Array]]:
    """Accelerations, and a function that solves H x = b, in which what they have in common is shared."""
    m = with_parameters(call.m, call.parameters, given["parameters"]) if call.parameters else call.m
    f_ext = given.get("f_ext", call.fixed.get("f_ext"))
    qdd = aba(m, given["q"], given["qd"], given["tau"], f_ext)
    at_rest = m.with_parts(gravity=(0.0, 0.0, 0.0))
    return qdd, lambda b: aba(at_rest, given["q"], np.zeros(m.nv), b)
