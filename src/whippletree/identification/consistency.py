"""Least squares over parameters that bodies can have (Wensing, Kim & Slotine 2018), by clarabel."""

import importlib
from typing import Any

import numpy as np

from ..errors import ModelError, SolverError
from ..spatial import Array
from .body_parameters import INERTIAL, OF_JOINT, pseudo_inertia

SIZE = len(INERTIAL) + len(OF_JOINT)

ROUNDING = 1e-12
"""Share of its trace by which an eigenvalue may be negative."""


def is_consistent(values: Array) -> bool:
    """Whether parameters (13 nb,) are those of bodies, but for rounding.

    No pseudo-inertia has a negative eigenvalue then, and no armature, damping or friction is negative.
    """
    rows = values.reshape(-1, SIZE)
    inertias = [pseudo_inertia(row) for row in rows]
    least = [np.linalg.eigvalsh(P)[0] + ROUNDING * abs(np.trace(P)) for P in inertias]
    return bool(np.min(least, initial=0.0) >= 0.0 and np.min(rows[:, len(INERTIAL) :], initial=0.0) >= 0.0)


def nearest_consistent(A: Array, b: Array, sizes: Array, free: Array, values: Array) -> Array:
    """The parameters with the least |A x - b|² that bodies can have, x being their shares of given sizes.

    Args:
        A: (n, p) of full column rank, p being the number of free parameters.
        b: (n,).
        sizes: (p,) of what order the parameters are.
        free: (p,) numbers of the parameters that are free.
        values: (13 nb,) all parameters; those that are not free keep their values.

    Returns:
        (13 nb,) all parameters.

    Raises:
        ModelError: The solver is not installed.
        SolverError: It did not find the minimum.
    """
    import scipy.sparse  # on use: it takes longer to import than all the rest

    clarabel = clarabel_solver()
    n = len(values) // SIZE
    place = {int(k): i for i, k in enumerate(free)}
    rows, offsets, cones = [], [], []
    for i in range(n):
        first = SIZE * i
        if any(k in place for k in range(first, first + len(INERTIAL))):
            basis = [_packed(pseudo_inertia(unit)) for unit in np.eye(len(INERTIAL))]
            rows.append(np.array([basis[k] for k in range(len(INERTIAL))]).T)
            offsets.append(first + np.arange(len(INERTIAL)))
            cones.append(clarabel.PSDTriangleConeT(4))
        for k in range(first + len(INERTIAL), first + SIZE):
            if k in place:
                rows.append(np.ones((1, 1)))
                offsets.append(np.array([k]))
                cones.append(clarabel.NonnegativeConeT(1))
    G = np.zeros((sum(len(block) for block in rows), len(free)))
    h, at = np.zeros(len(G)), 0
    for block, columns in zip(rows, offsets, strict=True):
        part = slice(at, at + len(block))
        for column, k in zip(block.T, columns, strict=True):
            if int(k) in place:
                G[part, place[int(k)]] = -column
            else:
                h[part] += column * values[k]
        at += len(block)
    G = G * sizes
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    P = scipy.sparse.csc_matrix(np.triu(A.T @ A))
    solver = clarabel.DefaultSolver(P, -(A.T @ b), scipy.sparse.csc_matrix(G), h, cones, settings)
    try:
        solution = solver.solve()
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how it tells of numbers it cannot go on with
            raise
        raise SolverError(f"identify: clarabel gave up over {len(free)} parameters: {error}") from None
    if "Solved" not in str(solution.status):
        raise SolverError(f"identify: clarabel ended with {solution.status} over {len(free)} parameters")
    found = values.copy()
    found[free] = np.array(solution.x) * sizes
    return found


def _packed(S: Array) -> Array:
    """The upper triangle column by column, off-diagonal entries times √2, as clarabel has matrices."""
    return np.array([S[i, j] * (1.0 if i == j else np.sqrt(2.0)) for j in range(4) for i in range(j + 1)])


def clarabel_solver() -> Any:
    """The module clarabel; ModelError if it is not installed."""
    try:
        return importlib.import_module("clarabel")
    except ImportError:
        raise ModelError(
            "what the data ask for is no body's inertia; the nearest that is needs the solver clarabel: "
            "pip install 'whippletree[identify]'"
        ) from None
