"""Whether a state keeps the loops closed, asked at the public door."""

import numpy as np

from ...errors import InputError
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..equations.constraints import constraint_equation, constraint_error, largest_by_owner, row_owners

TOLERANCE = 1e-3
"""Gaps, in rad or m, and relative errors of rates above this are no drift but a mistake."""


def check_closed(m: Mechanism, q: Array, qd: Array, qdd: Array | None = None) -> None:
    """Raise InputError, naming the loop, if positions, velocities or accelerations would open one."""
    if not m.loops or q.dtype.kind == "O" or qd.dtype.kind == "O":
        return
    gaps = np.abs(constraint_error(m, q))
    _refuse(m, gaps > TOLERANCE, gaps, "q leaves loop {!r} of {!r} open by {:.3g}: take q from wt.assemble")
    K, k = constraint_equation(m, q, qd)
    size = np.abs(K) @ np.abs(qd)
    rates = np.abs(K @ qd)
    _refuse(m, rates > TOLERANCE * (1.0 + size), rates, _RATE.format("qd", "wt.project_velocity"))
    if qdd is not None:
        size = np.abs(K) @ np.abs(qdd) + np.abs(k)
        rates = np.abs(K @ qdd - k)
        words = _RATE.format("qdd", "a motion that obeys them, as K qdd = k of constraint_bias")
        _refuse(m, rates > TOLERANCE * (1.0 + size), rates, words)


_RATE = "{} opens loop {{!r}} of {{!r}} at a rate of {{:.3g}}: take it from {}"


def _refuse(m: Mechanism, bad: Array, values: Array, words: str) -> None:
    """Raise InputError about the first loop with a bad row; gears are checked by themselves."""
    bad = bad[: len(bad) - len(m.gears)]
    if np.any(bad):
        name = row_owners(m)[int(np.argmax(bad))]
        raise InputError(words.format(name, m.name, largest_by_owner(m, values)[name]))
