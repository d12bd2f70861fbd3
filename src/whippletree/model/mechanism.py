"""The mechanism: bodies joined into a tree, with loops, frames and gears (RBDA §4.1-4.3, table 4.3)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..joints import Joint
from ..spatial import Array, Inertia, Placement, Transform
from . import topology
from .force import Force, Reference
from .loop import Loop, check_loop
from .parts import Body, Frame, Gear, Geometry, Limits, check_kinds, checked_name
from .physical import inertia_fault
from .spring import Spring, joint_force_fault
from .summary import summary

if TYPE_CHECKING:
    from ..kernels.run.kernel import Kernel

__all__ = ["GROUND", "Body", "Frame", "Gear", "Geometry", "Limits", "Mechanism"]

GROUND = "ground"
"""The name of the fixed base."""


class Mechanism:
    """A tree of bodies, built by name; complete and valid after every call.

    Args:
        name: What to call it in messages.
        gravity: (3,) acceleration of free fall in the ground's frame, m/s².

    Bodies are numbered from 0 in the order they are added, so a parent comes before its children;
    the ground is -1. Coordinates follow the same order.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("pendulum")
    >>> rod = wt.Inertia(mass=1.0, com=(0, 0, -0.5), about_com=(1 / 12, 1 / 12, 0))
    >>> m.add_body("rod", wt.Revolute("y"), inertia=rod)
    >>> m.nq, m.nv, m.parents
    (1, 1, [-1])
    """

    def __init__(self, name: str, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        self.name = checked_name(name, "mechanism")
        g = np.array(gravity, dtype=float)
        if g.shape != (3,) or not np.all(np.isfinite(g)):
            raise ModelError(f"gravity is {gravity!r}: give three finite numbers, in m/s²")
        self.gravity: tuple[float, float, float] = (float(g[0]), float(g[1]), float(g[2]))
        self.bodies: list[Body] = []
        self.frames: list[Frame] = []
        self.gears: list[Gear] = []
        self.springs: list[Spring] = []
        self.forces: list[Force] = []
        # What stands on the ground, as the base of a robot does.
        self.ground_visuals: list[Geometry] = []
        self.ground_collisions: list[Geometry] = []
        self.loops: list[Loop] = []
        self.warnings: list[str] = []
        # Table 4.3, filled as bodies are added: λ, X_T, and where each joint's variables start.
        self.parents: list[int] = []
        self.X_T: list[Transform] = []
        self.q_index: list[slice] = []
        self.v_index: list[slice] = []
        self.nq = 0
        self.nv = 0
        self._body_number = {GROUND: -1}
        self._joint_number: dict[str, int] = {}
        self._frame_number: dict[str, int] = {}

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
            name: Unique among bodies and frames.
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
        try:
            body = Body(name, joint, parent, placement, inertia, joint_name or name, **properties)
        except TypeError as error:
            raise ModelError(f"body {name!r} of {self.name!r}: {error}") from None
        check_kinds(body)
        fault = inertia_fault(inertia)
        if fault is not None:
            raise ModelError(
                f"body {name!r} of {self.name!r}: {fault}; give moments about the centre of mass, in kg m²"
            )
        fault = body.limits.fault()
        if fault is not None:
            raise ModelError(f"joint {body.joint_name!r} of {self.name!r}: {fault}")
        self.append(body)

    def append(self, body: Body) -> None:
        """Add a body whose inertia and limits need not make sense: real robot files hold such ones."""
        checked_name(body.name, "body")
        check_kinds(body)
        self._check_free_name(body.name)
        if body.joint_name in self._joint_number or any(body.joint_name == loop.name for loop in self.loops):
            raise ModelError(
                f"{self.name!r} has a joint named {body.joint_name!r} already: choose another name"
            )
        if body.parent not in self._body_number:
            raise ModelError(
                f"body {body.name!r}: parent {body.parent!r} is not in {self.name!r}; "
                f"add it first. Known: {_shown(self._body_number)}"
            )
        for quantity in ("armature", "damping", "friction"):
            if not 0.0 <= getattr(body, quantity) < np.inf:
                raise ModelError(
                    f"body {body.name!r}: {quantity} is {getattr(body, quantity)}, must be 0 or more"
                )
        fault = joint_force_fault(body)
        if fault is not None:
            raise ModelError(f"joint {body.joint_name!r} of {self.name!r}: {fault}")
        number = len(self.bodies)
        self.bodies.append(body)
        self.parents.append(self._body_number[body.parent])
        self.X_T.append(body.placement.transform())
        self.q_index.append(slice(self.nq, self.nq + body.joint.nq))
        self.v_index.append(slice(self.nv, self.nv + body.joint.nv))
        self.nq += body.joint.nq
        self.nv += body.joint.nv
        self._body_number[body.name] = number
        self._joint_number[body.joint_name] = number

    def add_frame(self, name: str, body: str, placement: Placement | None = None) -> None:
        """Name a frame fixed to a body, or to the ground, at a placement in that body's frame."""
        checked_name(name, "frame")
        self._check_free_name(name)
        self.body_number(body)
        self._frame_number[name] = len(self.frames)
        self.frames.append(Frame(name, body, Placement() if placement is None else placement))

    def add_gear(self, name: str, driver: str, driven: str, ratio: float, offset: float = 0.0) -> None:
        """Couple two joints, given by their names: q[driven] = ratio · q[driver] + offset.

        Each joint has one variable. A joint is driven by one other at most; a driver may be driven
        itself, but not in a circle.
        """
        checked_name(name, "gear")
        if any(gear.name == name for gear in self.gears):
            raise ModelError(f"{self.name!r} has a gear named {name!r} already: choose another name")
        for joint_name in (driver, driven):
            joint = self.bodies[self.joint_number(joint_name)].joint
            if joint.nv != 1:
                raise ModelError(f"gear {name!r}: joint {joint_name!r} has {joint.nv} velocities, expected 1")
        if not np.isfinite(ratio) or not np.isfinite(offset):
            raise ModelError(f"gear {name!r}: ratio {ratio} and offset {offset} must be finite")
        drivers = {gear.driven: gear.driver for gear in self.gears}
        if driven in drivers:
            raise ModelError(f"gear {name!r}: joint {driven!r} is driven by {drivers[driven]!r} already")
        above: str | None = driver
        while above is not None:
            if above == driven:
                raise ModelError(f"gear {name!r}: {driven!r} would drive itself through {driver!r}")
            above = drivers.get(above)
        self.gears.append(Gear(name, driver, driven, float(ratio), float(offset)))

    def add_spring(
        self,
        name: str,
        body_a: str,
        point_a: Any,
        body_b: str,
        point_b: Any,
        stiffness: float,
        damping: float = 0.0,
        length: float = 0.0,
    ) -> None:
        """Put a spring and damper between two points, given in the frames of their bodies; see `Spring`."""
        checked_name(name, "spring")
        if any(spring.name == name for spring in self.springs):
            raise ModelError(f"{self.name!r} has a spring named {name!r} already: choose another name")
        self.body_number(body_a)
        self.body_number(body_b)
        self.springs.append(Spring(name, body_a, point_a, body_b, point_b, stiffness, damping, length))

    def add_force(
        self,
        name: str,
        frame: str,
        force: Any = (0.0, 0.0, 0.0),
        torque: Any = (0.0, 0.0, 0.0),
        reference: Reference = "body",
    ) -> None:
        """Put a constant force, N, and torque, N m, on a frame or body; see `Force`."""
        checked_name(name, "force")
        if any(other.name == name for other in self.forces):
            raise ModelError(f"{self.name!r} has a force named {name!r} already: choose another name")
        made = Force(name, frame, force, torque, reference)
        if self.frame(frame).body == GROUND:
            raise ModelError(f"force {name!r}: {frame!r} is on the ground, name a frame on a body")
        self.forces.append(made)

    def add_loop(
        self,
        name: str,
        joint: Joint,
        predecessor: str,
        successor: str,
        placement_p: Placement | None = None,
        placement_s: Placement | None = None,
    ) -> None:
        """Close a loop: join two bodies that are there already, or the ground, by one more joint.

        The joint's two frames sit at placement_p in the predecessor and at placement_s in the successor,
        at the bodies' own frames by default; see `Loop`.
        """
        checked_name(name, "loop")
        placements = placement_p or Placement(), placement_s or Placement()
        loop = Loop(name, joint, predecessor, successor, *placements)
        check_loop(loop, self.name, [*self._joint_number, *(other.name for other in self.loops)])
        self.body_number(predecessor)
        self.body_number(successor)
        self.loops.append(loop)

    def _check_free_name(self, name: str) -> None:
        if name in self._body_number or name in self._frame_number:
            kind = "frame" if name in self._frame_number else "body"
            raise ModelError(f"{self.name!r} has a {kind} named {name!r} already: choose another name")

    # Looking things up

    def body_number(self, name: str) -> int:
        """Number of a body by name; -1 for the ground."""
        return self._find(name, self._body_number, "body")

    def joint_number(self, name: str) -> int:
        """Number of the body that a joint, given by name, carries."""
        return self._find(name, self._joint_number, "joint")

    def _find(self, name: str, table: dict[str, int], kind: str) -> int:
        if name in table:
            return table[name]
        raise ModelError(f"{self.name!r} has no {kind} named {name!r}; known: {_shown(table)}")

    def frame(self, name: str) -> Frame:
        """A frame by name; a body's name stands for the body's own frame."""
        if name in self._frame_number:
            return self.frames[self._frame_number[name]]
        if name in self._body_number:
            return Frame(name, name, Placement())
        return self.frames[self._find(name, {**self._body_number, **self._frame_number}, "frame or body")]

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of the bodies they carry."""
        return [body.joint_name for body in self.bodies]

    def support(self, i: int) -> list[int]:
        """κ(i): joints on the path from the ground to body i."""
        return topology.support(self.parents, i)

    def children(self, i: int) -> list[int]:
        """μ(i): the bodies carried directly by body i, or by the ground for -1."""
        return topology.children(self.parents, i)

    def subtree(self, i: int) -> list[int]:
        """ν(i): body i and all bodies it carries."""
        return topology.subtree(self.parents, i)

    def __len__(self) -> int:
        """N_B, the number of bodies."""
        return len(self.bodies)

    # Positions

    def _by_joint(self, *vectors: tuple[Array, Sequence[slice]]) -> Iterator[tuple[Any, ...]]:
        """Each joint with its share of the given vectors."""
        for i, body in enumerate(self.bodies):
            yield (body.joint, *(vector[index[i]] for vector, index in vectors))

    def neutral(self) -> Array:
        """(nq,) all joints at their zero: angles and lengths 0, quaternions (1, 0, 0, 0)."""
        return _join([body.joint.neutral() for body in self.bodies])

    def random(self, rng: np.random.Generator) -> Array:
        """(nq,) a position drawn at random, within limits where they are finite."""
        return _join([body.limits.within(body.joint.random(rng), rng) for body in self.bodies])

    def integrate(self, q: Array, dq: Array) -> Array:
        """(nq,) the position reached from q (nq,) with constant velocity dq (nv,) in unit time.

        >>> import whippletree as wt
        >>> m = wt.Mechanism("ball")
        >>> m.add_body("ball", wt.Spherical(), inertia=wt.Inertia(1.0, about_com=(0.1, 0.1, 0.1)))
        >>> m.integrate(m.neutral(), np.array([np.pi, 0, 0])).round(12)
        array([0., 1., 0., 0.])
        """
        parts = self._by_joint((q, self.q_index), (dq, self.v_index))
        return _join([joint.integrate(q_i, dq_i) for joint, q_i, dq_i in parts])

    def difference(self, q0: Array, q1: Array) -> Array:
        """(nv,) the constant velocity that leads from q0 to q1 in unit time: inverse of `integrate`."""
        parts = self._by_joint((q0, self.q_index), (q1, self.q_index))
        return _join([joint.difference(q0_i, q1_i) for joint, q0_i, q1_i in parts])

    def rate(self, q: Array, qd: Array) -> Array:
        """(nq,) dq/dt at the velocity qd (nv,)."""
        parts = self._by_joint((q, self.q_index), (qd, self.v_index))
        return _join([joint.rate(q_i, qd_i) for joint, q_i, qd_i in parts])

    # Speed

    def kernel(self, name: str, **options: Any) -> "Kernel":
        """Machine code of a public function for this mechanism, as it is now: `compile`, made once and kept.

        Args:
            name: The function's name, as "aba".
            options: As for `compile`: inputs, parameters, and values of arguments, as frame="tool".

        >>> import whippletree as wt
        >>> m = wt.examples.load("double-pendulum")
        >>> m.kernel("aba")(np.array([0.3, 0.5]), np.zeros(2), np.zeros(2)).round(3)
        array([  0.375, -11.424])
        """
        from ..api.compiling import kernel  # on use: it stands far above

        return kernel(self, name, **options)

    # Values

    def __eq__(self, other: object) -> bool:
        """Whether both have the same name, gravity and parts, in the same order."""
        if not isinstance(other, Mechanism):
            return NotImplemented
        parts = (
            "name",
            "gravity",
            "bodies",
            "loops",
            "frames",
            "gears",
            "springs",
            "forces",
            "ground_visuals",
            "ground_collisions",
        )
        return all(getattr(self, part) == getattr(other, part) for part in parts)

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # a mechanism under construction changes

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
        return f"<Mechanism {self.name!r}: {len(self)} bodies, nq = {self.nq}, nv = {self.nv}>"


def _shown(names: Iterable[str]) -> str:
    """The first names of many."""
    known = list(names)
    return ", ".join(known[:12]) + (f", … ({len(known)} in all)" if len(known) > 12 else "")


def _join(parts: list[Array]) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0)
