"""One step of a rollout, forward and backward, as programs that machine code applies over and over."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..api.compiling import record
from ..kernels.derive.derivatives import product_reverse
from ..kernels.run.iterate import Iteration
from ..kernels.simplify.passes import simplified
from ..kernels.store import programs as stored
from ..kernels.store import sources
from ..kernels.store.content import content
from ..kernels.trace.inline import inlined
from ..kernels.trace.program import Program
from ..kernels.trace.recording import recording
from ..model.mechanism import Mechanism
from ..model.snapshot import Snapshot
from ..simulation.stepping import Before, Mode, advance
from ..spatial import Array, array
from .implicit_step import Backward, backward_through, is_implicit

Control = Callable[[Any, Array, Array], Any]


class BothWays(NamedTuple):
    """A step and its adjoint.

    Attributes:
        forward: q, qd and touch, the state of contacts; h, number, tau and parameters. The next state. Touch
            and parameters only if there are any, here and below.
        backward: by_q (nq,), by_qd (nv,), by_touch, by_tau (nv,) and by_parameters; q, qd, touch, h, number,
            tau, parameters and what the end of the step itself weighs, of_q (nq,) and of_qd (nv,). The same
            at the beginning of the step: by_tau is this step's, by_parameters adds up.
    """

    forward: Iteration
    backward: Iteration


def controlled_step(
    m: Mechanism,
    q: Array,
    qd: Array,
    touch: Any,
    h: Any,
    number: Any,
    tau: Array,
    mode: Mode,
    control: Control | None,
) -> tuple[Array, ...]:
    """One step under a force that stays as it is, and one that a function gives."""

    def force(t: Any, q: Array, qd: Array) -> Array:
        return tau if control is None else tau + array(control(t, q, qd))

    return advance(m, Before(q, qd, touch, None), force, number * h, h, mode)


def compiled_steps(m: Mechanism, mode: Mode, control: Control | None, parameters: Sequence[str]) -> BothWays:
    """The programs of a mechanism, compiled; without a function of a user they are made once."""
    said = None if control is not None else content((m, mode, tuple(parameters)))
    if said is None:
        return _made(m, mode, control, tuple(parameters))
    return _kept(Snapshot(m, said), mode, tuple(parameters))


@lru_cache(maxsize=32)
def _kept(now: Snapshot, mode: Mode, parameters: tuple[str, ...]) -> BothWays:
    return _made(now.m, mode, None, parameters)


def _made(m: Mechanism, mode: Mode, control: Control | None, parameters: tuple[str, ...]) -> BothWays:
    inputs: dict[str, tuple[int, ...]] = {"h": (), "number": ()}
    options: dict[str, Any] = {"mode": mode, "control": control}
    states = ["q", "qd"]
    if mode.touching is None:
        options["touch"] = None
    else:
        inputs["touch"] = (mode.touching.size(m),)
        states.append("touch")
    step = record(controlled_step, m, inputs=inputs, parameters=parameters, **options)
    wrt = [*states, "tau", *(["parameters"] if parameters else [])]

    def back() -> Program:
        if is_implicit(mode):
            through = backward_through(controlled_step, m, mode, control, parameters, wrt)
            return adjoint(step, states, wrt, through)
        gradient = product_reverse(step, wrt, {}, "weights")
        return adjoint(step, states, wrt, lambda given, end: inlined(gradient, *given.values(), end))

    library = sources.digest()
    name = None if library is None else ("adjoint", step.digest, library)
    return BothWays(Iteration(step, len(states)), Iteration(stored.program(name, back), len(wrt)))


def adjoint(step: Program, states: Sequence[str], wrt: Sequence[str], through: Backward) -> Program:
    """The program backward through a step.

    L being what is asked for, λ = ∂L/∂x at the end of the step becomes (∂step/∂x)ᵀ (λ + w), x being the
    state and w what the end weighs by itself.

    Args:
        step: Whose inputs are those of the adjoint, too.
        states: q, qd, and touch if there are contacts.
        wrt: The same, tau, and parameters if there are any.
        through: Takes the inputs of the step and weights of its results to weights of what is in `wrt`.
    """
    sizes = {entry.name: entry.shape for entry in step.inputs}
    added = {f"by_{name}": sizes[name] for name in wrt}
    weights = {"of_q": sizes["q"], "of_qd": sizes["qd"]}

    def backward(*arrays: Any) -> tuple[Array, ...]:
        given = dict(zip([*added, *sizes, *weights], arrays, strict=True))
        end = tuple(given[f"by_{name}"] + given.get(f"of_{name}", 0.0) for name in states)
        found = through({name: given[name] for name in sizes}, end)
        if "by_parameters" in given:
            found["parameters"] = given["by_parameters"] + found["parameters"]
        return tuple(found[name] for name in wrt)

    return simplified(recording(backward, {**added, **sizes, **weights}))
