"""Load a body with more inertia."""

from dataclasses import replace

from ..errors import ModelError
from ..model.mechanism import GROUND, Mechanism
from ..model.physical import inertia_fault
from ..model.values import expect
from ..spatial import Inertia
from .pieces import assemble


def add_payload(m: Mechanism, frame: str, inertia: Inertia) -> Mechanism:
    """The mechanism with more inertia on one body, as a tool or a load held there has.

    Args:
        m: The mechanism.
        frame: A frame or body; the ground carries any load and has no inertia, so not "ground".
        inertia: Of the payload, in that frame.

    Raises:
        ModelError: No such frame, one on the ground, or an inertia that is no body's.

    >>> import whippletree as wt
    >>> m = wt.add_payload(wt.examples.load("pendulum"), "tip", wt.Inertia(mass=0.5))
    >>> m.bodies[0].inertia.com.round(3)
    array([ 0.   ,  0.   , -0.667])
    """
    expect("add_payload", "m", m, Mechanism, "a Mechanism")
    expect("add_payload", "inertia", inertia, Inertia, "an Inertia")
    seat = m.frame(frame)
    if seat.body == GROUND:
        raise ModelError(
            f"payload at {frame!r} of {m.name!r}: this frame is on the ground, name one on a body"
        )
    fault = inertia_fault(inertia)
    if fault is not None:
        raise ModelError(f"payload at {frame!r} of {m.name!r}: {fault}")
    load = inertia.to_parent(seat.placement.transform())
    bodies = [
        replace(body, inertia=body.inertia + load) if body.name == seat.body else body for body in m.bodies
    ]
    return assemble(m, {"body": bodies})
