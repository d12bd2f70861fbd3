"""The law of a run on its way: what it has chosen, and what takes its place where choices wear out.

Accelerations are the same whatever is chosen; only rounding errors are not. But every choice is machine code
of its own, and compiling takes as long as many seconds of motion. A few choices are made, then the run goes
on by constraint forces, which hold wherever constraints are independent.
"""

from collections.abc import Callable
from functools import lru_cache
from math import sqrt

import numpy as np

from ..errors import SolverError
from ..loops.closing.assembly import closed_near
from ..loops.closing.generic import far_position, generic_position
from ..loops.equations.constraints import constraint_jacobian
from ..loops.equations.rank import MisfitError, independent_rows
from ..model.mechanism import Mechanism
from ..model.snapshot import Snapshot
from ..spatial import Array
from .closing import moving_rows
from .equations import Equations, Law, equations
from .plan import Plan
from .systems import Compiled

WORN, WORN_MOST = 1e-3, 0.3
"""Choices of a law whose quality falls below this share of what it was are looked at again, at the latest and
at the earliest."""

ROUNDING = 1e-14
"""Rounding errors of accelerations are as large as this, over the square of a choice's quality: dependent
coordinates are as large as its inverse, and so are forces brought over to the others."""

BETTER = 2.0
"""How much better another choice must be to be worth a change."""

GOOD, UNSEEN = 0.1, 1e-3
"""Quality of a choice that is taken at a start without a look at others, if rounding errors are below this
share of what a step may err: to find the best one takes as long as thousands of steps."""

CHOICES = 2
"""Different choices that a run may make if there is a law in reserve: a crank that turns goes back and forth
between two."""


class LawInUse:
    """What the equations of a run are made of.

    Args:
        plan: What the run is asked to do.

    Attributes:
        worn: The quality below which what was chosen is looked at again.
        names: Of the methods in use so far, the present one last.
    """

    def __init__(self, plan: Plan) -> None:
        self.m: Mechanism = plan.m
        self.worn = 0.0
        self.names: list[str] = [plan.dynamics]
        self._external = plan.forces.external is not None
        self._reserve, self._instead, self._made = plan.reserve, plan.instead, list[Equations]()
        # Rounding errors that a step can see make it shorter and shorter: they stay below what it may err.
        self._good = max(sqrt(ROUNDING / (UNSEEN * plan.rtol)), GOOD)
        self._share = min(max(sqrt(ROUNDING / plan.rtol), WORN), WORN_MOST)

    def begin(self, system: Compiled, q: Array) -> None:
        """Choose for a start q (nq,) where all constraints are independent."""
        if system.equations.law.method.choose is not None and not self._take_usual(system, q):
            self.choose(system, q)

    def choose(self, system: Compiled, q: Array, quality: float = 0.0) -> None:
        """Use the choice that suits a position q (nq,) best, if much better than one of that quality."""
        if system.equations.law.method.choose is None:
            return
        found = self._of(system.equations.law.at(self.m, q))
        if self._reserve is not None and found not in self._made:
            if len(self._made) == CHOICES:
                self._call_up(*self._reserve, system, q)
                return
            self._made.append(found)
        try:
            reached = _quality(found, q)
        except MisfitError:
            if self._instead is None:
                raise
            self._call_up(*self._instead, system, q)
            return
        if reached > BETTER * quality:
            system.equations, quality = found, reached
        self.worn = self._share * quality

    def _take_usual(self, system: Compiled, q: Array) -> bool:
        """Begin with the choice of one of the mechanism's usual positions, if one is good; whether it is."""
        found = self._usual(system.equations.law, q)
        if found is None:
            return False
        self._made.append(found[0])
        system.equations, self.worn = found[0], self._share * found[1]
        return True

    def begins_alike(self, system: Compiled, q: Array) -> bool:
        """Whether a run from q (nq,) begins with what is in use, which then wears out as it would there."""
        if system.equations.law.method.choose is None:
            return True
        found = self._usual(system.equations.law, q)
        if found is None or found[0] is not system.equations:
            return False
        self.worn = self._share * found[1]
        return True

    def _usual(self, law: Law, q: Array) -> tuple[Equations, float] | None:
        """The first choice of the mechanism's usual positions that is good at q, and its quality there."""
        law = law._replace(choice=())
        for position in USUAL:
            found = usual(Snapshot(self.m), self._external, law, position)
            if found is not None and (quality := _quality(found, q)) >= self._good:
                return found, quality
        return None

    def renew(self, system: Compiled, q: Array) -> None:
        """Another choice than the present one, where steps have become short, or what is in reserve."""
        # Errors grow with every pivot on the way: quality, the least of them, may be far from `worn`.
        before = system.equations
        self.choose(system, q, _quality(before, q))
        if system.equations is before and self._reserve is not None:
            self._call_up(*self._reserve, system, q)

    def _call_up(self, name: str, law: Law, system: Compiled, q: Array) -> None:
        self._reserve = None
        self.names.append(name)
        system.equations = self._of(law.at(self.m, q))
        self.worn = self._share * _quality(system.equations, q)

    def _of(self, law: Law) -> Equations:
        return equations(self.m, self._external, law)


def assembled(m: Mechanism) -> Array:
    """(nq,) the closed position next to the neutral one, about where runs start unless told otherwise."""
    return closed_near(m, m.neutral())


USUAL: tuple[Callable[[Mechanism], Array], ...] = (assembled, generic_position, far_position)
"""Positions whose choices are known. They follow from the mechanism alone: runs do not differ by what ran
before them."""


@lru_cache(maxsize=64)
def usual(
    now: Snapshot, external: bool, law: Law, position: Callable[[Mechanism], Array]
) -> Equations | None:
    """Equations by the choice at one of the usual positions.

    None if there is no such position, or it is singular: what is chosen there leaves constraints out.
    """
    m = now.m
    try:
        q = position(m)
        K = constraint_jacobian(m, q)[m.once(moving_rows)]
        if len(independent_rows(K)) < len(K):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):  # of joints without inertia the run tells
            found = equations(m, external, law.at(m, q))
        _quality(found, q)  # which may not fit, either
    except (SolverError, MisfitError):
        return None
    return found


def _quality(of: Equations, q: Array) -> float:
    """How well what was chosen suits a position."""
    assert of.quality is not None
    return float(of.quality(q))
