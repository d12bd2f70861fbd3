"""The parts of a mechanism: kept by kind, found by name, added, changed and copied."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from ..errors import ModelError, with_article
from ..spatial import Placement, Transform
from ..spatial.scalar import real_numbers
from .adding import PartAdder
from .contact import Contact
from .fields import CONTAINERS, checked_name, copied, meant, shown
from .force import Force
from .gear import Gear
from .kinds import KINDS, SHARING, Kind, kind_of, names_in
from .loop import Loop
from .parts import GROUND, Body, Frame, Geometry, PlacedShape
from .spring import Spring

Found = TypeVar("Found")

_FROM_BODIES = ("bodies", "parents", "X_T", "q_index", "v_index", "nq", "nv")
"""What is read off the bodies."""


class PartCollection(PartAdder):
    """What `Mechanism` is built upon: its parts, and table 4.3 of RBDA, which follows from its bodies.

    All that is read here is a tuple, made when it is first asked for after a change, and cannot be set.
    """

    _kept: dict[Any, Any]

    def __init__(self, name: str, gravity: Any) -> None:
        self.name, self.gravity = name, gravity
        self.warnings: list[str] = []
        self._parts: dict[str, list[Any]] = {kind: [] for kind in KINDS}
        # Of every kind of name, which number in its list each has; the ground is -1.
        self._numbers: dict[str, dict[str, int]] = {"body": {GROUND: -1}}
        self._ground: dict[str, tuple[Geometry, ...]] = {"visuals": (), "collisions": ()}
        self._grow_from_nothing()

    def _grow_from_nothing(self) -> None:
        self._parents: list[int] = []
        self._X_T: list[Transform] = []
        self._q_index: list[slice] = []
        self._v_index: list[slice] = []

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), cached_property):
            raise ModelError(f"{name} of a mechanism cannot be set: use add_body, change and their kin")
        object.__setattr__(self, name, value)
        self._change()

    def _change(self) -> None:
        """What was found out does not hold any more; of copies that are not changed it does."""
        self.__dict__["_kept"] = {}

    def once(self, find: Callable[[Self], Found]) -> Found:
        """What a function finds out about the mechanism or a copy of it, asked for once until a change.

        >>> import whippletree as wt
        >>> m = wt.examples.load("pendulum")
        >>> mass = lambda m: sum(body.inertia.m for body in m.bodies)
        >>> m.once(mass) is m.once(mass)
        True
        """
        if find not in self._kept:
            self._kept[find] = find(self)
        return self._kept[find]

    # What there is

    @property
    def name(self) -> str:
        """What the mechanism is called in messages."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = checked_name(name, "mechanism")

    @property
    def gravity(self) -> tuple[float, float, float]:
        """(3,) acceleration of free fall in the ground's frame, m/s²."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Any) -> None:
        wanted = ModelError(f"gravity is {gravity!r}: give three finite numbers, in m/s²")
        try:
            g = real_numbers(gravity)
        except (TypeError, ValueError):
            raise wanted from None
        if g.shape != (3,) or not np.all(np.isfinite(g)):
            raise wanted
        self._gravity = (float(g[0]), float(g[1]), float(g[2]))

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, parents first."""
        return tuple(self._parts["body"])

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """The named frames."""
        return tuple(self._parts["frame"])

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The loop joints."""
        return tuple(self._parts["loop"])

    @cached_property
    def gears(self) -> tuple[Gear, ...]:
        """The gears."""
        return tuple(self._parts["gear"])

    @cached_property
    def springs(self) -> tuple[Spring, ...]:
        """The springs between points."""
        return tuple(self._parts["spring"])

    @cached_property
    def forces(self) -> tuple[Force, ...]:
        """The constant forces."""
        return tuple(self._parts["force"])

    @cached_property
    def shapes(self) -> tuple[PlacedShape, ...]:
        """The named shapes."""
        return tuple(self._parts["shape"])

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        """The contacts: what may touch."""
        return tuple(self._parts["contact"])

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """λ: the number of each body's parent, -1 for the ground."""
        return tuple(self._parents)

    @cached_property
    def X_T(self) -> tuple[Transform, ...]:
        """X_T of each body: from its parent's coordinates to those of its joint's predecessor frame."""
        return tuple(self._X_T)

    @cached_property
    def q_index(self) -> tuple[slice, ...]:
        """Where in q each body's joint has its variables."""
        return tuple(self._q_index)

    @cached_property
    def v_index(self) -> tuple[slice, ...]:
        """Where in qd each body's joint has its variables."""
        return tuple(self._v_index)

    @cached_property
    def nq(self) -> int:
        """How many position variables."""
        return self._q_index[-1].stop if self._q_index else 0

    @cached_property
    def nv(self) -> int:
        """How many velocity variables."""
        return self._v_index[-1].stop if self._v_index else 0

    @property
    def ground_visuals(self) -> tuple[Geometry, ...]:
        """What is seen of the ground, as the base of a robot; changed by `change("ground", visuals=…)`."""
        return self._ground["visuals"]

    @property
    def ground_collisions(self) -> tuple[Geometry, ...]:
        """What can be touched of the ground; changed by `change("ground", collisions=…)`."""
        return self._ground["collisions"]

    def parts(self, kind: str) -> tuple[Any, ...]:
        """All parts of a kind, by its name, "spring" or one of your own."""
        if not isinstance(kind, str) or kind not in KINDS:
            raise ModelError(f"there is no kind of parts {kind!r}; known: {', '.join(KINDS)}")
        return tuple(self._parts.get(kind, ()))

    def kinds(self) -> Iterator[tuple[Kind, tuple[Any, ...]]]:
        """Every kind with its parts."""
        for kind in KINDS.values():
            yield kind, tuple(self._parts.get(kind.name, ()))

    def names(self, of: str) -> list[str]:
        """All names of bodies, the ground among them, of joints, or of parts of any other kind."""
        return list(self._table(of))

    def has(self, of: str, name: str) -> bool:
        """Whether there is such a part: a body, or the ground, a joint, or one of any other kind."""
        return isinstance(name, str) and name in self._table(of)

    def number(self, of: str, name: str) -> int:
        """The number of a part of a kind, by name, in the order they were added; -1 for the ground."""
        return self._find(name, self._table(of), of)

    def body_number(self, name: str) -> int:
        """Number of a body by name; -1 for the ground."""
        return self.number("body", name)

    def joint_number(self, name: str) -> int:
        """Number of the body that a joint, given by name, carries."""
        return self.number("joint", name)

    @property
    def actuated(self) -> list[str]:
        """Names of the joints that say that they have a motor: those of the tree, then loop joints."""
        joints = [body.joint_name for body in self.bodies if body.actuated]
        return [*joints, *(loop.name for loop in self.loops if loop.actuated)]

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of the bodies they carry."""
        return [body.joint_name for body in self.bodies]

    def _table(self, of: str) -> dict[str, int]:
        """Numbers by names of a kind; ModelError if there is no such kind."""
        if isinstance(of, str) and of in self._numbers:
            return self._numbers[of]
        if not isinstance(of, str) or not any(of in shared for shared in SHARING.values()):
            known = [one for shared in SHARING.values() for one in shared]
            raise ModelError(f"there is no kind of parts {of!r}; known: {', '.join(known)}")
        return {}

    def _find(self, name: str, table: Mapping[str, int], of: str) -> int:
        if isinstance(name, str) and name in table:
            return table[name]
        message = f"{self.name!r} has no {of} named {name!r}; known: {shown(table) or 'none'}"
        if "frame" not in of and self.has("frame", name):  # as a link of a URDF that a fixed joint holds
            place = self.frame(name)
            raise ModelError(f"{message}; {name!r} is a frame, on body {place.body!r}")
        raise ModelError(message + meant(name, table))

    def frame(self, name: str) -> Frame:
        """A frame by name; a body's name stands for the body's own frame."""
        if self.has("frame", name):
            return self._parts["frame"][self._numbers["frame"][name]]
        if not self.has("body", name):
            self._find(name, {**self._numbers["body"], **self._numbers.get("frame", {})}, "frame or body")
        return Frame(name, name, Placement())

    # Adding

    def add(self, part: Any) -> None:
        """Add a part of any kind, as `Spring(…)` or one of your own; see `add_spring` and its kin.

        Raises:
            ModelError: A name is taken or unknown, or the part cannot be in this mechanism.
        """
        self._refuse_faults(kind_of(part), part)
        self.append(part)

    def append(self, part: Any) -> None:
        """Add a part whose inertia and limits need not make sense: real robot files hold such ones."""
        kind = kind_of(part)
        for field, name in kind.own_names().items():
            given = checked_name(getattr(part, field), name.of)
            for other in SHARING[name.unique]:
                if given in self._numbers.get(other, ()):
                    first = f"{self.name!r} has {with_article(other)} named {given!r} already"
                    raise ModelError(f"{first}: choose another name")
        self._check(kind, part)
        self._take(kind, part)

    def _check(self, kind: Kind, part: Any) -> None:
        kind.check(self, part)  # pyright: ignore[reportArgumentType]  # every collection is of a Mechanism
        for field, reference in kind.refers.items():
            for name in names_in(getattr(part, field)):
                self._refer(name, reference.to)

    def _refer(self, name: str, kinds: Sequence[str]) -> None:
        """ModelError for a name that none of these kinds has."""
        for of in kinds:
            if self.has(of, name):
                return
        known = self._table(kinds[0]) if len(kinds) == 1 else {n: 0 for of in kinds for n in self.names(of)}
        self._find(name, known, " or ".join(kinds))

    def _refuse_faults(self, kind: Kind, part: Any, changed: Iterable[str] | None = None) -> None:
        for fault in kind.faults(part):
            if changed is None or fault.field in changed:
                raise ModelError(f"{fault.title} of {self.name!r}: {fault.fault}{fault.hint}")

    def _take(self, kind: Kind, part: Any) -> None:
        """Keep a part that has been checked."""
        parts = self._parts.setdefault(kind.name, [])
        for field, name in kind.own_names().items():
            self._numbers.setdefault(name.of, {})[getattr(part, field)] = len(parts)
        parts.append(part)
        if kind.part is Body:
            self._grow(part)
        self._forget(kind)

    def _grow(self, body: Body) -> None:
        """One more row of table 4.3: λ, X_T, and where the joint's variables are."""
        nq, nv = (index[-1].stop if index else 0 for index in (self._q_index, self._v_index))
        body.inertia.h.flags.writeable = body.inertia.I.flags.writeable = False
        self._parents.append(self._numbers["body"][body.parent])
        self._X_T.append(body.placement.transform())
        self._q_index.append(slice(nq, nq + body.joint.nq))
        self._v_index.append(slice(nv, nv + body.joint.nv))

    def _forget(self, kind: Kind) -> None:
        """Parts of this kind are others now: tuples of them are made anew."""
        self._change()
        for name in _FROM_BODIES if kind.part is Body else (kind.plural,):
            self.__dict__.pop(name, None)

    # Copying

    def copy(self) -> Self:
        """A mechanism of the same parts, which are shared, as they cannot change; it can be built further.

        >>> import whippletree as wt
        >>> m = wt.examples.load("pendulum")
        >>> other = m.copy()
        >>> other.gravity = (0, 0, -1.62)
        >>> m.gravity, other == m
        ((0.0, 0.0, -9.81), False)
        """
        made = object.__new__(type(self))
        (own := made.__dict__).update(self.__dict__)
        for name, value in self.__dict__.items():
            if name != "_kept" and isinstance(value, CONTAINERS):
                own[name] = copied(value)
        return made

    def with_parts(
        self,
        *,
        gravity: tuple[Any, Any, Any] | None = None,
        X_T: Iterable[Transform] | None = None,
        **parts: Iterable[Any],
    ) -> Self:
        """A copy with other parts, taken as they are, for the library itself: nothing is checked.

        Numbers may be symbolic, inertias need not be physical, and X_T may be another form of what the
        placements say.

        Args:
            gravity: The gravity.
            X_T: X_T of each body; that of its placement by default.
            parts: Lists of parts by plural, as bodies=[…]; the kinds not named stay as they are.
        """
        made = self.copy()
        if gravity is not None:
            made._gravity = gravity
        by_plural = {kind.plural: kind for kind in KINDS.values()}
        for plural, given in parts.items():
            kind = by_plural[plural]
            made._parts[kind.name] = []
            for name in kind.own_names().values():
                made._numbers[name.of] = {GROUND: -1} if name.of == "body" else {}
            if kind.part is Body:
                made._grow_from_nothing()
            for part in given:
                made._take(kind, part)
            made._forget(kind)
        if X_T is not None:
            made._X_T = list(X_T)
            made.__dict__.pop("X_T", None)
        return made

    __copy__ = copy

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for X in self._X_T:  # pickle and deepcopy forget that these cannot be written
            X.E.flags.writeable = X.r.flags.writeable = False
        for body in self._parts["body"]:
            body.inertia.h.flags.writeable = body.inertia.I.flags.writeable = False

    # Values

    def __eq__(self, other: object) -> bool:
        """Whether both have the same name, gravity and parts, in the same order."""
        if not isinstance(other, PartCollection):
            return NotImplemented
        heads = [(m.name, m.gravity, m._ground) for m in (self, other)]
        return heads[0] == heads[1] and all(
            self._parts.get(kind, []) == other._parts.get(kind, []) for kind in {*self._parts, *other._parts}
        )

    # A mechanism under construction changes.
    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride]

    def __len__(self) -> int:
        """N_B, the number of bodies."""
        return len(self._parts["body"])
