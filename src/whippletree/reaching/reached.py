"""What inverse kinematics has reached, and what stood in the way."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..loops.equations.constraints import row_owners
from ..model.mechanism import Mechanism
from ..spatial import Array
from .bounds_of_joints import JointBounds
from .goals import Goals
from .search import CLOSED, SearchResult

PUSHES = 1e-3
"""Gradients below this share of the errors count as none."""


@dataclass(frozen=True, eq=False)
class Reached:
    """What inverse kinematics has found, for one problem or, with leading axes, for many.

    Attributes:
        q: (..., nq) the positions, within limits; where a target is not reached, the nearest one found.
        solved: (...) whether all targets are reached and all loops closed.
        distance: (...) m, by the name of the frame: how far it is from its target.
        angle: (...) rad, likewise, of frames that were given a pose.
        gap: (...) rad or m, by the name of the loop or gear: its largest gap.
        at_limit: (...) by the name of the joint: whether it stands at a limit and would have to go beyond.
        hindrance: (...) what stood in the way, a text: "" if it is solved; "loops" do not close; "limits"
            hold it back; "reach", the target is beyond it; "steps", the search ended on its way.
        starts: (...) how many starts were tried.
    """

    q: Array
    solved: Array
    distance: dict[str, Array]
    angle: dict[str, Array]
    gap: dict[str, Array]
    at_limit: dict[str, Array]
    hindrance: Array
    starts: Array

    def why(self, number: Any = ()) -> str:
        """What was reached and what stood in the way, in words, for the problem with this number or index."""
        try:
            solved, hindrance = bool(self.solved[number]), str(self.hindrance[number])
        except (IndexError, TypeError, ValueError):
            raise InputError(
                f"number is {number!r}, expected that of a problem: they have shape {self.solved.shape}"
            ) from None
        far = [
            f"{name} {distance[number]:.3g} m"
            + (f" and {self.angle[name][number]:.3g} rad" if name in self.angle else "")
            for name, distance in self.distance.items()
        ]
        apart = f"{', '.join(far)} from {'its target' if len(far) == 1 else 'their targets'}"
        if solved:
            return f"reached: {apart}"
        starts = f"after {self.starts[number]} starts"
        if hindrance == "loops":
            opened = [
                f"{name!r} by {gap[number]:.3g}" for name, gap in self.gap.items() if gap[number] > CLOSED
            ]
            return f"not reached {starts}: {apart}, and still open, in rad or m, are {', '.join(opened)}"
        if hindrance == "limits":
            names = [repr(name) for name, there in self.at_limit.items() if there[number]]
            return f"not reached {starts}: {apart}, held back by the limits of {', '.join(names)}"
        if hindrance == "reach":
            return f"not reached {starts}: {apart}, which is as near as it gets around there"
        return f"not reached {starts}: {apart}, and the search was still on its way; give it more starts"

    def __str__(self) -> str:
        if self.solved.ndim == 0:
            return self.why()
        words = {
            "loops": "loops do not close",
            "limits": "limits",
            "reach": "out of reach",
            "steps": "on the way",
        }
        counts = {told: int(np.sum(self.hindrance == key)) for key, told in words.items()}
        listed = [f"{told}: {count}" for told, count in counts.items() if count]
        rest = f"; {', '.join(listed)}" if listed else ""
        return f"{int(np.sum(self.solved))} of {self.solved.size} reached{rest}"


def reached(m: Mechanism, goals: Goals, bounds: JointBounds, found: SearchResult) -> Reached:
    """The report on what a search has found."""

    def shaped(values: Array) -> Array:
        return values.reshape((*goals.lead, *values.shape[1:]))

    distance, angle = {}, {}
    for task, rows in goals.blocks():
        errors = found.errors[:, rows]
        distance[task.name] = shaped(_norms(errors[:, -3:]))
        if task.pose:
            angle[task.name] = shaped(_norms(errors[:, :3]))
    owners, gap = row_owners(m), {}
    for name in dict.fromkeys(owners):
        rows = [k for k, owner in enumerate(owners) if owner == name]
        gap[name] = shaped(np.max(np.abs(found.gaps[:, rows]), axis=1))
    count, left = len(found.solved), np.flatnonzero(~found.solved)
    at_limit = {name: np.zeros(count, bool) for name in _bounded(m, bounds)}
    hindrance = np.full(count, "", "U6")
    if len(left):
        pushed, hindrance[left] = _hindrances(m, goals, bounds, found, left)
        for name, flags in pushed.items():
            at_limit[name][left] = flags
    return Reached(
        shaped(found.q),
        shaped(found.solved),
        distance,
        angle,
        gap,
        {name: shaped(flags) for name, flags in at_limit.items()},
        shaped(hindrance),
        shaped(found.starts),
    )


def _bounded(m: Mechanism, bounds: JointBounds) -> list[str]:
    """The name of the joint of each bound."""
    joints = [
        body.joint_name for body, s in zip(m.bodies, m.v_index, strict=True) for _ in range(s.start, s.stop)
    ]
    return [joints[bound.v] for bound in bounds.bounds]


def _hindrances(
    m: Mechanism, goals: Goals, bounds: JointBounds, found: SearchResult, left: Array
) -> tuple[dict[str, Array], Array]:
    """Of some problems: which joints would have to go beyond a limit, and what stood in the way."""
    q, gradient, errors, gaps = (
        rows.take(left, axis=0) for rows in (found.q, found.gradient, found.errors, found.gaps)
    )
    size = np.sqrt(np.sum((goals.weights * errors) ** 2, axis=1) + np.sum(gaps**2, axis=1))
    pushed: dict[str, Array] = {}
    resting = np.tile([k not in bounds.held for k in range(m.nv)], (len(left), 1))
    for name, bound in zip(_bounded(m, bounds), bounds.bounds, strict=True):
        there, slope = q[:, bound.q], gradient[:, bound.v]
        beyond = ((there <= bound.lower) & (slope > 0.0)) | ((there >= bound.upper) & (slope < 0.0))
        resting[:, bound.v] &= ~beyond
        pushed[name] = pushed.get(name, False) | (beyond & (np.abs(slope) > PUSHES * size))
    still = np.max(np.abs(gradient * resting), axis=1, initial=0.0) <= PUSHES * size
    stuck = np.any([np.zeros(len(left), bool), *pushed.values()], axis=0)
    opened = np.max(np.abs(gaps), axis=1, initial=0.0) > CLOSED
    return pushed, np.select([opened, stuck, still], ["loops", "limits", "reach"], "steps")


def _norms(rows: Array) -> Array:
    """(count,) lengths of rows."""
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))
