"""Whether a state keeps the loops closed and agrees with the gears, asked at the public door."""

from collections.abc import Mapping

import numpy as np

from ...errors import InputError
from ...model.gear import tree_gears
from ...model.mechanism import Mechanism
from ...spatial import Array
from ..equations.constraints import constraint_equation, constraint_error, row_owners
from ..equations.loop_sizes import row_sizes

TOLERANCE = 1e-3
"""Gaps, in rad or as a share of the loop's size, and relative errors of rates above this are a mistake."""

GEARED, GEARED_START = 1e-6, 1e-9
"""How far, relative to their size, states may be from what gears demand; starts less, as rates add up."""


def check_gears(
    m: Mechanism, positions: Mapping[str, Array], rates: Mapping[str, Array], tolerance: float = GEARED
) -> None:
    """Raise InputError, naming gear and joint, if one state or one of many contradicts a gear.

    Args:
        m: The mechanism.
        positions: (..., nq) joint positions, by the names they have for the user.
        rates: (..., nv) joint velocities or accelerations, likewise.
        tolerance: `GEARED`, or `GEARED_START` for the start of a motion.
    """
    for gear in tree_gears(m):
        joints = [m.joint_number(joint) for joint in gear.joints]
        for given, index, offset in ((positions, m.q_index, gear.offset), (rates, m.v_index, 0.0)):
            for name, values in given.items():
                if values.dtype.kind == "O":
                    continue
                driven, *drivers = (values[..., index[joint].start] for joint in joints)
                ratios = [ratio for _, ratio in gear.terms]
                expected = sum(ratio * x for ratio, x in zip(ratios, drivers, strict=True)) + offset
                wrong = np.abs(driven - expected) > tolerance * np.maximum(1.0, np.abs(expected))
                if np.any(wrong):
                    k = int(np.argmax(wrong))
                    found, held = (float(np.real(np.ravel(value)[k])) for value in (driven, expected))
                    which = f" of trajectory {k}" if np.ndim(wrong) else ""
                    raise InputError(
                        f"{name}{which} has {found:.10g} for joint {gear.driven!r}, which gear {gear.name!r} "
                        f"holds at {held:.10g}: take positions from gear_positions, rates from gear_matrix"
                    )


def check_closed(m: Mechanism, q: Array, qd: Array, qdd: Array | None = None) -> None:
    """Raise InputError, naming the loop, if positions, velocities or accelerations would open one."""
    if not m.loops or q.dtype.kind == "O" or qd.dtype.kind == "O":
        return
    check_position_closed(m, q, "q")
    sizes = row_sizes(m)
    K, k = constraint_equation(m, q, qd)
    size = np.abs(K) @ np.abs(qd)
    _refuse(m, np.abs(K @ qd), TOLERANCE * (sizes + size), _RATE.format("qd", "wt.project_velocity"))
    if qdd is not None:
        size = np.abs(K) @ np.abs(qdd) + np.abs(k)
        words = _RATE.format("qdd", "a motion that obeys them, as K qdd = k of constraint_bias")
        _refuse(m, np.abs(K @ qdd - k), TOLERANCE * (sizes + size), words)


def check_position_closed(m: Mechanism, q: Array, name: str) -> None:
    """Raise InputError if a position of this name leaves a loop open."""
    _refuse(m, np.abs(constraint_error(m, q)), TOLERANCE * row_sizes(m), _GAP.format(name))


_GAP = (
    "{0} leaves {{}} {{!r}} of {{!r}} open by {{:.3g}}, more than {{:.3g}} rad or m: "
    "take {0} from wt.assemble"
)
_RATE = "{} opens {{}} {{!r}} of {{!r}} at a rate of {{:.3g}}, more than {{:.3g}}: take it from {}"


def _refuse(m: Mechanism, values: Array, most: Array, words: str) -> None:
    """Raise InputError about the worst row of a loop or of a gear of loop joints; others have their check."""
    checked = {gear.name for gear in tree_gears(m)}
    names = row_owners(m)
    shares = np.where([name in checked for name in names], 0.0, values / most)
    if np.any(shares > 1.0):
        k = int(np.argmax(shares))
        kind = "gear" if m.has("gear", names[k]) else "loop"
        raise InputError(words.format(kind, names[k], m.name, values[k], most[k]))
