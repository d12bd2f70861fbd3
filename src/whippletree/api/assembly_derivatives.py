"""How an assembled position follows what it was assembled from."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..checks.checking import checked
from ..errors import SingularError
from ..kernels.run.kernel import Kernel
from ..loops.closing.projections import free_columns
from ..loops.equations.constraints import constraint_error, constraint_jacobian, largest_by_owner
from ..loops.equations.rank import TOLERANCE
from ..model.mechanism import Mechanism
from ..model.parameters import parameter_values, with_parameters
from ..model.snapshot import Snapshot, motion_key
from ..model.values import real_vector
from ..spatial import Array
from .derivative import derivative


class AssemblyDerivatives(NamedTuple):
    """Changes of a closed position, along the unit velocities of the joints.

    Attributes:
        held: (nv, n) by the velocities of the joints that are held, in their order in the mechanism.
        parameters: (nv, k) by the numbers of the mechanism that were named.
    """

    held: Array
    parameters: Array


@checked
def assembly_derivatives(
    m: Mechanism,
    q: Array,
    hold: Sequence[str] = (),
    parameters: Sequence[str] = (),
    values: Any = None,
) -> AssemblyDerivatives:
    """How a position in which all loops are closed changes with the joints that are held and with lengths.

    By the implicit function theorem: Φ(q, p) = 0 stays so if K dq + ∂Φ/∂p dp = 0, K being the Jacobian of the
    constraints (RBDA 8.4). As `assemble` does, the joints that are free move by the shortest way.

    Args:
        m: The mechanism.
        q: (nq,) joint positions, rad or m, with all loops closed.
        hold: Names of joints that are moved from outside, as a crank.
        parameters: Numbers of the mechanism, see `parameter_names`, as those of where loops are placed.
        values: (k,) of these, for which q is closed; those of the mechanism by default. What is compiled for
            a mechanism serves all values.

    Raises:
        SingularError: No change of the free joints keeps the loops closed, as in a dead centre.

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> q = wt.assemble(m, [1.0, 0.0, 0.0], hold=["crank"])
    >>> wt.assembly_derivatives(m, q, hold=["crank"]).held[:, 0].round(3)
    array([ 1.   , -0.982,  0.403])
    """
    changed = m if values is None else with_parameters(m, parameters, values)
    if values is not None:
        real_vector(values, (len(parameters),), "values", "one entry per parameter")
    given = parameter_values(changed, parameters)
    K, free = constraint_jacobian(changed, q), free_columns(m, hold)
    held = [k for k in range(m.nv) if k not in free]
    by_held = np.eye(m.nv)[:, held]
    by_held[free] = _followed(m, K[:, free], K[:, held], "the joints that are held")
    by_parameters = np.zeros((m.nv, len(parameters)))
    if parameters:
        names = tuple(part.name for _, parts in m.kinds() for part in parts)  # by which parameters are found
        change = _slopes(Snapshot(m, (motion_key(m), names)), tuple(parameters))(q, given)["parameters"]
        by_parameters[free] = _followed(m, K[:, free], change, "these parameters")
    return AssemblyDerivatives(by_held, by_parameters)


@lru_cache(maxsize=32)
def _slopes(now: Snapshot, parameters: tuple[str, ...]) -> Kernel:
    """Of what loops are open by, with respect to parameters."""
    return derivative(constraint_error, now.m, wrt=["parameters"], parameters=parameters)


def _followed(m: Mechanism, K: Array, change: Array, what: str) -> Array:
    """The shortest x with K x = -change, column by column."""
    x = -np.linalg.lstsq(K, change, rcond=TOLERANCE)[0]
    left = np.abs(K @ x + change).max(axis=1, initial=0.0)
    if np.max(left, initial=0.0) > TOLERANCE * max(1.0, np.max(np.abs(change), initial=0.0)):
        worst = largest_by_owner(m, left)
        name = max(worst, key=lambda one: worst[one])
        raise SingularError(
            f"assembly_derivatives: q is a singular position of {m.name!r}: as {what} change, {name!r} opens "
            f"at a rate of {worst[name]:.3g} whatever the others do. Take another position, or hold others"
        )
    return x
