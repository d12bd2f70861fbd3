"""A step of semi-implicit Euler backward, with forward dynamics as the implicit function that it is.

Accelerations enter such a step once. With weights g of theirs, tau = ID(q, qd, qdd) gives λ = H⁻¹ g as the
weights of the joint forces, and -λ ∂ID/∂x as those of all else: a fifth fewer operations than backward
through `aba`. Off their sphere quaternions are no positions, and the two need not agree there: what a step
says of that direction is lost as the step before ends on the sphere.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..api.compiling import record
from ..api.forward_methods import FOR_TREES
from ..dynamics import aba, rnea
from ..kernels.derive.derivatives import product_reverse
from ..kernels.trace.inline import inlined
from ..kernels.trace.program import Program
from ..kernels.trace.structure import leaves
from ..model.mechanism import Mechanism
from ..model.parameters import with_parameters
from ..simulation.integrators.euler import Euler
from ..simulation.stepping import Mode
from ..spatial import Array

Step = Callable[..., tuple[Array, ...]]
Backward = Callable[[dict[str, Any], tuple[Any, ...]], dict[str, Array]]


def is_implicit(mode: Mode) -> bool:
    """Whether a step is of this kind: of a tree, with all forces as they are at its beginning."""
    law = mode.law
    plain = isinstance(mode.integrator, Euler) and not mode.rows and mode.touching is None
    return plain and law.method in FOR_TREES and law.implicit_damping is None


def backward_through(
    step: Step, m: Mechanism, mode: Mode, control: Any, parameters: Sequence[str], wrt: Sequence[str]
) -> Backward:
    """The function that takes a state and weights of the next one to weights of what is in `wrt`.

    Args:
        step: (m, q, qd, None, h, number, tau, mode, control) to the next q and qd.
        m, mode, control, parameters: What is recorded.
        wrt: Out of q, qd, tau and parameters.
    """
    parts = _with_accelerations_given(step, m, mode, control, parameters)
    has_bodies = len(list(leaves(parts.outputs))) > 3
    by_parts = product_reverse(parts, [*wrt, "qdd"], {}, "weights")
    extra = {"f_ext": (len(m), 6)} if has_bodies else {}
    inverse = record(rnea, m, inputs=extra, parameters=parameters)
    followed = [name for name in (*wrt, *extra) if name != "tau"]
    by_inverse = product_reverse(inverse, followed, {}, "weights")

    def backward(given: dict[str, Any], weights: tuple[Any, ...]) -> dict[str, Array]:
        at = [
            given.get(entry.name, np.zeros(entry.shape)) for entry in parts.inputs
        ]  # qdd has no part in forces
        _, _, *forces = inlined(parts, *at)
        model = with_parameters(m, parameters, given["parameters"]) if parameters else m
        qdd = aba(model, given["q"], given["qd"], *forces)
        state = given | {"qdd": qdd} | dict(zip(("tau", "f_ext"), forces, strict=False))
        here = [(given | {"qdd": qdd})[entry.name] for entry in parts.inputs]
        first = inlined(by_parts, *here, (*weights, *(np.zeros(np.shape(force)) for force in forces)))
        at_rest = model.with_parts(gravity=(0.0, 0.0, 0.0))
        lam = aba(at_rest, given["q"], np.zeros(m.nv), first["qdd"])
        found = inlined(by_inverse, *(state[entry.name] for entry in inverse.inputs), lam)
        of_forces = (lam, *(-found[name] for name in extra))
        none = (np.zeros(np.shape(weights[0])), np.zeros(np.shape(weights[1])))
        second = inlined(by_parts, *here, (*none, *of_forces))
        own = {name: -found[name] for name in followed if name in wrt}
        return {name: first[name] + second[name] + own.get(name, 0.0) for name in wrt}

    return backward


def _with_accelerations_given(
    step: Step, m: Mechanism, mode: Mode, control: Any, parameters: Sequence[str]
) -> Program:
    """q, qd, h, number, tau, qdd, parameters: the next q and qd, and the forces that cause qdd."""

    def parts(
        m: Mechanism, q: Array, qd: Array, h: Any, number: Any, tau: Array, qdd: Array
    ) -> tuple[Array, ...]:
        acting: list[Array] = []

        def given(m: Mechanism, q: Array, qd: Array, tau: Array, f_ext: Array | None = None) -> Array:
            acting.extend([tau] if f_ext is None else [tau, f_ext])
            return qdd

        law = mode.law._replace(method=replace(mode.law.method, accelerations=given))
        new_q, new_qd = step(m, q, qd, None, h, number, tau, mode._replace(law=law), control)
        return new_q, new_qd, *acting

    return record(parts, m, inputs={"h": (), "number": ()}, parameters=parameters)
