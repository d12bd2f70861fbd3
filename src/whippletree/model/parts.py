"""What a mechanism is made of: bodies with their joints, frames, shapes (RBDA §4.1-4.3)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..joints import Joint
from ..joints.base import subspace_fault
from ..shapes import SHAPES, Shape
from ..spatial import Array, Inertia, Placement
from ..spatial.scalar import real_numbers
from .fields import as_number, expect_fields, keep_as_tuple, meant, shown
from .physical import inertia_fault
from .spring import joint_force_fault

if TYPE_CHECKING:
    from .mechanism import Mechanism

GROUND = "ground"
"""The name of the fixed base."""

ABSURD = 1e6
"""rad or m: no joint goes so far; a bound beyond it says that there is none."""

A_JOINT = (Joint, "a joint such as Revolute('z')")
"""What a field that holds a joint expects."""

AN_INERTIA = (Inertia, "an Inertia such as Inertia(2.0, com=(0, 0, 0.1))")
"""Likewise an inertia."""

A_PLACEMENT = (Placement, "a Placement such as Placement((0, 0, 1))")
"""Likewise a placement."""

TURNED = 5.0 * 2.0 * np.pi
"""Angles beyond five turns, up to 720, look like degrees; larger ones are another way to say no limit."""


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint, each variable alike: positions in rad or m, speed per second, effort in N m or N.

    With a stiffness (N m/rad or N/m) the bounds are stops that push back; without, they are only known.
    A stop's dissipation, in s/rad or s/m, is the share of its force that each unit of speed adds. Bounds that
    are infinite may be so because nobody knows them: then `unknown` tells a joint that has some from one that
    turns for ever.
    """

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    stiffness: float = 0.0
    dissipation: float = 0.0
    unknown: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.unknown, bool):
            raise ModelError(f"limits: unknown is {self.unknown!r}, expected True or False")
        for bound in ("lower", "upper", "velocity", "effort", "stiffness", "dissipation"):
            object.__setattr__(self, bound, as_number(getattr(self, bound), "limits", bound))

    def fault(self) -> str | None:
        """What is wrong with these limits, in words, or None.

        >>> import whippletree as wt
        >>> wt.Limits(0.5, -0.5).fault()
        'lower limit 0.5 is above upper limit -0.5'
        """
        for bound in ("lower", "upper", "velocity", "effort"):
            if np.isnan(getattr(self, bound)):
                return f"{bound} limit is nan, expected a number"
        if self.lower > self.upper:
            return f"lower limit {self.lower:g} is above upper limit {self.upper:g}"
        for bound in ("velocity", "effort"):
            if getattr(self, bound) < 0.0:
                return f"{bound} limit is {getattr(self, bound):g}, must not be negative"
        return None

    def doubt(self) -> str | None:
        """What is odd about these limits if they are angles, in words, or None.

        >>> import whippletree as wt
        >>> wt.Limits(-90.0, 90.0).doubt()
        'limits -90 … 90 rad are 28.6 turns apart: degrees? Give radians'
        """
        if any(TURNED < abs(bound) <= 720.0 for bound in (self.lower, self.upper)):
            apart = (self.upper - self.lower) / (2.0 * np.pi)
            turns = f"{apart:.3g} turns apart" if np.isfinite(apart) else "many turns away"
            return f"limits {self.lower:g} … {self.upper:g} rad are {turns}: degrees? Give radians"
        return None

    def within(self, q: Array, rng: np.random.Generator) -> Array:
        """q, drawn again between the bounds of a joint of one variable if they leave finite room.

        Bounds beyond `ABSURD` stand for none, as writers of files mean them.

        >>> import whippletree as wt
        >>> wt.Limits(0.5, 0.5).within(np.array([3.0]), np.random.default_rng(0))
        array([0.5])
        """
        sensible = -ABSURD <= self.lower <= self.upper <= ABSURD
        if len(q) == 1 and sensible:
            return rng.uniform(self.lower + 0.0, self.upper + 0.0, 1)  # NumPy refuses 0.0 … -0.0
        return q


NO_LIMITS = Limits()
"""Those of a joint of which nothing is said."""

LIMITS = (Limits, "Limits(lower, upper)")
"""What a field that holds limits expects."""

Color = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""


@dataclass(frozen=True)
class Geometry:
    """A shape fixed to a body, for pictures and contact; dynamics never needs it.

    >>> import whippletree as wt
    >>> box = wt.Box((0.1, 0.2, 0.3))
    >>> wt.Geometry(box, wt.Placement((0.0, 0.0, 0.5)), color=(0.8, 0.3, 0.1, 1.0)).shape.size
    (0.1, 0.2, 0.3)
    """

    shape: Shape
    placement: Placement = field(default_factory=Placement)
    color: Color | None = None

    def __post_init__(self) -> None:
        check_shape(self, "geometry")


def check_shape(part: Any, title: str) -> None:
    """ModelError for a part whose shape, placement or color is none; makes the color a tuple of floats."""
    if not isinstance(part.shape, Shape):
        known = ", ".join(cls.__name__ for cls in SHAPES.values())
        raise ModelError(
            f"{title}: shape is {part.shape!r}, expected one of {known}, as Box((0.1, 0.2, 0.3))"
        )
    if not isinstance(part.placement, Placement):
        raise ModelError(f"{title}: placement is {part.placement!r}, expected {A_PLACEMENT[1]}")
    if part.color is not None:
        try:
            r, g, b, a = real_numbers(part.color).tolist()
        except (TypeError, ValueError):
            r, g, b, a = (np.nan,) * 4
        if not all(0.0 <= value <= 1.0 for value in (r, g, b, a)):
            raise ModelError(
                f"{title}: color is {part.color!r}, expected red, green, blue and opacity, each from 0 to 1"
            )
        object.__setattr__(part, "color", (r, g, b, a))


@dataclass(frozen=True)
class PlacedShape:
    """A named shape fixed to a body or to the ground: it is seen, and it can be touched."""

    name: str
    shape: Shape
    body: str = GROUND
    placement: Placement = field(default_factory=Placement)
    color: Color | None = None

    def __post_init__(self) -> None:
        check_shape(self, f"shape {self.name!r}")


@dataclass(frozen=True)
class Body:
    """A rigid body and the joint that carries it.

    The joint's predecessor frame sits in the parent at `placement`; its successor frame is the
    body's own frame, in which `inertia` is given. Every velocity of the joint is held back by damping
    (N m s/rad or N s/m) and Coulomb friction (N m or N); a spring of the given stiffness (N m/rad or
    N/m) draws it to its position `rest` (nq,), the neutral one if None. An actuated joint has a motor, whose
    force is bounded by `limits.effort`.
    """

    name: str
    joint: Joint
    parent: str
    placement: Placement
    inertia: Inertia
    joint_name: str
    limits: Limits = Limits()
    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: tuple[float, ...] | None = None
    visuals: tuple[Geometry, ...] = ()
    collisions: tuple[Geometry, ...] = ()
    actuated: bool = False

    def __post_init__(self) -> None:
        keep_as_tuple(self, "rest")
        kinds = {
            "joint": A_JOINT,
            "placement": A_PLACEMENT,
            "inertia": AN_INERTIA,
            "limits": LIMITS,
        }
        expect_fields(self, f"body {self.name!r}", kinds)
        for looks in ("visuals", "collisions"):
            check_geometries(getattr(self, looks), f"body {self.name!r}: {looks}")


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body."""

    name: str
    body: str
    placement: Placement = field(default_factory=Placement)

    def __post_init__(self) -> None:
        expect_fields(self, f"frame {self.name!r}", {"placement": A_PLACEMENT})


def check_geometries(shapes: Any, title: str) -> None:
    """ModelError for anything but a tuple of Geometry."""
    if not isinstance(shapes, tuple) or not all(isinstance(shape, Geometry) for shape in shapes):
        raise ModelError(f"{title} is {shapes!r}, expected a tuple of Geometry")


class Fault(NamedTuple):
    """What is wrong with a part: files may hold it, and a user who says it is told at once.

    Attributes:
        field: The field of the part.
        title: The part, as "body 'link'".
        fault: What is wrong, in words.
        hint: What to do about it.
    """

    field: str
    title: str
    fault: str
    hint: str = ""


def body_faults(body: Body) -> Iterator[Fault]:
    """An inertia that is no body's, and limits that are none: real robot files hold such ones."""
    yield from inertia_faults(body.inertia, body.name)
    yield from limit_faults(body.limits, body.joint_name)


def body_doubts(body: Body) -> Iterator[Fault]:
    """What may be meant, and is more likely a slip: limits of a turning joint that look like degrees."""
    return limit_doubts(body.limits, body.joint, body.joint_name)


def inertia_faults(inertia: Inertia, name: str) -> Iterator[Fault]:
    """An inertia that is no body's."""
    fault = inertia_fault(inertia)
    if fault is not None:
        hint = "; give moments about the centre of mass, in kg m²" if "moments" in fault else ""
        yield Fault("inertia", f"body {name!r}", fault, hint)


def limit_faults(limits: Limits, joint_name: str) -> Iterator[Fault]:
    """Limits that are none, of a tree joint or a loop joint."""
    fault = limits.fault()
    if fault is not None:
        yield Fault("limits", f"joint {joint_name!r}", fault)


def limit_doubts(limits: Limits, joint: Joint, joint_name: str) -> Iterator[Fault]:
    """Limits of a turning joint that look like degrees."""
    doubt = limits.doubt() if joint.units == ("rad",) else None
    if doubt is not None:
        yield Fault("limits", f"joint {joint_name!r}", doubt)


def check_body(m: "Mechanism", body: Body) -> None:
    """ModelError for a body on a parent that is not there yet, or whose joint cannot have its properties."""
    if not m.has("body", body.parent):
        raise ModelError(
            f"body {body.name!r}: parent {body.parent!r} is not in {m.name!r}; "
            f"add it first. Known: {shown(m.names('body'))}{meant(body.parent, m.names('body'))}"
        )
    check_joint_part(m, body, f"body {body.name!r}", body.joint_name)


JOINT_QUANTITIES = ("armature", "damping", "friction", "stiffness")
"""What a joint may have, 0 or more; loop joints have no armature."""


def check_joint_part(m: "Mechanism", part: Any, title: str, joint_name: str) -> None:
    """ModelError for a body or loop whose joint cannot have its damping, friction, spring or stops."""
    if not isinstance(part.actuated, bool):
        raise ModelError(f"{title}: actuated is {part.actuated!r}, expected True or False")
    for quantity in JOINT_QUANTITIES:
        if hasattr(part, quantity):
            number = as_number(getattr(part, quantity), title, quantity)
            if not 0.0 <= number < np.inf:
                raise ModelError(f"{title}: {quantity} is {number}, must be 0 or more and finite")
    fault = subspace_fault(part.joint) or joint_force_fault(part)
    if fault is not None:
        raise ModelError(f"joint {joint_name!r} of {m.name!r}: {fault}")
