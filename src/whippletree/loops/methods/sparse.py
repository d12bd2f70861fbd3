"""Forward dynamics from the equations of single bodies and joints, as one sparse system."""

from typing import Any

import numpy as np

from ...errors import SingularError
from ...model.mechanism import Mechanism
from ...spatial import Array, cross_force
from ..equations.constraints import constraint_error, constraint_jacobian, stabilizing_term
from ..equations.local_motions import LocalMotions
from ..equations.rank import independent_rows
from ..equations.relations import loop_joint


def sparse(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
) -> Array:
    """Joint accelerations from one sparse system over all bodies and all joints, tree or loop alike.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.64 with v ×* I v for its bias (the star
    is missing there), in ground coordinates. Unknowns are the accelerations of all bodies and -λ of
    all joints: I_i a_i + Σ ±T_j λ_j is the force on body i, and T_jᵀ(a_s - a_p) is what joint j
    prescribes. A rotor of inertia A adds T_a A T_aᵀ between the bodies of its joint. Rows of loops and
    gears that depend on others are left out, as in `kkt`.

    Args:
        m, q, qd, tau, f_ext, stabilization: As in `kkt`.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.sparse(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    n, lam = len(m), m.parents
    motions = LocalMotions(m, q, qd)
    body = [motions.of(-1, i) for i in range(n)]
    c = [body[i].a - motions.of(-1, lam[i]).a for i in range(n)]
    T_a = [np.linalg.pinv(body[i].S).T for i in range(n)]
    system, right = _SparseMatrix(n), []

    for i in range(n):
        I = m.bodies[i].inertia.to_parent(body[i].X)
        system.add(i, i, I.matrix())
        weight = I @ np.array([0.0, 0.0, 0.0, *m.gravity])
        right.append(weight - cross_force(body[i].v, I @ body[i].v))
        if f_ext is not None:
            right[i] = right[i] + body[i].X.T @ f_ext[i]
    for i in range(n):
        rotor = m.bodies[i].armature * (T_a[i] @ T_a[i].T)
        active = T_a[i] @ tau[m.v_index[i]] + rotor @ c[i]
        right[i] = right[i] + active
        system.add(i, i, rotor)
        if lam[i] != -1:
            right[lam[i]] = right[lam[i]] - active
            for row, column, sign in ((lam[i], lam[i], 1.0), (i, lam[i], -1.0), (lam[i], i, -1.0)):
                system.add(row, column, sign * rotor)

    for i in range(n):
        T = body[i].X.T @ m.bodies[i].joint.constraint_subspace(q[m.q_index[i]])
        system.constrain([(i, T), (lam[i], -T)])
        right.append(T.T @ c[i])
    kept = set(independent_rows(constraint_jacobian(m, q)))
    rates, start = [], 0
    for loop in m.loops:
        joint = loop_joint(m, loop, motions, -1)
        rows = [row for row in range(joint.T.shape[1]) if start + row in kept]
        start, T = start + joint.T.shape[1], joint.T[:, rows]
        system.constrain([(m.body_number(loop.successor), T), (m.body_number(loop.predecessor), -T)])
        right.append(T.T @ joint.c)
        rates.append(T.T @ joint.v_J)
    for number, gear in enumerate(m.gears):
        if start + number in kept:
            i, j = m.joint_number(gear.driven), m.joint_number(gear.driver)
            driver = gear.ratio * T_a[j]
            system.constrain([(i, T_a[i]), (lam[i], -T_a[i]), (j, -driver), (lam[j], driver)])
            right.append(T_a[i].T @ c[i] - driver.T @ c[j])
            rates.append(qd[m.v_index[i]] - gear.ratio * qd[m.v_index[j]])
    b = np.concatenate([np.zeros(0), *right])
    if stabilization is not None and kept:
        error = constraint_error(m, q)[sorted(kept)]
        b[-len(kept) :] += stabilizing_term(np.concatenate(rates), error, stabilization)

    from scipy.sparse.linalg import splu  # on use: it takes longer to import than all the rest

    try:
        solution = splu(system.matrix()).solve(b)
    except RuntimeError as error:
        message = f"sparse: the equations of {m.name!r} have no unique solution ({error})"
        raise SingularError(message) from None
    a = [*solution[: 6 * n].reshape(n, 6), np.zeros(6)]
    return np.concatenate([np.zeros(0), *(T_a[i].T @ (a[i] - a[lam[i]] - c[i]) for i in range(n))])


class _SparseMatrix:
    """A symmetric sparse matrix, collected block by block: first the bodies, then rows of constraints."""

    def __init__(self, bodies: int) -> None:
        self.size = 6 * bodies
        self.entries: list[tuple[int, int, Array]] = []

    def add(self, i: int, j: int, block: Array) -> None:
        """Add a (6, 6) block at bodies i and j."""
        self.entries.append((6 * i, 6 * j, block))

    def constrain(self, terms: list[tuple[int, Array]]) -> None:
        """Append the rows Σ Tᵀ a, and their transpose, for pairs of a body and T (6, k)."""
        for i, T in terms:
            if i != -1:
                self.entries.append((self.size, 6 * i, T.T))
                self.entries.append((6 * i, self.size, T))
        self.size += terms[0][1].shape[1]

    def matrix(self) -> Any:
        """The matrix; blocks at the same place add up."""
        parts = [
            (block.ravel(), *(part.ravel() for part in np.indices(block.shape)), top, left)
            for top, left, block in self.entries
        ]
        values = np.concatenate([np.zeros(0), *(values for values, *_ in parts)])
        rows = np.concatenate([np.zeros(0, int), *(rows + top for _, rows, _, top, _ in parts)])
        columns = np.concatenate([np.zeros(0, int), *(columns + left for _, _, columns, _, left in parts)])
        from scipy.sparse import csc_matrix

        return csc_matrix((values, (rows, columns)), shape=(self.size, self.size))
