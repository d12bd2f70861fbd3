"""Base parameters: the combinations of masses, moments and inertias that motions and forces can show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ..api.compiling import kernel
from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import expect
from ..spatial import Array
from .body_parameters import regressor_names, unknown

RANK = 1e-8
"""Pivots below this share of the first one are rounding."""

STATES = 20
"""Random states for each parameter's share of rows."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The combinations of parameters that joint forces depend on, and no others.

    Attributes:
        names: Each combination, in words, as "link2.moment.x + 0.4 link3.mass".
        columns: Numbers of the parameters that lead them: these columns of `regressor` are independent, and
            Y π = Y[:, columns] (matrix @ π).
        matrix: (count, 13 nb) the combinations.
        absent: Names of parameters that no joint force depends on.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    matrix: Array
    absent: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        lines = [f"{len(self)} base parameters of {self.matrix.shape[1]}", *self.names]
        return "\n  ".join(lines) + (f"\nwithout effect: {', '.join(self.absent)}" if self.absent else "")


def base_parameters(m: Mechanism, *, known: Sequence[str] = ()) -> BaseParameters:
    """Which combinations of the parameters of a mechanism its joint forces can show, whatever the motion.

    Gautier, J. Robotic Systems 8(4), 1991: the regressor of random states, factored by QR with pivoting, has
    as many independent columns as there are base parameters; R tells how the others combine with them.

    Args:
        m: A tree.
        known: Names of parameters, as by `regressor_names`, to leave out. Counts in the literature mostly
            leave out armature, damping and friction.

    Returns:
        A report; `print` shows it as text.

    >>> import whippletree as wt
    >>> base = wt.base_parameters(
    ...     wt.examples.load("pendulum"), known=["rod.armature", "rod.damping", "rod.friction"]
    ... )
    >>> base.names
    ('rod.moment.x', 'rod.moment.z', 'rod.inertia.yy')
    """
    expect("base_parameters", "m", m, Mechanism, "a Mechanism")
    refuse_loops(m, "base_parameters")
    names, kept = regressor_names(m), unknown(m, known)
    rng = np.random.default_rng(0)
    count = max(1, STATES * len(kept) // max(1, m.nv))
    q = np.array([m.random(rng) for _ in range(count)])
    qd, qdd = rng.normal(size=(2, count, m.nv)) * np.array([1.0, 3.0])[:, None, None]
    Y = kernel(m, "regressor")(q, qd, qdd).reshape(-1, len(names))
    return combined(Y[:, kept], [names[k] for k in kept], kept, len(names))


def combined(W: Array, names: list[str], numbers: list[int], total: int) -> BaseParameters:
    """Base parameters that rows W (n, p) of a regressor show, of p parameters out of a total.

    Columns are compared by their size, which has units; what is far below the largest is noise.
    """
    import scipy.linalg  # on use: it takes longer to import than all the rest

    sizes = np.linalg.norm(W, axis=0)
    there = np.flatnonzero(sizes > RANK * np.max(sizes, initial=0.0))
    absent = tuple(names[k] for k in range(len(names)) if k not in set(there.tolist()))
    if not len(there):
        return BaseParameters((), (), np.zeros((0, total)), absent)
    scaled = W[:, there] / sizes[there]
    R, order = cast("tuple[Array, Array]", scipy.linalg.qr(scaled, mode="r", pivoting=True))
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > RANK * diagonal[0]))
    leading, others = there[order[:rank]], there[order[rank:]]
    shares = scipy.linalg.solve_triangular(R[:rank, :rank], R[:rank, rank:])
    shares = shares * sizes[others] / sizes[leading][:, None]
    shares[np.abs(shares) < RANK * np.maximum(1.0, np.abs(shares).max(initial=0.0))] = 0.0
    matrix = np.zeros((rank, total))
    told = []
    ascending = np.argsort(leading)
    leading, shares = leading[ascending], shares[ascending]
    for k, lead in enumerate(leading):
        matrix[k, numbers[lead]] = 1.0
        matrix[k, [numbers[j] for j in others]] = shares[k]
        terms = [names[lead]]
        for j in np.argsort(others):
            if shares[k, j]:
                terms.append(f"{'-' if shares[k, j] < 0 else '+'} {_factor(shares[k, j])}{names[others[j]]}")
        told.append(" ".join(terms))
    return BaseParameters(tuple(told), tuple(int(numbers[k]) for k in leading), matrix, absent)


def refuse_loops(m: Mechanism, function: str) -> None:
    """InputError for mechanisms whose joint forces are not those of a tree."""
    for kind, parts in (("loops", m.loops), ("gears", m.gears)):
        if parts:
            raise InputError(
                f"{function}: {m.name!r} has {kind}, as {parts[0].name!r}, through which forces go that "
                "nobody measures; it takes trees"
            )


def _factor(share: float) -> str:
    return "" if abs(abs(share) - 1.0) < 1e-9 else f"{abs(share):.4g} "
