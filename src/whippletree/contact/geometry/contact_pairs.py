"""Which shapes of a mechanism may touch: decided once, before anything moves."""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from ...errors import ModelError
from ...model.contact import Contact, Touching, check_size, touching_shapes
from ...model.mechanism import GROUND, Mechanism
from ...spatial import Placement
from .pair_table import pair_function
from .touch import PairFunction, Pose

MOST = 1000
"""So many pairs of shapes are looked at in every step; whoever has more has named too much."""

_APART = Placement((0.3, -0.4, 1.7), rpy=(0.2, -0.3, 0.4))
"""Where one shape is put to see how many candidates a pair has."""


class ContactPair(NamedTuple):
    """Two shapes that may touch, by which contact, and the function that knows how."""

    contact: Contact
    a: Touching
    b: Touching
    function: PairFunction


class Candidate(NamedTuple):
    """A point at which two shapes may touch: a row of `gaps` and its kin.

    Attributes:
        contact: The part of the mechanism that says how they touch: friction, restitution …
        a, b: The two shapes, with the numbers of their bodies. Normals lead from b to a.
        number: Which of the pair's candidates it is.
    """

    contact: Contact
    a: Touching
    b: Touching
    number: int

    @property
    def title(self) -> str:
        """It in words, for messages."""
        return f"{self.a.name!r} on {self.b.name!r} (contact {self.contact.name!r}, point {self.number})"


def contact_pairs(m: Mechanism) -> list[ContactPair]:
    """The pairs of shapes that the contacts of a mechanism stand for, in their order."""
    pairs = []
    for contact in m.contacts:
        sides = [touching_shapes(m, side) for side in (contact.a, contact.b)]
        for side, shapes in zip((contact.a, contact.b), sides, strict=True):
            if not shapes:
                raise ModelError(
                    f"contact {contact.name!r}: {side!r} has no shape that may touch: add_shape gives it one"
                )
            for touching in shapes:
                check_size(contact.name, touching)
        found = [(a, b) for a in sides[0] for b in sides[1] if a.body != b.body]
        pairs += [ContactPair(contact, a, b, _function(contact, a, b)) for a, b in found]
    if len(pairs) > MOST:
        worst = Counter(pair.contact.name for pair in pairs).most_common(3)
        told = ", ".join(f"{name!r} {count}" for name, count in worst)
        raise ModelError(
            f"{m.name!r} has {len(pairs)} pairs of shapes that may touch, at most {MOST} are looked at; of "
            f"these contact {told}: name the shapes that do touch, as feet and floor, not whole bodies"
        )
    return pairs


def _function(contact: Contact, a: Touching, b: Touching) -> PairFunction:
    try:
        return pair_function(a.shape, b.shape)
    except ModelError as error:
        raise ModelError(f"contact {contact.name!r}, {a.name!r} on {b.name!r}: {error}") from None


def candidates(m: Mechanism) -> list[Candidate]:
    """Every point at which shapes may touch: what the rows of `gaps` and its kin are about.

    Args:
        m: A mechanism with contacts.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("crate")
    >>> m.add_body("crate", wt.Free(), inertia=wt.Inertia.box((0.4, 0.3, 0.2), mass=5.0))
    >>> m.add_shape("hull", wt.Box((0.4, 0.3, 0.2)), body="crate")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("rest", "hull", "floor", friction=0.5)
    >>> rows = wt.contact.candidates(m)
    >>> len(rows), rows[3].title
    (8, "'hull' on 'floor' (contact 'rest', point 3)")
    """
    rows = []
    for pair in contact_pairs(m):
        A, B = (Pose(place.rotation, place.position) for place in (_APART, Placement()))
        count = len(pair.function(pair.a.shape, A, pair.b.shape, B))
        rows += [Candidate(pair.contact, pair.a, pair.b, k) for k in range(count)]
    return rows


def all_contacts(
    m: Mechanism, bodies: Collection[str] | None = None, *, neighbours: bool = False, **properties: float
) -> list[Contact]:
    """A contact for every two bodies that have shapes: all that could touch, but for neighbours.

    Two bodies that a joint holds together, a body and the ground among them, always touch there: such
    neighbours are left out, unless the joint lets all six motions free. So are pairs that no function knows.

    Args:
        m: The mechanism, which is not changed: `for contact in all_contacts(m): m.add(contact)`.
        bodies: Names of the bodies to look at, "ground" among them; all by default.
        neighbours: Whether neighbours touch as well.
        properties: friction, restitution, stiffness, damping of all of them; see `Contact`.

    >>> import whippletree as wt
    >>> m = wt.examples.load("double-pendulum")
    >>> for name in ("upper", "lower"):
    ...     m.add_shape(f"{name} bob", wt.Sphere(0.05), body=name)
    >>> m.add_shape("floor", wt.Plane(), placement=wt.Placement((0, 0, -3)))
    >>> [contact.name for contact in wt.contact.all_contacts(m)]
    ['lower on ground']
    """
    names = [GROUND, *(body.name for body in m.bodies)]
    names = [name for name in names if (bodies is None or name in bodies) and touching_shapes(m, name)]
    joined = set() if neighbours else _neighbours(m)
    return [
        Contact(f"{a} on {b}", a, b, **properties)
        for k, a in enumerate(names)
        for b in names[:k]
        if frozenset((a, b)) not in joined
    ]


def _neighbours(m: Mechanism) -> set[frozenset[str]]:
    joined = {frozenset((body.name, body.parent)) for body in m.bodies if not body.joint.moves_freely}
    return joined | {frozenset((loop.predecessor, loop.successor)) for loop in m.loops}
