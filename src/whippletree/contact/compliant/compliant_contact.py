"""The forces between surfaces that give way, of a whole mechanism, step by step (RBDA §11.8)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...model.fields import checked_name
from ...model.mechanism import Mechanism
from ...spatial import Array, array, where
from ..geometry.contact_kinematics import contact_frames, contact_velocity
from ..geometry.contact_pairs import Candidate, candidates
from .patch_friction import friction, relaxed
from .patch_law import PatchLaw
from .patches import KelvinVoigt

KELVIN_VOIGT = KelvinVoigt()
"""By the numbers of the contact."""


@dataclass(frozen=True)
class Compliant:
    """Surfaces that give way, by their own stiffness and damping, with friction that sticks.

    Args:
        law: How patches push back.
        pairs: Other laws for some contacts, by their names.

    >>> import whippletree as wt
    >>> pads = wt.contact.Compliant(pairs={"pad on floor": wt.contact.HuntCrossley(0.5)})
    >>> pads.law_of("heel on floor")
    KelvinVoigt(stiffness=None, damping=None)
    """

    law: PatchLaw = KELVIN_VOIGT
    pairs: Mapping[str, PatchLaw] | tuple[tuple[str, PatchLaw], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.pairs, Mapping | tuple):
            raise InputError(
                f"Compliant: pairs is {self.pairs!r}, expected laws by the names of contacts, as "
                "{'pad on floor': wt.contact.HuntCrossley(0.5)}"
            )
        object.__setattr__(self, "pairs", tuple(dict(self.pairs).items()))  # can be hashed
        for what, law in (("law", self.law), *((f"the law of {name!r}", law) for name, law in self.pairs)):
            if not isinstance(law, PatchLaw):
                raise InputError(
                    f"Compliant: {what} is {law!r}, expected a law, as wt.contact.KelvinVoigt() or "
                    "wt.contact.HuntCrossley(0.5)"
                )

    def law_of(self, contact: str) -> PatchLaw:
        """The law of the contact of this name."""
        checked_name(contact, "contact")
        return dict(self.pairs).get(contact, self.law)


BY_NUMBERS = Compliant()
"""By the stiffness and damping that the contacts have."""


class PatchState(NamedTuple):
    """Where patches are.

    Attributes:
        depth: (nc, 2) z of the patches of each candidate, m; the second of those with two surfaces alone.
        slip: (nc, 2) x along t1 and t2, m.
    """

    depth: Array
    slip: Array


class Pushed(NamedTuple):
    """What contact does in a step.

    Attributes:
        forces: (nc, 3) on a, along n, t1 and t2, N.
        state: The patches, with which the next step begins.
    """

    forces: Array
    state: PatchState


def patches_at_rest(m: Mechanism) -> PatchState:
    """All patches in their places: what a motion starts with.

    Args:
        m: A mechanism with contacts.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor", stiffness=1e4, damping=10.0)
    >>> wt.contact.patches_at_rest(m).depth
    array([[0., 0.]])
    """
    count = len(candidates(m))
    return PatchState(np.zeros((count, 2)), np.zeros((count, 2)))


def laws_of(m: Mechanism, how: Compliant) -> list[tuple[Candidate, PatchLaw]]:
    """Every candidate with its law, which has all its numbers."""
    names = {contact.name for contact in m.contacts}
    for name, _ in how.pairs:
        if name not in names:
            raise InputError(
                f"{m.name!r} has no contact {name!r}; it has {', '.join(sorted(names)) or 'none'}"
            )
    return [(row, how.law_of(row.contact.name).of(row.contact)) for row in candidates(m)]


def compliant_forces(
    m: Mechanism, q: Array, qd: Array, state: PatchState, h: Any, how: Compliant = BY_NUMBERS
) -> Pushed:
    """The forces of all patches in a step of semi-implicit Euler, and where they are.

    Args:
        m: A mechanism with contacts that have a stiffness.
        q, qd: (nq,), (nv,) joint positions, rad or m, and velocities.
        state: The patches as the step before has left them.
        h: Length of a step, s.
        how: The laws.

    >>> import whippletree as wt
    >>> m = wt.Mechanism("ball")
    >>> m.add_body("ball", wt.Prismatic("z"), inertia=wt.Inertia.sphere(0.1, mass=0.3))
    >>> m.add_shape("skin", wt.Sphere(0.1), body="ball")
    >>> m.add_shape("floor", wt.Plane())
    >>> m.add_contact("bounce", "skin", "floor", stiffness=2e4, damping=60.0)
    >>> rest = wt.contact.patches_at_rest(m)
    >>> wt.contact.compliant_forces(m, [0.099], [-0.1], rest, 1e-4).forces.round(9) + 0.0
    array([[26.,  0.,  0.]])
    """
    laws, gap, velocity = laws_of(m, how), contact_frames(m, q).gap, contact_velocity(m, q, qd)
    depth = _depths(laws, state.depth, gap, h)
    forces, slips = [], []
    for i, (row, law) in enumerate(laws):
        x, carried = state.slip[i], state.slip[i] + h * velocity[i, 1:]
        force, sticks = _force(row, law, depth[i], carried, gap[i], velocity[i])
        forces.append(force)
        slips.append(where(sticks, carried, relaxed(x, force[1:], *law.tangential, h)))
    if not laws:
        return Pushed(np.zeros((0, 3)), state)
    return Pushed(array(forces), PatchState(depth, array(slips)))


def stage_forces(m: Mechanism, q: Array, qd: Array, state: PatchState, elapsed: Any, how: Compliant) -> Array:
    """(nc, 3) forces some time after the beginning of a step, whose `compliant_forces` left the state.

    Between, patches that stick are carried along by the velocity of this moment: friction is of first order.
    """
    laws, gap, velocity = laws_of(m, how), contact_frames(m, q).gap, contact_velocity(m, q, qd)
    depth = _depths(laws, state.depth, gap, elapsed)
    slip = state.slip + elapsed * velocity[:, 1:]
    rows = [_force(row, law, depth[i], slip[i], gap[i], velocity[i])[0] for i, (row, law) in enumerate(laws)]
    return array(rows) if rows else np.zeros((0, 3))


def _depths(laws: list[tuple[Candidate, PatchLaw]], depth: Array, gap: Array, t: Any) -> Array:
    rows = [
        [*law.moved(depth[i][: law.states], gap[i], t), *[0.0] * (2 - law.states)]
        for i, (_, law) in enumerate(laws)
    ]
    return array(rows) if rows else depth


def _force(row: Candidate, law: PatchLaw, z: Array, x: Array, gap: Any, velocity: Array) -> tuple[Array, Any]:
    """(3,) the force of a patch, and whether it sticks."""
    normal = law.force(z, gap, velocity[0])
    along, sticks = friction(x, velocity[1:], row.contact.friction * normal, *law.tangential)
    return array([normal, *along]), sticks
