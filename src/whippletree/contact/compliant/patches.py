"""What holds bodies apart where surfaces give way: massless patches (RBDA §11.8).

A patch has no mass, so it is either pushed by the body or on its way back by itself: z is where it is, 0 in
its place and negative below. p is where the body is, the gap, and ṗ its rate. The body touches while its own
way out is slower than the patch's, p ≤ z; then z = p. That is one comparison a step and no flag: the patch
moves back for the time since the last look, and is pushed in again if the body is deeper.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from ...errors import ModelError
from ...model.contact import Contact
from ...spatial import Array, array, known, maximum, minimum, where


class PatchLaw(ABC):
    """How the patches of a contact push back."""

    states: ClassVar[int]
    """How many numbers tell where they are, 1 or 2; all are 0 in their place."""

    @abstractmethod
    def of(self, contact: Contact) -> "PatchLaw":
        """The law with the numbers of a contact where it has none of its own."""

    @abstractmethod
    def moved(self, z: Array, p: Any, t: Any) -> Array:
        """Where the patches are after a time t > 0, s, with the body now at p."""

    @abstractmethod
    def force(self, z: Array, p: Any, rate: Any) -> Any:
        """The normal force, N, with the patches at z and the body at p."""

    @property
    @abstractmethod
    def tangential(self) -> tuple[Any, Any]:
        """Stiffness, N/m, and damping, N s/m, along the surface."""


@dataclass(frozen=True)
class KelvinVoigt(PatchLaw):
    """A spring and a damper side by side, RBDA 11.73 and 11.74; None is the contact's own number.

    Attributes:
        stiffness: K, N/m.
        damping: D, N s/m.
    """

    stiffness: float | None = None
    damping: float | None = None
    states: ClassVar[int] = 1

    def of(self, contact: Contact) -> "KelvinVoigt":
        damping = _damping(contact) if self.damping is None else self.damping
        return replace(
            self,
            stiffness=_stiffness(contact, self.stiffness),
            damping=_least(contact, "damping", damping),
        )

    def moved(self, z: Array, p: Any, t: Any) -> Array:
        return array([minimum(p, z[0] * decay(self.stiffness, self.damping, t))])

    def force(self, z: Array, p: Any, rate: Any) -> Any:
        return where(p <= z[0], maximum(0.0, -(self.stiffness * p) - self.damping * rate), 0.0)

    @property
    def tangential(self) -> tuple[Any, Any]:
        return self.stiffness, self.damping


@dataclass(frozen=True)
class HuntCrossley(PatchLaw):
    """f = K dⁿ (1 + c ḋ) with the depth d = -p: it neither jumps at the first touch nor pulls at the last.

    (Hunt, Crossley, Coefficient of restitution interpreted as damping in vibroimpact, 1975, eq. 3 with
    λ = c K.) Slow impacts return 1 - 2/3 c v of their speed, nearly. The patch is back in its place at once.

    Attributes:
        dissipation: c, s/m.
        exponent: n; 3/2 for balls on planes (Hertz).
        stiffness: K, N/mⁿ; None is the contact's own.
        along: Stiffness, N/m, and damping, N s/m, along the surface; None: K and the contact's damping.
    """

    dissipation: float = 0.0
    exponent: float = 1.0
    stiffness: float | None = None
    along: tuple[float, float] | None = None
    states: ClassVar[int] = 1

    def of(self, contact: Contact) -> "HuntCrossley":
        _least(contact, "dissipation", self.dissipation)
        if self.exponent < 1.0:
            raise ModelError(f"contact {contact.name!r}: exponent is {self.exponent:g}, must be 1 or more")
        stiffness = _stiffness(contact, self.stiffness)
        along = self.along or (stiffness, _damping(contact))
        return replace(self, stiffness=stiffness, along=along)

    def moved(self, z: Array, p: Any, t: Any) -> Array:
        return array([minimum(p, 0.0)])

    def force(self, z: Array, p: Any, rate: Any) -> Any:
        depth = maximum(0.0, -p)
        return maximum(0.0, self.stiffness * depth**self.exponent * (1.0 - self.dissipation * rate))

    @property
    def tangential(self) -> tuple[Any, Any]:
        assert self.along is not None
        return self.along


@dataclass(frozen=True)
class TwoSurfaces(PatchLaw):
    """Two surfaces that give way, each as `KelvinVoigt`, with one force between them (RBDA §11.8, end).

    Where their K/D agree they are one: springs and dampers in series.

    Attributes:
        a, b: Stiffness, N/m, and damping, N s/m and not 0, of either.
    """

    a: tuple[float, float]
    b: tuple[float, float]
    states: ClassVar[int] = 2

    def of(self, contact: Contact) -> "TwoSurfaces":
        for stiffness, damping in (self.a, self.b):
            _stiffness(contact, stiffness)
            if _least(contact, "damping", damping) == 0.0:
                raise ModelError(f"contact {contact.name!r}: one of two surfaces has damping 0, must be more")
        return self

    def moved(self, z: Array, p: Any, t: Any) -> Array:
        (K_a, D_a), (K_b, D_b) = self.a, self.b
        free = array([z[0] * decay(K_a, D_a, t), z[1] * decay(K_b, D_b, t)])
        touching = p <= free[0] + free[1]
        # From s to p at a constant rate r: (D_a + D_b) ż_a = -(K_a + K_b) z_a + D_b r + K_b (s + r t).
        s = z[0] + z[1]
        r = (p - s) / t
        along = K_b / (K_a + K_b) * r
        start = (D_b * r + K_b * s - (D_a + D_b) * along) / (K_a + K_b)
        pushed = start + along * t + (z[0] - start) * decay(K_a + K_b, D_a + D_b, t)
        return array([where(touching, pushed, free[0]), where(touching, p - pushed, free[1])])

    def force(self, z: Array, p: Any, rate: Any) -> Any:
        (K_a, D_a), (K_b, D_b) = self.a, self.b
        z_rate = (D_b * rate - K_a * z[0] + K_b * z[1]) / (D_a + D_b)
        touching = p - z[0] <= z[1]  # as it was found, to the last bit
        return where(touching, maximum(0.0, -(K_a * z[0]) - D_a * z_rate), 0.0)

    @property
    def tangential(self) -> tuple[Any, Any]:
        (K_a, D_a), (K_b, D_b) = self.a, self.b
        return K_a * K_b / (K_a + K_b), D_a * D_b / (D_a + D_b)


def decay(stiffness: Any, damping: Any, t: Any) -> Any:
    """What is left of a deflection after t, s, without a force: exp(-K t / D)."""
    return 0.0 if known(damping) == 0.0 else np.exp(-(stiffness / damping) * t)


def _stiffness(contact: Contact, own: float | None) -> float:
    stiffness = contact.stiffness if own is None else own
    if stiffness is None:
        raise ModelError(
            f"contact {contact.name!r} is rigid, it has no stiffness: give it one, in N/m, and damping, in "
            "N s/m, or take contacts='rigid'"
        )
    if known(stiffness) is not None and not (stiffness > 0.0 and isfinite(stiffness)):
        raise ModelError(f"contact {contact.name!r}: stiffness is {stiffness:g}, must be more than 0")
    return stiffness


def _damping(contact: Contact) -> float:
    return 0.0 if contact.damping is None else contact.damping


def _least(contact: Contact, name: str, value: float) -> float:
    if known(value) is not None and not (value >= 0.0 and isfinite(value)):
        raise ModelError(f"contact {contact.name!r}: {name} is {value:g}, must be 0 or more")
    return value
