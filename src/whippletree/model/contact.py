"""Contacts: which shapes may touch, and how they do."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import ModelError, with_article
from ..shapes import Mesh, Shape
from ..spatial import Placement
from .fields import set_numbers
from .parts import GROUND

if TYPE_CHECKING:
    from .mechanism import Mechanism


@dataclass(frozen=True)
class Contact:
    """Two things that may touch: each a named shape, a body with all its shapes, or "ground" with all of its.

    Friction is Coulomb's coefficient; restitution is the share of the approach that an impact returns, from 0
    to 1. With a stiffness, N/m, the surfaces give way, and damping, N s/m, holds them back; without, they
    are rigid.
    """

    name: str
    a: str
    b: str
    friction: float = 0.8
    restitution: float = 0.0
    stiffness: float | None = None
    damping: float | None = None

    def __post_init__(self) -> None:
        title = f"contact {self.name!r}"
        set_numbers(self, title, ("friction", "restitution"), least=0.0)
        if self.restitution > 1.0:
            raise ModelError(
                f"{title}: restitution is {self.restitution:g}, must be between 0 and 1: "
                "no impact returns more than it was given"
            )
        given = [name for name in ("stiffness", "damping") if getattr(self, name) is not None]
        set_numbers(self, title, given, least=0.0)
        if self.stiffness is None and self.damping is not None:
            raise ModelError(
                f"{title}: damping is {self.damping:g} N s/m, but there is no stiffness: "
                "give one, in N/m, or leave the damping out for rigid surfaces"
            )
        if self.stiffness == 0.0:
            raise ModelError(f"{title}: stiffness is 0, must be more: None is for rigid surfaces")


class Touching(NamedTuple):
    """A shape that may touch another: its name in messages, its body's number, and where on it it sits."""

    name: str
    body: int
    shape: Shape
    placement: Placement


def touching_shapes(m: "Mechanism", name: str) -> list[Touching]:
    """The shape of this name, or all shapes of the body: those of its files' collisions, and named ones."""
    if m.has("shape", name):
        placed = m.shapes[m.number("shape", name)]
        return [Touching(name, m.body_number(placed.body), placed.shape, placed.placement)]
    body = m.body_number(name)
    solids = m.ground_collisions if body == -1 else m.bodies[body].collisions
    found = [
        Touching(f"collision {k} of {name}", body, solid.shape, solid.placement)
        for k, solid in enumerate(solids)
    ]
    named = [shape for shape in m.shapes if shape.body == name]
    return [*found, *(Touching(shape.name, body, shape.shape, shape.placement) for shape in named)]


def check_contact(m: "Mechanism", contact: Contact) -> None:
    """ModelError for a contact within one body, or with a shape that has no size."""
    sides = [side for side in (contact.a, contact.b) if m.has("shape", side) or m.has("body", side)]
    bodies = [m.shapes[m.number("shape", s)].body if m.has("shape", s) else s for s in sides]
    if len(bodies) == 2 and bodies[0] == bodies[1]:
        where = "the ground" if bodies[0] == GROUND else f"body {bodies[0]!r}"
        raise ModelError(
            f"contact {contact.name!r}: {contact.a!r} and {contact.b!r} are both on {where} and never meet: "
            "name shapes of two bodies"
        )
    for side in sides:
        for touching in touching_shapes(m, side):
            check_size(contact.name, touching)


def check_size(contact: str, touching: Touching) -> None:
    """ModelError for a shape that has a size of zero: a point, a line or a sheet has no side to touch."""
    shape = touching.shape
    low, high = (np.zeros(3), np.array(shape.scale)) if isinstance(shape, Mesh) else shape.bounds()
    if np.any(low == high):
        size = ", ".join(f"{value:g}" for value in shape.saved()["size"])
        raise ModelError(
            f"contact {contact!r}: shape {touching.name!r} is {with_article(shape.kind)} of size {size}: "
            "give every size, in m, more than 0"
        )
