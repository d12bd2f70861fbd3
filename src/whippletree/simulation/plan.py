"""What a simulation is asked to do."""

from typing import NamedTuple

import numpy as np

from ..model.mechanism import Mechanism
from ..spatial import Array
from .acting import Acting
from .equations import Law


class Plan(NamedTuple):
    """What a simulation is asked to do.

    Attributes:
        m: The mechanism.
        forces: What acts on it from outside.
        law: How accelerations are found.
        dynamics: The name of that.
        method: Name of the integrator, or "auto".
        duration: How long, s.
        rtol, atol: The error that a step may have, relative and absolute.
        projects: Whether loops are closed after every step; else the law's stabilization holds them.
        tolerance: Share by which constraints depend on others that are not asked for then; None: rounding.
        reserve: Name and law to go on with where choices of the first wear out; None: only other choices.
        instead: Name and law where links lie on each other, so that choices of the first hold nowhere else.
    """

    m: Mechanism
    forces: Acting
    law: Law
    dynamics: str
    method: str
    duration: float
    rtol: float
    atol: float
    projects: bool
    tolerance: float | None = None
    reserve: tuple[str, Law] | None = None
    instead: tuple[str, Law] | None = None

    def tolerated(self, values: Array) -> float:
        """The error that the largest of some values may have."""
        return self.atol + self.rtol * float(np.max(np.abs(values), initial=0.0))
