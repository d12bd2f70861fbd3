"""What changes while an algorithm is recorded, with symbolic scalars in place of numbers.

Its result stays as it is; frames, inertias and the road to it are chosen so that the record is short.
"""

from collections.abc import Callable
from inspect import BoundArguments, Signature
from typing import Any, NamedTuple

import numpy as np

from ..kernels.trace.refusal import TraceError, decides_by_values
from ..model.mechanism import Mechanism
from .frames import pass_inertias_on, reframe

CHOICES = {"reduction", "choice", "pivots", "rows", "dependents", "method"}
"""Arguments that take what an algorithm has chosen at a position, or by whose choices it is to go."""


class Freedom(NamedTuple):
    """What may be exchanged while an algorithm is recorded.

    Attributes:
        frames: Whether the result does not depend on the choice of body frames.
        inertias: Whether it does not depend on which of two bodies carries an inertia that both move.
        road: Another road to the same result that is shorter, or None.
    """

    frames: bool
    inertias: bool
    road: Callable[..., Any] | None

    def run(self, algorithm: Callable[..., Any], bound: BoundArguments) -> Any:
        """The algorithm's result, or that of the shorter road, by fewer operations."""
        # External forces come in body coordinates: their frames have to stay.
        if self.frames and bound.arguments.get("f_ext") is None:
            m = bound.arguments["m"]
            cheap = reframe(m)
            other = cheap.mechanism
            if self.inertias and other is not m:
                other = pass_inertias_on(other)
            bound.arguments.update(m=other, q=bound.arguments["q"] + cheap.offset)
        return (self.road or algorithm)(*bound.args, **bound.kwargs)


def is_recorded(bound: BoundArguments) -> bool:
    """Whether a call has a symbolic position."""
    q = bound.arguments.get("q")
    return isinstance(q, np.ndarray) and q.dtype == object


def refusal(name: str, signature: Signature, m: Mechanism, error: TypeError) -> TraceError | None:
    """The error for an algorithm that chooses by the numbers it is given; None if `error` is another one."""
    instead = ""
    if CHOICES & signature.parameters.keys() and (m.loops or m.gears):
        instead = (
            "give wt.compile a position near which it is to run, at=q. Within a function of yours, give it "
            "what is chosen there, as **wt.method_choice(m, q, method)"
        )
    return decides_by_values(name, instead, error)
