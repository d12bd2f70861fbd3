"""Mechanisms from Denavit-Hartenberg parameters, modified and classic (RBDA §4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from ..errors import ModelError
from ..joints import Joint, Revolute
from ..model.fields import checked_name
from ..model.mechanism import GROUND, Limits, Mechanism
from ..model.values import expect
from ..spatial import Inertia, Placement


@dataclass(frozen=True, kw_only=True)
class DH:
    """One row of a Denavit-Hartenberg table: a joint along z, and the link it carries.

    Args:
        a, d: Lengths along x and z, m.
        alpha, theta: Turns about x and z, rad.
        joint: Revolute, Prismatic, Cylindrical or Helical along z. Its variables add to d and theta,
            which then say where the joint's zero is.
        inertia: Of the link, in the row's Denavit-Hartenberg frame; none by default.
        name: Of the link; link1, link2, … by default.
        joint_name: joint1, joint2, … by default.
        limits, armature, damping, friction: Of the joint, as in `Mechanism.add_body`.
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: Joint = field(default_factory=Revolute)
    inertia: Inertia | None = None
    name: str | None = None
    joint_name: str | None = None
    limits: Limits = field(default_factory=Limits)
    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        for quantity, unit in (("a", "m"), ("alpha", "rad"), ("d", "m"), ("theta", "rad")):
            value = getattr(self, quantity)
            try:
                usable = isinstance(value, Real) and isfinite(value)
            except OverflowError:
                usable = False
            if not usable:
                raise ModelError(f"DH parameter {quantity} is {value!r:.60}: give a finite number, in {unit}")
        if self.inertia is not None and not isinstance(self.inertia, Inertia):
            raise ModelError(f"a DH row has the inertia {self.inertia!r:.60}, expected an Inertia")
        for name in (self.name, self.joint_name):
            if name is not None:
                checked_name(name, "DH row: link or joint")
        joint = self.joint
        axial = joint.on_axis() if isinstance(joint, Joint) else None
        if axial is None or axial.axis[:2] != (0, 0):
            raise ModelError(
                f"a DH row has the joint {joint!r}: give Revolute, Prismatic, Cylindrical or Helical along z"
            )


def from_dh(
    name: str,
    rows: Sequence[DH],
    *,
    convention: str,
    base: Placement | None = None,
    tool: Placement | None = None,
    gravity: Any = (0.0, 0.0, -9.81),
) -> Mechanism:
    """An arm from its Denavit-Hartenberg table, one row a joint, from the ground outwards.

    Modified (RBDA §4.3, Craig): from frame i-1 turn by alpha about x, go a along x, then turn by theta
    about z and go d along z. Joint i moves along z of frame i, and frame i is the body's own frame.

    Classic (Denavit and Hartenberg, Paul): from frame i-1 turn by theta about z, go d along z, then
    go a along x and turn by alpha about x. Joint i moves along z of frame i-1, and frame i sits at the
    far end of the link: it becomes the frame "<link>_dh". The body's own frame is the one that the
    modified convention would use.

    Args:
        name: Of the mechanism.
        rows: The table.
        convention: "modified" or "classic". Tables rarely say which they are: a row that turns by
            alpha before its joint is modified.
        base: Where frame 0 sits on the ground (the book's theta_0 and d_0); at its origin by default.
        tool: If given, a frame "tool" at this placement in the last Denavit-Hartenberg frame.
        gravity: (3,) in the ground's frame, m/s².

    Raises:
        ModelError: An unknown convention, no rows, or what `Mechanism.add_body` refuses.

    >>> import whippletree as wt
    >>> link = wt.Inertia.rod((0, 0, 0), (-0.5, 0, 0), mass=1.0)
    >>> rows = [wt.DH(a=0.5, inertia=link), wt.DH(a=0.5, inertia=link)]
    >>> m = wt.from_dh("scara", rows, convention="classic", gravity=(0, 0, 0))
    >>> m.nv, [frame.name for frame in m.frames]
    (2, ['link1_dh', 'link2_dh'])
    """
    if not isinstance(convention, str) or convention not in ("modified", "classic"):
        raise ModelError(f'convention is {convention!r}: give "modified" or "classic"')
    if not rows:
        raise ModelError(f"{name!r} has an empty Denavit-Hartenberg table: give one row a joint")
    for what, placement in (("base", base), ("tool", tool)):
        if placement is not None:
            expect("from_dh", what, placement, Placement, "a Placement")
    m = Mechanism(name, gravity)
    before, parent = Placement() if base is None else base, GROUND
    along_link = Placement()
    for i, row in enumerate(rows, start=1):
        if not isinstance(row, DH):
            raise ModelError(f"row {i} of {name!r} is {row!r}: give wt.DH(a=…, alpha=…, d=…, theta=…)")
        along_x = _screw(0, row.alpha, row.a)
        if convention == "modified":
            before = before @ along_x
        else:
            along_link = along_x
        link = row.name or f"link{i}"
        inertia = None if row.inertia is None else row.inertia.to_parent(along_link.transform())
        m.add_body(
            link,
            row.joint,
            parent,
            before @ _screw(2, row.theta, row.d),
            inertia,
            row.joint_name or f"joint{i}",
            limits=row.limits,
            armature=row.armature,
            damping=row.damping,
            friction=row.friction,
        )
        if convention == "classic":
            m.add_frame(f"{link}_dh", link, along_link)
        before, parent = along_link, link
    if tool is not None:
        m.add_frame("tool", parent, before @ tool)
    return m


def _screw(axis: int, angle: float, length: float) -> Placement:
    """A turn about the x (0) or z (2) axis and a shift along it (RBDA §A.4, scrx and scrz)."""
    # Right angles are the rule in these tables; kernels fold their zeros only if they are exact.
    c, s = (0.0 if abs(value) < 1e-15 else float(value) for value in (np.cos(angle), np.sin(angle)))
    if axis == 0:
        return Placement((length, 0.0, 0.0), rotation=[[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return Placement((0.0, 0.0, length), rotation=[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
