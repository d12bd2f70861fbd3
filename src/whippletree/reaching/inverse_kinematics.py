"""Inverse kinematics: positions in which frames are where they are wanted."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.values import expect, positions, real_positive, whole_number
from ..spatial import Array
from .asked import Asked
from .bounds_of_joints import JointBounds
from .goals import goals
from .near_starts import NearStarts
from .reached import Reached, reached
from .search import Search

MOST_STARTS = 1_000_000
"""Positions to start from, at most."""


def inverse_kinematics(
    m: Mechanism,
    targets: Mapping[str, Any],
    q0: Any = None,
    *,
    center_of_mass: Any = None,
    weights: Mapping[str, Any] | None = None,
    hold: Sequence[str] = (),
    prefer: Any = None,
    starts: int = 32,
    tolerance: float = 1e-6,
    seed: int = 0,
    threads: int = 1,
) -> Reached:
    """Positions in which frames have given poses or places, within limits and with loops closed.

    Damped least squares with bounds on exact Jacobians (Sugihara 2011; `reaching/damped_least_squares.py`) in
    machine code for all problems at once; where a start does not lead to the target, others are tried. Where
    none does, the position that came nearest is given, and what stood in the way. Many problems begin in
    single precision; all end in double.

    Args:
        m: The mechanism. Loops and gears are closed on the way; q0 need not do so.
        targets: By the name of a frame or body: a pose, (..., 4, 4) as from `frame_pose` or a `Placement`, or
            a point (..., 3), m, in the world. Leading axes are problems; they broadcast.
        q0: (..., nq) where to start, rad or m, and where held joints are; what is preferred, or the neutral
            position, if None. What is found is near it if a near solution is found at once.
        center_of_mass: (..., 3) where the centre of mass is to be, m, in the world, or None.
        weights: By the name of the frame, or "center_of_mass": how much an error counts where not all can be
            reached, one number or one a row: turns about the frame's axes and then, or for points alone, the
            world's x, y and z. A row of weight 0 may be anything.
        hold: Names of joints that stay where q0 has them.
        prefer: (nq,) a position to be near to, as far as the targets leave a choice, or None. It moves
            solutions that have been found; it does not choose among distant ones.
        starts: How many to try at most, q0 being the first; others are drawn at random within the limits, and
            of many those taken whose frames are near their targets.
        tolerance: rad and m: errors up to this count as reached. Loops are closed to 1e-9.
        seed: Of the random starts.
        threads: How many threads to spread the problems over.

    Returns:
        A report with `q` (..., nq) and `solved`; `print` shows it as text.

    Raises:
        InputError: Something is not what it should be; names it.

    >>> import numpy as np, whippletree as wt
    >>> m = wt.examples.load("seven-axis-arm")
    >>> pose = wt.frame_pose(m, np.full(7, 0.4), "tool")
    >>> found = wt.inverse_kinematics(m, {"tool": pose}, np.zeros(7))
    >>> bool(found.solved), bool(np.allclose(wt.frame_pose(m, found.q, "tool"), pose, atol=1e-6))
    (True, True)
    >>> far = wt.inverse_kinematics(m, {"tool": np.array([3.0, 0.0, 0.5])}, np.zeros(7))
    >>> str(far.hindrance), far.distance["tool"].round(2)
    ('reach', np.float64(2.15))
    """
    expect("inverse_kinematics", "m", m, Mechanism, "a Mechanism")
    real_positive(tolerance, "tolerance")
    for name, value, least in (("starts", starts, 1), ("seed", seed, 0), ("threads", threads, 1)):
        whole_number(value, name, least)
    if starts > MOST_STARTS:
        raise InputError(f"starts is {starts!r:.60}, expected {MOST_STARTS} at most")
    bounds = JointBounds.of(m, hold)
    liked = m.neutral() if prefer is None else _position(m, prefer, "prefer")
    if liked.ndim != 1:
        raise InputError(f"prefer has shape {liked.shape}, expected ({m.nq},): one position for all problems")
    start = liked if q0 is None else _position(m, q0, "q0")
    asked = goals(m, targets, center_of_mass, weights, [start.shape[:-1]])
    rows = np.array(np.broadcast_to(start, (*asked.lead, m.nq))).reshape(-1, m.nq)
    problem = Asked(m, asked.tasks, bounds)
    search = Search(problem, asked, liked, float(tolerance), threads)
    found = search(rows, NearStarts(problem, int(seed)), int(starts))
    if prefer is not None:
        search.come_near(found)
    return reached(m, asked, bounds, found)


def _position(m: Mechanism, value: Any, name: str) -> Array:
    q = positions(m, value, name)
    if q.dtype.kind != "f":
        raise InputError(f"{name} has dtype {q.dtype}, expected real numbers")
    return q
