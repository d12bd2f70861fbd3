"""What holds bodies apart where surfaces give way: massless patches (RBDA §11.8).

A patch has no mass, so it is either pushed by the body or on its way back by itself: z is where it is, 0 in
its place and negative below. p is where the body is, the gap, and ṗ its rate. The body touches while its own
way out is slower than the patch's, p ≤ z; then z = p. That is one comparison a step and no flag: the patch
moves back for the time since the last look, and is pushed in again if the body is deeper.
"""

from abc import ABC, abstractmethod
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from ...errors import ModelError
from ...model.contact import Contact
from ...spatial import Array, array, known, maximum, minimum, where


class PatchLaw(ABC):
    """How the patches of a contact push back.

    A law has to say how it pushes, what energy that stores, and how it gives way along the surface. What else
    there is, is that of one patch which is back in its place at once; others say how they come back.
    """

    states: ClassVar[int] = 1
    """How many numbers tell where they are, 1 or 2; all are 0 in their place."""

    @abstractmethod
    def push(self, z: Array, rate: Any) -> Any:
        """The normal force, N, under a body whose gap changes at a rate, m/s; negative where it pulls."""

    @abstractmethod
    def stored(self, z: Array) -> Any:
        """The energy of the springs, J."""

    @property
    @abstractmethod
    def tangential(self) -> tuple[Any, Any]:
        """Stiffness, N/m, and damping, N s/m, along the surface."""

    def of(self, contact: Contact) -> "PatchLaw":
        """The law with the numbers of a contact where it has none of its own."""
        return self

    def freed(self, z: Array, t: Any) -> Array:
        """Where the patches are after a time t ≥ 0, s, in which nothing touches them."""
        return 0.0 * z

    def free_rates(self, z: Array) -> Array:
        """dz/dt, m/s, where nothing touches them: the rate of `freed`."""
        return 0.0 * z

    def moved(self, z: Array, p: Any, t: Any) -> Array:
        """Where the patches are after a time t > 0, s, with the body now at p."""
        return array([minimum(p, self.freed(z, t)[0])])

    def rates(self, z: Array, rate: Any) -> Array:
        """dz/dt, m/s, under a body whose gap changes at a rate, m/s; their sum is that rate."""
        return array([rate])

    def tension(self, z: Array) -> Array:
        """The forces of the springs, N: the derivative of `stored` by z."""
        return array([-self.push(z, 0.0)])

    def pressed(self, p: Any) -> Array:
        """Where the patches are at rest under a body at p."""
        return array([p])

    def grip(self, z: Array, rate: Any) -> Any:
        """A number that is positive as long as a body which has touched the patches goes on to."""
        return self.push(z, rate)

    def touched(self, z: Array, p: Any) -> Any:
        """Whether a body at p touches the patches, as `moved` has left them; true or false."""
        return p <= z[0]

    def force(self, z: Array, p: Any, rate: Any) -> Any:
        """The normal force, N, with the patches at z and the body at p."""
        return where(self.touched(z, p), maximum(0.0, self.push(z, rate)), 0.0)


def returning(z: Array, stiffness: Any, damping: Any) -> Array:
    """The rate of a deflection that goes back without a force, -K z / D; 0 if it is back at once."""
    return 0.0 * z if known(damping) == 0.0 else -(stiffness / damping) * z


def decay(stiffness: Any, damping: Any, t: Any) -> Any:
    """What is left of a deflection after t, s, without a force: exp(-K t / D)."""
    return 0.0 if known(damping) == 0.0 else np.exp(-(stiffness / damping) * t)


def stiffness_of(contact: Contact, own: float | None) -> float:
    """A law's own stiffness, or the contact's; ModelError if there is none."""
    stiffness = contact.stiffness if own is None else own
    if stiffness is None:
        raise ModelError(
            f"contact {contact.name!r} is rigid, it has no stiffness: give it one, in N/m, and damping, in "
            "N s/m, or take contacts='rigid'"
        )
    if known(stiffness) is not None and not (stiffness > 0.0 and isfinite(stiffness)):
        raise ModelError(f"contact {contact.name!r}: stiffness is {stiffness:g}, must be more than 0")
    return stiffness


def damping_of(contact: Contact) -> float:
    """The contact's damping, N s/m."""
    return 0.0 if contact.damping is None else contact.damping
