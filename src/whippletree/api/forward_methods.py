"""Every method of forward dynamics: what it asks of a mechanism, what it chooses, how good that still is.

Methods for trees have nothing to choose. With loops, a method decides which rows are independent, which
accelerations depend on which others, or in which order equations are solved. Called with numbers it does so
by itself. Recorded, it is given a choice that was made at some position; its quality tells where that choice
does not hold any more.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .. import dynamics
from ..dynamics.geared import geared_forward_dynamics
from ..dynamics.shallow import is_shallow
from ..errors import InputError, ModelError
from ..formulations import special_coordinates
from ..formulations.lagrange import lagrange
from ..formulations.reduction.acs import acs, acs_dependents
from ..formulations.reduction.applicability import ACS, OPENED, RCR, enough_joints, last_coordinates
from ..formulations.reduction.dependents import dependents_quality
from ..formulations.reduction.gcl import gcl
from ..formulations.reduction.gcl_choice import gcl_dependents, gcl_quality
from ..formulations.reduction.rcr import rcr, rcr_dependents
from ..formulations.semi_recursive.semi_recursive_1 import semi_recursive_1
from ..formulations.semi_recursive.semi_recursive_2 import semi_recursive_2
from ..loops.methods.augmented import augmented
from ..loops.methods.clusters import cluster_pivots, cluster_projection, cluster_quality
from ..loops.methods.estimate import operations
from ..loops.methods.grcr import choose_reduction, grcr, reduction_quality
from ..loops.methods.kkt import kkt, kkt_choice, kkt_quality
from ..loops.methods.lambda_first import lambda_first, row_choice, row_quality
from ..loops.methods.projection import projection, projection_pivots, projection_quality
from ..loops.methods.sparse import sparse, sparse_choice, sparse_quality
from ..model.mechanism import Mechanism
from ..model.requirements import (
    Requirement,
    centers_of_mass,
    floating_base,
    invertible_inertias,
    moving_inertias,
    with_constraints,
    with_gears,
    without_gears,
    without_loops,
)
from ..spatial import Array


@dataclass(frozen=True)
class Method:
    """A method of forward dynamics.

    Code that was recorded of it is kept, and found again by its functions, not by its name.

    Attributes:
        accelerations: (m, q, qd, tau, f_ext) to qdd (nv,); with loops also `stabilization`, T_stab in s, and
            the choice by its name.
        requirements: What it asks of a mechanism: functions that say in words what is missing, or None.
        choice: The name of the argument that takes the choice, "" if nothing is chosen.
        choose: (m, q) to the choice that suits a closed position q (nq,), given in numbers, best.
        quality: (m, q, choice by its name) to a number that becomes small where the choice does not hold.
        everywhere: Whether one choice holds wherever constraints are independent, so that nothing has to be
            watched on the way; `damping` is then an argument that lets it pass positions where they are not.
        recordable: Whether it takes no decision by the values it meets. One that does is called by `simulate`
            as it stands, much slower, and refused by `rollout`.
    """

    accelerations: Callable[..., Array]
    requirements: tuple[Requirement, ...] = ()
    choice: str = ""
    choose: Callable[[Mechanism, Array], Any] | None = None
    quality: Callable[..., Any] | None = None
    everywhere: bool = False
    recordable: bool = True

    def fault(self, m: Mechanism) -> str | None:
        """Why this method does not apply to a mechanism, or None."""
        return next((fault for check in self.requirements if (fault := check(m)) is not None), None)

    def chosen(self, m: Mechanism, q: Array) -> Mapping[str, Any]:
        """The choice at a position q (nq,), as an argument by its name."""
        return {} if self.choose is None else {self.choice: self.choose(m, q)}

    def holds(self, m: Mechanism) -> bool:
        """Whether it holds constraints of a mechanism, so that states have to be kept within them."""
        return bool(m.loops) or (self.choose is not None and bool(m.gears))


TREE = (without_gears, without_loops)
REDUCTION = ("reduction", choose_reduction, reduction_quality)

# Those for loops are taken as they are, without the door that would record them in other body frames: near
# singular positions accelerations must agree, to the last digit, with the constraints that keep loops closed.
METHODS: dict[str, Method] = {
    "aba": Method(dynamics.aba, TREE),
    "crba": Method(dynamics.forward_dynamics_crba, TREE),
    "aba-variant-1": Method(dynamics.aba_variant_1, (*TREE, invertible_inertias)),
    "aba-variant-2": Method(dynamics.aba_variant_2, (*TREE, invertible_inertias)),
    "divide-and-conquer": Method(dynamics.divide_and_conquer, (*TREE, invertible_inertias)),
    "lagrange": Method(lagrange, (*TREE, centers_of_mass)),
    "special-coordinates": Method(special_coordinates.special_coordinates_dynamics, TREE),
    "floating-aba": Method(dynamics.floating_aba, (*TREE, floating_base)),
    "floating-crba": Method(dynamics.floating_crba, (*TREE, floating_base)),
    "geared": Method(geared_forward_dynamics, (with_gears, without_loops)),
    "grcr": Method(grcr, (with_constraints,), *REDUCTION),
    "lambda-first": Method(
        lambda_first, (with_constraints, moving_inertias), "rows", row_choice, row_quality, True
    ),
    "projection": Method(projection, (with_constraints,), "pivots", projection_pivots, projection_quality),
    "clusters": Method(cluster_projection, (with_constraints,), "pivots", cluster_pivots, cluster_quality),
    "kkt": Method(kkt, (with_constraints,), "choice", kkt_choice, kkt_quality),
    "sparse": Method(sparse, (with_constraints,), "choice", sparse_choice, sparse_quality),
    "rcr": Method(rcr, (*RCR, last_coordinates), "dependents", rcr_dependents, dependents_quality),
    "acs": Method(acs, ACS, "dependents", acs_dependents, dependents_quality),
    "gcl": Method(gcl, (*OPENED, enough_joints), "dependents", gcl_dependents, gcl_quality),
    "augmented": Method(augmented, (with_constraints,), "rows", row_choice, row_quality, True),
    "semi-recursive-1": Method(semi_recursive_1, (), "rows", row_choice, row_quality, True),
    "semi-recursive-2": Method(semi_recursive_2, (), "rows", row_choice, row_quality, True),
}
"""The first that applies is the one "auto" takes, but see `automatic`. A new method is one line here."""

FOR_TREES = METHODS["aba"], METHODS["crba"]
"""Roads to the accelerations of a tree between which "auto" chooses by their operations alone."""

IN_DOUBT = 1.03
"""Operations are estimates: by this factor coordinate reduction has to be dearer before "auto" leaves it."""

DEARER = 8.0
"""By this factor constraint forces may take more operations, where they save compiling more choices."""


def applicable(m: Mechanism) -> list[str]:
    """Names of the methods that apply to a mechanism, the one "auto" takes first."""
    first = automatic(m)
    return [first, *(name for name, method in METHODS.items() if name != first and method.fault(m) is None)]


def is_better_by_forces(m: Mechanism) -> bool:
    """Whether solving for the constraint forces is possible and costs less than coordinate reduction."""
    if not m.loops or METHODS["lambda-first"].fault(m) is not None:
        return False
    by = operations(m)
    return by.grcr > IN_DOUBT * by.lambda_first


def find(m: Mechanism, name: str, argument: str = "method") -> tuple[str, Method]:
    """A method by name, or the one that "auto" stands for.

    Raises:
        InputError: There is no such method.
        ModelError: It does not apply to this mechanism.
    """
    if isinstance(name, str) and name == "auto":
        name = automatic(m)
    elif not isinstance(name, str) or name not in METHODS:
        raise InputError(f"{argument} is {name!r}: give one of {', '.join(['auto', *applicable(m)])}")
    elif (fault := METHODS[name].fault(m)) is not None:
        raise ModelError(
            f"{argument} {name!r} does not apply: {fault}. For this mechanism: {', '.join(applicable(m))}"
        )
    return name, METHODS[name]


def automatic(m: Mechanism) -> str:
    """The first of the `applicable` methods; the others are not looked at, which every call would pay for."""
    if is_better_by_forces(m):
        return "lambda-first"
    first = next(name for name, method in METHODS.items() if method.fault(m) is None)
    return "crba" if first == "aba" and m.once(is_shallow) else first


def reserve(m: Mechanism) -> str | None:
    """The method to go on with where choices of the automatic one wear out again and again; None if none."""
    method = METHODS["lambda-first"]
    if not m.loops or automatic(m) != "grcr" or method.fault(m) is not None:
        return None
    by = operations(m)
    return "lambda-first" if by.lambda_first <= DEARER * by.grcr else None
