"""Closed loops of the semi-recursive methods: constraints beside the open equations (Yu et al. §7)."""

from ...loops.methods.augmented import constrained
from ...model.mechanism import Mechanism
from ...spatial import Array
from .body_equations import JointEquations


def closed_accelerations(
    m: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    open_loops: JointEquations,
    stabilization: float | None,
    rows: tuple[int, ...] | None,
    damping: float,
) -> Array:
    """(nv,) z̈ of the whole system (61), (63), whose unknown is printed as ż:

        [M   C_zᵀ] [z̈]   [Q_v + Q_e + tau   ]
        [C_z  0  ] [λ] = [Q_c - 2a Ċ - b² C]

    C_z, Q_c, Ċ and C are K, k, K qd and δ of the loop joints and gears, so that cuts may be made at joints of
    any type; a = b = 1/T_stab. Dependent rows are left out. Of a tree (48), (55) are left.
    """
    force = open_loops.Q_v + open_loops.Q_e + tau
    return constrained(m, q, qd, open_loops.M, force, stabilization, rows, damping)
