"""Forward dynamics from the equations of single bodies and joints, as one sparse system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import SingularError
from ...model.gear import Gear
from ...model.mechanism import Mechanism
from ...spatial import Array, cross_force, factor_spd
from ..equations.constraints import constraint_error, constraint_jacobian, stabilizing_term
from ..equations.local_motions import LocalMotions
from ..equations.pivot_order import PivotOrder, in_order
from ..equations.rank import independent_rows
from ..equations.relations import gear_relation, loop_joint, loop_rate
from .kkt import KKTChoice
from .sparse_blocks import SparseBlocks


def sparse(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_ext: Array | None = None,
    stabilization: float | None = None,
    choice: KKTChoice | None = None,
) -> Array:
    """Joint accelerations from one sparse system over all bodies and joints; no springs or loads.

    Featherstone, Rigid Body Dynamics Algorithms (2008), eq 8.64 with v ×* I v for its bias (the star
    is missing there), in ground coordinates. Unknowns are the accelerations of all bodies and -λ of
    all joints: I_i a_i + Σ ±T_j λ_j is the force on body i, and T_jᵀ(a_s - a_p) is what joint j
    prescribes. A rotor of inertia A adds T_a A T_aᵀ between the bodies of its joint. Rows of loops and
    gears that depend on others are left out, as in `kkt`.

    Args:
        m, q, qd, tau, f_ext, stabilization: As in `kkt`.
        choice: From `method_choice`; made at q if None. A kernel needs one, as in `kkt`.

    Returns:
        (nv,) joint accelerations, rad/s² or m/s².

    >>> import whippletree as wt
    >>> m = wt.examples.load("four-bar")
    >>> wt.loops.sparse(m, m.neutral(), np.zeros(3), np.zeros(3)).round(3)
    array([-29.104,  34.742,  -5.479])
    """
    rows = independent_rows(constraint_jacobian(m, q)) if choice is None else choice.rows
    equations = _BodyEquations(m, q, qd, rows)
    b = equations.right(tau, f_ext, stabilization)
    if choice is not None:
        return equations.joint_accelerations(in_order(equations.system.by_rows(), b, choice.order)[0])
    try:
        return equations.joint_accelerations(_factored(equations).solve(b))
    except RuntimeError as error:
        message = f"sparse: the equations of {m.name!r} have no unique solution ({error})"
        raise SingularError(message) from None


def sparse_choice(m: Mechanism, q: Array) -> KKTChoice:
    """The choice that suits a position q (nq,) best: independent rows, and the order of the factors."""
    rows = tuple(independent_rows(constraint_jacobian(m, q)))
    factors = _factored(_BodyEquations(m, q, np.zeros(m.nv), rows))
    by_row, by_column = (
        tuple(int(k) for k in np.argsort(places)) for places in (factors.perm_r, factors.perm_c)
    )
    sizes = tuple(float(size) for size in np.abs(factors.U.diagonal()))
    return KKTChoice(rows, PivotOrder(by_row, by_column, sizes))


def sparse_quality(m: Mechanism, q: Array, choice: KKTChoice) -> Any:
    """The least pivot at another position q (nq,), as a share of what it was where the choice was made."""
    system = _BodyEquations(m, q, np.zeros(m.nv), choice.rows).system
    return in_order(system.by_rows(), np.zeros(system.size), choice.order)[1]


def _factored(equations: _BodyEquations) -> Any:
    from scipy.sparse.linalg import splu  # on use: it takes longer to import than all the rest

    return splu(equations.system.matrix())


class _BodyEquations:
    """The sparse system at a state; `rows` are those of loops and gears that are kept."""

    def __init__(self, m: Mechanism, q: Array, qd: Array, rows: Sequence[int]) -> None:
        n, lam = len(m), m.parents
        self.m, self.q, self.rows = m, q, rows
        motions = LocalMotions(m, q, qd)
        body = self.body = [motions.of(-1, i) for i in range(n)]
        self.c = [body[i].a - motions.of(-1, lam[i]).a for i in range(n)]
        self.T_a = [factor_spd(b.S.T @ b.S).solve(b.S.T).T for b in body]
        self.I = [m.bodies[i].inertia.to_parent(body[i].X) for i in range(n)]
        self.rotors = [(self.T_a[i] * m.bodies[i].armature) @ self.T_a[i].T for i in range(n)]
        self.system = SparseBlocks(n)
        self.joint_right: list[Array] = []
        self.rates: list[Array] = []
        for i in range(n):
            self.system.add(i, i, self.I[i].matrix())
            self.system.add(i, i, self.rotors[i])
            if lam[i] != -1:
                for row, column, sign in ((lam[i], lam[i], 1.0), (i, lam[i], -1.0), (lam[i], i, -1.0)):
                    self.system.add(row, column, sign * self.rotors[i])
        for i in range(n):
            T = body[i].X.T @ m.bodies[i].joint.constraint_subspace(q[m.q_index[i]])
            self.system.constrain([(i, T), (lam[i], -T)])
            self.joint_right.append(T.T @ self.c[i])
        self._add_loops(motions)

    def _add_loops(self, motions: LocalMotions) -> None:
        m, start = self.m, 0
        for loop in m.loops:
            joint = loop_joint(m, loop, motions, -1)
            T = joint.T[:, [row for row in range(joint.T.shape[1]) if start + row in self.rows]]
            start += joint.T.shape[1]
            ends = (m.body_number(loop.successor), T), (m.body_number(loop.predecessor), -T)
            self.system.constrain(list(ends))
            self.joint_right.append(T.T @ joint.c)
            self.rates.append(T.T @ joint.v_J)
        for number, gear in enumerate(m.gears):
            if start + number in self.rows:
                self._add_gear(gear, motions)
                self.rates.append(gear_relation(m, gear, motions).rate)

    def _add_gear(self, gear: Gear, motions: LocalMotions) -> None:
        m, blocks, right = self.m, [], np.zeros(1)
        for name, factor in ((gear.driven, 1.0), *((driver, -ratio) for driver, ratio in gear.terms)):
            if m.has("loop", name):
                loop = m.loops[m.number("loop", name)]
                rate = loop_rate(m, loop, motions, -1)
                p, s = m.body_number(loop.predecessor), m.body_number(loop.successor)
                along, c = factor * rate.T_a, rate.c
            else:
                s = m.joint_number(name)
                p, along, c = m.parents[s], factor * self.T_a[s], self.c[s]
            blocks += [(s, along), (p, -along)]
            right = right + along.T @ c
        self.system.constrain(blocks)
        self.joint_right.append(right)

    def right(self, tau: Array, f_ext: Array | None, stabilization: float | None) -> Array:
        """The right-hand side: forces on the bodies, then what the joints prescribe."""
        m, lam, on_body = self.m, self.m.parents, []
        for i, body in enumerate(self.body):
            weight = self.I[i] @ np.array([0.0, 0.0, 0.0, *m.gravity])
            on_body.append(weight - cross_force(body.v, self.I[i] @ body.v))
            if f_ext is not None:
                on_body[i] = on_body[i] + body.X.T @ f_ext[i]
        for i in range(len(m)):
            active = self.T_a[i] @ tau[m.v_index[i]] + self.rotors[i] @ self.c[i]
            on_body[i] = on_body[i] + active
            if lam[i] != -1:
                on_body[lam[i]] = on_body[lam[i]] - active
        joints = np.concatenate([np.zeros(0), *self.joint_right])
        if stabilization is not None and len(self.rows):
            error = constraint_error(m, self.q)[sorted(self.rows)]
            term = stabilizing_term(np.concatenate(self.rates), error, stabilization)
            joints = np.concatenate([joints[: -len(term)], joints[-len(term) :] + term])
        return np.concatenate([np.zeros(0), *on_body, joints])

    def joint_accelerations(self, solution: Array) -> Array:
        """(nv,) from the accelerations of the bodies, which are the first part of the solution."""
        n, lam = len(self.m), self.m.parents
        a = [*(solution[6 * i : 6 * i + 6] for i in range(n)), np.zeros(6)]
        found = (self.T_a[i].T @ (a[i] - a[lam[i]] - self.c[i]) for i in range(n))
        return np.concatenate([np.zeros(0), *found])
