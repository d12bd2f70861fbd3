"""What inverse kinematics is asked for: frames and their targets, one problem or many."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, refuse_masked
from ..model.mechanism import Mechanism
from ..spatial import Array, Placement
from ..spatial.scalar import real_numbers

CENTER_OF_MASS = "center_of_mass"
"""What the target of the centre of mass is called in errors and weights."""

TURNED = 1e-6
"""How far the matrix of a pose may be from a rotation."""


class Task(NamedTuple):
    """One thing to be brought somewhere.

    Attributes:
        frame: Name of a frame or body; "" is the centre of mass.
        pose: Whether it is to be turned too, so that there are 6 rows, the turn first; else 3.
    """

    frame: str
    pose: bool

    @property
    def name(self) -> str:
        return self.frame or CENTER_OF_MASS

    @property
    def rows(self) -> int:
        return 6 if self.pose else 3

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one target."""
        return (4, 4) if self.pose else (3,)

    @property
    def numbers(self) -> int:
        """How many say where it is: its point, or three rows of its pose."""
        return 12 if self.pose else 3


@dataclass(frozen=True, eq=False)
class Goals:
    """Tasks with their targets, one row a problem.

    Attributes:
        tasks: What is to be brought somewhere.
        wanted: (count, numbers of all tasks) targets as rows, in the order of `places`.
        weights: (rows,) of all tasks, one after the other.
        lead: The leading axes that the problems had.
    """

    tasks: tuple[Task, ...]
    wanted: Array
    weights: Array
    lead: tuple[int, ...]

    def blocks(self) -> list[tuple[Task, slice]]:
        """Each task with its rows."""
        ends = np.cumsum([0, *(task.rows for task in self.tasks)])
        return [(task, slice(int(a), int(a) + task.rows)) for task, a in zip(self.tasks, ends, strict=False)]


def goals(
    m: Mechanism,
    targets: Mapping[str, Any],
    center_of_mass: Any,
    weights: Mapping[str, Any] | None,
    lead: Sequence[tuple[int, ...]],
) -> Goals:
    """What a user asks for, checked.

    Args:
        m: The mechanism.
        targets: Poses and points by the names of frames.
        center_of_mass: Its target, or None.
        weights: By name.
        lead: Leading axes of other arguments.
    """
    if not isinstance(targets, Mapping):
        raise InputError(f"targets is {targets!r}, expected targets by frame, as {{'tool': pose}}")
    given = {name: _target(m, name, value) for name, value in targets.items()}
    tasks = [Task(name, array.shape[-2:] == (4, 4)) for name, array in given.items()]
    arrays = list(given.values())
    if center_of_mass is not None:
        arrays.append(_numbers(center_of_mass, CENTER_OF_MASS))
        if arrays[-1].ndim < 1 or arrays[-1].shape[-1] != 3:
            raise InputError(f"center_of_mass has shape {arrays[-1].shape}, expected (3,) or (..., 3)")
        tasks.append(Task("", False))
    if not tasks:
        raise InputError("there is no target: give one, as {'tool': pose}, or center_of_mass")
    leads = [array.shape[: array.ndim - len(task.shape)] for task, array in zip(tasks, arrays, strict=True)]
    try:
        common = np.broadcast_shapes(*leads, *lead)
    except ValueError:
        told = ", ".join(f"{task.name!r} {axes}" for task, axes in zip(tasks, leads, strict=True))
        others = "".join(f", {axes}" for axes in lead if axes)
        raise InputError(f"targets have leading axes {told}{others}: lengths must be equal or 1") from None
    wanted, at = np.empty((*common, sum(task.numbers for task in tasks))), 0
    for task, array in zip(tasks, arrays, strict=True):
        rows = array[..., :3, :].reshape(*array.shape[:-2], 12) if task.pose else array
        wanted[..., at : at + task.numbers] = rows
        at += task.numbers
    return Goals(tuple(tasks), wanted.reshape(-1, at), _weights(tasks, weights), common)


def _target(m: Mechanism, name: Any, value: Any) -> Array:
    """(..., 4, 4) a pose or (..., 3) a point."""
    m.frame(name)  # which names what it could have been
    if isinstance(value, Placement):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = value.rotation, value.position
        return T
    array = _numbers(value, f"the target of {name!r}")
    if array.ndim >= 2 and array.shape[-2:] == (4, 4):
        _check_poses(name, array.reshape(-1, 4, 4), array.ndim > 2)
        return array
    if array.ndim >= 1 and array.shape[-1] == 3:
        return array
    raise InputError(
        f"the target of {name!r} has shape {array.shape}, expected a pose (..., 4, 4), a point (..., 3) "
        "or a Placement"
    )


def _check_poses(name: str, T: Array, many: bool) -> None:
    """InputError for matrices (n, 4, 4) that are no poses."""
    R = np.moveaxis(T[:, :3, :3], 0, 2).copy()  # all poses side by side, which is faster
    off = np.abs(np.einsum("kin,kjn->ijn", R, R) - np.eye(3)[:, :, None]).reshape(9, -1).max(axis=0)
    det = np.einsum("in,in->n", R[:, 0], np.cross(R[:, 1], R[:, 2], axis=0))
    bottom = np.abs(T[:, 3].T - np.array([[0.0], [0.0], [0.0], [1.0]])).max(axis=0)
    wrong = (off > TURNED) | (det < 0.0) | (bottom > TURNED)
    if np.any(wrong):
        k = int(np.argmax(wrong))
        which = f" number {k}" if many else ""
        raise InputError(
            f"the target of {name!r}{which} is no pose: RᵀR differs from 1 by {off[k]:.3g}, det R is "
            f"{det[k]:.3g} and the last row is off by {bottom[k]:.3g}; give homogeneous matrices, as "
            "wt.frame_pose does"
        )


def _numbers(value: Any, name: str) -> Array:
    refuse_masked(value, name)
    try:
        plain = type(value) is np.ndarray and value.dtype == float  # nothing is written to it
        array = value if plain else real_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}, expected real numbers") from None
    if not np.all(np.isfinite(array)):
        raise InputError(f"{name} holds NaN or infinite entries: every entry must be finite")
    return array


def _weights(tasks: Sequence[Task], given: Mapping[str, Any] | None) -> Array:
    """(rows,) of all tasks; 1 where none is given."""
    known = {task.name: task for task in tasks}
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"weights is {given!r}, expected weights by name, as {{'tool': 2.0}}")
    for name in given or {}:
        if name not in known:
            raise InputError(f"weights has {name!r}, which has no target; there are {', '.join(known)}")
    found = []
    for name, task in known.items():
        weight = _numbers((given or {}).get(name, 1.0), f"the weight of {name!r}")
        if weight.shape not in ((), (task.rows,)) or np.any(weight < 0.0) or not np.any(weight > 0.0):
            raise InputError(
                f"the weight of {name!r} is {weight}, expected one number or {task.rows}, 0 or more, "
                "one at least above 0"
            )
        found.append(np.broadcast_to(weight, (task.rows,)))
    return np.concatenate(found)
