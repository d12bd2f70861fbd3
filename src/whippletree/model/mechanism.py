"""The mechanism: bodies joined into a tree, with loops, frames and gears (RBDA §4.1-4.3, table 4.3)."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, ModelError, with_article
from ..joints import Joint
from ..spatial import Array, Inertia, Placement
from . import topology
from .driven_parts import DrivenCollection
from .gear import Gear, geared_limits, trains
from .kinds import KINDS, Kind
from .loop import Loop
from .parts import GROUND, Body, Frame, Geometry, Limits, check_geometries
from .positions import difference, integrate, join, rate
from .summary import summary
from .values import by_rows, positions, velocities
from .wording import counted

if TYPE_CHECKING:
    from ..kernels.run.kernel import Kernel

__all__ = ["GROUND", "Body", "Frame", "Gear", "Geometry", "Limits", "Mechanism"]


class Mechanism(DrivenCollection):
    """A tree of bodies, built by name; complete and valid after every call.

    Args:
        name: What to call it in messages.
        gravity: (3,) acceleration of free fall in the ground's frame, m/s².

    Bodies are numbered from 0 in the order they are added, so a parent comes before its children;
    the ground is -1. Coordinates follow the same order. Parts are read as tuples (`bodies`, `loops`, …) and
    changed by `change`.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("pendulum")
    >>> rod = wt.Inertia(mass=1.0, com=(0, 0, -0.5), about_com=(1 / 12, 1 / 12, 0))
    >>> m.add_body("rod", wt.Revolute("y"), inertia=rod)
    >>> m.nq, m.nv, m.parents
    (1, 1, (-1,))
    """

    def __init__(self, name: str, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        super().__init__(name, gravity)

    # Building

    def add_body(
        self,
        name: str,
        joint: Joint,
        parent: str = GROUND,
        placement: Placement | None = None,
        inertia: Inertia | None = None,
        joint_name: str | None = None,
        **properties: Any,
    ) -> None:
        """Add a body, carried by a joint on a body that is there already.

        Args:
            name: Unique among bodies, frames and shapes.
            joint: How the body moves against its parent.
            parent: Name of the body that carries the joint, or "ground".
            placement: Where on the parent the joint sits; at the parent's frame by default.
            inertia: In the body's own frame; none by default.
            joint_name: The body's name by default.
            properties: limits, armature (kg m² or kg), damping, friction, stiffness, rest, visuals,
                collisions; see `Body`.

        Raises:
            ModelError: A name is taken or unknown, the inertia is no body's, or limits are upside down.
        """
        inertia = Inertia.zero() if inertia is None else inertia
        placement = Placement() if placement is None else placement
        self._check_properties(KINDS["body"], name, properties)
        joint_name = name if joint_name is None else joint_name
        self.add(Body(name, joint, parent, placement, inertia, joint_name, **properties))

    def add_loop(
        self,
        name: str,
        joint: Joint,
        predecessor: str,
        successor: str,
        placement_p: Placement | None = None,
        placement_s: Placement | None = None,
        **properties: Any,
    ) -> None:
        """Close a loop: join two bodies that are there already, or the ground, by one more joint.

        The joint's two frames sit at placement_p in the predecessor and at placement_s in the successor,
        at the bodies' own frames by default; properties are limits, damping, friction, stiffness and rest,
        as of a body's joint; see `Loop`.
        """
        placement_p = Placement() if placement_p is None else placement_p
        placement_s = Placement() if placement_s is None else placement_s
        self._check_properties(KINDS["loop"], name, properties)
        self.add(Loop(name, joint, predecessor, successor, placement_p, placement_s, **properties))

    # Changing

    def change(self, name: str, /, kind: str | None = None, **properties: Any) -> None:
        """Give a part other properties: whatever fields its class has, but for names, which `rename` changes.

        Args:
            name: Of a body or its joint, a loop, frame, gear, spring, force, shape, contact, or "ground".
            kind: Which of them, as "spring", where several have this name.
            properties: The new values, as damping=0.2 or limits=Limits(-1, 1) for a body, stiffness=200.0
                for a spring, visuals=(…) and collisions=(…) for a body or the ground.

        Raises:
            ModelError: No such part or property, or a value that cannot be; then nothing has changed.

        >>> import whippletree as wt
        >>> m = wt.examples.load("double-pendulum")
        >>> m.change("lower", damping=0.2, armature=0.01, limits=wt.Limits(-1.0, 1.0))
        >>> m.bodies[1].damping, m.bodies[1].limits.upper
        (0.2, 1.0)
        """
        if isinstance(name, str) and name == GROUND:
            self._change_ground(properties)
            return
        row, number = self._named(name, kind)
        old = self._parts[row.name][number]
        self._check_properties(row, name, properties)
        try:
            new = replace(old, **properties)
        except ModelError:
            raise
        except (TypeError, ValueError) as error:
            raise ModelError(f"{row.name} {old.name!r}: {error}") from None
        if isinstance(new, Body) and self.has("body", new.parent) and self.body_number(new.parent) >= number:
            raise ModelError(
                f"body {new.name!r}: parent {new.parent!r} comes after it in {self.name!r}, and parents come "
                "first: build it in another order, or see wt.reroot"
            )
        self._refuse_faults(row, new, properties)
        if "joint" in properties or not row.refers.keys().isdisjoint(properties):
            self._put_together(row, number, new)
            return
        self._check(row, new)
        self._parts[row.name][number] = new
        if isinstance(new, Body):
            self._X_T[number] = new.placement.transform()
        self._forget(row)

    def _named(self, name: str, kind: str | None) -> tuple[Kind, int]:
        """The row and number of the part that has a name; ModelError if there is none, or several."""
        rows = {own.of: row for row in KINDS.values() for own in row.own_names().values()}
        if kind is not None and (not isinstance(kind, str) or kind not in rows):
            raise ModelError(f"there is no kind of parts {kind!r}; known: {', '.join(rows)}")
        asked = rows if kind is None else [kind]
        found: dict[tuple[str, int], str] = {}
        for of in asked:
            if self.has(of, name):
                found.setdefault((rows[of].name, self.number(of, name)), of)
        if not found:
            self._find(name, {known: 0 for of in asked for known in self.names(of)}, kind or "part")
        if len(found) > 1:
            kinds = list(found.values())
            several = " and ".join(map(with_article, kinds))
            message = f"{self.name!r} has {several} named {name!r}: say which, as kind={kinds[0]!r}"
            raise ModelError(message)
        (row, number), _ = found.popitem()
        return KINDS[row], number

    def _check_properties(self, row: Kind, name: str, properties: Mapping[str, Any]) -> None:
        known = [field.name for field in fields(row.part) if field.name not in row.own_names()]
        for field in properties:
            if field in row.own_names():
                plural = "joints" if field == "joint_name" else row.plural
                raise ModelError(
                    f"{field} of {row.name} {name!r} cannot be changed in place: wt.rename(m, {plural}="
                    "{old: new}) gives a mechanism in which every mention is changed"
                )
            if field not in known:
                raise ModelError(f"{row.name} {name!r} has no property {field!r}; known: {', '.join(known)}")

    def _change_ground(self, properties: Mapping[str, Any]) -> None:
        for field, shapes in properties.items():
            if field not in self._ground:
                known = ", ".join(self._ground)
                raise ModelError(f"the ground has no property {field!r}; known: {known}")
            check_geometries(shapes, f"ground: {field}")
        self._ground = {**self._ground, **properties}

    def _put_together(self, row: Kind, number: int, new: Any) -> None:
        """Take a part into the place of an old one, all others being checked against it."""
        made = Mechanism(self.name)
        for kind, parts in self.kinds():
            for k, part in enumerate(parts):
                made.append(new if kind is row and k == number else part)
        for kept in ("_parts", "_numbers", "_parents", "_X_T", "_q_index", "_v_index"):
            setattr(self, kept, getattr(made, kept))
        for kind in KINDS.values():
            self._forget(kind)

    # Looking things up

    def body(self, name: str) -> Body:
        """A body by its own name, or by that of the joint that carries it.

        >>> import whippletree as wt
        >>> m = wt.examples.load("furuta-pendulum")
        >>> m.body("rod").inertia.m, m.body("motor") is m.body("arm")
        (0.13, True)
        """
        if self.has("joint", name) and not self.has("body", name):
            return self.bodies[self.joint_number(name)]
        if isinstance(name, str) and name == GROUND:
            raise ModelError(f"{GROUND!r} is no body of {self.name!r}: nothing carries it")
        return self.bodies[self.body_number(name)]

    def support(self, i: int) -> list[int]:
        """κ(i): joints on the path from the ground to body i."""
        return topology.support(self.parents, self._body_at(i))

    def children(self, i: int) -> list[int]:
        """μ(i): the bodies carried directly by body i, or by the ground for -1."""
        return topology.children(self.parents, self._body_at(i))

    def subtree(self, i: int) -> list[int]:
        """ν(i): body i and all bodies it carries."""
        return topology.subtree(self.parents, self._body_at(i))

    def _body_at(self, i: int) -> int:
        if isinstance(i, bool) or not isinstance(i, int | np.integer) or not -1 <= i < len(self):
            raise ModelError(f"i is {i!r:.60}: give a body's number, 0 … {len(self) - 1}, or -1, the ground")
        return i

    # Positions

    def neutral(self) -> Array:
        """(nq,) all joints at their zero: angles and lengths 0, quaternions (1, 0, 0, 0)."""
        return join([body.joint.neutral() for body in self.bodies])

    def random(self, rng: np.random.Generator) -> Array:
        """(nq,) a position drawn at random, within limits, and with gears in mesh; loops are not closed.

        Limits that are infinite, or beyond 1e6 rad or m, bound nothing. Of joints in gear the one that
        drives is drawn where all that it drives are within their limits too, if there is such a place.
        """
        if not isinstance(rng, np.random.Generator):
            raise InputError(f"rng is {rng!r:.60}: give a np.random.default_rng(seed)")
        drawn = geared_limits(self)
        parts = [drawn[i].within(body.joint.random(rng), rng) for i, body in enumerate(self.bodies)]
        for i, train in enumerate(trains(self) if self.gears else ()):
            if i not in train.factors:
                parts[i] = sum(factor * parts[k] for k, factor in train.factors.items()) + train.offset
        return join(parts)

    def integrate(self, q: Any, dq: Any) -> Array:
        """(..., nq) the position reached from q (..., nq) with constant velocity dq (..., nv) in unit time.

        Leading axes broadcast.

        >>> import whippletree as wt
        >>> m = wt.Mechanism("ball")
        >>> m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
        >>> m.integrate(m.neutral(), [[np.pi, 0, 0], [0, 0, np.pi]]).round(12)
        array([[0., 1., 0., 0.],
               [0., 0., 0., 1.]])
        """
        return by_rows(integrate, self, q=positions(self, q, "q"), dq=velocities(self, dq, "dq"))

    def difference(self, q0: Any, q1: Any) -> Array:
        """(..., nv) the constant velocity that leads from q0 to q1 (..., nq) in unit time.

        Inverse of `integrate`; leading axes broadcast.

        >>> import whippletree as wt
        >>> m = wt.examples.load("double-pendulum")
        >>> m.difference([0.3, 0.5], [[0.4, 0.5], [0.3, 0.2]]).round(12)
        array([[ 0.1,  0. ],
               [ 0. , -0.3]])
        """
        return by_rows(difference, self, q0=positions(self, q0, "q0"), q1=positions(self, q1, "q1"))

    def rate(self, q: Any, qd: Any) -> Array:
        """(..., nq) dq/dt at q (..., nq) and the velocity qd (..., nv); leading axes broadcast.

        >>> import whippletree as wt
        >>> m = wt.Mechanism("ball")
        >>> m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
        >>> m.rate(m.neutral(), [0.2, 0.4, 0.6])
        array([0. , 0.1, 0.2, 0.3])
        """
        return by_rows(rate, self, q=positions(self, q, "q"), qd=velocities(self, qd, "qd"))

    # Speed

    def kernel(self, name: str, **options: Any) -> "Kernel":
        """Machine code of a public function for this mechanism, as it is now: `compile`, made once and kept.

        Args:
            name: The function's name, as "aba".
            options: As for `compile`: inputs, parameters, dtype, and values of arguments, as frame="tool".

        >>> import whippletree as wt
        >>> m = wt.examples.load("double-pendulum")
        >>> m.kernel("aba")(np.array([0.3, 0.5]), np.zeros(2), np.zeros(2)).round(3)
        array([  0.375, -11.424])
        """
        from ..api.compiling import kernel  # on use: it stands far above

        return kernel(self, name, **options)

    # Showing

    def summary(self) -> str:
        """A table of the bodies in tree order, with joints, masses, limits and totals, to be printed.

        >>> import whippletree as wt
        >>> print(wt.examples.load("cart-pole").summary())  # doctest: +NORMALIZE_WHITESPACE
        cart-pole: 2 bodies, nq = 2, nv = 2, 2.5 kg, centre of mass (0, 0, -0.2) m at the neutral position,
        gravity (0, 0, -9.81) m/s²
        <BLANKLINE>
        #  body    joint  type         parent  q  mass [kg]  centre of mass [m]
        0  cart    cart   Prismatic x  ground  0  1.5        (0, 0, 0)
        1    pole  pole   Revolute y   cart    1  1          (0, 0, -0.5)
        <BLANKLINE>
        frames:
          tip on pole at (0, 0, -1)
        """
        return summary(self)

    def __repr__(self) -> str:
        bodies = counted(len(self), "body", "bodies")
        return f"<Mechanism {self.name!r}: {bodies}, nq = {self.nq}, nv = {self.nv}>"
