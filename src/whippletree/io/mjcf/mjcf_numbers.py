"""Numbers that MuJoCo takes and no mechanism can have: products of them need not be finite."""

from pathlib import Path

import numpy as np

from ...errors import FileError
from ...spatial import Array
from ..bounds import LARGEST_NUMBER, number_fault
from .mjcf_view import MjcfView

NUMBERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "BODY": ("body", ("pos", "ipos", "mass", "inertia")),
    "JOINT": ("jnt", ("pos", "axis", "stiffness")),
    "GEOM": ("geom", ("pos", "size")),
    "SITE": ("site", ("pos",)),
}
"""By the kind of an element: how the model calls it, and what of it becomes a part of a mechanism."""

OF_FREEDOMS = ("armature", "damping", "frictionloss")

OF_POSITIONS = {"ref": "qpos0", "springref": "qpos_spring"}
"""What a file calls positions of joints, and the model."""


def refuse_huge_numbers(view: MjcfView, path: Path) -> None:
    """FileError for the first such number, with the name of what has it."""
    model = view.model
    for kind, (short, names) in NUMBERS.items():
        for name in names:
            values = getattr(model, f"{short}_{name}")
            _refuse(view, path, kind, name, values, np.arange(len(values)))
    for name in OF_FREEDOMS:
        _refuse(view, path, "JOINT", name, getattr(model, f"dof_{name}"), model.dof_jntid)
    # The joint of each coordinate: the last that begins there or before it.
    owners = np.searchsorted(model.jnt_qposadr, np.arange(model.nq), side="right") - 1
    for name, values in OF_POSITIONS.items():
        _refuse(view, path, "JOINT", name, getattr(model, values), owners)
    for value in view.gravity:
        if (fault := number_fault(value)) is not None:
            raise FileError(path, f"gravity has {value:g}, which {fault}")


def _refuse(view: MjcfView, path: Path, kind: str, name: str, values: Array, owners: Array) -> None:
    """The same for values (n, ...) of elements of one kind, with the numbers (n,) of these."""
    for owner, row in zip(owners, values, strict=True):
        numbers = np.atleast_1d(row)
        for value in numbers[~(np.abs(numbers) <= LARGEST_NUMBER)]:
            what = f"{name} of {kind.lower()} {view.named(kind, int(owner))!r}"
            raise FileError(path, f"{what} has {value:g}, which {number_fault(float(value))}")
